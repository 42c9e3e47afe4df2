/* browse.c - `pnav FILE`: the browser, in a terminal or from a key script.
 *
 * This file connects three things that do not know each other: the loader, which fills a
 * profile on its own thread; the application (ui/app.h), which looks at it; and a screen,
 * real or scripted.  A script waits for the end of the loading, so that its pictures are
 * the same every time.
 *
 * Where standard output is no terminal and no script is asked for, the command is `report`
 * with the same lens (cli.md): pipes get text. */
#include <langinfo.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/mem.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/say.h"
#include "src/decode/decoder.h"
#include "src/load.h"
#include "ui/app.h"
#include "ui/script.h"
#include "ui/term.h"

#define FIRST_LOOK_MS 30 /* what has failed or ended by then needs no progress bar */

struct browse_options {
	const char *view, *keys;
	int w, h;
	bool snapshot, ansi, ascii, no_mouse;
	int colours; /* -1: what the terminal has */
};

/* ---- options ---- */

static bool
set_view(struct options *o, const struct option_row *row, const char *value,
	 struct err *e)
{
	(void)row;
	if (!app_has_view(value))
		return err_usage(e, "--view: the browser has no view '%s'", value);
	((struct browse_options *)o->own)->view = value;
	return true;
}

static bool
set_keys(struct options *o, const struct option_row *row, const char *value,
	 struct err *e)
{
	(void)row;
	(void)e;
	((struct browse_options *)o->own)->keys = value;
	return true;
}

static bool
set_size(struct options *o, const struct option_row *row, const char *value,
	 struct err *e)
{
	struct browse_options *own = o->own;
	int used = 0;
	(void)row;
	if (sscanf(value, "%4dx%4d%n", &own->w, &own->h, &used) != 2 || value[used] ||
	    own->w < 1 || own->h < 1)
		return err_usage(e, "--size takes COLUMNSxROWS, such as 120x40, not '%s'",
				 value);
	return true;
}

static bool
set_snapshot(struct options *o, const struct option_row *row, const char *value,
	     struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	own->snapshot = true;
	own->ansi = value && !strcmp(value, "ansi");
	if (value && !own->ansi && strcmp(value, "text"))
		return err_usage(e, "--snapshot takes text or ansi, not '%s'", value);
	return true;
}

static bool
set_color(struct options *o, const struct option_row *row, const char *value,
	  struct err *e)
{
	static const struct {
		const char *name;
		int colours;
	} choices[] = {
		{"never", 0}, {"auto", -1}, {"always", 256},
		{"8", 8},     {"16", 16},   {"256", 256},
	};
	(void)row;
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (!strcmp(choices[i].name, value)) {
			((struct browse_options *)o->own)->colours = choices[i].colours;
			return true;
		}
	return err_usage(e, "--color takes never, auto, always, 8, 16 or 256, not '%s'",
			 value);
}

static bool
set_ascii(struct options *o, const struct option_row *row, const char *value,
	  struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	((struct browse_options *)o->own)->ascii = true;
	return true;
}

static bool
set_no_mouse(struct options *o, const struct option_row *row, const char *value,
	     struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	((struct browse_options *)o->own)->no_mouse = true;
	return true;
}

static const struct option_row browse_rows[] = {
	{"view", 0, "VIEW", false, false, "begin with flame, tree, functions or info",
	 set_view},
	{"color", 0, "WHEN", false, false, "never, auto, always, 8, 16 or 256 colours",
	 set_color},
	{"ascii", 0, NULL, false, false, "draw with ASCII alone", set_ascii},
	{"no-mouse", 0, NULL, false, false, "leave the mouse to the terminal",
	 set_no_mouse},
	{"keys", 0, "SCRIPT", false, false, "play these keys without a terminal",
	 set_keys},
	{"size", 0, "WxH", false, false, "size of the screen for --keys and --snapshot",
	 set_size},
	{"snapshot", 0, "KIND", true, false, "print the screen as text (or ansi) and end",
	 set_snapshot},
	{0},
};

/* ---- the feed: the loader, as the application sees it ---- */

struct source {
	struct load *load;
	bool scripted;
};

static void
source_lock(void *ctx)
{
	load_lock(((struct source *)ctx)->load);
}

static void
source_unlock(void *ctx)
{
	load_unlock(((struct source *)ctx)->load);
}

static struct app_state
source_state(void *ctx)
{
	struct source *src = ctx;
	struct load_state l = load_state(src->load);
	const struct decoder *d = l.format ? decoder_named(l.format) : NULL;
	struct err e = {0};
	if (l.done)
		e = load_error(src->load);
	return (struct app_state){
		.done = l.done,
		.stopped = l.stopped,
		.refused = e.class == ERR_REFUSED || e.class == ERR_USAGE,
		.bytes = l.bytes,
		.size = l.size,
		.elapsed_ns = src->scripted ? 0 : l.elapsed_ns,
		.generation = l.generation,
		.format = l.format,
		.title = d ? d->title : NULL,
	};
}

static void
source_stop(void *ctx)
{
	load_stop(((struct source *)ctx)->load);
}

/* ---- screens ---- */

static void
on_exhaustion(size_t bytes)
{
	term_emergency();
	fprintf(stderr, "pnav: out of memory: %zu bytes more are not there\n", bytes);
	_exit(STATUS_UNREADABLE);
}

static int
wanted_colours(const struct browse_options *own)
{
	const char *no = getenv("NO_COLOR");
	if (own->colours >= 0)
		return own->colours;
	return no && *no ? 0 : -1;
}

