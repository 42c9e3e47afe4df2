/* Threads that begin and end, and code that calls with numbers on its stack: for
 * tests/sampling.t, which also compiles it without call frame information. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 1600u
#define TOGETHER 8u

static volatile unsigned long turns;

__attribute__((noinline)) static int
work(double seconds)
{
	struct timespec t;
	double end = 0, now = 0;

	while (!end || now < end) {
		for (int i = 0; i < 5000; i++)
			turns++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
		end = end ? end : now + seconds;
	}
	return 0;
}

static int
compare(const void *a, const void *b)
{
	return work(.0005) + *(const int *)a - *(const int *)b;
}

static void *
run(void *x)
{
	work(.00005);
	return x;
}

int
main(void)
{
	pthread_t t[TOGETHER];
	int same = 0;

	for (unsigned i = 0; i < 20; i++) {
		int number[8] = {8, 7, 6, 5, 4, 3, 2, 1};
		qsort(number, 8, sizeof *number, compare);
		same += number[0] - 1 + work(.01);
	}
	for (unsigned i = 0; i < THREADS; i += TOGETHER) {
		for (unsigned j = 0; j < TOGETHER; j++)
			pthread_create(t + j, NULL, run, NULL);
		for (unsigned j = 0; j < TOGETHER; j++)
			pthread_join(t[j], NULL);
	}
	return same;
}
