/* symbols_frame.h - types that symbols.h, embedded.h and unwind.h share: modules, the functions at
 * an address, and the ends of chains of callers. */
#ifndef PNAV_SRC_SYMBOL_SYMBOLS_FRAME_H
#define PNAV_SRC_SYMBOL_SYMBOLS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbols_kind {
	SYMBOLS_FILE,   /* an ELF file; addresses are offsets in the file */
	SYMBOLS_VDSO,   /* the vDSO; addresses are offsets in it */
	SYMBOLS_KERNEL, /* the kernel and its modules; run-time addresses */
	SYMBOLS_JIT,    /* a text of `start size name` lines; run-time addresses */
	SYMBOLS_LIST,   /* a text of `address [size] type name` lines in a recording, with its
			 * addresses; the name "" covers the gaps between functions */
};

struct symbols_module {
	enum symbols_kind kind;
	const char *path; /* borrowed, without a NUL at its end */
	size_t path_len;
	const uint8_t *build_id; /* borrowed; length 0 if none was recorded */
	size_t build_id_len;
	uint64_t kernel_text; /* SYMBOLS_KERNEL: the address of _text; 0 if not recorded */
};

/* One function; strings are valid as long as the symbols. */
struct symbols_frame {
	const char *name;    /* demangled, without parameters */
	const char *file;    /* of the definition; NULL if unknown */
	uint32_t line;       /* the executed line; 0 if unknown */
	uint32_t definition; /* the line of the definition; 0 if unknown */
	bool inlined;        /* into the next frame */
};

/* A range of addresses: code of one function, or of none. */
struct symbols_span {
	uint64_t start, end; /* end 0: no upper limit */
	const char *name;    /* as in a frame; NULL: between functions */
};

/* The limit of inlined calls at an address; callers beyond are omitted. */
#define SYMBOLS_DEPTH 32u

/* The result of a look-up, before one of the two names is chosen for display. */
struct symbols_answer {
	const char *symbol; /* NULL: there is none */
	unsigned n;         /* number of DWARF's functions, innermost first */
	bool qualified;     /* the name of the last one is the whole name */
	struct symbols_frame frame[SYMBOLS_DEPTH];
};

/* An executable segment of a file. */
struct symbol_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;      /* address in symbols and DWARF */
};

/* Why a chain of callers ends. */
enum unwind_end {
	UNWIND_WHOLE, /* at the first function of the thread */
	UNWIND_DEEP,  /* at the limit of the caller or of the unwinder */
	UNWIND_COPY,  /* beyond the copied stack */
	UNWIND_RULES, /* at code without call frame information, or without a file */
	UNWIND_ENDS,
};

/* Memory that a JIT compiler reused: from `time` on it contains the code of a layer. Code within a
 * layer does not overlap. */
struct symbol_jit_reuse {
	uint64_t start, end, time_ns;
	uint32_t layer;
};

/* The contents of a dump of a JIT compiler. */
struct symbol_jitdump {
	uint64_t functions, moved; /* counts of loads, and of moves to another address */
	bool cut;                  /* it is truncated, or a record is invalid */
	uint32_t layers;
	struct symbol_jit_reuse *reuse; /* sorted by time; the caller frees it; NULL: none */
	size_t n_reuse;
};

#endif
