/* bands.c - the row of a thread's states against plain loops over the states: times of any range
 * are exact, and in each window of ten columns a state has the columns that its time is worth, at
 * every zoom.  Edges near a moment are those that a search of all edges finds. */
#include "model/picture/bands.h"

#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/picture/arrows.h"
#include "tests/lib/unit.h"

#define SPAN 10000000
#define WINDOW 10u
#define SEEDS 60
#define ACTORS 6u

static uint64_t
next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* A thread whose states last about `length`, each kind with lengths of its own. */
static void
random_states(struct actor *a, uint64_t seed, int64_t length)
{
	unsigned kinds = 2 + (unsigned)(seed % 4), state = 1;
	int64_t at = (int64_t)(next_random(&seed) % 1000), worth[ACTOR_STATE_COUNT];

	for (unsigned s = 0; s < ACTOR_STATE_COUNT; s++)
		worth[s] = 1 + length * (int64_t)(next_random(&seed) % 100) / 50;
	*a = (struct actor){.track = TRACK_NONE};
	while (at < SPAN) {
		actor_push(a, at, (enum actor_state)state, ACTOR_BY_NOTHING);
		at += worth[state] * (int64_t)(50 + next_random(&seed) % 100) / 100;
		state = 1 + (state + (unsigned)(next_random(&seed) % (kinds - 1))) %
				    (kinds < 4 ? kinds : 4);
	}
}

static void
naive_times(const struct actor *a, int64_t from, int64_t to, struct band_times *out)
{
	int64_t begin = 0;
	unsigned state = ACTOR_UNKNOWN;

	*out = (struct band_times){{0}};
	for (uint32_t i = 0; i <= a->n; i++) {
		int64_t end = i < a->n ? actor_time(a, i) : SPAN;
		int64_t p = begin > from ? begin : from, q = end < to ? end : to;
		if (q > p)
			out->ns[state] += q - p;
		begin = end;
		state = i < a->n ? actor_state(a, i) : ACTOR_UNKNOWN;
	}
}

static unsigned
kinds_of(const struct actor *a)
{
	unsigned seen = 0;

	for (uint32_t i = 0; i < a->n; i++)
		seen |= 1u << actor_state(a, i);
	return (unsigned)__builtin_popcount(seen);
}

/* Two states that take turns have their columns up to one, more of them up to 1.6. */
static void
check_window(const struct actor *a, const struct band_column *column, unsigned x, unsigned n)
{
	int64_t from = (int64_t)SPAN * x / n, to = (int64_t)SPAN * (x + WINDOW) / n;
	unsigned painted[ACTOR_STATE_COUNT] = {0};
	struct band_times is;
	double most = a->n && kinds_of(a) > 2 ? 0.16 : 0.1;

	naive_times(a, from, to, &is);
	for (unsigned k = 0; k < WINDOW; k++)
		painted[column[x + k].state]++;
	for (unsigned s = 0; s < ACTOR_STATE_COUNT; s++) {
		double share = (double)is.ns[s] / (double)(to - from);
		double shown = painted[s] / (double)WINDOW;
		ck_assert_msg(shown <= share + most && shown >= share - most,
			      "column %u of %u: %.3f of state %u is %.3f", x, n, share, s, shown);
	}
}

START_TEST(test_a_row_has_the_right_mixture_at_every_zoom)
{
	static const unsigned widths[] = {40, 57, 80, 99, 133, 200};
	struct band_column column[200];
	struct bands b = {.start = 0};
	struct actor a;

	random_states(&a, (uint64_t)_i * 977 + 1, SPAN / (10 << _i % 12));
	bands_update(&b, &a, 0);
	for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
		unsigned n = widths[w];
		bands_columns(&b, &a, SPAN, 0, SPAN, n, column);
		for (unsigned x = 0; x + WINDOW <= n; x += WINDOW)
			check_window(&a, column, x, n);
		for (unsigned x = 0; x < n; x++) {
			struct band_times is;
			naive_times(&a, (int64_t)SPAN * x / n, (int64_t)SPAN * (x + 1) / n, &is);
			double share = (double)is.ns[column[x].state] * n / SPAN;
			ck_assert(share > 0);
			ck_assert(column[x].mixed == (share < 0.85));
		}
	}
	bands_release(&b);
	actor_release(&a);
}
END_TEST

START_TEST(test_times_in_any_range_are_exact)
{
	uint64_t seed = (uint64_t)_i;
	struct bands b = {.start = 0};
	struct band_times is, naive;
	struct actor all, a = {.n = 0};

	random_states(&all, seed * 31 + 7, SPAN / (10 << _i % 9));
	for (unsigned part = 1; part <= 3; part++) { /* the profile grows */
		while (a.n < all.n * part / 3)
			actor_push(&a, actor_time(&all, a.n), actor_state(&all, a.n), 0);
		bands_update(&b, &a, 0);
	}
	for (unsigned i = 0; i < 200; i++) {
		int64_t from = (int64_t)(next_random(&seed) % SPAN);
		int64_t to = from + (int64_t)(next_random(&seed) % (uint64_t)(SPAN - from + 1));
		bands_between(&b, &a, from, to, &is);
		naive_times(&a, from, to, &naive);
		for (unsigned s = 0; s < ACTOR_STATE_COUNT; s++)
			ck_assert_int_eq(is.ns[s], naive.ns[s]);
	}
	bands_release(&b);
	actor_release(&all);
	actor_release(&a);
}
END_TEST

