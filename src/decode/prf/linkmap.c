#include "src/decode/prf/linkmap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/chars.h"
#include "model/base/ordered.h"
#include "src/decode/common/slice.h"

/* Linker maps are listings for people: headings, blank lines, columns. No two linkers agree,
 * and one linker's versions differ in the width of numbers and in the blocks that they add. So
 * nothing depends on columns or on numbers of lines: a heading determines the kind of the lines
 * below it, a line counts if it has the form of that kind, and all other text is skipped
 * (`Detailed map of segments`, `Origin Group`, `Unresolved Externals`, `Warning: No stack`).
 * Publics by Name and by Value are the same symbols: both are read, and each symbol is kept
 * once.
 *
 * Names extend to the end of the line and may contain blanks (`operator delete(void far*)`). A
 * flag (`Abs`, `Imp`, `idle`) is at most three blanks after the address, a name without a flag
 * is further right, so a function named `idle` is not lost.
 *
 * GNU ld writes a symbol under its input section, as only an address and a name; assignments
 * (`. = ALIGN`, `PROVIDE`) have a `=`. In maps of lld, the indentation distinguishes sections,
 * files and symbols.
 *
 * Ctrl-Z and NUL end a DOS text file at any position. */

#define FLAG_BLANKS 3
#define TEXT_MAX (UINT32_MAX - (1u << 20))

enum block {
	BLOCK_OTHER,
	BLOCK_SEGMENTS,
	BLOCK_PUBLICS,
	BLOCK_LINES,
	BLOCK_GNU,
	BLOCK_LLD,
};

struct linkmap_reader {
	struct linkmap *m;
	enum block block;
	struct linkmap_text module,
		file;     /* of the block of lines, or the input section */
	struct map known; /* texts -> index in `texts`: file names repeat often */
	VEC(struct linkmap_text) texts;
	bool split; /* GNU ld: a section's name, its address on the next line */
};

const char *
linkmap_form_name(enum linkmap_form form)
{
	static const char *const names[] = {
		[LINKMAP_NONE] = "none",      [LINKMAP_DOS] = "MS LINK or TLINK",
		[LINKMAP_NE] = "MS LINK, NE", [LINKMAP_GNU] = "GNU ld",
		[LINKMAP_LLD] = "lld",
	};

	return names[form];
}

/* ---- text ---- */

static struct linkmap_text
put_text(struct linkmap *m, struct text_slice t)
{
	struct linkmap_text out = {.at = (uint32_t)m->text.len, .len = (uint32_t)t.len};

	if (m->text.len + t.len >= TEXT_MAX)
		return (struct linkmap_text){0, 0};
	buf_add(&m->text, t.at, t.len);
	buf_addc(&m->text, '\0');
	return out;
}

static uint64_t
hash_text(struct text_slice t)
{
	uint64_t h = 0xCBF29CE484222325u;

	for (size_t i = 0; i < t.len; i++)
		h = (h ^ (unsigned char)t.at[i]) * 0x100000001B3u;
	return h ^ h << 32;
}

/* The same for repeated texts: each is kept once. */
static struct linkmap_text
put_known(struct linkmap_reader *r, struct text_slice t)
{
	uint64_t hash = hash_text(t);
	uint32_t slot, i;

	if (!r->known.slot)
		map_init(&r->known);
	slot = map_first(&r->known, hash);
	while (map_probe(&r->known, &slot, hash, &i))
		if (r->texts.at[i].len == t.len &&
		    !memcmp(linkmap_str(r->m, r->texts.at[i]), t.at, t.len))
			return r->texts.at[i];
	map_insert(&r->known, hash, (uint32_t)r->texts.n);
	struct linkmap_text put = put_text(r->m, t);
	*vec_push(&r->texts) = put;
	return put;
}

static size_t
blanks(struct text_slice t)
{
	size_t n = 0;

	while (n < t.len && is_blank(t.at[n]))
		n++;
	return n;
}

/* Parses hexadecimal digits at the start, at most 16; returns their number. */
static size_t
hex(struct text_slice t, uint64_t *out)
{
	return (size_t)(hex_digits(t.at, t.at + (t.len < 16 ? t.len : 16), out) - t.at);
}

/* Parses "SSSS:OOOO", with up to eight digits of offset if the linker writes 32 bits. */
static size_t
far_address(struct text_slice t, uint16_t *segment, uint16_t *offset)
{
	uint64_t s, o;
	size_t n = hex(t, &s), k;

	if (n != 4 || t.len < n + 2 || t.at[n] != ':')
		return 0;
	k = hex(slice_skip(t, n + 1), &o);
	if ((k != 4 && k != 8 && k != 1) || o > UINT16_MAX)
		return 0;
	*segment = (uint16_t)s;
	*offset = (uint16_t)o;
	return n + 1 + k;
}

