/* app_help.c - shows the keys of the current view, and the manual page, in the pager.
 *
 * The help is generated from the list of actions and the keymap, so it always matches them. mandoc
 * or man, if installed, formats the manual, and pnav reads it through a pipe.  They get no
 * terminal, so they cannot write on the screen.  Otherwise ui/part/mdoc.c formats it. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"
#include "ui/app/app_guide.h"
#include "ui/part/mdoc.h"
#include "ui/screen/text.h"

extern char **environ;

#define MANUAL_MAX (4u << 20)

/* ---- the keys ---- */

static void
add_heading(struct buf *out, const char *text)
{
	buf_addf(out, "\n%c%s%c\n", PAGER_BOLD, text, PAGER_PLAIN);
}

#define INDENT 2
#define KEYS_COLS 12
#define WIDTH_MOST 76

/* Adds a text in lines that fit the screen; the first one begins in column `at` already. */
static void
add_wrapped(const struct app *a, struct buf *out, int at, int indent, const char *text)
{
	int cols = a->canvas.w - 4 < WIDTH_MOST ? a->canvas.w - 4 : WIDTH_MOST;
	while (*text) {
		size_t n = text_wrap(text, cols - at);
		buf_add(out, text, n - (text[n - 1] == ' '));
		buf_addc(out, '\n');
		text += n;
		text += strspn(text, " ");
		if (*text)
			buf_addf(out, "%*s", indent, "");
		at = indent;
	}
}

static void
add_action(const struct app *a, struct buf *out, enum action action)
{
	struct buf keys = BUF_INIT;
	keymap_keys(&a->keys, action, 3, &keys);
	int indent = INDENT + KEYS_COLS + 1, used = INDENT + text_cols(buf_str(&keys)) + 1;
	buf_addf(out, "%*s%c%s%c%*s", INDENT, "", PAGER_BOLD, buf_str(&keys), PAGER_PLAIN,
		 used < indent ? indent - used + 1 : 1, "");
	add_wrapped(a, out, used < indent ? indent : used, indent, action_help(action));
	buf_release(&keys);
}

static void
add_scope(const struct app *a, struct buf *out, enum scope scope, bool opens)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		bool opens_view = false;
		for (size_t k = 0; views[k]; k++)
			opens_view |= views[k]->open == (enum action)i;
		if (action_scope((enum action)i) == scope && opens_view == opens)
			add_action(a, out, (enum action)i);
	}
}

/* The use of the scrubber's cursor comes first while the scrubber has the focus. */
static void
add_scrubber(const struct app *a, struct buf *out)
{
	static const enum action range[] = {
		ACTION_RANGE_START, ACTION_RANGE_END, ACTION_SLIDE_BACK, ACTION_SLIDE_ON,
		ACTION_WIDEN,	    ACTION_NARROW,    ACTION_RANGE_ASK,	 ACTION_ODD_PART,
		ACTION_COMPARE,	    ACTION_FOCUS,
	};
	add_heading(out, "scrubber");
	add_scope(a, out, SCOPE_SCRUBBER, false);
	for (size_t i = 0; i < sizeof range / sizeof *range; i++)
		add_action(a, out, range[i]);
}

/* A paragraph of a view's `about` ends with a sentence that ends its line. */
static void
help(struct app *a)
{
	struct buf out = BUF_INIT, title = BUF_INIT, text = BUF_INIT;
	const char *about = a->open.view->about;
	if (a->scrubber.focus)
		add_scrubber(a, &out);
	add_heading(&out, a->open.view->name);
	for (; *about; about++) {
		bool ends = *about == '\n' && about[-1] == '.';
		if (!ends)
			buf_addc(&text, *about == '\n' ? ' ' : *about);
		if (!ends && about[1])
			continue;
		buf_addf(&out, "%*s", INDENT, "");
		add_wrapped(a, &out, INDENT, INDENT, buf_str(&text));
		buf_reset(&text);
	}
	if (a->open.view->scope != SCOPE_ANY)
		buf_addc(&out, '\n');
	for (enum scope s = a->open.view->scope; s != SCOPE_ANY; s = scope_above(s))
		add_scope(a, &out, s, false);
	add_heading(&out, "Views");
	add_scope(a, &out, SCOPE_ANY, true);
	add_heading(&out, "Everywhere");
	add_scope(a, &out, SCOPE_ANY, false);
	if (!a->scrubber.focus) {
		add_heading(&out, "In the scrubber (Tab)");
		add_scope(a, &out, SCOPE_SCRUBBER, false);
	}
	buf_addf(&title, "keys of %s%s", a->scrubber.focus ? "the scrubber and " : "the view ",
		 a->open.view->name);
	app_pager(a, buf_str(&title), buf_str(&out) + 1, out.len - 1);
	buf_release(&out);
	buf_release(&title);
	buf_release(&text);
}

