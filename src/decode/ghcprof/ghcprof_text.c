#include "src/decode/ghcprof/ghcprof.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/wide.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

/* The report for people:
 *
 *	total time  =        0.15 secs   (154 ticks @ 1000 us, 1 processor)
 *	total alloc = 277,512,336 bytes  (excludes profiling overheads)
 *	...
 *	COST CENTRE  MODULE  SRC             no.   entries  %time %alloc   %time %alloc  ticks bytes
 *	MAIN         MAIN    <built-in>      149         0    0.0    0.0   100.0  100.0      0   832
 *	 main        Main    Main.hs:17:1-26 298         1    ...
 *
 * The second table is the tree; the indentation is the depth.  Its numbers are read from the
 * right; the inherited shares of a row are its own and those of the rows below it, so a cut tree
 * shows. Module and source are found by the columns of the table's head.  Columns count
 * characters, not bytes: GHC pads names in UTF-8 by characters (rts/ProfilerReport.c). */

#define NUMBERS_MAX 8u

/* A row whose children are being read. */
struct ghc_open {
	int64_t left[2]; /* of time and memory, in tenths of a per cent: inherited by no row yet */
	unsigned children;
};

struct ghc_text {
	struct ghc_out *o;
	int64_t ticks, interval_us, alloc;
	/* Columns of the tree's head; 0: the table has no column of sources */
	size_t module_at, place_at;
	bool in_tree, exact, individual;
	VEC(stack_id) path;
	VEC(struct ghc_open) open; /* [depth] of the path */
	uint64_t rows, offset;
};

/* `277,512,336` */
static bool
grouped(const char *at, const char *end, int64_t *out)
{
	int64_t n = 0;
	bool any = false;

	for (; at < end && (is_digit(*at) || *at == ','); at++) {
		if (*at == ',')
			continue;
		any = true;
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *at - '0', &n))
			return false;
	}
	*out = n;
	return any;
}

static void
total_line(struct ghc_text *g, const char *at, const char *end)
{
	const char *open = memchr(at, '(', (size_t)(end - at)), *equals, *us;

	if (begins_with(at, end, "total time") && open) {
		grouped(open + 1, end, &g->ticks);
		us = text_find(open, end, "@ ");
		if (us && !number_parse(us + 2, word_end(us + 2, end), &g->interval_us))
			g->interval_us = 1000;
		builder_info(g->o->b, "ticks", "%" PRId64 ", each %" PRId64 " us", g->ticks,
			     g->interval_us);
	} else if (begins_with(at, end, "total alloc")) {
		equals = memchr(at, '=', (size_t)(end - at));
		if (equals && grouped(skip_blanks(equals + 1, end), end, &g->alloc))
			builder_info(g->o->b, "alloc", "%" PRId64 " bytes", g->alloc);
	}
}

/* Reads `COST CENTRE MODULE SRC no. entries ...` and notes where columns begin. */
static void
tree_head(struct ghc_text *g, const char *at, const char *end)
{
	const char *module = text_find(at, end, " MODULE"), *place = text_find(at, end, " SRC");

	if (!module || !text_find(at, end, " no."))
		return;
	g->module_at = (size_t)(module + 1 - at);
	g->place_at = place ? (size_t)(place + 1 - at) : 0;
	g->exact = text_find(at, end, " ticks") != NULL;
	g->in_tree = true;
	if (!g->exact)
		builder_info(g->o->b, "assumed", "ticks and bytes from rounded percentages");
}

/* Finds the last n words of a row, in order; returns where they begin, or NULL. */
static const char *
last_words(const char *at, const char *end, const char **word, const char **stop, unsigned n)
{
	while (n--) {
		end = drop_blanks(at, end);
		stop[n] = end;
		while (end > at && !is_blank(end[-1]))
			end--;
		word[n] = end;
		if (stop[n] == end)
			return NULL;
	}
	return end;
}

static int64_t
part_of(int64_t whole, const char *at, const char *end)
{
	int64_t per_mille;

	if (!decimal_scaled(at, (size_t)(end - at), 1, &per_mille) || per_mille < 0)
		return 0;
	wide product = wide_mul(wide_of(whole), wide_of(per_mille));
	return wide_clipped(wide_div(wide_add(product, wide_of(500)), wide_of(1000)));
}

/* Notes a row's own and inherited shares of time and memory, and takes them from its parent. */
static void
open_row(struct ghc_text *g, size_t depth, const char **word, const char **stop)
{
	struct ghc_open row = {0};

	g->open.n = depth;
	for (unsigned i = 0; i < 2; i++) {
		int64_t own, all;
		if (!decimal_scaled(word[2 + i], (size_t)(stop[2 + i] - word[2 + i]), 1, &own) ||
		    !decimal_scaled(word[4 + i], (size_t)(stop[4 + i] - word[4 + i]), 1, &all))
			own = all = 0;
		row.left[i] = all - own;
		if (depth)
			g->open.at[depth - 1].left[i] -= all;
	}
	if (depth)
		g->open.at[depth - 1].children++;
	*vec_push(&g->open) = row;
}

