/* symbols.h - from a module and an address in it to functions, files and lines.
 *
 * Profilers that sample record addresses.  What they mean is in files of the machine:
 * ELF symbols, DWARF, the kernel's own list, the maps that JIT compilers leave.  A module
 * is told once, and nothing is opened before the first address in it is asked for.
 *
 *	struct symbols *s = symbols_new();
 *	uint32_t m = symbols_add(s, &(struct symbols_module){
 *		.kind = SYMBOLS_FILE, .path = path, .path_len = len,
 *		.build_id = id, .build_id_len = 20});
 *	struct symbols_frame f[SYMBOLS_DEPTH];
 *	unsigned n = symbols_at(s, m, offset, true, f, SYMBOLS_DEPTH);
 *
 * A name from another file than the one that ran is worse than none: a file is used when
 * it has the build id that was recorded, or, where none was, when the profile was made on
 * this machine (symbols_local()).
 *
 * Without elfutils there are no symbols from files; without libiberty names stay
 * mangled. */
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
/* Whether files without a recorded build id may be taken from this machine; true unless
 * told.  For modules that were not asked yet. */
void symbols_local(struct symbols *s, bool local);
/* Names stay as the compiler wrote them.  Before the first module. */
void symbols_raw(struct symbols *s);
/* Where files are looked for, beside their own paths: folders, before all others, and, when
 * `server`, the debuginfod servers of DEBUGINFOD_URLS, after them.  Copied.  Before the first
 * module. */
void symbols_places(struct symbols *s, const char *const *dirs, size_t n, bool server);
/* While a server is asked, stops(ctx) is, about once a second: true gives up, for all modules. */
void symbols_stops(struct symbols *s, bool (*stops)(void *ctx), void *ctx);
/* Opening a file and reading its DWARF may take many frames of a browser: around that, leave(ctx)
 * and back(ctx) are called; NULL: nobody waits. */
void symbols_aside(struct symbols *s, void (*leave)(void *ctx), void (*back)(void *ctx), void *ctx);
/* What a recording holds of its files answers before the files do, unless symbols_places() named
 * other places and the file is found.  Of several recordings the first that has something of a
 * module.  Borrowed; for modules that are added later. */
void symbols_recorded(struct symbols *s, const struct embedded *e);
/* From now on all that is found goes to `e`, borrowed; names stay mangled.  Before the first
 * module. */
void symbols_embed(struct symbols *s, struct embedding *e);
/* A module's number; equal modules should be added once. */
uint32_t symbols_add(struct symbols *s, const struct symbols_module *m);
/* What a recording kept of the names in a SYMBOLS_JIT's text, in place of the file at `path`;
 * copied.  For modules that were not asked yet. */
void symbols_keep_jit(struct symbols *s, const char *path, const char *text, size_t len);
/* The same of the dump of a JIT compiler (jitdump.h), in place of `map`; where it was not found
 * beside the recording, only on the machine where that was made, and of the user's own or
 * root's. */
bool symbols_is_jitdump(const char *path, size_t len); /* by its name */
struct symbols_jitdump_how {
	bool beside; /* the recording it was found */
	bool timed;  /* the recording has the same clock: told->reuse counts memory used again */
};
bool symbols_keep_jitdump(struct symbols *s, const char *map, const char *path,
			  struct symbols_jitdump_how how, struct symbol_jitdump *told);
/* Appends how a layer of a dump is called: the path of a SYMBOLS_JIT. */
void symbols_jit_layer(const char *map, uint32_t layer, struct buf *out);
/* The function at an address; with `inlined` the calls that were inlined there as well,
 * innermost first.  How many, 0 when nothing is known of it. */
unsigned symbols_at(struct symbols *s, uint32_t module, uint64_t at, bool inlined,
		    struct symbols_frame *out, unsigned max);
/* Is all that this needs in memory, so that it answers at once? */
bool symbols_at_once(const struct symbols *s, uint32_t module, uint64_t at);
/* Whether there is anything that names are read from, opened if need be. */
bool symbols_there(struct symbols *s, uint32_t module);
/* The file that the module's symbols are read from, opened if need be; NULL when there is
 * none that can be trusted. */
const char *symbols_file(struct symbols *s, uint32_t module);
/* The file with what was split off it, of names and lines; NULL where there is none. */
const char *symbols_debug_file(struct symbols *s, uint32_t module);
/* There is a file, which was stripped, and nothing that was split off. */
bool symbols_stripped(struct symbols *s, uint32_t module);
/* Where the file's first segment lies, for addresses that are told relative to it: 0 of files
 * that the loader puts where it likes. */
bool symbols_base(struct symbols *s, uint32_t module, uint64_t *base);
/* Where an offset in that file lies, as its symbols and DWARF count. */
bool symbols_address(struct symbols *s, uint32_t module, uint64_t offset,
		     uint64_t *address);
/* The other way round. */
bool symbols_offset(struct symbols *s, uint32_t module, uint64_t address, uint64_t *offset);
/* The code around an address, as symbols count: of the innermost function, up to where another
 * begins; or between functions.  False where the module has no symbols. */
bool symbols_span(struct symbols *s, uint32_t module, uint64_t address,
		  struct symbols_span *out);
/* Where the function of this name begins, as symbols count.  False where none is called so. */
bool symbols_named(struct symbols *s, uint32_t module, const char *name, uint64_t *address);
/* The code around an address, as symbols count, that a recording holds; false: there is none. */
bool symbols_code(const struct symbols *s, uint32_t module, uint64_t address,
		  struct embedded_code *out);
/* Appends what became of a module of which something was asked and not found: its build id,
 * and where its symbols were looked for; nothing when all that was asked was found. */
void symbols_say(const struct symbols *s, uint32_t module, struct buf *out);
/* Some module was not opened, since too many files were open. */
bool symbols_crowded(const struct symbols *s);
/* The budget for DWARF has run out: later addresses have no lines and no inlining. */
bool symbols_dwarf_spent(const struct symbols *s);

/* A build id of at most 64 bytes, written in hexadecimal digits; how many bytes, 0 where it is
 * none. */
size_t symbols_build_id(const char *hex, size_t len, uint8_t out[64]);

#endif