/* ---- the manual ---- */

/* Reads the standard output of a program; returns false if it could not run or failed. */
static bool
output_of(char *const *argv, struct buf *out)
{
	int ends[2], status = 0;
	pid_t pid;
	posix_spawn_file_actions_t acts;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	posix_spawn_file_actions_init(&acts);
	posix_spawn_file_actions_addopen(&acts, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&acts, ends[1], 1);
	posix_spawn_file_actions_addopen(&acts, 2, "/dev/null", O_WRONLY, 0);
	bool good = posix_spawnp(&pid, argv[0], &acts, NULL, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&acts);
	close(ends[1]);
	if (good) {
		char part[8192];
		ssize_t n;
		while ((n = read(ends[0], part, sizeof part)) > 0 ||
		       (n < 0 && errno == EINTR))
			if (n > 0 && out->len < MANUAL_MAX)
				buf_add(out, part, (size_t)n);
	}
	close(ends[0]);
	if (good)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
	return good && WIFEXITED(status) && WEXITSTATUS(status) == 0 && out->len > 0;
}

static int
manual_cols(const struct app *a)
{
	int cols = a->canvas.w - 4;
	return cols < 40 ? 40 : cols > 100 ? 100 : cols;
}

/* Formats the page without mandoc or man. */
static bool
format_ourselves(const struct app *a, struct buf *out)
{
	struct buf source = BUF_INIT;
	bool good = a->config->manual_page &&
		    a->config->manual_page("pnav-browse.1", &source);
	if (good)
		mdoc_format(buf_str(&source), source.len, manual_cols(a), out);
	buf_release(&source);
	return good;
}

/* Writes the page in the form of man(1), which pager_from_man() reads. */
static bool
format_manual(const struct app *a, const char *path, struct buf *out)
{
	char width[32], file[4096];
	char mandoc[] = "mandoc", type[] = "-T", ascii[] = "ascii", utf8[] = "utf8";
	char option[] = "-O", man[] = "man", local[] = "-l";
	snprintf(width, sizeof width, "width=%d", manual_cols(a));
	if (snprintf(file, sizeof file, "%s", path) >= (int)sizeof file ||
	    access(file, R_OK))
		return false;
	char *by_mandoc[] = {mandoc, type, a->screen->ascii ? ascii : utf8, option, width,
			     file,   NULL};
	char *by_man[] = {man, local, file, NULL};
	if (output_of(by_mandoc, out))
		return true;
	buf_reset(out);
	return output_of(by_man, out);
}

/* The questions that fit best, offered above the help of a view. */
#define OFFERED 6

/* The view has not changed since the questions were listed. */
static void
app_help_chosen(struct app *a, size_t i)
{
	struct guide_list list = {0};
	app_guide_list(a, &list);
	if (i < list.at.n)
		app_guide_start(a, &a->config->inspections->list.at[list.at.at[i]]);
	vec_release(&list.at);
}

static void
offer(struct app *a, struct pager *p)
{
	struct guide_list list = {0};
	VEC(char *) lines = VEC_INIT;
	app_guide_list(a, &list);
	for (size_t i = 0; i < list.at.n && i < OFFERED; i++) {
		const struct inspection *q =
			&a->config->inspections->list.at[list.at.at[i]];
		struct buf line = BUF_INIT;
		buf_addf(&line, "    %s", q->title);
		*vec_push(&lines) = mem_dup(buf_str(&line), line.len);
		buf_release(&line);
	}
	a->front.chosen = app_help_chosen;
	if (lines.n)
		pager_choices(p, "Questions to this profile: Enter plays one, :guide lists all",
			      lines.at, lines.n);
	for (size_t i = 0; i < lines.n; i++)
		free(lines.at[i]);
	vec_release(&lines);
	vec_release(&list.at);
}

static void
manual(struct app *a)
{
	struct buf raw = BUF_INIT, text = BUF_INIT;
	bool found = false;
	for (char *const *path = a->config->manual; path && *path && !found; path++)
		found = format_manual(a, *path, &raw);
	if (found)
		pager_from_man(buf_str(&raw), raw.len, &text);
	if (found || format_ourselves(a, &text)) {
		struct buf heading = BUF_INIT;
		struct pager *p = app_pager(a, "pnav-browse(1)", buf_str(&text), text.len);
		buf_addf(&heading, "The %s view", a->open.view->name);
		pager_heading(p, buf_str(&heading));
		offer(a, p);
		buf_release(&heading);
	} else {
		app_fault(a, "the manual page is not installed");
	}
	buf_release(&raw);
	buf_release(&text);
}

const struct app_action app_help_actions[] = {
	{ACTION_HELP, help},
	{ACTION_MANUAL, manual},
	{ACTION_NONE, NULL},
};
