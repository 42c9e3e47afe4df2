/* stacks.c - `pnav stacks`: what every thread of a process does now, and what it waits for.
 *
 * A look (threadlook.h) becomes a recording in memory, which `report` reads as any other file.  On
 * a terminal the browser opens instead, and another look follows every second: a process of its own
 * takes them and feeds the browser through a pipe, since ptrace belongs to one thread.  The range
 * of the lens then is the last look; without the range all looks are a profile of wall-clock
 * time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/eventlist.h"
#include "src/collect/threadlook.h"
#include "src/collect/perfwriter.h"
#include "src/collect/record.h"
#include "src/command/browse/browse.h"
#include "src/command/record/record_embed.h"
#include "src/command/record/task_numbers.h"
#include "src/command/report/report.h"
#include "src/command/say.h"
#include "src/encode/encoder.h"
#include "src/input/clock.h"
#include "src/outfile.h"

#define SETTLE_MS 20
#define LOOKS_MS 1000

struct stacks_options {
	struct task_numbers pids;
	bool system, no_interpreters;
	const char *out;
};

struct stacks_command {
	struct stacks_options o;
	VEC(char *) words; /* for report or export */
	bool viewed; /* a view was given */
	const char *export; /* the format of an encoder; NULL: a report */
	char **line;
	char *const *own; /* its own words, which end with NULL */
};

static bool
set_process(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct stacks_options *own = o->own;

	return task_numbers_add(&own->pids, row->name, value, e);
}

#define INTO(member) .at = offsetof(struct stacks_options, member)
static const struct option_row stacks_rows[] = {
	{"pid", "PID,...", "these processes, running", .letter = 'p', .repeats = true,
	 .set = set_process},
	{"system", .help = "all processes", .letter = 'a', INTO(system)},
	{"output", "FILE", "write the look as a recording; - is standard output",
	 .kind = OPTION_TEXT, .letter = 'o', INTO(out)},
	{"no-interpreters", .help = "stacks show an interpreter's loop, not its functions",
	 INTO(no_interpreters)},
	{0},
};

/* ---- words ---- */

static bool
stacks_own(const char *name)
{
	for (const struct option_row *r = stacks_rows; r->name; r++)
		if (!strcmp(r->name, name))
			return true;
	return false;
}

/* Sorts the words: its own are parsed later, the others go to report or export. */
struct stacks_sorting {
	struct stacks_command *c;
	VEC(char *) own;
};

static void
stacks_word(void *ctx, const struct option_row *row, const char *value)
{
	struct stacks_sorting *s = ctx;
	struct buf word = BUF_INIT;

	if (!row)
		buf_adds(&word, value);
	else
		buf_addf(&word, "--%s%s%s", row->name, value ? "=" : "", value ? value : "");
	char *copy = mem_dup(buf_str(&word), word.len);
	bool exports = row && !strcmp(row->name, "format") && !report_format_is(value) &&
		       encoder_named(value);
	buf_release(&word);
	if (exports)
		s->c->export = encoder_named(value)->name;
	if (!row || stacks_own(row->name) || !strcmp(row->name, "help")) {
		*vec_push(&s->own) = copy;
		return;
	}
	s->c->viewed |= !strcmp(row->name, "view") || !strcmp(row->name, "guide");
	if (!exports)
		*vec_push(&s->c->words) = copy;
	else
		free(copy);
}

/* ---- a look ---- */

static size_t
look_at(struct threadlook *l, const struct stacks_options *o, struct buf *out)
{
	return threadlook_take(l, o->system ? NULL : o->pids.at, o->pids.n, out);
}

/* Writes one look as a complete recording to a descriptor; if that is of `file`, keeps the file and
 * adds the names of its functions.  Returns the number of threads; 0 with *e. */
static size_t
write_look(struct stacks_command *c, int fd, struct outfile *file, bool stream, struct buf *said,
	   struct err *e)
{
	struct threadlook *l = threadlook_new(!c->o.no_interpreters);
	struct buf records = BUF_INIT;
	int64_t began_ns = clock_day_ns();
	size_t n = look_at(l, &c->o, &records);
	struct perfwriter *w = perfwriter_new(fd, threadlook_events(l), c->line,
					      (struct perfwriter_how){.stream = stream});
	const struct collect_sink sink = {perfwriter_take, w};

