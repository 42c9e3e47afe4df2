/* order.c - positions requested in any order against a fully sorted table; and sorting by
 * counting. */
#include "model/fold/order.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/radix.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Numbers, many of them equal; ties are ordered by the element, the last one first. */
struct numbers {
	uint32_t n;
	int64_t *value;
	bool blind; /* all ranks are the same */
};

static int64_t
rank(const void *of, uint32_t thing)
{
	const struct numbers *x = of;

	return x->blind ? 0 : x->value[thing] / 4;
}

static int
compare(const void *of, uint32_t a, uint32_t b)
{
	const struct numbers *x = of;

	if (x->value[a] != x->value[b])
		return x->value[a] < x->value[b] ? -1 : 1;
	return a > b ? -1 : a < b;
}

static int
by_value(const void *a, const void *b, void *of)
{
	return compare(of, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* [place] the thing there. */
static uint32_t *
sorted(struct numbers *x)
{
	uint32_t *at = mem_alloc((size_t)x->n + 1, sizeof *at);

	for (uint32_t i = 0; i < x->n; i++)
		at[i] = i;
	if (x->n)
		qsort_r(at, x->n, sizeof *at, by_value, x);
	return at;
}

static void
ask(struct order *o, const struct order_by *by, const uint32_t *truth, struct chance *c)
{
	uint32_t place = chance_below(c, o->n);

	if (chance_one_in(c, 2)) {
		ck_assert_uint_eq(order_at(o, place, by), truth[place]);
		ck_assert_uint_eq(order_get(o, place), truth[place]);
	} else {
		ck_assert_uint_eq(order_place(o, truth[place], by), place);
	}
}

START_TEST(test_against_sorted)
{
	struct order o;

	order_init(&o);
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct chance c;
		chance_init(&c, seed);
		struct numbers x = {.n = chance_below(&c, seed % 5 ? 200 : 3000),
				    .blind = seed % 3 == 0};
		struct order_by by = {rank, compare, &x, NULL};
		uint32_t spread = 1 + chance_below(&c, 2000);
		x.value = mem_alloc((size_t)x.n + 1, sizeof *x.value);
		for (uint32_t i = 0; i < x.n; i++) /* falling, or by chance */
			x.value[i] = seed % 7 ? (int64_t)chance_below(&c, spread) - 100
					      : -(int64_t)i;
		uint32_t *truth = sorted(&x);
		order_begin(&o, x.n, &by);
		for (unsigned i = 0; x.n && i < 60; i++)
			ask(&o, &by, truth, &c);
		for (uint32_t i = 0; i < x.n; i++)
			ck_assert_uint_eq(order_at(&o, i, &by), truth[i]);
		free(truth);
		free(x.value);
	}
	order_release(&o);
}
END_TEST

#define MANY 300000u

struct rests {
	struct pace pace;
	unsigned left;
};

static bool
rests_some(struct pace *p)
{
	struct rests *r = (struct rests *)p;

	return r->left-- > 0;
}

/* A cancelled loop does no more work: the rows of the next piece are not computed one after the
 * other. */
START_TEST(test_gives_up)
{
	struct numbers x = {.n = MANY};
	struct order o;

	order_init(&o);
	x.value = mem_alloc(x.n, sizeof *x.value);
	for (uint32_t i = 0; i < x.n; i++)
		x.value[i] = (int64_t)((i * UINT64_C(2654435761)) % MANY);
	for (unsigned rests = 0; rests < 24; rests++) {
		struct rests r = {{rests_some, 4096, 0, false}, MANY / 4096 + rests};
		struct order_by by = {rank, compare, &x, &r.pace};
		order_begin(&o, x.n, &by);
		order_place(&o, 7, &by);
		ck_assert(r.pace.over);
		ck_assert_uint_lt(o.pieces.n, 200);
		order_at(&o, MANY / 2, &by);
		ck_assert_uint_lt(o.pieces.n, 200);
	}
	free(x.value);
	order_release(&o);
}
END_TEST

/* Few and many, with digits that all have in common and without; equals as they came. */
START_TEST(test_radix)
{
	struct radix_item item[400], spare[400];
	struct chance c;

	chance_init(&c, 7);
	for (uint32_t n = 0; n < 400; n += n < 60 ? 1 : 37) {
		unsigned shift = chance_below(&c, 56), wide = 1 + chance_below(&c, 5000);
		uint64_t common = (uint64_t)chance_below(&c, 1000) << 54;
		for (uint32_t i = 0; i < n; i++)
			item[i] = (struct radix_item){
				common + ((uint64_t)chance_below(&c, wide) << shift), i};
		struct radix_item was[400];
		memcpy(was, item, n * sizeof *item);
		radix_sort(item, spare, n);
		for (uint32_t i = 0; i < n; i++) {
			ck_assert_uint_eq(item[i].number, was[item[i].thing].number);
			if (!i)
				continue;
			bool before = item[i - 1].number < item[i].number ||
				      (item[i - 1].number == item[i].number &&
				       item[i - 1].thing < item[i].thing);
			ck_assert(before);
		}
	}
}
END_TEST

UNIT(order)
{
	Suite *suite = suite_create("order");
	TCase *tests = tcase_create("order");

	tcase_add_test(tests, test_against_sorted);
	tcase_add_test(tests, test_gives_up);
	tcase_add_test(tests, test_radix);
	suite_add_tcase(suite, tests);
	return suite;
}
