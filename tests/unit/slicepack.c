#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "src/decode/common/slicepack.h"
#include "tests/lib/unit.h"

/* Slices by chance, in several orders, come back in the order that qsort() makes of them: with
 * more of them than are kept as they are, parents that come long after their children, and
 * pairs between. */

#define SLICES 20000u
#define PAIRS 300u
#define ROUNDS 6

struct expected_slice {
	struct packed_slice slice;
	unsigned flags;
};

static uint64_t
chance(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

static int
compare_expected(const void *a, const void *b)
{
	const uint64_t *x = ((const struct expected_slice *)a)->slice.of;
	const uint64_t *y = ((const struct expected_slice *)b)->slice.of;

	if (x[SLICE_START] != y[SLICE_START])
		return x[SLICE_START] < y[SLICE_START] ? -1 : 1;
	if (x[SLICE_LENGTH] != y[SLICE_LENGTH])
		return x[SLICE_LENGTH] > y[SLICE_LENGTH] ? -1 : 1;
	return x[SLICE_NUMBER] < y[SLICE_NUMBER] ? -1 : 1;
}

/* The order of ends with parents of all lengths; falling starts; few starts; any. */
static struct packed_slice
slice_by_chance(unsigned round, uint64_t i, uint64_t *state)
{
	uint64_t end = 100000 + i * 10, length = 1 + chance(state, 9), start;

	if (round % 4 == 0 && chance(state, 50) == 0)
		length = chance(state, chance(state, 20) ? 5000 : end);
	start = end - length;
	if (round % 4 == 1)
		start = 1000000 - i * 3;
	else if (round % 4 == 2)
		start = i / 1000;
	else if (round % 4 == 3)
		start = chance(state, UINT64_MAX >> 35) << 33;
	return (struct packed_slice){.of = {
		[SLICE_START] = start,
		[SLICE_LENGTH] = length,
		[SLICE_VALUE] = chance(state, 3) ? 0x7f0000000000 + chance(state, 99) : UINT64_MAX,
		[SLICE_NAME] = chance(state, 1 + round * 300),
		[SLICE_NUMBER] = 2 * i,
	}};
}

static void
check_expected(struct slicepack *p, struct slice_pair *pair, const struct expected_slice *want,
	       bool takes)
{
	struct slicepack_reader r;
	struct packed_slice x;
	unsigned flags;
	size_t n = 0;

	slicepack_read(&r, p, pair, PAIRS, takes);
	while (slicepack_next(&r, &x, &flags)) {
		ck_assert_uint_lt(n, SLICES + PAIRS);
		for (unsigned f = 0; f < SLICE_FIELDS; f++)
			ck_assert_uint_eq(x.of[f], want[n].slice.of[f]);
		ck_assert_uint_eq(flags, want[n].flags);
		n++;
	}
	ck_assert_uint_eq(n, SLICES + PAIRS);
	slicepack_read_end(&r);
}

START_TEST(slices_come_in_order)
{
	struct expected_slice *want = mem_alloc(SLICES + PAIRS, sizeof *want);
	struct slice_pair pair[PAIRS];
	struct slicepack p = {0};
	uint64_t state = (uint64_t)_i + 1;

	for (uint64_t i = 0; i < SLICES; i++) {
		want[i] = (struct expected_slice){slice_by_chance((unsigned)_i, i, &state), 0};
		slicepack_add(&p, &want[i].slice);
	}
	for (size_t i = 0; i < PAIRS; i++) { /* as long and at the time of a slice, or not */
		const uint64_t *like = want[chance(&state, SLICES)].slice.of;
		uint64_t each = SLICES / PAIRS, place = 2 * (i * each + chance(&state, each)) + 1;
		pair[i] = (struct slice_pair){
			.start = like[SLICE_START] + chance(&state, 2),
			.length = like[SLICE_LENGTH],
			.value = i,
			.place = place,
			.name = (uint32_t)i,
			.flags = i % 2 ? SLICE_PAIR : SLICE_CUT,
		};
		want[SLICES + i] = (struct expected_slice){
			{.of = {pair[i].start, pair[i].length, i, i, place}}, pair[i].flags};
	}
	qsort(want, SLICES + PAIRS, sizeof *want, compare_expected);
	check_expected(&p, pair, want, false);
	check_expected(&p, pair, want, true);
	ck_assert_uint_eq(p.n, 0);
	free(want);
}
END_TEST

START_TEST(an_empty_list_has_nothing)
{
	struct slicepack p = {0};
	struct slicepack_reader r;
	struct packed_slice x;
	unsigned flags;

	slicepack_read(&r, &p, NULL, 0, true);
	ck_assert(!slicepack_next(&r, &x, &flags));
	slicepack_read_end(&r);
}
END_TEST

UNIT(slicepack)
{
	Suite *s = suite_create("slicepack");
	TCase *t = tcase_create("slicepack");

	tcase_add_loop_test(t, slices_come_in_order, 0, ROUNDS);
	tcase_add_test(t, an_empty_list_has_nothing);
	suite_add_tcase(s, t);
	return s;
}
