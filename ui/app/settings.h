/* settings.h - text files of lines "WORD VALUE": pnavrc and sessions.
 *
 * A line that holds line ends or controls stands in $'...' with \\, \', \n and \NNN (octal),
 * as shells have it (words_line()).
 *
 * A line that cannot be used is a fault with file and line number; all others apply. */
#ifndef PNAV_UI_APP_SETTINGS_H
#define PNAV_UI_APP_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"

struct settings_row {
	const char *word; /* NULL ends a table: its set() takes all other words, or is NULL */
	/* The value is the rest of the line; where all other words are taken, the line from its
	 * word on, with one blank behind that.  False with usage in *e. */
	bool (*set)(void *ctx, const char *value, struct err *e);
	bool view; /* a line that is wrong changes how things look, and no number */
};

/* What was wrong, one line each; many more are counted only. */
struct faults {
	VEC(char *) lines;
	size_t more;
	char *grave; /* the first line that decides what is counted; NULL: none was wrong */
};

void faults_release(struct faults *f);
/* Copies the text, a line. */
void faults_add(struct faults *f, const char *text);

void settings_read(const char *file, const char *text, size_t len,
		   const struct settings_row *rows, void *ctx, struct faults *faults);
/* The text of a file; false with usage in *e when there is none to read. */
bool settings_load(const char *path, struct buf *text, struct err *e);

/* Takes the next word from *at, which moves behind it and the blanks that follow; false
 * at the end.  The word is valid as long as `out` is not changed. */
bool settings_word(const char **at, struct buf *out);

#endif
