/* writer.h - a profile goes into a store: all of it, or nothing that anybody sees.
 *
 *	if (!writer_prepare(url, e)) ...             -- once: the tables are there
 *	if (!writer_there(&job, &there, e)) ...      -- it was stored before
 *	if (!writer_store(&job, &told, e)) ...
 */
#ifndef PNAV_SRC_STORE_WRITER_H
#define PNAV_SRC_STORE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lens.h"
#include "model/profile.h"
#include "src/store/schema.h"

struct writer_label {
	const char *key, *value;
};

struct writer_job {
	const struct store_url *url;
	const struct profile *profile; /* of one file, looked at through the lens */
	const struct lens *lens;
	const char *file;              /* its name */
	const char *service, *host;
	const struct writer_label *label;
	size_t n_labels;
	const char *how;               /* the options that decide what it is: of the lens, of formats */
	int64_t start;                 /* when its first event was: ns since 1970 */
	unsigned char source[SCHEMA_HASH]; /* hash of the file's bytes; see writer_source() */
	/* Told, a line of text each, what a store cannot carry; may be NULL. */
	void (*warn)(const void *ctx, const char *text);
	const void *ctx;
};

struct writer_told {
	uint64_t samples; /* rows */
	uint64_t stacks, new_stacks;
	uint64_t bytes;   /* sent */
};

/* Makes the tables that are missing.  False with refusal in *e. */
bool writer_prepare(const struct store_url *url, struct err *e);
/* The hash of a regular file's bytes; false where there are none that could be read again, as
 * of a pipe: then writer_rows() says what a profile is by what it has. */
bool writer_source(const char *path, unsigned char out[SCHEMA_HASH]);
bool writer_rows(struct writer_job *job, struct err *e);
/* Is this content stored for this service and labels?  False with refusal in *e. */
bool writer_there(const struct writer_job *job, bool *there, struct err *e);
/* False with *e set: usage where the lens does not fit, refusal where the server says no. */
bool writer_store(const struct writer_job *job, struct writer_told *told, struct err *e);

#endif
