/* made.c - see made.h. */
#include "tests/lib/made.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/wide.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

void
made_begin(struct made *m, const char *track, bool steps, bool weighted)
{
	m->metric = steps ? builder_metric(m->b, "time", UNIT_NS, ROLE_TIME)
		    : weighted ? builder_metric(m->b, "cpu", UNIT_NS, ROLE_VALUE)
			       : builder_metric(m->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	track_id t = builder_track(m->b, track, strlen(track), TRACK_THREAD);
	m->s = steps ? builder_steps(m->b, t) : builder_samples(m->b, t, &m->metric, 1);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		char name[2] = {(char)('a' + i), '\0'};
		m->function[i] = builder_function_named(m->b, name, 1);
		m->frame[i] = builder_frame(m->b, m->function[i], line_unknown());
	}
}

struct made *
made_new(bool steps, bool weighted)
{
	struct made *m = mem_zalloc(1, sizeof *m);

	m->p = profile_new();
	m->b = builder_new(m->p, "test", "test");
	made_begin(m, "main", steps, weighted);
	lens_init(&m->lens);
	m->fold = fold_new();
	layout_init(&m->l);
	return m;
}
/* ---- filters, frame by frame ---- */

static bool
has(const struct made_event *e, unsigned function)
{
	for (unsigned d = 1; d <= e->depth; d++)
		if (e->function[d] == function)
			return true;
	return false;
}

/* Applies an entry to an event; in a dropped event nothing runs. */
static void
made_sift(struct made_event *e, enum verb verb, unsigned function)
{
	unsigned depth = 0;
	bool below = false;

	if (verb == VERB_INCLUDE || verb == VERB_EXCLUDE) {
		e->depth = has(e, function) == (verb == VERB_INCLUDE) ? e->depth : 0;
		return;
	}
	for (unsigned d = 1; d <= e->depth; d++) {
		bool is = e->function[d] == function;
		below |= is;
		if (verb == VERB_HIDE ? is : verb == VERB_SHOW ? !is : !below)
			continue;
		e->function[++depth] = e->function[d];
		e->call[depth] = e->call[d];
	}
	e->depth = depth;
}

void
made_filter(struct lens *l, struct made *const *made, unsigned tracks, uint64_t seed)
{
	static const enum verb verbs[] = {VERB_INCLUDE, VERB_EXCLUDE, VERB_HIDE, VERB_SHOW,
					  VERB_ROOT};
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, seed);
	for (unsigned n = 1 + chance_below(&c, 2); n > 0; n--) {
		enum verb verb = verbs[chance_below(&c, sizeof verbs / sizeof *verbs)];
		unsigned function = chance_below(&c, FUNCTIONS);
		char name[] = {'=', (char)('a' + function)};
		ck_assert(lens_add(l, verb, name, sizeof name, &e));
		for (unsigned t = 0; t < tracks; t++)
			for (unsigned i = 0; i < made[t]->n; i++)
				made_sift(&made[t]->event[i], verb, function);
	}
}

void
made_look(struct made *m, bool filtered, uint64_t seed)
{
	struct err e;

	err_init(&e);
	builder_finish(m->b, &e);
	if (filtered)
		made_filter(&m->lens, &m, 1, seed);
	ck_assert(fold_update(m->fold, m->p, &m->lens, NULL, &e));
	layout_look(&m->l, m->p, m->fold->tree);
	m->lane = (struct layout_lane){.series = m->s};
	layout_lane_look(&m->l, m->p, &m->lane, m->metric);
}

void
made_free(struct made *m)
{
	layout_lane_release(&m->lane);
	layout_release(&m->l);
	fold_free(m->fold);
	lens_release(&m->lens);
	builder_free(m->b);
	profile_free(m->p);
	free(m);
}

stack_id
made_stack(struct made *m, const struct made_event *e)
{
	stack_id s = STACK_EMPTY;

	for (unsigned d = 1; d <= e->depth; d++)
		s = builder_child(m->b, s, m->frame[e->function[d]]);
	return s;
}

static void
made_step(struct made *m, const struct made_event *e, int64_t time, uint32_t flags)
{
	struct err err;

	err_init(&err);
	ck_assert(builder_step(m->b, m->s, time, made_stack(m, e), flags, 0, &err));
	if (m->n)
		m->event[m->n - 1].end = time;
	m->event[m->n] = *e;
	m->event[m->n].time = m->event[m->n].end = time;
	m->event[m->n].runs = e->depth > 0;
	m->n++;
}

void
made_steps(struct made *m, uint64_t seed, unsigned n, bool filtered)
{
	static const struct made_event nothing;
	struct made_event now = nothing;
	struct chance c;
	unsigned calls = 0, slow = 1 + (unsigned)(seed % 3) * 400;
	int64_t time = 0;

	chance_init(&c, seed);
	made_step(m, &nothing, time, 0);
	while (m->n + 3 < n) {
		time += chance_below(&c, chance_one_in(&c, 20) ? slow : 12);
		if (now.depth < DEPTH && (!now.depth || chance_below(&c, 9) < (filtered ? 4 : 5))) {
			now.function[++now.depth] = chance_below(&c, FUNCTIONS);
			now.call[now.depth] = calls++;
			made_step(m, &now, time, STEP_CALL);
		} else if (chance_one_in(&c, 4)) { /* suspended, and resumed */
			made_step(m, &nothing, time, 0);
			time += 1 + chance_below(&c, slow);
			made_step(m, &now, time, 0);
		} else {
			now.depth--;
			made_step(m, &now, time, STEP_RETURN);
		}
	}
	made_step(m, &nothing, time + 5, 0);
}

