/* browse.c - `pnav FILE`: the browser, in a terminal or from a key script.
 *
 * This file connects three things that do not know each other: the loader, which fills a
 * profile on its own thread; the application (ui/app/app.h), which looks at it; and a screen,
 * real or scripted.  A script waits for the end of the loading, so that its pictures are
 * the same every time.
 *
 * Where standard output is no terminal and no script is asked for, the command is `report`
 * with the same lens (pnav(1)): pipes get text. */
#include "src/command/browse.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/mem.h"
#include "src/command/open.h"
#include "src/command/resume.h"
#include "src/command/say.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "src/load.h"
#include "src/outfile.h"
#include "ui/app/app.h"
#include "ui/app/config.h"
#include "ui/screen/script.h"
#include "ui/app/session.h"
#include "ui/screen/term.h"

#define FIRST_LOOK_MS 30 /* what has failed or ended by then needs no progress bar */
#define LAST_LOOK_MS 10  /* a decoder that has not stopped by then is not waited for */

struct browse_options {
	struct browse_stream *stream; /* instead of the file of its name; NULL: none */
	const char *view, *keys;
	int w, h;
	bool snapshot, ansi, ascii, no_mouse;
	bool no_config; /* it was looked for before the other options were read */
	int colours; /* -1: what the terminal has */
	VEC(const char *) source_dirs;
	struct config user;
	struct session session; /* read from a file, or just the words of --state */
	bool states;            /* there are such words */
};

/* ---- options ---- */

static bool
check_view(const struct option_row *row, const char *value, struct err *e)
{
	return app_has_view(value) ||
	       err_usage(e, "--%s: the browser has no view '%s'", row->name, value);
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
	(void)row;
	if (config_colours(value, &((struct browse_options *)o->own)->colours))
		return true;
	return err_usage(e, "--color takes never, auto, always, 8, 16 or 256, not '%s'",
			 value);
}

static bool
set_source_dir(struct options *o, const struct option_row *row, const char *value,
	       struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	if (!strchr(value, '='))
		return err_usage(e, "--source-dir takes FROM=TO, not '%s'", value);
	*vec_push(&own->source_dirs) = value;
	return true;
}

/* "flame by-time": what a session keeps of a view. */
static bool
set_state(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	struct buf view = BUF_INIT;
	const char *words = value;
	(void)row;
	bool good = settings_word(&words, &view) && app_has_view(buf_str(&view));
	if (good)
		session_add_state(&own->session, buf_str(&view), words);
	else
		err_usage(e, "--state: the browser has no view '%s'", buf_str(&view));
	own->states |= good;
	buf_release(&view);
	return good;
}

static bool
set_chains(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	(void)value;
	(void)e;
	own->session.chains = own->states = true;
	return true;
}

#define INTO(member) .at = offsetof(struct browse_options, member)
const struct option_row browse_rows[] = {
	{"view", "VIEW", "the view to begin with: flame, tree, timeline, ...",
	 .kind = OPTION_TEXT, .check = check_view, INTO(view)},
	{"color", "WHEN", "never, auto, always, 8, 16 or 256 colours", .set = set_color},
	{"ascii", .help = "draw with ASCII alone", INTO(ascii)},
	{"follow", .help = "go on reading as the file grows", .common = true,
	 .at = offsetof(struct options, format.follow)},
	{"source-dir", "FROM=TO", "source files whose path begins with FROM are in TO",
	 .repeats = true, .set = set_source_dir},
	{"no-mouse", .help = "leave the mouse to the terminal", INTO(no_mouse)},
	SESSION_ROW,
	BASE_ROWS,
	{"state", "'VIEW WORDS'", "how a view is set up, as Y writes it", .repeats = true,
	 .set = set_state},
	{"chains", .help = "frames that only call one other share its line", .set = set_chains},
	{"no-config", .help = "leave pnavrc unread", INTO(no_config)},
	{"keys", "SCRIPT", "play these keys without a terminal", .kind = OPTION_TEXT, INTO(keys)},
	{"size", "WxH", "size of the screen for --keys and --snapshot", .set = set_size},
	{"snapshot", "KIND", "print the screen as text (or ansi) and end", .optional = true,
	 .set = set_snapshot},
	{0},
};

