/* phases.c - runs in early() for a second, then in late() for another, and ends with a status:
 *
 *	phases STATUS [BYTES [SECONDS]]
 *
 * late() first takes BYTES of memory, and lasts SECONDS instead of one.  Writes "late" when it
 * begins.  For tests of recorders that keep the last moments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long turns;
static char *volatile memory;

static double
now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define PHASE(name)                                                                      \
	__attribute__((noinline, noclone)) static void name(double until)                \
	{                                                                                \
		while (now() < until)                                                    \
			for (int i = 0; i < 100000; i++)                                 \
				turns++;                                                 \
	}
PHASE(early)
PHASE(late)

int
main(int argc, char **argv)
{
	double began = now();
	size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	early(began + 1);
	puts("late");
	fflush(stdout);
	memory = malloc(bytes + 1);
	if (memory)
		memset(memory, 1, bytes + 1);
	late(began + 1 + (argc > 3 ? atoi(argv[3]) : 1));
	return argc > 1 ? atoi(argv[1]) : 0;
}
