#include "model/callreplay.h"

#include <stdlib.h>
#include <string.h>

#include "model/callstats.h"
#include "model/mem.h"
#include "model/sum.h"
#include "model/tally.h"
#include "model/vec.h"

/* Functions, watched: callwatch_* and calltimes_* of callstats.h.  The steps are replayed in portions,
 * so that a browser stays awake; each value of a call goes into bins of about 3 %, and the
 * first WATCH_EXACT are kept as they are, so that percentiles of few calls are exact. */

#define WATCH_EXACT 4096u /* so many values are kept, so that percentiles are exact */
#define BIN_BITS 5u       /* 32 bins for each power of two */
#define BIN_SUBS (1u << BIN_BITS)
#define BINS ((64u - BIN_BITS) * BIN_SUBS)

/* The values of one time on one track: their bins, and the first ones themselves. */
struct spread {
	struct call_spread sum;
	int64_t *first;
	uint32_t n_first, first_cap;
	uint64_t *bin; /* [BINS], NULL while `first` has them all */
};

struct watched {
	track_id track;
	int64_t calls;
	replay_wide net, gross;
	struct spread of[CALL_TIMES];
};

struct callwatch {
	struct replay r;
	function_id function;
	uint8_t *tracks; /* [n_tracks] */
	track_id n_tracks, track;
	uint32_t n_functions; /* that r.place has room for */
	uint32_t series;      /* of the track, the one that is read or comes next */
	struct slice range;
	uint64_t read, all;
	VEC(struct watched) rows; /* [0]: all tracks */
	bool done;
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

/* The least value of a bin. */
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

/* From here on values go into bins. */
static void
spread_bin(struct spread *x)
{
	x->bin = mem_zalloc(BINS, sizeof *x->bin);
	for (uint32_t i = 0; i < x->n_first; i++)
		x->bin[bin_of(x->first[i])]++;
}

static void
spread_add(struct spread *x, track_id track, int64_t v, int64_t from, int64_t to)
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

/* The replay tells a value of some call; those of the one function are kept. */
static void
heard(void *ctx, const struct replay_known *k, enum call_time time, int64_t v, int64_t from)
{
	struct callwatch *w = ctx;

	if (k->function != w->function)
		return;
	struct watched *mine = &w->rows.at[w->rows.n - 1];
	int64_t start = w->r.p->group[w->r.p->track[mine->track].group].start;
	int64_t a = replay_between(start, from), b = replay_between(start, w->r.now);
	spread_add(&mine->of[time], mine->track, v, a, b);
	spread_add(&w->rows.at[0].of[time], mine->track, v, a, b);
}

struct callwatch *
callwatch_new(const struct profile *p, const struct slice *s, function_id f)
{
	struct callwatch *w = mem_zalloc(1, sizeof *w);

	w->r.p = p;
	w->r.heard = heard;
	w->r.ctx = w;
	w->r.place = mem_zalloc(p->frames.n_functions, sizeof *w->r.place);
	w->n_functions = p->frames.n_functions;
	w->function = f;
	w->range = *s;
	w->range.tracks = NULL;
	w->n_tracks = p->n_tracks;
	w->tracks = mem_zalloc((size_t)p->n_tracks + 1, 1);
	*vec_push(&w->rows) = (struct watched){.track = TRACK_NONE};
	for (track_id t = 0; t < p->n_tracks; t++) {
		w->tracks[t] = !s->tracks || s->tracks[t];
		for (uint32_t i = 0; w->tracks[t] && i < p->track[t].n_series; i++)
			if (p->track[t].series[i]->kind == SERIES_STEPS)
				w->all += p->track[t].series[i]->n;
	}
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
	replay_release(&w->r);
	free(w->tracks);
	free(w);
}

/* The track is read: its totals, and a row only when the function was seen there. */
static void
watch_end_track(struct callwatch *w)
{
	struct watched *mine = &w->rows.at[w->rows.n - 1], *all = &w->rows.at[0];
	uint32_t place = w->r.place[w->function];

	if (place) {
		const struct replay_known *k = &w->r.known.at[place - 1];
		mine->calls = k->calls;
		mine->net = k->net;
		mine->gross = k->gross;
		all->calls += k->calls;
		all->net += k->net;
		all->gross += k->gross;
	} else {
		w->rows.n--;
	}
	for (size_t i = 0; i < w->r.known.n; i++)
		w->r.place[w->r.known.at[i].function] = 0;
	w->r.known.n = 0;
}

/* Finds the next series of steps; false when there is none. */
static bool
watch_next(struct callwatch *w)
{
	const struct profile *p = w->r.p;
	int64_t from, to;

	for (; w->track < w->n_tracks; w->track++, w->series = 0) {
		const struct track *t = &p->track[w->track];
		for (; w->tracks[w->track] && w->series < t->n_series; w->series++) {
			const struct series *s = t->series[w->series];
			if (s->kind != SERIES_STEPS || !s->n)
				continue;
			if (w->rows.n == 1 || w->rows.at[w->rows.n - 1].track != w->track)
				*vec_push(&w->rows) = (struct watched){.track = w->track};
			replay_range(p, &w->range, w->track, &from, &to);
			replay_begin(&w->r, s, from, to, w->range.whole);
			return true;
		}
		if (w->rows.n > 1 && w->rows.at[w->rows.n - 1].track == w->track)
			watch_end_track(w);
	}
	return false;
}

bool
callwatch_run(struct callwatch *w, uint64_t events)
{
	uint32_t n = w->r.p->frames.n_functions;

	if (n > w->n_functions) {
		w->r.place = mem_realloc(w->r.place, n, sizeof *w->r.place);
		memset(w->r.place + w->n_functions, 0,
		       (n - w->n_functions) * sizeof *w->r.place);
		w->n_functions = n;
	}
	while (!w->done) {
		if (!w->r.series && !watch_next(w)) {
			w->done = true;
			break;
		}
		uint64_t before = w->r.at;
		bool over = replay_some(&w->r, events);
		uint64_t now = w->r.at - before;
		w->read += now;
		events -= now < events ? now : events;
		if (over) {
			replay_end(&w->r);
			w->r.series = NULL;
			w->series++;
		}
		if (!events)
			break;
	}
	return w->done;
}

void
callwatch_progress(const struct callwatch *w, uint64_t *read, uint64_t *all)
{
	*read = w->read < w->all ? w->read : w->all;
	*all = w->all;
}

uint32_t
callwatch_rows(const struct callwatch *w)
{
	return (uint32_t)w->rows.n;
}

struct callwatch_row
callwatch_row(const struct callwatch *w, uint32_t i)
{
	const struct watched *x = &w->rows.at[i];
	struct callwatch_row out = {.track = x->track, .calls = x->calls};

	for (unsigned t = 0; t < CALL_TIMES; t++) {
		out.of[t] = x->of[t].sum;
		out.of[t].avg = out.of[t].n ? out.of[t].total / (int64_t)out.of[t].n : 0;
	}
	/* what was recorded of incomplete calls counts in these two totals */
	out.of[CALL_NET].total = replay_shown(x->net);
	out.of[CALL_GROSS].total = replay_shown(x->gross);
	return out;
}

static int
by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t
percentile(const struct spread *x, unsigned percent, bool *exact)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)x->sum.n * percent + 99) / 100),
		 sum = 0;

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