static uint64_t
linear(uint16_t segment, uint16_t offset)
{
	return 16 * (uint64_t)segment + offset;
}

/* ---- MS LINK and TLINK ---- */

/* " 00000H 0093FH 00940H NAME CLASS", or " 0001:0000 00044H NAME CLASS" (NE). */
static const char *
segment_line(struct linkmap_reader *r, struct text_slice t)
{
	uint16_t segment, offset;
	uint64_t v;
	size_t n;

	t = slice_trim(t);
	n = far_address(t, &segment, &offset);
	if (n && n < t.len && t.at[n] == ' ') {
		r->m->form = LINKMAP_NE;
		return "segment";
	}
	n = hex(t, &v);
	if (n < 3 || n >= t.len || toupper((unsigned char)t.at[n]) != 'H')
		return "text";
	r->m->form = LINKMAP_DOS;
	return "segment";
}

static uint8_t
flag_of(struct text_slice t)
{
	if (slice_is(t, "Abs"))
		return LINKMAP_ABSOLUTE;
	if (slice_is(t, "Imp"))
		return LINKMAP_IMPORT;
	return slice_is(t, "idle") || slice_is(t, "Idle") ? LINKMAP_IDLE : 0;
}

static const char *
public_line(struct linkmap_reader *r, struct text_slice t)
{
	struct linkmap_symbol s = {0};
	size_t n, gap;

	t = slice_trim(t);
	n = far_address(t, &s.segment, &s.offset);
	if (!n)
		return "text";
	t = slice_skip(t, n);
	gap = blanks(t);
	t = slice_skip(t, gap);
	if (!gap || !t.len)
		return "text";
	struct text_slice first = slice_word(t);
	if (gap <= FLAG_BLANKS && first.len < t.len)
		s.flags = flag_of(first);
	if (s.flags)
		t = slice_trim(slice_skip(t, first.len));
	if (s.flags & LINKMAP_IMPORT) /* "VIOWRTTTY  (VIOCALLS.VIOWRTTTY)" */
		t = slice_word(t);
	s.address = linear(s.segment, s.offset);
	s.name = put_text(r->m, t);
	*vec_push(&r->m->symbols) = s;
	return "public";
}

/* "Line numbers for fract.obj(FRACT.CPP) segment FRACT_TEXT" */
static void
lines_begin(struct linkmap_reader *r, struct text_slice t)
{
	const char *open, *close;

	t = slice_trim(slice_skip(t, strlen("Line numbers for ")));
	r->block = BLOCK_LINES;
	open = memchr(t.at, '(', t.len);
	close = open ? memchr(open, ')', (size_t)(t.at + t.len - open)) : NULL;
	if (!close) {
		r->module = r->file = put_known(r, slice_word(t));
		return;
	}
	r->module = put_known(r, slice_of(t.at, (size_t)(open - t.at)));
	r->file = put_known(r, slice_of(open + 1, (size_t)(close - open - 1)));
}

/* "    20 0000:0000    22 0000:0025 ..." */
static const char *
lines_line(struct linkmap_reader *r, struct text_slice t)
{
	const char *kind = "text";

	for (t = slice_trim(t); t.len; t = slice_trim(t)) {
		struct linkmap_line l = {.module = r->module, .file = r->file};
		uint64_t number = 0;
		size_t n = 0;
		while (n < t.len && n < 9 && isdigit((unsigned char)t.at[n]))
			number = number * 10 + (uint64_t)(t.at[n++] - '0');
		if (!n)
			break;
		t = slice_trim(slice_skip(t, n));
		n = far_address(t, &l.segment, &l.offset);
		if (!n)
			break;
		t = slice_skip(t, n);
		l.number = (uint32_t)number;
		l.address = linear(l.segment, l.offset);
		*vec_push(&r->m->lines) = l;
		kind = "line";
	}
	return kind;
}

/* ---- GNU ld ---- */

static size_t
hex_0x(struct text_slice t, uint64_t *out)
{
	size_t n;

	if (!slice_begins(t, "0x"))
		return 0;
	n = hex(slice_skip(t, 2), out);
	return n ? n + 2 : 0;
}

