/* source_syntax.h - which characters of a line of source are comment, text or keyword.
 *
 *	const struct language *l = language_of("src/draw.c");     -- NULL: none that we know
 *	unsigned state = SYNTAX_START;                            -- before line 1
 *	state = syntax_line(l, state, line, len, kind);           -- and so on, line by line
 *
 * Constructs that span lines, such as block comments and triple-quoted texts, are carried from
 * line to line in `state`. */
#ifndef PNAV_UI_VIEW_SOURCE_SOURCE_SYNTAX_H
#define PNAV_UI_VIEW_SOURCE_SOURCE_SYNTAX_H

#include <stddef.h>
#include <stdint.h>

enum syntax { SYNTAX_PLAIN, SYNTAX_COMMENT, SYNTAX_TEXT, SYNTAX_KEYWORD };

#define SYNTAX_START 0u

struct language;

/* Returns the language for the extension, in any case; NULL if unknown. */
const struct language *language_of(const char *path);
/* Stores the enum syntax of each byte of a line, without its line end, in kind[len]; `kind` may
 * be NULL.  Returns the state after the line. */
unsigned syntax_line(const struct language *l, unsigned state, const char *line, size_t len,
		     uint8_t *kind);

#endif
