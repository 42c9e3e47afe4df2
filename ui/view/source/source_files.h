/* source_files.h - finding and reading the source files that a profile speaks of.
 *
 * A profile says `src/gfx/draw.c`, of a machine that may be another one.  It is looked for
 *
 *	1. where a mapping FROM=TO sends it (a path that begins with FROM, at a `/`)
 *	2. where it says
 *	3. beside the profile: its whole path there, then without its first folder, without
 *	   the second, and so on down to its name alone
 *
 * Only regular files are opened, and only for reading. */
#ifndef PNAV_UI_VIEW_SOURCE_FILES_H
#define PNAV_UI_VIEW_SOURCE_FILES_H

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
/* "FROM=TO"; false without a '='. */
bool source_places_map(struct source_places *s, const char *map);
/* The folder of this file is a place; "-" has none. */
void source_places_beside(struct source_places *s, const char *profile);
/* Appends where the file is; false when it is nowhere. */
bool source_find(const struct source_places *s, const char *recorded, struct buf *out);

/* A file's lines, read as they are asked for.  Lines count from 1. */
struct source_file;

/* NULL with a reason appended to *why when it is no text or cannot be read. */
struct source_file *source_file_open(const char *path, struct buf *why);
void source_file_close(struct source_file *f);
/* Is there such a line?  Reads as far as it must; beyond SOURCE_BYTES_MAX there is none. */
bool source_file_has(struct source_file *f, uint32_t line);
/* The last line; reads to the end. */
uint32_t source_file_last(struct source_file *f);
/* Appends the line as it is shown: UTF-8, tabs as blanks, at most SOURCE_LINE_MAX bytes of
 * the file's.  False when there is no such line. */
bool source_file_line(struct source_file *f, uint32_t line, struct buf *out);

#define SOURCE_BYTES_MAX ((uint64_t)256 << 20)
#define SOURCE_LINE_MAX 2000u

#endif
