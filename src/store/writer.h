/* writer.h - a profile goes into a store: all of it, or nothing that anybody sees.
 *
 *	if (!version_prepare(url, e)) ...            -- once (version.h): the tables are there
 *	if (!writer_there(&job, &there, e)) ...      -- it was stored before
 *	if (!writer_store(&job, &told, e)) ...
 */
#ifndef PNAV_SRC_STORE_WRITER_H
#define PNAV_SRC_STORE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "src/store/content.h"

struct writer_told {
	uint64_t samples; /* rows */
	uint64_t stacks, new_stacks;
	uint64_t bytes;   /* sent */
};

/* Fills job->source by what the profile has, where content_source() found no file.  False
 * with *e set. */
bool writer_rows(struct writer_job *job, struct err *e);
/* Is this content stored for this service and labels?  False with refusal in *e. */
bool writer_there(const struct writer_job *job, bool *there, struct err *e);
/* False with *e set: usage where the lens does not fit, refusal where the server says no. */
bool writer_store(const struct writer_job *job, struct writer_told *told, struct err *e);

#endif
