/* symbols_inside.h - the modules of symbols.h, as its own files see them. */
#ifndef PNAV_SRC_SYMBOL_SYMBOLS_INSIDE_H
#define PNAV_SRC_SYMBOL_SYMBOLS_INSIDE_H

#include "model/base/vec.h"
#include "src/symbol/dwarf.h"
#include "src/symbol/elf.h"
#include "src/symbol/embedded.h"
#include "src/symbol/jitdump.h"
#include "src/symbol/symbols.h"
#include "src/symbol/table.h"

#define SYMBOLS_ID_MAX 32u

enum state { STATE_NEW, STATE_OPEN, STATE_MISSING };

struct symbols_entry {
	enum symbols_kind kind;
	uint8_t state; /* enum state */
	bool dwarf_tried;
	bool tabled;  /* a file's functions are in the table */
	bool crowded; /* not opened, since too many files were open */
	bool missed; /* something that was asked was not found */
	char *path;
	uint8_t build_id[SYMBOLS_ID_MAX];
	size_t build_id_len;
	uint64_t kernel_text;
	const struct embedded *recording;       /* what has something of it; or NULL */
	const struct embedded_module *recorded; /* what that is; or NULL */
	uint32_t noted; /* its number in the embedding, + 1; 0: not yet, UINT32_MAX: never */
	size_t kept; /* what came with the recording, + 1; 0: nothing did */
	struct symbol_elf elf;
	struct symbol_table table;
	struct symbol_dwarf *dwarf;
};

/* A text that came with the recording. */
struct symbols_kept {
	char *path, *text;
	size_t len;
	struct symbol_jit_layer jit; /* the same, of a dump: then there is no text */
};

struct symbols {
	VEC(struct symbols_entry) module;
	VEC(struct symbols_kept) kept;
	bool local;
	bool raw; /* names stay mangled */
	VEC(const struct embedded *) recording; /* what came with recordings */
	struct embedding *embedding;     /* NULL: nobody notes what is found */
	struct symbol_places *places; /* NULL: the system's alone */
	struct symbol_budget budget;
	void (*leave)(void *ctx); /* around what may take long; NULL: nobody waits */
	void (*back)(void *ctx);
	void *ctx;
};

/* Notes an answer for the recording that is being made; one that found nothing is one, too. */
void symbols_note(struct symbols *s, struct symbols_entry *m, uint64_t at,
		  const struct symbols_answer *a);

#endif
