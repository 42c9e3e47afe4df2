/* The command must not begin before its counters exist, and the caller needs to know whether it
 * could be started.  So the new process waits on a pipe (the gate), and sends the errno of a failed
 * exec through another one (the news), which a successful exec closes.
 *
 * posix_spawn() cannot wait between fork and exec.  A child that cannot exec ends itself with
 * SIGKILL: it shares our unwritten buffers, and must not run our exit handlers.
 *
 * Invariant: after child_release() or child_drop() both pipes are closed. */
#include "src/collect/child.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
take_stream(int fd, int standard)
{
	if (fd >= 0)
		dup2(fd, standard);
}

/* Runs in the new process; does not return. */
static void
wait_and_exec(const struct child_options *o, int gate, int news)
{
	char go;
	ssize_t n;
	do
		n = read(gate, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1) {
		/* restore signals that pnav ignores */
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		take_stream(o->in, STDIN_FILENO);
		take_stream(o->out, STDOUT_FILENO);
		take_stream(o->err, STDERR_FILENO);
		sigprocmask(SIG_SETMASK, o->mask, NULL);
		if (o->path)
			execv(o->path, o->argv);
		else
			execvp(o->argv[0], o->argv);
		int fault = errno;
		(void)!write(news, &fault, sizeof fault);
	}
	for (;;)
		raise(SIGKILL);
}

bool
child_start(struct child *c, const struct child_options *o)
{
	int gate[2], news[2];
	*c = (struct child){.pid = -1, .gate = -1, .news = -1};
	if (pipe2(gate, O_CLOEXEC))
		return false;
	if (pipe2(news, O_CLOEXEC)) {
		close(gate[0]);
		close(gate[1]);
		return false;
	}
	c->pid = fork();
	if (!c->pid) {
		close(gate[1]);
		close(news[0]);
		wait_and_exec(o, gate[0], news[1]);
	}
	int fault = errno;
	close(gate[0]);
	close(news[1]);
	c->gate = gate[1];
	c->news = news[0];
	if (c->pid > 0)
		return true;
	child_drop(c);
	errno = fault;
	return false;
}

int
child_release(struct child *c)
{
	int fault = 0;
	ssize_t n;
	if (write(c->gate, "g", 1) != 1)
		fault = errno;
	close_fd(&c->gate);
	do
		n = read(c->news, &fault, sizeof fault);
	while (n < 0 && errno == EINTR);
	close_fd(&c->news);
	return fault;
}

void
child_drop(struct child *c)
{
	close_fd(&c->gate);
	close_fd(&c->news);
}
