/* manual.h - the source of pnav(1), beside the program as it was built or installed. */
#ifndef PNAV_SRC_COMMAND_MANUAL_H
#define PNAV_SRC_COMMAND_MANUAL_H

#include "model/table/inspections.h"

struct manuals {
	char *at[5]; /* where the page may be, the likeliest first; NULL ends */
};

void manuals_find(struct manuals *m);
void manuals_release(struct manuals *m);

/* The inspections of the page; usage in *e when it is not there or cannot be read. */
bool manual_inspections(struct inspections *out, struct err *e);
/* The one that is called so, or usage in *e that lists the names that there are. */
const struct inspection *manual_inspection(const struct inspections *all, const char *name,
					   struct err *e);

#endif
