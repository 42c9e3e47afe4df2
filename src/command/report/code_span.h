/* code_span.h - the instructions around an address, read as a whole.
 *
 * It is asked with a profile at hand and read without: the reading needs nothing but the
 * disassembler, so it may be done apart (src/apart.h). */
#ifndef PNAV_SRC_COMMAND_REPORT_CODE_SPAN_H
#define PNAV_SRC_COMMAND_REPORT_CODE_SPAN_H

#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/profile/profile.h"
#include "src/symbol/disasm.h"

/* Texts are places in the span's words; 0: there is none. */
struct code_at {
	uint64_t address, to;
	size_t text, to_name, file;
	uint32_t line;
	bool jumps, calls;
};

struct code_span {
	bool known; /* in which function the address is: [start, end) */
	bool read;  /* there is code */
	uint64_t start, end;
	VEC(struct code_at) all;
	/* private */
	struct disasm *disasm;
	name_id of_path, of_build;
	struct name path;
	uint8_t id[64];
	size_t id_len;
	uint64_t address;
	char *called; /* the function asked for by its name; NULL: by the address */
	struct buf words;
	size_t file; /* of the instruction before */
};

/* Zero-initialised is none. */
void code_span_release(struct code_span *s);
/* The next code_span_read() is of this address in this file of the profile, which it borrows. */
void code_span_ask(struct code_span *s, struct disasm *d, const struct profile *p,
		   const struct module_file *file, uint64_t address);
/* The same of the function of this name. */
void code_span_ask_named(struct code_span *s, struct disasm *d, const struct profile *p,
			 const struct module_file *file, name_id name);
void code_span_read(void *span);
/* Was the code at this address in this file read already?  While a profile grows the same
 * function is asked for again and again. */
bool code_span_has(const struct code_span *s, const struct module_file *file, uint64_t address);
/* NULL for 0; valid until the span is asked again. */
const char *code_span_word(const struct code_span *s, size_t at);
/* Appends why there is no code of this file; nothing where there is. */
void code_span_say(struct disasm *d, const struct profile *p, const struct module_file *file,
		   struct buf *out);

#endif
