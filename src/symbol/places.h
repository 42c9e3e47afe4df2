/* places.h - where the files of modules lie beside their own paths: in folders that the user
 * names, in those of the system, and, where he asks for it, on a server.
 *
 * A folder has files by their build id, as gdb and debuginfod have them
 * (`.build-id/ab/cdef...`, with `.debug` what was split off; also from `ab/` on, or
 * `abcdef....debug`), or files of any name, which are looked through once. */
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

/* dirs are copied.  server: debuginfod may be asked, those that DEBUGINFOD_URLS names. */
struct symbol_places *symbol_places_new(const char *const *dirs, size_t n, bool server);
void symbol_places_free(struct symbol_places *p);
/* Asked about once a second while a server is: true gives up, and asks none any more.  p may be
 * NULL. */
void symbol_places_stops(struct symbol_places *p, bool (*stops)(void *ctx), void *ctx);
/* Are there folders; may a server be asked? */
bool symbol_places_dirs(const struct symbol_places *p);
bool symbol_places_server(const struct symbol_places *p);

/* Whether a file is the wanted one; what it is then done with is its own business. */
typedef bool symbol_take(void *ctx, const char *path);
/* Hands the files that may have this id to take(), one after the other, until one is taken:
 * those that ran, or with `debug` those that have what was split off.  p may be NULL: only the
 * system's own folders then. */
bool symbol_places_find(struct symbol_places *p, struct symbol_id id, bool debug,
			symbol_take *take, void *ctx);
/* A file that begins as ELF does, and does not inflate to more than it may (inflated.h); -1 where
 * it is none, no plain file, or none at all. */
int symbol_open_elf(const char *path);

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>

/* libdwfl's own way to debug files, without the servers that it asks unbidden; *userdata is a
 * struct symbol_places, or NULL. */
int symbol_find_debuginfo(Dwfl_Module *m, void **userdata, const char *module, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found);
/* And to the files themselves, which are always told: there is none. */
int symbol_find_elf(Dwfl_Module *m, void **userdata, const char *module, Dwarf_Addr base,
		    char **found, Elf **elf);
#endif

#endif
