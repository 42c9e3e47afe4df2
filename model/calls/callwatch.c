#include "model/calls/callstats.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/calls/callwalk.h"

/* Implements callwatch_* and calltimes_* of callstats.h. The steps are replayed in portions, so
 * that the browser stays responsive. Each value of a call goes into bins of about 3 %. The first
 * WATCH_EXACT values are kept, so that percentiles of few calls are exact. */

#define WATCH_EXACT 4096u /* number of values kept */
#define BIN_BITS 5u       /* 32 bins per power of two */
#define BIN_SUBS (1u << BIN_BITS)
/* A scale is logarithmic from this ratio on, in powers of two. */
#define LOG_OCTAVES 4u
#define BINS ((64u - BIN_BITS) * BIN_SUBS)

/* The values of one time on one track: their bins, and the first values themselves. */
struct callwatch_spread {
	struct call_spread {
		uint64_t n;
		int64_t total, min, max;
		track_id track;   /* where the longest was */
		int64_t from, to; /* and when, from the first event of its file */
	} sum;
	int64_t *first;
	uint32_t n_first, first_cap;
	uint64_t *bin; /* [BINS]; NULL while `first` has all values */
};

struct watched {
	track_id track;
	int64_t calls;
	wide net, gross;
	struct callwatch_spread of[CALL_TIMES];
};

struct callwatch {
	struct callwalk walk;
	function_id function;
	uint8_t *side;            /* [walk.n_tracks] bits 1 << row; NULL: no comparison */
	VEC(struct watched) rows; /* [0]: all tracks; in a comparison new, and [1]: old */
};

static unsigned
bin_of(int64_t v)
{
	if (v < (int64_t)BIN_SUBS)
		return v < 0 ? 0 : (unsigned)v;
	unsigned top = 63u - (unsigned)__builtin_clzll((uint64_t)v);
	unsigned sub = (unsigned)((uint64_t)v >> (top - BIN_BITS)) & (BIN_SUBS - 1);
	return (top - BIN_BITS + 1) * BIN_SUBS + sub;
}

/* Returns the smallest value of a bin. */
static int64_t
bin_start(unsigned bin)
{
	if (bin < BIN_SUBS)
		return bin;
	unsigned top = bin / BIN_SUBS - 1;
	if (top + BIN_BITS >= 63)
		return INT64_MAX;
	return (int64_t)((uint64_t)(BIN_SUBS + bin % BIN_SUBS) << top);
}

/* Moves the values into bins, which also get all further ones. */
static void
spread_bin(struct callwatch_spread *x)
{
	x->bin = mem_zalloc(BINS, sizeof *x->bin);
	for (uint32_t i = 0; i < x->n_first; i++)
		x->bin[bin_of(x->first[i])]++;
}

static void
spread_add(struct callwatch_spread *x, track_id track, int64_t v, int64_t from, int64_t to)
{
	struct call_spread *s = &x->sum;
	s->min = !s->n || v < s->min ? v : s->min;
	if (!s->n || v > s->max) {
		s->max = v;
		s->track = track;
		s->from = from;
		s->to = to;
	}
	s->total = sum_clipped(s->total, v);
	s->n++;
	if (!x->bin && x->n_first >= WATCH_EXACT)
		spread_bin(x);
	if (x->bin)
		x->bin[bin_of(v)]++;
	if (x->n_first >= WATCH_EXACT)
		return;
	vec_room(x->first, x->first_cap, x->n_first + 1);
	x->first[x->n_first++] = v;
}

/* Returns the row of a side if it has the track, else NULL. A track may belong to both. */
static struct watched *
callwatch_sum_of(struct callwatch *w, track_id t, unsigned row)
{
	unsigned sides = !w->side ? 1 : t < w->walk.n_tracks ? w->side[t] : 0;

	return sides >> row & 1 ? &w->rows.at[row] : NULL;
}

