/* otlptrace.h - shared by the files of the decoder, and private to them.
 *
 * otlptrace.c        the probe, containers
 * otlptrace_spans.c  spans, for both forms
 * otlptrace_json.c   the JSON form
 * otlptrace_proto.c  the binary form */
#ifndef PNAV_SRC_DECODE_SPANS_OTLPTRACE_H
#define PNAV_SRC_DECODE_SPANS_OTLPTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/decode/common/spans.h"
#include "src/input/input.h"

enum otlp_value_kind { OTLP_NO_VALUE, OTLP_TEXT, OTLP_NUMBER, OTLP_DEEPER };

/* An attribute. */
struct otlp_pair {
	name_id key;
	uint8_t kind; /* enum otlp_value_kind */
	struct span_value value;
};

/* The attributes that are read belong to one of these. */
enum otlp_target { OTLP_RESOURCE, OTLP_SPAN, OTLP_MOMENT };

struct otlptrace {
	struct spans s;
	struct builder *b;
	struct err *e;
	enum otlp_target target;
	struct span_labels moment; /* the attributes of an event */
	struct buf text;
	uint64_t scopes; /* drafts so far: those from here on have no module yet */
};

struct otlp_moment {
	uint64_t time;
	int64_t time_json;
	name_id name;
};

void otlptrace_pair(struct otlptrace *t, const struct otlp_pair *p);
/* Returns the text of a number with a fraction: the shortest that reads back. */
name_id otlptrace_real(struct otlptrace *t, double x);
void otlptrace_moment(struct otlptrace *t, int64_t time, name_id name);
/* Ends the span in t->s.draft. */
void otlptrace_span(struct otlptrace *t, uint64_t start, uint64_t end, int status);
/* Gives the spans since the last scope their module. */
void otlptrace_scope(struct otlptrace *t, name_id module);
/* Ends a resource: its spans have their labels and track then. */
void otlptrace_resource(struct otlptrace *t);

bool otlptrace_json(struct otlptrace *t, struct input *in);
extern const struct proto_table otlptrace_table;
bool otlptrace_proto(struct otlptrace *t, struct input *in);

#endif
