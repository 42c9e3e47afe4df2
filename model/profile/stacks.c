#include "model/profile/stacks.h"

#include <assert.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Most stacks are made as a path whose upper part exists: the first new frame branches off, and
 * the others follow one below the other, with consecutive ids. So the first child of a stack
 * nearly always has the next id and is found there. Only the others have a slot, found by the
 * hash of parent and frame. A path is mostly a walk along memory, a new one puts one slot, and a
 * stack is eight bytes and part of a slot.
 *
 * Rejected: a slot for each stack by the hash of its whole path, so that a whole path can be
 * prefetched. If all stacks are new, that costs twice the memory and most of the time of a file.
 * Instead, callers with many paths overlap the cache misses of their branches (stacks_known). */

void
stacks_init(struct stacks *t)
{
	*t = (struct stacks){0};
	t->cap = 64;
	t->parent = mem_alloc(t->cap, sizeof *t->parent);
	t->frame = mem_alloc(t->cap, sizeof *t->frame);
	slots_init(&t->slots);
	t->parent[0] = STACK_NONE;
	t->frame[0] = UINT32_MAX;
	t->n = 1;
}

void
stacks_release(struct stacks *t)
{
	free(t->parent);
	free(t->frame);
	slots_release(&t->slots);
	*t = (struct stacks){0};
}

void
stacks_copy(struct stacks *to, const struct stacks *from)
{
	*to = (struct stacks){.n = from->n, .cap = from->n, .appended = from->appended};
	to->parent = mem_copy(from->parent, from->n, sizeof *from->parent);
	to->frame = mem_copy(from->frame, from->n, sizeof *from->frame);
	slots_copy(&to->slots, &from->slots);
}

static inline uint32_t
child_bits(stack_id parent, frame_id frame)
{
	uint64_t x = ((uint64_t)parent << 32 | frame) * UINT64_C(0x9E3779B97F4A7C15);

	return (uint32_t)((x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93) >> 32);
}

static inline bool
is_child(const struct stacks *t, stack_id s, stack_id parent, frame_id frame)
{
	return t->frame[s] == frame && t->parent[s] == parent;
}

/* Returns the stack, or STACK_EMPTY; bits are those of the hash. */
static inline stack_id
look_up_slots(const struct stacks *t, stack_id parent, frame_id frame, uint32_t bits)
{
	uint32_t at = bits, s;

	while (slots_probe(&t->slots, &at, bits, &s))
		if (is_child(t, s, parent, frame))
			return s;
	return STACK_EMPTY;
}

static inline stack_id
stacks_look_up(const struct stacks *t, stack_id parent, frame_id frame)
{
	if (parent + 1 == t->n)
		return STACK_EMPTY; /* the newest stack has no children */
	if (is_child(t, parent + 1, parent, frame))
		return parent + 1;
	return look_up_slots(t, parent, frame, child_bits(parent, frame));
}

#define AHEAD 32u

/* Puts all stacks into the slots, which are empty. */
static void
slots_fill(struct stacks *t)
{
	uint32_t bits[AHEAD], n = 0;
	stack_id which[AHEAD];

	for (stack_id s = 1; s < t->n || n; s++) {
		bool puts = s < t->n && t->parent[s] + 1 != s;
		if (puts) {
			which[n] = s;
			bits[n] = child_bits(t->parent[s], t->frame[s]);
			slots_prefetch(&t->slots, bits[n++]);
		}
		if (n < AHEAD && s < t->n)
			continue;
		for (uint32_t i = 0; i < n; i++)
			slots_put(&t->slots, which[i], bits[i]);
		n = 0;
	}
}

static void
slots_anew(struct stacks *t, size_t place)
{
	slots_grow(&t->slots, place);
	slots_fill(t);
}

/* Puts appended stacks into the slots. */
static void
find_appended(struct stacks *t)
{
	size_t n = 0;

	for (stack_id s = 1; s < t->n; s++)
		n += t->parent[s] + 1 != s;
	slots_reserve(&t->slots, n, t->n);
	slots_fill(t);
	t->appended = false;
}

/* Makes room for n more. */
static void
make_room(struct stacks *t, size_t n)
{
	size_t want = t->n + n;

	if (want > t->cap) {
		vec_room(t->parent, t->cap, want);
		t->frame = mem_realloc(t->frame, t->cap, sizeof *t->frame);
	}
}

static stack_id
stacks_add(struct stacks *t, stack_id parent, frame_id frame)
{
	t->parent[t->n] = parent;
	t->frame[t->n] = frame;
	if (parent + 1 != t->n) {
		while (!slots_have_room(&t->slots, t->n))
			slots_anew(t, t->n);
		slots_put(&t->slots, t->n, child_bits(parent, frame));
	}
	return t->n++;
}

