/* child.h - starts a command that waits at a gate until it is observed. */
#ifndef PNAV_SRC_COLLECT_CHILD_H
#define PNAV_SRC_COLLECT_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child_options {
	char *const *argv;
	const char *path;     /* NULL: argv[0], searched in PATH */
	int in, out, err;     /* -1: ours */
	const sigset_t *mask; /* the command's signal mask */
};

struct child {
	pid_t pid;
	int gate, news;
};

/* Forks; returns false with errno. */
bool child_start(struct child *c, const struct child_options *o);
/* Opens the gate and waits until the program runs.  Returns 0, or the errno of exec; then the child
 * has ended, but has not been waited for. */
int child_release(struct child *c);
/* Ends a child that still waits; does nothing else to one that runs. */
void child_drop(struct child *c);

#endif