void
made_columns(struct made *m, struct cells *c, int64_t from, int64_t to, unsigned n)
{
	for (unsigned x = 0; x < n; x++) {
		int64_t a = wide_part(from, to, n, x), b = wide_part(from, to, n, x + 1);
		cells_column(c, &m->l, &m->lane, a, b > a ? b : a + 1);
	}
}

struct made *
made_by_steps(uint64_t seed, unsigned n, bool filtered)
{
	struct made *m = made_new(true, false);

	made_steps(m, seed, n, filtered);
	made_look(m, filtered, seed);
	return m;
}

struct made *
made_by_samples(uint64_t seed, unsigned n, bool filtered)
{
	bool weighted = seed % 2;
	struct made *m = made_new(false, weighted);
	struct chance c;
	int64_t time = 0;
	struct err err;

	err_init(&err);
	chance_init(&c, seed);
	if (!weighted)
		builder_sample_interval(m->s, 10);
	for (; m->n < n; m->n++) {
		struct made_event *e = &m->event[m->n];
		int64_t weight = weighted ? 1 + chance_below(&c, 30) : 10;
		e->depth = 1 + chance_below(&c, DEPTH);
		for (unsigned d = 1; d <= e->depth; d++) {
			e->function[d] = chance_below(&c, chance_one_in(&c, 3) ? FUNCTIONS : 2);
			e->call[d] = m->n;
		}
		time += chance_one_in(&c, 15) ? chance_below(&c, 3000) : 7 + chance_below(&c, 8);
		e->time = time;
		e->end = time + weight;
		if (m->n && m->event[m->n - 1].end > time)
			m->event[m->n - 1].end = time;
		ck_assert(builder_sample(m->b, m->s, time, made_stack(m, e), &weight, 0, &err));
	}
	made_look(m, filtered, seed);
	return m;
}

/* ---- the truth ---- */

bool
made_seen(const struct made_event *e, int64_t from, int64_t to)
{
	return e->depth && e->time < to && (e->time >= from || e->end > from);
}

static int64_t
seen_for(const struct made_event *e, int64_t from, int64_t to)
{
	int64_t a = e->time > from ? e->time : from, b = e->end < to ? e->end : to;
	return b > a ? b - a : 1;
}

unsigned
made_function(const struct made_event *e, unsigned row)
{
	return e->function[row ? row : e->depth];
}

bool
made_shows(const struct made_cell_truth *cell, unsigned function)
{
	return cell->function == (int)function || cell->sum[function] * 8 >= cell->whole;
}

static enum mix
made_mix(const struct made_cell_truth *cell)
{
	int64_t first = cell->sum[cell->function];
	int eighths = 0;

	for (unsigned f = 0; f < FUNCTIONS; f++)
		eighths += cell->sum[f] * 8 >= cell->whole;
	if (first * 20 >= cell->whole * 17 || (eighths < 2 && first * 4 >= cell->whole * 3))
		return MIX_ONE;
	if (eighths == 2 && (first + cell->sum[cell->second]) * 10 >= cell->whole * 9)
		return MIX_TWO;
	return MIX_MANY;
}

struct made_cell_truth
made_most(const struct made *m, const bool *on, unsigned row, int64_t from, int64_t to)
{
	unsigned first[FUNCTIONS] = {0};
	struct made_cell_truth out = {.function = -1, .second = -1};

	for (unsigned i = 0; i < m->n; i++) {
		const struct made_event *e = &m->event[i];
		if (!made_seen(e, from, to) || e->depth < row || (on && !on[i]))
			continue;
		unsigned f = made_function(e, row);
		if (!out.sum[f])
			first[f] = i;
		out.sum[f] += seen_for(e, from, to);
		out.whole += seen_for(e, from, to);
	}
	for (int rank = 0; rank < 2; rank++) {
		int best = -1;
		for (int f = 0; f < FUNCTIONS; f++)
			if (out.sum[f] && f != out.function &&
			    (best < 0 || out.sum[f] > out.sum[best] ||
			     (out.sum[f] == out.sum[best] && first[f] < first[best])))
				best = f;
		*(rank ? &out.second : &out.function) = best;
	}
	if (out.function >= 0)
		out.mix = made_mix(&out);
	return out;
}

struct made_cell_truth
made_cell(const struct made *m, struct made_callers *above, unsigned x, unsigned row, int64_t from,
	  int64_t to)
{
	struct made_cell_truth out = made_most(m, row > 1 ? above->on[x] : NULL, row, from, to);
	bool anew = row <= 1 || out.function < 0;
	int64_t all = 0;

	if (row <= 1)
		above->astray[x] = false;
	if (out.function < 0)
		out = made_most(m, NULL, row, from, to);
	if (row > 1 && anew)
		above->astray[x] = true;
	for (unsigned i = 0; i < m->n; i++) {
		const struct made_event *e = &m->event[i];
		bool seen = made_seen(e, from, to) && e->depth >= row;
		all += seen ? seen_for(e, from, to) : 0;
		if (row)
			above->on[x][i] = (anew || above->on[x][i]) && seen &&
					  made_shows(&out, made_function(e, row));
	}
	if (out.function >= 0)
		for (out.fill = 1; all * 8 >= (to - from) * out.fill && out.fill < 8;)
			out.fill = out.fill == 7 || all * 8 >= (to - from) * 7 ? 8 : out.fill + 1;
	return out;
}
