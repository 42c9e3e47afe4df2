/* browse.c - `pnav FILE`: the browser, in a terminal or from a key script.
 *
 * This file connects three independent parts: the loader (browse_feed.h), which fills a profile on
 * its own thread; the application (ui/app/app.h), which displays it; and a screen, real or
 * scripted.  A script waits for the end of loading, so that its pictures are always the same. */
#include "src/command/browse/browse.h"

#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/charset.h"
#include "src/command/browse/browse_again.h"
#include "src/command/browse/browse_cache.h"
#include "src/command/browse/browse_exports.h"
#include "src/command/browse/browse_feed.h"
#include "src/command/browse/browse_instead.h"
#include "src/command/browse/browse_instructions.h"
#include "src/command/browse/browse_names.h"
#include "src/command/browse/browse_options.h"
#include "src/command/browse/browse_roll.h"
#include "src/command/browse/browse_sql.h"
#include "src/command/browse/browse_start.h"
#include "src/command/browse/resume.h"
#include "src/command/manual.h"
#include "src/command/open.h"
#include "src/command/record/heir.h"
#include "src/command/say.h"
#include "src/store/storeurl.h"
#include "ui/app/app.h"
#include "ui/screen/script.h"
#include "ui/screen/term.h"
#include "ui/screen/text.h"

#define STREAM_WORDS_MAX 8 /* options of a stream */
#define LAST_LOOK_MS 10  /* do not wait longer for a decoder to stop */

/* ---- screens ---- */

static void
on_exhaustion(size_t bytes)
{
	term_emergency();
	fprintf(stderr, "pnav: out of memory: %zu more bytes needed\n", bytes);
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
	struct screen *screen;
	if (!scripted) {
		struct term_options t = {
			.ascii = own->ascii,
			.mouse = !own->no_mouse,
			.colours = colours,
			.theme = &own->user.theme,
			.widen = charset_is_open() ? charset_widen : NULL,
		};
		screen = term_new(&t, e);
	} else {
		struct script_options s = {
			.keys = own->keys,
			.w = own->w,
			.h = own->h,
			.ascii = own->ascii || strcmp(nl_langinfo(CODESET), "UTF-8"),
			.ansi = own->ansi,
			.colours = colours < 0 ? 256 : colours,
			.theme = &own->user.theme,
		};
		screen = script_new(&s, out, e);
	}
	text_use_ascii(screen && screen->ascii);
	return screen;
}

/* ---- the command ---- */

/* Returns the given options of formats for the browser. */
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

/* Quitting is immediate: a decoder that is still sorting ends with the process.  The user stopped
 * the load, so an incomplete file gives no message. */
static void
browse_leave(const struct browse_options *own, int sig)
{
	const struct browse_stream *s = own->stream;
	browse_options_say_faults(own);
	heir_take_memory();
	int status = s ? s->end(s->ctx, STATUS_DONE) : STATUS_DONE;
	fflush(stderr);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	_exit(status);
}

/* The profile on the screen, and the way back to the previous one. */
struct browse_looking {
	const struct options *o;
	struct profile *p;
	struct browse_feed *feed;
	struct screen *screen;
	const char *view; /* of the profile that led to this one; NULL: it is the first */
	bool returns;     /* there is a previous profile, or a start page */
	struct app_carried *carried; /* a newer part of the recording may replace it; NULL */
	bool back;        /* the user returned to it */
};

static bool again(void *ctx, const struct app_again *what, struct err *e);

