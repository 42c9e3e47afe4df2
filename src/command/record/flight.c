/* flight.c - see flight.h.
 *
 * A file is written by a process of its own, which has all records of the moment of its fork.  It
 * can take its time to look up names, while the recorder empties the rings. */
#include "src/command/record/flight.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/jitmaps.h"
#include "src/collect/keptfiles.h"
#include "src/collect/latency.h"
#include "src/collect/perfwriter.h"
#include "src/collect/record.h"
#include "src/collect/recpast.h"
#include "src/collect/recring.h"
#include "src/command/record/record_embed.h"
#include "src/command/say.h"
#include "src/input/clock.h"
#include "src/outfile.h"

#define FILES_MAX 16u /* the next ones replace the earliest but the first */
#define CHECK_NS 100000000u

struct flight {
	const struct record_options *o;
	const struct collect *c;
	const char *out;
	char *const *line;
	struct recring *ring;
	struct jitmaps *jit;
	struct keptfiles *kept; /* NULL: no names are embedded */
	VEC(struct latency *) latency; /* [of o->triggers] NULL: it is another condition */
	int64_t began_ns; /* since the epoch */
	uint64_t checked_at;
	uint64_t written_at; /* the last file of a condition; 0: none */
	unsigned files;
	bool held; /* a condition held at the last check */
};

/* Returns the event of a name; NULL: there is none. */
static const struct collect_event *
event_named(const struct eventlist *l, const char *place, const char *of)
{
	size_t n = strlen(place);

	for (size_t i = 0; i < l->at.n; i++) {
		const char *name = l->at.at[i].name;
		if (name && !strncmp(name, place, n) && !strcmp(name + n, of))
			return &l->at.at[i];
	}
	return NULL;
}

/* Adds the functions with both probes whose names match; returns their number. */
static size_t
add_functions(struct latency *to, const struct eventlist *l, const char *pattern)
{
	static const char begins[] = "uprobe:";
	size_t n = 0;

	for (size_t i = 0; i < l->at.n; i++) {
		const struct collect_event *v = &l->at.at[i];
		if (!v->name || strncmp(v->name, begins, sizeof begins - 1) != 0)
			continue;
		const char *of = v->name + sizeof begins - 1;
		const struct collect_event *returns = event_named(l, "uretprobe:", of);
		if (!returns || fnmatch(pattern, of, 0) != 0)
			continue;
		latency_add(to, v, returns);
		n++;
	}
	return n;
}

/* Makes what measures the calls of a trigger's functions. */
static struct latency *
make_latency(const struct trigger *t, const struct collect *c)
{
	struct latency *made = latency_new((uint64_t)t->limit);
	char *pattern = mem_dup(t->text + t->probe_at, t->probe_len);
	const char *colon = strchr(pattern, ':');

	/* the pattern may be a mangled name, the events have the readable ones */
	if (!add_functions(made, collect_events(c), pattern) && colon) {
		struct buf all = BUF_INIT;
		buf_addf(&all, "%.*s:*", (int)(colon - pattern), pattern);
		add_functions(made, collect_events(c), buf_str(&all));
		buf_release(&all);
	}
	free(pattern);
	return made;
}

struct flight *
flight_new(const struct record_options *o, const struct collect *c, const char *out,
	   char *const *line)
{
	struct flight *f = mem_zalloc(1, sizeof *f);

	*f = (struct flight){.o = o, .c = c, .out = out, .line = line};
	f->began_ns = clock_day_ns();
	f->ring = recring_new(o->ring_ns, 0);
	if (o->beside && !o->pids.n)
		recring_command(f->ring, (uint32_t)collect_command(c));
	for (size_t i = 0; o->beside && i < o->pids.n; i++)
		recring_command(f->ring, (uint32_t)o->pids.at[i]);
	f->jit = jitmaps_new();
	f->kept = o->embeds != EMBED_NONE ? keptfiles_new() : NULL;
	for (size_t i = 0; i < o->triggers.n; i++)
		*vec_push(&f->latency) = o->triggers.at[i].kind == TRIGGER_LATENCY
						 ? make_latency(&o->triggers.at[i], c)
						 : NULL;
	return f;
}

void
flight_free(struct flight *f)
{
	if (!f)
		return;
	recring_free(f->ring);
	jitmaps_free(f->jit);
	keptfiles_free(f->kept);
	for (size_t i = 0; i < f->latency.n; i++)
		latency_free(f->latency.at[i]);
	vec_release(&f->latency);
	free(f);
}

bool
flight_take(void *flight, const struct perf_event_header *record, struct err *e)
{
	struct flight *f = flight;

	(void)e;
	for (size_t i = 0; i < f->latency.n; i++)
		if (f->latency.at[i])
			latency_take(f->latency.at[i], record);
	jitmaps_take(f->jit, record);
	keptfiles_take(f->kept, record);
	recring_take(f->ring, record, record_now());
	return true;
}

