/* paths.h - the stacks of a profile as a store has them. */
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
	const struct projection *tree; /* NULL: stacks are stored as they were recorded */
	uint32_t n;         /* stacks, or nodes */
	uint64_t *path;     /* [n] hash up to here, where it is known */
	uint8_t *state;     /* [n] */
	VEC(uint32_t) used; /* those with samples, each once */
	VEC(uint32_t) climb;
	struct map by_hash; /* of used */
};

/* `recorded`: the lens changes no stack, so that inlined frames and whatever else a tree
 * merges stay apart. */
void paths_init(struct paths *x, const struct shown *s, bool recorded);
void paths_release(struct paths *x);
/* The hash of a stack, which is used from now on: `stack` as recorded, that counts for
 * `node`.  0 with refusal in *e when another one has the same hash. */
uint64_t paths_hash(struct paths *x, stack_id stack, node_id node, struct err *e);
/* The hash of used.at[i]. */
uint64_t paths_used(const struct paths *x, size_t i);
/* Appends the row of used.at[i], all columns of SCHEMA_STACKS but `service`, in RowBinary. */
void paths_row(struct paths *x, size_t i, struct buf *out);

#endif
