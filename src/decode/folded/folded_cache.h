/* folded_cache.h - what the decoder of folded stacks remembers of the lines before.
 * Zero-initialise each; release with its _release(). */
#ifndef PNAV_SRC_DECODE_FOLDED_FOLDED_CACHE_H
#define PNAV_SRC_DECODE_FOLDED_FOLDED_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "model/builder.h"
#include "model/map.h"
#include "model/vec.h"
#include "src/input/hash.h"

/* ---- name -> frame ---- */
struct named_frame {
	const char *at; /* as interned */
	uint32_t len;
	frame_id frame;
};

struct frame_cache {
	struct map map;
	VEC(struct named_frame) named;
};

/* The frame of the function with this name; a name that ends in `_[k]` is a system
 * one. */
frame_id frame_cache_get(struct frame_cache *c, struct builder *b, const char *name,
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
