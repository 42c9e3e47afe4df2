/* austin.h - shared by the decoders of the text and of MOJO, the binary form of Austin's
 * samples. */
#ifndef PNAV_SRC_DECODE_AUSTIN_AUSTIN_H
#define PNAV_SRC_DECODE_AUSTIN_AUSTIN_H

#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/cast.h"
#include "src/decode/decoder.h"

enum austin_mode { AUSTIN_UNKNOWN, AUSTIN_TIME, AUSTIN_MEMORY, AUSTIN_FULL };

struct austin_map {
	uint64_t low, high;
	name_id module;
};

struct austin_track {
	track_id track;
	struct series *series;
	int64_t clock; /* ns that its samples had so far */
};

struct austin {
	struct input *in; /* borrowed, all three */
	struct builder *b;
	struct err *e;
	enum austin_mode mode;
	VEC(frame_id) frame; /* of the current sample, outermost first */
	VEC(struct austin_map) map;
	struct cast cast;
	VEC(struct austin_track) track; /* [track of the cast] */
	metric_id time, cpu, bytes, samples;
	bool declared;
	int64_t n_samples;
	uint64_t unknown; /* references to nothing */
};

/* A sample beside its frames. */
struct austin_sample {
	int64_t pid;
	const char *thread;
	size_t thread_len;
	int64_t us, bytes;
	bool idle;
	uint64_t offset;
};

/* Handles a line of metadata. */
void austin_metadata(struct austin *a, const char *key, size_t key_len, const char *value,
		     size_t len);
/* Makes a frame.  Names of files that are not files, such as those of native code, become
 * modules and kinds.  A line of 0 is unknown. */
frame_id austin_frame(struct austin *a, const char *file, size_t file_len, const char *name,
		      size_t len, int64_t line);
frame_id austin_gc(struct austin *a);
/* Declares the metrics, once; they depend on the mode. */
void austin_declare(struct austin *a);
/* Writes the sample with a->frame, then empties a->frame. */
bool austin_add(struct austin *a, const struct austin_sample *s);

/* The two forms, read to their ends. */
bool austin_read_text(struct austin *a);
bool austin_read_mojo(struct austin *a);
bool austin_dump_mojo(struct input *in, struct dump *d, struct err *e);

#endif