int64_t
callwatch_percentile(const struct callwatch *w, uint32_t row, enum call_time time,
		     unsigned percent, bool *exact)
{
	return percentile(&w->rows.at[row].of[time], percent, exact);
}

uint32_t
callwatch_histogram(const struct callwatch *w, uint32_t row, enum call_time time,
		    struct call_bar *out, uint32_t max)
{
	struct spread *x = &w->rows.at[row].of[time];
	unsigned join = 1;

	if (!x->sum.n || !max)
		return 0;
	if (!x->bin)
		spread_bin(x);
	unsigned low = bin_of(x->sum.min), high = bin_of(x->sum.max);
	/* whole powers of two, or equal parts of them: 32, 16, ... bins of one size */
	while ((high / join) - (low / join) + 1 > max)
		join *= 2;
	uint32_t n = high / join - low / join + 1;
	for (uint32_t i = 0; i < n; i++) {
		unsigned first = (low / join + i) * join;
		out[i] = (struct call_bar){.from = bin_start(first)};
		out[i].to = first + join < BINS ? bin_start(first + join) : INT64_MAX;
		for (unsigned b = first; b < first + join && b < BINS; b++)
			out[i].n += x->bin[b];
	}
	return n;
}

/* ---- all functions ---- */

struct calltimes {
	uint32_t n; /* functions */
	struct calltime *of;
	struct spread *spread; /* while the steps are read */
};

