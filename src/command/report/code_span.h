/* code_span.h - reads the instructions of the function around an address.
 *
 * The request needs the profile; the reading needs only the disassembler, so it may run on a thread
 * (src/apart.h). */
#ifndef PNAV_SRC_COMMAND_REPORT_CODE_SPAN_H
#define PNAV_SRC_COMMAND_REPORT_CODE_SPAN_H

#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/profile/profile.h"
#include "src/symbol/disasm.h"

/* Members for texts are offsets in the span's words; 0: none. */
struct code_at {
	uint64_t address, to;
	size_t text, to_name, file;
	uint32_t line;
	bool jumps, calls;
};

struct code_span {
	bool known; /* the function of the address is known: [start, end) */
	bool read;  /* its code was read */
	uint64_t start, end;
	VEC(struct code_at) all;
	/* private */
	struct disasm *disasm;
	name_id of_path, of_build;
	struct name path;
	uint8_t id[64];
	size_t id_len;
	uint64_t address;
	char *called; /* the requested function's name; NULL: requested by address */
	struct buf words;
	size_t file; /* of the previous instruction */
};

/* A zero-initialised span is empty. */
void code_span_release(struct code_span *s);
/* Requests the code around an address of a file of the profile for the next code_span_read().
 * Borrows the profile. */
void code_span_ask(struct code_span *s, struct disasm *d, const struct profile *p,
		   const struct module_file *file, uint64_t address);
/* Requests the function of this name. */
void code_span_ask_named(struct code_span *s, struct disasm *d, const struct profile *p,
			 const struct module_file *file, name_id name);
void code_span_read(void *span);
/* Returns true if the code at this address of the file is already in the span. While a profile
 * grows, views request the same function again and again. */
bool code_span_has(const struct code_span *s, const struct module_file *file, uint64_t address);
/* Returns the text at an offset; NULL for 0. Valid until the next request. */
const char *code_span_word(const struct code_span *s, size_t at);
/* Appends why this file has no code; nothing if it has. */
void code_span_say(struct disasm *d, const struct profile *p, const struct module_file *file,
		   struct buf *out);

#endif
