#include "src/command/say.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/escape.h"
#include "model/fold/fold.h"
#include "model/fold/nameless.h"
#include "src/outfile.h"

/* File names come from the user and may contain anything: they are shown like all bytes. */
static void
say_begin(const char *file)
{
	struct buf shown = BUF_INIT;

	escape_shown(&shown, file, strlen(file), false);
	fprintf(stderr, "pnav: %s: ", buf_str(&shown));
	buf_release(&shown);
}

int
say_usage(const struct command *self, const struct err *e)
{
	fprintf(stderr, "pnav: %s (see pnav %s%s--help)\n", e->text, self ? self->name : "",
		self ? " " : "");
	return STATUS_USAGE;
}

static int
status_of(const struct err *e)
{
	switch (e->class) {
	case ERR_NONE:
		return STATUS_DONE;
	case ERR_USAGE:
		return STATUS_USAGE;
	case ERR_REFUSED:
		return STATUS_UNREADABLE;
	case ERR_DAMAGED:
		return STATUS_DAMAGED;
	}
	return STATUS_UNREADABLE;
}

int
say_error(const char *file, const struct err *e)
{
	say_begin(file);
	if (e->has_offset)
		fprintf(stderr, "at byte %" PRIu64 ": ", e->offset);
	fprintf(stderr, "%s\n", e->text);
	return status_of(e);
}

int
say_plain(const struct err *e)
{
	fprintf(stderr, "pnav: %s\n", e->text);
	return status_of(e);
}

void
say_text(const char *text)
{
	while (*text) {
		struct buf shown = BUF_INIT;
		size_t len = strcspn(text, "\n");
		escape_shown(&shown, text, len, false);
		fprintf(stderr, "%s%s", buf_str(&shown), text[len] ? "\n" : "");
		text += len + (text[len] == '\n');
		buf_release(&shown);
	}
}

void
say_warning(const char *file, const char *fmt, ...)
{
	struct buf text = BUF_INIT, shown = BUF_INIT;
	va_list ap;

	say_begin(file);
	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	escape_shown(&shown, buf_str(&text), text.len, false);
	fprintf(stderr, "warning: %s\n", buf_str(&shown));
	buf_release(&text);
	buf_release(&shown);
}

void
say_warnings(const char *file, const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		const struct warning *w = &p->warning[i];
		if (w->file) /* open_errors() reports it, with its status */
			continue;
		const char *of = p->n_groups > 1
					 ? names_get(&p->names, p->group[w->group].name).at
					 : file;
		if (w->count > 1)
			say_warning(of, "%s (%" PRIu64 " times)", w->text, w->count);
		else
			say_warning(of, "%s", w->text);
	}
}

struct fold *
say_nameless(const char *file, const struct profile *p)
{
	struct nameless n = {.bad = 0};
	struct buf text = BUF_INIT;
	struct lens none;
	struct err e;

	if (!nameless_any(p))
		return NULL;
	struct fold *plain = fold_new();
	err_init(&e);
	lens_init(&none);
	fold_update(plain, p, &none, NULL, &e);
	lens_release(&none);
	nameless_find(&n, p, plain);
	if (nameless_matters(&n)) {
		nameless_say(&n, p, &text);
		say_warning(file, "%s", buf_str(&text));
	}
	nameless_release(&n);
	buf_release(&text);
	return plain;
}

/* stdio does not keep the reason of an earlier error; poll() detects a pipe without a reader. */
static bool
reader_has_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

int
say_end(int status)
{
	bool failed = ferror(stdout) != 0, gone = failed && reader_has_gone();
	const char *why = failed && !gone ? outfile_why(stdout) : "write error";

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	if (errno == EPIPE || gone)
		return status;
	fprintf(stderr, "pnav: cannot write the output: %s\n",
		errno ? strerror(errno) : why);
	return STATUS_UNREADABLE;
}
