/* gopclntab.c - see gopclntab.h.
 *
 * The layout is that of the package debug/gosym of Go, versions 1.2, 1.16, 1.18 and 1.20 (P: a
 * pointer of 4 or 8 bytes, all offsets from the beginning of the table):
 *
 *	u32 magic FFFFFFF0 + b, a, 0 or 1    u8 0, 0, shortest instruction, size of P
 *	1.2   P n    index    u32 offset of the files
 *	1.16  P n, number of files, offsets of names, units, files, numbers, functions
 *	1.18  the same with the address of the code before the offsets
 *
 *	index      n times begin, offset from the functions; at last an end. P before 1.18, then
 *	           u32, and the begin counts from the code on. From 1.16 on it begins the functions.
 *	function   begin as in the index; u32 name, 2 more, numbers of the stack pointer, of files
 *	           and of lines, 1 more, from 1.16 on its unit, from 1.20 on its first line
 *	numbers    a value for each address: pairs of a signed change of the value and an unsigned
 *	           distance in shortest instructions, from -1 and the begin on, up to a change of 0
 *	files      1.2: u32 offset of a text; else units: u32 offset of a text among the files
 *
 * Inlined functions are described elsewhere, in data that only the runtime finds. So code that is
 * inlined counts for the function around it, and has no line if it is from another file.
 *
 * Invariant: every read is checked against the length of the table; what lies outside is 0. */
#include "src/symbol/gopclntab.h"

#include <string.h>

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#include <gelf.h>
#endif

#include "model/base/bisect.h"
#include "model/base/bytes.h"

#define HEAD 8u
#define ALIGNED 32u /* where the table begins among other data */
#define MAGIC_LOW 0xFFFFFFF0u

static bool
inside(const struct symbol_go *g, uint64_t at, uint64_t n)
{
	return at <= g->len && n <= g->len - at;
}

static uint32_t
half_at(const struct symbol_go *g, uint64_t at)
{
	return inside(g, at, 4) ? bytes_u32(g->at + at, g->big_endian) : 0;
}

static uint64_t
pointer_at(const struct symbol_go *g, uint64_t at)
{
	if (g->pointer == 4)
		return half_at(g, at);
	return inside(g, at, 8) ? bytes_u64(g->at + at, g->big_endian) : 0;
}

/* Returns NULL for a text that does not end in the table. */
static const char *
go_text_at(const struct symbol_go *g, uint64_t at)
{
	return at < g->len && memchr(g->at + at, 0, g->len - at) ? (const char *)g->at + at : NULL;
}

/* ---- the header ---- */

static bool
read_magic(struct symbol_go *g)
{
	static const uint8_t versions[16] = {[0] = 18, [1] = 20, [10] = 16, [11] = 2};
	uint32_t magic = half_at(g, 0);

	if (magic >> 4 == MAGIC_LOW >> 4)
		g->version = versions[magic & 15];
	return g->version != 0;
}

/* Returns word i behind the first 8 bytes. */
static uint64_t
head_word(const struct symbol_go *g, unsigned i)
{
	return pointer_at(g, HEAD + (uint64_t)i * g->pointer);
}

static bool
go_read_head(struct symbol_go *g, uint64_t text)
{
	const uint8_t *at = g->at;
	uint64_t len = g->len;

	if (len < HEAD)
		return false;
	g->big_endian = at[0] == 0xff && at[3] != 0xff;
	if (!read_magic(g) || at[4] || at[5])
		return false;
	g->quantum = at[6];
	g->pointer = at[7];
	if ((g->quantum != 1 && g->quantum != 2 && g->quantum != 4) ||
	    (g->pointer != 4 && g->pointer != 8))
		return false;
	g->n = head_word(g, 0);
	if (g->version == 2) {
		g->index = HEAD + g->pointer;
		if (g->n > len / (2 * (uint64_t)g->pointer))
			return false;
		g->files = half_at(g, g->index + (2 * g->n + 1) * g->pointer);
		return g->files != 0;
	}
	unsigned more = g->version >= 18;
	if (more) {
		uint64_t own = head_word(g, 2);
		g->text = own ? own : text;
	}
	g->names = head_word(g, 2 + more);
	g->units = head_word(g, 3 + more);
	g->files = head_word(g, 4 + more);
	g->numbers = head_word(g, 5 + more);
	g->functions = g->index = head_word(g, 6 + more);
	return g->names < len && g->units < len && g->files < len && g->numbers < len &&
	       g->functions < len && g->n <= (len - g->functions) / 8;
}

