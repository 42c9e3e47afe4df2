/* userstack.h - the parts of a sample that show the stack of a stopped thread. */
#ifndef PNAV_SRC_COLLECT_USERSTACK_H
#define PNAV_SRC_COLLECT_USERSTACK_H

#include <stddef.h>
#include <sys/types.h>

#include "model/base/buf.h"

struct registers;

/* Appends the call chain by frame pointers: the number of addresses, and these. */
void userstack_chain(pid_t pid, const struct registers *r, struct buf *out);
/* Appends the registers and a copy of at most `size` bytes of the stack. */
void userstack_copy(pid_t pid, const struct registers *r, size_t size, struct buf *out);

#endif
