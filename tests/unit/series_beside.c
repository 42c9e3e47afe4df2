/* The thread that writes runs of events: its input, and its results. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/profile/event_parcel.h"
#include "model/profile/profile.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* A random number at a distance of this many bits from the base, sometimes below it. */
static int64_t
near(struct chance *c, int64_t base, unsigned bits)
{
	uint64_t by = chance_bits(c) & (bits ? UINT64_MAX >> (64 - bits) : 0);

	return (int64_t)((uint64_t)base + (chance_one_in(c, 2) ? by : -by));
}

/* Runs on their way to another thread: all that went in comes out, however far its numbers lie
 * apart, and takes no more room than was said. */
START_TEST(test_parcels)
{
	static struct event_run run, out;
	labels_id labels[EVENT_RUN_MAX], labels_out[EVENT_RUN_MAX];
	uint8_t *at = mem_alloc(PARCEL_BYTES, 1); /* runs written after it are visible */
	unsigned bits = (unsigned)_i;
	struct chance c;
	size_t read;

	chance_init(&c, 73 + (uint64_t)_i);
	for (int round = 0; round < 40; round++) {
		struct parcel p = {
			.n = round % 2 ? EVENT_RUN_MAX : 1 + chance_below(&c, EVENT_RUN_MAX),
			.n_columns = (uint8_t)(round % (EVENT_RUN_VALUES + 1)),
			.labelled = round % 3 == 0,
			.before = (int64_t)chance_bits(&c),
		};
		int64_t base[] = {0, -1, INT64_MAX, (int64_t)chance_bits(&c)};
		for (uint32_t i = 0; i < p.n; i++) {
			run.time[i] = near(&c, base[round % 4], bits);
			run.stack[i] = (uint32_t)near(&c, base[round % 4], bits);
			labels[i] = (uint32_t)near(&c, base[round % 4], bits / 2);
			for (unsigned v = 0; v < p.n_columns; v++)
				run.value[v][i] = near(&c, base[(round + (int)v) % 4], bits);
		}
		size_t bytes = parcel_pack(at, &p, &run, labels);
		ck_assert_uint_le(bytes, PARCEL_BYTES);
		const struct parcel *q = parcel_unpack(at, &out, labels_out, &read);
		ck_assert_uint_eq(read, bytes);
		ck_assert_mem_eq(q, &p, sizeof p);
		ck_assert_uint_eq(out.n, p.n);
		ck_assert_mem_eq(out.time, run.time, p.n * sizeof *out.time);
		ck_assert_mem_eq(out.stack, run.stack, p.n * sizeof *out.stack);
		if (p.labelled)
			ck_assert_mem_eq(labels_out, labels, p.n * sizeof *labels);
		for (unsigned v = 0; v < p.n_columns; v++)
			ck_assert_mem_eq(out.value[v], run.value[v], p.n * sizeof **out.value);
	}
	free(at);
}
END_TEST

enum { SERIES = 3, EVENTS = 300000, LEAVES = 300 };

/* The same runs for the same seed; those of the first series have most of them. */
static void
fill(struct builder *b, struct chance *c, bool settles)
{
	int64_t clock[SERIES] = {0};
	struct series *s[SERIES];
	stack_id leaf[LEAVES];
	struct err e;

	err_init(&e);
	metric_id value[] = {builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE),
			     builder_metric(b, "ops", UNIT_OPS, ROLE_VALUE)};
	builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	builder_metric(b, "calls", UNIT_CALLS, ROLE_CALLS);
	for (uint32_t i = 0; i < LEAVES; i++) {
		frame_id f = builder_frame(b, builder_function_named(b, "f", 1), line_plain(i));
		leaf[i] = builder_child(b, i ? leaf[chance_below(c, i)] : STACK_EMPTY, f);
	}
	for (int i = 0; i < SERIES; i++) {
		track_id t = builder_track(b, "t", 1, TRACK_THREAD);
		s[i] = i ? builder_steps_valued(b, t) : builder_samples(b, t, value, 2);
	}
	for (int n = 0; n < EVENTS; n += EVENT_RUN_MAX) {
		unsigned k = chance_below(c, SERIES + 2) % SERIES;
		for (uint32_t i = 0; i < EVENT_RUN_MAX; i++) {
			clock[k] += chance_below(c, 5000);
			stack_id stack = leaf[chance_below(c, LEAVES)];
			uint32_t flags = k && chance_one_in(c, 2) ? STEP_CALL : 0;
			int64_t v[] = {chance_below(c, 1u << n % 20),
				       -(int64_t)chance_one_in(c, 9)};
			ck_assert(k ? builder_step_valued(b, s[k], clock[k], stack, flags, v[0],
							  0, &e)
				    : builder_sample(b, s[k], clock[k], stack, v, 0, &e));
		}
		if (chance_one_in(c, 700) && settles)
			builder_settle(b);
	}
}

static void
ck_alike(const struct series *a, const struct series *b)
{
	struct event x, y;

	ck_assert_uint_eq(a->n, b->n);
	ck_assert_uint_eq(a->n_chunks, b->n_chunks);
	ck_assert_uint_eq(a->n_blocks, b->n_blocks);
	ck_assert_uint_eq(a->n_checkpoints, b->n_checkpoints);
	for (uint32_t i = 0; i < a->n_chunks; i++) { /* none was left open */
		const struct chunk *p = &a->chunk[i], *q = &b->chunk[i];
		ck_assert(p->time.bits == q->time.bits && p->stack.bits == q->stack.bits);
		ck_assert(p->value[0].bits == q->value[0].bits && !p->own == !q->own);
	}
	for (uint32_t i = 0; i < a->n_blocks; i++)
		ck_assert_uint_eq(a->block[i].dominant, b->block[i].dominant);
	for (unsigned m = 0; m < a->n_metrics; m++)
		ck_assert_int_eq(a->sum[m], b->sum[m]);
	for (uint64_t i = 0; i < a->n; i++)
		if (!series_event(a, i, &x) || !series_event(b, i, &y) || x.time != y.time ||
		    x.end != y.end || x.stack != y.stack || x.value != y.value)
			ck_abort_msg("event %llu", (unsigned long long)i);
}

/* A profile written by the thread equals one without a thread, full chunks are packed in both,
 * and profile_check() passes. */
START_TEST(test_beside)
{
	struct profile *p[2];

	for (int i = 0; i < 2; i++) {
		struct builder *b = builder_new(p[i] = profile_new(), "beside", "test");
		struct chance c;
		struct err e;

		chance_init(&c, 4 + (uint64_t)_i);
		builder_beside(b, i ? 20 : 0);
		fill(b, &c, _i);
		err_init(&e);
		builder_finish(b, &e);
		ck_assert_msg(profile_check(p[i], &e), "%s", e.text);
		builder_free(b);
	}
	for (uint32_t t = 0; t < SERIES; t++)
		ck_alike(p[1]->track[t].series[0], p[0]->track[t].series[0]);
	ck_assert_uint_gt(p[1]->track[0].series[0]->n_checkpoints, 0);
	for (int i = 0; i < 2; i++)
		profile_free(p[i]);
}
END_TEST

UNIT(series_beside)
{
	Suite *suite = suite_create("series_beside");
	TCase *cases = tcase_create("series_beside");

	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, test_parcels, 0, 65);
	tcase_add_loop_test(cases, test_beside, 0, 2);
	suite_add_tcase(suite, cases);
	return suite;
}
