/* Threads whose states are known: for tests/stacks.t.
 *
 *	ab, ba     each holds a lock that the other waits for
 *	third      waits for the lock of ab; an argument sets the number of such threads
 *	victim     waits for the lock of holder, which waits for a signal
 *	joiner     waits for the end of sleeper, which sleeps
 *	reader     reads from an empty pipe
 *	poller     polls that pipe and a socket
 *	server     accepts on a port, which it prints
 *	condition  waits for a condition
 *	rwreader   waits for a lock that main has for writing
 *	opener     opens the FIFO `nobody`, if there is one
 *	spinner    runs
 *
 * Prints "ready PORT" when all of them are there, and ends with its standard input. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOMENT 100000u /* us */

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_t asleep;
static int ends[2], listening;
static volatile unsigned long turns;

static void
called(const char *name)
{
	prctl(PR_SET_NAME, name);
}

__attribute__((noinline)) static void
take_both(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x);
	usleep(MOMENT);
	pthread_mutex_lock(y);
	turns++;
}

static void *
ab(void *x)
{
	called("ab");
	take_both(&a, &b);
	return x;
}

static void *
ba(void *x)
{
	called("ba");
	take_both(&b, &a);
	return x;
}

static void *
third(void *x)
{
	called("third");
	usleep(2 * MOMENT);
	pthread_mutex_lock(&a);
	return x;
}

static void *
holder(void *x)
{
	called("holder");
	pthread_mutex_lock(&c);
	for (;;)
		pause();
	return x;
}

static void *
victim(void *x)
{
	called("victim");
	usleep(MOMENT);
	pthread_mutex_lock(&c);
	return x;
}

static void *
sleeper(void *x)
{
	struct timespec long_time = {1000, 0};
	called("sleeper");
	nanosleep(&long_time, NULL);
	return x;
}

static void *
joiner(void *x)
{
	called("joiner");
	pthread_join(asleep, NULL);
	return x;
}

static void *
reader(void *x)
{
	char byte;
	called("reader");
	return read(ends[0], &byte, 1) == 1 ? x : NULL;
}

static void *
poller(void *x)
{
	struct pollfd both[2] = {{ends[0], POLLIN, 0}, {listening, POLLPRI, 0}};
	called("poller");
	poll(both, 2, -1);
	return x;
}

static void *
server(void *x)
{
	called("server");
	return accept(listening, NULL, NULL) < 0 ? NULL : x;
}

static void *
condition(void *x)
{
	called("condition");
	pthread_mutex_lock(&d);
	pthread_cond_wait(&never, &d);
	return x;
}

static void *
rwreader(void *x)
{
	called("rwreader");
	pthread_rwlock_rdlock(&written);
	return x;
}

static void *
opener(void *x)
{
	called("opener");
	return open("nobody", O_RDONLY) < 0 ? NULL : x;
}

__attribute__((noinline)) static void
spin(void)
{
	for (;;)
		turns++;
}

static void *
spinner(void *x)
{
	called("spinner");
	spin();
	return x;
}

int
main(int argc, char **argv)
{
	static void *(*const all[])(void *) = {ab, ba, third, holder, victim, joiner,
					       reader, poller, server, condition,
					       rwreader, opener, spinner};
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof at;
	pthread_t t;
	char byte;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listening = socket(AF_INET, SOCK_STREAM, 0);
	if (pipe(ends) || bind(listening, (struct sockaddr *)&at, len) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&at, &len))
		return 1;
	pthread_rwlock_wrlock(&written);
	pthread_create(&asleep, NULL, sleeper, NULL);
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		pthread_create(&t, NULL, all[i], NULL);
	for (int more = argc > 1 ? atoi(argv[1]) : 1; more > 1; more--)
		pthread_create(&t, NULL, third, NULL);
	usleep(10 * MOMENT);
	printf("ready %d\n", ntohs(at.sin_port));
	fflush(stdout);
	return read(STDIN_FILENO, &byte, 1) < 0;
}