/* ---- the feed: the loader, as the application sees it ---- */

struct source {
	struct load *load;
	const struct options *options;
	bool scripted;
	bool compare; /* both files must be readable */
	struct browse_stream *stream; /* NULL: files */
	char line[256];               /* its news */
};

/* Whoever writes the stream tells how it ended before he closes it. */
static const char *
stream_news(struct source *src)
{
	struct browse_stream *s = src->stream;
	char part[1024];
	ssize_t n;
	if (!s)
		return NULL;
	while (s->news >= 0 && (n = read(s->news, part, sizeof part)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		buf_add(&s->said, part, (size_t)n);
	}
	snprintf(src->line, sizeof src->line, "%.*s",
		 (int)strcspn(buf_str(&s->said), "\n"), buf_str(&s->said));
	return *src->line ? src->line : NULL;
}

static bool
source_refused(const struct source *src)
{
	bool refused = load_refused(src->load);
	for (size_t i = 0; src->compare && i < src->options->files.n; i++) {
		struct err e = load_file_error(src->load, i);
		refused |= err_is_set(&e) && e.class != ERR_DAMAGED;
	}
	return refused;
}

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
	return (struct app_state){
		.done = l.done,
		.stopped = l.stopped,
		.refused = l.done && source_refused(src),
		/* what is not over when it has been read to its end: a pipe, a followed file */
		.live = !l.done && (src->options->format.follow || !l.size),
		.bytes = l.bytes,
		.size = l.size,
		.elapsed_ns = src->scripted ? 0 : l.elapsed_ns,
		.generation = l.generation,
		.format = l.format,
		.title = d ? d->title : NULL,
		.news = l.done ? stream_news(src) : NULL,
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
		struct term_options t = {own->ascii, !own->no_mouse, colours,
					 &own->user.theme};
		return term_new(&t, e);
	}
	struct script_options s = {
		.keys = own->keys,
		.w = own->w,
		.h = own->h,
		.ascii = own->ascii || strcmp(nl_langinfo(CODESET), "UTF-8"),
		.ansi = own->ansi,
		.colours = colours < 0 ? 256 : colours,
		.theme = &own->user.theme,
	};
	return script_new(&s, out, e);
}

/* ---- exports ---- */

static const char *
export_name(size_t i)
{
	return encoders[i]->name;
}

static const char *
export_title(size_t i)
{
	return encoders[i]->title;
}

/* Nothing is written over: the browser has no way to ask. */
static const struct outfile_how how_saved = {.fresh = true};

static bool
export_write(void *ctx, size_t i, const struct lens *l, const char *path, struct err *e)
{
	struct outfile out;
	if (!outfile_open(&out, path, &how_saved, e))
		return false;
	struct encode_job job = {.profile = ctx, .lens = l, .out = out.stream};
	return outfile_close(&out, encoders[i]->write(&job, e), e);
}

static bool
save_text(const char *path, const char *text, size_t len, struct err *e)
{
	struct outfile out;
	if (!outfile_open(&out, path, &how_saved, e))
		return false;
	fwrite(text, 1, len, out.stream);
	return outfile_close(&out, true, e);
}

