/* work.c - work with known shares, for accuracy.sh.
 *
 *	work short MS	three functions in turns of milliseconds: 50, 30, 20 %
 *	work long MS	each once
 *	work bursts US MS	works() for that time, then sleeps 5 ms
 *	work waits US MS	sleeps in waits(), works that long between
 *	work requests US SEED MS	requests of twelve random kinds, each of random
 *				length around US: recordings of it differ only by chance
 *	work fixed 0 MS	a fixed amount of work that takes about that long
 *
 * It prints the true values: percent of the three; percent of works(); ms of waiting, by the clock
 * around each sleep; seconds of processor time. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;

static double
now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
cpu_s(void)
{
	return now_s(CLOCK_PROCESS_CPUTIME_ID);
}

__attribute__((noinline)) void work_a(unsigned n);
__attribute__((noinline)) void
work_a(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++)
		s = s * 1664525u + 1013904223u + i;
	sink = s;
}

__attribute__((noinline)) void work_b(unsigned n);
__attribute__((noinline)) void
work_b(unsigned n)
{
	unsigned s = 1;

	for (unsigned i = 0; i < n; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
	}
	sink = s;
}

__attribute__((noinline)) void work_c(unsigned n);
__attribute__((noinline)) void
work_c(unsigned n)
{
	double d = 1;

	for (unsigned i = 1; i <= n; i++)
		d += 1.0 / (d + i);
	sink = (unsigned)d;
}

__attribute__((noinline)) static double
works(double s)
{
	double begin = cpu_s(), end;

	do {
		work_a(2000);
		end = cpu_s();
	} while (end - begin < s);
	__asm__ volatile("");
	return end - begin;
}

__attribute__((noinline)) static double
waits(void)
{
	const struct timespec five_ms = {.tv_nsec = 5000000};
	double begin = now_s(CLOCK_MONOTONIC);

	nanosleep(&five_ms, NULL);
	__asm__ volatile("");
	return now_s(CLOCK_MONOTONIC) - begin;
}

/* n: enough to make the cost of reading the clock negligible. */
static double
turn(void (*work)(unsigned n), unsigned n, double s)
{
	double begin = cpu_s(), end;

	do {
		work(n);
		end = cpu_s();
	} while (end - begin < s);
	return end - begin;
}

static void
shares(double all_s, double turn_s)
{
	double a = 0, b = 0, c = 0;

	while (a + b + c < all_s * 0.999) {
		a += turn(work_a, 200000, turn_s * 0.5);
		b += turn(work_b, 60000, turn_s * 0.3);
		c += turn(work_c, 20000, turn_s * 0.2);
	}
	double all = a + b + c;
	printf("%.3f %.3f %.3f\n", 100 * a / all, 100 * b / all, 100 * c / all);
}

/* Each kind is a function of its own. */
#define REQUEST(kind)                                                                      \
	__attribute__((noinline)) static void request_##kind(double s)                     \
	{                                                                                  \
		turn(work_b, 2000, s);                                                     \
		__asm__ volatile("# " #kind);                                              \
	}
REQUEST(a) REQUEST(b) REQUEST(c) REQUEST(d) REQUEST(e) REQUEST(f)
REQUEST(g) REQUEST(h) REQUEST(i) REQUEST(j) REQUEST(k) REQUEST(l)

static void
requests(double mean_s, long seed, double all_s)
{
	static void (*const kinds[])(double) = {
		request_a, request_b, request_c, request_d, request_e, request_f,
		request_g, request_h, request_i, request_j, request_k, request_l};

	srand48(seed);
	while (cpu_s() < all_s) {
		long kind = lrand48() % 12;
		kinds[kind](-log(1 - drand48()) * mean_s);
	}
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	double ms = argc > 2 ? atof(argv[argc - 1]) : 1000, worked = 0, waited = 0;
	double us = argc > 3 ? atof(argv[2]) : 0;

	if (!strcmp(how, "short")) {
		shares(ms / 1e3, 0.01);
	} else if (!strcmp(how, "long")) {
		shares(ms / 1e3, ms / 1e3);
	} else if (!strcmp(how, "requests")) {
		requests(us / 1e6, argc > 4 ? atol(argv[3]) : 1, ms / 1e3);
	} else if (!strcmp(how, "fixed")) {
		for (int i = 0; i < (int)ms; i++)
			work_b(600000);
		printf("%.3f\n", cpu_s());
	} else {
		while (worked + waited < ms / 1e3) {
			worked += works(us / 1e6);
			waited += waits();
		}
		if (!strcmp(how, "bursts"))
			printf("%.1f\n", 100 * worked / cpu_s());
		else
			printf("%.2f\n", waited * 1e3);
	}
	return 0;
}
