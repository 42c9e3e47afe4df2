/* elf.h - one ELF file of this machine, opened through elfutils: its symbols, its build
 * id, and where its DWARF is. */
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
	bool code;     /* it has what ran; what was split off has not */
	uint64_t base; /* the address of its first segment: 0 where the loader chooses */
	char *path;    /* of the file that was opened */
	int memory_fd; /* of an unnamed one, else -1 */
};

/* What to open.  An id of length 0 fits every file. */
struct symbol_wanted {
	const char *path; /* may be NULL: by build id alone */
	const uint8_t *build_id;
	size_t build_id_len;
	struct symbol_places *places; /* borrowed, as long as the file is open; or NULL */
};

/* Opens the file, or one of the same build id: perf's cache, and where symbol_places_find()
 * looks; there also what was split off it, where the file itself is nowhere.  False when there is
 * none. */
bool symbol_elf_open(struct symbol_elf *f, const struct symbol_wanted *w);
/* Neither the file nor what was split off it has more than what the loader needs. */
bool symbol_elf_stripped(struct symbol_elf *f);
/* The file with what was split off, where it is another; NULL: there is none. */
const char *symbol_elf_debug(struct symbol_elf *f);
/* The vDSO of this process, if it has the wanted build id. */
bool symbol_elf_open_vdso(struct symbol_elf *f, const struct symbol_wanted *w);
void symbol_elf_close(struct symbol_elf *f);
/* Adds all functions, those of separate debug files and .gnu_debugdata included, and the
 * stubs of the procedure linkage table as `name@plt`. */
void symbol_elf_symbols(struct symbol_elf *f, struct symbol_table *t);
/* From an offset in the file, of something that ran, to an address; false outside of the
 * executable segments. */
bool symbol_elf_address(const struct symbol_elf *f, uint64_t offset, uint64_t *address);
/* The other way round. */
bool symbol_elf_offset(const struct symbol_elf *f, uint64_t address, uint64_t *offset);

#endif
