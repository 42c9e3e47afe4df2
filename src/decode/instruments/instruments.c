/* Instruments of macOS, "deep copy" of a call tree: lines of text with tabs between columns.
 *
 *	Weight          Self Weight     Symbol Names
 *	4.93 s  100.0%  0 s                start
 *	2.45 s  49.7%   846.00 ms           delta()
 *
 * Weights are inclusive, and rounded; the depth is the indentation of the name relative to the
 * first row.  The self cost of a function is its weight minus the weights of its children, at
 * least 0: if the children have more, because of rounding or otherwise, their weights count. */
#include "src/decode/decoder.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/rollup.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define COLUMNS_MAX 32u

enum measure { MEASURE_TIME, MEASURE_CYCLES, MEASURE_BYTES, MEASURE_CALLS, MEASURES };

struct instruments {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	unsigned weight_at, name_at, path_at, count_at; /* columns; COLUMNS_MAX: there is none */
	bool headed, has_first;
	size_t first_depth;
	int64_t step; /* the largest of the steps to which weights are rounded */
	struct rollup rows, counts; /* counts: values of the column Count for each row */
	track_id track;
	struct series *series[MEASURES];
};

static bool
is_one_of(struct text_cell c, const char *const *names)
{
	const char *at = skip_blanks(c.at, c.end), *end = c.end;

	end = drop_blanks(at, end);
	for (; *names; names++)
		if (is_key(at, (size_t)(end - at), *names))
			return true;
	return false;
}

static bool
head_parse(struct instruments *x, const char *at, const char *end)
{
	static const char *const weights[] = {"Weight", "Running Time", "Bytes Used", NULL};
	static const char *const names[] = {"Symbol Name", "Symbol Names", NULL};
	static const char *const paths[] = {"Source Path", NULL};
	static const char *const counts[] = {"Count", NULL};
	struct text_cell column[COLUMNS_MAX];
	unsigned n = cells_split(at, end, '\t', column, COLUMNS_MAX);

	x->weight_at = x->name_at = x->path_at = x->count_at = COLUMNS_MAX;
	for (unsigned i = 0; i < n; i++) {
		if (is_one_of(column[i], weights))
			x->weight_at = i;
		if (is_one_of(column[i], names))
			x->name_at = i;
		if (is_one_of(column[i], paths))
			x->path_at = i;
		if (is_one_of(column[i], counts))
			x->count_at = i;
	}
	return x->weight_at < COLUMNS_MAX && x->name_at < COLUMNS_MAX;
}

static int
instruments_probe(struct head head)
{
	struct instruments x = {0};
	const char *next = NULL, *at, *end;

	return head_line_filled(head, &next, &at, &end) && head_parse(&x, at, end) ? 95 : 0;
}

/* Parses `2.45 s  49.7%`, `713.0ms`, `12 Mc`, `532 cycles`, `3.2 KB` as ns, cycles or bytes. *step
 * is a difference of one in the last digit. */
static bool
weight_parse(const char *at, const char *end, int64_t *out, enum measure *measure, int64_t *step)
{
	static const struct {
		const char *unit;
		enum measure measure;
		int scale;     /* decimal */
		int64_t times; /* then this */
	} units[] = {
		{"ns", MEASURE_TIME, 0, 1},         {"us", MEASURE_TIME, 3, 1},
		{"\xC2\xB5s", MEASURE_TIME, 3, 1},  {"ms", MEASURE_TIME, 6, 1},
		{"s", MEASURE_TIME, 9, 1},          {"min", MEASURE_TIME, 9, 60},
		{"c", MEASURE_CYCLES, 0, 1},        {"Kc", MEASURE_CYCLES, 3, 1},
		{"Mc", MEASURE_CYCLES, 6, 1},       {"Gc", MEASURE_CYCLES, 9, 1},
		{"cycles", MEASURE_CYCLES, 0, 1},   {"cycle", MEASURE_CYCLES, 0, 1},
		{"\xCE\xBCs", MEASURE_TIME, 3, 1},  {"B", MEASURE_BYTES, 0, 1},
		{"Bytes", MEASURE_BYTES, 0, 1},     {"bytes", MEASURE_BYTES, 0, 1},
		{"Byte", MEASURE_BYTES, 0, 1},      {"byte", MEASURE_BYTES, 0, 1},
		{"KB", MEASURE_BYTES, 6, 1 << 10},  {"MB", MEASURE_BYTES, 6, 1 << 20},
		{"GB", MEASURE_BYTES, 6, 1 << 30},
	};
	const char *number, *unit;

	at = skip_blanks(at, end);
	for (number = at; number < end && (is_digit(*number) || *number == '.'); number++)
		;
	unit = skip_blanks(number, end);
	size_t len = (size_t)(word_end(unit, end) - unit);
	const char *point = memchr(at, '.', (size_t)(number - at));
	int decimals = point ? (int)(number - point) - 1 : 0;
	*measure = MEASURE_TIME;
	*step = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (!is_key(unit, len, units[i].unit))
			continue;
		*measure = units[i].measure;
		if (!decimal_scaled(at, (size_t)(number - at), units[i].scale, out) ||
		    __builtin_mul_overflow(*out, units[i].times, out))
			return false;
		if (!decimal_scaled("1", 1, units[i].scale - decimals, step) ||
		    __builtin_mul_overflow(*step, units[i].times, step))
			*step = INT64_MAX;
		if (units[i].measure == MEASURE_BYTES && units[i].scale) {
			*out = (*out + 500000) / 1000000;
			*step = (*step + 500000) / 1000000;
		}
		return true;
	}
	/* 0 may lack its unit */
	return number > at && decimal_scaled(at, (size_t)(number - at), 0, out) && !*out;
}