static struct app_exports
all_exports(struct profile *p)
{
	struct app_exports x = {
		.ctx = p,
		.name = export_name,
		.title = export_title,
		.write = export_write,
		.save = save_text,
	};
	while (encoders[x.n])
		x.n++;
	return x;
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

static bool
has_row(const struct option_row *row, const char *name)
{
	while (row->name && strcmp(row->name, name))
		row++;
	return row->name != NULL;
}

/* What of the command line decides who reads it. */
struct wants {
	bool scripted, no_config;
	VEC(char *) words; /* the same for `report`: what only the browser knows is left out */
	bool operands;
};

static void
want(void *ctx, const struct option_row *row, const char *value)
{
	struct wants *w = ctx;
	struct buf word = BUF_INIT;
	if (!row) {
		if (!w->operands)
			*vec_push(&w->words) = mem_dup("--", 2);
		w->operands = true;
		*vec_push(&w->words) = mem_dup(value, strlen(value));
		return;
	}
	w->scripted |= !strcmp(row->name, "snapshot") || !strcmp(row->name, "keys") ||
		       !strcmp(row->name, "help");
	w->no_config |= !strcmp(row->name, "no-config");
	if (has_row(browse_rows, row->name) && !has_row(report_rows, row->name))
		return;
	buf_addf(&word, "--%s%s%s", row->name, value ? "=" : "", value ? value : "");
	*vec_push(&w->words) = mem_dup(buf_str(&word), word.len);
	buf_release(&word);
}

static void
wants_release(struct wants *w)
{
	for (size_t i = 0; i < w->words.n; i++)
		free(w->words.at[i]);
	vec_release(&w->words);
}

/* The same words for `report`; as they are where they cannot be read, so that it says why. */
static int
report_instead(const struct command *self, int argc, char **argv, bool compare,
	       const struct wants *w, bool readable)
{
	char **kept = mem_zalloc(w->words.n + 2, sizeof *kept);
	int n = 1;
	kept[0] = argv[0];
	for (size_t i = 0; i < w->words.n; i++)
		kept[n++] = w->words.at[i];
	int status = readable ? report_files(self, n, kept, compare)
			      : report_files(self, argc, argv, compare);
	free(kept);
	return status;
}

/* The options of the formats that were given, for who looks at the profile. */
static struct app_option *
given_options(const struct given *g)
{
	struct app_option *all = mem_zalloc(g->n + 1, sizeof *all);
	struct option_table formats = {0};
	option_table_add_formats(&formats);
	for (size_t i = 0; i < g->n; i++) {
		const struct option_row *row = option_table_find(&formats, g->at[i].name);
		all[i] = (struct app_option){
			.name = g->at[i].name,
			.value = g->at[i].value,
			.is_file = row && row->is_file,
		};
	}
	return all;
}

/* Quitting is immediate: a decoder that sorts what it has read is left to its end, which is
 * the process'.  Its file was not read to the end, by the user's wish: nothing to say. */
static void
leave(const struct browse_options *own, int sig)
{
	resume_say_faults(&own->user.faults);
	resume_say_faults(&own->session.faults);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	_exit(STATUS_DONE);
}

/* Loads and shows; the profile is whole or not, as the user stopped it or the file was. */
static int
browse_loaded(const struct command *self, const struct options *o, bool compare)
{
	const struct browse_options *own = o->own;
	bool scripted = own->snapshot || own->keys;
	char *manuals[MANUALS];
	struct profile *p = profile_new();
	struct source src = {.options = o,
			     .scripted = scripted,
			     .compare = compare,
			     .stream = own->stream};
	struct app_feed feed = {&src, source_lock, source_unlock, source_state,
				source_stop};
	struct buf out = BUF_INIT;
	struct err e;
	int status = STATUS_DONE, sig = 0;

	err_init(&e);
	find_manuals(manuals);
	if (compare)
		profile_compare_files(p);
	src.load = own->stream ? load_start(p, own->stream->name, own->stream->fd,
					    &o->format)
			       : load_start_files(p, o->files.at, o->files.n, &o->format);
	load_wait(src.load, scripted ? -1 : FIRST_LOOK_MS);
	struct screen *screen =
		source_state(&src).refused ? NULL : open_screen(own, scripted, &out, &e);
	if (screen) {
		struct app_exports exports = all_exports(p);
		struct app_option *given = given_options(&o->format.given);
		struct app_config config = {
			.files = o->files.at,
			.n_files = o->files.n,
			.command = compare ? command_diff.name : NULL,
			.options = given,
			.n_options = o->format.given.n,
			.lens = &o->lens,
			.base = o->compares ? &o->base : NULL,
			.view = own->view            ? own->view
				: own->session.view ? own->session.view
						    : own->user.view,
			.mouse = !own->no_mouse,
			.manual = manuals,
			.source_dirs = own->source_dirs.at,
			.n_source_dirs = own->source_dirs.n,
			.user = &own->user,
			.session = o->resumes || own->states ? &own->session : NULL,
			.exports = &exports,
		};
		app_run(&config, p, &feed, screen, &e);
		sig = scripted ? 0 : term_signal();
		screen->ops->close(screen);
		free(given);
	}
	if (err_is_set(&e)) {
		status = say_usage(self, &e);
	} else {
		load_stop(src.load);
		if (!load_wait(src.load, scripted || open_frees() ? -1 : LAST_LOOK_MS))
			leave(own, sig);
		fwrite(buf_str(&out), 1, out.len, stdout);
		say_warnings(o->files.at[0], p);
		status = open_errors(src.load, o, compare);
	}
	load_free(src.load);
	open_release(p);
	buf_release(&out);
	release_manuals(manuals);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}

/* Can these files be browsed in this way?  False with wrong usage, said. */
static bool
fits(const struct command *self, struct options *o, bool compare, int *status)
{
	const struct browse_options *own = o->own;
	struct err e;
	err_init(&e);
	if (!compare && !open_operands(self, o, status))
		return false;
	if (compare && o->files.n != 2)
		err_usage(&e, "two files to compare: OLD NEW");
	else if (compare && o->compares)
		err_usage(&e, "two files are compared already: no base range beside them");
	else if (o->format.follow && o->files.n > 1)
		err_usage(&e, "--follow: only one FILE can be followed");
	else if (o->format.follow && (own->keys || own->snapshot))
		err_usage(&e, "--follow needs a terminal: a file that is followed has no end");
	if (!err_is_set(&e))
		return true;
	*status = say_usage(self, &e);
	return false;
}

/* pnavrc comes first: the command line changes what it says. */
static void
use_config(struct browse_options *own, struct options *o, bool wanted)
{
	session_init(&own->session);
	config_init(&own->user);
	if (wanted)
		config_load(&own->user);
	own->colours = own->user.colours;
	own->ascii = own->user.ascii;
	own->no_mouse = own->user.no_mouse;
	o->lens.by = own->user.by;
	o->lens.invert = own->user.invert;
}

static int
browse(const struct command *self, int argc, char **argv, bool compare,
       struct browse_stream *stream)
{
	struct browse_options own = {.w = 80, .h = 24, .stream = stream};
	struct options o;
	int status = STATUS_DONE;

	/* A pipe gets the report, whatever --view it asks for; options decide first. */
	struct wants w = {0};
	bool readable = options_scan(argc, argv, browse_rows, report_rows, want, &w);
	if (!w.scripted && !isatty(STDOUT_FILENO)) {
		status = report_instead(compare ? &command_diff : &command_report, argc, argv,
					compare, &w, readable);
		wants_release(&w);
		return status;
	}
	wants_release(&w);

	options_init(&o, &own);
	use_config(&own, &o, !w.no_config);
	o.session = &own.session;
	if (command_options(self, &o, argc, argv, &status)) {
		struct err e;
		err_init(&e);
		mem_on_exhaustion(on_exhaustion);
		if (!resume_files(&o, &compare, &e))
			status = say_usage(self, &e);
		else if (fits(self, &o, compare, &status))
			status = browse_loaded(self, &o, compare);
	}
	/* on a terminal they were shown in the browser, but only until the first key */
	resume_say_faults(&own.user.faults);
	resume_say_faults(&own.session.faults);
	options_release(&o);
	vec_release(&own.source_dirs);
	config_release(&own.user);
	session_release(&own.session);
	return status;
}

int
browse_files(const struct command *self, int argc, char **argv, bool compare)
{
	return browse(self, argc, argv, compare, NULL);
}

int
browse_stream(struct browse_stream *stream)
{
	char *words[] = {mem_dup("browse", 6), mem_dup("--", 2),
			 mem_dup(stream->name, strlen(stream->name)), NULL};
	int status = browse(&command_browse, 3, words, false, stream);
	for (size_t i = 0; words[i]; i++)
		free(words[i]);
	return status;
}

static int
browse_run(const struct command *self, int argc, char **argv)
{
	return browse_files(self, argc, argv, false);
}

const struct command command_browse = {
	.name = "browse",
	.synopsis = "[OPTION...] [FILE...]",
	.summary = "look at a profile in the terminal",
	.options = browse_rows,
	.takes = TAKES_PROFILE,
	.run = browse_run,
};