bool
symbol_go_read(struct symbol_go *g, const uint8_t *at, size_t len, uint64_t text)
{
	*g = (struct symbol_go){.at = at, .len = len};
	if (go_read_head(g, text))
		return true;
	*g = (struct symbol_go){0};
	return false;
}

/* ---- functions ---- */

static unsigned
index_size(const struct symbol_go *g)
{
	return g->version >= 18 ? 4 : g->pointer;
}

static uint64_t
index_word(const struct symbol_go *g, uint64_t i)
{
	uint64_t at = g->index + i * index_size(g);

	return g->version >= 18 ? half_at(g, at) : pointer_at(g, at);
}

static uint64_t
go_begin_of(const struct symbol_go *g, uint64_t i)
{
	return g->text + index_word(g, 2 * i);
}

/* Returns the u32 i of function f, counted from its name on. */
static uint32_t
go_member(const struct symbol_go *g, uint64_t f, unsigned i)
{
	return half_at(g, g->functions + index_word(g, 2 * f + 1) + index_size(g) + i * 4u);
}
enum { NAME = 0, FRAME = 3, FILES = 4, LINES = 5, UNIT = 7, FIRST_LINE = 8 };

bool
symbol_go_function(const struct symbol_go *g, uint64_t i, struct symbol_go_function *out)
{
	if (i >= g->n)
		return false;
	*out = (struct symbol_go_function){.start = go_begin_of(g, i),
					   .end = go_begin_of(g, i + 1),
					   .name = go_text_at(g, g->names + go_member(g, i, NAME))};
	return out->name && *out->name && out->start < out->end;
}

/* ---- files and lines ---- */

static uint64_t
varint(const struct symbol_go *g, uint64_t *at)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *at < g->len && shift < 35; shift += 7) {
		uint8_t byte = g->at[(*at)++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/* Returns the value of these numbers at an address behind the begin of a function; -1: none. */
static int64_t
go_number_at(const struct symbol_go *g, uint32_t offset, uint64_t distance)
{
	uint64_t at = g->numbers + offset, end = 0, change;
	int64_t value = -1;

	for (bool first = true; offset && at < g->len; first = false) {
		change = varint(g, &at);
		if (!change && !first)
			break;
		value += (int64_t)(change >> 1 ^ (0 - (change & 1)));
		end += varint(g, &at) * g->quantum;
		if (distance < end)
			return value;
	}
	return -1;
}

static const char *
file_of(const struct symbol_go *g, uint64_t f, int64_t number)
{
	uint32_t at;

	if (number < 0)
		return NULL;
	if (g->version == 2) {
		at = half_at(g, g->files + (uint64_t)number * 4);
		return at ? go_text_at(g, at) : NULL;
	}
	at = half_at(g, g->units + ((uint64_t)go_member(g, f, UNIT) + (uint64_t)number) * 4);
	return at != UINT32_MAX ? go_text_at(g, g->files + at) : NULL;
}

static uint32_t
go_line_of(int64_t number)
{
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Finds the function around an address; false if there is none. */
static bool
function_at(const struct symbol_go *g, uint64_t address, uint64_t *f)
{
	uint64_t n = g->at ? bisect(i, g->n, go_begin_of(g, i) <= address) : 0;

	*f = n - 1;
	return n && address < go_begin_of(g, n);
}

int64_t
symbol_go_frame_at(const struct symbol_go *g, uint64_t address)
{
	uint64_t f;

	return function_at(g, address, &f)
		       ? go_number_at(g, go_member(g, f, FRAME), address - go_begin_of(g, f))
		       : -1;
}

unsigned
symbol_go_line_at(const struct symbol_go *g, uint64_t address, struct symbols_frame *out)
{
	uint64_t f;

	if (!function_at(g, address, &f))
		return 0;
	uint64_t distance = address - go_begin_of(g, f);
	uint32_t files = go_member(g, f, FILES), lines = go_member(g, f, LINES);
	int64_t own = go_number_at(g, files, 0);
	bool other = go_number_at(g, files, distance) != own;
	*out = (struct symbols_frame){
		.file = file_of(g, f, own),
		.line = other ? 0 : go_line_of(go_number_at(g, lines, distance)),
		.definition = go_line_of(g->version >= 20 ? (int64_t)go_member(g, f, FIRST_LINE)
						       : go_number_at(g, lines, 0)),
	};
	return out->file != NULL;
}

/* ---- the file ---- */

#ifdef HAVE_LIBDW

/* Returns the value that the loader writes to an address, relative to the file; 0: none. */
static uint64_t
relocated(Elf *elf, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr s;
	GElf_Rela r;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &s) || s.sh_type != SHT_RELA || !s.sh_entsize)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < s.sh_size / s.sh_entsize; i++)
			if (gelf_getrela(data, (int)i, &r) && r.r_offset == address)
				return (uint64_t)r.r_addend;
	}
	return 0;
}