/* After the address, an input section has "0x1f dir/x.o", and a symbol its name. */
static const char *
gnu_line(struct linkmap_reader *r, struct text_slice t)
{
	size_t indent = blanks(t), n;
	uint64_t address, size;
	struct text_slice rest = slice_trim(t), first = slice_word(rest);
	bool named = !slice_begins(rest, "0x");

	if (!rest.len || (named && !indent && *rest.at != '.')) {
		r->split = false;
		return "text";
	}
	if (named) {
		rest = slice_trim(slice_skip(rest, first.len));
		r->split = !rest.len;
		if (r->split || *first.at == '*')
			return "segment";
	}
	n = hex_0x(rest, &address);
	rest = slice_trim(slice_skip(rest, n));
	if (!n || !rest.len)
		return "text";
	if (named || r->split) {
		r->split = false;
		n = hex_0x(rest, &size);
		if (!n)
			return "text";
		r->file = put_known(r, slice_trim(slice_skip(rest, n)));
		return "segment";
	}
	if (slice_has(rest, " = ") || slice_begins(rest, "PROVIDE") || slice_begins(rest, "0x") ||
	    slice_begins(rest, "[!provide]") || slice_begins(rest, ". =") ||
	    slice_begins(rest, "(size before relaxing)") || slice_begins(rest, "ASSERT ("))
		return "text";
	*vec_push(&r->m->symbols) = (struct linkmap_symbol){
		.address = address, .name = put_text(r->m, rest), .file = r->file};
	return "public";
}

/* ---- lld ---- */

/* "  VMA  LMA  Size Align Out", 8 more for In, 16 more for Symbol. */
static const char *
lld_line(struct linkmap_reader *r, struct text_slice t)
{
	uint64_t number[4] = {0};
	size_t n, indent;

	for (unsigned i = 0; i < 4; i++) {
		t = slice_skip(t, blanks(t));
		n = hex(t, &number[i]);
		if (!n || n == t.len || t.at[n] != ' ')
			return "text";
		t = slice_skip(t, n);
	}
	indent = blanks(t);
	t = slice_trim(t);
	if (!t.len || indent < 8)
		return t.len ? "segment" : "text";
	if (indent < 16) { /* "/tmp/x.o:(.text)" */
		const char *colon = memmem(t.at, t.len, ":(", 2);
		r->file = put_known(r, colon ? (struct text_slice){t.at,
			(size_t)(colon - t.at)} : t);
		return "segment";
	}
	if (slice_has(t, " = "))
		return "text";
	*vec_push(&r->m->symbols) = (struct linkmap_symbol){
		.address = number[0], .name = put_text(r->m, t), .file = r->file};
	return "public";
}

/* ---- all ---- */

/* A heading determines the kind of the lines below it. */
static bool
heading(struct linkmap_reader *r, struct text_slice t)
{
	struct text_slice line = slice_trim(t);
	uint16_t segment, offset;

	if (slice_has(line, "Publics by ")) {
		r->block = BLOCK_PUBLICS;
		if (r->m->form == LINKMAP_NONE)
			r->m->form = LINKMAP_DOS;
	} else if (slice_begins(line, "Line numbers for ")) {
		lines_begin(r, line);
	} else if (slice_begins(line, "Start") && slice_has(line, "Length") &&
		   slice_has(line, "Name")) {
		r->block = BLOCK_SEGMENTS;
	} else if (slice_begins(line, "Program entry point at ")) {
		r->block = BLOCK_OTHER;
		if (far_address(slice_trim(slice_skip(line, 23)), &segment, &offset)) {
			r->m->has_entry = true;
			r->m->entry = linear(segment, offset);
		}
	} else if (slice_begins(line, "Linker script and memory map")) {
		r->block = BLOCK_GNU;
		r->m->form = LINKMAP_GNU;
	} else if (slice_begins(line, "VMA") && slice_has(line, "LMA") &&
		   slice_has(line, "Symbol")) {
		r->block = BLOCK_LLD;
		r->m->form = LINKMAP_LLD;
	} else if (slice_begins(line, "Detailed map of segments") ||
		   slice_begins(line, "Origin ") || slice_begins(line, "Unresolved ") ||
		   slice_begins(line, "Exports") || slice_begins(line, "Cross Reference Table")) {
		r->block = BLOCK_OTHER;
	} else {
		return false;
	}
	return true;
}

