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

#include "model/mem.h"
#include "src/collect/perfwriter.h"
#include "src/command/browse.h"
#include "src/command/profile_options.h"
#include "src/command/say.h"
#include "src/outfile.h"

#define RECORD_HZ 997u
#define HZ_MAX 50000
#define STACK_COPY_MAX 65528 /* the kernel's limit */
#define OUT_DEFAULT "perf.data"
#define WAIT_MS 700 /* for the end of a command that was asked to, in silence */
#define STATUS_NOT_FOUND 127 /* as shells say it */
#define STATUS_NOT_RUN 126

struct recording {
	struct collect_options collect;
	const char *out;
	bool keeps_terminal; /* -- */
	char **line;         /* all of the command line */
	/* while it runs */
	struct outfile file, log;
	struct perfwriter *writer;
	int pipe;  /* to the browser, or -1 */
	bool left; /* the browser, before the command ended */
	struct buf news; /* for the browser: how it ended */
};

/* ---- options ---- */

static bool
set_frequency(struct options *o, const struct option_row *row, const char *value,
	      struct err *e)
{
	struct recording *r = o->own;
	long long hz;
	if (!option_number(row->name, value, &hz, e))
		return false;
	if (hz < 1 || hz > HZ_MAX)
		return err_usage(e, "--freq takes 1 to %d samples a second, not '%s'",
				 HZ_MAX, value);
	r->collect.hz = (unsigned)hz;
	return true;
}

static bool
check_output(const struct option_row *row, const char *value, struct err *e)
{
	return strcmp(value, "-") || err_usage(e, "--%s takes the name of a file", row->name);
}

static bool
set_pid(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	long long pid;
	if (!option_number(row->name, value, &pid, e))
		return false;
	if (pid < 1 || pid > INT32_MAX || (kill((pid_t)pid, 0) && errno == ESRCH))
		return err_usage(e, "--pid: there is no process %s", value);
	((struct recording *)o->own)->collect.pid = (pid_t)pid;
	return true;
}

static bool
set_call_graph(struct options *o, const struct option_row *row, const char *value,
	       struct err *e)
{
	struct recording *r = o->own;
	long long size = 0;
	if (!strncmp(value, "dwarf,", 6)) {
		if (!option_number(row->name, value + 6, &size, e))
			return false;
		if (size < 8 || size > STACK_COPY_MAX)
			return err_usage(e,
					 "--call-graph dwarf,SIZE copies 8 to %d bytes, "
					 "not '%s'",
					 STACK_COPY_MAX, value + 6);
		r->collect.stack_bytes = (unsigned)(size + 7) / 8 * 8;
		value = "dwarf";
	}
	if (!strcmp(value, "fp"))
		r->collect.stacks = COLLECT_FRAME_POINTERS;
	else if (!strcmp(value, "dwarf"))
		r->collect.stacks = COLLECT_STACK_COPIES;
	else if (!strcmp(value, "no"))
		r->collect.stacks = COLLECT_LEAF;
	else
		return err_usage(e, "--call-graph takes dwarf[,SIZE], fp or no, not '%s'",
				 value);
	return true;
}

static bool
set_sampler(struct options *o, const struct option_row *row, const char *value,
	    struct err *e)
{
	(void)row;
	return sampler_named(value, &((struct recording *)o->own)->collect.sampler) ||
	       err_usage(e, "--sampler takes perf, ptrace or any, not '%s'", value);
}

static const struct option_row record_rows[] = {
	{"freq", "HZ", "samples a second (997)", .letter = 'F', .set = set_frequency},
	{"output", "OUT", "write OUT, and open no browser", .letter = 'o',
	 .kind = OPTION_TEXT, .check = check_output, .at = offsetof(struct recording, out)},
	{"pid", "PID", "sample a process that runs already", .letter = 'p', .set = set_pid},
	{"call-graph", "HOW",
	 "dwarf[,SIZE]: copies of the stack; fp: frame pointers; no: leaves alone",
	 .set = set_call_graph},
	{"sampler", "WHICH", "perf, ptrace, or any that is allowed", .set = set_sampler},
	{0},
};

/* How many words are pnav's own: the command, and its options, begin behind them. */
static int
own_words(int argc, char **argv, bool *dashes)
{
	int i = 1;
	*dashes = false;
	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		const char *word = argv[i++];
		if (!strcmp(word, "--")) {
			*dashes = true;
			break;
		}
		for (const struct option_row *row = record_rows; row->name; row++)
			if ((!strncmp(word, "--", 2) && !strcmp(word + 2, row->name)) ||
			    (row->letter && word[1] == row->letter && !word[2]))
				i += row->value != NULL;
	}
	return i < argc ? i : argc;
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
		r->collect.argv[0]);
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
	if (r->collect.pid)
		buf_adds(said, "pnav: the process used no CPU time that a sample fell in\n");
	else
		buf_adds(said, "pnav: the command ran too fast, or only waited: no sample; "
			       "a larger task, or more samples a second (-F) may help\n");
}

