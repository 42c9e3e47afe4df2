/* symbols_frame.h - what modules are, what is known of the code at one address, and where a chain
 * of callers ends: the types that symbols.h, embedded.h and unwind.h share. */
#ifndef PNAV_SRC_SYMBOL_SYMBOLS_FRAME_H
#define PNAV_SRC_SYMBOL_SYMBOLS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbols_kind {
	SYMBOLS_FILE,   /* an ELF file; addresses are offsets in the file */
	SYMBOLS_VDSO,   /* the vDSO; addresses are offsets in it */
	SYMBOLS_KERNEL, /* the kernel and its modules; addresses as they ran */
	SYMBOLS_JIT,    /* a text of `start size name` lines; addresses as they ran */
	SYMBOLS_LIST,   /* a text of `address [size] type name` lines, part of a recording:
			 * addresses as it has them; "" is a name for what is between functions */
};

struct symbols_module {
	enum symbols_kind kind;
	const char *path; /* borrowed, not ended by a NUL */
	size_t path_len;
	const uint8_t *build_id; /* borrowed; length 0 where it was not recorded */
	size_t build_id_len;
	uint64_t kernel_text; /* SYMBOLS_KERNEL: where _text was; 0 where not recorded */
};

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

/* What was found at an address, before it is decided which of both names is shown. */
struct symbols_answer {
	const char *symbol; /* NULL: none there */
	unsigned n;         /* of DWARF's functions, innermost first */
	bool qualified;     /* the name of the last one is the whole name */
	struct symbols_frame frame[SYMBOLS_DEPTH];
};

/* An executable segment of a file. */
struct symbol_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;      /* as symbols and DWARF count */
};

/* Where a chain ends. */
enum unwind_end {
	UNWIND_WHOLE, /* where the thread began */
	UNWIND_DEEP,  /* there are more than were asked for, or than all may have */
	UNWIND_COPY,  /* behind the copied stack */
	UNWIND_RULES, /* in a place without call frame information, or without a file */
	UNWIND_ENDS,
};

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
