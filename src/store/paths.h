/* paths.h - the stacks of a profile in the form of a store. */
#ifndef PNAV_SRC_STORE_PATHS_H
#define PNAV_SRC_STORE_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/map.h"
#include "model/base/vec.h"
#include "src/encode/shown.h"
#include "src/store/schema.h"

struct paths {
	const struct profile *p;
	const struct projection *tree; /* NULL: stacks are stored as recorded */
	uint32_t n;         /* stacks, or nodes */
	uint64_t *path;     /* [n] hash of the path from the root, if computed */
	uint8_t *state;     /* [n] */
	VEC(uint32_t) used; /* the stacks with samples, each once */
	VEC(uint32_t) climb;
	struct map by_hash; /* index of used by hash */
};

/* `recorded`: the lens changes no stack, so inlined frames and other distinctions that a tree
 * merges stay. */
void paths_init(struct paths *x, const struct shown *s, bool recorded);
void paths_release(struct paths *x);
/* Returns the hash of a stack and adds it to `used`: `stack` as recorded, which counts for `node`.
 * 0 with a refusal in *e if another stack has the same hash. */
uint64_t paths_hash(struct paths *x, stack_id stack, node_id node, struct err *e);
/* Returns the hash of used.at[i]. */
uint64_t paths_used(const struct paths *x, size_t i);
/* Appends the row of used.at[i], all columns of SCHEMA_STACKS but `service`, in RowBinary. */
void paths_row(struct paths *x, size_t i, struct buf *out);

#endif
