/* record.c - `pnav record`: runs a command, samples it, and shows where its time goes.
 *
 * On a terminal the browser opens as soon as the command runs.  The command then has no terminal:
 * its input is empty, and its output goes to OUT.log.  With `--` in front it keeps the terminal, as
 * under `perf record` and `samply`, and the browser opens after its end. With -o, or if standard
 * output is not a terminal, no browser opens.
 *
 * The collector runs in its own process while the browser is open: ptrace belongs to one thread,
 * and signals that end the command must not reach the browser.  It feeds the browser through a
 * pipe.  When the user leaves the browser, the recording ends, and the command is asked to end. */
#include "src/collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/collect/jitmaps.h"
#include "src/collect/keptfiles.h"
#include "src/collect/perfwriter.h"
#include "src/command/browse/browse.h"
#include "src/command/record/continuous.h"
#include "src/command/record/flight.h"
#include "src/command/record/profile_options.h"
#include "src/command/record/record_embed.h"
#include "src/command/record/record_options.h"
#include "src/command/say.h"
#include "src/input/clock.h"
#include "src/outfile.h"

#define OUT_DEFAULT "perf.data"
#define LIVE_MAX (1ull << 30) /* for the whole system, while the browser is open */
#define WAIT_MS 700           /* how long pnav waits silently for a command that was asked to end */
#define LONG_NS 1000000000u   /* a longer run is long enough to sample */
#define STATUS_NOT_FOUND 127  /* as in shells */
#define STATUS_NOT_RUN 126

struct recording {
	struct record_options o;
	const char *out;
	bool keeps_terminal; /* -- */
	bool streams;        /* -o - */
	char **line;         /* the whole command line */
	/* while it runs */
	struct outfile file, log;
	struct perfwriter *writer;
	struct jitmaps *jit;
	struct keptfiles *kept; /* NULL: no names are embedded */
	struct flight *flight; /* --ring */
	int pipe;         /* to the browser, or -1 */
	int sampled;      /* --store: gets a byte after the last sample; or -1 */
	bool left;        /* the user left the browser before the command ended */
	bool full;        /* --max-size is reached */
	int64_t began_ns; /* since the epoch */
	struct buf news;  /* for the browser: the result of the recording */
};

static bool
runs_already(const struct recording *r)
{
	return !r->o.collect.argv[0] || r->o.pids.n;
}

/* ---- recording ---- */

/* Recordings hold copies of stacks, and logs hold the command's output, so only their owner may
 * read them. */
static const struct outfile_how how_recorded = {.owner = true, .seeks = true};

/* The command runs: from now on the recording may replace the old file. */
static bool
keep_files(struct recording *r, struct err *e)
{
	/* as perf record does */
	const char *old = strcmp(r->out, OUT_DEFAULT) ? NULL : OUT_DEFAULT ".old";
	if (r->streams)
		return true;
	return outfile_keep(&r->log, NULL, e) && outfile_keep(&r->file, old, e);
}

/* Called twenty times a second to extend the file and the browser's view. */
static bool
on_idle(void *ctx)
{
	struct recording *r = ctx;
	struct err e;
	err_init(&e);
	if (r->flight) {
		flight_idle(r->flight);
		return false;
	}
	keep_files(r, &e);
	/* if it fails, the next record fails too and ends the recording */
	perfwriter_flush(r->writer, &e);
	if (r->pipe >= 0 && !perfwriter_feed(r->writer, r->pipe))
		r->left = true;
	return r->left;
}

static void
say_waiting(const struct recording *r)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "pnav: waiting for %s to end; ^C again ends it\n", r->o.collect.argv[0]);
	say_text(buf_str(&text));
	buf_release(&text);
}

/* The command takes time to end after ^C.  If a browser has the terminal, record_and_browse()
 * reports this after the browser has closed. */
static void
on_wait(void *ctx)
{
	const struct recording *r = ctx;
	if (r->pipe < 0)
		say_waiting(r);
}

