/* cpython.h - the frames of a thread of CPython, in the memory of another process. */
#ifndef PNAV_SRC_COLLECT_CPYTHON_H
#define PNAV_SRC_COLLECT_CPYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/collect/interpreter.h"

/* Offsets in bytes within structures of CPython; CPYTHON_NONE: this version has no such member. */
#define CPYTHON_NONE UINT16_MAX
struct cpython_layout {
	uint16_t interpreters; /* _PyRuntimeState.interpreters.head */
	uint16_t next_interpreter, threads; /* PyInterpreterState */
	uint16_t next_thread, thread_id, native_id; /* PyThreadState */
	uint16_t frame;  /* PyThreadState: the current frame, or the structure that points to it */
	uint16_t within; /* the frame in that structure */
	uint16_t previous, code, instruction, owner, entry; /* a frame */
	uint16_t name, file, first_line, lines, start; /* PyCodeObject */
	uint16_t ascii, compact; /* sizes of PyASCIIObject and PyCompactUnicodeObject */
};

struct cpython {
	unsigned minor; /* of 3.minor */
	uint64_t runtime; /* address of _PyRuntime */
	struct cpython_layout layout;
};

/* Prepares reading of a version, major << 24 | minor << 16 and so on as in Py_Version, 0: unknown.
 * Returns false if its layout is unknown. */
bool cpython_open(struct cpython *p, struct farmem *m, uint64_t runtime, uint32_t version);
/* Returns the version that the memory at _PyRuntime states; 0: none (before 3.13). */
uint32_t cpython_version(struct farmem *m, uint64_t runtime);
/* Finds the state of a thread.  *cached, if not 0, is tried first, and set. Returns false if the
 * thread does not run Python. */
bool cpython_thread(const struct cpython *p, struct farmem *m, uint32_t tid, uint64_t *cached);
/* Reads the frames of a state that cpython_thread() found. */
void cpython_walk(const struct cpython *p, struct farmem *m, uint64_t thread,
		  struct interpreter_frames *out);
/* Reads a code object; false if it is none. */
bool cpython_code(const struct cpython *p, struct farmem *m, uint64_t at,
		  struct interpreter_code *out);
/* Appends a text of the process in UTF-8, control characters as `?`, at most 1,024 characters;
 * returns false if it is none. */
bool cpython_text(const struct cpython *p, struct farmem *m, uint64_t at, struct buf *out);
/* Returns the line that a frame executes, by the table of its code; 0 if it has none. */
uint32_t cpython_line(const struct cpython *p, const struct interpreter_frame *f,
		      uint32_t first_line, const uint8_t *table, size_t len);

#endif
