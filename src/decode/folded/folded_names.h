/* folded_names.h - the frames of lines of text: names separated by ';', the outermost first.
 *
 * Zero-initialise; release with folded_names_release(). */
#ifndef PNAV_SRC_DECODE_FOLDED_FOLDED_NAMES_H
#define PNAV_SRC_DECODE_FOLDED_FOLDED_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/input/hash.h"

/* A name in its line. */
struct folded_name {
	const char *at;
	size_t len;
	struct hash128 hash;
};

/* The frames of a line. */
struct folded_part {
	size_t shared; /* number of frames that the line has in common with the previous one */
	size_t n;      /* number of those after them */
};

struct folded_names {
	struct text_cache named; /* a name that occurred twice to its frame + 1 */
	frame_id n_frames;       /* all frames of names so far are below this */
	/* The previous line. */
	VEC(size_t) end; /* [frame] the end of its text, the position of its ';' */
	const char *before;
	size_t before_len;
	VEC(char) text; /* of the last line that was kept, as far as `before` begins like it */
	/* The names of the lines that were split. The first `found` names have their frames. */
	VEC(struct folded_name) name;
	VEC(frame_id) frame; /* [name] */
	VEC(size_t) new;
	size_t found, taken;
};

/* Splits a line, whose bytes must stay until folded_names_keep(). */
struct folded_part folded_names_split(struct folded_names *p, const char *text, size_t len);
/* Returns the frames of the next line that was split. A name that ends in `_[k]` is a system
 * function. The array is valid until the next line is split. */
const frame_id *folded_names_frames(struct folded_names *p, struct builder *b,
				    struct folded_part part);
/* Keeps what later lines need. All lines must have got their frames. */
void folded_names_keep(struct folded_names *p);
void folded_names_release(struct folded_names *p);

#endif