/* ---- edges ---- */

/* Threads that wake one another, run, and send flows. */
static struct profile *
random_edges(struct builder **out, uint64_t seed)
{
	struct profile *p = profile_new();
	struct builder *b = *out = builder_new(p, "file", "test");
	actor_id a[ACTORS];
	struct err e;

	err_init(&e);
	for (unsigned i = 0; i < ACTORS; i++)
		a[i] = builder_actor(b, "t", 1, TRACK_NONE);
	for (int64_t at = 0; at < 4000; at += 1 + (int64_t)(next_random(&seed) % 5)) {
		actor_id of = a[next_random(&seed) % ACTORS], by = a[next_random(&seed) % ACTORS];
		switch (next_random(&seed) % 5) {
		case 0:
			builder_state(b, of, at, ACTOR_RUNNING);
			break;
		case 1:
			builder_state(b, of, at, ACTOR_WAITING);
			break;
		case 2:
		case 3:
			builder_woken(b, of, at, by);
			break;
		default:
			builder_edge(b, EDGE_FLOW, by, at, of,
				     at + (int64_t)(next_random(&seed) % 50));
		}
	}
	builder_finish(b, &e);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	return p;
}

/* Returns the times of all edges that leave the actor, sorted. */
static size_t
naive_leaving(const struct profile *p, actor_id a, int64_t *at)
{
	size_t n = 0;

	for (actor_id i = 0; i < p->n_actors; i++)
		for (uint32_t k = 0; k < p->actor[i].n; k++) {
			actor_id by;
			if (i != a && actor_woken(&p->actor[i], k, &by) && by == a)
				at[n++] = p->actor[i].time[k];
		}
	for (uint32_t i = 0; i < p->n_edges; i++)
		if (edge_from(&p->edge[i]) == a && p->edge[i].to != a)
			at[n++] = p->edge[i].from_time;
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && at[k] < at[k - 1]; k--) {
			int64_t other = at[k];
			at[k] = at[k - 1];
			at[k - 1] = other;
		}
	return n;
}

/* The edges that leave are the first ones from `when` on, else the last one before it. */
static void
check_leaving(const struct arrows *found, const int64_t *at, size_t n, int64_t from, int64_t to,
	      int64_t when)
{
	unsigned k = 0;
	size_t i = 0;

	while (k < found->n && found->at[k].arrives)
		k++;
	while (i < n && at[i] < when)
		i++;
	if (i == n || at[i] >= to) {
		bool before = i && at[i - 1] >= from;
		ck_assert_uint_eq(found->n - k, before);
		if (before)
			ck_assert_int_eq(found->at[k].from_time, at[i - 1]);
		return;
	}
	for (; i < n && at[i] < to && k < ARROWS_MAX; i++, k++) {
		ck_assert_uint_lt(k, found->n);
		ck_assert_int_eq(found->at[k].from_time, at[i]);
	}
	ck_assert_uint_eq(k, found->n);
}

START_TEST(test_edges_near_a_moment)
{
	struct builder *b;
	uint64_t seed = (uint64_t)_i * 77 + 5;
	struct profile *p = random_edges(&b, seed);
	int64_t *at = mem_alloc(10000, sizeof *at);
	unsigned arrived = 0;

	for (unsigned i = 0; i < 300; i++) {
		actor_id a = (actor_id)(next_random(&seed) % ACTORS);
		int64_t from = (int64_t)(next_random(&seed) % 3900);
		int64_t to = from + 1 + (int64_t)(next_random(&seed) % 100);
		int64_t when = from + (int64_t)(next_random(&seed) % (uint64_t)(to - from));
		struct arrows found;
		arrows_find(p, a, from, to, when, &found);
		check_leaving(&found, at, naive_leaving(p, a, at), from, to, when);
		for (unsigned k = 0; k < found.n; k++) {
			ck_assert(found.at[k].other != a);
			arrived += found.at[k].arrives;
		}
	}
	ck_assert_uint_gt(arrived, 0);
	free(at);
	builder_free(b);
	profile_free(p);
}
END_TEST

UNIT(bands)
{
	Suite *s = suite_create("bands");
	TCase *t = tcase_create("bands");

	tcase_add_loop_test(t, test_a_row_has_the_right_mixture_at_every_zoom, 0, SEEDS);
	tcase_add_loop_test(t, test_times_in_any_range_are_exact, 0, SEEDS);
	tcase_add_loop_test(t, test_edges_near_a_moment, 0, SEEDS);
	suite_add_tcase(s, t);
	return s;
}
