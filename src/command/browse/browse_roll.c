/* browse_roll.c - see browse_roll.h.
 *
 * A recording without an end arrives in one pipe after the other, and each begins with what the
 * reader is to keep of the one before (record/roll.h).  So each is a profile of its own, and the
 * memory of an earlier one is freed as a whole.  The next profile is shown when it has all that the
 * shown one has.  If the user holds the shown one, the next ones replace each other meanwhile. */
#include "src/command/browse/browse_roll.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Receives the descriptor of a pipe.  Returns -1 if there is none; then errno is EAGAIN if one may
 * still come. */
static int
receive_pipe(int socket, int flags)
{
	char byte;
	int fd = -1;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof fd)];
	} control;
	struct iovec part = {&byte, 1};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ssize_t n;

	while ((n = recvmsg(socket, &m, flags | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	const struct cmsghdr *head = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof fd))
		memcpy(&fd, CMSG_DATA(head), sizeof fd);
	if (n >= 0 && fd < 0)
		errno = 0;
	return fd;
}

static void
start_next(struct browse_roll *r, int fd)
{
	load_free(r->load);
	profile_free(r->p);
	r->p = profile_new();
	r->p->normalize = r->options->normalize;
	r->p->independent = r->options->independent;
	r->load = load_start(r->p, r->name, fd, &r->options->format);
}

bool
browse_roll_begin(struct browse_roll *r, const char *name, const struct options *o, int pipes)
{
	*r = (struct browse_roll){.name = name, .options = o, .pipes = pipes};
	int fd = receive_pipe(pipes, 0);
	if (fd >= 0)
		start_next(r, fd);
	return fd >= 0;
}

/* Frees a next profile that is none: the recorder has ended before it wrote. */
static void
drop_refused(struct browse_roll *r)
{
	if (!r->load || !load_state(r->load).done || !load_refused(r->load))
		return;
	load_free(r->load);
	profile_free(r->p);
	r->load = NULL;
	r->p = NULL;
}

static int64_t
last_event(const struct profile *p)
{
	return p->n_groups && p->group[0].has_time ? p->group[0].end : INT64_MIN;
}

enum browse_rolling
browse_roll_look(struct browse_roll *r, struct load *load, const struct profile *p)
{
	for (int fd; r->pipes >= 0;) {
		fd = receive_pipe(r->pipes, MSG_DONTWAIT);
		if (fd >= 0) {
			start_next(r, fd);
			continue;
		}
		if (errno == EAGAIN)
			break;
		close(r->pipes);
		r->pipes = -1;
	}
	drop_refused(r);
	if (!load_state(load).done)
		return ROLLING_NO;
	if (!r->load)
		return r->pipes < 0 ? ROLLING_OVER : ROLLING_SOON;
	load_lock(r->load);
	int64_t reached = last_event(r->p);
	load_unlock(r->load);
	return reached >= last_event(p) || load_state(r->load).done ? ROLLING_DUE : ROLLING_SOON;
}

void
browse_roll_take(struct browse_roll *r, struct load **load, struct profile **p)
{
	load_free(*load);
	profile_free(*p);
	*load = r->load;
	*p = r->p;
	r->load = NULL;
	r->p = NULL;
	r->taken++;
}

void
browse_roll_stop(struct browse_roll *r)
{
	load_free(r->load);
	profile_free(r->p);
	r->load = NULL;
	r->p = NULL;
	if (r->pipes >= 0)
		close(r->pipes);
	r->pipes = -1;
}
