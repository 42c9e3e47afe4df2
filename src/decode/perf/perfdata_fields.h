/* perfdata_fields.h - the fields of tracepoints: decodes the raw bytes of their samples.
 *
 * A recording has the text of each tracepoint's file `format` (the feature TRACING_DATA). */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_FIELDS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_FIELDS_H

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/perf/perfdata_read.h"

#define PERFDATA_FIELDS_MAX 16u /* for one event; further fields are omitted */

enum perfdata_field_kind {
	PERFDATA_FIELD_NUMBER,
	PERFDATA_FIELD_TEXT,     /* an array of characters */
	PERFDATA_FIELD_PLACE,    /* u16 offset, u16 size of a text in the raw bytes */
	PERFDATA_FIELD_RELATIVE, /* the same, counted from the end of the field */
};

struct perfdata_field {
	name_id key;
	uint32_t offset, size; /* in the raw bytes */
	uint8_t kind;          /* enum perfdata_field_kind */
	bool is_signed;
	uint32_t values; /* number of different values so far */
};

struct perfdata_format {
	uint64_t id;  /* config of its event */
	name_id name; /* `sched:sched_switch` */
	size_t first;
	uint32_t n; /* number of its fields */
};

/* A zero-initialised list is empty. */
struct perfdata_fields {
	VEC(struct perfdata_format) format;
	VEC(struct perfdata_field) field;
	label_id next; /* above all labels that fields have used */
	bool full;     /* some field has too many values */
};

void perfdata_fields_release(struct perfdata_fields *f);
/* Reads the section up to its first malformed part. */
void perfdata_fields_read(struct perfdata_fields *f, struct builder *b, const uint8_t *at,
			  size_t len);
/* Writes the labels of a sample to id[] and returns their number. */
size_t perfdata_fields_of(struct perfdata_fields *f, struct builder *b,
			  const struct perfdata_attr *a, const struct perfdata_sample *s,
			  bool big_endian, label_id id[PERFDATA_FIELDS_MAX]);

/* Returns the name of a tracepoint; NAME_EMPTY for other events, and without its format. */
name_id perfdata_fields_event(const struct perfdata_fields *f, const struct perfdata_attr *a);

/* Returns the thread that a tracepoint names itself; UINT32_MAX for other events. */
uint32_t perfdata_field_thread(const struct perfdata_attr *a, const struct perfdata_sample *s,
			       bool big_endian);
/* Reads the field of that name: a number, or a text. Returns false if the sample has none. */
bool perfdata_field_number(const struct perfdata_fields *f, struct builder *b,
			   const struct perfdata_attr *a, const struct perfdata_sample *s,
			   bool big_endian, const char *key, int64_t *out);
bool perfdata_field_text(const struct perfdata_fields *f, struct builder *b,
			 const struct perfdata_attr *a, const struct perfdata_sample *s,
			 bool big_endian, const char *key, struct name *out);

#endif
