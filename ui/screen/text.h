/* text.h - UTF-8 text in columns of a terminal.
 *
 * All text inside the browser is UTF-8. Widths come from libc's wcwidth(), as in ncurses;
 * unprintable characters become U+FFFD. On an ASCII screen widths are those of text_ascii(). */
#ifndef PNAV_UI_SCREEN_TEXT_H
#define PNAV_UI_SCREEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

#define TEXT_BAD 0xFFFDu
#define TEXT_ASCII_MAX sizeof "\\u{10ffff}"

/* Declares whether the screen shows only ASCII. */
void text_use_ascii(bool ascii);
/* Writes the form that a character has on an ASCII screen, without a NUL: a similar character for
 * those that the browser draws itself, else \u{65e5}. Returns its length. */
size_t text_ascii(uint32_t ch, char form[TEXT_ASCII_MAX]);

/* Returns the character at *at and advances *at. Bytes that are not UTF-8 yield TEXT_BAD, one at a
 * time. *at must be before end. */
uint32_t text_next(const char **at, const char *end);
/* Returns the columns of a character: 0 (combining), 1 or 2, more only on an ASCII screen.
 * Characters that are replaced on screens (escape_hides()) count as 1. */
int text_char_cols(uint32_t ch);
/* Returns the columns of a whole text. */
int text_cols(const char *text);
/* Returns how many bytes of the text fit into `cols` columns. */
size_t text_fit(const char *text, int cols);
/* Returns how many bytes of the text fill a line of `cols` columns, broken after a blank if
 * possible; at least one character. */
size_t text_wrap(const char *text, int cols);
/* Return the offset of the character before / after offset `at`, for editing. A character includes
 * its combining marks. */
size_t text_before(const char *text, size_t at);
size_t text_after(const char *text, size_t len, size_t at);
/* Appends a character as UTF-8. */
void text_add(struct buf *out, uint32_t ch);

#endif
