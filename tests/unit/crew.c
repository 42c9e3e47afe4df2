#include <check.h>
#include <stdlib.h>

#include "src/input/crew.h"
#include "tests/lib/unit.h"

/* A crew returns all pieces in order, however long each takes. */

struct crew_piece {
	unsigned number, steps;
	uint64_t result;
};

static uint64_t
slow(unsigned number, unsigned steps)
{
	uint64_t v = number + 1;

	while (steps--)
		v = v * UINT64_C(6364136223846793005) + 1442695040888963407;
	return v;
}

static void
work(void *piece)
{
	struct crew_piece *p = piece;

	p->result = slow(p->number, p->steps);
}

START_TEST(order)
{
	struct crew *crew = crew_new(work);
	struct crew_piece piece[CREW_PIECES];
	unsigned most = crew ? crew_pieces(crew) : 0, taken = 0;

	if (!crew)
		return; /* one core */
	ck_assert_uint_ge(most, 3);
	ck_assert_uint_le(most, CREW_PIECES);
	most = _i ? CREW_PIECES : most;
	for (unsigned n = 0; taken < 500; n++) {
		if (n >= 500 || n - taken == most) {
			struct crew_piece *p = crew_take(crew);
			ck_assert_ptr_eq(p, &piece[taken % most]);
			ck_assert_uint_eq(p->number, taken++);
			ck_assert(p->result == slow(p->number, p->steps));
		}
		if (n < 500) {
			piece[n % most] = (struct crew_piece){n, n % 7 * 3000, 0};
			crew_give(crew, &piece[n % most]);
		}
	}
	ck_assert_ptr_null(crew_take(crew));
	crew_free(crew);
}
END_TEST

UNIT(crew)
{
	Suite *s = suite_create("crew");
	TCase *t = tcase_create("crew");

	tcase_add_loop_test(t, order, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
