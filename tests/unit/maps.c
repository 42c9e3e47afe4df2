/* Look-ups by number: the map, and the ids of files, which use it. */
#include "src/decode/common/idmap.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/base/map.h"
#include "model/base/slots.h"
#include "tests/lib/unit.h"

/* A key is its number; the test chooses its hash. */
static bool
find(const struct map *m, uint64_t hash, uint32_t want)
{
	uint32_t slot = map_first(m, hash), i;
	while (map_probe(m, &slot, hash, &i))
		if (i == want)
			return true;
	return false;
}

START_TEST(map_keeps_all)
{
	const uint64_t odd = 0x9E3779B97F4A7C15u;
	struct map m;
	map_init(&m);
	ck_assert(!find(&m, 0, 0));
	for (uint32_t i = 0; i < 5000; i++) {
		ck_assert(!find(&m, i * odd, i));
		map_insert(&m, i * odd, i);
	}
	for (uint32_t i = 0; i < 5000; i++)
		ck_assert(find(&m, i * odd, i));
	ck_assert(!find(&m, 5000 * odd, 5000));
	/* growing moved none away from those with the same hash */
	for (uint32_t i = 5000; i < 5300; i++)
		map_insert(&m, UINT64_MAX, i);
	for (uint32_t i = 5000; i < 5300; i++)
		ck_assert(find(&m, UINT64_MAX, i));
	map_release(&m);
}
END_TEST

START_TEST(map_begins_by_itself)
{
	struct map m = {0};
	map_release(&m);
	map_insert(&m, 7, 7);
	ck_assert(find(&m, 7, 7));
	ck_assert(!find(&m, 7, 8));
	map_release(&m);
}
END_TEST

/* Reserved slots take as many places as were announced, and find them. */
START_TEST(slots_reserved)
{
	const uint32_t odd = 0x9E3779B9u;
	struct slots s;

	slots_init(&s);
	slots_reserve(&s, 100000, 200000);
	uint32_t mask = s.mask;
	for (uint32_t i = 100000; i < 200000; i++) {
		ck_assert(slots_have_room(&s, i));
		slots_put(&s, i, i * odd);
	}
	ck_assert_uint_eq(s.mask, mask);
	for (uint32_t i = 100000; i < 200000; i++) {
		uint32_t at = i * odd, place = 0;
		while (slots_probe(&s, &at, i * odd, &place) && place != i)
			;
		ck_assert_uint_eq(place, i);
	}
	slots_release(&s);
}
END_TEST

/* Slots grow at once by as much as is expected, but not by more than SLOTS_AHEAD times. */
START_TEST(slots_expected)
{
	const uint64_t times[] = {0, 1, 3, SLOTS_AHEAD, UINT64_C(1) << 40};
	const uint32_t most[] = {1, 1, 3, SLOTS_AHEAD, SLOTS_AHEAD};
	for (unsigned k = 0; k < 5; k++) {
		struct slots s;
		uint32_t n = 0;
		slots_init(&s);
		slots_expect(&s, times[k]);
		for (; slots_have_room(&s, n + 1); n++)
			slots_put(&s, n + 1, n * 0x9E3779B9u);
		slots_grow(&s, n + 1);
		ck_assert_uint_eq(s.used, 0);
		ck_assert_uint_gt(s.mask, n * most[k]);
		ck_assert_uint_le(s.mask, 4 * (n + 1) * most[k]);
		slots_release(&s);
	}
}
END_TEST

/* Ids from 1, by address, and of anything, against a list that is searched. */
START_TEST(ids)
{
	struct idmap m = {0};
	uint64_t id[3000], random = 1;
	ck_assert_uint_eq(idmap_get(&m, 0), IDMAP_NONE);
	for (uint32_t i = 0; i < 3000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		id[i] = i % 3 == 0 ? i : i % 3 == 1 ? 0x55550000u + 16 * i : random;
		ck_assert_uint_eq(idmap_get(&m, id[i]), IDMAP_NONE);
		idmap_put(&m, id[i], i);
	}
	for (uint32_t i = 0; i < 3000; i++)
		ck_assert_uint_eq(idmap_get(&m, id[i]), i);
	for (uint32_t i = 0; i < 3000; i += 7)
		idmap_put(&m, id[i], i + 1);
	for (uint32_t i = 0; i < 3000; i++)
		ck_assert_uint_eq(idmap_get(&m, id[i]), i % 7 ? i : i + 1);
	ck_assert_uint_eq(m.n, 3000);
	ck_assert_uint_eq(idmap_get(&m, UINT64_MAX), IDMAP_NONE);
	idmap_put(&m, UINT64_MAX, 0);
	ck_assert_uint_eq(idmap_get(&m, UINT64_MAX), 0);
	idmap_release(&m);
	ck_assert_uint_eq(idmap_get(&m, 0), IDMAP_NONE);
}
END_TEST

/* An id that went into the map stays there when the array grows past it. */
START_TEST(ids_that_the_array_overtakes)
{
	struct idmap m = {0};
	idmap_put(&m, 10000, 1);
	for (uint64_t i = 0; i < 9000; i++)
		idmap_put(&m, i, 2);
	ck_assert_uint_eq(idmap_get(&m, 10000), 1);
	idmap_put(&m, 10000, 3);
	ck_assert_uint_eq(idmap_get(&m, 10000), 3);
	ck_assert_uint_eq(m.n, 9001);
	idmap_release(&m);
}
END_TEST

UNIT(maps)
{
	Suite *s = suite_create("maps");
	TCase *t = tcase_create("maps");
	tcase_add_test(t, map_keeps_all);
	tcase_add_test(t, map_begins_by_itself);
	tcase_add_test(t, slots_reserved);
	tcase_add_test(t, slots_expected);
	tcase_add_test(t, ids);
	tcase_add_test(t, ids_that_the_array_overtakes);
	suite_add_tcase(s, t);
	return s;
}
