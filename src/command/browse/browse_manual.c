/* browse_manual.c - `pnav manual [PAGE|SECTION]`: the manual as text.
 *
 * Works where neither man nor the pages are installed: ui/part/mdoc.c formats the text, and a
 * static executable has the pages inside.  On a terminal the text goes through a pager, if any. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/command/command.h"
#include "src/command/manual.h"
#include "src/command/say.h"
#include "ui/part/mdoc.h"
#include "ui/part/pager.h"

#define COLS_MIN 40
#define COLS_MAX 100
#define PAGER "${MANPAGER:-${PAGER:-less -FRX}} 2>/dev/null"

/* Returns true if the word names this page: formats, pnav-formats, pnav-formats.7. */
static bool
names_page(const char *word, const char *page)
{
	size_t len = strcspn(page, ".");

	if (!strcmp(word, page))
		return true;
	if (strlen(word) == len && !strncmp(word, page, len))
		return true;
	return !strncmp(page, "pnav-", 5) && strlen(word) == len - 5 &&
	       !strncmp(word, page + 5, len - 5);
}

/* Appends lines of `text` from `.Sh` or `.Ss` TITLE up to the next heading of its kind or above. A
 * title that begins with the word is enough. */
static bool
cut_section(const struct buf *text, const char *title, struct buf *out)
{
	const char *end = text->at + text->len, *next;
	size_t before = out->len;
	int level = 0; /* 1: inside a .Sh, 2: inside a .Ss */

	for (const char *line = text->at; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		next = stop ? stop + 1 : end;
		int kind = !strncmp(line, ".Sh ", 4) ? 1 : !strncmp(line, ".Ss ", 4) ? 2 : 0;
		if (kind && level && kind <= level)
			break;
		if (kind && !level && !strncasecmp(line + 4, title, strlen(title)))
			level = kind;
		if (level)
			buf_add(out, line, (size_t)(next - line));
	}
	return out->len > before;
}

/* Finds the page, or the first section, that the word names. */
static bool
find_text(const char *word, struct buf *out, struct err *e)
{
	struct buf page = BUF_INIT;
	bool found = false, any = false;

	for (size_t i = 0; !found && manual_pages[i]; i++)
		found = names_page(word, manual_pages[i]) &&
			(any = manual_page(manual_pages[i], out));
	for (size_t i = 0; !found && manual_pages[i]; i++) {
		buf_reset(&page);
		if (!manual_page(manual_pages[i], &page))
			continue;
		any = true;
		found = cut_section(&page, word, out);
	}
	buf_release(&page);
	if (found)
		return true;
	if (!any)
		return err_usage(e, "the manual is not installed");
	return err_usage(e,
			 "the manual has no page and no section '%s': the pages are pnav, browse, "
			 "report, record, inspections, formats, filter, pack, sql, store, profile",
			 word);
}

/* Writes the text; its marks become bold, where the reader shows that. */
static void
write_marked(FILE *out, const struct buf *text, bool bold)
{
	for (size_t i = 0; i < text->len; i++) {
		char c = text->at[i];
		if (c != PAGER_BOLD && c != PAGER_UNDER && c != PAGER_PLAIN)
			putc(c, out);
		else if (bold)
			fputs(c == PAGER_BOLD ? "\033[1m" : c == PAGER_UNDER ? "\033[4m" : "\033[m",
			      out);
	}
}

/* Returns false if there is no pager. */
static bool
write_through_pager(const struct buf *text)
{
	FILE *to = access("/bin/sh", X_OK) ? NULL : popen(PAGER, "w");

	if (!to)
		return false;
	write_marked(to, text, true);
	int status = pclose(to);
	return !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

static int
manual_run(const struct command *self, int argc, char **argv)
{
	struct buf source = BUF_INIT, text = BUF_INIT;
	struct winsize screen = {.ws_col = 80};
	bool terminal = isatty(STDOUT_FILENO);
	struct options o;
	struct err e;
	int status = STATUS_DONE;

	err_init(&e);
	options_init(&o, NULL);
	bool good = command_options(self, &o, argc, argv, &status);
	if (good && o.files.n > 1)
		good = err_usage(&e, "one page or section at a time");
	if (good)
		good = find_text(o.files.n ? o.files.at[0] : "pnav", &source, &e);
	if (good) {
		if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) || !screen.ws_col)
			screen.ws_col = 80;
		int cols = screen.ws_col;
		cols = cols < COLS_MIN ? COLS_MIN : cols > COLS_MAX ? COLS_MAX : cols;
		mdoc_format(source.at, source.len, cols, &text);
		if (!terminal || !write_through_pager(&text))
			write_marked(stdout, &text, terminal);
	} else if (err_is_set(&e)) {
		status = say_usage(self, &e);
	}
	buf_release(&text);
	buf_release(&source);
	options_release(&o);
	return status;
}

const struct command command_manual = {
	.name = "manual",
	.synopsis = "[PAGE|SECTION]",
	.summary = "print a page of the manual, or a section of one",
	.examples = "pnav manual formats\0"
		    "pnav manual 'EXIT STATUS'\0",
	.run = manual_run,
};