/* Returns true if a row has more than those below it. Each share is rounded by half a tenth. */
static bool
lacks_rows(const struct ghc_text *g)
{
	for (size_t i = 0; i < g->open.n; i++) {
		const struct ghc_open *row = &g->open.at[i];
		int64_t rounding = (row->children + 3) / 2;
		if (row->left[0] > rounding || row->left[1] > rounding)
			return true;
	}
	return g->in_tree && !g->rows;
}

/* Returns where a column, which counts characters, begins in a line of UTF-8; the end of a
 * shorter line. */
static const char *
column(const char *at, const char *end, size_t chars)
{
	for (; at < end; at++)
		if (((uint8_t)*at & 0xC0) != 0x80 && !chars--)
			break;
	return at;
}

static bool
ghcprof_row(struct ghc_text *g, const char *line, const char *end)
{
	const char *word[NUMBERS_MAX], *stop[NUMBERS_MAX], *names_end, *at = line;
	unsigned n = g->exact ? 8 : 6;
	int64_t value[GHC_METRICS] = {0}, ticks;

	names_end = last_words(line, end, word, stop, n);
	while (at < end && *at == ' ')
		at++;
	size_t depth = (size_t)(at - line);
	if (!names_end || depth > g->path.n || depth >= GHC_DEPTH_MAX ||
	    column(line, end, g->module_at) >= names_end ||
	    !number_parse(word[1], stop[1], &value[2]))
		return false;
	if (g->exact ? !number_parse(word[6], stop[6], &ticks) ||
			       !number_parse(word[7], stop[7], &value[1])
		     : (ticks = part_of(g->ticks, word[2], stop[2]),
			value[1] = part_of(g->alloc, word[3], stop[3]), false))
		return false;
	if (__builtin_mul_overflow(ticks, g->interval_us, &value[0]) ||
	    __builtin_mul_overflow(value[0], 1000, &value[0]))
		return err_damage(g->o->e, g->offset, "the sum of the values exceeds 2^63");
	const char *module = column(line, end, g->module_at), *place = names_end;
	if (g->place_at && column(line, end, g->place_at) < names_end)
		place = column(line, end, g->place_at);
	const char *label_end = module, *module_end = place, *place_end = names_end;
	label_end = drop_blanks(at, label_end);
	module_end = drop_blanks(module, module_end);
	place_end = drop_blanks(place, place_end);
	if (label_end < at)
		label_end = at;
	frame_id frame = ghc_frame(g->o, at, (size_t)(label_end - at), module,
				   (size_t)(module_end - module), place,
				   (size_t)(place_end - place));
	stack_id above = depth ? g->path.at[depth - 1] : STACK_EMPTY;
	g->path.n = depth;
	open_row(g, depth, word, stop);
	*vec_push(&g->path) = above == STACK_NONE ? STACK_NONE
						  : builder_child(g->o->b, above, frame);
	g->rows++;
	return ghc_node(g->o, g->path.at[depth], value, g->offset);
}

static bool
ghcprof_line(void *state, const char *at, const char *end)
{
	struct ghc_text *g = state;
	const char *text = skip_blanks(at, end);

	if (text == end)
		return true;
	if (g->in_tree)
		return ghcprof_row(g, at, end);
	if (begins_with(text, end, "total "))
		total_line(g, text, end);
	else if (text_find(text, end, "individual"))
		g->individual = true;
	else if (g->individual && begins_with(at, end, "COST CENTRE"))
		tree_head(g, at, end);
	return true;
}

/* A row ends with six numbers at least. */
static enum last_line
ghcprof_last_line(const char *at, const char *end)
{
	const char *word[6], *stop[6];

	if (!last_words(at, end, word, stop, 6))
		return last_line_open(at, end);
	for (unsigned i = 0; i < 6; i++)
		for (const char *c = word[i]; c < stop[i]; c++)
			if (!is_digit(*c) && *c != '.')
				return LAST_OPEN;
	return LAST_NUMBER;
}

bool
ghc_read_text(struct ghc_out *o, struct input *in)
{
	struct ghc_text g = {.o = o, .interval_us = 1000};

	ghc_begin(o);
	bool good = text_lines(in, o->b, o->e, &g.offset, ghcprof_last_line, ghcprof_line, &g);
	if (good && !g.in_tree && !input_stopped(in))
		good = err_damage(o->e, input_offset(in), "the report ends before its tree");
	if (good && lacks_rows(&g) && !input_stopped(in))
		good = err_damage(o->e, g.offset, "the report ends within its tree");
	vec_release_all(&g.path, &g.open);
	return good;
}
