/* record.c - `pnav record`: runs a command, samples it, shows where its time goes.
 *
 * On a terminal the browser opens as soon as the command runs.  The command then has no
 * terminal: it reads nothing and its output goes to OUT.log.  With `--` in front it keeps
 * the terminal, as under `perf record` and `samply`, and the browser opens after its end.
 * With -o, or where standard output is no terminal, there is no browser.
 *
 * The collector runs in a process of its own while the browser is open: ptrace belongs to
 * one thread, and signals that end the command must not be the browser's.  It feeds the
 * browser by a pipe.  Leaving the browser ends the recording, and asks
 * the command to end. */
#include "src/collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/collect/jitmaps.h"
#include "src/collect/perfwriter.h"
#include "src/command/browse/browse.h"
#include "src/command/record/profile_options.h"
#include "src/command/record/record_options.h"
#include "src/command/say.h"
#include "src/outfile.h"

#define OUT_DEFAULT "perf.data"
#define WAIT_MS 700 /* for the end of a command that was asked to, in silence */
#define STATUS_NOT_FOUND 127 /* as shells say it */
#define STATUS_NOT_RUN 126

struct recording {
	struct record_options o;
	const char *out;
	bool keeps_terminal; /* -- */
	bool streams;        /* -o - */
	char **line;         /* all of the command line */
	/* while it runs */
	struct outfile file, log;
	struct perfwriter *writer;
	struct jitmaps *jit;
	int pipe;  /* to the browser, or -1 */
	bool left; /* the browser, before the command ended */
	struct buf news; /* for the browser: how it ended */
};

static bool
runs_already(const struct recording *r)
{
	return !r->o.collect.argv[0];
}

/* ---- recording ---- */

/* Recordings hold copies of stacks, and logs what a command said: both are their owner's. */
static const struct outfile_how how_recorded = {.owner = true, .seeks = true};

/* The command runs: now the recording is worth more than what had its name. */
static bool
keep_files(struct recording *r, struct err *e)
{
	/* as perf record does */
	const char *old = strcmp(r->out, OUT_DEFAULT) ? NULL : OUT_DEFAULT ".old";
	if (r->streams)
		return true;
	return outfile_keep(&r->log, NULL, e) && outfile_keep(&r->file, old, e);
}

/* Twenty times a second: the file grows, and so does what the browser sees. */
static bool
on_idle(void *ctx)
{
	struct recording *r = ctx;
	struct err e;
	err_init(&e);
	keep_files(r, &e);
	/* when it fails, so does the next record, and that ends the recording */
	perfwriter_flush(r->writer, &e);
	if (r->pipe >= 0 && !perfwriter_feed(r->writer, r->pipe))
		r->left = true;
	return r->left;
}

static void
say_waiting(const struct recording *r)
{
	fprintf(stderr, "pnav: waiting for %s to end; ^C again ends it\n",
		r->o.collect.argv[0]);
}

/* The command takes its time after ^C.  Where a browser has the terminal, record_and_browse()
 * says so once it has gone. */
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

/* The rest of the pipe, waiting for its reader. */
static void
feed_rest(const struct recording *r)
{
	if (r->pipe < 0)
		return;
	fcntl(r->pipe, F_SETFL, fcntl(r->pipe, F_GETFL) & ~O_NONBLOCK);
	perfwriter_feed(r->writer, r->pipe);
}

static void
say_nothing_seen(const struct recording *r, struct buf *said)
{
	if (runs_already(r))
		buf_adds(said, "pnav: the process used no CPU time that a sample fell in\n");
	else
		buf_adds(said, "pnav: the command ran too fast, or only waited: no sample; "
			       "a larger task, or more samples a second (-F) may help\n");
}

static bool
take_record(void *ctx, const struct perf_event_header *record, struct err *e)
{
	struct recording *r = ctx;
	jitmaps_take(r->jit, record);
	return perfwriter_take(r->writer, record, e);
}

/* Names that are gone with the machine's next start. */
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
	if (!n && !r->o.collect.off_cpu)
		say_nothing_seen(r, said);
	jitmaps_hint(r->jit, said);
}

