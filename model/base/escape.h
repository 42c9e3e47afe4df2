/* escape.h - names and other texts of a file, made harmless for files, screens and shells. All
 * functions append to `out`. */
#ifndef PNAV_MODEL_BASE_ESCAPE_H
#define PNAV_MODEL_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

/* Bytes as UTF-8 for files that programs read: control characters as \x1b, invalid UTF-8 decoded
 * as Latin-1 (or CP437). */
void escape_bytes(struct buf *out, const char *at, size_t len, bool cp437);
/* The same for a screen, on which the text must not deceive or move anything. It also writes
 * invisible characters that turn or join others as \u{202e}, and a byte that is not UTF-8 as
 * \xff (or decodes CP437). At most four bytes for one. Idempotent: its output passes unchanged. */
void escape_shown(struct buf *out, const char *at, size_t len, bool cp437);
/* A word for a shell, quoted if necessary. Words with control characters become $'...', which is
 * safe on a screen from which it is copied. */
void escape_shell_word(struct buf *out, const char *text);
/* The same word, always as $'...': for a text that its surroundings would change. */
void escape_quoted(struct buf *out, const char *text);
/* Returns true for control characters and for invisible characters that turn, join or separate
 * others. */
bool escape_hides(uint32_t ch);

#endif
