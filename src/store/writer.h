/* writer.h - writes a profile to a store: completely, or invisibly for all readers.
 *
 *	if (!version_prepare(url, e)) ...            -- once (version.h): makes the tables
 *	if (!writer_there(&job, &there, e)) ...      -- stored before?
 *	if (!writer_store(&job, &counts, e)) ...
 */
#ifndef PNAV_SRC_STORE_WRITER_H
#define PNAV_SRC_STORE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "src/store/content.h"

struct writer_counts {
	uint64_t samples; /* rows */
	uint64_t stacks, new_stacks;
};

/* Sets job->source from the profile's content, if content_source() found no file. Returns false
 * with *e set. */
bool writer_rows(struct writer_job *job, struct err *e);
/* Sets *there if this content is stored for this service and labels. Returns false with a refusal
 * in *e. */
bool writer_there(const struct writer_job *job, bool *there, struct err *e);
/* Stores the profile. Returns false with usage in *e if the lens does not fit, with a refusal if
 * the server refuses. */
bool writer_store(const struct writer_job *job, struct writer_counts *counts, struct err *e);

#endif
