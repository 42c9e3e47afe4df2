/* content.h - a profile that is to be stored, and what tells it from others. */
#ifndef PNAV_SRC_STORE_CONTENT_H
#define PNAV_SRC_STORE_CONTENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "src/store/schema.h"

struct writer_label {
	const char *key, *value;
};

struct writer_job {
	const struct store_url *url;
	const struct profile *profile; /* of one file, looked at through the lens */
	const struct lens *lens;
	struct fold *fold;             /* of both, if there is one: it is not made again; or NULL */
	const char *file;              /* its name */
	const char *service, *host;
	const struct writer_label *label;
	size_t n_labels;
	const char *how; /* the options that decide what it is: of the lens, of formats */
	int64_t start;                 /* when its first event was: ns since 1970 */
	unsigned char source[SCHEMA_HASH]; /* hash of the file's bytes; see content_source() */
	/* Told, a line of text each, what a store cannot carry; may be NULL. */
	void (*warn)(const void *ctx, const char *text);
	const void *ctx;
	atomic_uint_fast64_t *events;  /* grows by the events that have been read; NULL: no count */
};

/* The hash of a regular file's bytes; false where there are none that could be read again, as
 * of a pipe. */
bool content_source(const char *path, unsigned char out[SCHEMA_HASH]);
/* A hash as the tables have it: the high end first. */
void content_put(unsigned char out[SCHEMA_HASH], uint64_t high, uint64_t low);
/* The job's labels in one order, however they were given; the caller's to free. */
struct writer_label *content_labels(const struct writer_job *job);
/* The column `content`: of job->source, how, service and labels. */
void content_find(const struct writer_job *job, unsigned char out[SCHEMA_HASH]);

#endif
