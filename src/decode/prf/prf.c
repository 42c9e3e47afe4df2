#include "model/base/chars.h"
#include "src/decode/decoder.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"
#include "model/base/wide.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slice.h"
#include "src/decode/common/words.h"
#include "src/decode/prf/linkmap.h"

/* The report of profile(1), "OUTPUT LISTING FORMAT":
 *
 *	Function name                    Addr    Total     Disp     User
 *
 *	_fclose                         41b1c     0.32    50.00    50.00
 *	...
 *	Statistics based on 309 hits
 *
 * Names may contain blanks, so a row is parsed from its right end: four fields, and the rest is
 * the name. Rows of dots are elisions. A report has the percentage of N hits for each function,
 * and N in its last line, so rows are kept until that is read; the hits are N * Total / 100,
 * half rounded up (pnav-formats(7)). The columns Disp and User are recomputed for display from
 * the hits and the kind of a function.
 *
 * Most reports omit the functions that took most of the time: system areas without -d,
 * intrinsic functions without -i. The hits that are missing to N form another row, `[not
 * listed]`, if rounding cannot explain them, so that shares are shares of all hits.
 *
 * A report that ends before its last line has percentages of an unknown number. Its rows are
 * then counted in hundredths of a percent, which keeps all proportions.
 *
 * A linker map of the same name, or --map, lists the rest of the program. The load base is the
 * one on which most rows agree: Addr = base + 16 * segment + offset. */

#define NO_HITS 10000u /* hits assumed when the last line is missing */
#define NOT_LISTED "[not listed]"
#define ROUNDING 20000 /* a row is rounded by at most N / ROUNDING: 0.005 % */

struct prf_row {
	name_id name;
	uint64_t address;
	uint32_t scale; /* percent = percent / scale */
	int64_t percent;
	uint64_t offset;
};

struct prf {
	struct builder *b;
	struct input *in;
	VEC(struct prf_row) rows;
	bool heading, last;
	int64_t hits;
	unsigned elisions;
	struct linkmap map;
	bool has_map, has_base;
	uint64_t base;
};

/* ---- rows ---- */

/* Takes the last word off a line. */
static struct text_slice
take_last(struct text_slice *line)
{
	size_t end = slice_bare(*line).len;

	for (line->len = end; line->len && !is_blank(line->at[line->len - 1]);)
		line->len--;
	return slice_of(line->at + line->len, end - line->len);
}

/* "0.32", "12", ".5", and "0/30" for 0.30, as in the manual page. */
static bool
percent_of(struct text_slice f, int64_t *value, uint32_t *scale, bool *slash)
{
	int64_t v = 0;
	uint32_t s = 0;
	size_t digits = 0;

	for (size_t i = 0; i < f.len; i++) {
		char c = f.at[i];
		if ((c == '.' || c == '/') && !s) {
			s = 1;
			*slash |= c == '/';
			continue;
		}
		if (c < '0' || c > '9' || ++digits > 12 || s > 100000)
			return false;
		v = v * 10 + (c - '0');
		s *= 10;
	}
	*value = v;
	*scale = s ? s : 1;
	return digits > 0 && s != 1;
}

static bool
address_of(struct text_slice f, uint64_t *out)
{
	uint64_t v;

	if (f.len > 2 && f.at[0] == '0' && (f.at[1] | 0x20) == 'x')
		f.at += 2, f.len -= 2;
	if (!f.len || f.len > 16 || hex_digits(f.at, f.at + f.len, &v) != f.at + f.len)
		return false;
	*out = v;
	return true;
}

enum row_kind { ROW_BAD, ROW_FUNCTION, ROW_ELISION };

static enum row_kind
row_parse(struct text_slice line, struct prf_row *row, struct text_slice *name, bool *slash)
{
	struct text_slice user = take_last(&line), disp = take_last(&line);
	struct text_slice total = take_last(&line), address = take_last(&line);
	int64_t v;
	uint32_t s;

	if (slice_is(user, "...") && slice_is(disp, "...") && slice_is(total, "..."))
		return ROW_ELISION;
	if (!percent_of(user, &v, &s, slash) || !percent_of(disp, &v, &s, slash) ||
	    !percent_of(total, &row->percent, &row->scale, slash) ||
	    !address_of(address, &row->address))
		return ROW_BAD;
	*name = slice_trim(line);
	return name->len ? ROW_FUNCTION : ROW_BAD;
}

/* "Function name    Addr   Total   Disp   User" */
static bool
is_heading(struct text_slice f)
{
	return slice_begins(f, "Function name") && memmem(f.at, f.len, "Addr", 4) &&
	       memmem(f.at, f.len, "Total", 5);
}

