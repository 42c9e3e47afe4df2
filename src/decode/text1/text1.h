/* text1.h - shared by the files of the text1 decoder: areas, identified by handles; contexts,
 * in which they run; events of the text timeline and the binary one.
 *
 *	struct text1 t;
 *	text1_init(&t, b, in);
 *	text1_area(&t, handle)           -- mapping: set the attributes from the file
 *	text1_event(&t, &event, e)       -- in the order of the file
 *	text1_end(&t, e)                 -- ends the timeline, uses the statistics
 *	text1_release(&t); */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_H

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/decoder.h"
#include "src/decode/text1/text1_format.h"

/* The top four bits of a handle. */
enum area_kind {
	AREA_FUNCTION,
	AREA_LINE,
	AREA_VARIABLE,
	AREA_VARIABLE_STATE,
	AREA_AUX,
	AREA_AUX_STATE,
};
#define AREA_LOW 0x0FFFFFFFu
#define AREA_NONE UINT32_MAX

struct text1_area {
	uint32_t handle;
	bool mapped;     /* the file names it */
	bool floating;   /* VALUE.TYPE F64 */
	bool has_states; /* a variable with mapped states */
	uint32_t state_first, state_last; /* in text1.state_names, from 1; 0: none */
	bool made;       /* function: it exists in the model, so later mapping is too late */
	name_id name, file, unit;
	uint32_t parent; /* line: the function's area */
	uint32_t line; /* line: its number; function: the smallest of its lines; 0: none */
	frame_id frame; /* function, line: if made */
	/* data */
	track_id track; /* TRACK_NONE until its first event */
	struct series *points, *doubles;
	/* lines: to compare with the statistics */
	uint64_t entries;
	int64_t net;
};

/* One entry of a context's stack. */
struct active {
	uint32_t area;
	uint32_t line; /* the area of its current line, AREA_NONE: unknown */
	stack_id parent, stack;
};

struct context {
	track_id track;
	struct series *steps;
	VEC(struct active) stack;
	bool running; /* the top of the stack runs; else nothing of this context runs */
	int64_t last_time;
	/* a step waits to be appended, see text1_events.c */
	bool pending, keep;
	uint32_t flags;
	stack_id stack_now; /* the current stack, also if no step is pending */
	int64_t time;
	uint64_t offset;
	uint32_t line_now, line_before;
	int64_t time_before;
};
#define CONTEXTS_MAX 65536u

/* A cached result of builder_child(). */
struct text1_child {
	stack_id parent, child;
	uint32_t area; /* 1 + the area; 0: empty */
};
#define CHILDREN_BITS 14

enum event_type { EVENT_EXIT, EVENT_SUSPEND, EVENT_RESUME, EVENT_ENTRY, EVENT_WRITE };

struct event_record {
	uint32_t handle;
	enum event_type type;
	bool floating; /* value holds the bits of a double */
	uint32_t context;
	int64_t value, time;
	uint64_t offset;
};

/* A row of STATISTICS. */
struct statistic {
	name_id context;
	uint32_t area;
	uint32_t has;     /* a bit for each number it has, from MACRO_COUNT to MACRO_OUTSIDE_MAX */
	uint32_t numbers; /* index of the first number; the others follow in that order */
	uint64_t offset;
};

/* A state of a variable with the name from the mapping. */
struct state_name {
	int64_t value;
	name_id name;
	uint32_t next; /* of the same variable, as area.state_first */
};

/* The contexts by their names in rows of the timeline. */
struct text1_known {
	struct idmap context_of; /* name_id or core to a context */
	uint32_t last;           /* the context of `text` */
	struct buf text;
	VEC(name_id) name; /* of the section CONTEXTS */
	struct idmap by_handle;        /* handle to an index in `name` */
	struct idmap by_name;
};

/* The events so far: their number, and their times. */
struct text1_span {
	uint64_t events;
	int64_t latest;   /* of the last event */
	int64_t from, to; /* the least and the greatest */
};

struct text1 {
	struct builder *b;
	struct input *in;
	struct idmap handles[6];
	VEC(struct text1_area) areas;
	uint32_t mapped_last; /* the function mapped last, AREA_NONE */
	struct idmap named;   /* name_id to the area of a function */
	VEC(struct state_name) state_names;
	struct idmap states;  /* handle of states to the area of their variable */
	struct text1_child *children; /* [1 << CHILDREN_BITS], by parent and area */
	VEC(struct context) contexts;
	metric_id time;
	struct text1_known known;
	struct text1_span span;
	bool begun; /* metrics of the timeline exist */
	VEC(struct statistic) statistics;
	VEC(int64_t) numbers;
	unsigned infos; /* number of rows of unknown sections that were kept */
};

void text1_init(struct text1 *t, struct builder *b, struct input *in);
void text1_release(struct text1 *t);

/* ---- areas (text1_areas.c) ---- */
/* Returns the area of a handle, a new one if necessary; valid until the next call. AREA_NONE for an
 * undefined kind. */
uint32_t text1_area(struct text1 *t, uint32_t handle);
/* Adds an area without the relations that are found later. */
uint32_t text1_area_add(struct text1 *t, struct text1_area a);
/* Makes the function and frame of a function area, the frame of a line area; call it at the first
 * use, when all lines are mapped. Returns false for a line whose function is unknown. */
