#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/packed.h"
#include "model/profile/series.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Packing full chunks loses nothing. */

enum { EVENTS = 6000 };

/* Clocks that tick seldom, addresses and 0 between them, numbers
 * with a divisor that one of them has not. */
START_TEST(test_packed)
{
	static const int64_t ticks[] = {1, 100, 1000, 3}, base[] = {0, 0x7f0000001000, -90000, 7};
	static const int64_t odd[] = {0, 1, -1, INT64_MIN + 99};
	struct series_scratch x = {0};
	struct series *s = series_new(SERIES_STEPS);
	struct event e;
	struct chance c;
	int64_t *time = mem_alloc(EVENTS, sizeof *time), *value = mem_alloc(EVENTS, sizeof *value);

	s->valued = true;
	s->n_columns = 1;
	chance_init(&c, 14 + (uint64_t)_i);
	for (int i = 0; i < EVENTS; i++) {
		int64_t tick = ticks[_i % 4];
		time[i] = (i ? time[i - 1] : base[_i % 4] + 5) + tick * chance_below(&c, 700);
		value[i] = base[_i / 4] + tick * chance_below(&c, 1u << 20);
		if (chance_one_in(&c, 2 + _i % 3))
			value[i] = 0;
		if (chance_one_in(&c, 2000))
			value[i] += odd[_i / 4];
		series_add_step(s, &x, time[i], (uint32_t)i % 300 | (i % 2 ? STEP_CALL : 0),
				value[i]);
	}
	for (int i = 0; i < EVENTS; i++)
		if (!series_event(s, (uint64_t)i, &e) || e.time != time[i] ||
		    e.value != value[i] ||
		    e.stack != ((uint32_t)i % 300 | (i % 2 ? STEP_CALL : 0)))
			ck_abort_msg("event %d of %d", i, _i);
	ck_assert(_i != 5 || s->chunk[3].value[0].zeros);
	ck_assert(!s->chunk[3].time.bits || s->chunk[3].time.step == (uint32_t)ticks[_i % 4]);
	for (uint32_t k = 0; k < s->n_chunks; k++) {
		const struct chunk *k_th = &s->chunk[k];
		for (uint32_t from = 0; from < k_th->n; from += 37) {
			int64_t v[50] = {0};
			uint32_t n = k_th->n - from < 50 ? k_th->n - from : 50;
			column_add(&k_th->value[0], from, n, -1, v);
			for (uint32_t i = 0; i < n; i++)
				ck_assert_int_eq(v[i], -value[k_th->first + from + i]);
		}
	}
	series_scratch_release(&x);
	series_free(s);
	free(time);
	free(value);
}
END_TEST

/* Negative numbers in steps, and 0 between them, which may lie beside the steps. */
START_TEST(test_negative)
{
	static const int64_t steps[] = {3, 7, 1000, 6, 1 << 4};
	int64_t step = steps[_i % 5], rest = _i / 5 % step, value[EVENTS];
	struct series_scratch x = {0};
	struct series *s = series_new(SERIES_STEPS);
	struct event e;
	struct chance c;

	s->valued = true;
	s->n_columns = 1;
	chance_init(&c, 3 + (uint64_t)_i);
	for (int i = 0; i < EVENTS; i++) {
		value[i] = i && chance_one_in(&c, 3)
				   ? 0
				   : -rest - step * (1 + (int64_t)chance_below(&c, 9000));
		series_add_step(s, &x, i, (uint32_t)i % 300 | STEP_CALL, value[i]);
	}
	for (int i = 0; i < EVENTS; i++)
		if (!series_event(s, (uint64_t)i, &e) || e.value != value[i])
			ck_abort_msg("event %d of %d", i, _i);
	series_scratch_release(&x);
	series_free(s);
}
END_TEST

/* Numbers of every width that is packed by several at once, in steps and not, of both signs; the
 * last chunk that is full is no whole number of pieces. */
START_TEST(test_widths)
{
	static const int64_t steps[] = {1, 1000, 6, 1 << 5, 0x10001};
	struct series_scratch x = {0};
	struct series *s = series_new(SERIES_SAMPLES);
	int64_t step = steps[_i % 5], most = INT64_C(1) << (_i / 5), *value;
	struct event e;
	struct chance c;

	series_add_metric(s, 0, ROLE_VALUE);
	chance_init(&c, 77 + (uint64_t)_i);
	value = mem_alloc(EVENTS, sizeof *value);
	for (int i = 0; i < EVENTS; i++) {
		value[i] = (int64_t)chance_below(&c, (uint32_t)most) * step;
		if (_i % 3 == 0)
			value[i] -= most / 2 * step + 7;
		series_add_sample(s, &x, i * 70 + (int64_t)chance_below(&c, 70),
				  (stack_id)chance_below(&c, (uint32_t)most), &value[i]);
	}
	for (int i = 0; i < EVENTS; i++)
		if (!series_event(s, (uint64_t)i, &e) || e.time / 70 != i || e.value != value[i])
			ck_abort_msg("event %d of %d", i, _i);
	series_scratch_release(&x);
	series_free(s);
	free(value);
}
END_TEST

/* Times that are constant, tick, or jump now and then, up to far beyond the range of a base's
 * 16 bits. */
