/* embedded.h - what a recording holds of the files that its samples hit.
 *
 * An address means something only together with the file that ran, and that file is gone after
 * the next build.  So a recording holds the answers that its own addresses got: the symbol and
 * the inlined calls at each of them, and where each copied stack led.  It may hold the code of the
 * functions that were hit, too.  pnav-formats(7) draws the bytes.
 *
 * Writing: a decoder that is given a `struct embedding` (input.h) notes what it looks up.
 *
 *	struct embedding *e = embedding_new(before_ns);
 *	... symbols_embed(s, e); embedding_stack(e, ...);
 *	embedding_write(e, &bytes);
 *	embedding_free(e);
 *
 * Reading: embedded_read() checks all of the bytes once, so that look-ups need no checks.  Memory
 * is at most 32 times the bytes. */
#ifndef PNAV_SRC_SYMBOL_EMBEDDED_H
#define PNAV_SRC_SYMBOL_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/symbol/symbols_frame.h"

/* Writers stop and readers refuse beyond this many bytes. */
#define EMBEDDED_MAX (32u << 20)

/* A profile keeps what was read as an attachment of this kind (profile.h), where it holds
 * code. */
#define EMBEDDED_KIND "embedded"

struct embedded;
struct embedded_module;

/* Reads the bytes that embedding_write() made; copied.  NULL with damage in *e, whose offset
 * counts from the first byte. */
struct embedded *embedded_read(const uint8_t *at, size_t len, struct err *e);
void embedded_free(struct embedded *e);
/* How many modules, addresses, stacks and functions with their code there are. */
struct embedded_sizes {
	size_t modules, addresses, stacks, functions;
};
struct embedded_sizes embedded_sizes(const struct embedded *e);
/* Where the copied stack with this key led: up to `max` addresses, leaf first, and an enum
 * unwind_end.  Returns their number; 0 when the stack is not there. */
unsigned embedded_stack(const struct embedded *e, uint64_t key, uint64_t *out, unsigned max,
			unsigned *end);

/* ---- for symbols.c ---- */
/* The entry of a module: by kind and build id; without one by kind and path.  NULL: none. */
const struct embedded_module *embedded_module(const struct embedded *e,
					      const struct symbols_module *m);
/* What was found at an address of the module, which may be nothing.  False when that address was
 * not looked up.  Strings are valid as long as `e`. */
bool embedded_at(const struct embedded *e, const struct embedded_module *m, uint64_t at,
		 struct symbols_answer *out);
/* The i-th executable segment; false when there are no more. */
bool embedded_segment(const struct embedded *e, const struct embedded_module *m, size_t i,
		      struct symbol_segment *out);
/* As symbol_elf_address() and symbol_elf_offset(). */
bool embedded_address(const struct embedded *e, const struct embedded_module *m, uint64_t offset,
		      uint64_t *address);
bool embedded_offset(const struct embedded *e, const struct embedded_module *m, uint64_t address,
		     uint64_t *offset);

/* The code of one function. */
struct embedded_code {
	uint64_t start, end;       /* as symbols count */
	const char *name;          /* as in a symbol table */
	uint16_t machine;          /* EM_... */
	bool wide, big_endian;     /* of 64 bits */
	const uint8_t *at;         /* from `start` on; valid as long as `e` */
	size_t len;                /* at most end - start */
};
/* The code around an address, as symbols count.  False when it is not there. */
bool embedded_code_at(const struct embedded *e, const struct embedded_module *m, uint64_t address,
		      struct embedded_code *out);
/* The i-th function of the module; false when there are no more. */
bool embedded_code(const struct embedded *e, const struct embedded_module *m, size_t i,
		   struct embedded_code *out);

/* ---- writing ---- */

struct embedding;

/* before_ns: since the epoch; a file without a build id is only embedded if it has not been
 * changed since then. */
struct embedding *embedding_new(int64_t before_ns);
void embedding_free(struct embedding *e);
int64_t embedding_before(const struct embedding *e);
/* The number of a module, of those added with the same identity the first one's.  `file` is what
 * was opened for it, NULL where nothing was. */
uint32_t embedding_module(struct embedding *e, const struct symbols_module *m, const char *file);
/* An executable segment of the module's file, before the first embedding_note() of it. */
void embedding_segment(struct embedding *e, uint32_t module, const struct symbol_segment *g);
/* What was found at an address; strings are copied. */
void embedding_note(struct embedding *e, uint32_t module, uint64_t at,
		    const struct symbols_answer *a);
/* Where a copied stack led: n > 0 addresses, leaf first, and an enum unwind_end. */
void embedding_stack(struct embedding *e, uint64_t key, const uint64_t *address, unsigned n,
		     unsigned end);
/* The i-th address that was noted, and its module, all borrowed; false when there are no more. */
bool embedding_noted(const struct embedding *e, size_t i, struct symbols_module *m, uint64_t *at);
/* The code of a function of a module that has notes; copied.  Nothing is added that overlaps what
 * was: of functions within others, that is. */
void embedding_code(struct embedding *e, uint32_t module, const struct embedded_code *c);
/* Whether the code around this address was added. */
bool embedding_has_code(const struct embedding *e, uint32_t module, uint64_t address);
/* The i-th file that was opened and has a build id, all borrowed; NULL when there are no more, and
 * *id_len is 0 for what is no such file. */
const char *embedding_file(const struct embedding *e, size_t i, const uint8_t **id, size_t *id_len);
/* Appends all of it; false when there is nothing.  *whole: nothing was left out for its size. */
bool embedding_write(struct embedding *e, struct buf *out, bool *whole);

#endif
