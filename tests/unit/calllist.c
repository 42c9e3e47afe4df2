#include "model/calls/calllist.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/fold/tally.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Random programs call, return, recurse, sleep, and are recorded from somewhere in their middle.
 * They write down what they do: each call with its begin and end, and each moment with the open
 * calls. From these notes alone, moment by moment, the test computes what a list of calls must
 * contain. */

#define FUNCTIONS 5
#define CALLS 400
#define DEPTH 8
#define MOMENTS 500
#define TRACKS 3
#define START 1000

struct noted_call {
	unsigned function, track, depth;
	int path[DEPTH]; /* calls from the root, itself last */
	int64_t begin, end, value;
	bool entered, returned;
};

struct moment_of_run {
	unsigned track;
	int64_t from, to;
	int open[DEPTH]; /* calls */
	unsigned n;
	bool sleeps;
};

struct run {
	struct chance chance;
	struct profile *p;
	struct builder *b;
	struct series *series[TRACKS];
	struct noted_call call[CALLS];
	struct moment_of_run moment[MOMENTS];
	int64_t track_end[TRACKS];
	unsigned n_calls, n_moments, n_tracks;
	/* of the track that is made */
	int open[DEPTH];
	unsigned n_open, track;
	int64_t now;
	bool sleeps;
};

static const char *const names[FUNCTIONS] = {"alpha", "beta", "gamma", "delta", "idle"};

static void
enter(struct run *r, bool entered)
{
	struct noted_call *c = &r->call[r->n_calls];

	*c = (struct noted_call){
		.function = chance_below(&r->chance, FUNCTIONS),
		.track = r->track,
		.begin = r->now,
		.value = chance_below(&r->chance, 1000),
		.entered = entered,
	};
	r->open[r->n_open++] = (int)r->n_calls++;
	c->depth = r->n_open;
	memcpy(c->path, r->open, sizeof c->path);
}

static void
leave(struct run *r)
{
	struct noted_call *c = &r->call[r->open[--r->n_open]];

	c->end = r->now;
	c->returned = true;
}

static void
record(struct run *r, uint32_t flags)
{
	struct err e;
	stack_id s = STACK_EMPTY;

	err_init(&e);
	for (unsigned i = 0; !r->sleeps && i < r->n_open; i++) {
		const char *name = names[r->call[r->open[i]].function];
		s = builder_child(r->b, s,
				  builder_frame(r->b,
						builder_function_named(r->b, name, strlen(name)),
						line_unknown()));
	}
	int64_t value = s == STACK_EMPTY ? 0 : r->call[r->open[r->n_open - 1]].value;
	ck_assert(builder_step_valued(r->b, r->series[r->track], r->now, s, flags, value, 0, &e));
}

/* Sets the state of the program for the next moments. */
static void
hold(struct run *r)
{
	struct moment_of_run *m = &r->moment[r->n_moments++];

	*m = (struct moment_of_run){.track = r->track, .from = r->now, .n = r->n_open};
	m->sleeps = r->sleeps || !r->n_open;
	memcpy(m->open, r->open, sizeof m->open);
	r->now += chance_below(&r->chance, 4);
	m->to = r->now;
}

static uint32_t
act(struct run *r)
{
	bool may_call = r->n_open < DEPTH && r->n_calls < CALLS;

	if (r->sleeps) {
		r->sleeps = false;
		return 0;
	}
	switch (chance_below(&r->chance, 6)) {
	case 0:
		r->sleeps = r->n_open > 0;
		return 0;
	case 1:
	case 2:
		if (!r->n_open)
			return 0;
		leave(r);
		return STEP_RETURN;
	case 3:
		if (!r->n_open || r->n_calls == CALLS)
			return 0;
		leave(r);
		enter(r, true);
		return STEP_RETURN | STEP_CALL;
	default:
		if (!may_call)
			return 0;
		enter(r, true);
		return STEP_CALL;
	}
}

static void
make_track(struct run *r, unsigned track)
{
	char name[] = "track 0";

	name[6] = (char)('0' + track);
	r->track = track;
	track_id t = builder_track(r->b, name, strlen(name), TRACK_THREAD);
	ck_assert_uint_eq(t, track);
	r->series[track] = builder_steps_valued(r->b, t);
	r->now = START;
	r->n_open = 0;
	r->sleeps = false;
	for (uint32_t i = chance_below(&r->chance, 4); i; i--)
		enter(r, false);
	record(r, 0);
	hold(r);
	for (uint32_t i = chance_below(&r->chance, 120); i; i--) {
		uint32_t flags = act(r);
		record(r, flags);
		hold(r);
	}
	builder_track_end(r->b, t, r->now);
	r->track_end[track] = r->now;
	while (r->n_open)
		r->call[r->open[--r->n_open]].end = r->now;
}