/* Runs the application on this screen until the user leaves it. */
static void
run(struct browse_looking *x, struct err *e)
{
	const struct options *o = x->o;
	struct profile *p = x->p;
	struct browse_feed *f = x->feed;
	const struct browse_options *own = o->own;
	struct manuals manuals;
	struct app_exports exports = browse_exports(p);
	struct browse_sql sql;
	struct browse_instructions code;
	struct app_option *given = given_options(&o->format.given);
	struct app_feed feed = browse_feed(f);

	struct browse_names names;
	browse_names_init(&names, o);
	manuals_find(&manuals, "pnav-browse.1");
	struct app_config config = {
		.files = o->files.at,
		.n_files = o->files.n,
		.names = f->stream && f->stream->title ? &f->stream->title : names.at,
		.common = buf_str(&names.common),
		.command = f->compare ? command_diff.name : NULL,
		.n_base = o->n_base,
		.normalize = o->normalize,
		.independent = o->independent,
		.options = given,
		.n_options = o->format.given.n,
		.lens = &o->lens,
		.base = o->compares ? &o->base : NULL,
		.view = x->view              ? x->view
			: own->view          ? own->view
			: own->session.view ? own->session.view
					    : own->user.view,
		.mouse = !own->no_mouse,
		.manual = manuals.at,
		.manual_page = manual_page,
		.inspections = own->inspections.list.n ? &own->inspections : NULL,
		.guide = own->guide,
		.source_dirs = own->source_dirs.at,
		.n_source_dirs = own->source_dirs.n,
		.user = &own->user,
		.session = !x->view && (o->resumes || own->states) ? &own->session : NULL,
		.again = browse_again_can(o) ? again : NULL,
		.ctx = x,
		.back = x->returns ? &x->back : NULL,
		.exports = &exports,
		.carried = x->carried,
		.questions = browse_sql_init(&sql, p),
		.code = browse_instructions_init(&code, p, &o->format),
		.frees = open_frees() || x->carried,
	};
	app_run(&config, p, &feed, x->screen, e);
	browse_sql_release(&sql);
	if (config.frees) /* else do not wait for the rest of the file */
		browse_instructions_release(&code);
	browse_names_release(&names, o);
	manuals_release(&manuals);
	free(given);
}

/* The same for a recording without an end: newer parts of it replace *p. */
static void
run_rolling(struct browse_looking *x, struct profile **p, struct err *e)
{
	struct browse_feed *f = x->feed;

	x->carried = f->roll ? app_carried_new() : NULL;
	for (bool more = true; more;) {
		f->p = x->p = *p;
		run(x, e);
		more = x->carried && app_carried_is_due(x->carried) && f->roll->load;
		if (more)
			browse_roll_take(f->roll, &f->load, p);
	}
	app_carried_free(x->carried);
}

/* Reports why there is nothing to show; the previous profile appears again. */
static void
why_not(struct load *l, const struct options *o, struct err *e)
{
	for (size_t i = 0; i < o->files.n && !err_is_set(e); i++)
		*e = load_file_error(l, i);
	if (!err_is_set(e))
		err_usage(e, "the store has no data for that");
}

/* Loads the files, and shows them until the user returns; false if the user quit.  An error is in
 * *e.  `view` NULL: the usual one. */
static bool
visit(const struct options *o, bool compare, bool scripted, struct screen *screen,
      const char *view, struct err *e)
{
	struct browse_feed f = {.options = o, .scripted = scripted, .compare = compare};
	struct browse_looking next = {.o = o, .p = profile_new(), .feed = &f, .screen = screen,
				      .view = view, .returns = true};

	if (f.compare)
		profile_compare_files(next.p, o->n_base);
	next.p->normalize = o->normalize;
	next.p->independent = o->independent;
	f.load = load_start_files(next.p, o->files.at, o->files.n, &o->format);
	browse_feed_wait(&f);
	if (browse_feed_refused(&f)) {
		why_not(f.load, o, e);
		next.back = true;
	} else {
		run(&next, e);
	}
	load_free(f.load);
	profile_free(next.p);
	return next.back;
}

/* Loads the same query for less time or fewer hosts, and shows it over this profile. */
static bool
again(void *ctx, const struct app_again *what, struct err *e)
{
	const struct browse_looking *x = ctx;
	struct browse_again asked;

	if (!browse_again_options(x->o, x->p, what, &asked, e))
		return true;
	bool back = visit(&asked.o, x->feed->compare, x->feed->scripted, x->screen, what->view, e);
	browse_again_release(&asked);
	return back;
}

