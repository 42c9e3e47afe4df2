/* browse_names.h - short names of several addresses of stores, for the header. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_NAMES_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_NAMES_H

#include "model/base/buf.h"
#include "src/options.h"

struct browse_names {
	struct buf common, *name; /* [file] */
	const char **at;          /* their text; NULL: not all are addresses */
};

void browse_names_init(struct browse_names *x, const struct options *o);
void browse_names_release(struct browse_names *x, const struct options *o);

#endif
