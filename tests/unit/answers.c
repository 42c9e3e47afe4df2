#include "model/answer/answers.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "tests/lib/random_faults.h"
#include "tests/lib/unit.h"

/* Tests the answers with invented profiles (random_faults.h): with one planted fault, which one
 * answer should report as notable, and healthy ones, for which no answer should be notable.
 *
 * ANSWERS=200 in the environment makes 200 of each and prints recall and false alarms by
 * answer. */

#define MS 1000000

/* ---- recall and false alarms ---- */

struct score {
	unsigned asked, found; /* profiles with its fault */
	unsigned healthy, alarms;
};

static void
play(enum fault fault, uint64_t seed, struct score *score)
{
	struct profile *p = fault_profile(fault, seed);
	struct answers a = {0};
	struct lens lens;

	lens_init(&lens);
	answers_make(&a, &(struct answers_asks){.p = p, .lens = &lens});
	ck_assert(a.complete);
	for (size_t i = 0; i < a.list.n; i++) {
		const struct answers_item *item = &a.list.at[i];
		struct score *of = score;
		ck_assert(item->text.len && item->notable <= 2);
		for (unsigned k = 0; k < FAULTS; k++)
			of = strcmp(item->row->name, fault_answer[k]) ? of : &score[k];
		if (fault == HEALTHY) {
			of->healthy++;
			of->alarms += item->notable > 0;
			if (item->notable && getenv("ANSWERS"))
				printf("# healthy %llu: %s: %s\n", (unsigned long long)seed,
				       item->row->name, buf_str(&item->text));
		} else if (of == &score[fault]) {
			of->asked++;
			of->found += item->notable > 0;
			if (!item->notable && getenv("ANSWERS"))
				printf("# missed %llu: %s: %s\n", (unsigned long long)seed,
				       item->row->name, buf_str(&item->text));
		}
	}
	answers_release(&a);
	lens_release(&lens);
	profile_free(p);
}

START_TEST(test_planted)
{
	const char *text = getenv("ANSWERS");
	unsigned n = text ? (unsigned)atoi(text) : 32;
	struct score score[FAULTS] = {{0}};
	unsigned asked = 0, found = 0, healthy = 0, alarms = 0;

	for (unsigned i = 0; i < n; i++) {
		play((enum fault)(i % FAULTS), 1000 + i, score);
		play(HEALTHY, 5000 + i, score);
	}
	for (unsigned k = 0; k < FAULTS; k++) {
		const struct score *s = &score[k];
		asked += s->asked;
		found += s->found;
		healthy += s->healthy;
		alarms += s->alarms;
		if (text)
			printf("# %-10s found %3u of %3u, false alarms %3u of %3u\n",
			       fault_answer[k], s->found, s->asked, s->alarms, s->healthy);
	}
	ck_assert_uint_eq(asked, n);
	ck_assert_msg(found * 10 >= asked * 9, "found %u of %u", found, asked);
	ck_assert_msg(alarms * 20 <= healthy, "%u false alarms of %u", alarms, healthy);
}
END_TEST

/* Counters of errors, queues and collections mostly have one value. */
START_TEST(test_spikes_of_quiet_counters)
{
	struct score score[FAULTS] = {{0}};

	for (unsigned i = 0; i < 10; i++)
		play(SPIKES, 1000 + SPIKES + i * FAULTS, score);
	ck_assert_msg(score[SPIKES].found >= 9, "found %u of 10", score[SPIKES].found);
}
END_TEST

/* Returns the period of a profile with a planted one, divided by that; its interval in *low and
 * *high. 0: none was found. */
static double
period_found(uint64_t seed, double *low, double *high)
{
	struct profile *p = fault_profile(PERIODIC, seed);
	struct answers a = {0};
	struct lens lens;
	double found = 0, size = fault_size(PERIODIC, seed);

	lens_init(&lens);
	answers_make(&a, &(struct answers_asks){.p = p, .lens = &lens});
	for (size_t i = 0; i < a.list.n; i++)
		if (!strcmp(a.list.at[i].row->name, "periodic") && a.list.at[i].numbers.n) {
			const struct answers_number *n = a.list.at[i].numbers.at;
			found = n->value / size;
			*low = n->low / size;
			*high = n->high / size;
		}
	answers_release(&a);
	lens_release(&lens);
	profile_free(p);
	return found;
}

START_TEST(test_length_of_periods)
{
	const char *text = getenv("ANSWERS");
	unsigned n = text ? (unsigned)atoi(text) : 40, found = 0, near = 0, held = 0;

	for (unsigned i = 0; i < n; i++) {
		double low = 0, high = 0, period = period_found(9000 + i, &low, &high);
		found += period > 0;
		near += fabs(period - 1) < 0.005;
		held += low <= 1 && 1 <= high;
		if (text)
			printf("# period %.4f (%.4f to %.4f)\n", period, low, high);
	}
	ck_assert_msg(found * 10 >= n * 9, "found %u of %u", found, n);
	ck_assert_msg(near * 20 >= found * 19, "%u of %u are known to 0.5 %%", near, found);
	ck_assert_msg(held * 20 >= found * 19, "%u of %u lie in the interval", held, found);
}
END_TEST

