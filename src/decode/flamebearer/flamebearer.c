/* flamebearer: the JSON of Pyroscope's and Grafana's flame graphs.
 *
 *	{"flamebearer": {"names": ["total", "main", "work"],
 *	                 "levels": [[0, 9, 0, 0], [0, 9, 2, 1], [0, 7, 7, 2]],
 *	                 "numTicks": 9},
 *	 "metadata": {"format": "single", "units": "samples", "sampleRate": 100}}
 *
 * A level is blocks of four numbers: the gap behind the block before, total, self, name. A block's
 * parent is the one above in whose extent it begins. Of two profiles (format double) blocks have
 * seven: gap, total, self of the left one, then of the right one, and the name. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/decode/common/json_read.h"
#include "src/decode/common/words.h"

struct bearer_level {
	size_t first;    /* in `number` */
	uint64_t offset; /* in the file */
};

struct bearer_block {
	int64_t start, end;
	stack_id stack;
};

struct flamebearer {
	struct builder *b;
	struct err *e;
	VEC(name_id) name;
	VEC(int64_t) number;
	VEC(struct bearer_level) level;
	name_id format, units;
	int64_t rate; /* samples a second */
	metric_id metric[2];
	unsigned n_metrics, n_sides;
	struct series *side[2];
	track_id track[2];
	uint64_t nameless;
};

/* ---- reading ---- */

static bool
numbers_take(struct rows_json *r UNUSED, void *bearer, const int64_t *v, size_t n)
{
	struct flamebearer *f = bearer;

	vec_reserve(&f->number, f->number.n + n);
	for (size_t i = 0; i < n; i++)
		f->number.at[f->number.n++] = v[i] < 0 ? 0 : v[i];
	return true;
}

static bool
levels_read(struct rows_json *r, void *bearer, const struct json_token *t)
{
	static const struct json_row row = {"", ROW_COLUMN(numbers_take)};
	struct flamebearer *f = bearer;
	struct json_token level;

	if (t->kind != JSON_ARRAY)
		return json_skip(&r->j, t);
	f->level.n = f->number.n = 0;
	while (json_next(&r->j, &level) && level.kind != JSON_ARRAY_END) {
		*vec_push(&f->level) = (struct bearer_level){f->number.n, level.offset};
		if (!rows_json_value(r, &row, f, &level))
			return false;
	}
	return !r->j.failed;
}

static const struct json_row bearer_rows[] = {
	{"names", ROW_EACH_IN(struct flamebearer, name, json_name_push)},
	{"levels", ROW_INSIDE(levels_read)},
	{0},
};
static const struct json_row metadata_rows[] = {
	{"format", ROW_NAME(struct flamebearer, format)},
	{"units", ROW_NAME(struct flamebearer, units)},
	{"sampleRate", ROW_NUMBER(struct flamebearer, rate)},
	{"spyName", ROW_FACT("profiler")},
	{"name", ROW_FACT("profile")},
	{0},
};
static const struct json_row document_rows[] = {
	{"flamebearer", ROW_HERE(bearer_rows)},
	{"metadata", ROW_HERE(metadata_rows)},
	{0},
};

/* ---- blocks ---- */