/* "Statistics based on 309 hits" */
static bool
last_line(struct text_slice f, int64_t *hits)
{
	static const char words[] = "Statistics based on ";
	size_t i = sizeof words - 1;
	int64_t v = 0;

	if (!slice_begins(f, words))
		return false;
	for (; i < f.len && isdigit((unsigned char)f.at[i]); i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, f.at[i] - '0', &v))
			return false;
	*hits = v;
	return i > sizeof words - 1 && f.len - i >= 5 && !memcmp(f.at + i, " hits", 5);
}

static bool
report_line(struct prf *x, struct text_slice f, uint64_t offset, bool ended, struct err *e)
{
	struct prf_row row = {.offset = offset};
	struct text_slice name;
	bool slash = false;

	if (!x->heading && is_heading(f)) {
		x->heading = true;
		return true;
	}
	if (last_line(f, &x->hits)) {
		x->last = true;
		return true;
	}
	if (!x->heading || x->last) { /* with -$ the report has more rows */
		builder_info_bytes(x->b, "text", f.at, f.len);
		return true;
	}
	switch (row_parse(f, &row, &name, &slash)) {
	case ROW_BAD:
		return err_damage(e, offset, "a row of the report cannot be read%s",
				  ended ? "" : ": it is truncated");
	case ROW_ELISION:
		x->elisions++;
		return true;
	case ROW_FUNCTION:
		break;
	}
	if (slash)
		builder_warn(x->b, "a percentage with `/` is read as if it were `.`, at byte %llu",
			     (unsigned long long)offset);
	row.name = builder_name(x->b, name.at, name.len);
	*vec_push(&x->rows) = row;
	return true;
}

static bool
report_read(struct prf *x, struct err *e)
{
	for (;;) {
		uint64_t offset = input_offset(x->in);
		struct text_slice f;
		bool ended;
		f.at = input_line(x->in, &f.len, &ended);
		if (!f.at)
			break;
		if (f.len && (f.at[0] == '\x1A' || f.at[0] == '\0'))
			break; /* the end of a DOS text file */
		while (f.len && (f.at[f.len - 1] == '\r' || is_blank(f.at[f.len - 1])))
			f.len--;
		if (f.len && !report_line(x, f, offset, ended, e))
			return false;
	}
	if (!x->last)
		return err_damage(e, input_offset(x->in),
				  "the report ends before its last line, "
				  "`Statistics based on N hits`");
	return true;
}

/* ---- the map ---- */

static bool
map_open(struct prf *x, struct err *e)
{
	const char *path = input_option(x->in, "map");
	struct err ignored = {0};
	struct input *in = path ? input_open(path, &ignored)
				: input_open_beside(x->in, "MAP", false);

	if (!in)
		return !path || err_refuse(e, "%s: %s", path, ignored.text);
	x->has_map = linkmap_read(&x->map, in, NULL, NULL, &ignored);
	if (x->has_map && !x->map.symbols.n)
		builder_warn(x->b,
			     "the map %s has no public symbols: it was made without /MAP "
			     "(MS LINK) or /m (TLINK)",
			     input_name(in));
	if (!x->has_map && path)
		err_refuse(e, "%s: %s", path, ignored.text);
	else if (!x->has_map)
		builder_warn(x->b, "%s: %s", input_name(in), ignored.text);
	else
		builder_info_bytes(x->b, "map", input_name(in), strlen(input_name(in)));
	input_close(in);
	return x->has_map || !path;
}

ORDERED_NUMBERS(compare_u64, uint64_t)

/* Returns true if the load base puts a symbol of the row's name at the row's address.  Static
 * functions of several files may share a name: one of them suffices. */
static bool
is_mapped_at(const struct prf *x, const struct prf_row *row)
{
	struct name name = builder_name_get(x->b, row->name);
	uint64_t address = row->address - x->base;
	size_t n = x->map.symbols.n;

	for (size_t at = bisect(i, n, x->map.symbols.at[i].address < address);
	     at < n && x->map.symbols.at[at].address == address; at++) {
		const struct linkmap_symbol *s = &x->map.symbols.at[at];
		if (s->name.len == name.len &&
		    !memcmp(linkmap_str(&x->map, s->name), name.at, name.len))
			return true;
	}
	return false;
}

