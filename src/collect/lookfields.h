/* lookfields.h - the fields of the samples of threadlook.c: what a thread does and waits for.
 * They have the form of a tracepoint's. */
#ifndef PNAV_SRC_COLLECT_LOOKFIELDS_H
#define PNAV_SRC_COLLECT_LOOKFIELDS_H

#include <sys/types.h>

#include "model/base/buf.h"
#include "src/collect/doing.h"

#define LOOKFIELDS_TYPE 60001u /* above the kernel's own numbers */

/* The text of the tracepoint's file `format`. */
extern const char lookfields_format[];
/* Appends the raw bytes of a sample; waits_for may be NULL. */
void lookfields_put(const struct doing *doing, pid_t tid, const char *waits_for, struct buf *out);

#endif