static struct run *
run_new(uint64_t seed)
{
	struct run *r = calloc(1, sizeof *r);
	struct err e;

	err_init(&e);
	chance_init(&r->chance, seed);
	r->p = profile_new();
	r->b = builder_new(r->p, "run", "random");
	builder_metric(r->b, "time", UNIT_NS, ROLE_TIME);
	builder_metric(r->b, "calls", UNIT_CALLS, ROLE_CALLS);
	r->n_tracks = 1 + chance_below(&r->chance, TRACKS);
	for (unsigned t = 0; t < r->n_tracks; t++)
		make_track(r, t);
	builder_finish(r->b, &e);
	return r;
}

static void
run_free(struct run *r)
{
	builder_free(r->b);
	profile_free(r->p);
	free(r);
}

/* ---- expected lists ---- */

#define NOBODY FUNCTIONS

struct expected {
	int64_t duration, start, self, value;
	unsigned track, function, caller;
	bool cut_begin, cut_end;
};

/* The selection of a list; functions are bits. */
struct looked {
	bool whole;
	int64_t from, to, over;
	unsigned hidden, excluded, only, tracks;
};

static bool
in(unsigned set, unsigned i)
{
	return set >> i & 1;
}

/* Entries of a lens apply one after the other: a hidden frame does not exclude anything. */
static bool
excluded(const struct run *r, const struct looked *l, const int *path, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (in(l->excluded & ~l->hidden, r->call[path[i]].function))
			return true;
	return false;
}

/* The call on this path that is shown and nearest to its end; -1: none. */
static int
nearest(const struct run *r, const struct looked *l, const int *path, unsigned n)
{
	while (n--)
		if (!in(l->hidden, r->call[path[n]].function))
			return path[n];
	return -1;
}

/* The first moment in the range in which the call was seen; false: none.  `on_top`: calling
 * nothing else. */
static bool
first_seen(const struct run *r, const struct looked *l, int call, bool on_top, int64_t *when)
{
	const struct noted_call *c = &r->call[call];

	for (unsigned i = 0; i < r->n_moments; i++) {
		const struct moment_of_run *m = &r->moment[i];
		if (m->track != c->track || m->sleeps || m->n < c->depth ||
		    (on_top && m->n > c->depth) || m->open[c->depth - 1] != call ||
		    m->to < l->from || m->from >= l->to)
			continue;
		*when = m->from > l->from ? m->from : l->from;
		return true;
	}
	return false;
}

static int64_t
self_of(const struct run *r, const struct looked *l, int call)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < r->n_moments; i++) {
		const struct moment_of_run *m = &r->moment[i];
		int64_t from = m->from > l->from ? m->from : l->from;
		int64_t to = m->to < l->to ? m->to : l->to;
		if (m->track == r->call[call].track && !m->sleeps && to > from &&
		    !excluded(r, l, m->open, m->n) && nearest(r, l, m->open, m->n) == call)
			sum += to - from;
	}
	return sum;
}

/* False: it is not listed. */
static bool
expect(const struct run *r, const struct looked *l, int call, struct expected *out)
{
	const struct noted_call *c = &r->call[call];
	int64_t end = c->end, start = c->begin, seen;

	if (!in(l->tracks, c->track) || in(l->hidden, c->function) ||
	    !in(l->only, c->function) || excluded(r, l, c->path, c->depth))
		return false;
	*out = (struct expected){.track = c->track, .function = c->function};
	out->cut_begin = !c->entered || start < l->from;
	if (out->cut_begin && !first_seen(r, l, call, false, &start))
		return false;
	if (start >= l->to)
		return false;
	out->cut_end = !c->returned || end >= l->to;
	if (out->cut_end && end > l->to)
		end = l->to;
	if (end < start)
		return false;
	out->start = start - START;
	out->duration = end - start;
	if (out->duration <= l->over || (out->cut_begin && !out->duration))
		return false;
	out->self = self_of(r, l, call);
	/* the value of an earlier call is reported while the call itself runs */
	out->value = !out->cut_begin || first_seen(r, l, call, true, &seen) ? c->value : -1;
	int caller = nearest(r, l, c->path, c->depth - 1);
	out->caller = caller < 0 ? NOBODY : r->call[caller].function;
	return true;
}

