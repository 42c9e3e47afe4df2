/* store.c - `pnav store`: adds files to a store, each completely or not at all.
 *
 * A store keeps samples by wall-clock time, but many formats count from another point.  --at, or
 * the time of the file, gives that point. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/derive/derived.h"
#include "model/lens/words.h"
#include "model/profile/human.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/progress.h"
#include "src/command/record/kept.h"
#include "src/command/say.h"
#include "src/command/store_list.h"
#include "src/command/store_periods.h"
#include "src/command/store_symbolize.h"
#include "src/input/url.h"
#include "src/store/ttl.h"
#include "src/store/version.h"
#include "src/store/writer.h"

#define SECOND INT64_C(1000000000)
/* A clock that starts at boot never reaches this time: 2000-01-01. */
#define CLOCK_MIN (INT64_C(946684800) * SECOND)

struct store_options {
	const char *service;
	bool list, symbolize, summarize;
	enum list_format format;
	int64_t ttl_ns; /* 0: not given */
	const char *host;
	struct wallclock at;
	VEC(struct writer_label) label; /* keys are ours, values argv's */
};

static bool
set_at(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct store_options *own = o->own;

	(void)row;
	return wallclock_read(&own->at, "--at", value, e);
}

static bool
set_label(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct store_options *own = o->own;
	const char *equals = strchr(value, '=');

	(void)row;
	if (!equals || equals == value)
		return err_usage(e, "--label takes KEY=VALUE, not '%s'", value);
	size_t len = (size_t)(equals - value);
	for (size_t i = 0; i < own->label.n; i++)
		if (strlen(own->label.at[i].key) == len &&
		    !memcmp(own->label.at[i].key, value, len))
			return err_usage(e, "--label %s: it has a value already",
					 own->label.at[i].key);
	*vec_push(&own->label) = (struct writer_label){mem_dup(value, len), equals + 1};
	return true;
}

static bool
set_ttl(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct store_options *own = o->own;

	(void)row;
	if (!wallclock_length(&own->ttl_ns, "--ttl", value, e))
		return false;
	return own->ttl_ns >= SECOND || err_usage(e, "--ttl is at least a second");
}

static const char *const list_formats[] = {"text", "csv", "ndjson", NULL};

static const struct option_row store_rows[] = {
	{"service", "NAME", "the service of the profiles; required", .kind = OPTION_TEXT,
	 .at = offsetof(struct store_options, service)},
	{"host", "NAME", "the host of the recording, if the file does not name it",
	 .kind = OPTION_TEXT, .at = offsetof(struct store_options, host)},
	{"at", "TIME", "the begin of the profile: -1h, 2024-05-01T12:00:00Z, @SECONDS",
	 .set = set_at},
	{"label", "KEY=VALUE", "an attribute of the profiles", .repeats = true,
	 .set = set_label},
	{"list", NULL, "print what a store holds", .kind = OPTION_FLAG,
	 .at = offsetof(struct store_options, list)},
	{"symbolize", NULL, "find functions for stacks that were stored with addresses",
	 .kind = OPTION_FLAG, .at = offsetof(struct store_options, symbolize)},
	{"summarize", NULL, "compute the sums of hours and days that are missing",
	 .kind = OPTION_FLAG, .at = offsetof(struct store_options, summarize)},
	{"ttl", "T", "have the server delete profiles after this time, such as 30d",
	 .set = set_ttl},
	{"format", "FORMAT", "of --list: text, csv or ndjson", .kind = OPTION_CHOICE,
	 .choices = list_formats, .at = offsetof(struct store_options, format)},
	{0},
};

static bool
store_has_points(const struct profile *p)
{
	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if (p->track[t].series[i]->kind == SERIES_POINTS)
				return true;
	return false;
}

/* ---- facts of the file ---- */

/* Returns the host of the recording; NULL if the profile does not name it. */
static const char *
recorded_host(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_info; i++) {
		const char *value = names_get(&p->names, p->info[i].value).at;
		if (!strcmp(names_get(&p->names, p->info[i].key).at, "hostname") && *value)
			return value;
	}
	return NULL;
}

