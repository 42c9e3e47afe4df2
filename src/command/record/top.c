/* top.c - `pnav top`: what the machine does now.
 *
 * This is `pnav record -a` at a low rate, whose records the browser reads through pipes (roll.h):
 * its range is the last seconds and slides (`W`), and what is older than --keep is let go, so it
 * runs for days.  Its stacks begin with a frame for the chosen group, so Enter on a group shows
 * where its time goes.  There is no file.  If standard output is not a terminal, one window is
 * recorded, and its table is printed.
 *
 * A user who may not sample the system sees the own processes that run already, and their
 * children. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/profile/moment.h"
#include "src/collect/collect.h"
#include "src/collect/usage.h"
#include "src/command/browse/browse.h"
#include "src/command/command.h"
#include "src/command/record/roll.h"
#include "src/command/say.h"
#include "src/options.h"

#define RATE "49"
#define TABLE "--columns=total,total%,waiting,blocked,io,threads,function"
#define KEPT_WINDOWS 6   /* by default */
#define PRINT_MAX "1G"   /* records of one window */
#define END_MS 200       /* for the recorder, which may wait in a write */

/* The ways to group samples, and their labels. */
static const struct top_group {
	const char *word, *label;
} groups[] = {
	{"command", "comm"}, {"process", "pid"}, {"thread", "tid"},
	{"container", "container"}, {"user", "user"}, {"cgroup", "cgroup"}, {"cpu", "cpu"},
	{"function", NULL},
};

struct top_options {
	const struct top_group *group;
	const char *window, *keep, *rate;
	int64_t keep_ns;
};

static bool
set_group(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct top_options *t = o->own;

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strcmp(groups[i].word, value)) {
			t->group = &groups[i];
			return true;
		}
	return err_usage(e, "--%s takes command, process, thread, container, user, cgroup, cpu or "
			    "function, not '%s'", row->name, value);
}

#define INTO(member) .at = offsetof(struct top_options, member)
static const struct option_row top_rows[] = {
	{"group", "WHAT", "command, process, thread, container, user, cgroup, cpu, function",
	 .letter = 'g', .set = set_group},
	{"window", "T", "the last seconds that count (10s)", .kind = OPTION_TEXT, .letter = 'w',
	 INTO(window)},
	{"keep", "T", "how far back the timeline reaches (6 windows)", .kind = OPTION_TEXT,
	 .letter = 'k', INTO(keep)},
	{"freq", "HZ", "samples a second of each CPU (" RATE ")", .kind = OPTION_TEXT,
	 .letter = 'F', INTO(rate)},
	{0},
};

/* ---- the recorder ---- */

/* True if the kernel lets this user sample the whole system. */
static bool
may_sample_all(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int paranoid = 2;

	if (f && fscanf(f, "%d", &paranoid) != 1)
		paranoid = 2;
	if (f)
		fclose(f);
	return !geteuid() || paranoid <= 0;
}

/* Returns the numbers of this user's processes with commas, except for `self`. */
static char *
own_processes(pid_t self)
{
	struct buf list = BUF_INIT;
	DIR *dir = opendir("/proc");
	struct stat st;

	for (struct dirent *d; dir && (d = readdir(dir));)
		if (isdigit((unsigned char)*d->d_name) && atoi(d->d_name) != self &&
		    atoi(d->d_name) != getpid() && !fstatat(dirfd(dir), d->d_name, &st, 0) &&
		    st.st_uid == geteuid())
			buf_addf(&list, "%s%s", list.len ? "," : "", d->d_name);
	if (dir)
		closedir(dir);
	char *text = mem_dup(buf_str(&list), list.len);
	buf_release(&list);
	return text;
}

/* Runs the recorder in this process, which it ends.  Standard output receives a recording of one
 * window; or a browser, through the socket, one without an end. */
