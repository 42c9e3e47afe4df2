#include "src/decode/text1/text1.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* STATISTICS are sums over the whole session, one row an area and context, from the program that
 * also exports the timeline.
 *
 * With a timeline, the timeline's numbers are used: they are exact for any range, and treat
 * incomplete calls as pnav-formats(7) defines. Rows that differ are counted and listed in one
 * warning. Without a timeline the rows are the profile, flat: a track a context, `self` T.NET, and
 * their numbers of calls go to the view `calls` unchanged.
 *
 * Rows are kept until the end of the file, since the timeline follows them and may be in another
 * file: a fixed part per row, and only the numbers that its format has. */

#define NUMBER(macro) (1u << ((macro)-MACRO_COUNT))

/* Statistics may identify an area by its NAME only. */
static uint32_t
area_named(struct text1 *t, struct text_slice s)
{
	name_id name = builder_name(t->b, s.at, s.len);
	uint32_t i = idmap_get(&t->named, name);

	if (i != IDMAP_NONE)
		return i;
	i = text1_area_add(t, (struct text1_area){.name = name, .mapped = true});
	idmap_put(&t->named, name, i);
	return i;
}

static uint32_t
statistic_area(struct text1 *t, const struct text1_format *f, const struct text_slice *row)
{
	struct text_slice name = text1_slice_of(f, row, MACRO_NAME);
	uint64_t handle;
	uint32_t i;

	if (!text1_hex(text1_slice_of(f, row, MACRO_HANDLE), &handle))
		return f->of[MACRO_HANDLE] < 0 && name.len ? area_named(t, name) : AREA_NONE;
	if (handle > UINT32_MAX)
		return AREA_NONE;
	i = text1_area(t, (uint32_t)handle);
	if (i != AREA_NONE && !t->areas.at[i].mapped && name.len && handle >> 28 != AREA_LINE) {
		t->areas.at[i].name = builder_name(t->b, name.at, name.len);
		t->areas.at[i].mapped = true;
	}
	return i;
}

/* Keeps statistics of data as rows of `info`: the model has no place for the duration of a
 * value. */
static void
keep_data(struct text1 *t, const struct text1_format *f, const struct text_slice *row,
	  const struct text1_area *a)
{
	struct text_slice value = text1_slice_of(f, row, MACRO_VALUE);
	uint32_t owner = idmap_get(&t->states, a->handle);
	struct buf text = BUF_INIT;
	struct name n;

	if (owner != IDMAP_NONE)
		a = &t->areas.at[owner];
	n = builder_name_get(t->b, a->name);
	buf_add(&text, n.at, n.len);
	if (!n.len)
		buf_addf(&text, "handle#%08X", (unsigned)a->handle);
	if (value.len)
		buf_addf(&text, " %.*s", (int)value.len, value.at);
	for (unsigned m = MACRO_COUNT; m <= MACRO_OUTSIDE_MAX; m++)
		if (f->of[m] >= 0 && row[f->of[m]].len)
			buf_addf(&text, ", %.*s %.*s", (int)f->field[f->of[m]].name.len,
				 f->field[f->of[m]].name.at, (int)row[f->of[m]].len,
				 row[f->of[m]].at);
	text1_map_keep(t, "statistics", buf_str(&text), text.len);
	buf_release(&text);
}

bool
text1_statistic(struct text1 *t, name_id context, const struct text1_format *f,
		const struct text_slice *row, uint64_t offset, struct err *e)
{
	struct statistic s = {.context = context, .offset = offset};
	struct text_slice named = text1_slice_of(f, row, MACRO_CONTEXT);

	if (named.len)
		s.context = builder_name(t->b, named.at, named.len);
	s.area = statistic_area(t, f, row);
	s.numbers = (uint32_t)t->numbers.n;
	if (s.area == AREA_NONE)
		return err_damage(e, offset, "statistics without the handle of an area");
	for (unsigned m = MACRO_COUNT; m <= MACRO_OUTSIDE_MAX; m++) {
		int64_t v;
		if (f->of[m] < 0 || !row[f->of[m]].len)
			continue;
		if (!text1_decimal(row[f->of[m]], &v) || v < 0)
			return err_damage(e, offset, "statistics with an invalid number");
		*vec_push(&t->numbers) = v;
		s.has |= NUMBER(m);
	}
	if (t->areas.at[s.area].handle >> 28 >= AREA_VARIABLE) {
		t->numbers.n = s.numbers;
		keep_data(t, f, row, &t->areas.at[s.area]);
		return true;
	}
	*vec_push(&t->statistics) = s;
	return true;
}

static bool
text1_stats_number_of(const struct text1 *t, const struct statistic *s,
		      enum text1_macro m, int64_t *out)
{
	if (!(s->has & NUMBER(m)))
		return false;
	*out = t->numbers.at[s->numbers +
			     (unsigned)__builtin_popcount(s->has & (NUMBER(m) - 1))];
	return true;
}

/* ---- as a profile ---- */

