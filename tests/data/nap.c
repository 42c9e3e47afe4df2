/* nap.c - sleeps for 5 ms, works for about 1 ms, 400 times: nearly all of its CPU time is
 * in naps_work(), nearly all of its time in clock_nanosleep(). */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

__attribute__((noinline, noclone)) unsigned naps_work(unsigned x);
__attribute__((noinline, noclone)) unsigned
naps_work(unsigned x)
{
	for (long i = 0; i < 700000; i++) {
		x = x * 1103515245u + 11;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static volatile unsigned result;

int
main(void)
{
	const struct timespec nap = {.tv_nsec = 5000000};
	for (int i = 0; i < 400; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		result = naps_work(result);
	}
	return 0;
}