static int
status_of_fault(enum collect_fault fault)
{
	return fault == COLLECT_NOT_FOUND ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Writes the rest to the pipe, waiting for its reader. */
static void
feed_rest(const struct recording *r)
{
	if (r->pipe < 0)
		return;
	fcntl(r->pipe, F_SETFL, fcntl(r->pipe, F_GETFL) & ~O_NONBLOCK);
	perfwriter_feed(r->writer, r->pipe);
}

static void
say_nothing_seen(const struct recording *r, const struct collect_result *res, struct buf *said)
{
	if (res->setuid)
		return; /* that it is not sampled is said */
	if (runs_already(r))
		buf_addf(said,
			 "pnav: the process used too little CPU time for a sample%s; --off-cpu "
			 "shows where it waits\n",
			 res->sampler == COLLECT_PTRACE ? ", or ptrace was too slow for it" : "");
	else if (res->ran_ns < LONG_NS)
		buf_adds(said, "pnav: the command ran too fast, or only waited: no sample; "
			       "a larger task, or more samples a second (-F) may help\n");
	else
		buf_adds(said, "pnav: the command waited nearly all the time: no sample; "
			       "--off-cpu shows where\n");
}

/* The share of --max-size, one in EMBED_SHARE, that is kept for embedded names. */
#define EMBED_SHARE 16u

static bool
take_record(void *ctx, const struct perf_event_header *record, struct err *e)
{
	struct recording *r = ctx;
	/* the embedded data at the end needs space, too */
	uint64_t room = r->o.embeds != EMBED_NONE ? r->o.max_size / EMBED_SHARE : 0;
	if (r->o.max_size &&
	    perfwriter_size(r->writer) + record->size + room > r->o.max_size) {
		r->full = true;
		return err_refuse(e, "it is full");
	}
	jitmaps_take(r->jit, record);
	keptfiles_take(r->kept, record);
	return perfwriter_take(r->writer, record, e);
}

static void
say_full(const struct recording *r, struct buf *said)
{
	const char *unit = "B";
	uint64_t n = r->o.max_size;

	for (const char *next = "KMG"; *next && n % 1024 == 0; next++) {
		n /= 1024;
		unit = next;
	}
	buf_addf(said, "pnav: %s: the recording ended at %llu %.1s%s (--max-size)\n", r->out,
		 (unsigned long long)n, unit, *unit == 'B' ? "" : "B");
}

/* Keeps names of JIT code, whose files disappear at the next boot. */
static void
keep_jit(struct recording *r)
{
	struct buf maps = BUF_INIT;
	jitmaps_feature(r->jit, &maps);
	perfwriter_keep_jit(r->writer, &maps);
	buf_release(&maps);
}

static void
say_samples(struct recording *r, struct collect *c, struct buf *said)
{
	uint64_t n = collect_result(c)->samples;

	buf_addf(said, "pnav: %s: %llu sample%s, ", r->out, (unsigned long long)n, plural(n));
	collect_describe(c, said);
	buf_addc(said, '\n');
	if (r->full)
		say_full(r, said);
	if (!n && !r->o.collect.off_cpu && !r->full)
		say_nothing_seen(r, collect_result(c), said);
	jitmaps_hint(r->jit, said);
	collect_say_interpreters(c, said);
}

/* With --quiet only faults are reported. */
static void
say_faults(const struct recording *r, const struct collect *c, struct buf *said)
{
	struct buf faults = BUF_INIT;

	collect_warn(c, &faults);
	if (faults.len)
		buf_addf(said, "pnav: %s: %s\n", r->out, buf_str(&faults));
	buf_release(&faults);
}

/* Only a plain file can be read again; a device cannot. */
static void
embed(struct recording *r, struct buf *said)
{
	struct stat st;

	struct record_embed how = {.path = r->file.path,
				   .began_ns = r->began_ns,
				   .names = r->o.embeds != EMBED_NONE,
				   .code = r->o.embeds == EMBED_ALL,
				   .cache = r->o.cache,
				   .terminal = r->pipe < 0};
	if ((how.names || how.cache) && !r->streams && !fstat(r->file.fd, &st) &&
	    S_ISREG(st.st_mode))
		record_embed(r->writer, &how, said);
}

static struct perfwriter_how
how_written(const struct recording *r, const pid_t *command)
{
	struct perfwriter_how how = {.stream = r->streams, .compress = r->o.compress};

	if (r->o.beside) {
		how.command = r->o.pids.n ? r->o.pids.at : command;
		how.n_command = r->o.pids.n ? (uint32_t)r->o.pids.n : 1;
	}
	return how;
}

static int
run_collect(struct recording *r, struct collect *c, struct buf *said)
{
	struct err e;
	err_init(&e);
	pid_t command = collect_command(c);
	r->writer = perfwriter_new(r->streams ? STDOUT_FILENO : r->file.fd, collect_events(c),
				   r->line, how_written(r, &command));
	struct collect_sink sink = {take_record, r};
	r->jit = jitmaps_new();
	r->kept = r->o.embeds != EMBED_NONE ? keptfiles_new() : NULL;
	r->began_ns = clock_day_ns();
	bool good = collect_run(c, &sink, &e) || r->full;
	if (r->sampled >= 0 && write(r->sampled, "", 1) < 0)
		good = false; /* its supervisor has ended */
	if (r->o.embeds)
		perfwriter_reserve(r->writer);
	keep_jit(r);
	good = good && perfwriter_finish(r->writer, &e);
	good = good && keep_files(r, &e);
	const struct collect_result *res = collect_result(c);
	/* leaving the browser, or the time limit, ends the command: neither is a failure */
	bool asked = r->left || res->overdue;
	int status = asked ? STATUS_DONE : collect_exit_status(res->status);
	if (!res->fault) {
		const char *name = r->o.collect.argv[0];
		buf_addf(&r->news, "%s ended with status %d: %llu sample%s in %s",
			 name ? name : "the process", collect_exit_status(res->status),
			 (unsigned long long)res->samples, plural(res->samples), r->out);
		if (name && r->log.fd >= 0)
			buf_addf(&r->news, ", output in %s.log", r->out);
		feed_rest(r);
	}
	if (good)
		embed(r, said);
	if (good) { /* the command's own status is reported separately */
		if (r->o.quiet)
			say_faults(r, c, said);
		else
			say_samples(r, c, said);
	} else if (res->fault) {
		status = status_of_fault(res->fault);
		buf_addf(said, "pnav: %s: %s\n", r->o.collect.argv[0], e.text);
	} else {
		struct err unnamed;
		status = STATUS_UNREADABLE;
		err_init(&unnamed);
		keep_files(r, &unnamed);
		buf_addf(said, "pnav: %s: %s; sampled up to there: %llu sample%s\n",
			 r->out, e.text, (unsigned long long)res->samples,
			 plural(res->samples));
	}
	perfwriter_free(r->writer);
	jitmaps_free(r->jit);
	keptfiles_free(r->kept);
	return status;
}

/* Records until the end, and writes only what triggers ask for. */
static int
run_flight(struct recording *r, struct collect *c, struct buf *said)
{
	struct err e;
	err_init(&e);
	r->flight = flight_new(&r->o, c, r->out, r->line);
	struct collect_sink sink = {flight_take, r->flight};
	bool good = collect_run(c, &sink, &e);
	const struct collect_result *res = collect_result(c);
	int status = res->overdue ? STATUS_DONE : collect_exit_status(res->status);
	if (res->fault)
		status = status_of_fault(res->fault);
	if (!good)
		buf_addf(said, "pnav: %s: %s\n", r->o.collect.argv[0], e.text);
	else if (!flight_end(r->flight, said))
		status = STATUS_UNREADABLE;
	say_faults(r, c, said);
	flight_free(r->flight);
	return status;
}

/* The command has no terminal while the browser has it. */
static bool
give_files(struct recording *r, struct err *e)
{
	struct buf name = BUF_INIT;
	buf_addf(&name, "%s.log", r->out);
	bool good = outfile_open(&r->log, buf_str(&name), &how_recorded, e);
	buf_release(&name);
	r->o.collect.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r->o.collect.out = r->o.collect.err = r->log.fd;
	return good;
}

/* Records until the command ends; returns its exit status. */
static int
record_until_end(struct recording *r, struct buf *said)
{
	enum collect_fault fault;
	struct collect *c = NULL;
	struct err e;
	int status = STATUS_UNREADABLE;

	err_init(&e);
	r->o.collect.idle = on_idle;
	r->o.collect.waits = on_wait;
	r->o.collect.ctx = r;
	if ((!r->streams && !r->o.ring_ns && !outfile_open(&r->file, r->out, &how_recorded, &e)) ||
	    (r->pipe >= 0 && !give_files(r, &e)))
		buf_addf(said, "pnav: %s\n", e.text);
	else if (!(c = collect_new(&r->o.collect, &fault, &e)))
		buf_addf(said, "pnav: %s\n", e.text);
	else
		status = r->o.ring_ns ? run_flight(r, c, said) : run_collect(r, c, said);
	collect_free(c);
	/* output to keep has its final name already */
	outfile_close(&r->log, false, &e);
	outfile_close(&r->file, false, &e);
	return status;
}

/* ---- with the browser ---- */

/* Returns the status of the recording, or, if that succeeded, the browser's. */
static int
end_browsing(void *ctx, int status)
{
	const int *recorded = ctx;
	return *recorded ? *recorded : status;
}

static int
browse(struct recording *r, int recorded)
{
	char *title = record_options_title(&r->o, r->out);
	struct browse_stream whole = {.name = r->out, .title = title, .fd = -1, .news = -1,
				      .end = end_browsing, .ctx = &recorded};

	buf_add(&whole.said, r->news.at, r->news.len);
	int status = browse_stream(&whole);
	buf_release(&whole.said);
	free(title);
	return status;
}

/* Runs in the collector's process and ends it. */
static void
record_and_exit(struct recording *r, int news)
{
	struct buf said = BUF_INIT;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0); /* ^C is meant for the browser */
	fcntl(r->pipe, F_SETPIPE_SZ, 1 << 20);
	fcntl(r->pipe, F_SETFL, fcntl(r->pipe, F_GETFL) | O_NONBLOCK);
	int status = record_until_end(r, &said);
	/* one line for the browser, the rest for after it */
	buf_addc(&r->news, '\n');
	(void)!write(news, buf_str(&r->news), r->news.len);
	(void)!write(news, buf_str(&said), said.len);
	_exit(status);
}

