#include "src/decode/gmon/gmon_pe.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"
#include "src/input/cursor.h"

/* Programs of MinGW and Cygwin are PE files, which libelf does not read. They keep their names in
 * the symbol table of COFF (Microsoft's "PE Format"); the linker's option -s removes it.
 *
 *	0	"MZ"            60  u32 where `PE` is
 *	PE+0	"PE\0\0"         4  u16 machine       6  u16 number of sections
 *	PE+12	u32 where the symbols are            16  u32 number of symbols
 *	PE+20	u16 size of the optional header      24  the optional header:
 *		0  u16 0x10b: 32 bits, address of the image u32 at 28; 0x20b: 64 bits, u64 at 24
 *	after it, 40 bytes a section:
 *		8  u32 size   12  u32 address in the image   36  u32 flags, 0x20: code
 *	a symbol, 18 bytes:
 *		0  name, 8 bytes; or 0 and its offset in the strings behind the symbols
 *		8  u32 address in its section   12  i16 section, from 1
 *		14 u16 type, 0x20: a function   16  u8 class (2 external, 3 static)
 *		17 u8 number of records that belong to it and follow it
 *
 * Static symbols without the type of a function are sections and labels. On 32-bit Windows names
 * of C begin with one more underscore. */

enum { SECTION = 40, SYMBOL = 18, CODE = 0x20, FUNCTION = 0x20, EXTERNAL = 2, STATIC = 3 };
#define MACHINE_I386 0x14cu

struct pe_image {
	const uint8_t *bytes;
	size_t len;
	struct cursor section, symbol, string; /* the tables, over their bytes */
	uint64_t base;
	bool underscores;
};

/* Returns a cursor over at most n bytes from an offset; fewer if the file ends before. */
static struct cursor
pe_part(const struct pe_image *i, uint64_t offset, uint64_t n)
{
	if (offset > i->len)
		offset = i->len;
	if (n > i->len - offset)
		n = i->len - offset;
	return cursor_over(i->bytes + offset, (size_t)n);
}

static void
pe_open(struct pe_image *i, const uint8_t *bytes, size_t len)
{
	*i = (struct pe_image){.bytes = bytes, .len = len};
	struct cursor c = pe_part(i, 60, 4);
	uint64_t pe = cursor_u32(&c);

	c = pe_part(i, pe, 24);
	const uint8_t *h = cursor_bytes(&c, 24);
	if (!h || memcmp(h, "PE\0", 4) != 0)
		return;
	uint64_t optional = bytes_u16(h + 20, false), symbols = bytes_u32(h + 12, false);
	uint64_t symbols_size = (uint64_t)bytes_u32(h + 16, false) * SYMBOL;
	c = pe_part(i, pe + 24, 32);
	const uint8_t *o = cursor_bytes(&c, 32);
	i->underscores = bytes_u16(h + 4, false) == MACHINE_I386;
	i->base = !o ? 0 : bytes_u16(o, false) == 0x20b ? bytes_u64(o + 24, false)
							: bytes_u32(o + 28, false);
	i->section = pe_part(i, pe + 24 + optional, (uint64_t)bytes_u16(h + 6, false) * SECTION);
	i->symbol = pe_part(i, symbols, symbols ? symbols_size : 0);
	i->string = pe_part(i, symbols + symbols_size, symbols ? UINT32_MAX : 0);
}

/* Adds the name of a symbol to the names. Returns false if it has none. */
static bool
pe_name(struct gmon_pe *p, const struct pe_image *i, const uint8_t *symbol)
{
	size_t len = strnlen((const char *)symbol, 8);
	const char *name = (const char *)symbol;

	if (!bytes_u32(symbol, false)) {
		struct cursor c = i->string;
		cursor_bytes(&c, bytes_u32(symbol + 4, false));
		name = c.bad ? "" : cursor_text(&c, &len);
		len = c.bad ? 0 : len;
	}
	if (i->underscores && len > 1 && *name == '_') {
		name++;
		len--;
	}
	if (!len || *name == '.')
		return false;
	buf_add(&p->names, name, len);
	buf_addc(&p->names, '\0');
	return true;
}

static void
pe_add(struct gmon_pe *p, const struct pe_image *i, const uint8_t *symbol)
{
	uint64_t section = bytes_u16(symbol + 12, false), address = bytes_u32(symbol + 8, false);
	bool function = bytes_u16(symbol + 14, false) == FUNCTION;
	struct cursor c = i->section;
	size_t name = p->names.len;

	if (symbol[16] != EXTERNAL && !(symbol[16] == STATIC && function))
		return;
	cursor_bytes(&c, (section - 1) * SECTION);
	const uint8_t *s = section && !c.bad ? cursor_bytes(&c, SECTION) : NULL;
	if (!s || !(bytes_u32(s + 36, false) & CODE) || address >= bytes_u32(s + 8, false) ||
	    !pe_name(p, i, symbol))
		return;
	uint64_t start = i->base + bytes_u32(s + 12, false);
	*vec_push(&p->symbol) = (struct gmon_pe_symbol){
		.start = start + address,
		.end = start + bytes_u32(s + 8, false),
		.name = name,
		.local = symbol[16] == STATIC,
	};
}

/* External symbols come before static ones of the same address. */
ORDERED_BY_THREE(by_start, struct gmon_pe_symbol, start, local, name)

void
gmon_pe_read(struct gmon_pe *p, const uint8_t *bytes, size_t len)
{
	struct pe_image image;
	const uint8_t *symbol;
	size_t n = 0;

	pe_open(&image, bytes, len);
	while ((symbol = cursor_bytes(&image.symbol, SYMBOL)) != NULL) {
		pe_add(p, &image, symbol);
		cursor_bytes(&image.symbol, (uint64_t)symbol[17] * SYMBOL);
	}
	vec_sort(&p->symbol, by_start);
	for (size_t i = 0; i < p->symbol.n; i++) {
		struct gmon_pe_symbol *s = &p->symbol.at[i];
		struct gmon_pe_symbol *last = n ? &p->symbol.at[n - 1] : NULL;
		if (last && last->start == s->start)
			continue;
		if (last && last->end > s->start)
			last->end = s->start;
		p->symbol.at[n++] = *s;
	}
	p->symbol.n = n;
}

struct gmon_pe_span
gmon_pe_at(const struct gmon_pe *p, uint64_t address)
{
	size_t next = bisect(i, p->symbol.n, p->symbol.at[i].start <= address);
	const struct gmon_pe_symbol *s = next ? &p->symbol.at[next - 1] : NULL;

	if (s && address < s->end)
		return (struct gmon_pe_span){s->start, s->end, buf_str(&p->names) + s->name};
	return (struct gmon_pe_span){.end = next < p->symbol.n ? p->symbol.at[next].start : 0};
}

void
gmon_pe_release(struct gmon_pe *p)
{
	vec_release(&p->symbol);
	buf_release(&p->names);
}
