/* What the folded decoder asks when it does not know a stack: frames by name, and the
 * path of the line before.
 *
 * Frames: the model interns names, functions and frames in three tables, each asked
 * with what the one before gave; here one probe answers for all three.  The text that is
 * compared is the interned text, which lives as
 * long as the profile.
 *
 * Path: neighbours in a sorted file share most of their frames.  Rejected: keeping the
 * frames of the last line and comparing name by name (finds the same, after splitting
 * both); a hash of every prefix (a probe a frame, even where all is the same).
 *
 * Invariant: a path's steps are those of its text. */
#include "src/decode/folded/folded_cache.h"

#include <string.h>
/* ---- frames ---- */

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
	uint64_t hash = hash64(name, len);
	if (c->named.n) {
		uint32_t slot = map_first(&c->map, hash), i;
		while (map_probe(&c->map, &slot, hash, &i)) {
			const struct named_frame *f = &c->named.at[i];
			if (f->len == len && !memcmp(f->at, name, len))
				return f->frame;
		}
	}
	map_insert(&c->map, hash, (uint32_t)c->named.n);
	struct named_frame *f = vec_push(&c->named);
	f->frame = new_frame(b, name, len, &f->at);
	f->len = (uint32_t)len;
	return f->frame;
}

void
frame_cache_release(struct frame_cache *c)
{
	map_release(&c->map);
	vec_release(&c->named);
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