/* Finds the time of the first event; reports a guess. */
static int64_t
find_start(const struct store_options *own, const char *file, const struct profile *p)
{
	const struct group *g = p->n_groups ? &p->group[0] : NULL;
	bool clock = g && g->has_time && g->axis == UNIT_NS;
	int64_t now = (int64_t)time(NULL) * SECOND, end = now;
	struct buf text = BUF_INIT;
	struct stat st;

	if (own->at.given)
		return wallclock_ns(&own->at, now);
	if (clock && g->start >= CLOCK_MIN)
		return g->start;
	if (clock && g->has_clock && sum_clipped(g->start, g->clock) >= CLOCK_MIN)
		return sum_clipped(g->start, g->clock);
	bool is_file = !url_is(file) && strcmp(file, "-") != 0 && !stat(file, &st);
	if (is_file)
		end = (int64_t)st.st_mtim.tv_sec * SECOND + st.st_mtim.tv_nsec;
	if (clock && g->end - g->start < end)
		end -= g->end - g->start;
	store_list_time(&text, end);
	say_warning(
		file,
		"the time of the recording is unknown: assuming %s, by the %s; --at sets it",
		buf_str(&text), is_file ? "file's time" : "clock");
	buf_release(&text);
	return end;
}

/* ---- messages ---- */

static void
say_stored(const char *file, const struct writer_counts *counts)
{
	struct buf out = BUF_INIT;

	escape_shown(&out, file, strlen(file), false);
	buf_adds(&out, ": stored: ");
	human_count(&out, (int64_t)counts->samples);
	buf_adds(&out, " samples, ");
	human_count(&out, (int64_t)counts->stacks);
	buf_adds(&out, " stacks, of which ");
	human_count(&out, (int64_t)counts->new_stacks);
	buf_adds(&out, " are new");
	puts(out.at);
	buf_release(&out);
}

static void
say_there(const char *file)
{
	struct buf out = BUF_INIT;

	escape_shown(&out, file, strlen(file), false);
	printf("%s: is already stored: skipped\n", buf_str(&out));
	buf_release(&out);
}

struct storing {
	const struct store_options *own;
	const struct options *o;
	const char *address;
	struct writer_job job;
	bool ends; /* the server refused it, and would refuse the rest */
	bool keeps; /* the input is kept for another try */
};

/* Handles a refusal by the server, or an impossible request. */
static int
refused(struct storing *s, const char *file, const struct err *e)
{
	s->ends = true;
	if (e->class == ERR_USAGE)
		return say_error(file, e);
	s->keeps = true;
	say_error(s->address, e);
	return STATUS_UNREADABLE;
}

/* ---- questions to the server, which may take long to answer ---- */

struct store_asking {
	struct storing *s;
	struct writer_counts counts;
	bool there, good;
	struct err e;
};

static void
prepare(void *ctx)
{
	struct store_asking *a = ctx;

	a->good = version_prepare(a->s->job.url, &a->e) &&
		  (!a->s->own->ttl_ns ||
		   ttl_set(a->s->job.url, a->s->own->ttl_ns / SECOND, &a->e));
}

static void
ask_there(void *ctx)
{
	struct store_asking *a = ctx;

	a->good = writer_there(&a->s->job, &a->there, &a->e);
}

static void
find_rows(void *ctx)
{
	struct store_asking *a = ctx;

	a->good = writer_rows(&a->s->job, &a->e);
}

static void
send_all(void *ctx)
{
	struct store_asking *a = ctx;

	a->good = writer_store(&a->s->job, &a->counts, &a->e);
}

/* The error is in a->e. */
static bool
slowly(struct store_asking *a, struct storing *s, const char *doing, void (*call)(void *ctx))
{
	struct progress g;

	progress_init(&g, s->job.file ? s->job.file : s->address, doing, s->job.profile);
	*a = (struct store_asking){.s = s};
	err_init(&a->e);
	s->job.events = &g.events;
	progress_call(&g, call, a);
	s->job.events = NULL;
	return a->good;
}

/* ---- a file ---- */

/* Returns true if there is something to store; else sets *status. */
static bool
is_new(struct storing *s, int *status)
{
	struct store_asking a;

	if (!slowly(&a, s, "asking the server", ask_there)) {
		*status = refused(s, s->job.file, &a.e);
		return false;
	}
	if (a.there)
		say_there(s->job.file);
	return !a.there;
}

