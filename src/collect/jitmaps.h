/* jitmaps.h - keeps the names that JIT compilers write to /tmp/perf-PID.map for a recording, since
 * these files disappear at the next boot.
 *
 *	struct jitmaps *j = jitmaps_new();
 *	jitmaps_take(j, record);            -- each recorded one
 *	jitmaps_feature(j, &bytes);         -- at the end
 *	jitmaps_hint(j, &said);
 *	jitmaps_free(j); */
#ifndef PNAV_SRC_COLLECT_JITMAPS_H
#define PNAV_SRC_COLLECT_JITMAPS_H

#include <linux/perf_event.h>

#include "model/base/buf.h"

struct jitmaps;

struct jitmaps *jitmaps_new(void);
/* Notes the sampled processes and their names. */
void jitmaps_take(struct jitmaps *j, const struct perf_event_header *record);
/* Appends the maps of processes that have one, up to 64 MB each and 256 MB in all: u32 count; for
 * each u32 pid, u32 bytes, the text padded with NULs to whole words.  Appends nothing if there are
 * none.  A map must be a plain file of root or of this user. */
void jitmaps_feature(struct jitmaps *j, struct buf *out);
/* Appends a line for each sampled runtime that could have written names but was not asked to; call
 * it after jitmaps_feature(). */
void jitmaps_hint(const struct jitmaps *j, struct buf *said);
void jitmaps_free(struct jitmaps *j);

#endif
