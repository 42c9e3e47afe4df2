#include "model/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/base/vec.h"

static void
buf_room(struct buf *b, size_t more)
{
	if (b->cap - b->len > more)
		return;
	b->cap = vec_grown(b->cap, b->len + more + 1);
	b->at = mem_realloc(b->at, b->cap, 1);
}

void
buf_add(struct buf *b, const void *bytes, size_t len)
{
	buf_room(b, len);
	if (len)
		memcpy(b->at + b->len, bytes, len);
	b->len += len;
	b->at[b->len] = '\0';
}

void
buf_add_utf8(struct buf *b, uint32_t c)
{
	char bytes[4];

	buf_add(b, bytes, utf8_put(c, bytes));
}

void
buf_add_utf16(struct buf *b, uint32_t unit, uint32_t *high)
{
	uint32_t first = *high;

	*high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
	if (*high)
		return;
	if (unit >= 0xDC00 && unit < 0xE000)
		unit = first ? 0x10000 + ((first - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD;
	buf_add_utf8(b, unit);
}

void
buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void
buf_adds(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void
buf_addv(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int need;

	va_copy(again, ap);
	buf_room(b, 64);
	need = vsnprintf(b->at + b->len, b->cap - b->len, fmt, ap);
	if (need > 0 && (size_t)need >= b->cap - b->len) {
		buf_room(b, (size_t)need);
		vsnprintf(b->at + b->len, b->cap - b->len, fmt, again);
	}
	if (need > 0)
		b->len += (size_t)need;
	va_end(again);
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(b, fmt, ap);
	va_end(ap);
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->at)
		b->at[0] = '\0';
}

void
buf_release(struct buf *b)
{
	free(b->at);
	*b = (struct buf)BUF_INIT;
}