/* Every row whose name is in the map votes for a load base. */
static void
find_base(struct prf *x)
{
	struct idmap names = {0}; /* name -> symbol */
	VEC(uint64_t) votes = VEC_INIT;
	size_t best = 0, moved = 0;

	for (size_t i = 0; i < x->map.symbols.n; i++) {
		const struct linkmap_symbol *s = &x->map.symbols.at[i];
		name_id id = builder_name(x->b, linkmap_str(&x->map, s->name), s->name.len);
		if (!(s->flags & LINKMAP_IMPORT))
			idmap_put(&names, id, (uint32_t)i);
	}
	for (size_t i = 0; i < x->rows.n; i++) {
		uint32_t k = idmap_get(&names, x->rows.at[i].name);
		if (k != IDMAP_NONE)
			*vec_push(&votes) = (uint64_t)x->rows.at[i].address -
					    x->map.symbols.at[k].address;
	}
	vec_sort(&votes, compare_u64);
	for (size_t i = 0, n = 0; i < votes.n; i++) {
		n = i && votes.at[i] == votes.at[i - 1] ? n + 1 : 1;
		if (n > best) {
			best = n;
			x->base = votes.at[i];
		}
	}
	x->has_base = best > 0;
	if (best)
		builder_info(x->b, "load base", "0x%llx", (unsigned long long)x->base);
	for (size_t i = 0; i < x->rows.n; i++)
		moved += idmap_get(&names, x->rows.at[i].name) != IDMAP_NONE &&
			 !is_mapped_at(x, &x->rows.at[i]);
	if (moved)
		builder_warn(
			x->b,
			"%zu of %zu functions are not where the map has them: it is out of date",
			moved, votes.n);
	vec_release(&votes);
	idmap_release(&names);
}

/* ---- the profile ---- */

static bool
is_system_area(struct name n, uint64_t address)
{
	/* profile(1), "INTERNAL FUNCTIONING"; the profiler itself may be anywhere */
	static const struct {
		const char *name;
		uint32_t from;
	} areas[] = {
		{"Low Mem", 0},          {"DOS", 0x400},
		{"EGA BIOS", 0xC0000},   {"Fixed Disk BIOS", 0xC8000},
		{"System ROM", 0xF0000}, {"System BIOS", 0xFE000},
	};

	for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
		if (!strcmp(n.at, areas[i].name) && address == areas[i].from)
			return true;
	/* profile(1) on Linux: names in brackets, such as [libc.so.6], are not functions */
	if (n.len > 2 && n.at[0] == '[' && n.at[n.len - 1] == ']')
		return true;
	return !strcmp(n.at, "Profiler");
}

static frame_id
prf_frame_of(struct prf *x, name_id id, uint64_t address)
{
	struct name n = builder_name_get(x->b, id);
	struct function f = {.name = id, .kind = (uint8_t)kind_of_dos_name(n.at, n.len)};
	struct line line = line_unknown();

	if (is_system_area(n, address)) {
		f.kind = KIND_SYSTEM;
	} else if (x->has_base) {
		const struct linkmap_line *l = linkmap_line_at(&x->map, address - x->base);
		if (l) {
			f.file = builder_name(x->b, linkmap_str(&x->map, l->file), l->file.len);
			f.line = l->number;
			line = line_plain(l->number);
		}
	}
	return builder_frame_begin(x->b, builder_frame(x->b, builder_function(x->b, f), line),
				   address);
}

/* N * percent / 100, half rounded up, in 128 bits. */
static int64_t
hits_of(const struct prf *x, const struct prf_row *row)
{
	wide n = wide_mul(wide_of(x->hits), wide_of(row->percent));
	wide d = wide_mul(wide_of(100), wide_of_unsigned(row->scale));

	return wide_clipped(wide_div(wide_add(wide_add(n, n), d), wide_add(d, d)));
}

static bool
add_hits(struct prf *x, struct series *s, frame_id frame, int64_t hits, uint64_t offset,
	 struct err *e)
{
	return builder_total(x->b, s, builder_child(x->b, STACK_EMPTY, frame), &hits, offset, e);
}

/* Adds the hits that the rows lack, if rounding does not explain them. */
static bool
add_not_listed(struct prf *x, struct series *s, int64_t listed, struct err *e)
{
	struct function f = {
		.name = builder_name(x->b, NOT_LISTED, strlen(NOT_LISTED)),
		.kind = KIND_SYSTEM,
		.last = true,
	};
	int64_t rest;

	if (__builtin_sub_overflow(x->hits, listed, &rest) || rest <= 0 ||
	    wide_cmp(wide_mul(wide_of(rest), wide_of(ROUNDING)),
		     wide_mul(wide_of(x->hits), wide_of_unsigned(x->rows.n))) <= 0)
		return true;
	return add_hits(x, s, builder_frame_of(x->b, f, 0),
			rest, 0, e);
}

