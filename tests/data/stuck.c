/* stuck.c - threads that wait since long before anybody looks.
 *
 *	stuck dead    two threads, each of which waits for the mutex of the other, for ever
 *	stuck half    one thread waits for ever, one again and again, the first for both
 *
 * It ends by itself after a minute. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

__attribute__((noinline, noclone)) void
lock_ab(void)
{
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) void
lock_ba(void)
{
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) void
wait_long(void)
{
	for (;;)
		sleep(100);
}

__attribute__((noinline, noclone)) void
wait_often(void)
{
	for (;;)
		usleep(10000);
}

static void *
locker(void *unused)
{
	lock_ba();
	return unused;
}

static void *
sleeper(void *unused)
{
	wait_long();
	return unused;
}

static void *
napper(void *unused)
{
	wait_often();
	return unused;
}

int
main(int argc, char **argv)
{
	pthread_t one, two;

	alarm(60);
	pthread_barrier_init(&both, NULL, 2);
	if (argc > 1 && !strcmp(argv[1], "dead")) {
		pthread_create(&one, NULL, locker, NULL);
		lock_ab();
	}
	pthread_create(&one, NULL, sleeper, NULL);
	pthread_create(&two, NULL, napper, NULL);
	pthread_join(one, NULL);
	return 0;
}