/* The macros that contain each number of callrows.h. */
static const enum text1_macro macro_of[CALL_TIMES][CALL_NUMBERS] = {
	[CALL_NET] = {MACRO_NET, MACRO_NET_MIN, MACRO_NET_AVG, MACRO_NET_MAX},
	[CALL_GROSS] = {MACRO_GROSS, MACRO_GROSS_MIN, MACRO_GROSS_AVG, MACRO_GROSS_MAX},
	[CALL_CALL] = {MACRO_CALL, MACRO_CALL_MIN, MACRO_CALL_AVG, MACRO_CALL_MAX},
	[CALL_PERIOD] = {MACRO_UNKNOWN, MACRO_PERIOD_MIN, MACRO_PERIOD_AVG, MACRO_PERIOD_MAX},
	[CALL_OUTSIDE] = {MACRO_OUTSIDE, MACRO_OUTSIDE_MIN, MACRO_OUTSIDE_AVG, MACRO_OUTSIDE_MAX},
};
/* Totals of NET and GROSS contain nothing about single calls. */
#define PER_CALL (~(NUMBER(MACRO_COUNT) | NUMBER(MACRO_NET) | NUMBER(MACRO_GROSS)))

struct flat {
	struct series *series;
	track_id track;
	metric_id metric[2];
	unsigned n_metrics;
};

static void
record_calls(struct text1 *t, const struct statistic *s, const struct flat *flat)
{
	struct callrows *c = builder_recorded_calls(t->b);
	const struct text1_area *a = &t->areas.at[s->area];
	struct callstats_row row = {.track = flat->track,
				    .function = builder_frame_get(t->b, a->frame).function};

	text1_stats_number_of(t, s, MACRO_COUNT, &row.calls);
	for (unsigned time = 0; time < CALL_TIMES; time++)
		for (unsigned n = 0; n < CALL_NUMBERS; n++)
			if (macro_of[time][n] != MACRO_UNKNOWN &&
			    text1_stats_number_of(t, s, macro_of[time][n], &row.value[time][n]))
				row.has |= CALLSTATS_BIT(time, n);
	callrows_add(c, &row);
	c->per_call |= (s->has & PER_CALL) != 0;
	enum call_time total = row.has & CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL) ? CALL_GROSS
										: CALL_NET;
	builder_stated_total(t->b, row.function, row.value[total][CALL_TOTAL]);
}

static bool
flat_add(struct text1 *t, const struct flat *flat, const struct statistic *s,
	 frame_id frame, int64_t net, bool counted, struct err *e)
{
	int64_t values[2] = {net, 0};

	assert(flat->series); /* flat_open() */
	if (counted)
		text1_stats_number_of(t, s, MACRO_COUNT, &values[1]);
	return builder_total(t->b, flat->series, builder_child(t->b, STACK_EMPTY, frame),
			     values, s->offset, e);
}

/* The time of lines is part of their function's time: the remainder is the function's own. */
static bool
flat_row(struct text1 *t, const struct flat *flat, const struct statistic *s,
	 const int64_t *lines, struct err *e)
{
	const struct text1_area *a = &t->areas.at[s->area];
	int64_t net = 0;

	if (!text1_area_make(t, s->area)) {
		builder_warn(t->b, "statistics of lines whose function is not known, at byte %llu",
			     (unsigned long long)s->offset);
		return true;
	}
	text1_stats_number_of(t, s, MACRO_NET, &net);
	if (a->handle >> 28 == AREA_LINE)
		return flat_add(t, flat, s, a->frame, net, false, e);
	assert(lines && s->area < t->areas.n);
	net = net > lines[s->area] ? net - lines[s->area] : 0;
	if (!flat_add(t, flat, s, a->frame, net, true, e))
		return false;
	if (s->has & (PER_CALL | NUMBER(MACRO_GROSS) | NUMBER(MACRO_NET)))
		record_calls(t, s, flat);
	return true;
}

static void
flat_open(struct text1 *t, struct flat *flat, name_id context)
{
	struct name n = builder_name_get(t->b, context);

	flat->track = n.len ? builder_track(t->b, n.at, n.len, TRACK_TASK)
			    : builder_main(t->b);
	flat->series = builder_totals(t->b, flat->track, flat->metric, flat->n_metrics);
}

/* Rows of one context are adjacent in every export.  Otherwise this index assigns all its rows
 * to one track. */
