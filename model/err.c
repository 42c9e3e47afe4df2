#include "model/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Messages quote bytes from files.  Whatever they hold, a message is one line without
 * control characters: those are shown as \xNN here, in the one place that every
 * message passes.  Bytes above 0x7F pass as they are; the name that they come from was
 * made readable by whoever quoted it (human_bytes). */

void
err_init(struct err *e)
{
	memset(e, 0, sizeof *e);
}

static void
err_put(struct err *e, enum err_class class, const char *fmt, va_list ap)
{
	char raw[ERR_TEXT_MAX];
	size_t out = 0;

	vsnprintf(raw, sizeof raw, fmt, ap);
	for (size_t i = 0; raw[i] && out + 5 < sizeof e->text; i++) {
		unsigned char c = (unsigned char)raw[i];
		if (c < 0x20 || c == 0x7F)
			out += (size_t)snprintf(e->text + out, 5, "\\x%02x", c);
		else
			e->text[out++] = (char)c;
	}
	e->text[out] = '\0';
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