/* ---- rows ---- */

static struct series *
instruments_series_of(struct instruments *x, enum measure m)
{
	static const char *const names[] = {"time", "cycles", "bytes", "calls"};
	static const enum unit units[] = {UNIT_NS, UNIT_COUNT, UNIT_BYTES, UNIT_CALLS};

	if (!x->series[m]) {
		metric_id metric = builder_metric(x->b, names[m], units[m], ROLE_VALUE);
		bool first = !x->series[0] && !x->series[1] && !x->series[2];
		if (m == MEASURE_CALLS)
			builder_calls_metric(x->b, metric);
		else if (first)
			builder_default_metric(x->b, metric);
		x->series[m] = builder_totals(x->b, x->track, &metric, 1);
	}
	return x->series[m];
}

/* Closes all rows from `depth` on: all their children were read. */
static bool
close_rows(struct instruments *x, size_t depth)
{
	struct rollup_row r;

	while (rollup_close(&x->rows, depth, &r))
		if (r.self > 0 &&
		    !builder_total(x->b, instruments_series_of(x, (enum measure)r.kind),
				   r.stack, &r.self, r.offset, x->e))
			return false;
	while (rollup_close(&x->counts, depth, &r))
		if (r.self > 0 &&
		    !builder_total(x->b, instruments_series_of(x, MEASURE_CALLS), r.stack,
				   &r.self, r.offset, x->e))
			return false;
	return true;
}

/* Returns the count of a row, which includes all rows below it; `1,234` in groups.  Other texts
 * are not counts. */
static int64_t
count_of(struct instruments *x, const struct text_cell *column, unsigned n)
{
	if (x->count_at >= n)
		return 0;
	const char *at = skip_blanks(column[x->count_at].at, column[x->count_at].end);
	const char *end = word_end(at, column[x->count_at].end);
	int64_t count = 0;
	for (const char *c = at; c < end; c++)
		if (*c != ',' && (!is_digit(*c) || __builtin_mul_overflow(count, 10, &count) ||
				  __builtin_add_overflow(count, *c - '0', &count)))
			return 0;
	return count;
}

/* Returns false if the line is not a row, without damage in *x->e.  The rows below such a line
 * have no parent and are ignored, too: their cost stays with the row above it. */
static bool
instruments_row(struct instruments *x, const char *at, const char *end)
{
	struct text_cell column[COLUMNS_MAX];
	unsigned n = cells_split(at, end, '\t', column, COLUMNS_MAX);
	struct function f = {0};
	enum measure measure;
	int64_t weight, step;

	if (n <= x->name_at || n <= x->weight_at)
		return false;
	const char *name = column[x->name_at].at, *name_end = end;
	while (name < name_end && *name == ' ')
		name++;
	size_t depth = (size_t)(name - column[x->name_at].at);
	if (!x->has_first)
		x->first_depth = depth;
	x->has_first = true;
	if (depth < x->first_depth || (depth -= x->first_depth) > x->rows.open.n ||
	    depth >= STACK_DEPTH_MAX || name == name_end || !close_rows(x, depth) ||
	    !weight_parse(column[x->weight_at].at, column[x->weight_at].end, &weight, &measure,
			  &step))
		return false;
	x->step = step > x->step ? step : x->step;
	f.name = builder_name(x->b, name, (size_t)(name_end - name));
	f.kind = (uint8_t)kind_of_name(name, (size_t)(name_end - name));
	if (x->path_at < n)
		f.file = builder_name(x->b, column[x->path_at].at,
				      (size_t)(column[x->path_at].end - column[x->path_at].at));
	frame_id frame = builder_frame_of(x->b, f, 0);
	if (!rollup_open(&x->rows, x->b, &frame, weight, measure, x->offset) ||
	    !rollup_open(&x->counts, x->b, &frame, count_of(x, column, n), 0, x->offset))
		return err_damage(x->e, x->offset, "the sum of the values exceeds 2^63");
	builder_track_event(x->b, x->track);
	return true;
}

static bool
instruments_line(void *state, const char *at, const char *end)
{
	struct instruments *x = state;

	if (skip_blanks(at, end) == end)
		return true;
	if (x->headed)
		return instruments_row(x, at, end);
	x->headed = head_parse(x, at, end);
	return x->headed ||
	       err_refuse(x->e, "not a copy from Instruments: no columns of weights and names");
}

/* The name may be any text. A copied text often lacks its last line end, so it counts. */
static enum last_line
instruments_last_line(const char *at, const char *end)
{
	return skip_blanks(at, end) == end ? LAST_CLOSED : LAST_NUMBER;
}

static bool
instruments_decode(struct input *in, struct builder *b, struct err *e)
{
	struct instruments x = {.b = b, .e = e};

	x.track = builder_main(b);
	bool good = text_lines(in, b, e, &x.offset, instruments_last_line, instruments_line, &x);
	good = close_rows(&x, 0) && good;
	if (x.rows.gap > x.step)
		builder_warn(b, "children have more than their callers, not only by rounding: "
				"they are kept");
	rollup_release(&x.rows);
	rollup_release(&x.counts);
	return good;
}

const struct decoder decoder_instruments = {
	.name = "instruments",
	.title = "Instruments of macOS: a call tree, copied with Deep Copy",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = instruments_probe,
	.decode = instruments_decode,
};
