/* forked.c - runs pnav in a process of forkserver, with the arguments, environment, folder, limits
 * and standard streams of this one, and ends as that process does.
 *
 *	PNAV_FORKS=SOCKET forked [ARGUMENT...]
 *
 * It is linked without sanitizers and shared libraries, so that it starts at once. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/forks.h"

extern char **environ;

static void
fail(const char *what)
{
	fprintf(stderr, "forked: %s: %s\n", what, strerror(errno));
	_exit(99);
}

/* Connects; waits until the server is there, but not longer than 60 s. */
static int
server_connect(void)
{
	const char *path = getenv("PNAV_FORKS");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (s < 0 || !path || strlen(path) >= sizeof to.sun_path)
		fail("PNAV_FORKS");
	strcpy(to.sun_path, path);
	for (int i = 0; connect(s, (struct sockaddr *)&to, sizeof to); i++) {
		if (i == 12000 || (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN))
			fail(path);
		usleep(5000);
	}
	return s;
}

/* Appends strings to the text, and returns their number. */
static uint32_t
strings_add(char *const *strings, FILE *text)
{
	uint32_t n = 0;

	for (; strings[n]; n++)
		fwrite(strings[n], 1, strlen(strings[n]) + 1, text);
	return n;
}

static void
descriptors_send(int s, const struct forks_request *r, int folder)
{
	char control[CMSG_SPACE(FORKS_FDS * sizeof(int))] = {0};
	struct iovec part = {(void *)r, sizeof *r};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof control};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(FORKS_FDS * sizeof(int));
	memcpy(CMSG_DATA(c), (int[FORKS_FDS]){folder, 0, 1, 2}, FORKS_FDS * sizeof(int));
	if (sendmsg(s, &m, MSG_NOSIGNAL) != sizeof *r)
		fail("sendmsg");
}

int
main(int argc, char **argv)
{
	struct forks_request r = {0};
	char *bytes = NULL;
	size_t n = 0;
	int status, s = server_connect(), folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FILE *text = open_memstream(&bytes, &n);

	(void)argc;
	if (folder < 0 || !text)
		fail("the folder");
	r.arguments = strings_add(argv, text);
	r.variables = strings_add(environ, text);
	fclose(text);
	r.bytes = (uint32_t)n;
	r.mask = umask(0);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		getrlimit(i, &r.limit[i]);
	descriptors_send(s, &r, folder);
	for (size_t sent = 0; sent < n;) {
		ssize_t now = send(s, bytes + sent, n - sent, MSG_NOSIGNAL);
		if (now <= 0)
			fail("send");
		sent += (size_t)now;
	}
	if (recv(s, &status, sizeof status, MSG_WAITALL) != sizeof status)
		fail("the server has ended");
	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0});
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WEXITSTATUS(status);
}