	if (file)
		perfwriter_reserve(w);
	if (!n)
		err_refuse(e, "no thread: the process has ended");
	else if (!collect_give(&records, &sink, e) || !perfwriter_finish(w, e) ||
		 (file && !outfile_keep(file, NULL, e)))
		n = 0;
	threadlook_say(l, said);
	threadlook_settle();
	struct record_embed names = {.path = file ? file->path : NULL,
				     .began_ns = began_ns,
				     .names = true,
				     .terminal = true};
	if (n && file)
		record_embed(w, &names, said);
	perfwriter_free(w);
	buf_release(&records);
	threadlook_free(l);
	return n;
}

static void
say_lines(const struct buf *said)
{
	for (const char *at = buf_str(said), *end; (end = strchr(at, '\n')); at = end + 1)
		fprintf(stderr, "pnav: %.*s\n", (int)(end - at), at);
}

static int
save_look(struct stacks_command *c)
{
	struct outfile file = {.fd = -1};
	struct outfile_how how = {.owner = true, .seeks = true};
	bool streams = !strcmp(c->o.out, "-");
	struct buf said = BUF_INIT;
	struct err e;
	size_t n = 0;

	err_init(&e);
	if (streams && isatty(STDOUT_FILENO))
		err_usage(&e, "--output -: a recording cannot go to a terminal");
	else if (streams || outfile_open(&file, c->o.out, &how, &e))
		n = streams ? write_look(c, STDOUT_FILENO, NULL, true, &said, &e)
			    : write_look(c, file.fd, &file, false, &said, &e);
	if (!streams)
		outfile_close(&file, n > 0, &e);
	say_lines(&said);
	buf_release(&said);
	if (err_is_set(&e))
		return say_plain(&e);
	if (!streams)
		fprintf(stderr, "pnav: %s: %zu thread%s\n", c->o.out, n, n == 1 ? "" : "s");
	return STATUS_DONE;
}

/* Reports one look, or exports it. */
static int
report_look(struct stacks_command *c)
{
	int fd = memfd_create("stacks", MFD_CLOEXEC), n = 0, status;
	struct buf said = BUF_INIT;
	char view[] = "--view=threads", path[] = "-";
	struct err e;

	err_init(&e);
	if (fd < 0)
		err_refuse(&e, "no memory for the look: %s", strerror(errno));
	if (fd < 0 || !write_look(c, fd, NULL, false, &said, &e)) {
		buf_release(&said);
		return say_plain(&e);
	}
	say_lines(&said);
	/* the look is read as standard input, which is not needed for anything else */
	lseek(fd, 0, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	close(fd);
	char **words = mem_zalloc(c->words.n + 4, sizeof *words);
	words[n++] = c->line[1];
	for (size_t i = 0; i < c->words.n; i++)
		words[n++] = c->words.at[i];
	if (!c->viewed && !c->export)
		words[n++] = view;
	words[n++] = path;
	status = c->export ? export_files(&command_export, n, words, c->export)
			   : report_made(&command_report, n, words, c->own);
	free(words);
	buf_release(&said);
	return status;
}

/* ---- the browser ---- */

/* Waits for the next look; returns false once the browser has closed the pipe. */
static bool
pause_between(int pipe)
{
	struct pollfd p = {.fd = pipe};

	for (int ms = 0; ms < LOOKS_MS; ms += SETTLE_MS) {
		if (poll(&p, 1, SETTLE_MS) > 0 && p.revents & (POLLERR | POLLNVAL))
			return false;
		threadlook_settle();
	}
	return true;
}

/* Takes looks until the browser or the processes end.  Runs in a process of its own and ends it. */
static void
feed_and_exit(struct stacks_command *c, int pipe, int news)
{
	struct threadlook *l = threadlook_new(!c->o.no_interpreters);
	struct perfwriter *w = perfwriter_new(pipe, threadlook_events(l), c->line,
					      (struct perfwriter_how){.stream = true});
	const struct collect_sink sink = {perfwriter_take, w};
	struct buf records = BUF_INIT, said = BUF_INIT;
	struct err e;

	err_init(&e);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0); /* ^C is meant for the browser */
	signal(SIGPIPE, SIG_IGN);
	do {
		buf_reset(&records);
		if (!look_at(l, &c->o, &records))
			break;
		/* the browser shows the first message */
		if (!said.len) {
			threadlook_say(l, &said);
			(void)!write(news, buf_str(&said), said.len);
		}
	} while (collect_give(&records, &sink, &e) && perfwriter_flush(w, &e) &&
		 pause_between(pipe));
	if (!said.len)
		(void)!write(news, "the processes have ended\n", 25);
	_exit(STATUS_DONE);
}