/* Sends the new parts of the profile to the server; returns the status. */
static int
store_folded(struct storing *s, bool has_source, int status)
{
	const struct profile *p = s->job.profile;
	const char *file = s->job.file;
	struct store_asking a;
	char here[256] = "";

	if (!has_source && !slowly(&a, s, "reading", find_rows))
		return refused(s, file, &a.e);
	if (!has_source && !is_new(s, &status))
		return status;
	gethostname(here, sizeof here - 1);
	s->job.host = s->own->host ? s->own->host : recorded_host(p) ? recorded_host(p) : here;
	s->job.start = find_start(s->own, file, p);
	if (store_has_points(p))
		say_warning(file, "counters, states and marks are not stored");
	if (!slowly(&a, s, "storing", send_all))
		return refused(s, file, &a.e);
	say_stored(file, &a.counts);
	fflush(stdout);
	return status;
}

static int
store_profile(struct storing *s, const struct profile *p, struct fold *plain, bool has_source,
	      int status)
{
	struct fold *f = fold_beside(plain, p, &s->o->lens);

	s->job.profile = p;
	s->job.fold = f;
	s->job.ctx = s->job.file;
	s->ends |= !open_fold(f, s->job.file, p, &s->o->lens, NULL, &status);
	if (!s->ends)
		status = store_folded(s, has_source, status);
	s->job.fold = NULL;
	fold_free(f);
	return status;
}

static int
store_file(struct storing *s, const char *file)
{
	struct options one = *s->o;
	struct kept kept;
	int status = STATUS_DONE;
	bool has_source = !url_is(file) && strcmp(file, "-") != 0 &&
			  content_source(file, s->job.source);

	s->job.file = file;
	if (has_source && !is_new(s, &status))
		return status;
	one.files.at = &file;
	one.files.n = 1;
	kept_open(&kept, file);
	one.format.copy = kept_copy(&kept);
	struct fold *plain = NULL;
	struct profile *p = open_profile(&one, false, &plain, &status);
	if (!p) {
		kept_close(&kept, file, false);
		return status;
	}
	struct derived *derived = derived_new();
	const struct profile *shown;
	struct err e;

	err_init(&e);
	shown = derived_look(derived, p, &s->o->lens, false, NULL, &e);
	status = shown ? store_profile(s, shown, plain, has_source, status)
		       : say_error(file, &e);
	kept_close(&kept, file, s->keeps);
	fold_free(plain);
	derived_free(derived);
	s->job.profile = NULL;
	profile_free(p);
	return status;
}

/* ---- the command ---- */

/* Writes everything besides the bytes of a file that its numbers depend on. */
static void
write_how(struct buf *how, const struct store_options *own, const struct options *o)
{
	lens_write_options(&o->lens, how);
	for (size_t i = 0; i < o->format.given.n; i++)
		words_option(how, o->format.given.at[i].name, o->format.given.at[i].value);
	if (o->format.decoder)
		words_option(how, "input", o->format.decoder);
	if (own->host)
		words_option(how, "host", own->host);
}

static bool
read_address(struct options *o, const struct store_options *own, struct store_url *url,
	     const char **address, struct err *e)
{
	bool asks = own->list || own->symbolize || own->summarize; /* and stores nothing */

	if (own->list + own->symbolize + own->summarize + (own->ttl_ns > 0) > 1)
		return err_usage(e, "give one of --list, --symbolize, --summarize and --ttl");
	bool sets = own->ttl_ns && !own->service && o->files.n == 1; /* and stores nothing */
	if (!asks && !sets && (!own->service || !*own->service))
		return err_usage(e, "store needs --service");
	if (!o->files.n || !store_url_is(o->files.at[0]))
		return err_usage(e, "give clickhouse://HOST/DATABASE before the files");
	*address = o->files.at[0];
	memmove(o->files.at, o->files.at + 1, --o->files.n * sizeof *o->files.at);
	if (!store_url_read(url, *address, e))
		return false;
	url->silence_s = o->format.silence_s;
	if (!url->asks || (asks && !url->log_table))
		return true;
	store_url_release(url);
	return err_usage(e, "the address selects data to read; store accepts only tables= and "
			    "secure=");
}

