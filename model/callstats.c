#include "model/callstats.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/profile.h"
#include "model/tally.h"
#include "model/vec.h"

/* A track's steps are replayed with a stack of open calls.  STEP_CALL opens one,
 * STEP_RETURN closes the one on top; a step to the empty stack suspends, a step to any
 * other stack resumes it.  While all goes well the stack of open calls *is* the path of
 * the stack that runs, so an event costs a comparison and an addition: time is added to
 * the top of the open calls alone, and gross times are differences of one clock that
 * stands still while nothing runs.  Adding to every open call would cost the depth.
 *
 * Where a step does not continue from the one before (the range begins in the middle of
 * things, a frame was unwound without a return), sync() makes the open calls equal to
 * the step's path: those that are not on it end without an exit, those that are missing
 * were there before the recording and have no entry.
 *
 * Sums are kept in 128 bits and cut at 2^63-1 when they are shown. */

typedef __int128 wide;

struct numbers {
	wide total;
	int64_t min, max;
	uint64_t n;
};

struct open_call {
	stack_id stack;
	function_id function;
	bool entered; /* its entry was recorded */
	int64_t entry, net, clock;
};

/* What is known of one function on the track. */
struct known {
	function_id function;
	uint32_t depth; /* how often it is open */
	bool has_entry, has_exit;
	int64_t last_entry, last_exit, clock;
	int64_t calls;
	wide net, gross;
	struct numbers of[CALL_TIMES];
};

struct replay {
	const struct profile *p;
	struct callwatch *watch;     /* NULL: nobody wants to know each call */
	const struct series *series; /* being read, from event `at` on */
	uint64_t at;
	int64_t from, to;
	bool whole;
	VEC(struct open_call) open;
	VEC(struct known) known;
	VEC(stack_id) path;
	uint32_t *place; /* [function] index in known + 1 */
	bool running;
	int64_t now;
	int64_t clock; /* time in which something ran */
};

void
callstats_release(struct callstats *c)
{
	free(c->at);
	*c = (struct callstats){0};
}

struct callstats_row *
callstats_add(struct callstats *c, track_id track, function_id function)
{
	if (c->n == c->cap) {
		c->cap = (uint32_t)vec_grown(c->cap, c->n + 1u);
		c->at = mem_realloc(c->at, c->cap, sizeof *c->at);
	}
	c->at[c->n] = (struct callstats_row){.track = track, .function = function};
	return &c->at[c->n++];
}

/* The time between two moments, which may be farther apart than 2^63. */
static int64_t
between(int64_t from, int64_t to)
{
	int64_t d;

	return __builtin_sub_overflow(to, from, &d) ? INT64_MAX : d;
}

static void
count(struct numbers *n, int64_t v)
{
	n->min = !n->n || v < n->min ? v : n->min;
	n->max = !n->n || v > n->max ? v : n->max;
	n->total += v;
	n->n++;
}

/* ---- watching one function ---- */

#define WATCH_EXACT 4096u /* so many values are kept, so that percentiles are exact */
#define BIN_BITS 5u       /* 32 bins for each power of two */
#define BIN_SUBS (1u << BIN_BITS)
#define BINS ((64u - BIN_BITS) * BIN_SUBS)

/* The values of one time on one track: their bins, and the first ones themselves. */
struct spread {
	struct call_spread sum;
	int64_t *first;
	uint32_t n_first, first_cap;
	uint64_t *bin; /* [BINS], NULL before the first value */
};

struct watched {
	track_id track;
	int64_t calls;
	wide net, gross;
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
	if (__builtin_add_overflow(s->total, v, &s->total))
		s->total = INT64_MAX;
	s->n++;
	if (!x->bin)
		x->bin = mem_zalloc(BINS, sizeof *x->bin);
	x->bin[bin_of(v)]++;
	if (x->n_first >= WATCH_EXACT)
		return;
	if (x->n_first == x->first_cap) {
		x->first_cap = (uint32_t)vec_grown(x->first_cap, x->n_first + 1u);
		x->first = mem_realloc(x->first, x->first_cap, sizeof *x->first);
	}
	x->first[x->n_first++] = v;
}

