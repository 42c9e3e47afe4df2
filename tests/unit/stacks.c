#include "model/profile/stacks.h"

#include <check.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/profile/profile.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* The tree of stacks, and the builder's ways into it: frame by frame, whole from the root,
 * whole from the leaf, by paths below others.  All must find the same stack for the same frames,
 * and no two for different ones. */

START_TEST(test_children)
{
	struct stacks t;

	stacks_init(&t);
	stack_id a = stacks_child(&t, STACK_EMPTY, 7), b = stacks_child(&t, a, 7);
	ck_assert(a != STACK_EMPTY && b != a);
	ck_assert_uint_ne(stacks_child(&t, STACK_EMPTY, 8), a);
	ck_assert_uint_eq(stacks_child(&t, STACK_EMPTY, 7), a);
	ck_assert_uint_eq(stacks_child(&t, a, 7), b);
	ck_assert_uint_eq(t.parent[STACK_EMPTY], STACK_NONE);
	stacks_release(&t);
}
END_TEST

/* The longest run of used slots. */
static uint32_t
longest_run(const struct slots *slots)
{
	uint32_t longest = 0, run = 0;

	for (uint32_t i = 0; i <= slots->mask; i++) {
		run = slots->at[i] ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* Functions that call themselves, directly or around, in two threads that take turns: so that
 * no child follows its parent, and each has a slot.  Hashes as good as by chance leave no runs
 * of slots longer than some hundreds; one that runs in a circle makes every deeper frame a
 * walk along all of them. */
START_TEST(test_recursion)
{
	for (unsigned around = 1; around <= 12; around++) {
		struct stacks t;

		stacks_init(&t);
		stack_id s[2] = {stacks_child(&t, STACK_EMPTY, 1),
				 stacks_child(&t, STACK_EMPTY, 2)};
		for (uint32_t i = 0; i < 50000; i++)
			for (int k = 0; k < 2; k++)
				s[k] = stacks_child(&t, s[k], 1000 + i % around * 7);
		ck_assert_uint_eq(t.n, 100003);
		ck_assert_uint_ge(t.slots.used, 100000);
		uint32_t run = longest_run(&t.slots);
		ck_assert_msg(run < 2000, "%u functions around: %u slots", around, run);
		stacks_release(&t);
	}
}
END_TEST

/* Ways that are gone down together end where each alone does, from the root and from below. */
START_TEST(test_known)
{
	struct chance c;
	struct stacks t;
	frame_id frame[STACKS_WAYS][8];
	stack_id each[STACKS_WAYS][8], made[8];
	struct stacks_way way[STACKS_WAYS];

	chance_init(&c, 5);
	stacks_init(&t);
	for (unsigned round = 0; round < unit_rounds(400); round++) {
		size_t n = chance_below(&c, STACKS_WAYS + 1);
		for (size_t i = 0; i < n; i++) {
			way[i] = (struct stacks_way){.from = chance_below(&c, t.n),
						     .frame = frame[i],
						     .n = chance_below(&c, 9),
						     .each = each[i]};
			for (int k = 0; k < 8; k++)
				frame[i][k] = chance_below(&c, 3);
		}
		stacks_known(&t, way, n);
		for (size_t i = 0; i < n; i++) {
			stack_id s = way[i].from;
			for (size_t k = 0; k < way[i].known; k++) {
				ck_assert_uint_eq(t.parent[each[i][k]], s);
				s = each[i][k];
				ck_assert_uint_eq(t.frame[s], frame[i][k]);
			}
			for (stack_id x = 1; way[i].known < way[i].n && x < t.n; x++)
				ck_assert(t.parent[x] != s ||
					  t.frame[x] != frame[i][way[i].known]);
		}
		size_t depth = 1 + chance_below(&c, 7);
		for (size_t k = 0; k < depth; k++)
			frame[0][k] = chance_below(&c, 3);
		stacks_path(&t, chance_below(&c, t.n), frame[0], depth, 1, made);
	}
	for (stack_id x = 1; x < t.n; x++) /* none was made twice */
		ck_assert_uint_eq(stacks_child(&t, t.parent[x], t.frame[x]), x);
	ck_assert(t.slots.used < t.n);
	stacks_release(&t);
}
END_TEST

/* A full table accepts no stack, and still finds the known ones. The test marks the table as full,
 * since half a thousand million stacks would not fit into memory. */
START_TEST(test_full)
{
	struct stacks t;

	stacks_init(&t);
	stack_id a = stacks_child(&t, STACK_EMPTY, 7);
	uint32_t n = t.n;
	t.n = STACK_MAX + 1;
	ck_assert_uint_eq(stacks_child(&t, STACK_EMPTY, 8), STACK_NONE);
	ck_assert_uint_eq(stacks_child(&t, STACK_EMPTY, 7), a);
	t.n = n;
	stacks_release(&t);
}
END_TEST

/* Stacks that were appended unseen are found by the next search, also in a copy. */
START_TEST(test_appended)
{
	enum { N = 5000 };
	stack_id parent[N];
	frame_id frame[N];
	struct stacks t, copy;

	stacks_init(&t);
	for (uint32_t i = 0; i < N; i++) {
		parent[i] = i % 3 ? i : i / 2; /* first children and others */
		frame[i] = i * 7;
	}
	ck_assert(stacks_append(&t, parent, frame, N));
	stacks_copy(&copy, &t);
	for (uint32_t i = N; i-- > 0;) {
		ck_assert_uint_eq(stacks_child(&t, parent[i], frame[i]), i + 1);
		stack_id s;
		ck_assert_uint_eq(stacks_path(&copy, parent[i], &frame[i], 1, 1, &s), 1);
		ck_assert_uint_eq(s, i + 1);
	}
	ck_assert_uint_eq(stacks_child(&t, 1, 3), N + 1);
	ck_assert(stacks_append(&t, (stack_id[]){N + 1}, (frame_id[]){9}, 1));
	ck_assert_uint_eq(stacks_child(&t, N + 1, 9), N + 2);
	stacks_release(&t);
	stacks_release(&copy);
}
END_TEST

/* STACK_NONE, handed on to the event, is damage at the event's record. */
START_TEST(test_full_is_damage)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "full", "test");
	metric_id m = builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	metric_id v = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *steps = builder_steps(b, t),
		      *samples = builder_samples(b, t, &v, 1);
	struct series *totals = builder_totals(b, t, &v, 1);
	int64_t value = 1;
	struct err e[3];

	(void)m;
	for (int i = 0; i < 3; i++)
		err_init(&e[i]);
	ck_assert(!builder_step(b, steps, 5, STACK_NONE, STEP_CALL, 77, &e[0]));
	ck_assert(!builder_sample(b, samples, 5, STACK_NONE, &value, 77, &e[1]));
	ck_assert(!builder_total(b, totals, STACK_NONE, &value, 77, &e[2]));
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(e[i].class, ERR_DAMAGED);
		ck_assert(e[i].has_offset && e[i].offset == 77);
	}
	ck_assert_uint_eq(steps->n + samples->n + totals->n, 0);
	builder_free(b);
	profile_free(p);
}
END_TEST

