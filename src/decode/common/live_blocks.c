#include "src/decode/common/live_blocks.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* A free names only an address, and frees the newest live block there (pnav-formats(7):
 * allocators reuse addresses, and a profile may miss frees, so two blocks may be live at one
 * address).  Addresses hash to the newest block; older ones are linked below it.
 *
 * Programs allocate and free without end while the number of live blocks stays small, so
 * entries must be reused.  Blocks go to a free list, and an emptied slot is closed by moving
 * the following ones back (linear probing without tombstones).  So memory depends on the
 * largest number of blocks that were live at once.  A map (model/base/map.h) cannot remove
 * entries.
 *
 * Invariants: at most half of the slots are used, and the probe from an address's home slot to
 * its slot meets no empty slot. */

void
live_blocks_release(struct live_blocks *l)
{
	free_all(l->block, l->slot);
	*l = (struct live_blocks){0};
}

/* Returns where the search for an address begins. */
static size_t
home_of(const struct live_blocks *l, uint64_t address)
{
	return (size_t)((address * 0x9E3779B97F4A7C15u) >> 24) & (l->n_slots - 1);
}

/* Returns the slot of this address, or the empty slot where it belongs. */
static size_t
live_blocks_find(const struct live_blocks *l, uint64_t address)
{
	size_t at = home_of(l, address);

	while (l->slot[at] && l->block[l->slot[at] - 1].address != address)
		at = (at + 1) & (l->n_slots - 1);
	return at;
}

static void
grow(struct live_blocks *l)
{
	uint32_t *old = l->slot;
	size_t n_old = l->n_slots;

	l->n_slots = n_old ? n_old * 2 : 1024;
	l->slot = mem_zalloc(l->n_slots, sizeof *l->slot);
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			l->slot[live_blocks_find(l, l->block[old[i] - 1].address)] = old[i];
	free(old);
}

/* Closes the gap that an emptied slot leaves. */
static void
close_gap(struct live_blocks *l, size_t gap)
{
	size_t mask = l->n_slots - 1;

	l->slot[gap] = 0;
	for (size_t at = (gap + 1) & mask; l->slot[at]; at = (at + 1) & mask) {
		size_t from = home_of(l, l->block[l->slot[at] - 1].address);
		if (((at - from) & mask) < ((at - gap) & mask))
			continue; /* its home lies after the gap */
		l->slot[gap] = l->slot[at];
		l->slot[at] = 0;
		gap = at;
	}
}

void
live_blocks_alloc(struct live_blocks *l, const struct live_block *block)
{
	uint32_t index = l->unused;

	if (l->used * 2 >= l->n_slots)
		grow(l);
	if (index--) {
		l->unused = l->block[index].below;
	} else {
		vec_room(l->block, l->cap, l->n + 1);
		index = (uint32_t)l->n++;
	}
	size_t at = live_blocks_find(l, block->address);
	l->used += !l->slot[at];
	l->block[index] = *block;
	l->block[index].below = l->slot[at];
	l->slot[at] = index + 1;
}

bool
live_blocks_free(struct live_blocks *l, uint64_t address, struct live_block *out)
{
	if (!l->n_slots)
		return false;
	size_t at = live_blocks_find(l, address);
	uint32_t index = l->slot[at];
	if (!index--)
		return false;
	*out = l->block[index];
	if (out->below) {
		l->slot[at] = out->below;
	} else {
		close_gap(l, at);
		l->used--;
	}
	l->block[index].below = l->unused;
	l->unused = index + 1;
	return true;
}
