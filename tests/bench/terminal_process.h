/* terminal_process.h - what the kernel reports about the process of a browser, from /proc. */
#ifndef PNAV_TESTS_BENCH_TERMINAL_PROCESS_H
#define PNAV_TESTS_BENCH_TERMINAL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the run time of all its threads, ended ones included; -1: unknown. */
double process_ms(pid_t pid);

/* Returns true if each of its threads waits. */
bool process_waits(pid_t pid);

/* Returns the run time of its first thread, which draws, and that thread's wait for a processor. */
void process_drawer_ms(pid_t pid, double *ran, double *waited);

/* A moment of a process. */
struct process_mark {
	bool known;       /* the kernel reports it */
	uint64_t turns;   /* how often its first thread got a processor */
	uint64_t written; /* bytes, to all files */
};

void process_mark(pid_t pid, struct process_mark *mark);

/* Returns true if the process has run since `mark`, wrote no more than `received` bytes since, and
 * waits for the next key: its first thread waits without an end or for more than `more_ms`, and the
 * others wait, too.  Returns false if the mark is unknown. */
bool process_rests(pid_t pid, const struct process_mark *mark, uint64_t received, int more_ms);

#endif