stack_id
stacks_child(struct stacks *t, stack_id parent, frame_id frame)
{
	assert(parent < t->n);
	if (t->appended)
		find_appended(t);
	stack_id known = stacks_look_up(t, parent, frame);

	if (known != STACK_EMPTY)
		return known;
	if (t->n > STACK_MAX)
		return STACK_NONE;
	make_room(t, 1);
	return stacks_add(t, parent, frame);
}

bool
stacks_append(struct stacks *t, const stack_id *parent, const frame_id *frame, size_t n)
{
	if (t->n > STACK_MAX || n > STACK_MAX + 1 - t->n)
		return false;
	make_room(t, n);
	for (size_t i = 0; i < n; i++) {
		assert(parent[i] < t->n + i);
		t->parent[t->n + i] = parent[i];
		t->frame[t->n + i] = frame[i];
	}
	t->n += (uint32_t)n;
	t->appended = true;
	return true;
}

/* Prefetches for the join of stack s, once its parent has an id. */
static inline void
join_soon(const struct stacks *t, const struct stacks *from, stack_id s, stack_id parent,
	  const frame_id *frame, stack_id new, bool slot)
{
	uint32_t bits = child_bits(parent, frame[from->frame[s]]);

	if (parent >= new)
		return;
	if (slot) {
		slots_prefetch(&t->slots, bits);
		return;
	}
	uint32_t place = slots_first(&t->slots, bits);
	__builtin_prefetch(&t->frame[place]);
	__builtin_prefetch(&t->parent[place]);
}

void
stacks_join(struct stacks *t, const struct stacks *from, stack_id first, const frame_id *frame,
	    bool distinct, stack_id *id)
{
	stack_id new = distinct ? t->n : STACK_NONE; /* below these, all stacks are new */

	if (t->appended)
		find_appended(t);
	for (stack_id s = first; s < from->n; s++) {
		stack_id far = s + AHEAD, near = s + AHEAD / 2, parent = id[from->parent[s]];
		if (far < from->n && from->parent[far] < s)
			join_soon(t, from, far, id[from->parent[far]], frame, new, true);
		if (near < from->n && from->parent[near] < s)
			join_soon(t, from, near, id[from->parent[near]], frame, new, false);
		if (parent >= new) {
			make_room(t, 1);
			id[s] = stacks_add(t, parent, frame[from->frame[s]]);
		} else {
			id[s] = stacks_child(t, parent, frame[from->frame[s]]);
		}
	}
}

size_t
stacks_path(struct stacks *t, stack_id from, const frame_id *frame, size_t n, int step,
	    stack_id *each)
{
	stack_id s = from;
	size_t i;

	assert(from < t->n);
	if (t->appended)
		find_appended(t);
	for (i = 0; i < n; i++, frame += step) {
		stack_id known = stacks_look_up(t, s, *frame);
		if (known == STACK_EMPTY)
			break;
		each[i] = s = known;
	}
	size_t left = t->n <= STACK_MAX ? STACK_MAX + 1 - t->n : 0, end = i;
	end += n - i < left ? n - i : left;
	if (i == end)
		return i;
	make_room(t, end - i);
	each[i++] = s = stacks_add(t, s, *frame);
	for (frame += step; i < end; i++, frame += step) { /* below a new stack all are new */
		t->parent[t->n] = s;
		t->frame[t->n] = *frame;
		each[i] = s = t->n++;
	}
	return i;
}

/* Goes one frame down on each of n paths that are not at their end; returns how many are left. */
static size_t
one_down(const struct stacks *t, struct stacks_way **way, size_t n)
{
	uint32_t bits[STACKS_WAYS];
	stack_id at[STACKS_WAYS];
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		at[i] = way[i]->known ? way[i]->each[way[i]->known - 1] : way[i]->from;
		bits[i] = child_bits(at[i], way[i]->frame[way[i]->known]);
		slots_prefetch(&t->slots, bits[i]);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t place = slots_first(&t->slots, bits[i]);
		__builtin_prefetch(&t->frame[place]);
		__builtin_prefetch(&t->parent[place]);
	}
	for (size_t i = 0; i < n; i++) {
		struct stacks_way *w = way[i];
		frame_id frame = w->frame[w->known];
		stack_id s = at[i] + 1;
		if (s >= t->n || !is_child(t, s, at[i], frame))
			s = look_up_slots(t, at[i], frame, bits[i]);
		if (s == STACK_EMPTY)
			continue;
		w->each[w->known++] = s;
		if (w->known < w->n)
			way[left++] = w;
	}
	return left;
}

void
stacks_known(const struct stacks *t, struct stacks_way *way, size_t n)
{
	struct stacks_way *left[STACKS_WAYS];
	size_t some = 0;

	assert(n <= STACKS_WAYS);
	for (size_t i = 0; i < n; i++)
		if (way[i].n)
			left[some++] = &way[i];
	while (some)
		some = one_down(t, left, some);
}

void
stacks_soon(const struct stacks *t, stack_id parent, frame_id frame)
{
	slots_prefetch(&t->slots, child_bits(parent, frame));
}
