/* app_say.c - messages on the bottom line.
 *
 * A message stays until the next key.  Control characters in quoted text are made visible. */
#include "model/base/escape.h"
#include "ui/app/app_inside.h"

#include <stdarg.h>

static void
app_message_set(struct app *a, bool fault, const char *fmt, va_list ap)
{
	struct buf text = BUF_INIT;
	buf_reset(&a->message.text);
	buf_addv(&text, fmt, ap);
	escape_shown(&a->message.text, buf_str(&text), text.len, false);
	buf_release(&text);
	a->message.fault = fault;
}

void
app_say(struct app *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	app_message_set(a, false, fmt, ap);
	va_end(ap);
}

void
app_fault(struct app *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	app_message_set(a, true, fmt, ap);
	va_end(ap);
}

void
app_hush(struct app *a)
{
	buf_reset(&a->message.text);
}
