/* source_syntax.h - which characters of a line of source are comment, text or keyword.
 *
 *	const struct language *l = language_of("src/draw.c");     -- NULL: none that we know
 *	unsigned state = SYNTAX_START;                            -- before line 1
 *	state = syntax_line(l, state, line, len, kind);           -- and so on, line by line
 *
 * What goes on in the next line (a block comment, a text in three quotes) is the state that
 * one line leaves to the next. */
#ifndef PNAV_UI_VIEW_SOURCE_SYNTAX_H
#define PNAV_UI_VIEW_SOURCE_SYNTAX_H

#include <stddef.h>
#include <stdint.h>

enum syntax { SYNTAX_PLAIN, SYNTAX_COMMENT, SYNTAX_TEXT, SYNTAX_KEYWORD };

#define SYNTAX_START 0u

struct language;

/* By the end of the file's name, in any case; NULL when it is of no language we know. */
const struct language *language_of(const char *path);
/* What each of the line's bytes is, into kind[len] (enum syntax; NULL: only the state is
 * wanted).  The line has no line end.  Gives the state behind it. */
unsigned syntax_line(const struct language *l, unsigned state, const char *line, size_t len,
		     uint8_t *kind);

#endif
