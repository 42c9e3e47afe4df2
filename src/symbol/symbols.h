/* symbols.h - maps addresses in modules to functions, files and lines.
 *
 * Profilers that sample record addresses. Their meaning is in files of the machine: ELF symbols,
 * DWARF, the kernel's list, the maps that JIT compilers write. The caller adds a module once; its
 * file is opened at the first look-up of an address in it.
 *
 *	struct symbols *s = symbols_new();
 *	uint32_t m = symbols_add(s, &(struct symbols_module){
 *		.kind = SYMBOLS_FILE, .path = path, .path_len = len,
 *		.build_id = id, .build_id_len = 20});
 *	struct symbols_frame f[SYMBOLS_DEPTH];
 *	unsigned n = symbols_at(s, m, offset, true, f, SYMBOLS_DEPTH);
 *
 * A name from the wrong file is worse than no name. So a file is used only if it has the recorded
 * build id, or, without a recorded id, if the profile was made on this machine (symbols_local())
 * and the file has not changed since (symbols_began()).
 *
 * Without elfutils there are no symbols from files; without libiberty names stay mangled. */
#ifndef PNAV_SRC_SYMBOL_SYMBOLS_H
#define PNAV_SRC_SYMBOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/symbols_frame.h"

struct symbols;
struct embedded;
struct embedded_code;
struct embedding;
struct buf;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);
/* Sets whether files without a recorded build id may be used; the default is true. Affects modules
 * without look-ups so far. */
void symbols_local(struct symbols *s, bool local);
/* Sets when the recording began, in ns since the epoch, if it is known: a file without a recorded
 * build id that has changed since is not used. Of several times the earliest one counts. */
void symbols_began(struct symbols *s, int64_t began_ns);
/* Keeps names mangled. Call it before the first module. */
void symbols_raw(struct symbols *s);
/* Sets where files are searched besides their own paths: first in `dirs`, which are copied; last,
 * if `server`, on the debuginfod servers of DEBUGINFOD_URLS. Call it before the first module. */
void symbols_places(struct symbols *s, const char *const *dirs, size_t n, bool server);
/* Sets a callback, called about once a second during a query to a server. If it returns true, all
 * queries are cancelled, for all modules. */
void symbols_stops(struct symbols *s, bool (*stops)(void *ctx), void *ctx);
/* Sets callbacks around work that may take many frames of a browser, such as opening a file and
 * reading its DWARF. NULL: no other thread waits for the profile. */
void symbols_aside(struct symbols *s, void (*leave)(void *ctx), void (*back)(void *ctx), void *ctx);
/* Answers from the symbols embedded in a recording take precedence over files, unless
 * symbols_places() named other places and the file is found there. If several recordings
 * contain a module, the first one is used. Borrows `e`; affects modules added later. */
void symbols_recorded(struct symbols *s, const struct embedded *e);
/* Adds all results from now on to `e`, which is borrowed; names stay mangled. Call it before the
 * first module. */
void symbols_embed(struct symbols *s, struct embedding *e);
/* Returns the number of a module. Add equal modules only once. */
uint32_t symbols_add(struct symbols *s, const struct symbols_module *m);
/* Sets the text of a SYMBOLS_JIT that a recording contains, which replaces the file at `path`;
 * copied. Affects modules without look-ups so far. */
void symbols_keep_jit(struct symbols *s, const char *path, const char *text, size_t len);
/* The same for a dump of a JIT compiler (jitdump.h), which replaces `map`. A dump that was not
 * found beside the recording is read only on the machine of the recording, and only if the user or
 * root owns it. */
bool symbols_is_jitdump(const char *path, size_t len); /* by its name */
struct symbols_jitdump_how {
	bool beside; /* it was found beside the recording */
	/* its clock is that of the recording: result->reuse has the times of reused memory */
	bool timed;
};
bool symbols_keep_jitdump(struct symbols *s, const char *map, const char *path,
			  struct symbols_jitdump_how how, struct symbol_jitdump *result);
/* Appends the name of a layer of a dump, the path of a SYMBOLS_JIT. */
void symbols_jit_layer(const char *map, uint32_t layer, struct buf *out);
/* Looks up the function at an address; with `inlined` also the calls inlined there, innermost
 * first. Returns the number of frames, 0 if the address is unknown. */
unsigned symbols_at(struct symbols *s, uint32_t module, uint64_t at, bool inlined,
		    struct symbols_frame *out, unsigned max);
/* Returns true if symbols_at() will answer from memory, without delay. */
bool symbols_at_once(const struct symbols *s, uint32_t module, uint64_t at);
/* Returns true if the module has a source of names; opens its file if necessary. */
bool symbols_there(struct symbols *s, uint32_t module);
/* Returns the path of the module's file with symbols, opened if necessary; NULL if there is no
 * trusted one. */
const char *symbols_file(struct symbols *s, uint32_t module);
/* Returns the path of the separate debug file; NULL if there is none. */
const char *symbols_debug_file(struct symbols *s, uint32_t module);
/* Returns true if the file is stripped and there is no separate debug file. */
bool symbols_stripped(struct symbols *s, uint32_t module);
/* Gets the address of the file's first segment, for addresses relative to it; 0 for files that the
 * loader may place anywhere. */
bool symbols_base(struct symbols *s, uint32_t module, uint64_t *base);
/* Converts an offset in that file to an address of its symbols and DWARF. */
bool symbols_address(struct symbols *s, uint32_t module, uint64_t offset,
		     uint64_t *address);
/* Converts an address to an offset in the file. */
bool symbols_offset(struct symbols *s, uint32_t module, uint64_t address, uint64_t *offset);
/* Returns true if the code at this offset of the file has no frame: the return address is on top of
 * the stack. Known of programs of Go, once symbols_file() has opened them. */
bool symbols_frameless(struct symbols *s, uint32_t module, uint64_t offset);
/* Finds the code around an address: of the innermost function, up to the next symbol, or between
 * two functions. Returns false if the module has no symbols. */
bool symbols_span(struct symbols *s, uint32_t module, uint64_t address,
		  struct symbols_span *out);
/* Finds the address of the function with this name. Returns false if there is none. */
bool symbols_named(struct symbols *s, uint32_t module, const char *name, uint64_t *address);
/* Finds embedded code around an address. Returns false if there is none. */
bool symbols_code(const struct symbols *s, uint32_t module, uint64_t address,
		  struct embedded_code *out);
/* Appends why look-ups in a module failed: its build id, and where pnav searched for symbols.
 * Appends nothing if all look-ups succeeded. */
void symbols_say(const struct symbols *s, uint32_t module, struct buf *out);
/* Returns true if a module was not opened because too many files were open. */
bool symbols_crowded(const struct symbols *s);
/* Returns true if the budget for DWARF is spent: later addresses have no lines and no inlined
 * calls. */
bool symbols_dwarf_spent(const struct symbols *s);

/* Parses a build id of at most 64 bytes in hexadecimal. Returns its length in bytes, 0 if it is
 * malformed. */
size_t symbols_build_id(const char *hex, size_t len, uint8_t out[64]);

#endif