/* A value of a call of function k: it lasted from `from` to now. */
static void
note(struct replay *r, struct known *k, enum call_time time, int64_t v, int64_t from)
{
	struct callwatch *w = r->watch;
	count(&k->of[time], v);
	if (!w || k->function != w->function)
		return;
	struct watched *mine = &w->rows.at[w->rows.n - 1];
	int64_t start = r->p->group[r->p->track[mine->track].group].start;
	int64_t a = between(start, from), b = between(start, r->now);
	spread_add(&mine->of[time], mine->track, v, a, b);
	spread_add(&w->rows.at[0].of[time], mine->track, v, a, b);
}

/* ---- open calls ---- */

static struct known *
known_of(struct replay *r, function_id f)
{
	if (!r->place[f]) {
		struct known *k = vec_push(&r->known);
		memset(k, 0, sizeof *k);
		k->function = f;
		r->place[f] = (uint32_t)r->known.n;
	}
	return &r->known.at[r->place[f] - 1];
}

static void
open_push(struct replay *r, stack_id stack, bool entered)
{
	function_id f = profile_frame(r->p, r->p->stacks.frame[stack])->function;
	struct known *k = known_of(r, f);

	*vec_push(&r->open) = (struct open_call){
		.stack = stack,
		.function = f,
		.entered = entered,
		.entry = r->now,
		.clock = r->clock,
	};
	if (entered) {
		k->calls++;
		if (k->has_entry)
			note(r, k, CALL_PERIOD, between(k->last_entry, r->now),
			     k->last_entry);
		if (!k->depth && k->has_exit)
			note(r, k, CALL_OUTSIDE, between(k->last_exit, r->now),
			     k->last_exit);
		k->has_entry = true;
		k->last_entry = r->now;
	}
	if (!k->depth++)
		k->clock = r->clock;
	k->has_exit = false;
}

/* `returned`: its exit was recorded. */
static void
open_pop(struct replay *r, bool returned)
{
	struct open_call o = r->open.at[--r->open.n];
	struct known *k = known_of(r, o.function);

	k->net += o.net;
	if (!--k->depth) {
		k->gross += r->clock - k->clock;
		k->has_exit = returned;
		k->last_exit = r->now;
	}
	if (!returned || !o.entered)
		return;
	note(r, k, CALL_NET, o.net, o.entry);
	note(r, k, CALL_GROSS, r->clock - o.clock, o.entry);
	note(r, k, CALL_CALL, between(o.entry, r->now), o.entry);
}

static bool
same_function(const struct replay *r, const struct open_call *o, stack_id stack)
{
	return profile_frame(r->p, r->p->stacks.frame[stack])->function == o->function;
}

/* Makes the open calls those of this stack. */
static void
sync(struct replay *r, stack_id stack)
{
	const struct stacks *t = &r->p->stacks;
	size_t same = 0;

	r->path.n = 0;
	for (stack_id s = stack; s != STACK_EMPTY; s = t->parent[s])
		*vec_push(&r->path) = s;
	while (same < r->open.n && same < r->path.n) {
		stack_id s = r->path.at[r->path.n - 1 - same];
		if (r->open.at[same].stack != s &&
		    !same_function(r, &r->open.at[same], s))
			break;
		r->open.at[same++].stack = s;
	}
	while (r->open.n > same)
		open_pop(r, false);
	while (r->open.n < r->path.n)
		open_push(r, r->path.at[r->path.n - 1 - r->open.n], false);
}

/* ---- steps ---- */

static void
advance(struct replay *r, int64_t time)
{
	if (r->running && r->open.n) {
		int64_t lasted = between(r->now, time);
		r->open.at[r->open.n - 1].net += lasted;
		r->clock += lasted;
	}
	r->now = time;
}

