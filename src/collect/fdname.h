/* fdname.h - names what a file descriptor of another process refers to. */
#ifndef PNAV_SRC_COLLECT_FDNAME_H
#define PNAV_SRC_COLLECT_FDNAME_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/base/buf.h"

/* Appends a path, "a pipe", "tcp 10.0.0.1:5432" (the peer), "tcp port 8080" (it listens), "unix
 * socket /run/x", "eventfd".  Returns false if the descriptor cannot be examined. */
bool fdname(pid_t pid, int fd, struct buf *out);

#endif
