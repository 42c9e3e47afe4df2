/* What the folded decoder asks when it does not know a stack: frames by name, and the
 * path of the line before.
 *
 * Frames: the model interns names, functions and frames in three tables, each asked
 * with what the one before gave; here one probe answers for all three.  The text is
 * compared, so that a 64-bit hash is enough; it is the interned text, which lives as
 * long as the profile.
 *
 * Path: neighbours in a sorted file share most of their frames.  Rejected: keeping the
 * frames of the last line and comparing name by name (finds the same, after splitting
 * both); a hash of every prefix (a probe a frame, even where all is the same).
 *
 * Invariant: the frame table is at most half full; a path's steps are those of its
 * text. */
#include "src/decode/folded/folded_cache.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

#define SLOTS_START 4096u

/* ---- frames ---- */

static void
frame_cache_grow(struct frame_cache *c)
{
	struct frame_slot *old = c->slot;
	uint32_t n = old ? c->mask + 1 : 0;
	uint32_t wider = n ? n * 2 : SLOTS_START;
	c->slot = mem_zalloc(wider, sizeof *c->slot);
	c->mask = wider - 1;
	for (uint32_t i = 0; i < n; i++) {
		if (!old[i].at)
			continue;
		uint32_t to = (uint32_t)old[i].hash & c->mask;
		while (c->slot[to].at)
			to = (to + 1) & c->mask;
		c->slot[to] = old[i];
	}
	free(old);
}

static frame_id
new_frame(struct builder *b, const char *name, size_t len, const char **interned)
{
	struct function f = {
		.name = builder_name(b, name, len),
		.kind = (uint8_t)kind_of_name(name, len),
	};
	if (len >= 4 && !memcmp(name + len - 4, "_[k]", 4))
		f.kind = KIND_SYSTEM;
	*interned = builder_name_get(b, f.name).at;
	return builder_frame(b, builder_function(b, f), line_unknown());
}

frame_id
frame_cache_get(struct frame_cache *c, struct builder *b, const char *name, size_t len)
{
	if (!c->slot || c->used > c->mask / 2)
		frame_cache_grow(c);
	uint64_t hash = hash64(name, len);
	uint32_t i = (uint32_t)hash & c->mask;
	for (; c->slot[i].at; i = (i + 1) & c->mask) {
		const struct frame_slot *s = &c->slot[i];
		if (s->hash == hash && s->len == len && !memcmp(s->at, name, len))
			return s->frame;
	}
	struct frame_slot *s = &c->slot[i];
	s->frame = new_frame(b, name, len, &s->at);
	s->hash = hash;
	s->len = (uint32_t)len;
	c->used++;
	return s->frame;
}

void
frame_cache_release(struct frame_cache *c)
{
	free(c->slot);
	*c = (struct frame_cache){0};
}

/* ---- the last path ---- */

/* How many bytes two texts have in common at their start. */
static size_t
common(const char *a, const char *b, size_t len)
{
	size_t i = 0;
	for (; i + 8 <= len; i += 8) {
		uint64_t x, y;
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

stack_id
shared_path_enter(struct shared_path *s, const char *text, size_t len, size_t *at)
{
	size_t least = len < s->text.n ? len : s->text.n;
	s->same = least ? common(text, s->text.at, least) : 0;
	/* A frame is shared when its ';' lies in what is the same; one that ends a line
	 * has none there. */
	while (s->step.n && s->step.at[s->step.n - 1].end >= s->same)
		s->step.n--;
	if (!s->step.n) {
		*at = 0;
		return STACK_EMPTY;
	}
	*at = s->step.at[s->step.n - 1].end + 1;
	return s->step.at[s->step.n - 1].stack;
}

void
shared_path_push(struct shared_path *s, size_t end, stack_id stack)
{
	*vec_push(&s->step) = (struct path_step){.end = end, .stack = stack};
}

void
shared_path_leave(struct shared_path *s, const char *text, size_t len)
{
	vec_reserve(&s->text, len);
	if (len > s->same)
		memcpy(s->text.at + s->same, text + s->same, len - s->same);
	s->text.n = len;
}

void
shared_path_release(struct shared_path *s)
{
	vec_release(&s->step);
	vec_release(&s->text);
}
