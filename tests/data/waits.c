/* waits.c - waits for known times in known functions, which an off-CPU profile should find. 300
 * ms in waits_rest() in one thread, 200 ms in waits_read() in the other, which then works for a
 * while. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static volatile unsigned result;

static void
nap(long ms)
{
	const struct timespec t = {.tv_nsec = ms * 1000000};
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

__attribute__((noinline, noclone)) void waits_rest(void);
__attribute__((noinline, noclone)) void
waits_rest(void)
{
	for (int i = 0; i < 30; i++)
		nap(10);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) void waits_read(void);
__attribute__((noinline, noclone)) void
waits_read(void)
{
	char c;
	if (read(ends[0], &c, 1) != 1)
		result = 0;
	__asm__ volatile("");
}

static void *
reader(void *unused)
{
	waits_read();
	for (long i = 0; i < 30000000; i++)
		result = result * 1103515245u + 11;
	return unused;
}

int
main(void)
{
	pthread_t other;
	if (pipe(ends) || pthread_create(&other, NULL, reader, NULL))
		return 1;
	nap(200);
	if (write(ends[1], "", 1) != 1)
		return 1;
	waits_rest();
	pthread_join(other, NULL);
	return 0;
}
