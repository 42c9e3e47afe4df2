/* jitmaps.h - the names that JIT compilers leave in /tmp/perf-PID.map, kept for a
 * recording: the files are gone after the next start of the machine.
 *
 *	struct jitmaps *j = jitmaps_new();
 *	jitmaps_take(j, record);            -- each that is recorded
 *	jitmaps_feature(j, &bytes);         -- at the end
 *	jitmaps_hint(j, &said);
 *	jitmaps_free(j); */
#ifndef PNAV_SRC_COLLECT_JITMAPS_H
#define PNAV_SRC_COLLECT_JITMAPS_H

#include <linux/perf_event.h>

#include "model/base/buf.h"

struct jitmaps;

struct jitmaps *jitmaps_new(void);
/* Notes the processes that are sampled, and what they are called. */
void jitmaps_take(struct jitmaps *j, const struct perf_event_header *record);
/* Appends the maps of those that have one, up to 64 MB each and 256 MB in all: u32 how
 * many; each u32 pid, u32 bytes, the text with NULs up to whole words.  Nothing where there
 * is none.  A map belongs to root or to us, and is a plain file. */
void jitmaps_feature(struct jitmaps *j, struct buf *out);
/* Appends a line for each runtime that was sampled, could have told names, and was not
 * asked to; after jitmaps_feature(). */
void jitmaps_hint(const struct jitmaps *j, struct buf *said);
void jitmaps_free(struct jitmaps *j);

#endif
