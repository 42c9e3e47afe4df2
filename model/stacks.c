#include "model/stacks.h"

#include <assert.h>
#include <stdlib.h>

#include "model/mem.h"
#include "model/vec.h"

void
stacks_init(struct stacks *t)
{
	*t = (struct stacks){0};
	map_init(&t->map);
	t->cap = 64;
	t->parent = mem_alloc(t->cap, sizeof *t->parent);
	t->frame = mem_alloc(t->cap, sizeof *t->frame);
	t->parent[0] = STACK_NONE;
	t->frame[0] = UINT32_MAX;
	t->n = 1;
}

void
stacks_release(struct stacks *t)
{
	free(t->parent);
	free(t->frame);
	map_release(&t->map);
	*t = (struct stacks){0};
}

void
stacks_copy(struct stacks *to, const struct stacks *from)
{
	*to = (struct stacks){.n = from->n, .cap = from->n};
	to->parent = mem_copy(from->parent, from->n, sizeof *from->parent);
	to->frame = mem_copy(from->frame, from->n, sizeof *from->frame);
	map_copy(&to->map, &from->map);
}

/* The pair is a perfect 64-bit key: one multiplication mixes it well enough that the
 * upper half, which the map uses, depends on all of its bits. */
static uint64_t
pair_hash(stack_id parent, frame_id frame)
{
	uint64_t x = ((uint64_t)parent << 32 | frame) * UINT64_C(0x9E3779B97F4A7C15);

	x ^= x >> 32;
	return x * UINT64_C(0xD6E8FEB86659FD93);
}

stack_id
stacks_child(struct stacks *t, stack_id parent, frame_id frame)
{
	assert(parent < t->n);
	uint64_t hash = pair_hash(parent, frame);
	uint32_t slot = map_first(&t->map, hash), i;

	while (map_probe(&t->map, &slot, hash, &i))
		if (t->parent[i] == parent && t->frame[i] == frame)
			return i;
	if (t->n > STACK_MAX)
		return STACK_NONE;
	if (t->n == t->cap) {
		vec_room(t->parent, t->cap, t->n + 1);
		t->frame = mem_realloc(t->frame, t->cap, sizeof *t->frame);
	}
	t->parent[t->n] = parent;
	t->frame[t->n] = frame;
	map_insert(&t->map, hash, t->n);
	return t->n++;
}
