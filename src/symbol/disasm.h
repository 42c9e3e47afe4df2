/* disasm.h - the instructions of a function, from the file of its module.
 *
 *	struct disasm *d = disasm_new(NULL, 0, false);
 *	uint32_t m = disasm_module(d, path, path_len, id, id_len);
 *	if (disasm_span(d, m, address, &start, &end) &&
 *	    disasm_run(d, m, start, end, take, ctx)) ...
 *	else disasm_say(d, m, &why);
 *
 * Addresses are those of the file's symbols. Code is read only from a file with the recorded build
 * id, or from the recording itself. Without capstone or elfutils nothing is disassembled, and
 * disasm_say() reports that. */
#ifndef PNAV_SRC_SYMBOL_DISASM_H
#define PNAV_SRC_SYMBOL_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct disasm;
struct embedded;
struct embedding;

/* The maximum number of bytes that are read of a function. */
#define DISASM_BYTES_MAX (1u << 20)

struct disasm_instruction {
	uint64_t address;
	const char *text; /* mnemonic and operands; valid for the call */
	bool jumps, calls; /* to the address `to`; 0 if it is only known at run time */
	uint64_t to;
	const char *to_name; /* the function there; NULL if unknown */
	const char *file;    /* the innermost source file; NULL if unknown */
	uint32_t line;       /* 0 if unknown */
};

typedef void disasm_take(void *ctx, const struct disasm_instruction *i);

/* Returns a disassembler that searches files as symbols_places() does. */
struct disasm *disasm_new(const char *const *dirs, size_t n, bool server);
void disasm_free(struct disasm *d);
/* As symbols_raw(). */
void disasm_raw(struct disasm *d);
/* As symbols_stops(). */
void disasm_stops(struct disasm *d, bool (*stops)(void *ctx), void *ctx);
/* Code in a recording replaces missing files; see symbols_recorded(). */
void disasm_recorded(struct disasm *d, const struct embedded *e);
/* Makes disasm_embed_at() add to `e`, which is borrowed. Call it before the first module. */
void disasm_embed(struct disasm *d, struct embedding *e);
/* Adds the function at an offset of the module's file to the embedding: its code, and the name or
 * line of each of its instructions. */
void disasm_embed_at(struct disasm *d, uint32_t module, uint64_t offset);
/* Returns the number of a module; the same number for the same module. The arguments are borrowed
 * for the call; id_len is 0 if no build id was recorded. */
uint32_t disasm_module(struct disasm *d, const char *path, size_t path_len, const uint8_t *id,
		       size_t id_len);
/* Finds the function that contains an address: [*start, *end). Returns false if it is unknown. */
bool disasm_span(struct disasm *d, uint32_t module, uint64_t address, uint64_t *start,
		 uint64_t *end);
/* Finds the first address of the function with this displayed name. */
bool disasm_named(struct disasm *d, uint32_t module, const char *name, uint64_t *address);
/* Passes the instructions of [start, end) to take(), in order. Returns false if the code is
 * missing, or this build cannot disassemble it. */
bool disasm_run(struct disasm *d, uint32_t module, uint64_t start, uint64_t end,
		disasm_take *take, void *ctx);
/* Appends the reason why there is no code; nothing if there is code. */
void disasm_say(struct disasm *d, uint32_t module, struct buf *out);

#endif