/* -0 lists the functions of the map that no clock tick hit, including constants (`FIARQQ`), as
 * in the manual page.  Imports have no address. */
static bool
add_publics(struct prf *x, struct series *s, struct err *e)
{
	struct idmap seen = {0};
	bool good = true;

	for (size_t i = 0; i < x->rows.n; i++)
		idmap_put(&seen, x->rows.at[i].name, 0);
	for (size_t i = 0; good && i < x->map.symbols.n; i++) {
		const struct linkmap_symbol *m = &x->map.symbols.at[i];
		name_id id = builder_name(x->b, linkmap_str(&x->map, m->name), m->name.len);
		if (m->flags & LINKMAP_IMPORT || idmap_get(&seen, id) != IDMAP_NONE)
			continue;
		good = add_hits(x, s, prf_frame_of(x, id, x->base + m->address), 0, 0, e);
	}
	idmap_release(&seen);
	return good;
}

static bool
prf_build(struct prf *x, struct err *e)
{
	metric_id samples = builder_metric(x->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	track_id track = builder_main(x->b);
	struct series *s = builder_totals(x->b, track, &samples, 1);
	int64_t listed = 0;
	bool good = true;

	builder_default_metric(x->b, samples);
	if (!x->last) {
		x->hits = NO_HITS;
		builder_info(x->b, "assumed",
			     "%u hits, so that one is 0.01 %%: the line that states their number "
			     "is missing",
			     NO_HITS);
	} else {
		builder_info(x->b, "hits", "%lld", (long long)x->hits);
	}
	if (x->elisions)
		builder_info(x->b, "elisions", "%u", x->elisions);
	for (size_t i = 0; good && i < x->rows.n; i++) {
		const struct prf_row *row = &x->rows.at[i];
		int64_t hits = hits_of(x, row);
		builder_track_event(x->b, track);
		good = add_hits(x, s, prf_frame_of(x, row->name, row->address), hits,
				row->offset, e);
		if (__builtin_add_overflow(listed, hits, &listed))
			listed = INT64_MAX;
	}
	if (good && x->last)
		good = add_not_listed(x, s, listed, e);
	if (good && x->has_map && input_option(x->in, "zero"))
		good = add_publics(x, s, e);
	return good;
}

static bool
prf_decode(struct input *in, struct builder *b, struct err *e)
{
	struct prf x = {.b = b, .in = in};
	bool good;

	builder_charset_cp437(b);
	good = map_open(&x, e);
	if (good) {
		good = report_read(&x, e);
		if (x.has_map)
			find_base(&x);
		good &= prf_build(&x, e);
	}
	linkmap_release(&x.map);
	vec_release(&x.rows);
	return good;
}

static bool
prf_dump(struct input *in, struct dump *d, struct err *e UNUSED)
{
	struct buf scratch = BUF_INIT;
	bool good = true;

	d->cp437 = true;
	while (good) {
		uint64_t offset = input_offset(in);
		struct prf_row row = {0};
		struct text_slice f, name;
		bool ended, slash = false;
		int64_t hits;
		f.at = input_line(in, &f.len, &ended);
		if (!f.at)
			break;
		if (last_line(f, &hits))
			good = dump_record(d, offset, "hits %lld", (long long)hits);
		else if (!is_heading(f) && row_parse(f, &row, &name, &slash) == ROW_FUNCTION)
			good = dump_record(d, offset, "function %s addr %" PRIx64 " total %lld/%u",
					   dump_bytes(d, &scratch, name.at, name.len), row.address,
					   (long long)row.percent, (unsigned)row.scale);
		else
			good = dump_record(d, offset, "text %s",
					   dump_bytes(d, &scratch, f.at, f.len));
	}
	buf_release(&scratch);
	return good;
}

/* Sure if the heading is there, whatever precedes it. */
static int
prf_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	for (int lines = 0; lines < 50 && head_line(head, &next, &at, &end); lines++)
		if (is_heading(slice_of(at, (size_t)(end - at))))
			return lines ? 80 : 95;
	return 0;
}

static const struct option_row prf_options[] = {
	{"map", "FILE", "prf: the linker map", .kind = OPTION_TEXT, .is_file = true},
	{"zero", .help = "list functions without hits too"},
	{0},
};

const struct decoder decoder_prf = {
	.name = "prf",
	.title = "report of profile(1) for MS-DOS",
	.manual = "profile(1)",
	.made_of = MADE_TEXT,
	.options = prf_options,
	.probe = prf_probe,
	.decode = prf_decode,
	.dump = prf_dump,
};
