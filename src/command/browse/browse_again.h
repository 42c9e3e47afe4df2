/* browse_again.h - derives narrower addresses of a store; for the browser's files alone. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_AGAIN_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_AGAIN_H

#include "src/options.h"
#include "ui/app/app.h"

/* Options equal to others except for files and lens. */
struct browse_again {
	struct options o;
	VEC(char *) urls; /* its files */
};

/* Returns true if all files are addresses of stores. */
bool browse_again_can(const struct options *o);
/* Initialises *next as a copy of o whose addresses select the part `what` of p. Its lens has no
 * range, and no tracks that the addresses already select. Returns false with usage in *e. */
bool browse_again_options(const struct options *o, const struct profile *p,
			  const struct app_again *what, struct browse_again *next,
			  struct err *e);
void browse_again_release(struct browse_again *next);

#endif
