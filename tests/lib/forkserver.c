/* forkserver.c - runs pnav many times for a test, each time in a child of this process. So the work
 * of the loader and the sanitizers, which takes most of the time of a short command, is done once.
 *
 *	forkserver SOCKET
 *
 * forked (forked.c) asks it for each run. It ends with its parent. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/forks.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

int pnav_main(int argc, char **argv);
#define main pnav_main
#include "src/main.c"
#undef main

extern char **environ;

#define RUNS_MAX 200

struct run {
	pid_t child;
	int client;
};

struct server {
	int door, deaths; /* the socket, and the news of children that ended */
	size_t n;
	struct run run[RUNS_MAX];
};

/* ---- in the child ---- */

/* Reads one request with its descriptors. Returns its strings; NULL if the client has gone. */
static char *
request_read(int client, struct forks_request *r, int *fd)
{
	char control[CMSG_SPACE(FORKS_FDS * sizeof(int))];
	struct iovec part = {r, sizeof *r};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof control};

	if (recvmsg(client, &m, MSG_WAITALL | MSG_CMSG_CLOEXEC) != sizeof *r)
		return NULL;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_len != CMSG_LEN(FORKS_FDS * sizeof(int)))
		return NULL;
	memcpy(fd, CMSG_DATA(c), FORKS_FDS * sizeof(int));
	char *bytes = malloc(r->bytes);
	if (bytes && recv(client, bytes, r->bytes, MSG_WAITALL) != (ssize_t)r->bytes) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Returns n strings that follow each other, with NULL behind the last; *at steps over them. */
static char **
strings_take(char **at, uint32_t n)
{
	char **strings = calloc(n + 1, sizeof *strings);

	for (uint32_t i = 0; i < n; i++) {
		strings[i] = *at;
		*at += strlen(*at) + 1;
	}
	return strings;
}

/* Looks for leaks as exit() does, if the client wants it. The sanitizer's other work there, to
 * unregister the variables of each object file, takes longer than a short command. */
static void
leaks_look(void)
{
#ifdef __SANITIZE_ADDRESS__
	const char *options = getenv("ASAN_OPTIONS");

	if (!options || !strstr(options, "detect_leaks=0"))
		__lsan_do_leak_check();
#endif
}

/* Becomes the process that the client wants to be, and runs pnav. Does not return. */
static void
child_run(int client)
{
	struct forks_request r;
	int fd[FORKS_FDS];
	char *bytes = request_read(client, &r, fd), *at = bytes;
	sigset_t none;

	if (!bytes || fchdir(fd[0]))
		_exit(99);
	close(client);
	close(fd[0]);
	for (int i = 0; i < 3; i++) {
		dup2(fd[i + 1], i);
		close(fd[i + 1]);
	}
	char **argv = strings_take(&at, r.arguments), **variables = strings_take(&at, r.variables);
	environ = variables;
	umask(r.mask);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		setrlimit(i, &r.limit[i]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int status = pnav_main((int)r.arguments, argv);
	fflush(NULL);
	leaks_look();
	_exit(status);
}

/* ---- the server ---- */

static void
client_accept(struct server *s)
{
	int client = accept4(s->door, NULL, NULL, SOCK_CLOEXEC);

	if (client < 0)
		return;
	pid_t child = s->n < RUNS_MAX ? fork() : -1;
	if (!child) {
		close(s->door);
		close(s->deaths);
		for (size_t i = 0; i < s->n; i++)
			close(s->run[i].client);
		child_run(client);
	}
	if (child < 0)
		close(client);
	else
		s->run[s->n++] = (struct run){child, client};
}

static void
children_bury(struct server *s)
{
	struct signalfd_siginfo news;
	int status;
	pid_t child;

	(void)!read(s->deaths, &news, sizeof news);
	while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
		for (size_t i = 0; i < s->n; i++) {
			if (s->run[i].child != child)
				continue;
			send(s->run[i].client, &status, sizeof status, MSG_NOSIGNAL);
			close(s->run[i].client);
			s->run[i] = s->run[--s->n];
			break;
		}
	}
}

int
main(int argc, char **argv)
{
	struct server s = {0};
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	sigset_t deaths;

	if (argc != 2 || strlen(argv[1]) >= sizeof at.sun_path)
		return 99;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	strcpy(at.sun_path, argv[1]);
	sigemptyset(&deaths);
	sigaddset(&deaths, SIGCHLD);
	sigprocmask(SIG_BLOCK, &deaths, NULL);
	s.deaths = signalfd(-1, &deaths, SFD_CLOEXEC | SFD_NONBLOCK);
	s.door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s.deaths < 0 || s.door < 0 || bind(s.door, (struct sockaddr *)&at, sizeof at) ||
	    listen(s.door, RUNS_MAX))
		return 99;
	for (;;) {
		struct pollfd p[RUNS_MAX + 2] = {{.fd = s.door, .events = POLLIN},
						 {.fd = s.deaths, .events = POLLIN}};
		size_t n = s.n;
		for (size_t i = 0; i < n; i++)
			p[i + 2] = (struct pollfd){.fd = s.run[i].client};
		if (poll(p, n + 2, -1) < 0)
			continue;
		/* a client that was killed takes its run along */
		for (size_t i = 0; i < n; i++)
			if (p[i + 2].revents & (POLLHUP | POLLERR))
				kill(s.run[i].child, SIGKILL);
		if (p[1].revents)
			children_bury(&s);
		if (p[0].revents)
			client_accept(&s);
	}
}
