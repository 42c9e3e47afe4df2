/* disasm.h - the instructions of a function, from the file of its module.
 *
 *	struct disasm *d = disasm_new(NULL, 0, false);
 *	uint32_t m = disasm_module(d, path, path_len, id, id_len);
 *	if (disasm_span(d, m, address, &start, &end) &&
 *	    disasm_run(d, m, start, end, take, ctx)) ...
 *	else disasm_say(d, m, &why);
 *
 * Addresses are those of the file, as its symbols count them.  Code is read only from the file
 * that has the build id which was recorded, or from the recording itself.  Without capstone, or
 * without elfutils, nothing is disassembled, and disasm_say() says so. */
#ifndef PNAV_SRC_SYMBOL_DISASM_H
#define PNAV_SRC_SYMBOL_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct disasm;
struct embedded;
struct embedding;

/* The number of bytes of a function that are read at most. */
#define DISASM_BYTES_MAX (1u << 20)

struct disasm_instruction {
	uint64_t address;
	unsigned size;
	const char *text; /* mnemonic and operands; valid for the call */
	bool jumps, calls; /* somewhere: `to`, 0 where only the program knows where */
	uint64_t to;
	const char *to_name; /* the function there; NULL where it is not known */
	const char *file;    /* the source, innermost; NULL where not known */
	uint32_t line;       /* 0 where not known */
};

typedef void disasm_take(void *ctx, const struct disasm_instruction *i);

/* Files are looked for where symbols_places() says. */
struct disasm *disasm_new(const char *const *dirs, size_t n, bool server);
void disasm_free(struct disasm *d);
/* As symbols_raw(). */
void disasm_raw(struct disasm *d);
/* As symbols_stops(). */
void disasm_stops(struct disasm *d, bool (*stops)(void *ctx), void *ctx);
/* Code that a recording holds stands in for files that are not here, as symbols_recorded(). */
void disasm_recorded(struct disasm *d, const struct embedded *e);
/* From now on disasm_embed_at() adds to `e`, borrowed.  Before the first module. */
void disasm_embed(struct disasm *d, struct embedding *e);
/* Adds the function at an offset of the module's file to the embedding: its code, and the name or
 * line at each of its instructions. */
void disasm_embed_at(struct disasm *d, uint32_t module, uint64_t offset);
/* A module's number; the same again where it is known.  Borrowed, for the call; an id of
 * length 0 where none was recorded. */
uint32_t disasm_module(struct disasm *d, const char *path, size_t path_len, const uint8_t *id,
		       size_t id_len);
/* The function that an address is in: [*start, *end).  False where nobody knows. */
bool disasm_span(struct disasm *d, uint32_t module, uint64_t address, uint64_t *start,
		 uint64_t *end);
/* Where the function of this name begins, as symbols are shown. */
bool disasm_named(struct disasm *d, uint32_t module, const char *name, uint64_t *address);
/* Hands the instructions of [start, end) to take(), in order.  False where the code is not
 * there, or nothing here can read it. */
bool disasm_run(struct disasm *d, uint32_t module, uint64_t start, uint64_t end,
		disasm_take *take, void *ctx);
/* Appends why there is no code, in words; nothing where there is. */
void disasm_say(struct disasm *d, uint32_t module, struct buf *out);

#endif
