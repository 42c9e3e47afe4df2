/* pty [-s COLSxROWS] [-a ANSWER] [-x SIGNAL] [[-w TEXT] -k KEYS]... [-c KEYS] [-t SECONDS]
 * COMMAND...: runs a command on a terminal of its own.
 *
 * The command's output goes to standard output unchanged.  When it asks for the background colour
 * (OSC 11) it gets ANSWER at once.  After a quiet moment it gets SIGNAL, a number, and after the
 * next one KEYS, and so on.  KEYS after -w TEXT wait until the command has written TEXT, however
 * long it is quiet: a message at the end of slow work could otherwise be overwritten by the effect
 * of the keys, and a terminal only gets the cells that differ.  A command that then writes all of
 * the time, as top does, gets them after two seconds. If the signal stops the command, pty
 * restores the terminal, as shells do, and continues the command; if the command then fails to set
 * its modes again, pty reports it on stderr.
 *
 * With -c pty counts the bytes that each single key of KEYS, typed after all others, causes. Each
 * key waits for the response to the previous one; then Q is typed, and the numbers go to stderr, a
 * line each.  Standard output gets nothing then.  The exit status is the command's, or 124 if it
 * does not end.  pty reports a command that leaves the terminal in another mode: the parent holds
 * the terminal open and compares.
 *
 * tmux, which other tests use, has a shell between the test and the program, and chooses TERM
 * itself. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#define QUIET_MS 400
#define SILENT_S 5 /* a command that writes nothing is quiet after that */
#define RESTLESS_S 2
#define KEYS_MAX 8
#define ANSWER_MS 5000 /* for a key without a response */
#define FRAME_MS 10    /* a picture is written at once */

static bool
same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	       a->c_lflag == b->c_lflag && !memcmp(a->c_cc, b->c_cc, sizeof a->c_cc);
}

/* The actions on the running command. */
struct plan {
	int signal;                        /* 0: none */
	const char *keys[KEYS_MAX + 1];    /* up to a NULL */
	const char *awaited[KEYS_MAX + 1]; /* precedes them; NULL: nothing */
	int typed;
	time_t came_at; /* when the awaited text had come; 0: not yet */
	const char *counted; /* NULL: no counting */
	int seconds;
	int slave;
	const struct termios *before;
};

static const char *answer; /* to be sent, or NULL */
static bool counting;
static size_t came;     /* bytes since the last counted key */
static char last[8192]; /* the end of the output */
static size_t last_len;

/* Keeps the end of the output, at least half a buffer of it. */
static void
remember(const char *piece, size_t n)
{
	if (last_len + n > sizeof last) {
		size_t keep = last_len < sizeof last / 2 ? last_len : sizeof last / 2;
		memmove(last, last + last_len - keep, keep);
		last_len = keep;
	}
	memcpy(last + last_len, piece, n);
	last_len += n;
}

/* Copies the terminal's output; returns false when the command has closed it. */
static bool
copy(int fd)
{
	char piece[4096];
	ssize_t n = read(fd, piece, sizeof piece);

	if (n > 0) {
		if (answer && memmem(piece, (size_t)n, "\033]11;?", 6) &&
		    write(fd, answer, strlen(answer)) >= 0)
			answer = NULL;
		came += (size_t)n;
		remember(piece, (size_t)n);
		if (!counting)
			fwrite(piece, 1, (size_t)n, stdout);
		fflush(stdout);
	}
	return n > 0;
}

/* Sends the signal.  A command that it stops continues as in a shell: the terminal has the shell's
 * modes, and after SIGCONT it should have the command's again. */
static void
disturb(const struct plan *p, int fd, pid_t pid)
{
	struct pollfd quiet = {.fd = fd, .events = POLLIN};
	struct termios own, again;
	siginfo_t info = {0};

	tcgetattr(p->slave, &own);
	kill(pid, p->signal);
	while (poll(&quiet, 1, QUIET_MS) > 0 && copy(fd))
		;
	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) < 0 || info.si_pid != pid)
		return;
	tcsetattr(p->slave, TCSANOW, p->before);
	printf("\n[stopped]\n");
	kill(pid, SIGCONT);
	while (poll(&quiet, 1, QUIET_MS) > 0 && copy(fd))
		;
	tcgetattr(p->slave, &again);
	if (!same_modes(&own, &again))
		fprintf(stderr, "pty: it goes on in a terminal that is not its own\n");
}