/* Shows what the user chose of a store.  Returns false if the user quit there. */
static bool
visit_chosen(const struct options *o, struct browse_start *s, unsigned n, bool scripted,
	     struct screen *screen)
{
	struct options chosen = *o;
	struct err e;

	err_init(&e);
	memset(&chosen.files, 0, sizeof chosen.files);
	for (unsigned i = 0; i < n; i++)
		*vec_push(&chosen.files) = buf_str(&s->url[i]);
	chosen.n_base = 1;
	bool back = visit(&chosen, n == 2, scripted, screen, NULL, &e);
	if (err_is_set(&e))
		buf_adds(&s->note, e.text);
	vec_release(&chosen.files);
	return back;
}

/* Shows the start page of a store, and what the user chooses there. */
static int
browse_store(const struct command *self, const struct options *o)
{
	const struct browse_options *own = o->own;
	bool scripted = own->snapshot || own->keys;
	struct screen *screen = NULL;
	struct browse_start s;
	struct buf out = BUF_INIT;
	struct err e;
	int status = STATUS_DONE;
	unsigned n;

	err_init(&e);
	if (!browse_start_read(&s, o->files.at[0], &e))
		return say_error(o->files.at[0], &e);
	screen = open_screen(own, scripted, &out, &e);
	while (screen && (n = browse_start_choose(&s, screen)) > 0)
		if (!visit_chosen(o, &s, n, scripted, screen))
			break;
	if (screen)
		screen->ops->close(screen);
	else
		status = say_usage(self, &e);
	fwrite(buf_str(&out), 1, out.len, stdout);
	buf_release(&out);
	browse_start_release(&s);
	int sig = scripted || !screen ? 0 : term_signal();
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}

/* Starts to read the stream or the files into *p. */
static void
start_loading(struct browse_feed *f, const struct options *o, struct browse_cache *cache,
	      struct browse_roll *roll, struct profile **p)
{
	const struct browse_options *own = o->own;
	const struct browse_stream *s = own->stream;
	bool streams = s && s->fd >= 0, rolls = s && s->rolls;

	if (rolls && browse_roll_begin(roll, s->name, o, s->pipes)) {
		f->roll = roll;
		browse_roll_take(roll, &f->load, p);
		return;
	}
	if (!streams && !rolls)
		browse_cache_begin(cache, own->user.cache_bytes, o, f->compare);
	f->cached = cache->reads;
	f->load = streams        ? load_start(*p, s->name, s->fd, &o->format)
		  : cache->reads ? load_start(*p, cache->copy, -1, &o->format)
				 : load_start_files(*p, o->files.at, o->files.n, &o->format);
}

static struct profile *
empty_profile(const struct options *o, bool compare)
{
	struct profile *p = profile_new();

	if (compare)
		profile_compare_files(p, o->n_base);
	p->normalize = o->normalize;
	p->independent = o->independent;
	return p;
}

/* Reads the file itself in place of its damaged copy. */
static void
load_again(struct browse_feed *f, const struct options *o, struct profile **p)
{
	load_free(f->load);
	profile_free(*p);
	*p = empty_profile(o, f->compare);
	f->cached = false;
	f->load = load_start_files(*p, o->files.at, o->files.n, &o->format);
	browse_feed_wait(f);
}

/* Loads and shows the profile, which may be partial if the user stopped it or the file is
 * damaged. */
