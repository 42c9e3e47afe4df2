/* source_files.h - finding and reading the source files that a profile names.
 *
 * A profile names `src/gfx/draw.c`, perhaps of another machine.  The search order is
 *
 *	1. a mapping FROM=TO, for a path that begins with FROM up to a `/`
 *	2. the path itself
 *	3. the folder of the profile: with the whole path, then without its first folder,
 *	   without the second, down to the file name alone
 *
 * Only regular files are opened, and only for reading. */
#ifndef PNAV_UI_VIEW_SOURCE_SOURCE_FILES_H
#define PNAV_UI_VIEW_SOURCE_SOURCE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

struct source_places {
	VEC(char *) maps;    /* FROM=TO; an earlier one wins */
	VEC(char *) folders; /* of the profiles */
};

void source_places_init(struct source_places *s);
void source_places_release(struct source_places *s);
/* Adds a mapping "FROM=TO"; false without a '='. */
bool source_places_map(struct source_places *s, const char *map);
/* Adds the folder of this file; "-" has none. */
void source_places_beside(struct source_places *s, const char *profile);
/* Appends the path of the file on this machine; false if it is not found. */
bool source_find(const struct source_places *s, const char *recorded, struct buf *out);

/* A file whose lines are read lazily.  Lines count from 1. */
struct source_file;

/* Returns NULL and appends a reason to *why if the file is no text or cannot be read. */
struct source_file *source_file_open(const char *path, struct buf *why);
void source_file_close(struct source_file *f);
/* Returns true if the file has that line; reads no further.  Lines beyond SOURCE_BYTES_MAX do
 * not count. */
bool source_file_has(struct source_file *f, uint32_t line);
/* Returns the number of the last line; reads to the end. */
uint32_t source_file_last(struct source_file *f);
/* Appends the line for display: UTF-8, tabs as blanks, at most SOURCE_LINE_MAX bytes of the
 * file.  False if there is no such line. */
bool source_file_line(struct source_file *f, uint32_t line, struct buf *out);

#define SOURCE_BYTES_MAX ((uint64_t)256 << 20)
#define SOURCE_LINE_MAX 2000u

#endif
