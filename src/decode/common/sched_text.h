/* sched_text.h - the scheduler's events as tracers print them: their arguments. */
#ifndef PNAV_SRC_DECODE_COMMON_SCHED_TEXT_H
#define PNAV_SRC_DECODE_COMMON_SCHED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/common/sched.h"

/* A task, as an event names it; comm points into the text. */
struct sched_task {
	int64_t pid;
	const char *comm;
	size_t len;
};

/* `prev_comm=a b prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=c next_pid=2 next_prio=120`,
 * or `a b:1 [120] S ==> c:2 [120]`. Returns false for another layout. */
bool sched_text_switch(const char *at, const char *end, struct sched_task *prev,
		       enum sched_left *left, struct sched_task *next);
/* `comm=a b pid=1 prio=120 target_cpu=000`, or `a b:1 [120] success=1 CPU:000`. Returns false for
 * another layout. */
bool sched_text_wake(const char *at, const char *end, struct sched_task *task);

/* Returns true for sched_wakeup, sched_waking and sched_wakeup_new, and sets *how. */
bool sched_text_wakes(const char *event, size_t len, enum sched_woken *how);
/* Reads `prev_state` as the kernel prints it: letters, perhaps with `|` and `+`; or its bits as a
 * number. */
enum sched_left sched_left_of(const char *at, const char *end);

#endif