static frame_id
frame_of(struct builder *b, const char *name)
{
	return builder_frame_named(b, builder_name(b, name, strlen(name)));
}

/* Three threads wait for 2 s each, two for a timer: the samples say when they begin, not that
 * anything runs. */
static struct profile *
make_sleepers(void)
{
	static const char *const waits[] = {"__GI___libc_read", "__GI___clock_nanosleep", "usleep"};
	const int64_t lasts[] = {2000LL * MS, 1};
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "made.up", "test");
	metric_id metrics[] = {builder_metric(b, "off-cpu", UNIT_NS, ROLE_VALUE),
			       builder_metric(b, "context-switches", UNIT_COUNT, ROLE_VALUE)};
	struct err e;

	err_init(&e);
	for (unsigned i = 0; i < 3; i++) {
		const char name[] = {(char)('a' + i)};
		track_id t = builder_track(b, name, 1, TRACK_THREAD);
		struct series *s = builder_samples(b, t, metrics, 2);
		frame_id path[] = {frame_of(b, "main"),
				   frame_of(b, waits[i])};
		ck_assert(builder_sample(b, s, i * 2LL * MS, builder_stack(b, path, 2), lasts,
					 0, &e));
	}
	frame_id end = frame_of(b, "exit");
	struct series *s = builder_samples(b, builder_track(b, "d", 1, TRACK_THREAD),
					   metrics + 1, 1);
	ck_assert(builder_sample(b, s, 2000LL * MS, builder_stack(b, &end, 1), lasts + 1, 0,
				 &e));
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

START_TEST(test_sleepers)
{
	struct profile *p = make_sleepers();
	struct answers a = {0};
	struct lens lens;
	unsigned seen = 0;

	lens_init(&lens);
	answers_make(&a, &(struct answers_asks){.p = p, .lens = &lens});
	for (size_t i = 0; i < a.list.n; i++) {
		const struct answers_item *item = &a.list.at[i];
		if (!strcmp(item->row->name, "serial"))
			ck_assert(item->lacks);
		if (!strcmp(item->row->name, "hot")) /* each wait was measured */
			ck_assert(item->numbers.n && !item->numbers.at[0].bounded);
		if (strcmp(item->row->name, "waits"))
			continue;
		ck_assert_uint_eq(item->notable, 2);
		for (size_t k = 0; k < item->numbers.n; k++) {
			const struct answers_number *n = &item->numbers.at[k];
			double sleep = !strcmp(n->subject, "sleep"), io = !strcmp(n->subject, "io");
			ck_assert(fabs(n->value - 100 * (sleep * 2 + io) / 3) < 0.2);
			seen++;
		}
	}
	ck_assert_uint_eq(seen, 6);
	answers_release(&a);
	lens_release(&lens);
	profile_free(p);
}
END_TEST

/* How a file says that a thread without a sample wants a CPU. */
enum wanted { NOT_SAID, BY_SAMPLES, BY_STATES };

#define CYCLES 8 /* gaps are compared with the samples, not with each other */
#define CYCLE_MS 100
#define RUNS_MS 20

/* Adds what the thread does from `from` to `to` of a cycle. */
static void
add_off(struct builder *b, struct series *s, actor_id a, enum wanted by, int64_t from, int64_t to,
	bool waits)
{
	const int64_t value = to - from;
	frame_id f = frame_of(b, "work");
	struct err e;

	err_init(&e);
	if (by == BY_STATES)
		builder_state(b, a, from, waits ? ACTOR_WAITING : ACTOR_RUNNABLE);
	else if (by == BY_SAMPLES && !waits)
		ck_assert(builder_sample(b, s, from, builder_stack(b, &f, 1), &value, 0, &e));
}

/* In each cycle a thread runs for 20 ms, waits for `waits_ms`, and wants a CPU for the rest. */
static struct profile *
make_wanted(enum wanted by, int64_t waits_ms)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "made.up", "test");
	metric_id cpu = builder_metric(b, "cpu-clock", UNIT_NS, ROLE_VALUE);
	track_id t = builder_track(b, "worker", 6, TRACK_THREAD);
	actor_id a = by == BY_STATES ? builder_actor_on(b, t, "worker", 6) : ACTOR_NONE;
	struct series *runs = builder_samples(b, t, &cpu, 1), *ready = NULL;
	const int64_t period = MS;
	struct err e;

	err_init(&e);
	if (by == BY_SAMPLES) {
		metric_id m = builder_metric(b, "runnable", UNIT_NS, ROLE_VALUE);
		ready = builder_samples(b, t, &m, 1);
		builder_derived(ready);
	}
	frame_id f = frame_of(b, "work");
	for (int64_t i = 0; i < CYCLES; i++) {
		int64_t at = i * CYCLE_MS * MS, stops = at + RUNS_MS * MS;
		int64_t wakes = stops + waits_ms * MS;
		if (by == BY_STATES)
			builder_state(b, a, at, ACTOR_RUNNING);
		for (int64_t k = 0; k < RUNS_MS; k++)
			ck_assert(builder_sample(b, runs, at + k * MS, builder_stack(b, &f, 1),
						 &period, 0, &e));
		if (i == CYCLES - 1)
			break;
		if (waits_ms)
			add_off(b, ready, a, by, stops, wakes, true);
		add_off(b, ready, a, by, wakes, at + CYCLE_MS * MS, false);
	}
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

