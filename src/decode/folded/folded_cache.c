/* What the folded decoder asks when it does not know a stack: frames by name, and the
 * path of the line before.
 *
 * Frames: the model interns names, functions and frames in three tables, each asked
 * with what the one before gave; here one probe answers for all three, by a hash of 128 bits
 * (text_cache.h).  The names of a line are hashed before the first of them is looked up, so
 * that what the others need of the cache is on its way.
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
new_frame(struct builder *b, const char *name, size_t len)
{
	struct function f = {
		.name = builder_name(b, name, len),
		.kind = (uint8_t)kind_of_name(name, len),
	};
	if (len >= 4 && !memcmp(name + len - 4, "_[k]", 4))
		f.kind = KIND_SYSTEM;
	return builder_frame(b, builder_function(b, f), line_unknown());
}

size_t
frame_cache_take(struct frame_cache *c, struct builder *b, const char *text, size_t at,
		 size_t len)
{
	size_t n = 0;

	for (; n < FRAMES_AT_ONCE && at <= len; n++) {
		struct frame_name *name = &c->name[n];
		const char *semicolon = memchr(text + at, ';', len - at);
		name->at = text + at;
		name->end = semicolon ? (size_t)(semicolon - text) : len;
		name->len = (uint32_t)(name->end - at);
		name->hash = hash128(name->at, name->len);
		text_cache_prefetch(&c->named, name->hash);
		at = name->end + 1;
	}
	for (size_t i = 0; i < n; i++) {
		const struct frame_name *name = &c->name[i];
		uint32_t *known = text_cache_find(&c->named, name->hash);
		c->frame[i] = *known - 1;
		if (!*known) {
			c->frame[i] = new_frame(b, name->at, name->len);
			text_cache_put(&c->named, known, name->hash, c->frame[i] + 1);
		}
	}
	return n;
}

void
frame_cache_release(struct frame_cache *c)
{
	text_cache_release(&c->named);
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
