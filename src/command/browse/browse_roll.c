/* browse_roll.c - see browse_roll.h.
 *
 * A recording without an end arrives in one pipe after the other, and each begins with what the
 * reader is to keep of the one before (record/roll.h).  So each is a profile of its own, and the
 * memory of an earlier one is freed as a whole.  The next profile is shown when it has all that the
 * shown one has.  If the user holds the shown one, the next ones replace each other meanwhile. */
#include "src/command/browse/browse_roll.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/command/passing.h"

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
	int fd = passing_receive(pipes, 0);
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
		fd = passing_receive(r->pipes, MSG_DONTWAIT);
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
