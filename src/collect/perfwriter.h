/* perfwriter.h - writes records as a perf.data file, and feeds it to a reader.
 *
 *	struct perfwriter *w = perfwriter_new(fd, events, argv, how);   -- fd: O_RDWR
 *	collect_run(c, &(struct collect_sink){perfwriter_take, w}, &e);
 *	perfwriter_finish(w, &e);
 *	perfwriter_free(w);                                    -- fd stays the caller's
 *
 * perfwriter_feed() sends the file so far to a pipe, in the form of pipes. */
#ifndef PNAV_SRC_COLLECT_PERFWRITER_H
#define PNAV_SRC_COLLECT_PERFWRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/err.h"

struct eventlist;
struct buf;
struct perfwriter;

struct perfwriter_how {
	bool stream;   /* the form of pipes, front to end; never read or sought */
	bool compress; /* by zstd; ignored in a build without it */
	/* The processes that the user recorded, if the whole system is recorded beside them; else
	 * n_command is 0. */
	const pid_t *command;
	uint32_t n_command;
};

/* events: as the system accepted them, with their ids; borrowed.  argv: the command line for info,
 * ended by NULL.  The first records written truncate the file; until then it is unchanged. */
struct perfwriter *perfwriter_new(int fd, const struct eventlist *events, char *const *argv,
				  struct perfwriter_how how);
bool perfwriter_take(void *ctx, const struct perf_event_header *record, struct err *e);
/* Returns the bytes that the file would have if it were finished now, without what
 * perfwriter_keep_jit() adds.  Records that are not compressed yet count as they are. */
uint64_t perfwriter_size(const struct perfwriter *w);
/* Writes the buffered records.  After a failure all later calls fail with the same error. */
bool perfwriter_flush(struct perfwriter *w, struct err *e);
/* Completes the file: without this it counts as incomplete. */
bool perfwriter_finish(struct perfwriter *w, struct err *e);
/* Adds the maps of JIT compilers to the file, in the form of jitmaps.h.  Copied; call it before
 * perfwriter_finish(). */
void perfwriter_keep_jit(struct perfwriter *w, const struct buf *maps);
/* Reserves a place for perfwriter_embed() in the file; call it before perfwriter_keep_jit(). */
void perfwriter_reserve(struct perfwriter *w);
/* Adds the section of perfembed.h at the end, once, after perfwriter_finish().  The file is valid
 * at every moment: its last 16 bytes make the section visible.  Another process with the descriptor
 * may call this. */
bool perfwriter_embed(struct perfwriter *w, const struct buf *section, struct err *e);
/* Removes the remains of another process that ended within perfwriter_embed().  Returns true if the
 * section is there. */
bool perfwriter_embedded(struct perfwriter *w);
/* For files: writes as much as the pipe takes without blocking (everything, unless it is
 * O_NONBLOCK).  Returns false once the reader has closed the pipe. */
bool perfwriter_feed(struct perfwriter *w, int pipe);
void perfwriter_free(struct perfwriter *w);

#endif