static bool
statistics_read(struct text1 *t, struct err *e)
{
	VEC(struct flat) flats = VEC_INIT;
	struct flat proto = {.n_metrics = 1};
	int64_t *lines = mem_zalloc(t->areas.n, sizeof *lines);
	uint32_t counted = 0;
	bool good = true;

	for (size_t i = 0; i < t->statistics.n; i++)
		counted |= t->statistics.at[i].has;
	proto.metric[0] = builder_metric(t->b, "time", UNIT_NS, ROLE_VALUE);
	builder_default_metric(t->b, proto.metric[0]);
	if (counted & NUMBER(MACRO_COUNT)) {
		proto.metric[1] = builder_metric(t->b, "calls", UNIT_CALLS, ROLE_VALUE);
		builder_calls_metric(t->b, proto.metric[1]);
		proto.n_metrics = 2;
	}
	for (size_t first = 0, end; good && first < t->statistics.n; first = end) {
		name_id context = t->statistics.at[first].context;
		for (end = first; end < t->statistics.n; end++) {
			const struct statistic *s = &t->statistics.at[end];
			const struct text1_area *a = &t->areas.at[s->area];
			int64_t net;
			if (s->context != context)
				break;
			if (a->handle >> 28 == AREA_LINE && a->parent != AREA_NONE &&
			    text1_stats_number_of(t, s, MACRO_NET, &net) && net > 0 &&
			    __builtin_add_overflow(lines[a->parent], net, &lines[a->parent]))
				lines[a->parent] = INT64_MAX;
		}
		uint32_t k;
		if (idmap_add(&t->known.context_of, context, flats.n, &k)) {
			*vec_push(&flats) = proto;
			flat_open(t, &flats.at[k], context);
		}
		builder_stated(t->b, flats.at[k].track, proto.metric[0], false);
		for (size_t i = first; good && i < end; i++)
			good = flat_row(t, &flats.at[k], &t->statistics.at[i], lines, e);
		for (size_t i = first; i < end; i++) {
			uint32_t parent = t->areas.at[t->statistics.at[i].area].parent;
			if (parent != AREA_NONE)
				lines[parent] = 0;
		}
	}
	vec_release(&flats);
	free(lines);
	return good;
}

/* ---- against a timeline ---- */

static bool
row_differs(const struct text1 *t, const struct statistic *s, const struct callstats_row *row)
{
	int64_t v;

	if (text1_stats_number_of(t, s, MACRO_COUNT, &v) && v != (row ? row->calls : 0))
		return true;
	for (unsigned time = 0; time < CALL_TIMES; time++)
		for (unsigned n = 0; n < CALL_NUMBERS; n++)
			if (macro_of[time][n] != MACRO_UNKNOWN &&
			    text1_stats_number_of(t, s, macro_of[time][n], &v) &&
			    v != (row ? row->value[time][n] : 0))
				return true;
	return false;
}

static bool
line_differs(const struct text1 *t, const struct statistic *s, const struct text1_area *a)
{
	int64_t v;

	return (text1_stats_number_of(t, s, MACRO_COUNT, &v) && v != (int64_t)a->entries) ||
	       (text1_stats_number_of(t, s, MACRO_NET, &v) && v != a->net);
}

/* Returns the track of a context's statistics; if only one context ran, its track. */
static track_id
track_of_statistic(const struct text1 *t, const struct statistic *s)
{
	uint32_t k = idmap_get(&t->known.context_of, s->context);

	if (s->context != NAME_EMPTY && k != IDMAP_NONE)
		return t->contexts.at[k].track;
	return s->context == NAME_EMPTY && t->contexts.n == 1 ? t->contexts.at[0].track
							      : TRACK_NONE;
}

static void
statistics_compare(struct text1 *t)
{
	struct callstats computed = {0};
	struct idmap rows = {0};
	uint64_t differ = 0;
	size_t one =
		0; /* statistics of lines are comparable if there is one context */

	builder_compute_calls(t->b, &computed);
	for (uint32_t i = 0; i < computed.n; i++)
		idmap_put(&rows, (uint64_t)computed.at[i].track << 32 | computed.at[i].function, i);
	for (size_t i = 0; i < t->statistics.n; i++)
		one += t->statistics.at[i].context != t->statistics.at[0].context;
	for (size_t i = 0; i < t->statistics.n; i++) {
		const struct statistic *s = &t->statistics.at[i];
		track_id track = track_of_statistic(t, s);
		const struct text1_area *a;
		uint32_t k = IDMAP_NONE;
		if (!text1_area_make(t, s->area))
			continue;
		a = &t->areas.at[s->area];
		if (a->handle >> 28 == AREA_LINE) {
			differ += !one && line_differs(t, s, a);
			continue;
		}
		if (track == TRACK_NONE && s->context == NAME_EMPTY)
			continue; /* sums over several tracks */
		if (track != TRACK_NONE)
			k = idmap_get(&rows, (uint64_t)track << 32 |
						     builder_frame_get(t->b, a->frame).function);
		differ += row_differs(t, s, k == IDMAP_NONE ? NULL : &computed.at[k]);
	}
	builder_warn_count(t->b, differ,
			   "row of the exported statistics differs from the timeline, whose "
			   "numbers are used",
			   "rows of the exported statistics differ from the timeline, whose "
			   "numbers are used");
	builder_info(t->b, "statistics",
		     "%zu rows, compared with the timeline: %llu differ", t->statistics.n,
		     (unsigned long long)differ);
	idmap_release(&rows);
	callstats_release(&computed);
}

bool
text1_statistics_end(struct text1 *t, struct err *e)
{
	if (!t->statistics.n)
		return true;
	if (!t->span.events)
		return statistics_read(t, e);
	statistics_compare(t);
	return true;
}