static void
replay_step(struct replay *r, uint32_t step)
{
	const stack_id *parent = r->p->stacks.parent;
	stack_id stack = step & STEP_STACK;
	struct open_call *top;

	if (step & STEP_RETURN && r->open.n)
		open_pop(r, true);
	r->running = stack != STACK_EMPTY;
	if (!r->running)
		return;
	top = r->open.n ? &r->open.at[r->open.n - 1] : NULL;
	if (step & STEP_CALL) {
		if (parent[stack] != (top ? top->stack : STACK_EMPTY))
			sync(r, parent[stack]);
		open_push(r, stack, true);
	} else if (top && parent[top->stack] == parent[stack] &&
		   same_function(r, top, stack)) {
		top->stack = stack; /* the same function, perhaps at another line */
	} else {
		sync(r, stack);
	}
}

/* Gets ready to read a series: what runs when the range begins was called before it. */
static void
replay_begin(struct replay *r, const struct series *s, int64_t from, int64_t to,
	     bool whole)
{
	struct event e;

	r->series = s;
	r->at = whole ? 0 : series_find(s, from);
	r->from = from;
	r->to = to;
	r->whole = whole;
	r->running = false;
	r->clock = 0;
	r->now = from;
	if (!whole && r->at && series_event(s, r->at - 1, &e) &&
	    (e.stack & STEP_STACK) != STACK_EMPTY) {
		sync(r, e.stack & STEP_STACK);
		r->running = true;
	}
}

/* Reads at most n events; true when the series, or the range, is at its end. */
static bool
replay_some(struct replay *r, uint64_t n)
{
	const struct series *s = r->series;

	while (r->at < s->n && n) {
		const struct chunk *c = series_chunk(s, r->at);
		uint32_t k = (uint32_t)(r->at - c->first);
		for (; k < c->n && n; k++, n--, r->at++) {
			int64_t time = column_get(&c->time, k);
			if (!r->whole && time >= r->to)
				return true;
			if (r->whole && !r->at)
				r->now = time;
			advance(r, time);
			replay_step(r, c->stack[k]);
		}
	}
	return r->at >= s->n;
}

static void
replay_end(struct replay *r)
{
	const struct series *s = r->series;

	if (s->n) {
		int64_t end = s->end_time;
		if (!r->whole && end > r->to)
			end = r->to;
		if (end > r->now)
			advance(r, end);
	}
	while (r->open.n)
		open_pop(r, false);
}

static void
replay_series(struct replay *r, const struct series *s, int64_t from, int64_t to,
	      bool whole)
{
	replay_begin(r, s, from, to, whole);
	replay_some(r, UINT64_MAX);
	replay_end(r);
}

/* ---- rows ---- */

static int64_t
shown(wide v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static void
row_of(const struct known *k, track_id track, struct callstats *out)
{
	struct callstats_row *row = callstats_add(out, track, k->function);

	row->calls = k->calls;
	for (unsigned t = 0; t < CALL_TIMES; t++) {
		const struct numbers *n = &k->of[t];
		if (!n->n)
			continue;
		row->value[t][CALL_TOTAL] = shown(n->total);
		row->value[t][CALL_MIN] = n->min;
		row->value[t][CALL_AVG] = shown(n->total / n->n);
		row->value[t][CALL_MAX] = n->max;
		row->has |= CALLSTATS_BIT(t, CALL_TOTAL) | CALLSTATS_BIT(t, CALL_MIN) |
			    CALLSTATS_BIT(t, CALL_AVG) | CALLSTATS_BIT(t, CALL_MAX);
	}
	row->value[CALL_NET][CALL_TOTAL] = shown(k->net);
	row->value[CALL_GROSS][CALL_TOTAL] = shown(k->gross);
	row->has |= CALLSTATS_BIT(CALL_NET, CALL_TOTAL) |
		    CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL);
	row->has &= ~CALLSTATS_BIT(CALL_PERIOD, CALL_TOTAL);
}

