/* buf.h - a growing array of bytes, always followed by a NUL that `len` does not count.
 * Zero-initialise it or use BUF_INIT; release it with buf_release(). */
#ifndef PNAV_MODEL_BASE_BUF_H
#define PNAV_MODEL_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/mem.h"

struct buf {
	char *at; /* NULL while empty: read it through buf_str() */
	size_t len, cap;
};
#define BUF_INIT {NULL, 0, 0}

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, const char *text);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_addv(struct buf *b, const char *fmt, va_list ap);
/* Appends a character up to U+10FFFF as UTF-8. */
void buf_add_utf8(struct buf *b, uint32_t c);
/* Appends a code unit of UTF-16. *high, at first 0, keeps the first half of a pair for the next
 * call. A second half without a first one becomes U+FFFD. */
void buf_add_utf16(struct buf *b, uint32_t unit, uint32_t *high);
/* Empties the buffer but keeps its memory. */
void buf_reset(struct buf *b);
void buf_release(struct buf *b);
#define buf_release_all(...) MEM_EACH(buf_release, __VA_ARGS__)
/* Returns the text, "" if empty; valid until the next change. */
static inline const char *
buf_str(const struct buf *b)
{
	return b->at ? b->at : "";
}

#endif