static void
top_record(const struct top_options *t, int browser, pid_t parent)
{
	char *words[24] = {mem_dup("pnav", 4)};
	int n = 0;
	bool all = may_sample_all();
	const char *own = all ? "" : own_processes(parent);

	if (!all && !*own) {
		fprintf(stderr, "pnav: top: this user has no other process, and only root may "
				"sample all\n");
		_exit(STATUS_UNREADABLE);
	}
	const char *given[] = {"record", "-q", "-g", "-F", t->rate, "-o", "-", all ? "-a" : "-p",
			       all ? "-e" : own, all ? "cpu-clock" : NULL,
			       "--exclude-idle", "--usage"};

	for (size_t i = 0; i < sizeof given / sizeof *given && given[i]; i++)
		words[++n] = mem_dup(given[i], strlen(given[i]));
	if (browser >= 0) {
		struct roll_how how = {browser, (uint64_t)t->keep_ns};
		_exit(roll_record(n, words + 1, &how));
	}
	const char *end[] = {"--max-size", PRINT_MAX, "--duration", t->window};
	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		words[++n] = mem_dup(end[i], strlen(end[i]));
	_exit(command_record.run(&command_record, n, words + 1));
}

/* Writes one line about the columns that this system cannot fill. */
static void
say_lacks(const char *before)
{
	struct taskusage *u = usage_new();
	struct buf line = BUF_INIT;

	buf_adds(&line, before);
	usage_say(u, &line);
	buf_addc(&line, '\n');
	if (line.len > strlen(before) + 1)
		(void)!write(STDERR_FILENO, buf_str(&line), line.len);
	buf_release(&line);
	usage_free(u);
}

/* ---- without a terminal ---- */

static int
top_print(const struct top_options *t)
{
	int fd = memfd_create("top", MFD_CLOEXEC), status = 0;
	struct buf label = BUF_INIT, show = BUF_INIT;

	if (fd < 0) {
		fprintf(stderr, "pnav: no memory for the samples: %s\n", strerror(errno));
		return STATUS_UNREADABLE;
	}
	fflush(stdout);
	pid_t parent = getpid(), pid = fork();
	if (!pid) {
		dup2(fd, STDOUT_FILENO);
		top_record(t, -1, parent);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (pid < 0 || lseek(fd, 0, SEEK_CUR) == 0) {
		close(fd);
		return pid < 0 ? STATUS_UNREADABLE : collect_exit_status(status);
	}
	if (may_sample_all())
		say_lacks("pnav: ");
	lseek(fd, 0, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	close(fd);
	buf_addf(&label, "--label=%s", t->group->label);
	buf_addf(&show, "--show=^%s=", t->group->label);
	const char *table[] = {"top", "-", "--view=tree", TABLE, buf_str(&label), buf_str(&show)};
	int n = t->group->label ? sizeof table / sizeof *table : 2;
	char *words[sizeof table / sizeof *table + 1] = {NULL};
	for (int i = 0; i < n; i++)
		words[i] = mem_dup(table[i], strlen(table[i]));
	status = report_files(&command_report, n, words, false);
	for (int i = 0; i < n; i++)
		free(words[i]);
	buf_release(&label);
	buf_release(&show);
	return status;
}

/* ---- in the browser ---- */

/* Ends the recorder, which has nothing to finish. */
static int
top_end(void *ctx, int status)
{
	const pid_t *pid = ctx;

	kill(*pid, SIGTERM);
	for (int waited = 0; !waitpid(*pid, NULL, WNOHANG); waited += 5) {
		if (waited >= END_MS)
			kill(*pid, SIGKILL);
		poll(NULL, 0, 5);
	}
	return status;
}

/* Prints why the recorder could not begin; returns its status. */
static int
top_failed(pid_t pid, int news)
{
	char part[1024];
	int status = 0;

	for (ssize_t n; (n = read(news, part, sizeof part)) > 0;)
		fwrite(part, 1, (size_t)n, stderr);
	waitpid(pid, &status, 0);
	return collect_exit_status(status);
}

/* Starts the recorder; returns its process, or -1 with errno. */
static pid_t
start_recorder(const struct top_options *t, int pipes[2], int news[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pipes) ||
	    pipe2(news, O_CLOEXEC))
		return -1;
	pid_t parent = getpid(), pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		setpgid(0, 0);	 /* ^C is meant for the browser */
		close(pipes[0]); /* else a write would wait for itself once the browser is gone */
		close(news[0]);
		dup2(news[1], STDERR_FILENO);
		if (may_sample_all())
			say_lacks("");
		top_record(t, pipes[1], parent);
	}
	close(pipes[1]);
	close(news[1]);
	return pid;
}