static struct screen *
open_screen(const struct browse_options *own, bool scripted, struct buf *out,
	    struct err *e)
{
	int colours = wanted_colours(own);
	if (!scripted) {
		struct term_options t = {own->ascii, !own->no_mouse, colours};
		return term_new(&t, e);
	}
	struct script_options s = {
		.keys = own->keys,
		.w = own->w,
		.h = own->h,
		.ascii = own->ascii || strcmp(nl_langinfo(CODESET), "UTF-8"),
		.ansi = own->ansi,
		.colours = colours < 0 ? 256 : colours,
	};
	return script_new(&s, out, e);
}

/* ---- the manual page: where it may be ---- */

#define MANUALS 5

static void
add_manual(char **at, size_t *n, const char *dir, size_t len, const char *rest)
{
	struct buf path = BUF_INIT;
	buf_add(&path, dir, len);
	buf_adds(&path, rest);
	at[(*n)++] = mem_dup(buf_str(&path), path.len);
	buf_release(&path);
}

/* Beside the program as it was built, and as it was installed. */
static void
find_manuals(char **at)
{
	char exe[PATH_MAX];
	size_t n = 0;
	const char *own = getenv("PNAV_MANUAL");
	if (own)
		add_manual(at, &n, own, strlen(own), "");
	ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (len > 0) {
		exe[len] = '\0';
		char *slash = strrchr(exe, '/');
		size_t dir = slash ? (size_t)(slash - exe) : 0;
		add_manual(at, &n, exe, dir, "/../share/man/man1/pnav.1");
		add_manual(at, &n, exe, dir, "/man/pnav.1");
		add_manual(at, &n, exe, dir, "/../man/pnav.1");
	}
	at[n] = NULL;
}

static void
release_manuals(char **at)
{
	for (; *at; at++)
		free(*at);
}

/* ---- the command ---- */

/* The same words for `report`: what only the browser knows is left out. */
static int
report_instead(int argc, char **argv)
{
	char **kept = mem_zalloc((size_t)argc + 1, sizeof *kept);
	int n = 0;
	for (int i = 0; i < argc; i++) {
		const struct option_row *row = browse_rows;
		size_t len = strncmp(argv[i], "--", 2) ? 0 : strcspn(argv[i] + 2, "=");
		while (row->name &&
		       (strlen(row->name) != len || strncmp(row->name, argv[i] + 2, len)))
			row++;
		if (!len || !row->name || !strcmp(row->name, "view")) {
			kept[n++] = argv[i];
			if (i && !strcmp(argv[i], "--"))
				while (++i < argc)
					kept[n++] = argv[i];
			continue;
		}
		if (row->value && !row->optional && !argv[i][2 + len])
			i++;
	}
	int status = command_report.run(&command_report, n, kept);
	free(kept);
	return status;
}

/* Loads and shows; the profile is whole or not, as the user stopped it or the file was. */
static int
browse_file(const struct command *self, const struct options *o, const char *file)
{
	const struct browse_options *own = o->own;
	bool scripted = own->snapshot || own->keys;
	char *manuals[MANUALS];
	struct profile *p = profile_new();
	struct source src = {load_start(p, file, -1, &o->format), scripted};
	struct app_feed feed = {&src, source_lock, source_unlock, source_state,
				source_stop};
	struct buf out = BUF_INIT;
	struct err e;
	int status = STATUS_DONE, sig = 0;

	err_init(&e);
	find_manuals(manuals);
	load_wait(src.load, scripted ? -1 : FIRST_LOOK_MS);
	struct screen *screen =
		source_state(&src).refused ? NULL : open_screen(own, scripted, &out, &e);
	if (screen) {
		struct app_config config = {
			.files = &file,
			.n_files = 1,
			.lens = &o->lens,
			.view = own->view,
			.mouse = !own->no_mouse,
			.manual = manuals,
		};
		app_run(&config, p, &feed, screen, &e);
		sig = scripted ? 0 : term_signal();
		screen->ops->close(screen);
	}
	if (err_is_set(&e)) {
		status = say_usage(self, &e);
	} else {
		load_stop(src.load);
		load_wait(src.load, -1);
		fwrite(buf_str(&out), 1, out.len, stdout);
		struct err end = load_error(src.load);
		say_warnings(file, p);
		if (err_is_set(&end))
			status = say_error(file, &end);
	}
	load_free(src.load);
	profile_free(p);
	buf_release(&out);
	release_manuals(manuals);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}

static int
browse_run(const struct command *self, int argc, char **argv)
{
	struct browse_options own = {.w = 80, .h = 24, .colours = -1};
	struct options o;
	int status = STATUS_DONE;

	/* A pipe gets the report, whatever --view it asks for; options decide first. */
	bool scripted = false;
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		scripted |= !strncmp(argv[i], "--snapshot", 10) ||
			    !strncmp(argv[i], "--keys", 6) || !strcmp(argv[i], "--help");
	if (!scripted && !isatty(STDOUT_FILENO))
		return report_instead(argc, argv);

	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status)) {
		const char *file = open_operand(self, &o, &status);
		mem_on_exhaustion(on_exhaustion);
		if (file)
			status = browse_file(self, &o, file);
	}
	options_release(&o);
	return status;
}

const struct command command_browse = {
	.name = "browse",
	.synopsis = "[OPTION...] [FILE]",
	.summary = "look at a profile in the terminal",
	.rows = browse_rows,
	.run = browse_run,
};
