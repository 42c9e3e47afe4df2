/* A ticker takes the CPU of a thread that runs there; both have the same moment in the kernel's
 * books, and a thread on another CPU, or one that sleeps, has another one. */
#include "src/collect/ticker.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "src/collect/record.h"
#include "src/collect/taskrun.h"
#include "tests/lib/unit.h"

#define MS 1000000u
#define TICKS 50

struct worker {
	pthread_t thread;
	int cpu;
	int sleeps[2]; /* a pipe, in which it waits; 0: it works */
	_Atomic pid_t tid;
	atomic_bool ends;
};

static void
stay_on(int cpu)
{
	cpu_set_t to;
	CPU_ZERO(&to);
	CPU_SET((size_t)cpu, &to);
	ck_assert_int_eq(sched_setaffinity(0, sizeof to, &to), 0);
}

static void *
work(void *ctx)
{
	struct worker *w = ctx;
	stay_on(w->cpu);
	w->tid = gettid();
	char byte;
	if (w->sleeps[1])
		ck_assert_int_eq(read(w->sleeps[0], &byte, 1), 0);
	while (!w->ends)
		;
	return NULL;
}

static void
start(struct worker *w, struct taskrun *run)
{
	if (w->sleeps[1])
		ck_assert_int_eq(pipe(w->sleeps), 0);
	ck_assert_int_eq(pthread_create(&w->thread, NULL, work, w), 0);
	while (!w->tid)
		sched_yield();
	taskrun_open(run, getpid(), w->tid);
}

static void
end(struct worker *w, struct taskrun *run)
{
	w->ends = true;
	if (w->sleeps[1])
		close(w->sleeps[1]);
	pthread_join(w->thread, NULL);
	if (w->sleeps[1])
		close(w->sleeps[0]);
	taskrun_close(run);
}

/* Returns how often the ticker on a CPU took it from the thread. */
static int
taken_from(struct taskrun *run, int cpu)
{
	struct ticker *k = ticker_new();
	struct ticker_tick tick;
	int n = 0;

	ck_assert_ptr_nonnull(k);
	for (int i = 0; i < TICKS; i++) {
		struct pollfd ticks = {.fd = ticker_fd(k), .events = POLLIN};
		uint64_t due = record_now() + 2 * MS;
		ticker_set(k, cpu, due);
		ck_assert(!ticker_took(k, &tick) || record_now() >= due);
		ck_assert_int_eq(poll(&ticks, 1, 30000), 1);
		ck_assert(ticker_took(k, &tick));
		ck_assert_uint_ge(tick.now, due);
		n += tick.left && taskrun_left(run) == tick.left;
	}
	ticker_free(k);
	return n;
}

static void
two_cpus(int cpu[2])
{
	cpu_set_t allowed;
	int n = 0;
	ck_assert_int_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET((size_t)i, &allowed))
			cpu[n++] = i;
	if (n == 1)
		cpu[1] = -1;
}

START_TEST(a_tick_takes_the_cpu_of_who_runs)
{
	struct worker works = {0}, rests = {.sleeps = {0, 1}};
	struct taskrun run, sleeper;
	int cpu[2];

	two_cpus(cpu);
	works.cpu = rests.cpu = cpu[0];
	start(&works, &run);
	start(&rests, &sleeper);
	ck_assert_int_eq(taskrun_cpu(&run), cpu[0]);
	ck_assert(taskrun_runs(&run));
	if (taskrun_left(&run)) {
		/* others run there, too, and a tick may come late */
		ck_assert_int_gt(taken_from(&run, cpu[0]), 0);
		if (cpu[1] >= 0)
			ck_assert_int_eq(taken_from(&run, cpu[1]), 0);
		ck_assert_int_eq(taken_from(&sleeper, cpu[0]), 0);
	}
	end(&works, &run);
	end(&rests, &sleeper);
}
END_TEST

START_TEST(an_end_does_not_wait_for_the_moment)
{
	struct ticker *k = ticker_new();
	uint64_t began = record_now();

	ck_assert_ptr_nonnull(k);
	ticker_set(k, 0, began + 600000u * (uint64_t)MS);
	ticker_free(k);
	ck_assert_uint_lt(record_now() - began, 60000u * (uint64_t)MS);
	ticker_free(ticker_new()); /* without a moment */
	ck_assert_ptr_nonnull(k = ticker_new());
	ticker_set(k, -1, 0);
	ticker_free(k);
	ticker_free(NULL);
}
END_TEST

START_TEST(a_thread_that_is_gone_has_nothing)
{
	struct taskrun run;

	taskrun_open(&run, getpid(), 1 << 30);
	ck_assert_int_eq(taskrun_cpu(&run), -1);
	ck_assert_uint_eq(taskrun_left(&run), 0);
	ck_assert_uint_eq(taskrun_usage(&run).cpu_ns, 0);
	ck_assert(!taskrun_runs(&run));
	ck_assert_int_eq(taskrun_status(1 << 30, "Tgid"), 0);
	taskrun_close(&run);
	ck_assert_int_eq(taskrun_status(getpid(), "Tgid"), getpid());
	ck_assert_int_eq(taskrun_status(getpid(), "PPid"), getppid());
}
END_TEST

UNIT(ticker)
{
	Suite *suite = suite_create("ticker");
	TCase *cases = tcase_create("ticker");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, a_tick_takes_the_cpu_of_who_runs);
	tcase_add_test(cases, an_end_does_not_wait_for_the_moment);
	tcase_add_test(cases, a_thread_that_is_gone_has_nothing);
	suite_add_tcase(suite, cases);
	return suite;
}