#define DEPTH 40

START_TEST(test_ways_in)
{
	struct chance c;
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "ways", "test");
	frame_id known[9], frames[DEPTH], turned[DEPTH];
	size_t n = 0;

	chance_init(&c, 11);
	for (int i = 0; i < 9; i++)
		known[i] = builder_frame(b, builder_function_named(b, &"abcdefghi"[i], 1),
					 line_unknown());
	for (int round = 0; round < 30000; round++) {
		/* much in common with the stack before, as in real files */
		n = chance_below(&c, 3) ? chance_below(&c, (uint32_t)n + 1) : 0;
		for (size_t more = chance_below(&c, 6); more && n < DEPTH; more--)
			frames[n++] = known[chance_below(&c, 9)];
		for (size_t i = 0; i < n; i++)
			turned[n - 1 - i] = frames[i];
		stack_id way[4] = {STACK_EMPTY, 0, 0, STACK_EMPTY}, each[DEPTH];
		unsigned order = chance_below(&c, 4);
		for (unsigned k = 0; k < 4; k++) {
			unsigned which = (order + k) % 4;
			size_t part = chance_below(&c, (uint32_t)n + 1);
			if (which == 3)
				way[3] = builder_path(
					b, builder_path(b, STACK_EMPTY, frames, part, each),
					frames + part, n - part, each + part);
			else if (which == 1)
				way[1] = builder_stack(b, frames, n);
			else if (which == 2)
				way[2] = builder_stack_leaf_first(b, turned, n);
			else
				for (size_t i = 0; i < n; i++)
					way[0] = builder_child(b, way[0], frames[i]);
		}
		if (way[0] != way[1] || way[0] != way[2] || way[0] != way[3])
			ck_abort_msg("round %d: %u, %u, %u and %u", round, way[0], way[1],
				     way[2], way[3]);
		stack_id s = way[0];
		for (size_t i = n; i-- > 0; s = p->stacks.parent[s])
			if (s == STACK_EMPTY || p->stacks.frame[s] != frames[i] || each[i] != s)
				ck_abort_msg("round %d: not the frames that were given",
					     round);
		ck_assert_uint_eq(s, STACK_EMPTY);
	}
	builder_free(b);
	profile_free(p);
}
END_TEST

UNIT(stacks)
{
	Suite *suite = suite_create("stacks");
	TCase *cases = tcase_create("stacks");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_children);
	tcase_add_test(cases, test_recursion);
	tcase_add_test(cases, test_known);
	tcase_add_test(cases, test_full);
	tcase_add_test(cases, test_appended);
	tcase_add_test(cases, test_full_is_damage);
	tcase_add_test(cases, test_ways_in);
	suite_add_tcase(suite, cases);
	return suite;
}
