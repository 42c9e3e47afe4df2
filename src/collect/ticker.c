/* ticker.c - see ticker.h.
 *
 * The thread sleeps on the CPU of the one that it is for. Its timer is there, too, so that the
 * timer's interrupt is what stops the other one. It keeps the CPU until the caller, on another CPU,
 * has done what it wants with that one. The caller may not do it there itself: a thread that it
 * lets continue would go to an idle CPU. */
#include "src/collect/ticker.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/collect/record.h"
#include "src/collect/taskrun.h"

#define KEEP_NS 300000u

struct ticker {
	pthread_t thread;
	int orders,
		ticks; /* counters: of moments that are set, and an end; of moments that came */
	int cpu, stands;
	uint64_t due;
	struct ticker_tick tick;
	bool alone; /* this process has one CPU */
	atomic_bool keeps, ends;
};

static void
count_up(int counter)
{
	uint64_t one = 1;
	ssize_t n = write(counter, &one, sizeof one);
	(void)n; /* a counter has room for 2^64 */
}

/* Waits for the moment; an end comes earlier. */
static void
ticker_wait(struct ticker *k)
{
	struct pollfd end = {.fd = k->orders, .events = POLLIN};
	cpu_set_t to;

	if (k->stands != k->cpu) {
		CPU_ZERO(&to);
		CPU_SET((size_t)k->cpu, &to);
		k->stands = sched_setaffinity(0, sizeof to, &to) ? -1 : k->cpu;
	}
	uint64_t now = record_now(), pause = k->due > now ? k->due - now : 0;
	struct timespec until = {.tv_sec = (time_t)(pause / 1000000000u),
				 .tv_nsec = (long)(pause % 1000000000u)};
	ppoll(&end, 1, &until, NULL);
}

static void *
ticker_run(void *ctx)
{
	struct ticker *k = ctx;
	struct taskrun own;
	uint64_t order;

	taskrun_open(&own, getpid(), gettid());
	while (read(k->orders, &order, sizeof order) == sizeof order && !k->ends) {
		ticker_wait(k);
		k->tick = (struct ticker_tick){.now = record_now()};
		k->tick.left = k->stands < 0 ? 0 : taskrun_left(&own);
		k->keeps = !k->alone;
		count_up(k->ticks);
		while (k->keeps && record_now() - k->tick.now < KEEP_NS)
			;
	}
	taskrun_close(&own);
	return NULL;
}

struct ticker *
ticker_new(void)
{
	struct ticker *k = mem_zalloc(1, sizeof *k);
	cpu_set_t allowed;

	k->stands = -1;
	k->alone = !sched_getaffinity(0, sizeof allowed, &allowed) &&
		   CPU_COUNT(&allowed) == 1;
	k->orders = eventfd(0, EFD_CLOEXEC);
	k->ticks = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (k->orders >= 0 && k->ticks >= 0 &&
	    !pthread_create(&k->thread, NULL, ticker_run, k))
		return k;
	close(k->orders);
	close(k->ticks);
	free(k);
	return NULL;
}

void
ticker_free(struct ticker *k)
{
	if (!k)
		return;
	k->ends = true;
	k->keeps = false;
	count_up(k->orders);
	pthread_join(k->thread, NULL);
	close(k->orders);
	close(k->ticks);
	free(k);
}

void
ticker_set(struct ticker *k, int cpu, uint64_t due)
{
	k->cpu = cpu;
	k->due = due;
	k->keeps = false;
	if (cpu >= 0)
		count_up(k->orders);
}

int
ticker_fd(const struct ticker *k)
{
	return k->ticks;
}

bool
ticker_took(struct ticker *k, struct ticker_tick *tick)
{
	uint64_t n;

	if (read(k->ticks, &n, sizeof n) != sizeof n)
		return false;
	*tick = k->tick;
	return true;
}
