/* otlp_inside.h - shared by the files of the decoder, and private to them.
 *
 * otlp.c        the probe, the messages of a file
 * otlp_json.c   converts messages in JSON to binary ones
 * otlp_table.c  the dictionary: strings, functions, locations, stacks, attributes
 * otlp_read.c   resources, profiles, samples */
#ifndef PNAV_SRC_DECODE_OTLP_OTLP_INSIDE_H
#define PNAV_SRC_DECODE_OTLP_OTLP_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/pprof/pprof_frames.h"
#include "src/input/input.h"
#include "src/input/rows_proto.h"

#define OTLP_LABELS_MAX 64u

/* An attribute. */
struct otlp_attribute {
	name_id key, text, unit;
	bool is_number, there; /* it has a value that can be shown */
	int64_t number;
};

/* Indexes that an element of the dictionary lists: its first member. */
struct otlp_list {
	uint32_t first, n; /* in `index` */
};

struct otlp_function {
	name_id name, system, file;
	uint64_t line;
};

struct otlp_mapping {
	struct otlp_list attributes;
	uint64_t start, limit, offset;
	name_id file;
	uint32_t bound; /* 1 + its index in `frames`; 0: not used yet */
};

struct otlp_line {
	uint64_t function;
	int64_t line;
};

struct otlp_location {
	struct otlp_list attributes;
	uint64_t mapping, address;
	uint32_t first_line, n_lines;
	uint32_t first_frame, n_frames; /* n_frames 0: not bound yet */
};

struct otlp_stack {
	struct otlp_list locations; /* leaf first */
	stack_id stack;
	bool bound;
};

/* The dictionary of a message. */
struct otlp_dictionary {
	VEC(name_id) string;
	VEC(struct otlp_attribute) attribute;
	VEC(struct otlp_function) function;
	VEC(struct otlp_mapping) mapping;
	VEC(struct otlp_line) line;
	VEC(struct otlp_location) location;
	VEC(struct otlp_stack) stack;
	VEC(uint32_t) index;
	VEC(frame_id) frame; /* of locations that are bound */
};

/* Which field of a sample is what: it moved. */
enum otlp_layout { LAYOUT_ATTRIBUTES_2, LAYOUT_VALUES_2 };

struct otlp_series {
	struct series *series;
	uint32_t track;
	metric_id metric;
	bool timed;
};

/* The attributes of a sample. */
struct otlp_said {
	uint32_t track;
	labels_id labels;
};

/* A sample, taken apart. */
struct otlp_sample {
	uint64_t stack;
	struct otlp_said said;
	VEC(struct proto_field) attribute;
	VEC(int64_t) value;
	VEC(uint64_t) time;
};

/* A message. It is in memory, or it is the whole input, and only its current field is in memory. */
struct otlp_message {
	const uint8_t *at; /* NULL: the input */
	uint64_t len;      /* of the input: known after its first pass */
	uint64_t offset;   /* in the file */
	struct proto rest; /* fields of a message in memory that were not read yet */
	/* the current field */
	const uint8_t *field;
	uint64_t field_offset; /* in the file */
};

/* Things that are counted for `info`. */
struct otlp_counts {
	uint64_t resources, profiles, samples, payloads, deeper, missing;
	uint64_t fields; /* of profiles: a bit each */
};

struct otlp {
	struct input *in;
	struct builder *b;
	struct err *err;
	struct otlp_message message;
	struct rows_proto rows; /* its fault: the first field of another wire type in a field */
	struct otlp_dictionary dictionary;
	bool has_dictionary;
	enum otlp_layout layout;
	struct pprof_frames frames;
	struct buf text;
	VEC(struct otlp_attribute) resource; /* of the current resource */
	struct cast cast;
	struct text_cache said_by; /* a resource and the bytes of attributes -> said + 1 */
	VEC(struct otlp_said) said;
	struct otlp_sample sample; /* the current one */
	VEC(struct otlp_series) series;
	metric_id first; /* the metric of the first profile */
	struct otlp_counts counts;
};

/* proto_next() for a message with these fields: one of another wire type ends the message, and the
 * first of them is the fault of d->rows. */
static inline bool
otlp_next(struct otlp *d, struct proto *p, const struct proto_types *t, struct proto_field *out)
{
	const uint8_t *at = p->c.at;

	if (!proto_next(p, out))
		return false;
	if (proto_fits(out, t))
		return true;
	p->c.bad = true;
	d->rows.fault = d->rows.fault ? d->rows.fault : at;
	return false;
}

/* ---- otlp_table.c ---- */
extern const struct proto_table otlp_dictionary_table, otlp_key_value_table;

void otlp_dictionary(struct otlp *d, struct proto_field data);
void otlp_dictionary_release(struct otlp *d);
/* Returns a string of the dictionary; `d` is a struct otlp. */
name_id otlp_string(void *d, uint64_t index);
bool otlp_is(const struct otlp *d, name_id name, const char *text);
stack_id otlp_stack(struct otlp *d, uint64_t index);

/* ---- otlp_read.c ---- */
extern const struct proto_table otlp_data_table; /* of the whole message */

/* Adds the votes of the samples of a resource about the layout; it is LAYOUT_VALUES_2 if the sum is
 * above 0. */
void otlp_vote(const struct proto_field *resource, int *votes);
/* Reads a resource, up to a field of another wire type. Returns false there, and if the profile
 * accepts no more. */
bool otlp_resource(struct otlp *d, const struct proto_field *resource);

/* ---- otlp_json.c ---- */
/* Appends the message that a JSON document describes by the fields of a table to `out`. After
 * damage in *e it has everything before the damage. */
bool otlp_of_json(struct input *in, const struct proto_table *t, struct buf *out, struct builder *b,
		  struct err *e);

#endif