bool text1_area_make(struct text1 *t, uint32_t area);
/* Returns the stack of a made area below another; STACK_NONE if the profile is full. */
stack_id text1_stack_closer(struct text1 *t, stack_id parent, uint32_t area);
static inline struct text1_child *
text1_child(const struct text1 *t, stack_id parent, uint32_t area)
{
	uint32_t hash = (parent * 0x9E3779B1u) ^ (area * 0x85EBCA6Bu);

	return &t->children[hash >> (32 - CHILDREN_BITS)];
}

static inline stack_id
text1_stack(struct text1 *t, stack_id parent, uint32_t area)
{
	const struct text1_child *x = text1_child(t, parent, area);

	if (x->area == area + 1 && x->parent == parent)
		return x->child;
	return text1_stack_closer(t, parent, area);
}

/* Returns the area of the variable of an event or a state, and makes its track. */
uint32_t text1_data_area(struct text1 *t, uint32_t handle);

/* ---- events (text1_events.c) ---- */
/* Returns the context of this name or number, a new one if necessary; CONTEXTS_MAX if there are too
 * many. */
uint32_t text1_context(struct text1 *t, uint64_t key, const char *name, size_t len,
		       enum track_kind kind);
bool text1_event(struct text1 *t, const struct event_record *r, struct err *e);
/* Handles n events in order. */
bool text1_events(struct text1 *t, const struct event_record *r, size_t n, struct err *e);
bool text1_events_end(struct text1 *t, struct err *e);

/* Returns the stack that runs after an event of a function, and the flags of its step. *depth, that
 * of the context's stack, and *running become those after it. Returns STACK_NONE, with nothing
 * changed, for an event that is not a regular one of known stacks. */
static inline uint32_t
text1_step_of(struct text1 *t, struct context *c, size_t *depth, bool *running,
	      enum event_type type, uint32_t area)
{
	const struct active *a = *depth ? &c->stack.at[*depth - 1] : NULL;

	if (type == EVENT_ENTRY) {
		stack_id parent = a ? a->stack : STACK_EMPTY;
		const struct text1_child *x = text1_child(t, parent, area);
		if (x->area != area + 1 || x->parent != parent || *depth == c->stack.cap)
			return STACK_NONE;
		c->stack.at[(*depth)++] = (struct active){
			.area = area, .line = AREA_NONE, .parent = parent, .stack = x->child};
		*running = true;
		return x->child | STEP_CALL;
	}
	if (!a || a->area != area || (type == EVENT_EXIT && !*running) || type > EVENT_RESUME)
		return STACK_NONE;
	*running = type == EVENT_RESUME;
	*depth -= type == EVENT_EXIT;
	return type == EVENT_RESUME ? a->stack
	       : type == EVENT_EXIT ? STACK_EMPTY | STEP_RETURN
				    : STACK_EMPTY;
}

/* Appends events from the front of these n, at least one, as long as they belong to one context and
 * are regular. Returns their number. *good: false with damage. */
size_t text1_usual(struct text1 *t, const struct event_record *r, size_t n, bool *good,
		   struct err *e);

/* ---- mapping: HANDLE, CONTEXTS, INFO, and undefined sections (text1_map.c) ---- */
/* Each handles a row that was split by its section's format. Returns false with damage if it is
 * malformed. */
bool text1_map_handle(struct text1 *t, const struct text1_format *f, const struct text_slice *row,
		      uint64_t offset, struct err *e);
bool text1_map_context(struct text1 *t, const struct text1_format *f, const struct text_slice *row,
		       uint64_t offset, struct err *e);
void text1_map_info(struct text1 *t, const struct text1_format *f, const struct text_slice *row);
/* Keeps a row as text under this key; only the first INFOS_MAX of a file. */
void text1_map_keep(struct text1 *t, const char *key, const char *at, size_t len);
#define INFOS_MAX 1000u

/* Returns the context of a timeline row: a name, or a handle of the section CONTEXTS. CONTEXTS_MAX
 * if there are too many. */
uint32_t text1_map_find_context(struct text1 *t, struct text_slice s);
/* Returns true if this context was used or mapped before. */
bool text1_map_knows_context(struct text1 *t, struct text_slice s);

/* ---- rows in the form of nearly all exports (text1_quick.c) ---- */
/* Returns true if a timeline of this format can have such rows. */
bool text1_quick_fits(const struct text1_format *f);
/* Reads rows from the front of at[0..len), which is at `offset`, up to the first one in another
 * form; *used: bytes read. Returns false with damage. */
bool text1_quick_rows(struct text1 *t, const struct text1_format *f, const char *at, size_t len,
		      uint64_t offset, size_t *used, struct err *e);

/* ---- binary timelines (text1_bin.c) ---- */
bool text1_bin_plausible(struct head head);
bool text1_bin_decode(struct text1 *t, struct input *in, const char *where, struct err *e);
bool text1_bin_dump(struct input *in, struct dump *d, struct err *e);

/* ---- statistics (text1_stats.c) ---- */
bool text1_statistic(struct text1 *t, name_id context, const struct text1_format *f,
		     const struct text_slice *row, uint64_t offset, struct err *e);
/* Without a timeline, statistics become the profile; with one they are compared with it. */
bool text1_statistics_end(struct text1 *t, struct err *e);

#endif
