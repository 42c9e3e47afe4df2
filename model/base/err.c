#include "model/base/err.h"

#include <stdarg.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/escape.h"

/* Messages quote bytes from files, from the command line and from settings. Whatever these
 * contain, a message is one line without control characters: escape_shown() is applied here, in
 * the one place that every message passes. */

void
err_init(struct err *e)
{
	memset(e, 0, sizeof *e);
}

static void
err_put(struct err *e, enum err_class class, const char *fmt, va_list ap)
{
	struct buf raw = BUF_INIT, shown = BUF_INIT;
	size_t len;

	buf_addv(&raw, fmt, ap);
	escape_shown(&shown, buf_str(&raw), raw.len, false);
	len = shown.len < sizeof e->text ? shown.len : sizeof e->text - 1;
	while (len < shown.len && len && is_utf8_tail(shown.at[len]))
		len--; /* do not split a character */
	memcpy(e->text, buf_str(&shown), len);
	e->text[len] = '\0';
	buf_release(&raw);
	buf_release(&shown);
	e->class = class;
}

bool
err_damage(struct err *e, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(e))
		return false;
	va_start(ap, fmt);
	err_put(e, ERR_DAMAGED, fmt, ap);
	va_end(ap);
	e->has_offset = true;
	e->offset = offset;
	return false;
}

bool
err_refuse(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(e))
		return false;
	va_start(ap, fmt);
	err_put(e, ERR_REFUSED, fmt, ap);
	va_end(ap);
	return false;
}

bool
err_usage(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(e))
		return false;
	va_start(ap, fmt);
	err_put(e, ERR_USAGE, fmt, ap);
	va_end(ap);
	return false;
}