static int
compare_expected(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

#define BY(field)                                                                          \
	if (x->field != y->field)                                                          \
		return x->field > y->field ? -1 : 1
	BY(duration);
	BY(start);
	BY(track);
	BY(function);
	BY(caller);
	BY(self);
	BY(value);
	BY(cut_begin);
	BY(cut_end);
	return 0;
}

/* ---- tests of lists ---- */

static unsigned
function_of(const struct run *r, key_id key)
{
	if (key == KEY_NONE)
		return NOBODY;
	struct name name = names_get(&r->p->names, r->p->frames.function.name[key]);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (strlen(names[i]) == name.len && !memcmp(names[i], name.at, name.len))
			return i;
	ck_abort_msg("a function that never was");
}

static struct expected
given(const struct run *r, const struct calllist *l, const struct call *c)
{
	const struct projection *t = calllist_tree(l);

	return (struct expected){
		.duration = c->duration,
		.start = c->start,
		.self = c->self,
		.value = c->stack & CALL_VALUED ? c->value : -1,
		.track = c->track,
		.function = function_of(r, call_row(t, c).key),
		.caller = function_of(r, call_caller(t, c)),
		.cut_begin = c->stack & CALL_CUT_BEGIN,
		.cut_end = c->stack & CALL_CUT_END,
	};
}

static void
add_entries(struct lens *l, enum verb verb, unsigned set)
{
	struct err e;
	char text[32];

	err_init(&e);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		int n = snprintf(text, sizeof text, "=%s", names[i]);
		if (in(set, i))
			ck_assert(lens_add(l, verb, text, (size_t)n, &e));
	}
}

static struct calllist *
list_new(struct run *r, const struct looked *look, uint32_t keep)
{
	uint8_t tracks[TRACKS];
	struct slice slice = {.whole = look->whole, .tracks = tracks};
	struct lens lens;
	struct err e;

	if (!look->whole) {
		slice.from = look->from - START;
		slice.to = look->to - START;
	}
	err_init(&e);
	lens_init(&lens);
	lens.invert = chance_one_in(&r->chance, 2); /* which does not matter */
	add_entries(&lens, VERB_HIDE, look->hidden);
	add_entries(&lens, VERB_EXCLUDE, look->excluded);
	for (unsigned t = 0; t < r->n_tracks; t++)
		tracks[t] = in(look->tracks, t);
	struct calllist_asks asks = {.lens = &lens, .range = &slice, .key = KEY_NONE,
				     .over = look->over, .keep = keep};
	if (look->only == 2)
		asks.function = pattern_new("^beta$", 6, &e);
	struct calllist *l = calllist_new(r->p, &asks);
	pattern_unref(asks.function);
	lens_release(&lens);
	return l;
}

static void
run_in_portions(struct run *r, struct calllist *l)
{
	uint32_t n;

	while (!calllist_run(l, 1 + chance_below(&r->chance, 40)))
		if (chance_one_in(&r->chance, 4))
			calllist_sorted(l, &n); /* who looks meanwhile changes nothing */
}