/* Prints the news except the browser's line. */
static void
say_rest(struct browse_stream *s)
{
	char part[1024];
	ssize_t n;
	while ((n = read(s->news, part, sizeof part)) > 0)
		buf_add(&s->said, part, (size_t)n);
	const char *rest = strchr(buf_str(&s->said), '\n');
	say_text(rest ? rest + 1 : "");
	buf_release(&s->said);
}

/* The collector and its output while the browser is open. */
struct collector {
	struct recording *r;
	struct browse_stream stream;
	pid_t pid;
};

/* The browser has closed: the collector notices it by its pipe, ends the command, and reports. */
static int
end_collector(void *ctx, int status)
{
	struct collector *c = ctx;
	int news = c->stream.news, state = 0;

	close(c->stream.fd);
	fcntl(news, F_SETFL, fcntl(news, F_GETFL) & ~O_NONBLOCK);
	struct pollfd rest = {.fd = news, .events = POLLIN};
	if (c->r->o.collect.argv[0] && !poll(&rest, 1, WAIT_MS))
		say_waiting(c->r);
	say_rest(&c->stream);
	close(news);
	waitpid(c->pid, &state, 0);
	return status ? status : collect_exit_status(state);
}

static int
record_and_browse(struct recording *r)
{
	int data[2], news[2];

	if (pipe2(data, O_CLOEXEC) || pipe2(news, O_CLOEXEC)) {
		fprintf(stderr, "pnav: %s\n", strerror(errno));
		return STATUS_UNREADABLE;
	}
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		close(data[0]);
		close(news[0]);
		r->pipe = data[1];
		record_and_exit(r, news[1]);
	}
	close(data[1]);
	close(news[1]);
	if (pid < 0) {
		fprintf(stderr, "pnav: %s\n", strerror(errno));
		return STATUS_UNREADABLE;
	}
	/* a command that cannot be started gives nothing to browse */
	struct pollfd first = {.fd = data[0], .events = POLLIN};
	while (poll(&first, 1, -1) < 0 && errno == EINTR)
		;
	char *title = record_options_title(&r->o, r->out);
	struct collector c = {
		.r = r,
		.stream = {.name = r->out, .title = title, .fd = data[0], .news = news[0],
			   .end = end_collector, .ctx = &c},
		.pid = pid,
	};
	/* the browser may ask before the collector has ended */
	fcntl(news[0], F_SETFL, fcntl(news[0], F_GETFL) | O_NONBLOCK);
	int status = first.revents & POLLIN ? browse_stream(&c.stream)
					    : end_collector(&c, STATUS_DONE);
	free(title);
	return status;
}

