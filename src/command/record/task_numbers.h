/* task_numbers.h - numbers of processes or threads, as --pid and --tid take them. */
#ifndef PNAV_SRC_COMMAND_RECORD_TASK_NUMBERS_H
#define PNAV_SRC_COMMAND_RECORD_TASK_NUMBERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/base/err.h"
#include "model/base/vec.h"

/* Zero-initialised: empty.  Released by vec_release(). */
struct task_numbers {
	pid_t *at;
	size_t n, cap;
};

/* Appends the numbers of `value`, separated by commas, for the option `name` ("tid": threads, else
 * processes, also by the number of one of their threads). Each is added once. Returns false with *e
 * if one is no number, or nothing runs under it. */
bool task_numbers_add(struct task_numbers *to, const char *name, const char *value, struct err *e);

#endif