START_TEST(test_bases)
{
	struct series_scratch x = {0};
	struct series *s = series_new(SERIES_SAMPLES);
	int64_t *time = mem_alloc(EVENTS, sizeof *time), tick = _i % 3 ? 1 : 1000;
	uint32_t grouped = 0;
	struct chance c;

	chance_init(&c, 400 + (uint64_t)_i);
	for (int i = 0; i < EVENTS; i++) {
		int64_t jump = chance_one_in(&c, 900) ? (INT64_C(1) << (_i + 5)) / 1000 : 0;
		time[i] = (i ? time[i - 1] : -5) + tick * (jump + chance_below(&c, 9));
		series_add_sample(s, &x, time[i], 1, NULL);
	}
	for (uint32_t k = 0, i = 0; k < s->n_chunks; i += s->chunk[k++].n) {
		const struct chunk *chunk = &s->chunk[k];
		grouped += chunk->time.bases != NULL;
		for (uint32_t at = 0, n; at < chunk->n; at += n) {
			int64_t v[41] = {0};
			n = chunk->n - at < 41 ? chunk->n - at : 41;
			column_add(&chunk->time, at, n, -1, v);
			for (uint32_t j = 0; j < n; j++) {
				ck_assert_int_eq(-v[j], time[i + at + j]);
				ck_assert_int_eq(column_get(&chunk->time, at + j), -v[j]);
			}
		}
	}
	for (int i = 0; i < EVENTS; i += 97)
		ck_assert_int_eq(time[series_find(s, time[i])], time[i]);
	ck_assert(grouped || _i > 20);
	series_scratch_release(&x);
	series_free(s);
	free(time);
}
END_TEST

/* Calls within calls, each with a value that it shows again when those within it end: half of
 * them are not held, and all are found. */
START_TEST(test_returns)
{
	struct series_scratch x = {0};
	struct series *s = series_new(SERIES_STEPS);
	uint32_t stack[16] = {0}, depth = 0, thin = 0, step[EVENTS];
	int64_t shown[16] = {0}, value[EVENTS];
	struct chance c;
	struct event e;

	s->valued = true;
	s->n_columns = 1;
	chance_init(&c, 5 + (uint64_t)_i);
	for (uint32_t i = 0; i < EVENTS; i++) {
		bool call = !depth || (depth < 16 && chance_one_in(&c, 2));
		if (call) { /* stacks of which some share a slot of the cache */
			stack[depth] = 1 + chance_below(&c, 40) + (chance_one_in(&c, 9) ? 1024 : 0);
			shown[depth++] = chance_one_in(&c, 8) ? 0 : chance_below(&c, 1u << 20);
		} else {
			depth--;
		}
		step[i] =
			(depth ? stack[depth - 1] : STACK_EMPTY) | (call ? STEP_CALL : STEP_RETURN);
		value[i] = depth ? shown[depth - 1] : 0;
		if (chance_one_in(&c, 100))
			value[i] = _i; /* its own, for once */
		series_add_step(s, &x, i, step[i], value[i]);
	}
	for (uint32_t i = 0; i < EVENTS; i++)
		if (!series_event(s, i, &e) || e.stack != step[i] || e.value != value[i])
			ck_abort_msg("event %u of %d", (unsigned)i, _i);
	for (uint32_t k = 0; k < s->n_chunks; k++)
		thin += s->chunk[k].own != NULL;
	ck_assert_uint_gt(thin, 0);
	series_scratch_release(&x);
	series_free(s);
}
END_TEST

/* Numbers that are kept: read twice, the second time given back, and some of them alone. */
START_TEST(test_kept)
{
	static const size_t some[] = {0, 1, PACKED_RUN - 1, PACKED_RUN, 2 * PACKED_RUN, 5000};
	struct packed p = {0};
	struct chance c;
	int64_t v[5000];

	chance_init(&c, 3);
	for (size_t i = 0; i < some[_i]; i++) {
		v[i] = (int64_t)chance_below(&c, 1u << (i / 256 + 1)) - 7;
		if (i > 4000 && chance_one_in(&c, 300))
			v[i] = i % 2 ? INT64_MIN : INT64_MAX;
		packed_push_many(&p, &v[i], 1);
	}
	ck_assert_uint_eq(p.n, some[_i]);
	for (size_t i = 0; i < p.n; i += 7)
		ck_assert_int_eq(packed_at(&p, i), v[i]);
	for (int drops = 0; drops < 2; drops++) {
		struct packed_reader r = {.of = &p, .drops = drops};
		for (size_t i = 0; i < p.n; i++)
			ck_assert_int_eq(packed_next(&r), v[i]);
	}
	packed_release(&p);
	/* the same, many at once */
	for (size_t i = 0, n; i < some[_i]; i += n) {
		n = 1 + chance_below(&c, 2 * PACKED_RUN);
		n = n < some[_i] - i ? n : some[_i] - i;
		packed_push_many(&p, v + i, n);
		if (chance_one_in(&c, 2)) {
			packed_room(&p, false);
			packed_room(&p, true);
		}
	}
	packed_room(&p, false);
	struct packed_reader r = {.of = &p, .drops = true};
	while (r.at < p.n) {
		size_t at = r.at, n, most = 1 + chance_below(&c, PACKED_RUN);
		const int64_t *those = packed_some(&r, most, &n);
		ck_assert(n && n <= most && r.at == at + n);
		ck_assert_int_eq(memcmp(those, v + at, n * sizeof *v), 0);
	}
	packed_release(&p);
}
END_TEST

UNIT(series_pack)
{
	Suite *suite = suite_create("series_pack");
	TCase *cases = tcase_create("series_pack");

	tcase_add_loop_test(cases, test_packed, 0, 16);
	tcase_add_loop_test(cases, test_negative, 0, 5 * 6);
	tcase_add_loop_test(cases, test_widths, 0, 5 * 30);
	tcase_add_loop_test(cases, test_bases, 0, 44);
	tcase_add_loop_test(cases, test_returns, 0, 4);
	tcase_add_loop_test(cases, test_kept, 0, 6);
	suite_add_tcase(suite, cases);
	return suite;
}