static int
record_command(struct recording *r)
{
	bool browses = !r->out && isatty(STDOUT_FILENO) && !r->o.ring_ns;
	struct buf said = BUF_INIT;
	if (!r->out)
		r->out = OUT_DEFAULT;
	r->streams = !strcmp(r->out, "-");
	if (r->streams && r->o.ring_ns) {
		fprintf(stderr, "pnav: --ring writes files: --output - is not possible\n");
		return STATUS_USAGE;
	}
	if (r->streams && isatty(STDOUT_FILENO)) {
		fprintf(stderr, "pnav: --output -: a recording cannot go to a terminal\n");
		return STATUS_USAGE;
	}
	if (r->streams && r->o.collect.out < 0)
		r->o.collect.out = STDERR_FILENO; /* as perf does */
	if (browses && !r->keeps_terminal) {
		if (r->o.collect.system && !r->o.max_size)
			r->o.max_size = LIVE_MAX;
		return record_and_browse(r);
	}
	int status = record_until_end(r, &said);
	say_text(buf_str(&said));
	buf_release(&said);
	return browses && !access(r->out, R_OK) ? browse(r, status) : status;
}

/* Records one part for --store, in a process of its own. */
static int
record_part(void *ctx, const char *path, int fd)
{
	struct recording *r = ctx;
	struct buf said = BUF_INIT;

	r->out = path;
	r->sampled = fd;
	r->o.quiet = true;
	int status = record_until_end(r, &said);
	say_text(buf_str(&said));
	buf_release(&said);
	return status;
}

