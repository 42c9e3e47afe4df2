/* interp.h - frames of interpreters, read from the memory of running processes.
 *
 *	struct interp *i = interp_new();
 *	interp_take(i, record);                 -- each record about tasks
 *	interp_prepare(i, pid);                 -- while the process runs
 *	if (interp_look(i, pid, tid, registers))
 *		-- while the thread is stopped or waits, or at once
 *		interp_put(i, sample, &out);    -- later: the sample with these frames
 *	interp_say(i, &said);
 *	interp_free(i);
 *
 * The frames are added to the call chain of the sample as addresses, and described by records of
 * maps; src/decode/perf/perfdata_scripts.c has the form. */
#ifndef PNAV_SRC_COLLECT_INTERP_H
#define PNAV_SRC_COLLECT_INTERP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/buf.h"

struct interp;

struct interp *interp_new(void);
void interp_free(struct interp *i);
/* Notes what becomes of processes, their maps, and rounds.  Other records are ignored. */
void interp_take(struct interp *i, const struct perf_event_header *record);
/* The caller passes records of all maps, so a process without an interpreter is searched again only
 * after it has mapped one, and not after each pause. */
void interp_reported(struct interp *i);
/* Finds out whether a process runs an interpreter, unless that is known or was tried a moment ago.
 * May take some milliseconds, so no thread should be stopped for it. */
void interp_prepare(struct interp *i, pid_t pid);
/* Reads the frames of a thread of a prepared process that runs an interpreter; they are kept until
 * the next call.  `registers`: the thread's, in the order of record_registers(), or NULL.  Takes
 * well below a millisecond, and no more time with garbage in the process.  Returns false if there
 * are none. */
bool interp_look(struct interp *i, pid_t pid, pid_t tid, const uint64_t *registers);
/* Appends the sample with the frames of the last look, after records of functions that are new.
 * The sample has a call chain; without room for all frames the outermost ones are left out. */
void interp_put(struct interp *i, const struct perf_event_header *sample, struct buf *out);
/* Returns true if a process with an interpreter is known. */
bool interp_any(const struct interp *i);
/* Returns true if a program with this path is an interpreter, by its name or its first line. */
bool interp_program(const char *path);
/* Appends a line for each interpreter whose version is not known, with `before` in front. */
void interp_say(const struct interp *i, const char *before, struct buf *said);

#endif