/* Where nothing more can be stored, what waits in a pipe is kept.  A URL was not asked yet. */
static void
keep_stdin(const struct options *o, size_t from)
{
	struct kept kept;

	for (size_t i = from; i < o->files.n; i++) {
		if (strcmp(o->files.at[i], "-") != 0 || isatty(STDIN_FILENO))
			continue;
		kept_open(&kept, "-");
		bool whole = kept_copy(&kept) && input_copy_rest(STDIN_FILENO, &kept.copy);
		kept_close(&kept, "-", whole || kept.copy.failed);
		return;
	}
}

static int
store_files(struct storing *s)
{
	struct store_asking a;
	int status = STATUS_DONE, n_bad = 0;
	size_t n = s->o->files.n, i;

	if (!slowly(&a, s, "asking the server", prepare)) {
		status = refused(s, s->address, &a.e);
		keep_stdin(s->o, 0);
		return status;
	}
	for (i = 0; i < n && !s->ends; i++) {
		int of = store_file(s, s->o->files.at[i]);
		n_bad += of == STATUS_UNREADABLE;
		status = of == STATUS_DONE ? status : of;
	}
	if (s->keeps)
		keep_stdin(s->o, i);
	if (!s->ends && n)
		store_periods_after(s->job.url, s->own->service, s->address);
	/* as in all commands, an unreadable one of several files counts as damage */
	if (!s->ends && status != STATUS_DONE && n > 1)
		status = n_bad == (int)n ? STATUS_UNREADABLE : STATUS_DAMAGED;
	return status;
}

/* ---- the list ---- */

/* Returns the status. */
static int
store_list(const struct store_options *own, const struct store_url *url, const char *address)
{
	struct store_held held;
	int status = STATUS_DONE;
	struct err e;

	err_init(&e);
	if (store_list_read(&held, url, address, &e))
		store_list_write(&held, own->format);
	else
		status = say_error(address, &e);
	held_release(&held);
	return status;
}

/* Handles the options that take an address alone.  Returns the status. */
static int
store_asks(const struct command *self, const struct storing *s, const struct store_url *url)
{
	const struct store_options *own = s->own;
	struct err e;

	err_init(&e);
	if (s->o->files.n) {
		err_usage(&e, "--%s takes one address, and no files",
			  own->list ? "list" : own->symbolize ? "symbolize" : "summarize");
		return say_usage(self, &e);
	}
	if (own->summarize)
		return store_periods_summarize(url, s->address);
	return own->list ? store_list(own, url, s->address)
			 : store_symbolize(s->o, url, s->address);
}

static int
store_run(const struct command *self, int argc, char **argv)
{
	struct store_options own = {0};
	struct store_url url;
	struct buf how = BUF_INIT;
	struct options o;
	struct err e;
	int status;

	err_init(&e);
	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status)) {
		struct storing s = {.own = &own, .o = &o};
		if (!read_address(&o, &own, &url, &s.address, &e)) {
			status = say_usage(self, &e);
		} else if (own.list || own.symbolize || own.summarize) {
			status = store_asks(self, &s, &url);
			store_url_release(&url);
		} else {
			write_how(&how, &own, &o);
			s.job = (struct writer_job){.url = &url,
						    .lens = &o.lens,
						    .service = own.service,
						    .label = own.label.at,
						    .n_labels = own.label.n,
						    .how = buf_str(&how),
						    .warn = progress_warn};
			bool sets = own.ttl_ns && !own.service && !o.files.n;
			if (sets || open_operands(self, &o, &status))
				status = store_files(&s);
			store_url_release(&url);
		}
	}
	for (size_t i = 0; i < own.label.n; i++)
		free((char *)(uintptr_t)own.label.at[i].key);
	vec_release(&own.label);
	buf_release(&how);
	options_release(&o);
	return status;
}

const struct command command_store = {
	.name = "store",
	.synopsis = "--service NAME [OPTION...] clickhouse://[USER@]HOST[:PORT]/DATABASE FILE...",
	.summary = "add profiles to a store on ClickHouse, for pnav clickhouse://...",
	.examples = "pnav store --service web clickhouse://db.example.com/profiles perf.data\0",
	.options = store_rows,
	.takes = TAKES_PROFILE,
	.run = store_run,
};
