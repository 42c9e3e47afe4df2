/* folded_cache.h - finds the stacks of lines of text, many lines at a time.
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

/* The number of lines in a batch, and of their names: slightly more than the number of parallel
 * memory accesses. */
#define FOLDED_LINES 32u
#define FOLDED_NAMES 256u

struct folded_line {
	const char *text; /* frames separated by ';', the outermost first */
	size_t len;
	stack_id stack; /* the result */
};

/* A name in its line. */
struct folded_name {
	const char *at;
	size_t len;
	struct hash128 hash;
};

/* Adjacent frames of a line. */
struct folded_piece {
	struct folded_line *line;
	size_t depth;      /* number of preceding frames in the line */
	uint32_t first, n; /* of name[] */
	uint32_t known;    /* number of their stacks that were found together */
};

struct folded_paths {
	struct text_cache named; /* a name that occurred twice to its frame + 1 */
	frame_id n_frames;       /* all frames of names so far are below this */
	bool failed;             /* the profile is full */
	/* The frames of the previous line, which the next may share. */
	size_t depth, cap;
	size_t *end;     /* [depth] end of the frame's text, the position of its ';' */
	stack_id *stack; /* [depth] */
	VEC(char) text;  /* of the last line of the previous batch */
	/* The lines in progress. */
	uint32_t n_names, n_pieces;
	struct folded_piece piece[FOLDED_LINES];
	struct folded_name name[FOLDED_NAMES];
	frame_id frame[FOLDED_NAMES]; /* of name[] */
	stack_id known[FOLDED_NAMES]; /* of frame[]; the first piece->known of a piece are valid */
};

/* Finds the stacks of n lines, at most FOLDED_LINES; STACK_NONE if builder_path() cannot add it. A
 * name that ends in `_[k]` is a system function. */
void folded_paths_find(struct folded_paths *p, struct builder *b, struct folded_line *line,
		       size_t n);
void folded_paths_release(struct folded_paths *p);

#endif
