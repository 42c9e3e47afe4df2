/* bsprof_paths.h - strings, modules and path elements of a .bsprof file: from the id of a
 * path element to a track and a stack.
 *
 * References may point forward: bsprof_paths_find() is false for as long as something is
 * missing, and bsprof_paths_retry() says that it is worth to ask again. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_PATHS_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/decode/bsprof/bsprof_read.h"

struct bsprof_paths;

struct bsprof_place {
	uint32_t module; /* 0, 1, ... in order of appearance */
	track_id track;  /* of that module */
	stack_id stack;  /* STACK_NONE when the profile can hold no more */
};

/* Where measurements went: nearly all are of a path with a small id at a line that is near to
 * others of it, and lie in rows, one a path: a word that says the module and how many lines
 * there are, from 0 on, and their stacks.  Where the last of the others went is in pairs of
 * slots. */
struct bsprof_cache {
	uint32_t *row; /* [id of a path] where it begins in word[]; 0 is an empty one */
	uint32_t n_rows;
	uint32_t *word; /* a stack may be STACK_NONE: not known here */
	struct bsprof_cached {
		uint32_t path, line; /* path: an id, which is never 0 */
		uint32_t module;
		stack_id stack;
	} * at;
	uint32_t mask;
};

#define BSPROF_ROW_BITS 8u /* of the first word, which are the lines */
#define BSPROF_ROW_LINES ((1u << BSPROF_ROW_BITS) - 1)

static inline const uint32_t *
bsprof_cache_row(const struct bsprof_cache *c, uint32_t path)
{
	return c->word + (path < c->n_rows ? c->row[path] : 0);
}

/* STACK_NONE where it is not in the row. */
static inline stack_id
bsprof_row_find(const uint32_t *row, uint32_t line, uint32_t *module)
{
	if (line >= (row[0] & BSPROF_ROW_LINES))
		return STACK_NONE;
	*module = row[0] >> BSPROF_ROW_BITS;
	return row[1 + line];
}

static inline struct bsprof_cached *
bsprof_cache_pair(const struct bsprof_cache *c, uint32_t path, uint32_t line)
{
	uint32_t hash = (path * 0x9E3779B1u) ^ (line * 0x85EBCA6Bu);

	return &c->at[(hash ^ hash >> 15) & c->mask & ~1u];
}

/* The place of a measurement where it is in a pair, else NULL. */
static inline const struct bsprof_cached *
bsprof_cache_far(const struct bsprof_cache *c, uint32_t path, uint32_t line)
{
	const struct bsprof_cached *at = bsprof_cache_pair(c, path, line);

	if (at->path == path && at->line == line)
		return at;
	at++;
	return at->path == path && at->line == line ? at : NULL;
}

/* The place of a measurement, STACK_NONE where it is not known here. */
static inline stack_id
bsprof_cache_find(const struct bsprof_cache *c, uint32_t path, uint32_t line, uint32_t *module)
{
	stack_id stack = bsprof_row_find(bsprof_cache_row(c, path), line, module);
	const struct bsprof_cached *far;

	if (stack != STACK_NONE || !(far = bsprof_cache_far(c, path, line)))
		return stack;
	*module = far->module;
	return far->stack;
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
/* Returns the cache for bsprof_paths_find(); valid as long as t. */
const struct bsprof_cache *bsprof_paths_cache(const struct bsprof_paths *t);
void bsprof_paths_retry(struct bsprof_paths *t);
/* Returns the number of elements visited since bsprof_paths_retry(): its cost. */
uint64_t bsprof_paths_work(const struct bsprof_paths *t);
/* From here on a string that is missing is shown as `string#N`. */
void bsprof_paths_close(struct bsprof_paths *t);
track_id bsprof_paths_track(const struct bsprof_paths *t, uint32_t module);

#endif
