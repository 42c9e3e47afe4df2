/* otlp_inside.h - what the parts of the decoder share; nobody else includes it.
 *
 * otlp.c        telling the format, the messages of a file
 * otlp_json.c   the same messages in JSON, made into the binary ones
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
#include "src/input/proto.h"

#define OTLP_LABELS_MAX 64u

/* An attribute. */
struct otlp_attribute {
	name_id key, text, unit;
	bool is_number, there; /* there: it has a value that can be shown */
	int64_t number;
};

struct otlp_function {
	name_id name, file;
	uint32_t line;
};

struct otlp_mapping {
	uint64_t start, limit, offset;
	name_id file, build_id;
	uint32_t index; /* in `frames`; PPROF_NO_MAPPING: not asked for yet */
};

struct otlp_line {
	uint64_t function;
	int64_t line;
};

struct otlp_location {
	uint64_t mapping, address;
	uint32_t first_line, n_lines;
	uint32_t first_frame, n_frames; /* n_frames 0: not bound yet */
	bool kernel;
};

struct otlp_stack {
	uint32_t first, n; /* in `at` */
	stack_id stack;
	bool bound;
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

struct otlp {
	struct input *in;
	struct builder *b;
	struct err *err;
	uint64_t offset; /* of the message at hand */
	const uint8_t *message; /* its bytes, */
	size_t message_len;     /* their number */
	const uint8_t *wrong;   /* the first field in it of another wire type than its schema's */
	struct pprof_frames frames;
	struct buf text;

	/* ---- the dictionary of the message ---- */
	VEC(name_id) string;
	VEC(struct otlp_attribute) attribute;
	VEC(struct otlp_function) function;
	VEC(struct otlp_mapping) mapping;
	VEC(struct otlp_line) line;
	VEC(struct otlp_location) location;
	VEC(uint32_t) at; /* locations of stacks, leaf first */
	VEC(struct otlp_stack) stack;
	VEC(frame_id) frame;
	uint64_t missing;

	/* ---- all ---- */
	enum otlp_layout layout;
	VEC(struct otlp_attribute) resource; /* of the resource at hand */
	struct cast cast;
	uint64_t resources;        /* so far */
	struct text_cache said_by; /* a resource and the bytes of attributes -> said + 1 */
	VEC(struct otlp_said) said;
	struct otlp_sample sample; /* at hand */
	VEC(struct otlp_series) series;
	metric_id first;      /* the metric of the first profile */
	uint64_t messages, profiles, samples, payloads, deeper, fields;
	bool has_dictionary;
};

/* proto_next() of a message with such fields: one that is written otherwise ends the message, and
 * the first of them is kept in d->wrong. */
static inline bool
otlp_next(struct otlp *d, struct proto *p, const struct proto_types *t, struct proto_field *out)
{
	const uint8_t *at = p->c.at;

	if (!proto_next(p, out))
		return false;
	if (proto_fits(out, t))
		return true;
	p->c.bad = true;
	d->wrong = d->wrong ? d->wrong : at;
	return false;
}

/* ---- otlp_table.c ---- */
void otlp_dictionary(struct otlp *d, struct proto_field data);
void otlp_dictionary_release(struct otlp *d);
name_id otlp_string(struct otlp *d, uint64_t index);
/* A KeyValue. */
struct otlp_attribute otlp_key_value(struct otlp *d, struct proto_field data);
stack_id otlp_stack(struct otlp *d, uint64_t index);

/* ---- otlp_read.c ---- */
/* Which of the layouts the samples of a message have. */
enum otlp_layout otlp_layout_of(const void *at, size_t len);
/* All resources of a message, up to a field of another wire type (d->wrong).  False there, and
 * where the profile cannot take it. */
bool otlp_resources(struct otlp *d, const void *at, size_t len);

/* ---- otlp_json.c ---- */
/* The message that a document says, appended to out; damage in *e, what was before it stands. */
bool otlp_of_json(struct input *in, struct buf *out, struct builder *b, struct err *e);

#endif
