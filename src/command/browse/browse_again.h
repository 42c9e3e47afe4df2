/* browse_again.h - addresses that ask a store for less; for the browser's files alone. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_AGAIN_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_AGAIN_H

#include "src/options.h"
#include "ui/app/app.h"

/* Options like others, but for their files and their lens. */
struct browse_again {
	struct options o;
	VEC(char *) urls; /* its files */
};

/* Are all files addresses of stores? */
bool browse_again_can(const struct options *o);
/* *next, which is not initialised, is o with the addresses that ask for `what` is looked at
 * of p.  Its lens has no range, and no tracks that the addresses say.  False with usage in
 * *e. */
bool browse_again_options(const struct options *o, const struct profile *p,
			  const struct app_again *what, struct browse_again *next,
			  struct err *e);
void browse_again_release(struct browse_again *next);

#endif
