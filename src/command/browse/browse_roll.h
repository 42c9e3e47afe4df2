/* browse_roll.h - a recording without an end: the next profile loads while one is shown.
 *
 *	browse_roll_begin(&r, name, options, pipes);   -- waits for the first pipe
 *	browse_roll_take(&r, &load, &p);               -- which is the first to be shown
 *	browse_roll_look(&r, load, p);                 -- now and then: is there another?
 *	browse_roll_take(&r, &load, &p);               -- replaces the shown one
 *	browse_roll_stop(&r);                          -- no other one, now or at the end */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_ROLL_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_ROLL_H

#include "src/load.h"
#include "src/options.h"

struct browse_roll {
	const char *name;
	const struct options *options;
	int pipes;         /* the socket; -1: no more pipes will come */
	struct load *load; /* of the next profile; NULL: there is none yet */
	struct profile *p;
	uint64_t taken; /* profiles so far */
};

enum browse_rolling {
	ROLLING_NO,   /* the shown profile may grow */
	ROLLING_SOON, /* the next one does not have all of it yet */
	ROLLING_DUE,  /* it has */
	ROLLING_OVER, /* the shown one is the last, and complete */
};

/* Borrows the name and the options; the socket belongs to r.  Returns false if no pipe came. */
bool browse_roll_begin(struct browse_roll *r, const char *name, const struct options *o, int pipes);
/* Starts to load a pipe that has come, instead of one that was not shown yet. `p`: shown, read by
 * `load`, whose lock the caller holds. */
enum browse_rolling browse_roll_look(struct browse_roll *r, struct load *load,
				     const struct profile *p);
/* Makes the next profile and its load *p and *load, and frees those. */
void browse_roll_take(struct browse_roll *r, struct load **load, struct profile **p);
/* Frees the next profile; no further one will come. */
void browse_roll_stop(struct browse_roll *r);

#endif
