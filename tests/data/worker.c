/* worker.c - main waits for a worker that computes, then sleeps.  With an argument it waits for a
 * line first. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static volatile unsigned long sink;

static double
seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) void
compute(void)
{
	double end = seconds(CLOCK_THREAD_CPUTIME_ID) + 0.3;

	while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100000; i++)
			sink += (unsigned long)i;
}

__attribute__((noinline)) void
rest(void)
{
	struct timespec t = {0, 250000000};

	nanosleep(&t, NULL);
	sink++;
}

static void *
work(void *arg)
{
	compute();
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t worker;

	(void)argv;
	if (argc > 1)
		getchar();
	pthread_create(&worker, NULL, work, NULL);
	pthread_setname_np(worker, "worker");
	pthread_join(worker, NULL);
	rest();
	return 0;
}