static void
bearer_metrics(struct flamebearer *f)
{
	static const struct {
		const char *units, *metric;
		enum unit unit;
	} of[] = {
		{"samples", "samples", UNIT_SAMPLES},     {"bytes", "bytes", UNIT_BYTES},
		{"lock_nanoseconds", "lock", UNIT_NS},     {"objects", "objects", UNIT_COUNT},
		{"goroutines", "goroutines", UNIT_COUNT}, {"exceptions", "exceptions", UNIT_COUNT},
		{"trace_samples", "trace_samples", UNIT_COUNT},
	};
	struct name units = builder_name_get(f->b, f->units);

	for (size_t i = 0; i < sizeof of / sizeof *of && !f->n_metrics; i++)
		if (name_is(units, of[i].units))
			f->metric[f->n_metrics++] =
				builder_metric(f->b, of[i].metric, of[i].unit, ROLE_VALUE);
	if (!f->n_metrics)
		f->metric[f->n_metrics++] =
			builder_metric(f->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	if (f->rate > 0 && name_is(units, "samples"))
		f->metric[f->n_metrics++] = builder_metric(f->b, "time", UNIT_NS, ROLE_VALUE);
	builder_default_metric(f->b, f->metric[0]);
}

static void
bearer_tracks(struct flamebearer *f)
{
	static const char *const sides[] = {"left", "right"};

	for (unsigned i = 0; i < f->n_sides; i++) {
		f->track[i] = f->n_sides == 1 ? builder_main(f->b)
					      : builder_track(f->b, sides[i], strlen(sides[i]),
							      TRACK_THREAD);
		f->side[i] = builder_totals(f->b, f->track[i], f->metric, f->n_metrics);
	}
}

/* Adds what a block has itself on one side. */
static bool
block_put(struct flamebearer *f, unsigned side, stack_id stack, int64_t self, uint64_t offset)
{
	int64_t value[2] = {self, 0};

	if (f->n_metrics == 2) {
		int64_t second = 1000000000, rest = self % f->rate;
		if (__builtin_mul_overflow(self / f->rate, second, &value[1]))
			return err_damage(f->e, offset, "a value exceeds 2^63");
		bool fits = rest <= INT64_MAX / second;
		value[1] += fits ? (rest * second + f->rate / 2) / f->rate : 0;
	}
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(f->b, 1);
	builder_track_event(f->b, f->track[side]);
	return builder_total(f->b, f->side[side], stack, value, offset, f->e);
}

static stack_id
block_stack(struct flamebearer *f, stack_id parent, int64_t number, bool top)
{
	bool known = number >= 0 && (uint64_t)number < f->name.n;
	name_id name = known ? f->name.at[number] : builder_name(f->b, "[unknown]", 9);

	f->nameless += !known;
	if (top && known && name_is(builder_name_get(f->b, name), "total"))
		return STACK_EMPTY; /* it represents the whole */
	return builder_child(f->b, parent, builder_frame_named(f->b, name));
}

struct bearer_row {
	struct bearer_block *at;
	size_t n;
};

/* Makes the blocks of a level below those of the one above. */
static bool
level_put(struct flamebearer *f, size_t level, const struct bearer_row *above,
	  struct bearer_row *out)
{
	const struct bearer_level *l = &f->level.at[level];
	size_t end = level + 1 < f->level.n ? f->level.at[level + 1].first : f->number.n;
	size_t wide = f->n_sides == 1 ? 4 : 7, parent = 0;
	int64_t at = 0;

	for (size_t i = l->first; i + wide <= end; i += wide) {
		const int64_t *v = &f->number.at[i];
		int64_t gap = v[0], total = v[1], stop = at;
		bool bad = wide == 7 && (__builtin_add_overflow(gap, v[3], &gap) ||
					 __builtin_add_overflow(total, v[4], &total));
		bad = bad || __builtin_add_overflow(at, gap, &at) ||
		      __builtin_add_overflow(at, total, &stop);
		while (!bad && above && parent < above->n &&
		       (total ? above->at[parent].end <= at : above->at[parent].end < at))
			parent++;
		bad = bad || (above && (parent == above->n || above->at[parent].start > at ||
					above->at[parent].end < stop));
		if (bad)
			return err_damage(f->e, l->offset, "a block beyond the one above it");
		stack_id stack = block_stack(f, above ? above->at[parent].stack : STACK_EMPTY,
					     v[wide - 1], !above);
		for (unsigned s = 0; s < f->n_sides; s++)
			if (v[3 * s + 2] || stack != STACK_EMPTY)
				if (!block_put(f, s, stack, v[3 * s + 2], l->offset))
					return false;
		out->at[out->n++] = (struct bearer_block){at, stop, stack};
		at = stop;
	}
	return true;
}

static bool
bearer_build(struct flamebearer *f)
{
	struct bearer_row above = {0}, row;
	bool good = true;

	f->n_sides = name_is(builder_name_get(f->b, f->format), "double") ? 2 : 1;
	bearer_metrics(f);
	bearer_tracks(f);
	for (size_t i = 0; i < f->level.n && good; i++) {
		size_t end = i + 1 < f->level.n ? f->level.at[i + 1].first : f->number.n;
		row = (struct bearer_row){
			.at = mem_alloc((end - f->level.at[i].first) / 4 + 1, sizeof *row.at)};
		good = level_put(f, i, i ? &above : NULL, &row);
		free(above.at);
		above = row;
	}
	free(above.at);
	builder_warn_count(f->b, f->nameless, "block without a name: [unknown]",
			   "blocks without a name: [unknown]");
	return good;
}

static bool
flamebearer_decode(struct input *in, struct builder *b, struct err *e)
{
	struct flamebearer f = {.b = b, .e = e};
	struct err first = {0};

	bool read = json_decode(in, b, &first, document_rows, &f, "no flame graph");
	bool good = bearer_build(&f) && read;
	if (!read)
		*e = first;
	vec_release_all(&f.name, &f.number, &f.level);
	return good;
}

const struct decoder decoder_flamebearer = {
	.name = "flamebearer",
	.title = "Pyroscope and Grafana: flame graphs as JSON",
	.made_of = MADE_JSON,
	.members = "flamebearer/names flamebearer/levels",
	.sure = 100,
	.decode = flamebearer_decode,
};