static int
end_looking(void *ctx, int status)
{
	const pid_t *pid = ctx;

	kill(*pid, SIGTERM);
	waitpid(*pid, NULL, 0);
	return status;
}

static int
browse_looks(struct stacks_command *c)
{
	int data[2], news[2];
	struct buf name = BUF_INIT;

	if (pipe2(data, O_CLOEXEC) || pipe2(news, O_CLOEXEC)) {
		fprintf(stderr, "pnav: %s\n", strerror(errno));
		return STATUS_UNREADABLE;
	}
	pid_t pid = fork();
	if (!pid) {
		close(data[0]);
		close(news[0]);
		feed_and_exit(c, data[1], news[1]);
	}
	close(data[1]);
	close(news[1]);
	if (pid < 0) {
		fprintf(stderr, "pnav: %s\n", strerror(errno));
		return STATUS_UNREADABLE;
	}
	fcntl(news[0], F_SETFL, fcntl(news[0], F_GETFL) | O_NONBLOCK);
	buf_adds(&name, "stacks");
	for (size_t i = 0; i < c->o.pids.n; i++)
		buf_addf(&name, " %d", (int)c->o.pids.at[i]);
	static const char *const options[] = {"--from=-900ms", NULL};
	struct browse_stream stream = {.name = buf_str(&name), .options = options, .fd = data[0],
				       .news = news[0], .end = end_looking, .ctx = &pid};
	int status = browse_stream(&stream);
	buf_release(&stream.said);
	buf_release(&name);
	return status;
}

/* ---- the command ---- */

static int
stacks_look(struct stacks_command *c)
{
	struct err e;

	err_init(&e);
	if (!c->o.pids.n && !c->o.system)
		err_usage(&e, "no process to look at: -p PID, or -a for all");
	else if (c->o.pids.n && c->o.system)
		err_usage(&e, "--pid: some processes or all, not both");
	if (err_is_set(&e))
		return say_usage(&command_stacks, &e);
	if (c->o.out)
		return save_look(c);
	if (!c->viewed && !c->words.n && isatty(STDOUT_FILENO))
		return browse_looks(c);
	return report_look(c);
}

static int
stacks_run(const struct command *self, int argc, char **argv)
{
	struct stacks_command c = {.line = argv - 1};
	struct stacks_sorting sorting = {.c = &c};
	struct options o;
	int status = STATUS_DONE;
	struct err e;

	err_init(&e);
	options_init(&o, &c.o);
	*vec_push(&sorting.own) = mem_dup(argv[0], strlen(argv[0]));
	bool known = options_scan(argc, argv, stacks_rows, TAKES_PROFILE, report_rows, stacks_word,
				  &sorting);
	bool good = known ? command_options(self, &o, (int)sorting.own.n, sorting.own.at, &status)
			  : command_options(self, &o, argc, argv, &status);
	for (size_t i = 0; good && i < o.files.n; i++)
		if (!task_numbers_add(&c.o.pids, "pid", o.files.at[i], &e)) {
			status = say_usage(self, &e);
			good = false;
		}
	*vec_push(&sorting.own) = NULL;
	c.own = sorting.own.at;
	if (good)
		status = stacks_look(&c);
	options_release(&o);
	for (size_t i = 0; i < sorting.own.n; i++)
		free(sorting.own.at[i]);
	vec_release(&sorting.own);
	for (size_t i = 0; i < c.words.n; i++)
		free(c.words.at[i]);
	vec_release(&c.words);
	vec_release(&c.o.pids);
	return status;
}

const struct command command_stacks = {
	.name = "stacks",
	.synopsis = "[-o FILE] [OPTION of report...] -p PID | -a",
	.summary = "show what each thread of a process does now, and what it waits for",
	.examples = "pnav stacks -p 1234\0"
		    "pnav stacks -p 1234 | less\0"
		    "pnav stacks -p 1234 --view tree --label waits_for\0",
	.options = stacks_rows,
	.run = stacks_run,
};
