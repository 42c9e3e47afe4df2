/* content.h - a profile to be stored, and the hash that identifies it. */
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
	const struct profile *profile; /* of one file, shown through the lens */
	const struct lens *lens;
	/* the fold of both, if the caller has one, to save time; or NULL */
	struct fold *fold;
	const char *file;              /* its name */
	const char *service, *host;
	const struct writer_label *label;
	size_t n_labels;
	const char *how; /* the options that affect the content: of the lens, of formats */
	int64_t start;                 /* time of its first event: ns since 1970 */
	unsigned char source[SCHEMA_HASH]; /* hash of the file's bytes; see content_source() */
	/* Called with a line of text for each thing that a store cannot represent; may be NULL. */
	void (*warn)(const void *ctx, const char *text);
	const void *ctx;
	/* incremented by the events that have been read; NULL: no count */
	atomic_uint_fast64_t *events;
};

/* Hashes the bytes of a regular file. Returns false for others, such as pipes, which can be read
 * only once. */
bool content_source(const char *path, unsigned char out[SCHEMA_HASH]);
/* Stores a hash in the tables' form: the high end first. */
void content_put(unsigned char out[SCHEMA_HASH], uint64_t high, uint64_t low);
/* Returns the job's labels in a canonical order; the caller frees them. */
struct writer_label *content_labels(const struct writer_job *job);
/* Computes the column `content` from job->source, how, service and labels. */
void content_find(const struct writer_job *job, unsigned char out[SCHEMA_HASH]);

#endif
