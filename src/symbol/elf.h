/* elf.h - one ELF file of this machine, opened with elfutils: its symbols, its build id, and its
 * debug file. */
#ifndef PNAV_SRC_SYMBOL_ELF_H
#define PNAV_SRC_SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/places.h"
#include "src/symbol/symbols_frame.h"
#include "src/symbol/table.h"

struct Dwfl;
struct Dwfl_Module;

struct symbol_elf {
	struct Dwfl *dwfl;
	struct Dwfl_Module *module;
	VEC(struct symbol_segment) segment;
	bool code;     /* it has the executed code; a separate debug file has none */
	uint64_t base; /* the address of its first segment; 0 if the loader chooses it */
	char *path;    /* of the file that was opened */
	int memory_fd; /* of a file without a name (memfd), else -1 */
};

/* The file to open. An id of length 0 matches every file. */
struct symbol_wanted {
	const char *path; /* may be NULL to search by build id alone */
	const uint8_t *build_id;
	size_t build_id_len;
	int64_t began_ns; /* without an id: the file must be older, in ns since the epoch; 0: any */
	struct symbol_places *places; /* borrowed as long as the file is open; or NULL */
	struct symbol_roots *roots;   /* where the path is searched, too; or NULL */
};

/* Opens the file, or one with the same build id from perf's cache, a container of this host or
 * symbol_places_find(). If the file itself is missing, its separate debug file suffices. Returns
 * false if there is none. */
bool symbol_elf_open(struct symbol_elf *f, const struct symbol_wanted *w);
/* Returns true if neither the file nor its debug file has more than the loader needs. */
bool symbol_elf_stripped(struct symbol_elf *f);
/* Returns the path of the separate debug file; NULL if there is none. */
const char *symbol_elf_debug(struct symbol_elf *f);
/* Opens the vDSO of this process if it has the wanted build id. */
bool symbol_elf_open_vdso(struct symbol_elf *f, const struct symbol_wanted *w);
void symbol_elf_close(struct symbol_elf *f);
/* Adds all functions, including those of separate debug files and .gnu_debugdata, and the stubs of
 * the procedure linkage table as `name@plt`. */
void symbol_elf_symbols(struct symbol_elf *f, struct symbol_table *t);
/* Converts an offset in the file to an address. Returns false outside of the executable
 * segments. */
bool symbol_elf_address(const struct symbol_elf *f, uint64_t offset, uint64_t *address);
/* Converts an address to an offset in the file. */
bool symbol_elf_offset(const struct symbol_elf *f, uint64_t address, uint64_t *offset);

#endif