/* ---- files ---- */

static bool
flight_records(struct flight *f, struct perfwriter *w, struct err *e)
{
	struct collect_sink sink = {perfwriter_take, w};
	struct buf maps = BUF_INIT;

	bool good = recring_write(f->ring, &sink, e);
	if (f->o->embeds != EMBED_NONE)
		perfwriter_reserve(w);
	jitmaps_feature(f->jit, &maps);
	perfwriter_keep_jit(w, &maps);
	buf_release(&maps);
	return good && perfwriter_finish(w, e);
}

static bool
flight_file(struct flight *f, const char *path, struct buf *said, struct err *e)
{
	static const struct outfile_how how = {.owner = true, .seeks = true};
	struct outfile file = {.fd = -1};
	struct record_embed names = {.path = path,
				     .began_ns = f->began_ns,
				     .names = f->o->embeds != EMBED_NONE,
				     .code = f->o->embeds == EMBED_ALL,
				     .cache = f->o->cache,
				     .terminal = true};

	if (!outfile_open(&file, path, &how, e))
		return false;
	struct recpast_pids command = {0};
	recring_commanded(f->ring, &command);
	struct perfwriter *w =
		perfwriter_new(file.fd, collect_events(f->c), f->line,
			       (struct perfwriter_how){.compress = f->o->compress,
						       .command = command.at.at,
						       .n_command = (uint32_t)command.at.n});
	bool good = flight_records(f, w, e) && outfile_keep(&file, NULL, e);
	if (good && (names.names || names.cache))
		record_embed(w, &names, said);
	perfwriter_free(w);
	vec_release(&command.at);
	return outfile_close(&file, good, e);
}

/* Writes the next file; `why`: what has happened. */
static bool
flight_write(struct flight *f, unsigned number, const char *why, struct buf *said)
{
	struct buf path = BUF_INIT;
	struct err e;
	uint64_t n = recring_samples(f->ring);

	err_init(&e);
	buf_adds(&path, f->out);
	if (number > 1)
		buf_addf(&path, ".%u", number);
	bool good = flight_file(f, buf_str(&path), said, &e);
	if (good)
		buf_addf(said, "pnav: %s: %" PRIu64 " sample%s of the last %.3g s: %s\n",
			 buf_str(&path), n, n == 1 ? "" : "s", (double)f->o->ring_ns / 1e9, why);
	else
		buf_addf(said, "pnav: %s\n", e.text);
	buf_release(&path);
	return good;
}

/* The number of the next file. */
static unsigned
next_number(struct flight *f)
{
	f->files = f->files < FILES_MAX ? f->files + 1 : 2;
	return f->files;
}

/* Writes a file in a process of its own, which belongs to init. */
static void
write_apart(struct flight *f, const char *why)
{
	unsigned number = next_number(f);
	struct buf said = BUF_INIT;

	fflush(stderr);
	pid_t pid = fork();
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (pid)
		return;
	pid = fork();
	if (pid)
		_exit(0);
	flight_write(f, number, why, &said);
	say_text(buf_str(&said));
	fflush(stderr);
	_exit(0);
}

/* ---- triggers ---- */

static const struct trigger *
holding(const struct flight *f)
{
	pid_t target = f->o->pids.n ? f->o->pids.at[0] : collect_command(f->c);

	for (size_t i = 0; i < f->o->triggers.n; i++)
		if (f->latency.at[i] ? latency_took(f->latency.at[i])
				     : trigger_holds(&f->o->triggers.at[i], target))
			return &f->o->triggers.at[i];
	return NULL;
}

void
flight_idle(struct flight *f)
{
	struct timespec now = {0};
	uint64_t at = record_now();
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	if (sigtimedwait(&set, NULL, &now) == SIGUSR2)
		write_apart(f, "SIGUSR2");
	if (at - f->checked_at < CHECK_NS)
		return;
	f->checked_at = at;
	const struct trigger *t = holding(f);
	/* a condition that goes on has one file */
	if (t && !f->held && (!f->written_at || at - f->written_at >= f->o->ring_ns)) {
		write_apart(f, t->text);
		f->written_at = at;
	}
	f->held = t != NULL;
}

bool
flight_end(struct flight *f, struct buf *said)
{
	const struct collect_result *r = collect_result(f->c);
	int status = collect_exit_status(r->status);
	char why[64];

	if (r->interrupted)
		snprintf(why, sizeof why, "the recording was interrupted");
	else if (status)
		snprintf(why, sizeof why, "the command ended with status %d", status);
	else if (!f->files && !f->o->quiet)
		buf_adds(said, "pnav: nothing was written: no --trigger held, no SIGUSR2 came, and "
			       "the command did not fail\n");
	return (!r->interrupted && !status) || flight_write(f, next_number(f), why, said);
}