static int
browse_loaded(const struct command *self, const struct options *o, bool compare)
{
	const struct browse_options *own = o->own;
	bool scripted = own->snapshot || own->keys;
	struct profile *p = empty_profile(o, compare);
	struct browse_roll roll;
	struct browse_feed f = {.options = o,
				.scripted = scripted,
				.compare = compare,
				.stream = own->stream};
	struct browse_cache cache = {0};
	struct buf out = BUF_INIT;
	struct err e;
	int status = STATUS_DONE, sig = 0;

	err_init(&e);
	start_loading(&f, o, &cache, &roll, &p);
	browse_feed_wait(&f);
	if (browse_cache_spoiled(&cache, f.load))
		load_again(&f, o, &p);
	struct screen *screen =
		browse_feed_refused(&f) ? NULL : open_screen(own, scripted, &out, &e);
	if (screen) {
		struct browse_looking first = {.o = o, .feed = &f, .screen = screen};
		run_rolling(&first, &p, &e);
		sig = scripted ? 0 : term_signal();
		screen->ops->close(screen);
	}
	if (err_is_set(&e)) {
		status = say_usage(self, &e);
	} else {
		load_stop(f.load);
		if (!load_wait(f.load, scripted || open_frees() ? -1 : LAST_LOOK_MS))
			browse_leave(own, sig);
		fwrite(buf_str(&out), 1, out.len, stdout);
		if (browse_cache_spoiled(&cache, f.load))
			status = say_error(o->files.at[0], browse_cache_fault(&e));
		else
			status = open_errors(f.load, o, compare, p);
	}
	browse_cache_end(&cache, p, status == STATUS_DONE && p->complete);
	if (f.roll)
		browse_roll_stop(&roll);
	load_free(f.load);
	open_release(p);
	buf_release(&out);
	if (!open_frees())
		heir_take_memory();
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return status;
}

/* Checks whether these files can be browsed; on wrong usage prints the message and returns
 * false. */
static bool
browse_fits(const struct command *self, struct options *o, bool compare, int *status)
{
	const struct browse_options *own = o->own;
	struct err e;
	err_init(&e);
	if (!compare && !open_operands(self, o, status))
		return false;
	if (compare && o->files.n < 2 + (o->n_base > 1))
		err_usage(&e, "two files to compare: OLD NEW");
	else if (compare && !o->old.n && !o->resumes && o->files.n != 2)
		err_usage(&e, "two files to compare: OLD NEW; more with --old F... --new F...");
	else if (compare && o->compares)
		err_usage(&e, "two files are already compared: a base range cannot be added");
	else if (o->format.follow && o->files.n > 1)
		err_usage(&e, "--follow: only one FILE can be followed");
	else if (o->format.follow && (own->keys || own->snapshot))
		err_usage(&e, "--follow needs a terminal: a followed file has no end");
	if (!err_is_set(&e))
		return true;
	*status = say_usage(self, &e);
	return false;
}

static int
browse(const struct command *self, int argc, char **argv, bool compare,
       struct browse_stream *stream)
{
	struct browse_options own = {.w = 80, .h = 24, .stream = stream};
	struct options o;
	int status = STATUS_DONE;

	bool no_config;
	if (browse_instead(self, argc, argv, compare, &no_config, &status))
		return status;

	options_init(&o, &own);
	browse_options_init(&own, &o, !no_config);
	o.session = &own.session;
	if (command_options(self, &o, argc, argv, &status)) {
		struct err e;
		err_init(&e);
		mem_on_exhaustion(on_exhaustion);
		if (!browse_options_guide(&own, &e) || !resume_files(&o, &compare, &e))
			status = say_usage(self, &e);
		else if (browse_fits(self, &o, compare, &status) && !open_explains(&o, &status))
			status = !compare && browse_start_wants(&o)
					 ? browse_store(self, &o)
					 : browse_loaded(self, &o, compare);
	}
	browse_options_say_faults(&own);
	options_release(&o);
	browse_options_release(&own);
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
	char *words[STREAM_WORDS_MAX + 4] = {mem_dup("browse", 6)};
	int n = 1;

	for (size_t i = 0; stream->options && stream->options[i] && i < STREAM_WORDS_MAX; i++)
		words[n++] = mem_dup(stream->options[i], strlen(stream->options[i]));
	words[n++] = mem_dup("--", 2);
	words[n++] = mem_dup(stream->name, strlen(stream->name));
	int status = browse(&command_browse, n, words, false, stream);
	for (int i = 0; i < n; i++)
		free(words[i]);
	return stream->end(stream->ctx, status);
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
	.examples = "pnav perf.data\0"
		    "perf script | pnav -\0"
		    "pnav --view timeline --from -10s trace.json\0",
	.options = browse_rows,
	.takes = TAKES_PROFILE,
	.run = browse_run,
};