/* Callback of the replay: keeps the values of the watched function. */
static void
heard(void *ctx, const struct replay_known *k, enum call_time time, int64_t v, int64_t from)
{
	struct callwatch *w = ctx;

	if (k->function != w->function)
		return;
	struct watched *mine = &w->rows.at[w->rows.n - 1];
	int64_t start = callwalk_start(&w->walk);
	int64_t a = replay_between(start, from), b = replay_between(start, w->walk.r.now);
	spread_add(&mine->of[time], mine->track, v, a, b);
	for (unsigned row = 0; row < 2; row++) {
		struct watched *all = callwatch_sum_of(w, mine->track, row);
		if (all)
			spread_add(&all->of[time], mine->track, v, a, b);
	}
}

static void
track_begins(void *ctx, track_id t)
{
	struct callwatch *w = ctx;

	*vec_push(&w->rows) = (struct watched){.track = t};
}

/* Adds a track's totals, and a row if the function occurred there. */
static void
track_ends(void *ctx, track_id t)
{
	struct callwatch *w = ctx;
	struct watched *mine = &w->rows.at[w->rows.n - 1];
	uint32_t place = w->walk.r.place[w->function];

	if (!place) {
		w->rows.n--;
		return;
	}
	const struct replay_known *k = &w->walk.r.known.at[place - 1];
	mine->calls = k->calls;
	mine->net = k->net;
	mine->gross = k->gross;
	for (unsigned row = 0; row < 2; row++) {
		struct watched *all = callwatch_sum_of(w, t, row);
		if (!all)
			continue;
		all->calls += k->calls;
		all->net = wide_add(all->net, k->net);
		all->gross = wide_add(all->gross, k->gross);
	}
}

struct callwatch *
callwatch_new(const struct profile *p, const struct slice *s, const uint8_t *base, function_id f)
{
	struct callwatch *w = mem_zalloc(1, sizeof *w);
	uint8_t *tracks = base ? mem_zalloc((size_t)p->n_tracks + 1, 1) : NULL;
	struct slice both = *s;

	if (base)
		w->side = mem_zalloc((size_t)p->n_tracks + 1, 1);
	for (track_id t = 0; base && t < p->n_tracks; t++) {
		w->side[t] = (!s->tracks || s->tracks[t]) | (base[t] ? 2 : 0);
		tracks[t] = w->side[t] != 0;
	}
	both.tracks = base ? tracks : s->tracks;
	callwalk_init(&w->walk, p, &both, false);
	free(tracks);
	w->walk.r.heard = heard;
	w->walk.r.ctx = w;
	w->walk.begins = track_begins;
	w->walk.ends = track_ends;
	w->function = f;
	*vec_push(&w->rows) = (struct watched){.track = base ? CALLS_NEW : TRACK_NONE};
	if (base)
		*vec_push(&w->rows) = (struct watched){.track = CALLS_OLD};
	return w;
}

void
callwatch_free(struct callwatch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->rows.n; i++)
		for (unsigned t = 0; t < CALL_TIMES; t++) {
			free(w->rows.at[i].of[t].first);
			free(w->rows.at[i].of[t].bin);
		}
	vec_release(&w->rows);
	callwalk_release(&w->walk);
	free(w->side);
	free(w);
}

bool
callwatch_run(struct callwatch *w, uint64_t events)
{
	return callwalk_run(&w->walk, events);
}

void
callwatch_progress(const struct callwatch *w, uint64_t *read, uint64_t *all)
{
	callwalk_progress(&w->walk, read, all);
}

uint32_t
callwatch_rows(const struct callwatch *w)
{
	return (uint32_t)w->rows.n;
}

ORDERED_NUMBERS(by_size, int64_t)

