/* folded_cache.h - the stacks of lines of text, many lines at a time.
 *
 * Zero-initialise; release with folded_paths_release(). */
#ifndef PNAV_SRC_DECODE_FOLDED_FOLDED_CACHE_H
#define PNAV_SRC_DECODE_FOLDED_FOLDED_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/input/hash.h"

/* How many lines are taken together, and how many names of theirs: as much as can be on its
 * way from memory at once, and a bit more. */
#define FOLDED_LINES 32u
#define FOLDED_NAMES 256u

struct folded_line {
	const char *text; /* frames with ';' between them, the outermost first */
	size_t len;
	stack_id stack; /* what is found */
};

/* A name in its line. */
struct folded_name {
	const char *at;
	size_t len;
	struct hash128 hash;
};

/* Some frames of a line that lie beside each other. */
struct folded_piece {
	struct folded_line *line;
	size_t depth;      /* how many frames of the line come before */
	uint32_t first, n; /* of name[] */
	uint32_t known;    /* number of their stacks that were found together */
};

struct folded_paths {
	struct text_cache named; /* a name's frame + 1 */
	bool failed;             /* there are no stacks any more */
	/* The frames of the line before, which the next may share. */
	size_t depth, cap;
	size_t *end;     /* [depth] of the frame's text, where its ';' is */
	stack_id *stack; /* [depth] */
	VEC(char) text;  /* of the last line of the lines before */
	/* The lines in progress. */
	uint32_t n_names, n_pieces;
	struct folded_piece piece[FOLDED_LINES];
	struct folded_name name[FOLDED_NAMES];
	frame_id frame[FOLDED_NAMES]; /* of name[] */
	stack_id known[FOLDED_NAMES]; /* of frame[], where the piece says it */
};

/* The stacks of n lines, at most FOLDED_LINES; STACK_NONE, as builder_path() says it, where
 * there is none.  A name that ends in `_[k]` is a system function. */
void folded_paths_find(struct folded_paths *p, struct builder *b, struct folded_line *line,
		       size_t n);
void folded_paths_release(struct folded_paths *p);

#endif