static int
run_collect(struct recording *r, struct collect *c, struct buf *said)
{
	struct err e;
	err_init(&e);
	r->writer = perfwriter_new(r->file.fd, collect_attr(c), r->line);
	struct collect_sink sink = {perfwriter_take, r->writer};
	bool good = collect_run(c, &sink, &e) && perfwriter_finish(r->writer, &e);
	good = good && keep_files(r, &e);
	const struct collect_result *res = collect_result(c);
	/* whoever leaves the browser ends the command: that is no failure of either */
	int status = r->left ? STATUS_DONE : collect_exit_status(res->status);
	if (!res->fault) {
		buf_addf(&r->news, "%s ended with status %d: %llu samples in %s",
			 r->collect.pid ? "the process" : r->collect.argv[0],
			 collect_exit_status(res->status),
			 (unsigned long long)res->samples, r->out);
		if (!r->collect.pid)
			buf_addf(&r->news, ", output in %s.log", r->out);
		feed_rest(r);
	}
	if (good) {
		buf_addf(said, "pnav: %s: %llu samples, ", r->out,
			 (unsigned long long)res->samples);
		collect_describe(c, said);
		buf_addc(said, '\n');
		if (!res->samples)
			say_nothing_seen(r, said);
	} else if (res->fault) {
		status = status_of_fault(res->fault);
		buf_addf(said, "pnav: %s: %s\n", r->collect.argv[0], e.text);
	} else {
		struct err unnamed;
		status = STATUS_UNREADABLE;
		err_init(&unnamed);
		keep_files(r, &unnamed);
		buf_addf(said, "pnav: %s: %s; sampled up to there: %llu samples\n",
			 r->out, e.text, (unsigned long long)res->samples);
	}
	perfwriter_free(r->writer);
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
	r->collect.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r->collect.out = r->collect.err = r->log.fd;
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
	r->collect.idle = on_idle;
	r->collect.waits = on_wait;
	r->collect.ctx = r;
	if (!outfile_open(&r->file, r->out, &how_recorded, &e) ||
	    (r->pipe >= 0 && !give_files(r, &e)))
		buf_addf(said, "pnav: %s\n", e.text);
	else if (!(c = collect_new(&r->collect, &fault, &e)))
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

static int
browse(const char *file)
{
	char *words[] = {mem_dup("browse", 6), mem_dup("--", 2),
			 mem_dup(file, strlen(file)), NULL};
	int status = browse_files(&command_browse, 3, words, false);
	for (size_t i = 0; words[i]; i++)
		free(words[i]);
	return status;
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

static int
record_and_browse(struct recording *r)
{
	int data[2], news[2], state = 0;

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
	int status = STATUS_DONE;
	struct browse_stream stream = {.name = r->out, .fd = data[0], .news = news[0]};
	/* the browser may ask before the collector has ended */
	fcntl(news[0], F_SETFL, fcntl(news[0], F_GETFL) | O_NONBLOCK);
	if (first.revents & POLLIN)
		status = browse_stream(&stream);
	close(data[0]);
	fcntl(news[0], F_SETFL, fcntl(news[0], F_GETFL) & ~O_NONBLOCK);
	struct pollfd rest = {.fd = news[0], .events = POLLIN};
	if (r->collect.argv[0] && !poll(&rest, 1, WAIT_MS))
		say_waiting(r);
	say_rest(&stream);
	close(news[0]);
	waitpid(pid, &state, 0);
	return status ? status : collect_exit_status(state);
}

static int
record_command(struct recording *r)
{
	bool browses = !r->out && isatty(STDOUT_FILENO);
	struct buf said = BUF_INIT;
	if (!r->out)
		r->out = OUT_DEFAULT;
	if (browses && !r->keeps_terminal)
		return record_and_browse(r);
	int status = record(r, &said);
	fputs(buf_str(&said), stderr);
	buf_release(&said);
	if (browses && !access(r->out, R_OK)) {
		int shown = browse(r->out);
		status = status ? status : shown;
	}
	return status;
}

static int
record_run(const struct command *self, int argc, char **argv)
{
	struct recording r = {
		.collect = {.hz = RECORD_HZ,
			    .stacks = COLLECT_STACK_COPIES,
			    .cycles = true,
			    .in = -1,
			    .out = -1,
			    .err = -1},
		.file = {.fd = -1},
		.log = {.fd = -1},
		.pipe = -1,
		.line = argv - 1, /* pnav record ... */
	};
	struct options o;
	struct err e;
	int status = STATUS_DONE;

	err_init(&e);
	options_init(&o, &r);
	int own = own_words(argc, argv, &r.keeps_terminal);
	r.collect.argv = argv + own;
	if (!sampler_named(getenv("PNAV_SAMPLER"), &r.collect.sampler)) {
		err_usage(&e, "PNAV_SAMPLER is perf or ptrace");
		status = say_usage(self, &e);
	} else if (command_options(self, &o, own, argv, &status)) {
		if (!r.collect.argv[0] && !r.collect.pid) {
			err_usage(&e, "no command to record");
			status = say_usage(self, &e);
		} else if (r.collect.argv[0] && r.collect.pid) {
			err_usage(&e, "--pid: a process or a command, not both");
			status = say_usage(self, &e);
		} else {
			status = record_command(&r);
		}
	}
	options_release(&o);
	buf_release(&r.news);
	return status;
}

const struct command command_record = {
	.name = "record",
	.synopsis = "[-F HZ] [-o OUT] [-p PID] [--call-graph dwarf[,SIZE]|fp|no] [--sampler WHICH] [--] CMD...",
	.summary = "run a command, and watch where its time goes",
	.options = record_rows,
	.run = record_run,
};
