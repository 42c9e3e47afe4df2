/* linkmap.h - reads linker maps: symbols and source lines by address.
 *
 * Supports the maps of MS LINK (DOS and NE), Borland TLINK, GNU ld and lld.
 *
 *	struct linkmap m = {0};
 *	if (linkmap_read(&m, in, NULL, NULL, &err)) ...
 *	const struct linkmap_line *l = linkmap_line_at(&m, address);
 *	linkmap_release(&m); */
#ifndef PNAV_SRC_DECODE_PRF_LINKMAP_H
#define PNAV_SRC_DECODE_PRF_LINKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/map.h"
#include "model/base/vec.h"
#include "src/input/input.h"

enum linkmap_form {
	LINKMAP_NONE,
	LINKMAP_DOS, /* MS LINK, TLINK: paragraphs; address = 16 * segment + offset */
	LINKMAP_NE,  /* MS LINK for Windows and OS/2: segments are numbers */
	LINKMAP_GNU, /* ld -Map */
	LINKMAP_LLD,
};
/* "MS LINK or TLINK", ... */
const char *linkmap_form_name(enum linkmap_form form);

enum linkmap_flag {
	LINKMAP_ABSOLUTE = 1, /* Abs: a constant, not a place in the program */
	LINKMAP_IMPORT = 2,   /* Imp: in a DLL */
	LINKMAP_IDLE = 4,     /* idle: linked, not referred to */
};

/* Text of a map: a range of linkmap.text. */
struct linkmap_text {
	uint32_t at, len;
};

struct linkmap_symbol {
	uint64_t address;
	uint16_t segment, offset; /* DOS and NE */
	uint8_t flags;
	struct linkmap_text name;
	struct linkmap_text file; /* GNU ld and lld: the object file */
};

struct linkmap_line {
	uint64_t address;
	uint16_t segment, offset;
	uint32_t number;
	struct linkmap_text module, file;
};

struct linkmap {
	enum linkmap_form form;
	struct buf text;
	VEC(struct linkmap_symbol) symbols; /* sorted by address, then name; without duplicates */
	VEC(struct linkmap_line) lines;     /* sorted by address */
	bool has_entry;
	uint64_t entry; /* "Program entry point at" */
};

/* The kind of a line of the map: "segment", "public", "line", "entry", "text". */
typedef bool linkmap_seen(void *ctx, uint64_t offset, const char *kind, const char *at, size_t len);

/* Reads a map to its end; `seen`, if not NULL, is called for every line and may stop the reading.
 * Returns false with a refusal in *e if the file is no map of these linkers. A map without symbols
 * is accepted (symbols.n is 0). */
bool linkmap_read(struct linkmap *m, struct input *in, linkmap_seen *seen, void *ctx,
		  struct err *e);
void linkmap_release(struct linkmap *m);

static inline const char *
linkmap_str(const struct linkmap *m, struct linkmap_text t)
{
	return buf_str(&m->text) + t.at;
}

/* Returns the line at exactly this address, or NULL. */
const struct linkmap_line *linkmap_line_at(const struct linkmap *m, uint64_t address);

/* Returns how sure it is that these first bytes are a linker map, 0..100. */
int linkmap_probe(const void *bytes, size_t len);
/* Returns the name of an unsupported linker whose map this is, or NULL. */
const char *linkmap_foreign(const void *bytes, size_t len);

#endif
