/* pprof_tables.h - the tables that the samples of a pprof message refer to: strings, types,
 * mappings, functions, locations (profile.proto).
 *
 * Fields come in any order, and programs write the tables after the samples.  So the file is
 * read once for the tables and once for the samples. */
#ifndef PNAV_SRC_DECODE_PPROF_TABLES_H
#define PNAV_SRC_DECODE_PPROF_TABLES_H

#include <stddef.h>

#include "model/base/err.h"
#include "src/decode/common/idmap.h"
#include "src/decode/pprof/pprof_frames.h"
#include "src/input/rows_proto.h"

/* The message `Profile`: its fields. */
enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_DROP_FRAMES = 7,
	PPROF_TIME = 9,
	PPROF_PERIOD_TYPE = 11,
	PPROF_COMMENT = 13,
	PPROF_DOC = 15,
};
extern const struct proto_table pprof_profile_table;

/* Fields of the messages `Sample` and `Label`. */
enum {
	PPROF_SAMPLE_LOCATION = 1,
	PPROF_SAMPLE_VALUE = 2,
	PPROF_SAMPLE_LABEL = 3,
	PPROF_LABEL_KEY = 1
};

/* Returns the bytes of a field of bytes with this number at `at`.  Returns NULL for any other
 * field, for a long one, and for one whose encoding is longer than necessary. */
static inline const uint8_t *
pprof_field_at(const uint8_t *at, const uint8_t *end, unsigned number, size_t *len)
{
	if (end - at < 3 || *at != (number << 3 | PROTO_BYTES))
		return NULL;
	*len = at[1];
	if (*len >= 0x80) {
		if (at[2] >= 0x80 || !at[2])
			return NULL;
		*len = (*len & 0x7F) | (size_t)at[2] << 7;
		at++;
	}
	at += 2;
	return *len <= (size_t)(end - at) ? at : NULL;
}

struct pprof_type {
	uint64_t name, unit; /* strings */
};

struct pprof_raw_mapping {
	uint64_t id, start, limit, offset, file, build_id;
};

struct pprof_function {
	uint64_t id, name, system_name, file;
	int64_t line;
};

struct pprof_line {
	uint64_t function;
	int64_t line;
};

struct pprof_location {
	uint64_t id, mapping, address;
	uint32_t first_line, n_lines;
};

/* A key of labels, and the number of labels with it. */
struct pprof_key {
	uint64_t string, n;
};

/* The data of a location that samples need, apart from the rest, so that it stays in a cache. */
struct pprof_bound {
	uint32_t n;     /* frames; 0: not asked for yet */
	/* Index of the first frame in `frame`; if there is only one, that frame itself */
	uint32_t first;
	uint32_t leaf;  /* the innermost with its address, + 1; 0: not looked up yet */
};

/* The numbers that the message has once. */
struct pprof_about {
	uint64_t drop, keep, default_type, doc; /* strings */
	int64_t time, duration, period;
	struct pprof_type period_type;
};

/* The keys of the samples' labels. */
struct pprof_keys {
	VEC(struct pprof_key) key;
	size_t last;
	struct idmap of; /* by their strings */
};

struct pprof_tables {
	struct builder *b;
	struct pprof_frames frames;
	VEC(name_id) string;
	VEC(struct pprof_type) type;
	VEC(struct pprof_raw_mapping) mapping;
	VEC(struct pprof_function) function;
	VEC(struct pprof_line) line;
	VEC(struct pprof_location) location;
	VEC(struct pprof_bound) bound; /* [location] */
	VEC(frame_id) frame;
	VEC(uint64_t) comment;
	struct idmap mapping_of, function_of, location_of; /* by the file's ids */
	struct pprof_keys keys;
	struct pprof_about about;
	uint64_t strings_missing, ids_missing;
	struct idmap missing; /* ids of locations that samples have and the file lacks */
	uint64_t end; /* reading stops here: the complete fields before it are good */
};

void pprof_tables_init(struct pprof_tables *t, struct input *in, struct builder *b);
void pprof_tables_release(struct pprof_tables *t);
/* Reads everything but the samples, and the keys of the samples' labels. Sets *e at a
 * fault; the data before it is kept. */
void pprof_tables_read(struct pprof_tables *t, struct input *in, struct err *e);
/* Returns a string; "[unknown]", counted, for an index after the end of the table. */
name_id pprof_string(struct pprof_tables *t, uint64_t index);
/* Returns the index of a location by its id; IDMAP_NONE if it is missing. */
static inline uint32_t
pprof_location_of(const struct pprof_tables *t, uint64_t id)
{
	return idmap_get(&t->location_of, id);
}

/* pprof_location_frames() for locations with several frames, or whose frames are not made yet. */
const frame_id *pprof_location_bind(struct pprof_tables *t, uint32_t location, uint32_t *n);
frame_id pprof_location_bind_leaf(struct pprof_tables *t, uint32_t location);

/* Returns the frames of a location, innermost first; valid until the next call.  IDMAP_NONE has
 * the frame "[unknown]". */
static inline const frame_id *
pprof_location_frames(struct pprof_tables *t, uint32_t location, uint32_t *n)
{
	if (location == IDMAP_NONE || t->bound.at[location].n != 1)
		return pprof_location_bind(t, location, n);
	*n = 1;
	return &t->bound.at[location].first;
}

/* Returns the innermost frame of a location that is a leaf: with its address. */
static inline frame_id
pprof_location_leaf(struct pprof_tables *t, uint32_t location)
{
	if (location == IDMAP_NONE || !t->bound.at[location].leaf)
		return pprof_location_bind_leaf(t, location);
	return t->bound.at[location].leaf - 1;
}

/* Adds the file's comments, and which ids and strings were missing. */
void pprof_tables_info(struct pprof_tables *t);

#endif