/* Types the counted keys one by one, and then the one that ends the command. */
static void
count(int fd, const char *keys)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	for (; *keys; keys++) {
		came = 0;
		if (write(fd, keys, 1) < 0)
			return;
		for (int wait = ANSWER_MS; poll(&ready, 1, wait) > 0 && copy(fd); wait = FRAME_MS)
			;
		fprintf(stderr, "%zu\n", came);
	}
	if (write(fd, "Q", 1) < 0)
		perror("pty");
}

/* True if there are more keys and the text they wait for has come. Asked after each piece of
 * output, since `last` has less than a large picture. */
static bool
may_type(struct plan *p)
{
	const char *awaited = p->awaited[p->typed];

	if (!p->came_at && awaited && memmem(last, last_len, awaited, strlen(awaited)))
		p->came_at = time(NULL);
	return p->keys[p->typed] && (!awaited || p->came_at);
}

static void
type_keys(struct plan *p, int fd)
{
	const char *keys = p->keys[p->typed];

	if (write(fd, keys, strlen(keys)) >= 0)
		p->typed++;
	p->came_at = 0;
}

/* Copies output until the child has ended and the terminal is empty. */
static bool
converse(int fd, pid_t pid, struct plan *p, int *status)
{
	time_t began = time(NULL), end = began + p->seconds;
	bool ended = false;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int wait = ended ? 0 : p->keys[p->typed] || p->signal || p->counted ? QUIET_MS : 50;
		if (poll(&ready, 1, wait) > 0) {
			if (!copy(fd))
				return ended;
			if (may_type(p) && p->came_at && time(NULL) > p->came_at + RESTLESS_S)
				type_keys(p, fd);
			continue;
		}
		if (ended)
			return true;
		ended = waitpid(pid, status, WNOHANG) == pid;
		bool silent = !last_len && time(NULL) < began + SILENT_S;
		if (ended || silent) {
			/* a busy machine starts a command late: nothing was seen of it yet */
		} else if (p->signal) {
			disturb(p, fd, pid);
			p->signal = 0;
		} else if (may_type(p)) {
			type_keys(p, fd);
		} else if (!p->keys[p->typed] && p->counted) {
			count(fd, p->counted);
			p->counted = NULL;
		}
		if (!ended && time(NULL) > end)
			return false;
	}
}

int
main(int argc, char **argv)
{
	struct winsize size = {.ws_col = 80, .ws_row = 24};
	struct termios before, after;
	struct plan plan = {.seconds = 20};
	int master, slave, status, c, n = 0;
	pid_t pid;

	while ((c = getopt(argc, argv, "+s:a:x:w:k:c:t:")) != -1) {
		if (c == 's' && sscanf(optarg, "%hux%hu", &size.ws_col, &size.ws_row) == 2)
			continue;
		else if (c == 'k' && n < KEYS_MAX)
			plan.keys[n++] = optarg;
		else if (c == 'w')
			plan.awaited[n] = optarg;
		else if (c == 'c')
			plan.counted = optarg;
		else if (c == 'a')
			answer = optarg;
		else if (c == 'x')
			plan.signal = atoi(optarg);
		else if (c == 't')
			plan.seconds = atoi(optarg);
		else
			return 2;
	}
	if (optind == argc || openpty(&master, &slave, NULL, NULL, &size) < 0 ||
	    tcgetattr(slave, &before) < 0 || (pid = fork()) < 0) {
		perror("pty");
		return 2;
	}
	counting = plan.counted != NULL;
	plan.slave = slave;
	plan.before = &before;
	if (pid == 0) {
		close(master);
		login_tty(slave);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	if (!converse(master, pid, &plan, &status)) {
		fprintf(stderr, "pty: it does not end\n");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return 124;
	}
	if (tcgetattr(slave, &after) < 0 || !same_modes(&before, &after))
		fprintf(stderr, "pty: the terminal is not as it was\n");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
