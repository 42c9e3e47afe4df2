/* spans.h - the spans of distributed traces: operations of services, which refer to their parents
 * by ids. For formats in which the file says who called whom.
 *
 *	spans_init(&s, in, b);
 *	spans_attribute(&s.owner, &s, key, value);	-- of a service instance, any number
 *	struct span_draft *d = spans_begin(&s);		-- its members are set by the decoder
 *	spans_attribute(&s.own, &s, key, value);	-- of the span
 *	spans_end(&s);
 *	spans_seal(&s);					-- the owner is known: all spans since
 *	spans_write(&s, e);				-- once
 *	spans_release(&s);
 *
 * Spans are not threads: children run beside each other and outlive their parents, and two
 * requests at one time have nothing in common. So nothing nests by containment, as in slices.h. The
 * *local parent* of a span is its parent if both are on one track; its *path* is its local
 * ancestors, root first, then the span. At every moment each span that is open and has no open
 * local descendant is one running stack: its path.
 *
 *	parent   |-------------------------|      lane 1   P P A A A A
 *	  a          |-------|                     lane 2           B B B B P P
 *	  b               |---------|
 *
 * Files have the attributes of an owner (a resource, a process) before or after its spans, so spans
 * are drafts until the owner is complete. */
#ifndef PNAV_SRC_DECODE_COMMON_SPANS_H
#define PNAV_SRC_DECODE_COMMON_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/map.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/input/input.h"

#define SPAN_NONE UINT32_MAX
#define SPANS_LABELS_MAX 64u /* attributes of a span that become labels, its owner's included */
#define SPANS_TIME_MAX (INT64_MAX / 4)

enum span_kind { SPAN_UNSPECIFIED, SPAN_INTERNAL, SPAN_SERVER, SPAN_CLIENT, SPAN_PRODUCER,
		 SPAN_CONSUMER, SPAN_KINDS };

/* Properties of a span: bits. */
#define SPAN_ERROR 1u      /* its status is an error */
#define SPAN_OK 2u         /* its status is stated as good */
#define SPAN_UNFINISHED 4u /* the file lacks its end: it is no complete call */
#define SPAN_SHARED 8u     /* the server's half of a span whose id the client's half has, too */
#define SPAN_TIMELESS 16u  /* no slice: only its marks are shown */
#define SPAN_OPEN 64u      /* it lasts to the last time of its track */
#define SPAN_BY_REFERENCE 32u /* its parent is the first of its references that the file has */

/* An id as a number: of 16 or 32 digits in hexadecimal in either case, without leading zeros, or
 * any text. 0: none. */
struct span_id {
	uint64_t trace; /* 0: the span belongs to no trace, and has no label `trace` */
	uint64_t span;
};

struct span_draft {
	struct span_id id;
	uint64_t parent; /* the id of a span of the same trace; 0: none, or the first reference */
	int64_t start, end;
	name_id trace;   /* the trace's id as written, in lower case */
	name_id name, module, file;
	int64_t line;
	int64_t value;   /* of the metric that s->value names; 0: none */
	uint32_t owner;  /* the decoder's */
	uint8_t kind;    /* enum span_kind */
	uint8_t bits;
	uint32_t first_label, n_labels, first_mark, n_marks, first_ref, n_refs;
};

/* A finished span. */
struct spans_one {
	struct span_id id;
	uint64_t parent;
	int64_t start, end;
	uint32_t track; /* index of its track */
	uint32_t frame;
	labels_id labels;
	uint32_t first_ref, n_refs;
	uint32_t same; /* the previous span with its id, or SPAN_NONE */
	uint32_t up;   /* the parent, or SPAN_NONE */
	uint8_t bits;
};

struct span_label {
	name_id key;
	label_id id;
};

/* The attributes of one owner or one span. */
struct span_labels {
	struct span_label at[SPANS_LABELS_MAX];
	uint32_t n;
};

/* The value of a span that has one. */
struct spans_value {
	uint32_t span;
	int64_t value;
};

/* An instance of a service. */
struct spans_track {
	name_id service, instance;
	name_id name; /* the displayed one */
};

struct spans_trace {
	uint64_t id;
	name_id name;
	label_id label;
	uint32_t n, errors, root; /* root: SPAN_NONE */
	int64_t start, end;
};