/* Returns the number of an answer, and how notable the answer is. */
static double
number_of(struct profile *p, const char *answer, const char *subject, const char *name,
	  unsigned *notable)
{
	struct answers a = {0};
	struct lens lens;
	double value = NAN;

	lens_init(&lens);
	answers_make(&a, &(struct answers_asks){.p = p, .lens = &lens});
	for (size_t i = 0; i < a.list.n; i++) {
		const struct answers_item *item = &a.list.at[i];
		if (strcmp(item->row->name, answer))
			continue;
		*notable = item->notable;
		for (size_t k = 0; k < item->numbers.n; k++)
			if (!strcmp(item->numbers.at[k].subject, subject) &&
			    !strcmp(item->numbers.at[k].name, name))
				value = item->numbers.at[k].value;
	}
	answers_release(&a);
	lens_release(&lens);
	return value;
}

/* Nothing is sampled of a thread that wants a CPU, but it does not stall. */
START_TEST(test_wanted_cpu)
{
	const double run = (CYCLES - 1) * CYCLE_MS + RUNS_MS;
	unsigned notable;

	for (int waits_ms = 0; waits_ms <= 60; waits_ms += 60)
		for (enum wanted by = NOT_SAID; by <= BY_STATES; by++) {
			struct profile *p = make_wanted(by, waits_ms);
			/* a stall is 10 ms or longer, and a gap between two waits is none */
			double stalls = by == NOT_SAID ? CYCLE_MS - RUNS_MS : waits_ms;
			double share = number_of(p, "stalls", "", "total", &notable);
			ck_assert_msg(fabs(share / MS - (CYCLES - 1) * stalls) < 20,
				      "by %d, waits %d ms: %f", by, waits_ms, share);
			ck_assert_uint_eq(notable, stalls > 0 ? 2 : 0);
			share = number_of(p, "waits", "cpu", "share", &notable);
			double all = by == BY_STATES ? run : run - (CYCLES - 1) * waits_ms;
			double wanted = (CYCLES - 1) * (CYCLE_MS - RUNS_MS - waits_ms);
			if (by == NOT_SAID)
				ck_assert(isnan(share));
			else
				ck_assert_msg(fabs(share - 100 * wanted / all) < 0.5,
					      "by %d, waits %d ms: %f", by, waits_ms, share);
			if (!waits_ms && by != NOT_SAID)
				ck_assert_uint_ge(notable, 1);
			profile_free(p);
		}
}
END_TEST

/* Kernels without symbols are the rule where an unprivileged user records. */
START_TEST(test_system_without_names)
{
	struct score score[FAULTS] = {{0}};

	for (unsigned i = 0; i < 10; i++)
		play(SYSTEM, 1000 + SYSTEM + i * FAULTS, score);
	ck_assert_msg(score[SYSTEM].found >= 9, "found %u of 10", score[SYSTEM].found);
}
END_TEST

/* How much is held varies by 5 % from one moment to the next, more than it grows in a twentieth. */
START_TEST(test_growth_in_noise)
{
	struct score score[FAULTS] = {{0}};

	for (unsigned i = 0; i < 13; i++)
		play(GROWTH, 1000 + GROWTH + i * FAULTS, score);
	ck_assert_msg(score[GROWTH].found >= 12, "found %u of 13", score[GROWTH].found);
}
END_TEST

/* A rate over no time is no number. */
START_TEST(test_range_without_time)
{
	struct profile *p = fault_profile(GROWTH, 1000 + GROWTH);
	struct answers a = {0};
	struct lens lens;

	lens_init(&lens);
	lens.from = (struct moment){.kind = MOMENT_NS, .value = 60000LL * MS};
	answers_make(&a, &(struct answers_asks){.p = p, .lens = &lens});
	ck_assert(a.complete);
	for (size_t i = 0; i < a.list.n; i++)
		for (size_t k = 0; k < a.list.at[i].numbers.n; k++)
			ck_assert(isfinite(a.list.at[i].numbers.at[k].value));
	answers_release(&a);
	lens_release(&lens);
	profile_free(p);
}
END_TEST

UNIT(answers)
{
	Suite *suite = suite_create("answers");
	TCase *all = tcase_create("answers");

	tcase_set_timeout(all, 240);
	tcase_add_test(all, test_planted);
	tcase_add_test(all, test_growth_in_noise);
	tcase_add_test(all, test_system_without_names);
	tcase_add_test(all, test_sleepers);
	tcase_add_test(all, test_wanted_cpu);
	tcase_add_test(all, test_length_of_periods);
	tcase_add_test(all, test_spikes_of_quiet_counters);
	tcase_add_test(all, test_range_without_time);
	suite_add_tcase(suite, all);
	return suite;
}
