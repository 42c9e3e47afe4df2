/* places.h - finds files of modules elsewhere than at their own paths: in folders that the user
 * names, in the system's folders, and, if the user allows it, on a server.
 *
 * A folder may contain files by build id, as gdb and debuginfod use them (`.build-id/ab/cdef...`,
 * with `.debug` for separate debug files; also beginning with `ab/`, or `abcdef....debug`), or
 * files with any names, which are indexed once. */
#ifndef PNAV_SRC_SYMBOL_PLACES_H
#define PNAV_SRC_SYMBOL_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_places;
struct symbol_id {
	const uint8_t *at;
	size_t len;
};

/* Copies dirs. server: the debuginfod servers in DEBUGINFOD_URLS may be queried. */
struct symbol_places *symbol_places_new(const char *const *dirs, size_t n, bool server);
void symbol_places_free(struct symbol_places *p);
/* Sets a callback, called about once a second during a query to a server; if it returns true, the
 * query is cancelled and no more follow. p may be NULL. */
void symbol_places_stops(struct symbol_places *p, bool (*stops)(void *ctx), void *ctx);
/* Return true if there are folders; if servers may be queried. */
bool symbol_places_dirs(const struct symbol_places *p);
bool symbol_places_server(const struct symbol_places *p);
/* Returns why no server could be queried, such as a missing libdebuginfod; NULL: nothing failed. */
const char *symbol_places_unasked(const struct symbol_places *p);

/* Returns true if a file is the wanted one; the callback may then keep it. */
typedef bool symbol_take(void *ctx, const char *path);
/* Passes candidates for this id to take() until it returns true: programs, or, with `debug`, their
 * separate debug files. If p is NULL, searches only the system's folders. */
bool symbol_places_find(struct symbol_places *p, struct symbol_id id, bool debug,
			symbol_take *take, void *ctx);
/* Opens a plain ELF file that does not inflate beyond the limit (inflated.h); -1 for all others. */
int symbol_open_elf(const char *path);

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>

/* libdwfl's own search for debug files without its unrequested queries to servers. *userdata is a
 * struct symbol_places, or NULL. */
int symbol_find_debuginfo(Dwfl_Module *m, void **userdata, const char *module, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found);
/* The search for the files themselves; it always reports that there is none. */
int symbol_find_elf(Dwfl_Module *m, void **userdata, const char *module, Dwarf_Addr base,
		    char **found, Elf **elf);
#endif

#endif
