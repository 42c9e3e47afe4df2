/* bsprof_live.h - the blocks of memory that are allocated and not freed yet. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_LIVE_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stacks.h"

struct bsprof_block {
	uint64_t address, size;
	uint32_t path, line; /* who allocated it */
	uint32_t module;     /* where that belongs; only where the stack is not STACK_NONE */
	stack_id stack;
	uint32_t below;      /* an older block at this address; index + 1 */
};

/* Zero-initialised is empty. */
struct bsprof_live {
	struct bsprof_block *block;
	size_t n, cap;
	uint32_t unused; /* first of the list of free places in block[]; index + 1 */
	uint32_t *slot;  /* hash of the address -> newest block there; index + 1 */
	size_t n_slots, used;
};

/* Where the search for an address begins. */
static inline size_t
bsprof_live_home(const struct bsprof_live *l, uint64_t address)
{
	return (size_t)((address * 0x9E3779B97F4A7C15u) >> 24) & (l->n_slots - 1);
}

void bsprof_live_release(struct bsprof_live *l);
/* `below` is not looked at. */
void bsprof_live_alloc(struct bsprof_live *l, const struct bsprof_block *block);
/* Starts to fetch what an allocation or a free at this address will look at. */
static inline void
bsprof_live_prefetch(const struct bsprof_live *l, uint64_t address)
{
	if (l->n_slots)
		__builtin_prefetch(&l->slot[bsprof_live_home(l, address)]);
}
/* Takes the latest block at this address; false when there is none. */
bool bsprof_live_free(struct bsprof_live *l, uint64_t address, struct bsprof_block *out);

#endif