static int
record_run(const struct command *self, int argc, char **argv)
{
	struct recording r = {
		.file = {.fd = -1},
		.log = {.fd = -1},
		.pipe = -1,
		.sampled = -1,
		.line = argv - 1, /* pnav record ... */
	};
	struct options o;
	struct err e;
	int status = STATUS_DONE;

	err_init(&e);
	record_options_init(&r.o);
	options_init(&o, &r.o);
	int own = record_own_words(argc, argv, &r.keeps_terminal);
	r.o.collect.argv = argv + own;
	if (!sampler_named(getenv("PNAV_SAMPLER"), &r.o.collect.sampler)) {
		err_usage(&e, "PNAV_SAMPLER is perf or ptrace");
		status = say_usage(self, &e);
	} else if (command_options(self, &o, own, argv, &status)) {
		r.out = r.o.out;
		struct continuous_how how = {&r.o, record_part, &r};
		if (!record_options_done(&r.o, &e))
			status = say_usage(self, &e);
		else
			status = r.o.store ? continuous_run(&how) : record_command(&r);
	}
	options_release(&o);
	record_options_release(&r.o);
	buf_release(&r.news);
	return status;
}

const struct command command_record = {
	.name = "record",
	.synopsis = "[-e EVENT] [-F HZ] [-o OUT] [--off-cpu] [-p PID | -a] [[--] CMD...]",
	.summary = "run a command, and show where its time goes",
	.examples = "pnav record ./program\0"
		    "pnav record -g -o perf.data ./program argument\0"
		    "pnav record --off-cpu --duration 10s -p 1234\0"
		    "pnav record --why -o why.data ./program\0",
	.options = record_rows,
	.run = record_run,
};
