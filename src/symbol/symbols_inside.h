/* symbols_inside.h - the modules of symbols.h, for its own files. */
#ifndef PNAV_SRC_SYMBOL_SYMBOLS_INSIDE_H
#define PNAV_SRC_SYMBOL_SYMBOLS_INSIDE_H

#include "model/base/vec.h"
#include "src/symbol/cold.h"
#include "src/symbol/dwarf.h"
#include "src/symbol/elf.h"
#include "src/symbol/embedded.h"
#include "src/symbol/gopclntab.h"
#include "src/symbol/jitdump.h"
#include "src/symbol/roots.h"
#include "src/symbol/symbols.h"
#include "src/symbol/table.h"

#define SYMBOLS_ID_MAX 32u

enum state { STATE_NEW, STATE_OPEN, STATE_MISSING };

struct symbols_entry {
	enum symbols_kind kind;
	uint8_t state; /* enum state */
	bool dwarf_tried, go_tried;
	bool tabled;  /* a file's functions are in the table */
	bool crowded; /* not opened because too many files were open */
	bool missed; /* a look-up failed */
	bool nameless; /* its path was not that of the executed file any more */
	char *path;
	uint8_t build_id[SYMBOLS_ID_MAX];
	size_t build_id_len;
	uint64_t kernel_text;
	/* the recording that contains the module; or NULL */
	const struct embedded *recording;
	const struct embedded_module *recorded; /* the module in it; or NULL */
	uint32_t noted; /* 1 + its number in the embedding; 0: not yet */
	size_t kept; /* 1 + index of its text in the recording; 0: none */
	struct symbol_elf elf;
	struct symbol_table table;
	struct symbol_cold cold;
	struct symbol_dwarf *dwarf;
	struct symbol_go go;
};

/* A text from the recording. */
struct symbols_kept {
	char *path, *text;
	size_t len;
	struct symbol_jit_layer jit; /* the same from a dump; then there is no text */
};

struct symbols {
	VEC(struct symbols_entry) module;
	VEC(struct symbols_kept) kept;
	bool local;
	int64_t began_ns; /* since the epoch; 0: unknown */
	bool raw; /* names stay mangled */
	VEC(const struct embedded *) recording; /* embedded symbols of recordings */
	struct embedding *embedding;     /* NULL: results are not noted */
	struct symbol_places *places; /* NULL: only the system's folders */
	struct symbol_roots *roots;
	struct symbol_budget budget;
	void (*leave)(void *ctx); /* around slow work; NULL: nothing waits */
	void (*back)(void *ctx);
	void *ctx;
};

/* Returns the table of a Go program's functions, an empty one for other files. */
const struct symbol_go *symbols_go_of(struct symbols_entry *m);
/* Notes an answer for the recording in progress; an empty answer is noted, too. */
void symbols_note(struct symbols *s, struct symbols_entry *m, uint64_t at,
		  const struct symbols_answer *a);

#endif