static int
run_collect(struct recording *r, struct collect *c, struct buf *said)
{
	struct err e;
	err_init(&e);
	r->writer = perfwriter_new(r->streams ? STDOUT_FILENO : r->file.fd, collect_events(c),
				   r->line,
				   (struct perfwriter_how){r->streams, r->o.compress});
	struct collect_sink sink = {take_record, r};
	r->jit = jitmaps_new();
	bool good = collect_run(c, &sink, &e);
	keep_jit(r);
	good = good && perfwriter_finish(r->writer, &e);
	good = good && keep_files(r, &e);
	const struct collect_result *res = collect_result(c);
	/* whoever leaves the browser, or sets a time, ends the command: no failure of either */
	bool asked = r->left || res->overdue;
	int status = asked ? STATUS_DONE : collect_exit_status(res->status);
	if (!res->fault) {
		buf_addf(&r->news, "%s ended with status %d: %llu sample%s in %s",
			 runs_already(r) ? "the process" : r->o.collect.argv[0],
			 collect_exit_status(res->status),
			 (unsigned long long)res->samples, plural(res->samples), r->out);
		if (!runs_already(r))
			buf_addf(&r->news, ", output in %s.log", r->out);
		feed_rest(r);
	}
	if (good) { /* how the command ended is its own matter */
		if (!r->o.quiet)
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

/* All of it, to the end of the command; gives its exit status. */
static int
record(struct recording *r, struct buf *said)
{
	enum collect_fault fault;
	struct collect *c = NULL;
	struct err e;
	int status = STATUS_UNREADABLE;

	err_init(&e);
	r->o.collect.idle = on_idle;
	r->o.collect.waits = on_wait;
	r->o.collect.ctx = r;
	if ((!r->streams && !outfile_open(&r->file, r->out, &how_recorded, &e)) ||
	    (r->pipe >= 0 && !give_files(r, &e)))
		buf_addf(said, "pnav: %s\n", e.text);
	else if (!(c = collect_new(&r->o.collect, &fault, &e)))
		buf_addf(said, "pnav: %s\n", e.text);
	else
		status = run_collect(r, c, said);
	collect_free(c);
	/* what is to stay has its name already */
	outfile_close(&r->log, false, &e);
	outfile_close(&r->file, false, &e);
	return status;
}

/* ---- with the browser ---- */

/* The status of what was recorded, unless that went well and the browser did not. */
static int
end_browsing(void *ctx, int status)
{
	const int *recorded = ctx;
	return *recorded ? *recorded : status;
}

static int
browse(const char *file, int recorded)
{
	struct browse_stream whole = {
		.name = file, .fd = -1, .news = -1, .end = end_browsing, .ctx = &recorded};
	return browse_stream(&whole);
}

/* In the collector's process: ends it. */
static void
record_and_exit(struct recording *r, int news)
{
	struct buf said = BUF_INIT;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0); /* ^C is for the browser */
	fcntl(r->pipe, F_SETPIPE_SZ, 1 << 20);
	fcntl(r->pipe, F_SETFL, fcntl(r->pipe, F_GETFL) | O_NONBLOCK);
	int status = record(r, &said);
	/* a line for the browser, the rest for after it */
	buf_addc(&r->news, '\n');
	(void)!write(news, buf_str(&r->news), r->news.len);
	(void)!write(news, buf_str(&said), said.len);
	_exit(status);
}

/* All of the news but the browser's line. */
static void
say_rest(struct browse_stream *s)
{
	char part[1024];
	ssize_t n;
	while ((n = read(s->news, part, sizeof part)) > 0)
		buf_add(&s->said, part, (size_t)n);
	const char *rest = strchr(buf_str(&s->said), '\n');
	fputs(rest ? rest + 1 : "", stderr);
	buf_release(&s->said);
}

/* The collector and what it writes, while the browser looks. */
struct collector {
	struct recording *r;
	struct browse_stream stream;
	pid_t pid;
};

/* The browser has gone: the collector sees that by its pipe, ends the command, and tells. */
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
	/* a command that cannot be started shows nothing to browse */
	struct pollfd first = {.fd = data[0], .events = POLLIN};
	while (poll(&first, 1, -1) < 0 && errno == EINTR)
		;
	struct collector c = {
		.r = r,
		.stream = {.name = r->out, .fd = data[0], .news = news[0],
			   .end = end_collector, .ctx = &c},
		.pid = pid,
	};
	/* the browser may ask before the collector has ended */
	fcntl(news[0], F_SETFL, fcntl(news[0], F_GETFL) | O_NONBLOCK);
	return first.revents & POLLIN ? browse_stream(&c.stream) : end_collector(&c, STATUS_DONE);
}

static int
record_command(struct recording *r)
{
	bool browses = !r->out && isatty(STDOUT_FILENO);
	struct buf said = BUF_INIT;
	if (!r->out)
		r->out = OUT_DEFAULT;
	r->streams = !strcmp(r->out, "-");
	if (r->streams && isatty(STDOUT_FILENO)) {
		fprintf(stderr, "pnav: --output -: a recording is nothing for a terminal\n");
		return STATUS_USAGE;
	}
	if (browses && !r->keeps_terminal)
		return record_and_browse(r);
	int status = record(r, &said);
	fputs(buf_str(&said), stderr);
	buf_release(&said);
	return browses && !access(r->out, R_OK) ? browse(r->out, status) : status;
}

/* Whether there is something to record, and one thing. */
static bool
check_target(const struct recording *r, struct err *e)
{
	const struct collect_options *c = &r->o.collect;
	bool pids = c->n_pids > 0;

	if (!c->argv[0] && !pids && !c->system)
		return err_usage(e, "no command to record");
	if (c->argv[0] && pids)
		return err_usage(e, "--pid: a process or a command, not both");
	if (pids && c->system)
		return err_usage(e, "--pid: some processes or all of the system, not both");
	return true;
}

static int
record_run(const struct command *self, int argc, char **argv)
{
	struct recording r = {
		.file = {.fd = -1},
		.log = {.fd = -1},
		.pipe = -1,
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
		record_options_done(&r.o);
		status = check_target(&r, &e) ? record_command(&r) : say_usage(self, &e);
	}
	options_release(&o);
	record_options_release(&r.o);
	buf_release(&r.news);
	return status;
}

const struct command command_record = {
	.name = "record",
	.synopsis = "[-e EVENT] [-F HZ] [-o OUT] [--off-cpu] [-p PID | -a | [--] CMD...]",
	.summary = "run a command, and watch where its time goes",
	.examples = "pnav record ./program\0"
		    "pnav record -g -o perf.data ./program argument\0"
		    "pnav record --off-cpu --duration 10s -p 1234\0",
	.options = record_rows,
	.run = record_run,
};