static void
heard_any(void *ctx, const struct replay_known *k, enum call_time time, int64_t v, int64_t from)
{
	struct calltimes *c = ctx;

	if (time == CALL_CALL)
		spread_add(&c->spread[k->function], 0, v, from, from);
}

static void
read_steps(struct replay *r, const struct slice *s)
{
	for (track_id t = 0; t < r->p->n_tracks; t++) {
		const struct track *track = &r->p->track[t];
		int64_t from, to;
		if (s->tracks && !s->tracks[t])
			continue;
		replay_range(r->p, s, t, &from, &to);
		for (uint32_t i = 0; i < track->n_series; i++)
			if (track->series[i]->kind == SERIES_STEPS)
				replay_series(r, track->series[i], from, to, s->whole);
		for (size_t i = 0; i < r->known.n; i++)
			r->place[r->known.at[i].function] = 0;
		r->known.n = 0;
	}
}

/* What files without a timeline say has no place in a range of time. */
static void
take_recorded(struct calltimes *c, const struct profile *p, const struct slice *s)
{
	for (uint32_t i = 0; s->whole && p->recorded.per_call && i < p->recorded.n; i++) {
		const struct callstats_row *row = &p->recorded.at[i];
		struct calltime *of = &c->of[row->function];
		int64_t v = row->value[CALL_CALL][CALL_MAX];
		if (!(row->has & CALLSTATS_BIT(CALL_CALL, CALL_MAX)) ||
		    (s->tracks && !s->tracks[row->track]))
			continue;
		of->max = !of->has_max || v > of->max ? v : of->max;
		of->has_max = true;
		of->has_p99 = false; /* of some calls only the longest is known */
	}
}

struct calltimes *
calltimes_new(const struct profile *p, const struct slice *s)
{
	struct calltimes *c = mem_zalloc(1, sizeof *c);
	struct replay r = {.p = p, .heard = heard_any, .ctx = c};
	bool exact;

	c->n = p->frames.n_functions;
	c->of = mem_zalloc((size_t)c->n + 1, sizeof *c->of);
	c->spread = mem_zalloc((size_t)c->n + 1, sizeof *c->spread);
	r.place = mem_zalloc((size_t)c->n + 1, sizeof *r.place);
	read_steps(&r, s);
	replay_release(&r);
	for (uint32_t i = 0; i < c->n; i++) {
		struct spread *x = &c->spread[i];
		if (x->sum.n)
			c->of[i] = (struct calltime){true, true, x->sum.max,
						     percentile(x, 99, &exact)};
		free(x->first);
		free(x->bin);
	}
	free(c->spread);
	c->spread = NULL;
	take_recorded(c, p, s);
	return c;
}

void
calltimes_free(struct calltimes *c)
{
	if (!c)
		return;
	free(c->of);
	free(c);
}

const struct calltime *
calltimes_of(const struct calltimes *c, function_id f)
{
	return f < c->n && c->of[f].has_max ? &c->of[f] : NULL;
}
