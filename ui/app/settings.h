/* settings.h - text files with lines "WORD VALUE": pnavrc and sessions.
 *
 * A line that contains line ends or control characters is written in $'...' with \\, \', \n and
 * \NNN (octal), as in shells (words_line()).
 *
 * A line that cannot be used is a fault with file and line number; all other lines apply. */
#ifndef PNAV_UI_APP_SETTINGS_H
#define PNAV_UI_APP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"

struct settings_row {
	/* NULL ends a table; the set() of that row takes all other words, or is NULL */
	const char *word;
	/* Takes the value, the rest of the line. In the last row it takes the line from its word
	 * on, with one blank after the word. Returns false with usage in *e. */
	bool (*set)(void *ctx, const char *value, struct err *e);
	bool view; /* an invalid line affects only the display, no number */
};

/* Messages, one line each; after the first ones the rest is only counted. */
struct faults {
	VEC(char *) lines;
	size_t more;
	char *grave; /* the first message that concerns numbers; NULL: none */
};

void faults_release(struct faults *f);
/* Adds a copy of the text, a line. */
void faults_add(struct faults *f, const char *text);

void settings_read(const char *file, const char *text, size_t len,
		   const struct settings_row *rows, void *ctx, struct faults *faults);
/* Reads a file; false with usage in *e if that fails. */
bool settings_load(const char *path, struct buf *text, struct err *e);

/* Reads the next word at *at, and advances *at beyond it and the blanks after it. Returns false at
 * the end. The word is valid until `out` changes. */
bool settings_word(const char **at, struct buf *out);

#endif
