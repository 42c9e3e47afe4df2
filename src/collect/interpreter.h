/* interpreter.h - an interpreter whose frames pnav reads: one file, and a row of INTERPRETERS.
 *
 *	open ------> walk: where each frame is, while the thread is stopped or waits
 *	              |
 *	              v  afterwards, for a function that is new
 *	             code --> name, file, lines --> line
 *
 * All memory belongs to another process: it may change while it is read, and it may be garbage. */
#ifndef PNAV_SRC_COLLECT_INTERPRETER_H
#define PNAV_SRC_COLLECT_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

struct farmem;

#define INTERPRETER_FRAMES_MAX 1024u /* of a thread; the outermost ones are left out */
#define INTERPRETER_TEXT_MAX 1024u   /* bytes or characters of a name */

/* A frame: its function, and where in it. */
struct interpreter_frame {
	uint64_t code;     /* address of the function's description */
	uint64_t key;      /* the same for all copies of a function */
	uint64_t position; /* as line() expects it */
	bool ends;         /* it is the outermost of a call of the interpreter's loop */
};

struct interpreter_frames {
	VEC(struct interpreter_frame) at; /* innermost first */
};

/* The parts of a function's description by which a new one at the same address is recognised. */
struct interpreter_code {
	uint64_t name, file, lines; /* addresses of its name, its file, its table of lines */
	uint64_t scope;             /* of its class or its instructions */
	uint32_t first_line, count; /* count: of instructions, or 0 */
};

/* A file of the interpreter in a process. */
#define INTERPRETER_SYMBOLS 3u
struct interpreter_binary {
	uint64_t symbol[INTERPRETER_SYMBOLS]; /* run-time addresses of the row's symbols, or 0 */
	uint32_t stated; /* the version by stated(), or by the name of the file; 0: unknown */
};

/* A thread at the moment of a look. */
struct interpreter_thread {
	uint32_t tid;
	const uint64_t *registers; /* in the order of record_registers(); NULL: unknown */
	uint64_t *state;           /* cache of its address in the interpreter, 0 at first */
};

/* Versions are numbers like Py_Version: major << 24 | minor << 16 | more; 0: unknown. */
struct interpreter {
	const char *name;     /* in the names of programs and of files: python */
	const char *title;    /* for messages: Python */
	const char *versions; /* that open() knows, for messages */
	const char *advice;   /* what else shows functions, with its own comma in front; or "" */
	const char *symbol[INTERPRETER_SYMBOLS]; /* of its data, or NULL; one of them must exist */
	/* Returns the version that a file contains; NULL: it does not say. */
	uint32_t (*stated)(const char *path);
	/* Returns what the other functions need, for free(); NULL if the layout is unknown, then
	 * *version is the one for the message. */
	void *(*open)(struct farmem *m, const struct interpreter_binary *b, uint32_t *version);
	/* Appends the frames of a thread; none if it does not run this interpreter. */
	void (*walk)(const void *p, struct farmem *m, const struct interpreter_thread *t,
		     struct interpreter_frames *out);
	/* Reads the description of a frame's function; false if it is none. */
	bool (*code)(const void *p, struct farmem *m, const struct interpreter_frame *f,
		     struct interpreter_code *out);
	/* Appends the name and the file of a function; false if they are no text. */
	bool (*text)(const void *p, struct farmem *m, const struct interpreter_code *c,
		     struct buf *name, struct buf *file);
	/* Appends the table for line(); NULL: it needs none. */
	void (*lines)(const void *p, struct farmem *m, const struct interpreter_code *c,
		      struct buf *out);
	/* Returns the line that a frame executes; 0: unknown. */
	uint32_t (*line)(const void *p, const struct interpreter_frame *f,
			 const struct interpreter_code *c, const uint8_t *table, size_t len);
};

#define INTERPRETERS(X) \
	X(python)       \
	X(ruby)         \
	X(php)

#define INTERPRETER_DECLARE(name) extern const struct interpreter interpreter_##name;
INTERPRETERS(INTERPRETER_DECLARE)
#undef INTERPRETER_DECLARE

/* Appends a text of bytes up to a NUL, at most INTERPRETER_TEXT_MAX of them, control characters as
 * `?`; returns false if it is empty or not readable. */
bool interpreter_bytes(struct farmem *m, uint64_t at, uint64_t len, struct buf *out);
/* Returns the thread's number in the C library's descriptor of a thread, which is all that some
 * interpreters know of a thread. */
uint32_t interpreter_tid(struct farmem *m, uint64_t descriptor);

#endif