struct spans_mark {
	int64_t time;
	uint32_t track;
	name_id name;
	labels_id labels;
};

/* Keys with a meaning: enum suffix, name. */
#define SPAN_KEYS(X)                                                                       \
	X(SERVICE, "service.name")                                                         \
	X(INSTANCE, "service.instance.id")                                                 \
	X(POD, "k8s.pod.name")                                                             \
	X(HOST, "host.name")                                                               \
	X(PID, "process.pid")                                                              \
	X(FILE_PATH, "code.file.path")                                                     \
	X(FILE_OLD, "code.filepath")                                                       \
	X(LINE_NUMBER, "code.line.number")                                                 \
	X(LINE_OLD, "code.lineno")                                                         \
	X(TRACE, "trace")                                                                  \
	X(KIND, "span.kind")                                                               \
	X(STATUS, "status")                                                                \
	X(CALLER, "caller")
#define SPAN_KEY_ENUM(key, ...) SPAN_KEY_##key,
enum span_key { SPAN_KEYS(SPAN_KEY_ENUM) SPAN_KEY_COUNT };
#undef SPAN_KEY_ENUM

/* The value of an attribute: text, or a number. */
struct span_value {
	bool is_number;
	name_id text;
	int64_t number;
};

struct spans_counts {
	uint64_t duplicates, errors, no_parent, no_time, not_shown, dropped, circles, negative;
};

struct spans {
	struct input *in; /* borrowed, both */
	struct builder *b;
	struct span_labels owner; /* of the spans that follow, until spans_seal() */
	struct span_labels own;   /* of the span that is read */
	name_id owner_text[SPAN_KEY_COUNT]; /* the owner's values of these keys */
	struct spans_counts counts;
	bool by_track; /* of several spans with one id, the parent is the one on the same track */
	struct {
		const char *name; /* of a metric that spans have beside their time */
		enum unit unit;
		VEC(struct spans_value) of; /* private: values that are not 0 */
	} value;
	/* ---- private ---- */
	struct span_draft draft;
	struct {
		name_id at[SPAN_KEY_COUNT], first, last;
	} keys;
	VEC(struct span_draft) drafts;
	VEC(struct span_label) label; /* of drafts */
	VEC(struct spans_mark) mark;
	VEC(struct span_id) ref;
	VEC(struct spans_one) span;
	VEC(struct spans_track) track;
	VEC(struct spans_trace) trace;
	struct map span_of, trace_of;
	struct buf text;
};

void spans_init(struct spans *s, struct input *in, struct builder *b);
void spans_release(struct spans *s);

/* Returns an id for a text, which is 0 if the text is empty or only zeros. */
uint64_t spans_id(const char *text, size_t len);
/* Returns the name of a trace: the text in lower case. */
name_id spans_trace_name(struct spans *s, const char *text, size_t len);

/* Begins a span, whose draft the decoder fills. Returns the draft, valid until spans_end(). */
struct span_draft *spans_begin(struct spans *s);
/* Adds an attribute to s->owner or s->own; the last of a key counts. Those beyond the limit are
 * counted. */
void spans_attribute(struct spans *s, struct span_labels *of, name_id key, struct span_value v);
/* Adds a moment of the span that is read; `labels` are those of the moment. */
void spans_mark(struct spans *s, int64_t time, name_id name, labels_id labels);
/* Adds a reference to another span, which may become the parent if the draft has none. */
void spans_refer(struct spans *s, struct span_id to);
/* Ends the span that is read. */
void spans_end(struct spans *s);

/* Returns the track of a service's instance; NAME_EMPTY: unknown. */
uint32_t spans_track(struct spans *s, name_id service, name_id instance);
/* Returns the track that the attributes of s->owner name. */
uint32_t spans_owner_track(struct spans *s);
/* Finishes a draft with the attributes of s->owner. */
void spans_seal_one(struct spans *s, size_t draft, uint32_t track);
/* Forgets all drafts, which are finished. */
void spans_sealed(struct spans *s);
/* Finishes all drafts with the attributes and the track of s->owner, and forgets both. */
void spans_seal(struct spans *s);
void spans_owner_reset(struct spans *s);

/* Builds the profile. Times are in ns since 1970. Returns false if sums exceed 2^63. */
bool spans_write(struct spans *s, struct err *e);

#endif
