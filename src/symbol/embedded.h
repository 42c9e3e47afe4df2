/* embedded.h - symbols embedded in a recording, of the files that its samples hit.
 *
 * An address is meaningful only together with the executed file, and the next build replaces
 * that file. So a recording contains the results of its own look-ups: the symbol and the
 * inlined calls at each address, and the callers found from each copied stack. It may also
 * contain the code of the functions that were hit. pnav-formats(7) shows the layout.
 *
 * Writing: a decoder that has a `struct embedding` (input.h) records its look-ups.
 *
 *	struct embedding *e = embedding_new(before_ns);
 *	... symbols_embed(s, e); embedding_stack(e, ...);
 *	embedding_write(e, &bytes);
 *	embedding_free(e);
 *
 * Reading: embedded_read() checks all bytes once, so that look-ups need no checks. It uses at
 * most 32 times as much memory as there are bytes. */
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

/* The kind of the attachment (profile.h) in which a profile keeps embedded code. */
#define EMBEDDED_KIND "embedded"

struct embedded;
struct embedded_module;

/* Decodes the bytes that embedding_write() made, and copies them. NULL with damage in *e, whose
 * offset counts from the first byte. */
struct embedded *embedded_read(const uint8_t *at, size_t len, struct err *e);
void embedded_free(struct embedded *e);
/* For builder_attach(): frees it; returns the bytes that embedded_read() decoded. */
void embedded_release(void *embedded);
const void *embedded_bytes(const void *embedded, size_t *len);
/* The numbers of modules, addresses, stacks, and functions with code. */
struct embedded_sizes {
	size_t modules, addresses, stacks, functions;
};
struct embedded_sizes embedded_sizes(const struct embedded *e);
/* Returns the number of callers found from the copied stack with this key: up to `max` addresses,
 * leaf first, and an enum unwind_end. 0 if the stack is not embedded. */
unsigned embedded_stack(const struct embedded *e, uint64_t key, uint64_t *out, unsigned max,
			unsigned *end);

/* ---- for symbols.c ---- */
/* Finds a module by kind and build id, or, without a build id, by kind and path. NULL: none. */
const struct embedded_module *embedded_module(const struct embedded *e,
					      const struct symbols_module *m);
/* Finds the embedded answer for an address of the module; an answer may be empty. Returns false if
 * the address was not looked up. Strings are valid as long as `e`. */
bool embedded_at(const struct embedded *e, const struct embedded_module *m, uint64_t at,
		 struct symbols_answer *out);
/* Returns the i-th executable segment in *out; false if there are no more. */
bool embedded_segment(const struct embedded *e, const struct embedded_module *m, size_t i,
		      struct symbol_segment *out);
/* As symbol_elf_address() and symbol_elf_offset(). */
bool embedded_address(const struct embedded *e, const struct embedded_module *m, uint64_t offset,
		      uint64_t *address);
bool embedded_offset(const struct embedded *e, const struct embedded_module *m, uint64_t address,
		     uint64_t *offset);

/* The code of one function. */
struct embedded_code {
	uint64_t start, end;       /* addresses as in a symbol table */
	const char *name;          /* as in a symbol table */
	uint16_t machine;          /* EM_... */
	bool wide, big_endian;     /* of 64 bits */
	const uint8_t *at;         /* the bytes from `start` on; valid as long as `e` */
	size_t len;                /* at most end - start */
};
/* Finds the code around an address of the symbol table. Returns false if it is not embedded. */
bool embedded_code_at(const struct embedded *e, const struct embedded_module *m, uint64_t address,
		      struct embedded_code *out);
/* Returns the i-th function of the module in *out; false if there are no more. */
bool embedded_code(const struct embedded *e, const struct embedded_module *m, size_t i,
		   struct embedded_code *out);

/* ---- writing ---- */

struct embedding;

/* before_ns counts from the epoch. A file without a build id is embedded only if it has not been
 * changed since. */
struct embedding *embedding_new(int64_t before_ns);
void embedding_free(struct embedding *e);
int64_t embedding_before(const struct embedding *e);
/* Returns the number of a module; modules with the same identity share one. `file` is the opened
 * file, or NULL. */
uint32_t embedding_module(struct embedding *e, const struct symbols_module *m, const char *file);
/* Adds an executable segment of the module's file; call it before the module's first
 * embedding_note(). */
void embedding_segment(struct embedding *e, uint32_t module, const struct symbol_segment *g);
/* Adds the answer for an address; strings are copied. */
void embedding_note(struct embedding *e, uint32_t module, uint64_t at,
		    const struct symbols_answer *a);
/* Adds the callers found from a copied stack: n > 0 addresses, leaf first, and an enum
 * unwind_end. */
void embedding_stack(struct embedding *e, uint64_t key, const uint64_t *address, unsigned n,
		     unsigned end);
/* Returns the i-th noted address and its module, borrowed; false if there are no more. */
bool embedding_noted(const struct embedding *e, size_t i, struct symbols_module *m, uint64_t *at);
/* Adds the code of a function of a module that has notes; copied. Ignores code that overlaps
 * earlier code, that is, functions within others. */
void embedding_code(struct embedding *e, uint32_t module, const struct embedded_code *c);
/* Returns true if the code around this address was added. */
bool embedding_has_code(const struct embedding *e, uint32_t module, uint64_t address);
/* Returns the i-th opened file with a build id, borrowed; NULL if there are no more. *id_len is 0
 * for entries that are not such files. */
const char *embedding_file(const struct embedding *e, size_t i, const uint8_t **id, size_t *id_len);
/* Appends everything. Returns false if there is nothing. *whole: nothing was omitted because of its
 * size. */
bool embedding_write(struct embedding *e, struct buf *out, bool *whole);

#endif
