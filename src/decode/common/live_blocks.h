/* live_blocks.h - the blocks of memory that are allocated and not freed yet, for formats that log
 * allocations and frees by address. */
#ifndef PNAV_SRC_DECODE_COMMON_LIVE_BLOCKS_H
#define PNAV_SRC_DECODE_COMMON_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile/stacks.h"

struct live_block {
	uint64_t address, size;
	stack_id stack;      /* that allocated it */
	uint32_t path, line; /* data of the decoder; unused by most */
	uint32_t module;
	uint32_t below;      /* an older block at this address; index + 1 */
};

/* Zero-initialised, it is empty. */
struct live_blocks {
	struct live_block *block;
	size_t n, cap;
	uint32_t unused; /* 1 + index of the first unused place in block[] */
	uint32_t *slot;  /* hash of the address to 1 + index of the newest block there */
	size_t n_slots, used;
};

void live_blocks_release(struct live_blocks *l);
/* Adds a block; its member `below` is ignored. */
void live_blocks_alloc(struct live_blocks *l, const struct live_block *block);
/* Removes the newest block at this address; false if there is none. */
bool live_blocks_free(struct live_blocks *l, uint64_t address, struct live_block *out);

#endif