/* Returns true once there is something to browse; false if the recorder has ended before. */
static bool
has_begun(int pipes)
{
	char byte;
	ssize_t n;

	while ((n = recv(pipes, &byte, 1, MSG_PEEK)) < 0 && errno == EINTR)
		;
	return n == 1;
}

static int
top_browse(const struct top_options *t)
{
	int pipes[2], news[2];
	struct buf from = BUF_INIT, label = BUF_INIT;
	pid_t pid = start_recorder(t, pipes, news);

	if (pid < 0) {
		fprintf(stderr, "pnav: %s\n", strerror(errno));
		return STATUS_UNREADABLE;
	}
	if (!has_begun(pipes[0]))
		return top_failed(pid, news[0]);
	fcntl(news[0], F_SETFL, fcntl(news[0], F_GETFL) | O_NONBLOCK);
	buf_addf(&from, "--from=-%s", t->window);
	buf_addf(&label, "--label=%s", t->group->label ? t->group->label : "");
	const char *options[] = {buf_str(&from),
				 t->group->label ? "--view=tree" : "--view=functions",
				 t->group->label ? buf_str(&label) : NULL, NULL};
	struct browse_stream stream = {.name = "top", .options = options, .fd = -1,
				       .rolls = true, .pipes = pipes[0], .news = news[0],
				       .end = top_end, .ctx = &pid};
	int status = browse_stream(&stream);
	buf_release(&stream.said);
	buf_release(&from);
	buf_release(&label);
	return status;
}

/* Reads a length of time; returns false with usage in *e. */
static bool
read_length(const char *name, const char *text, int64_t *ns, struct err *e)
{
	struct moment m;
	struct err why;

	err_init(&why);
	*ns = 0;
	if (!moment_parse(text, &m, &why) || m.kind != MOMENT_NS || m.back || m.value <= 0)
		return err_usage(e, "--%s takes a time such as 10s, not '%s'", name, text);
	*ns = m.value;
	return true;
}

static bool
top_options_done(struct top_options *t, struct err *e)
{
	int64_t window;

	if (!read_length("window", t->window, &window, e))
		return false;
	t->keep_ns = window > INT64_MAX / KEPT_WINDOWS ? INT64_MAX : window * KEPT_WINDOWS;
	if (!t->keep)
		return true;
	return read_length("keep", t->keep, &t->keep_ns, e) &&
	       (t->keep_ns >= window ||
		err_usage(e, "--keep %s is shorter than the window, %s", t->keep, t->window));
}

static int
top_run(const struct command *self, int argc, char **argv)
{
	struct top_options t = {.group = groups, .window = "10s", .rate = RATE};
	struct options o;
	int status = STATUS_DONE;

	options_init(&o, &t);
	if (command_options(self, &o, argc, argv, &status)) {
		struct err e;
		err_init(&e);
		if (o.files.n)
			err_usage(&e, "%s: top looks at the whole machine", o.files.at[0]);
		else
			top_options_done(&t, &e);
		status = err_is_set(&e)		 ? say_usage(self, &e)
			 : isatty(STDOUT_FILENO) ? top_browse(&t)
						 : top_print(&t);
	}
	options_release(&o);
	return status;
}

const struct command command_top = {
	.name = "top",
	.synopsis = "[-g GROUP] [-w TIME] [-k TIME] [-F HZ]",
	.summary = "show what the machine does now, and in which functions",
	.examples = "pnav top\0"
		    "pnav top -g cgroup -w 30s\0"
		    "pnav top -w 2s | head\0",
	.options = top_rows,
	.run = top_run,
};