static int64_t
percentile(const struct callwatch_spread *x, unsigned percent, bool *exact)
{
	uint64_t rank = x->sum.n / 100 * percent + (x->sum.n % 100 * percent + 99) / 100, sum = 0;

	*exact = x->sum.n == x->n_first;
	if (!x->sum.n)
		return 0;
	if (*exact) {
		int64_t *sorted = mem_alloc(x->n_first, sizeof *sorted);
		memcpy(sorted, x->first, x->n_first * sizeof *sorted);
		qsort(sorted, x->n_first, sizeof *sorted, by_size);
		int64_t v = sorted[rank ? rank - 1 : 0];
		free(sorted);
		return v;
	}
	for (unsigned b = 0; b < BINS; b++) {
		sum += x->bin[b];
		if (sum < rank)
			continue;
		int64_t low = bin_start(b),
			high = b + 1 < BINS ? bin_start(b + 1) - 1 : low;
		int64_t v = low + (high - low) / 2;
		return v < x->sum.min ? x->sum.min : v > x->sum.max ? x->sum.max : v;
	}
	return x->sum.max;
}

struct callstats_row
callwatch_row(const struct callwatch *w, uint32_t i)
{
	const struct watched *x = &w->rows.at[i];
	struct callstats_row out = {
		.track = x->track, .function = w->function, .calls = x->calls};

	for (unsigned t = 0; t < CALL_TIMES; t++) {
		const struct call_spread *sum = &x->of[t].sum;
		if (!sum->n)
			continue;
		out.has |= CALLSTATS_ALL(t);
		out.value[t][CALL_TOTAL] = sum->total;
		out.value[t][CALL_MIN] = sum->min;
		out.value[t][CALL_AVG] = sum->total / (int64_t)sum->n;
		out.value[t][CALL_MAX] = sum->max;
	}
	callstats_totals(&out, wide_clipped(x->net), wide_clipped(x->gross));
	return out;
}

struct callstats_line
callwatch_line(const struct callwatch *w, uint32_t i, const struct callstats_row *of,
	       enum call_time time)
{
	const struct callwatch_spread *x = &w->rows.at[i].of[time];
	struct callstats_line out = {.of = of, .time = time, .watched = true, .n = x->sum.n};

	out.p50 = percentile(x, 50, &out.exact);
	out.p99 = percentile(x, 99, &out.exact);
	return out;
}

bool
callwatch_longest(const struct callwatch *w, uint32_t i, enum call_time time,
		  track_id *track, int64_t *from, int64_t *to)
{
	const struct call_spread *sum = &w->rows.at[i].of[time].sum;

	*track = sum->track;
	*from = sum->from;
	*to = sum->to;
	return sum->n > 0;
}

/* Returns the number of bits of v, its power of two; 0 for 0. */
static unsigned
octave(int64_t v)
{
	return v > 0 ? 64u - (unsigned)__builtin_clzll((uint64_t)v) : 0;
}

/* Return the bar of a value, and where a bar begins. Bars consist of whole bins: octaves contain
 * those of their power of two; equal parts are a multiple of the widest bin. */
static uint64_t
callwatch_bar_of(int64_t v, bool octaves, uint64_t width)
{
	return (octaves ? octave(v) : (uint64_t)(v > 0 ? v : 0)) / width;
}

static int64_t
bar_start(uint64_t bar, bool octaves, uint64_t width)
{
	uint64_t at;

	if (__builtin_mul_overflow(bar, width, &at))
		return INT64_MAX;
	if (octaves)
		return !at ? 0 : at > 63 ? INT64_MAX : (int64_t)(UINT64_C(1) << (at - 1));
	return at > INT64_MAX ? INT64_MAX : (int64_t)at;
}

uint32_t
callwatch_histogram(const struct callwatch *w, uint32_t row, enum call_time time,
		    struct call_bar *out, uint32_t max, bool *octaves)
{
	struct callwatch_spread *x = &w->rows.at[row].of[time];
	uint64_t width = 1, step = 1;

