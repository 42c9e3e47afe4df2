/* stacktext.h - the state while stacks in text are read.  For stacks.c and stacktext*.c only.
 *
 * A grammar gets the lines of a file one at a time, collects frames, leaf first, and adds
 * complete stacks.  This is the part that all grammars share. */
#ifndef PNAV_SRC_DECODE_STACKS_STACKTEXT_H
#define PNAV_SRC_DECODE_STACKS_STACKTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/decoder.h"

/* A stack that was read whole. */
struct stacktext_entry {
	stack_id stack;
	labels_id labels;
	uint32_t lane; /* index */
	uint32_t map;  /* index */
	int64_t count;
	uint64_t offset;
};

/* The state of a text of a debugger. */
struct stacktext_debugger {
	bool stopped; /* frame 0 that it prints when it stops has passed */
	bool unasked; /* its last command was none that prints stacks */
	size_t read;  /* a place in `held`, up to which the brackets were counted */
	int depth;    /* the open ones there */
	bool quoted;  /* it is in a string */
};

struct stacktext {
	const struct stacktext_grammar *grammar;
	struct builder *b;
	struct err *e;
	uint64_t offset; /* of the line */
	uint64_t begun;  /* offset of the first line of the current entry */
	VEC(frame_id) frame; /* leaf first */
	VEC(label_id) label;
	struct buf track; /* the name of the entry's track; empty: main */
	struct buf held;  /* for the grammar: the part that continues in the next line */
	int64_t count;    /* a grammar's own */
	unsigned state;   /* a grammar's own */
	bool inside;      /* a stack is being read */
	bool counted;     /* a map has numbers */
	bool stackless;   /* the entry was counted where there was no stack */
	struct stacktext_debugger debugger;
	uint32_t map;     /* the current map: stacktext_map() */
	VEC(struct stacktext_entry) entry;
	VEC(name_id) map_name;
	VEC(track_id) lane;
	struct idmap lane_of; /* name -> index of lane */
};

/* A way to write stacks. Dialects of dumps of threads have patterns (stacktext_threads.c). */
struct stacktext_grammar {
	/* How sure of its being in this head. */
	int (*probe)(const struct stacktext_grammar *g, struct head head);
	/* A line; false is damage in *s->e. */
	bool (*line)(struct stacktext *s, const char *at, const char *end);
	/* The input has ended. */
	bool (*end)(struct stacktext *s);
	const char *thread[4]; /* the line with which a thread begins */
	const char *frame[3];  /* the line of a frame, or of a state */
	const char *alone[2];  /* the first frame of a file without lines of threads */
};

extern const struct stacktext_grammar stacktext_maps, stacktext_blocks, stacktext_go;
extern const struct stacktext_grammar stacktext_dialects[];
extern const size_t stacktext_n_dialects;

/* Makes `at` the name of the map of the following entries. */
void stacktext_map(struct stacktext *s, const char *at, size_t len);
/* Adds the collected frames and labels with this count, and empties them; without frames there
 * is no entry. */
bool stacktext_add(struct stacktext *s, int64_t count);
/* Adds a thread. One with labels, such as its state, and without frames has no stack. */
bool stacktext_thread(struct stacktext *s);
void stacktext_clear(struct stacktext *s);
/* Writes all stacks that were added into the profile. */
bool stacktext_write(struct stacktext *s);
void stacktext_release(struct stacktext *s);
/* Names the track of the current stack; an unnamed thread is one of Java's virtual threads. */
void stacktext_track(struct stacktext *s, const char *name, size_t len);
void stacktext_label(struct stacktext *s, const char *key, const char *at, size_t len);
/* Adds a frame below the collected ones; names with NULL are empty, line 0 is unknown. */
void stacktext_frame(struct stacktext *s, const char *name, size_t name_len, const char *file,
		  size_t file_len, const char *module, size_t module_len, uint32_t line,
		  enum kind kind);
/* Adds the frame of a debugger in `held`, if there is one, and empties it. */
void stacktext_native(struct stacktext *s);
/* Extends the frame in `held` by the following line of the file, if it belongs to it. */
void stacktext_native_more(struct stacktext *s, const char *at, const char *end);
/* Adds `pkg.Class.method(module@version/File.java:5)`. */
void stacktext_java(struct stacktext *s, const char *at, const char *end);
/* Adds a frame of a tracer, `func+0x1/0x2 [module]` and others, with this kind or, if it is
 * KIND_USER, that of its name. */
void stacktext_counted(struct stacktext *s, const char *at, const char *end, enum kind kind);
/* Reads Java's dump of threads in JSON. */
bool stacktext_json(struct stacktext *s, struct input *in);
/* Returns the end of a call without its arguments: the bracket that the last bracket closes. */
const char *stacktext_call_end(const char *at, const char *end);
/* Returns the end of the name in `func+0x12` or `func+12`. */
const char *stacktext_name_end(const char *at, const char *end);
/* Parses `FILE:LINE` at the end of a text: returns the end of the file's name, and the line;
 * false if there is none. */
bool stacktext_file_line(const char *at, const char *end, const char **file_end, uint32_t *line);

#endif