/* The range of a slice on the clock of this track's file. */
static void
range_on(const struct profile *p, const struct slice *s, track_id t, int64_t *from,
	 int64_t *to)
{
	int64_t start = p->group[p->track[t].group].start;

	if (__builtin_add_overflow(start, s->from, from))
		*from = s->from < 0 ? INT64_MIN : INT64_MAX;
	if (__builtin_add_overflow(start, s->to, to))
		*to = s->to < 0 ? INT64_MIN : INT64_MAX;
}

static void
compute_track(struct replay *r, const struct slice *s, track_id t, struct callstats *out)
{
	const struct track *track = &r->p->track[t];
	int64_t from, to;

	range_on(r->p, s, t, &from, &to);
	for (uint32_t i = 0; i < track->n_series; i++)
		if (track->series[i]->kind == SERIES_STEPS)
			replay_series(r, track->series[i], from, to, s->whole);
	for (size_t i = 0; i < r->known.n; i++) {
		row_of(&r->known.at[i], t, out);
		r->place[r->known.at[i].function] = 0;
	}
	r->known.n = 0;
}

void
callstats_compute(const struct profile *p, const struct slice *s, struct callstats *out)
{
	struct replay r = {.p = p};
	bool counts = p->calls_metric != METRIC_NONE &&
		      p->metric[p->calls_metric].role == ROLE_CALLS;

	if (counts || p->has_call_edges) {
		r.place = mem_zalloc(p->frames.n_functions, sizeof *r.place);
		for (track_id t = 0; t < p->n_tracks; t++)
			if (!s->tracks || s->tracks[t])
				compute_track(&r, s, t, out);
		out->per_call = true;
	}
	/* what files without a timeline say has no place in a range of time */
	for (uint32_t i = 0; s->whole && p->recorded.per_call && i < p->recorded.n; i++) {
		const struct callstats_row *row = &p->recorded.at[i];
		if (!s->tracks || s->tracks[row->track])
			*callstats_add(out, row->track, row->function) = *row;
		out->per_call = true;
	}
	vec_release(&r.open);
	vec_release(&r.known);
	vec_release(&r.path);
	free(r.place);
}

bool
callstats_recorded_gross(const struct profile *p, function_id f, const uint8_t *tracks,
			 int64_t *out)
{
	bool found = false;
	wide sum = 0;

	for (uint32_t i = 0; i < p->recorded.n; i++) {
		const struct callstats_row *row = &p->recorded.at[i];
		if (row->function != f ||
		    !(row->has & CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL)) ||
		    (tracks && !tracks[row->track]))
			continue;
		found = true;
		sum += row->value[CALL_GROSS][CALL_TOTAL];
	}
	*out = shown(sum);
	return found;
}

/* ---- one function ---- */

struct callwatch *
callwatch_new(const struct profile *p, const struct slice *s, function_id f)
{
	struct callwatch *w = mem_zalloc(1, sizeof *w);

	w->r.p = p;
	w->r.watch = w;
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
	vec_release(&w->r.open);
	vec_release(&w->r.known);
	vec_release(&w->r.path);
	free(w->r.place);
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
		const struct known *k = &w->r.known.at[place - 1];
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
			range_on(p, &w->range, w->track, &from, &to);
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
	out.of[CALL_NET].total = shown(x->net);
	out.of[CALL_GROSS].total = shown(x->gross);
	return out;
}

static int
by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t
callwatch_percentile(const struct callwatch *w, uint32_t row, enum call_time time,
		     unsigned percent, bool *exact)
{
	const struct spread *x = &w->rows.at[row].of[time];
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

uint32_t
callwatch_histogram(const struct callwatch *w, uint32_t row, enum call_time time,
		    struct call_bar *out, uint32_t max)
{
	const struct spread *x = &w->rows.at[row].of[time];
	unsigned join = 1;

	if (!x->sum.n || !max)
		return 0;
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
