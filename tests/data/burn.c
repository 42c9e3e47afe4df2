/* burn.c - spends known shares of its CPU time in known functions, which a collector should
 * find.
 *
 *	burn [MODE...]
 *
 * burn_60, burn_30 and burn_10 do the same step, a multiplication that waits for the one
 * before, 60, 30 and 10 times as often; there is nothing else.
 *
 *	(none)	100 slices of all three, so that the shares hold for every part of the
 *		run; about half a second
 *	threads	the same in each of two threads
 *	child	the same in a child, which the parent waits for
 *	short	100 children one after the other, a slice of all three each
 *	exec	a child executes this program
 *	orphan	a child sleeps for ten seconds, longer than its parent runs
 *	dlopen	60 of 120 parts in a function of a library loaded at run time (argv)
 *	kill	the same, then SIGTERM to itself
 *	exit N	the same, then exit status N
 *	nothing	ends at once
 *	forever	burns until it is killed, SIGINT ignored */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICES 100
#define STEPS 36000 /* of work a percent and slice: some 0.05 ms */

/* The three are alike, and must not become one. */
#define BURNER(name, share, seed)                                                        \
	__attribute__((noinline, noclone)) unsigned name(unsigned x);                    \
	__attribute__((noinline, noclone)) unsigned name(unsigned x)                     \
	{                                                                                \
		for (long i = 0; i < (long)STEPS * (share); i++) {                       \
			x = x * 1103515245u + (seed);                                    \
			__asm__ volatile("" : "+r"(x));                                  \
		}                                                                        \
		return x;                                                                \
	}
BURNER(burn_60, 60, 11)
BURNER(burn_30, 30, 13)
BURNER(burn_10, 10, 17)

static volatile unsigned result;

static void *
burn(void *unused)
{
	for (int i = 0; i < SLICES; i++) {
		result += burn_60(result);
		result += burn_30(result);
		result += burn_10(result);
	}
	return unused;
}

static void
in_threads(void)
{
	pthread_t other;
	pthread_create(&other, NULL, burn, NULL);
	burn(NULL);
	pthread_join(other, NULL);
}

static void
in_short_children(void)
{
	for (int i = 0; i < SLICES; i++) {
		pid_t pid = fork();
		if (!pid) {
			result += burn_60(result);
			result += burn_30(result);
			result += burn_10(result);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void
in_child(const char *self, const char *mode)
{
	pid_t pid = fork();
	if (!pid) {
		if (!strcmp(mode, "exec"))
			execl(self, self, (char *)NULL);
		else if (!strcmp(mode, "orphan"))
			sleep(10);
		else
			burn(NULL);
		_exit(0);
	}
	if (!strcmp(mode, "orphan"))
		burn(NULL);
	else
		waitpid(pid, NULL, 0);
}

static int
in_library(const char *path)
{
	unsigned (*lib_burn)(void);
	void *lib = dlopen(path, RTLD_NOW);
	if (!lib)
		return 1;
	*(void **)&lib_burn = dlsym(lib, "lib_burn");
	for (int i = 0; lib_burn && i < SLICES / 2; i++) {
		result += lib_burn();
		result += burn_60(result);
	}
	return !lib_burn;
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "nothing"))
		return 0;
	if (!strcmp(mode, "forever"))
		signal(SIGINT, SIG_IGN);
	if (!strcmp(mode, "threads"))
		in_threads();
	else if (!strcmp(mode, "child") || !strcmp(mode, "exec") ||
		 !strcmp(mode, "orphan"))
		in_child(argv[0], mode);
	else if (!strcmp(mode, "short"))
		in_short_children();
	else if (!strcmp(mode, "dlopen"))
		return argc > 2 ? in_library(argv[2]) : 2;
	else
		burn(NULL);
	if (!strcmp(mode, "kill"))
		raise(SIGTERM);
	while (!strcmp(mode, "forever"))
		burn(NULL);
	return !strcmp(mode, "exit") && argc > 2 ? atoi(argv[2]) : 0;
}
