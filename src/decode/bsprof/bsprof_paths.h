/* bsprof_paths.h - strings, modules and path elements of a .bsprof file: maps the id of a path
 * element to a track and a stack.
 *
 * References may point forward: bsprof_paths_find() returns false while a definition is missing,
 * and remembers that until bsprof_paths_retry(). */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_PATHS_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_PATHS_H

#include "model/build/builder.h"
#include "src/decode/bsprof/bsprof_read.h"

struct bsprof_paths;

struct bsprof_place {
	uint32_t module; /* 0, 1, ... in the order of first use */
	track_id track;  /* of that module */
	stack_id stack;  /* STACK_NONE if the profile is full */
};

/* Caches the stacks of measurements. Nearly all have a path with a small id, and a line close
 * to others of that path. Such stacks are in rows, one for each path: a word with the module
 * and the number of lines, then the stacks of these lines, from line 0 on. Pairs of slots cache
 * the last of the others. */
struct bsprof_cache {
	uint32_t *row; /* [id of a path] index of its row in word[]; 0 is an empty row */
	uint32_t n_rows;
	uint32_t *word; /* a stack may be STACK_NONE: not cached */
	struct bsprof_cached {
		uint32_t path, line; /* path: an id, which is never 0 */
		uint32_t module;
		stack_id stack;
	} * at;
	uint32_t mask;
};

#define BSPROF_ROW_BITS 8u /* bits of a row's first word that count its lines */
#define BSPROF_ROW_LINES ((1u << BSPROF_ROW_BITS) - 1)

static inline const uint32_t *
bsprof_cache_row(const struct bsprof_cache *c, uint32_t path)
{
	return c->word + (path < c->n_rows ? c->row[path] : 0);
}

/* Returns STACK_NONE if the row lacks it. */
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

/* Returns the result for a measurement if a pair of slots has it, else NULL. */
static inline const struct bsprof_cached *
bsprof_cache_far(const struct bsprof_cache *c, uint32_t path, uint32_t line)
{
	const struct bsprof_cached *at = bsprof_cache_pair(c, path, line);

	if (at->path == path && at->line == line)
		return at;
	at++;
	return at->path == path && at->line == line ? at : NULL;
}

/* Returns the stack of a measurement, STACK_NONE if it is not cached. */
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

struct bsprof_paths *bsprof_paths_new(struct builder *b);
void bsprof_paths_free(struct bsprof_paths *t);

/* Add a definition. Of several definitions of an id the first is used, and others cause a warning.
 * Return false with damage if a path element would be its own caller. */
void bsprof_paths_string(struct bsprof_paths *t, const struct bsprof_entry *e);
void bsprof_paths_module(struct bsprof_paths *t, const struct bsprof_entry *e);
bool bsprof_paths_path(struct bsprof_paths *t, const struct bsprof_entry *e, struct err *err);

/* Finds track and stack of a measurement at this line offset (0: unknown line) of a path. After a
 * failure the path is not tried again before bsprof_paths_retry(). */
bool bsprof_paths_find(struct bsprof_paths *t, uint32_t path, uint32_t line,
		       struct bsprof_place *out);
/* Returns the cache for bsprof_paths_find(); valid as long as t. */
const struct bsprof_cache *bsprof_paths_cache(const struct bsprof_paths *t);
void bsprof_paths_retry(struct bsprof_paths *t);
/* Returns the number of elements visited since bsprof_paths_retry(): its cost. */
uint64_t bsprof_paths_work(const struct bsprof_paths *t);
/* From now on missing strings are shown as `string#N`. */
void bsprof_paths_close(struct bsprof_paths *t);
track_id bsprof_paths_track(const struct bsprof_paths *t, uint32_t module);

#endif
