/* processes.h - threads and processes, where files number them. */
#ifndef PNAV_SRC_DECODE_COMMON_PROCESSES_H
#define PNAV_SRC_DECODE_COMMON_PROCESSES_H

#include <stdint.h>

#include "model/base/buf.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"

/* All zero to begin with. */
struct processes {
	struct idmap process; /* pid -> process_id */
};

void processes_release(struct processes *x);
/* Track t is of a thread of this process.  A number below 1 is none. */
void processes_put(struct processes *x, struct builder *b, int64_t pid, track_id t);

/* `NAME TID`, or `thread TID` of one without a name, behind what *out has. */
void thread_text(struct buf *out, const struct builder *b, name_id name, int64_t tid);

#endif
