/* symbols_frame.h - what is known of the code at one address: what symbols_at() gives, and
 * what it asks DWARF for. */
#ifndef PNAV_SRC_SYMBOL_SYMBOLS_FRAME_H
#define PNAV_SRC_SYMBOL_SYMBOLS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One function; strings are valid as long as the symbols. */
struct symbols_frame {
	const char *name;    /* demangled, without parameters */
	const char *file;    /* of the definition; NULL where not known */
	uint32_t line;       /* that is executed there; 0 where not known */
	uint32_t definition; /* line of the definition; 0 where not known */
	bool inlined;        /* into the next frame */
};

/* What stands between two addresses: code of one function, or of none. */
struct symbols_span {
	uint64_t start, end; /* end 0: up to the end of all addresses */
	const char *name;    /* as in a frame; NULL: no function's */
};

/* Deeper inlining is cut at the caller's side. */
#define SYMBOLS_DEPTH 32u

/* Code of a JIT compiler in memory that had or will have other code, too: from `time` on it is that
 * of a layer.  Layers have no overlaps. */
struct symbol_jit_reuse {
	uint64_t start, end, time_ns;
	uint32_t layer;
};

/* What a dump of a JIT compiler had. */
struct symbol_jitdump {
	uint64_t functions, moved; /* told, and told to lie elsewhere from then on */
	bool cut;                  /* it ends within a record, or a record is none */
	uint32_t layers;
	struct symbol_jit_reuse *reuse; /* by time; the caller's to free; NULL: none */
	size_t n_reuse;
};

#endif
