#include "src/command/passing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* A message of one byte with room for one descriptor. */
struct passing {
	char byte;
	struct iovec part;
	struct msghdr message;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
};

static void
passing_init(struct passing *x)
{
	memset(x, 0, sizeof *x);
	x->part = (struct iovec){&x->byte, 1};
	x->message = (struct msghdr){.msg_iov = &x->part,
				     .msg_iovlen = 1,
				     .msg_control = &x->control,
				     .msg_controllen = sizeof x->control};
}

bool
passing_send(int socket, int fd)
{
	struct passing x;
	ssize_t n;

	passing_init(&x);
	x.control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS,
					  .cmsg_len = CMSG_LEN(sizeof fd)};
	memcpy(CMSG_DATA(&x.control.head), &fd, sizeof fd);
	while ((n = sendmsg(socket, &x.message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return n == 1;
}

int
passing_receive(int socket, int flags)
{
	struct passing x;
	int fd = -1;
	ssize_t n;

	passing_init(&x);
	while ((n = recvmsg(socket, &x.message, flags | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	const struct cmsghdr *head = n == 1 ? CMSG_FIRSTHDR(&x.message) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof fd))
		memcpy(&fd, CMSG_DATA(head), sizeof fd);
	if (n >= 0 && fd < 0)
		errno = 0;
	return fd;
}