static void
check_look(struct run *r, const struct looked *look, uint64_t seed)
{
	static struct expected want[CALLS], have[CALLS];
	uint32_t n, few, n_few;
	unsigned n_want = 0;

	for (unsigned i = 0; i < r->n_calls; i++)
		n_want += expect(r, look, (int)i, &want[n_want]);
	struct calllist *l = list_new(r, look, CALLS);
	run_in_portions(r, l);
	const struct call *call = calllist_sorted(l, &n);
	ck_assert_msg(n == n_want && calllist_found(l) == n,
		      "run %llu, [%lld, %lld) over %lld, hidden %x, excluded %x, only %x: %u "
		      "calls, not %u",
		      (unsigned long long)seed, (long long)look->from, (long long)look->to,
		      (long long)look->over, look->hidden, look->excluded, look->only, n,
		      n_want);
	for (uint32_t i = 0; i < n; i++) {
		have[i] = given(r, l, &call[i]);
		ck_assert(!i || call_compare(&call[i - 1], &call[i]) <= 0);
	}
	qsort(want, n, sizeof *want, compare_expected);
	qsort(have, n, sizeof *have, compare_expected);
	for (uint32_t i = 0; i < n; i++)
		if (compare_expected(&want[i], &have[i]))
			ck_abort_msg("run %llu, [%lld, %lld), hidden %x, excluded %x: %s at "
				     "%lld for %lld, self %lld, value %lld, cut %d %d; must be "
				     "%s at %lld for %lld, self %lld, value %lld, cut %d %d",
				     (unsigned long long)seed, (long long)look->from,
				     (long long)look->to, look->hidden, look->excluded,
				     names[have[i].function], (long long)have[i].start,
				     (long long)have[i].duration, (long long)have[i].self,
				     (long long)have[i].value, have[i].cut_begin,
				     have[i].cut_end, names[want[i].function],
				     (long long)want[i].start, (long long)want[i].duration,
				     (long long)want[i].self, (long long)want[i].value,
				     want[i].cut_begin, want[i].cut_end);
	/* fewer of them are the first ones, and all are counted */
	few = chance_below(&r->chance, 12);
	struct calllist *short_one = list_new(r, look, few);
	run_in_portions(r, short_one);
	const struct call *first = calllist_sorted(short_one, &n_few);
	ck_assert_uint_eq(n_few, few < n ? few : n);
	ck_assert_uint_eq(calllist_found(short_one), n);
	for (uint32_t i = 0; i < n_few; i++)
		ck_assert_int_eq(call_compare(&first[i], &call[i]), 0);
	calllist_free(short_one);
	calllist_free(l);
}

START_TEST(test_notes)
{
	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct run *r = run_new(seed);
		for (int i = 0; i < 6; i++) {
			struct looked look = {.whole = true, .from = INT64_MIN, .to = INT64_MAX,
					      .over = -1, .only = UINT32_MAX,
					      .tracks = UINT32_MAX};
			if (i & 1) {
				look.whole = false;
				look.from = START + chance_below(&r->chance, 80);
				look.to = look.from + chance_below(&r->chance, 80);
			}
			if (i > 1)
				look.hidden = chance_below(&r->chance, 1 << FUNCTIONS) &
					      chance_below(&r->chance, 1 << FUNCTIONS);
			if (i > 2 && chance_one_in(&r->chance, 2))
				look.excluded = 1u << chance_below(&r->chance, FUNCTIONS);
			if (i > 3) {
				look.only = chance_one_in(&r->chance, 2) ? 2 : UINT32_MAX;
				look.over = chance_below(&r->chance, 8);
				look.tracks = chance_below(&r->chance, 1 << TRACKS);
			}
			check_look(r, &look, seed);
		}
		run_free(r);
	}
}
END_TEST

/* ---- other orders ---- */

static int
latest_first(const void *ctx, const struct call *a, const struct call *b)
{
	(void)ctx;
	return a->start > b->start ? -1 : a->start < b->start;
}

START_TEST(test_order)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct run *r = run_new(seed);
		struct lens lens;
		struct slice slice = {.whole = true};
		lens_init(&lens);
		struct calllist_asks asks = {.lens = &lens, .range = &slice, .key = KEY_NONE,
					     .over = -1, .keep = UINT32_MAX / 4,
					     .order = latest_first};
		struct calllist *all = calllist_new(r->p, &asks);
		asks.keep = 7;
		struct calllist *some = calllist_new(r->p, &asks);
		uint32_t n, m;
		calllist_run(all, UINT64_MAX);
		calllist_run(some, UINT64_MAX);
		const struct call *a = calllist_sorted(all, &n), *b = calllist_sorted(some, &m);
		ck_assert_uint_eq(m, n < 7 ? n : 7);
		for (uint32_t i = 1; i < n; i++)
			ck_assert(a[i - 1].start >= a[i].start);
		for (uint32_t i = 0; i < m; i++)
			ck_assert_int_eq(call_compare(&a[i], &b[i]), 0);
		calllist_free(all);
		calllist_free(some);
		lens_release(&lens);
		run_free(r);
	}
}
END_TEST

UNIT(calllist)
{
	Suite *suite = suite_create("calllist");
	TCase *cases = tcase_create("random");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_notes);
	tcase_add_test(cases, test_order);
	suite_add_tcase(suite, cases);
	return suite;
}