static bool
ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), n = strlen(suffix);

	return len >= n && !strcmp(name + len - n, suffix);
}

/* The sections that matter; those that the file lacks have size 0. */
struct go_sections {
	GElf_Shdr text, table, mixed;
	bool is_go;
};

static bool
find_sections(Elf *elf, size_t size, struct go_sections *out)
{
	size_t names;
	Elf_Scn *section = NULL;
	GElf_Shdr s;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
			gelf_getshdr(section, &s) ? elf_strptr(elf, names, s.sh_name) : NULL;
		if (!name || s.sh_type != SHT_PROGBITS || s.sh_offset > size ||
		    s.sh_size > size - s.sh_offset)
			continue;
		if (ends_with(name, "gopclntab"))
			out->table = s;
		else if (!strcmp(name, ".text"))
			out->text = s;
		else if (!strcmp(name, ".data.rel.ro"))
			out->mixed = s;
		else if (!strcmp(name, ".go.buildinfo"))
			out->is_go = true;
	}
	return out->table.sh_size || out->is_go;
}

/* GNU ld puts the table of a position-independent program among other data. */
bool
symbol_go_open(struct symbol_go *g, struct symbol_elf *f)
{
	GElf_Addr bias;
	size_t size = 0;
	struct go_sections s = {.is_go = false};
	Elf *elf = f->module ? dwfl_module_getelf(f->module, &bias) : NULL;
	const char *file = elf ? elf_rawfile(elf, &size) : NULL;

	*g = (struct symbol_go){0};
	if (!file || !find_sections(elf, size, &s))
		return false;
	const GElf_Shdr *in = s.table.sh_size ? &s.table : &s.mixed;
	for (uint64_t at = 0; at + HEAD < in->sh_size; at += ALIGNED) {
		const uint8_t *bytes = (const uint8_t *)file + in->sh_offset + at;
		if (!symbol_go_read(g, bytes, in->sh_size - at, s.text.sh_addr))
			continue;
		uint64_t own = relocated(elf, in->sh_addr + at + HEAD + 2u * 8u);
		return !own || symbol_go_read(g, bytes, in->sh_size - at, own);
	}
	return false;
}

void
symbol_go_add(struct symbol_elf *f, struct symbol_table *t)
{
	struct symbol_go g;
	struct symbol_go_function go;

	if (!symbol_elf_stripped(f) || !symbol_go_open(&g, f))
		return;
	for (uint64_t i = 0; i < g.n; i++)
		if (symbol_go_function(&g, i, &go))
			symbol_table_add(t, go.start, go.end - go.start, go.name, SYMBOL_LOCAL);
}

#else

bool
symbol_go_open(struct symbol_go *g, struct symbol_elf *f)
{
	(void)f;
	*g = (struct symbol_go){0};
	return false;
}

void
symbol_go_add(struct symbol_elf *f, struct symbol_table *t)
{
	(void)f;
	(void)t;
}

#endif
