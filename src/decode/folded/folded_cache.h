/* folded_cache.h - what the decoder of folded stacks remembers of the lines before.
 * Zero-initialise each; release with its _release(). */
#ifndef PNAV_SRC_DECODE_FOLDED_FOLDED_CACHE_H
#define PNAV_SRC_DECODE_FOLDED_FOLDED_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "model/builder.h"
#include "model/vec.h"
#include "src/decode/common/text_cache.h"
#include "src/input/hash.h"

/* ---- names -> frames ---- */

/* The frames of a run of names, as many at a time as the memory they touch can be on its
 * way at once. */
#define FRAMES_AT_ONCE 64u

struct frame_name {
	const char *at;
	size_t end; /* of the name in its line, where its ';' is */
	uint32_t len;
	struct hash128 hash;
};

struct frame_cache {
	struct text_cache named; /* frame + 1 */
	struct frame_name name[FRAMES_AT_ONCE];
	frame_id frame[FRAMES_AT_ONCE]; /* of name[] */
};

/* Takes names from text[at] on, which end at ';' or at `len`: name[] and frame[] are filled.
 * How many, at least one.  A name that ends in `_[k]` is a system function. */
size_t frame_cache_take(struct frame_cache *c, struct builder *b, const char *text, size_t at,
			size_t len);
void frame_cache_release(struct frame_cache *c);

/* ---- the line of the last miss ---- */
struct path_step {
	size_t end; /* of the frame's text, where its ';' is */
	stack_id stack;
};

struct shared_path {
	VEC(struct path_step) step;
	VEC(char) text;
	size_t same; /* bytes of the line entered that equal the line before */
};

/* Begins a line: gives the stack of the frames that it has in common with the line
 * before, and where in the text the first other frame begins. */
stack_id shared_path_enter(struct shared_path *s, const char *text, size_t len,
			   size_t *at);
void shared_path_push(struct shared_path *s, size_t end, stack_id stack);
/* Ends it: the line is now the one before. */
void shared_path_leave(struct shared_path *s, const char *text, size_t len);
void shared_path_release(struct shared_path *s);

#endif