static const char *
linkmap_map_line(struct linkmap_reader *r, struct text_slice t)
{
	if (heading(r, t))
		return slice_begins(slice_trim(t), "Program") ? "entry" : "heading";
	switch (r->block) {
	case BLOCK_SEGMENTS:
		return segment_line(r, t);
	case BLOCK_PUBLICS:
		return public_line(r, t);
	case BLOCK_LINES:
		return lines_line(r, t);
	case BLOCK_GNU:
		return gnu_line(r, t);
	case BLOCK_LLD:
		return lld_line(r, t);
	case BLOCK_OTHER:
		break;
	}
	return "text";
}

/* Compares by address, then name; needs the texts, so sorting carries the map along. */
static int
compare_symbols(const void *a, const void *b, void *map)
{
	const struct linkmap_symbol *x = a, *y = b;
	int names;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	names = strcmp(linkmap_str(map, x->name), linkmap_str(map, y->name));
	if (names)
		return names;
	return x->segment < y->segment ? -1 : x->segment > y->segment;
}

ORDERED_BY_TWO(compare_lines, struct linkmap_line, address, number)

static void
sort_all(struct linkmap *m)
{
	size_t kept = 0;

	if (m->symbols.n)
		qsort_r(m->symbols.at, m->symbols.n, sizeof *m->symbols.at, compare_symbols, m);
	for (size_t i = 0; i < m->symbols.n; i++)
		if (!kept || compare_symbols(&m->symbols.at[kept - 1], &m->symbols.at[i], m))
			m->symbols.at[kept++] = m->symbols.at[i];
	m->symbols.n = kept;
	vec_sort(&m->lines, compare_lines);
}

bool
linkmap_read(struct linkmap *m, struct input *in, linkmap_seen *seen, void *ctx, struct err *e)
{
	struct linkmap_reader r = {.m = m};
	bool more = true;

	*m = (struct linkmap){0};
	buf_addc(&m->text, '\0'); /* place 0 is the empty text */
	while (more) {
		uint64_t offset = input_offset(in);
		bool ended;
		struct text_slice t;
		t.at = input_line(in, &t.len, &ended);
		if (!t.at)
			break;
		for (size_t i = 0; i < t.len && more; i++)
			if (t.at[i] == '\x1A' || t.at[i] == '\0') {
				t.len = i;
				more = false;
			}
		const char *kind = linkmap_map_line(&r, t);
		if (seen && (t.len || more) && !seen(ctx, offset, kind, t.at, t.len))
			break;
		if (m->text.len >= TEXT_MAX)
			break;
	}
	map_release(&r.known);
	vec_release(&r.texts);
	sort_all(m);
	if (m->form == LINKMAP_NONE)
		return err_refuse(e, "not a linker map of MS LINK, TLINK, GNU ld or lld");
	return true;
}

void
linkmap_release(struct linkmap *m)
{
	vec_release_all(&m->symbols, &m->lines);
	buf_release(&m->text);
}

const struct linkmap_line *
linkmap_line_at(const struct linkmap *m, uint64_t address)
{
	size_t at = bisect(i, m->lines.n, m->lines.at[i].address < address);

	return at < m->lines.n && m->lines.at[at].address == address ? &m->lines.at[at] : NULL;
}

/* ---- the first bytes ---- */

/* The heading ` Start  Stop   Length Name   Class`, in one line. */
static bool
has_segments(struct text_slice head)
{
	const char *at = head.at, *end = head.at + head.len;

	while ((at = memmem(at, (size_t)(end - at), "Start", 5))) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		struct text_slice rest = {at, (size_t)((line ? line : end) - at)};
		if (slice_has(rest, "Length") && slice_has(rest, "Name") &&
		    slice_has(rest, "Class"))
			return true;
		at += 5;
	}
	return false;
}

int
linkmap_probe(const void *bytes, size_t len)
{
	const struct text_slice head = {bytes, len};

	if (slice_has(head, "Linker script and memory map") ||
	    slice_has(head, "Publics by Name") || slice_has(head, "Publics by Value"))
		return 85;
	if (slice_has(head, "VMA") && slice_has(head, "LMA") && slice_has(head, "Align Out"))
		return 85;
	if (has_segments(head))
		return 80;
	if (slice_has(head, "Memory Configuration") && slice_has(head, "Origin"))
		return 80;
	return linkmap_foreign(bytes, len) ? 60 : 0;
}

const char *
linkmap_foreign(const void *bytes, size_t len)
{
	const struct text_slice head = {bytes, len};

	if (slice_has(head, "WATCOM Linker") || slice_has(head, "Watcom Linker"))
		return "the Watcom linker";
	if (slice_has(head, "Rva+Base") && slice_has(head, "Lib:Object"))
		return "Microsoft's linker for Win32";
	return NULL;
}
