/* text.h - UTF-8 text in columns of a terminal.
 *
 * All text inside the browser is UTF-8.  Width is what libc's wcwidth() says, because
 * that is what ncurses believes too; what it cannot print becomes U+FFFD. */
#ifndef PNAV_UI_SCREEN_TEXT_H
#define PNAV_UI_SCREEN_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

#define TEXT_BAD 0xFFFDu

/* The character at *at, which moves behind it; bytes that are not UTF-8 give TEXT_BAD,
 * one at a time.  *at must be before end. */
uint32_t text_next(const char **at, const char *end);
/* Columns of a character: 0 (combining), 1 or 2; what is
 * not seen (escape_hides()) counts as 1, since something stands for it. */
int text_char_cols(uint32_t ch);
/* Columns of a whole text. */
int text_cols(const char *text);
/* How many bytes of the text fit into `cols` columns. */
size_t text_fit(const char *text, int cols);
/* How many bytes of the text a line of `cols` columns takes, broken at a blank where there is
 * one, which the line takes, too; at least a character. */
size_t text_wrap(const char *text, int cols);
/* The offset of the character before / after offset `at` (whole characters with their
 * combining marks), for editing. */
size_t text_before(const char *text, size_t at);
size_t text_after(const char *text, size_t len, size_t at);
/* Appends a character as UTF-8. */
void text_add(struct buf *out, uint32_t ch);

#endif
