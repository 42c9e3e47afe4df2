/* bsprof_paths.h - strings, modules and path elements of a .bsprof file: from the id of a
 * path element to a track and a stack.
 *
 * References may point forward: bsprof_paths_find() is false for as long as something is
 * missing, and bsprof_paths_retry() says that it is worth to ask again. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_PATHS_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/builder.h"
#include "model/err.h"
#include "src/decode/bsprof/bsprof_read.h"

struct bsprof_paths;

struct bsprof_place {
	uint32_t module; /* 0, 1, ... in order of appearance */
	track_id track;  /* of that module */
	stack_id stack;  /* STACK_NONE when the profile can hold no more */
};

/* Where the last measurements went, in pairs of slots. */
struct bsprof_cache {
	struct bsprof_cached {
		uint32_t path, line; /* path: an id, which is never 0 */
		uint32_t module;
		stack_id stack;
	} * at;
	uint32_t mask;
};

static inline struct bsprof_cached *
bsprof_cache_pair(const struct bsprof_cache *c, uint32_t path, uint32_t line)
{
	uint32_t hash = (path * 0x9E3779B1u) ^ (line * 0x85EBCA6Bu);

	return &c->at[(hash ^ hash >> 15) & c->mask & ~1u];
}

static inline bool
bsprof_cached_is(const struct bsprof_cached *c, uint32_t path, uint32_t line)
{
	return ((c->path ^ path) | (c->line ^ line)) == 0;
}

/* The slot of a pair that has the place of a measurement, if one has: bsprof_cached_is(). */
static inline const struct bsprof_cached *
bsprof_cached_of(const struct bsprof_cached *pair, uint32_t path, uint32_t line)
{
	return pair + !bsprof_cached_is(pair, path, line);
}

static inline const struct bsprof_cached *
bsprof_cache_find(const struct bsprof_cache *c, uint32_t path, uint32_t line)
{
	return bsprof_cached_of(bsprof_cache_pair(c, path, line), path, line);
}

/* lines: the header says that entries have line offsets. */
struct bsprof_paths *bsprof_paths_new(struct builder *b, bool lines);
void bsprof_paths_free(struct bsprof_paths *t);

/* Definitions.  The first one of an id stands; others are a warning.  False with damage
 * when a path element would be its own caller. */
void bsprof_paths_string(struct bsprof_paths *t, const struct bsprof_entry *e);
void bsprof_paths_module(struct bsprof_paths *t, const struct bsprof_entry *e);
bool bsprof_paths_path(struct bsprof_paths *t, const struct bsprof_entry *e,
		       struct err *err);

/* Where a measurement at this line offset (0: at no known line) of a path belongs.  A
 * path that could not be found is not tried again before bsprof_paths_retry(). */
bool bsprof_paths_find(struct bsprof_paths *t, uint32_t path, uint32_t line,
		       struct bsprof_place *out);
/* What bsprof_paths_find() looks at first; valid as long as t. */
const struct bsprof_cache *bsprof_paths_cache(const struct bsprof_paths *t);
void bsprof_paths_retry(struct bsprof_paths *t);
/* Elements that were looked at since bsprof_paths_retry(): what it cost. */
uint64_t bsprof_paths_work(const struct bsprof_paths *t);
/* From here on a string that is missing is shown as `string#N`. */
void bsprof_paths_close(struct bsprof_paths *t);
track_id bsprof_paths_track(const struct bsprof_paths *t, uint32_t module);

#endif
