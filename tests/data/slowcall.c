/* slowcall.c - calls work() a hundred times for a millisecond each, and once, after half of them,
 * for MS milliseconds (the first argument); writes how many milliseconds the longest of the others
 * took.  With a second argument it leaves some of the calls by longjmp().  For tests of recorders
 * that wait for a slow call. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long turns;
static jmp_buf out;

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

__attribute__((noinline, noclone)) void
work(double ms, int leave)
{
	double until = now() + ms;

	while (now() < until)
		turns++;
	if (leave)
		longjmp(out, 1);
}

int
main(int argc, char **argv)
{
	double slow = argc > 1 ? atof(argv[1]) : 0;
	static double longest;

	for (volatile int i = 0; i < 100; i++) {
		double began = now();
		if (!setjmp(out))
			work(1, argc > 2 && i % 10 == 3);
		double took = now() - began;
		longest = argc > 2 || took < longest ? longest : took;
		if (i == 50 && slow > 0)
			work(slow, 0);
	}
	printf("%.0f\n", longest);
	return 0;
}
