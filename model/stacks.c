#include "model/stacks.h"

#include <assert.h>
#include <stdlib.h>

#include "model/mem.h"
#include "model/vec.h"

/* A stack is found by the hash of its whole path, which is made from that of its parent and
 * the frame: so the hashes of a path are known before the first of its stacks is looked up,
 * and the memory that each will touch is on its way while the others are still asked.  A
 * lookup a frame that waits for the one before was a third of the time for files whose
 * stacks are new.  What hangs below a new stack is new, too, and is not looked up at all.
 *
 * The hash is needed by the stack's children and stands in a column.  The frame and the
 * parent say whether a stack is the right one. */

#define AHEAD 32u

void
stacks_init(struct stacks *t)
{
	*t = (struct stacks){0};
	t->cap = 64;
	t->parent = mem_alloc(t->cap, sizeof *t->parent);
	t->frame = mem_alloc(t->cap, sizeof *t->frame);
	t->hash = mem_alloc(t->cap, sizeof *t->hash);
	slots_init(&t->slots);
	t->parent[0] = STACK_NONE;
	t->frame[0] = UINT32_MAX;
	t->hash[0] = 0;
	t->n = 1;
}

void
stacks_release(struct stacks *t)
{
	free(t->parent);
	free(t->frame);
	free(t->hash);
	slots_release(&t->slots);
	*t = (struct stacks){0};
}

void
stacks_copy(struct stacks *to, const struct stacks *from)
{
	*to = (struct stacks){.n = from->n, .cap = from->n};
	to->parent = mem_copy(from->parent, from->n, sizeof *from->parent);
	to->frame = mem_copy(from->frame, from->n, sizeof *from->frame);
	to->hash = mem_copy(from->hash, from->n, sizeof *from->hash);
	slots_copy(&to->slots, &from->slots);
}

/* A step of a generator a * x + c with a - 1 a multiple of four and c odd: all 2^32 values
 * come before the first comes again.  A hash that only mixes well runs into a circle after
 * some 2^16 frames of one function that calls itself, and everything deeper collides. */
static inline uint32_t
path_hash(uint32_t parent, frame_id frame)
{
	uint64_t c = (frame + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);

	c = (c ^ c >> 32) * UINT64_C(0xD6E8FEB86659FD93) >> 32;
	return parent * 0x915F77F5u + ((uint32_t)c | 1);
}

/* Bits that depend on all of a hash's. */
static inline uint32_t
spread(uint32_t hash)
{
	return (uint32_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* The stack, or STACK_EMPTY; bits are those of the hash. */
static inline stack_id
look_up(const struct stacks *t, stack_id parent, frame_id frame, uint32_t bits)
{
	uint32_t at = bits, s;

	while (slots_probe(&t->slots, &at, bits, &s))
		if (t->frame[s] == frame && t->parent[s] == parent)
			return s;
	return STACK_EMPTY;
}

static void
slots_anew(struct stacks *t)
{
	slots_grow(&t->slots);
	for (stack_id s = 1; s < t->n; s++) {
		if (s + AHEAD < t->n)
			slots_prefetch(&t->slots, spread(t->hash[s + AHEAD]));
		slots_put(&t->slots, s, spread(t->hash[s]));
	}
}

/* Room for n more. */
static void
make_room(struct stacks *t, size_t n)
{
	size_t want = t->n + n;

	if (want > t->cap) {
		vec_room(t->parent, t->cap, want);
		t->frame = mem_realloc(t->frame, t->cap, sizeof *t->frame);
		t->hash = mem_realloc(t->hash, t->cap, sizeof *t->hash);
	}
	while (!slots_have_room(&t->slots, want))
		slots_anew(t);
}

static inline stack_id
add(struct stacks *t, stack_id parent, frame_id frame, uint32_t hash)
{
	t->parent[t->n] = parent;
	t->frame[t->n] = frame;
	t->hash[t->n] = hash;
	slots_put(&t->slots, t->n, spread(hash));
	return t->n++;
}

stack_id
stacks_child(struct stacks *t, stack_id parent, frame_id frame)
{
	assert(parent < t->n);
	uint32_t hash = path_hash(t->hash[parent], frame);
	stack_id known = look_up(t, parent, frame, spread(hash));

	if (known != STACK_EMPTY)
		return known;
	if (t->n > STACK_MAX)
		return STACK_NONE;
	make_room(t, 1);
	return add(t, parent, frame, hash);
}

/* Some frames of a path, at most AHEAD. */
static size_t
short_path(struct stacks *t, stack_id s, const frame_id *frame, size_t n, int step,
	   stack_id *each)
{
	uint32_t hash[AHEAD], h = t->hash[s];
	size_t i;

	for (i = 0; i < n; i++) {
		hash[i] = h = path_hash(h, frame[(ptrdiff_t)i * step]);
		slots_prefetch(&t->slots, spread(h));
	}
	for (i = 0; i < n; i++) {
		uint32_t bits = spread(hash[i]), mask = t->slots.mask;
		uint32_t slot = t->slots.at[bits & mask];
		if (!slot)
			break;
		if ((slot ^ bits) & ~mask)
			continue;
		__builtin_prefetch(&t->frame[slot & mask]);
		__builtin_prefetch(&t->parent[slot & mask]);
	}
	for (i = 0; i < n; i++) {
		stack_id known = look_up(t, s, frame[(ptrdiff_t)i * step], spread(hash[i]));
		if (known == STACK_EMPTY)
			break;
		each[i] = s = known;
	}
	size_t left = t->n <= STACK_MAX ? STACK_MAX + 1 - t->n : 0, end = i;
	end += n - i < left ? n - i : left;
	if (i < end)
		make_room(t, end - i);
	for (; i < end; i++) /* below a new one all are new */
		each[i] = s = add(t, s, frame[(ptrdiff_t)i * step], hash[i]);
	return i;
}

size_t
stacks_path(struct stacks *t, stack_id from, const frame_id *frame, size_t n, int step,
	    stack_id *each)
{
	size_t done = 0;

	assert(from < t->n);
	while (done < n) {
		size_t some = n - done < AHEAD ? n - done : AHEAD;
		size_t got = short_path(t, done ? each[done - 1] : from,
					frame + (ptrdiff_t)done * step, some, step,
					each + done);
		done += got;
		if (got < some)
			break;
	}
	return done;
}