	*octaves = false;
	if (!x->sum.n || !max)
		return 0;
	if (!x->bin)
		spread_bin(x);
	*octaves = octave(x->sum.max) >= octave(x->sum.min) + LOG_OCTAVES;
	if (!*octaves && octave(x->sum.max) > BIN_BITS + 1)
		width = step = UINT64_C(1) << (octave(x->sum.max) - 1 - BIN_BITS);
	uint64_t low = callwatch_bar_of(x->sum.min, *octaves, width);
	while (callwatch_bar_of(x->sum.max, *octaves, width) - low + 1 > max) {
		width += step;
		low = callwatch_bar_of(x->sum.min, *octaves, width);
	}
	uint32_t n = (uint32_t)(callwatch_bar_of(x->sum.max, *octaves, width) - low + 1);
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct call_bar){.from = bar_start(low + i, *octaves, width),
					   .to = bar_start(low + i + 1, *octaves, width)};
	for (unsigned b = 0; b < BINS; b++)
		if (x->bin[b]) {
			uint64_t bar = callwatch_bar_of(bin_start(b), *octaves, width);
			out[bar < low ? 0 : bar - low].n += x->bin[b];
		}
	return n;
}

/* ---- all functions ---- */

struct calltimes {
	struct callwalk walk;
	const struct profile *p;
	uint32_t n;            /* number of functions */
	struct calltime *of;   /* valid when all events were read */
	struct callwatch_spread *spread; /* used while reading */
};

static void
heard_any(void *ctx, const struct replay_known *k, enum call_time time, int64_t v, int64_t from)
{
	struct calltimes *c = ctx;

	if (time == CALL_CALL && k->function < c->n)
		spread_add(&c->spread[k->function], 0, v, from, from);
}

struct calltimes *
calltimes_new(const struct profile *p, const struct slice *s)
{
	struct calltimes *c = mem_zalloc(1, sizeof *c);

	callwalk_init(&c->walk, p, s, false);
	c->walk.r.heard = heard_any;
	c->walk.r.ctx = c;
	c->p = p;
	c->n = p->frames.n_functions;
	c->spread = mem_zalloc((size_t)c->n + 1, sizeof *c->spread);
	return c;
}

static void
spreads_free(struct calltimes *c)
{
	for (uint32_t i = 0; c->spread && i < c->n; i++) {
		free(c->spread[i].first);
		free(c->spread[i].bin);
	}
	free(c->spread);
	c->spread = NULL;
}

/* Adds what files without a timeline state; it belongs to no range of time. */
static void
take_recorded(struct calltimes *c)
{
	const struct callwalk *w = &c->walk;

	for (uint32_t i = 0; w->range.whole && c->p->recorded.per_call && i < c->p->recorded.n;
	     i++) {
		struct callstats_row row = callrows_get(&c->p->recorded, i);
		int64_t v = row.value[CALL_CALL][CALL_MAX];
		if (!(row.has & CALLSTATS_BIT(CALL_CALL, CALL_MAX)) ||
		    row.function >= c->n || row.track >= w->n_tracks ||
		    !w->tracks[row.track])
			continue;
		struct calltime *of = &c->of[row.function];
		of->max = !of->has_max || v > of->max ? v : of->max;
		of->has_max = true;
		of->has_p99 = false; /* of some calls only the longest is known */
	}
}

bool
calltimes_run(struct calltimes *c, uint64_t events)
{
	bool exact;

	if (c->of || !callwalk_run(&c->walk, events))
		return c->of != NULL;
	c->of = mem_zalloc((size_t)c->n + 1, sizeof *c->of);
	for (uint32_t i = 0; i < c->n; i++) {
		struct callwatch_spread *x = &c->spread[i];
		if (x->sum.n)
			c->of[i] = (struct calltime){true,	true,
						     x->sum.max, percentile(x, 99, &exact),
						     x->sum.n,	x->sum.total};
	}
	spreads_free(c);
	take_recorded(c);
	return true;
}

void
calltimes_free(struct calltimes *c)
{
	if (!c)
		return;
	spreads_free(c);
	callwalk_release(&c->walk);
	free(c->of);
	free(c);
}

const struct calltime *
calltimes_of(const struct calltimes *c, function_id f)
{
	return c->of && f < c->n && c->of[f].has_max ? &c->of[f] : NULL;
}
