/* pty [-s COLSxROWS] [-k KEYS] [-t SECONDS] COMMAND...: a command on a terminal of its own.
 *
 * What the command writes goes to standard output as it is.  KEYS are typed once it has
 * been quiet for a while.  Its status is this program's; 124 when it does not end.  A
 * command that leaves the terminal in another mode than it found is told on stderr: the
 * parent holds the terminal open and compares.
 *
 * tmux, which other tests use, has a shell between the test and the program, and makes
 * TERM what it likes. */
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

static bool
same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
	       a->c_lflag == b->c_lflag && !memcmp(a->c_cc, b->c_cc, sizeof a->c_cc);
}

/* Copies what comes until the child has ended and the terminal is empty. */
static bool
converse(int fd, pid_t pid, const char *keys, int seconds, int *status)
{
	time_t end = time(NULL) + seconds;
	char piece[4096];
	bool ended = false;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, ended ? 0 : keys ? QUIET_MS : 50);
		if (ready > 0) {
			ssize_t n = read(fd, piece, sizeof piece);
			if (n <= 0)
				return ended;
			fwrite(piece, 1, (size_t)n, stdout);
			continue;
		}
		if (ended)
			return true;
		if (keys && write(fd, keys, strlen(keys)) >= 0)
			keys = NULL;
		ended = waitpid(pid, status, WNOHANG) == pid;
		if (!ended && time(NULL) > end)
			return false;
	}
}

int
main(int argc, char **argv)
{
	struct winsize size = {.ws_col = 80, .ws_row = 24};
	struct termios before, after;
	const char *keys = NULL;
	int master, slave, seconds = 20, status, c;
	pid_t pid;

	while ((c = getopt(argc, argv, "+s:k:t:")) != -1) {
		if (c == 's' && sscanf(optarg, "%hux%hu", &size.ws_col, &size.ws_row) == 2)
			continue;
		else if (c == 'k')
			keys = optarg;
		else if (c == 't')
			seconds = atoi(optarg);
		else
			return 2;
	}
	if (optind == argc || openpty(&master, &slave, NULL, NULL, &size) < 0 ||
	    tcgetattr(slave, &before) < 0 || (pid = fork()) < 0) {
		perror("pty");
		return 2;
	}
	if (pid == 0) {
		close(master);
		login_tty(slave);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	if (!converse(master, pid, keys, seconds, &status)) {
		fprintf(stderr, "pty: it does not end\n");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return 124;
	}
	if (tcgetattr(slave, &after) < 0 || !same_modes(&before, &after))
		fprintf(stderr, "pty: the terminal is not as it was\n");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
