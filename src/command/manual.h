/* manual.h - the sources of the manual pages, beside the program as it was built or installed. */
#ifndef PNAV_SRC_COMMAND_MANUAL_H
#define PNAV_SRC_COMMAND_MANUAL_H

#include "model/base/buf.h"
#include "model/table/inspections.h"

/* The file names of all pages, which end with NULL. */
extern const char *const manual_pages[];

struct manuals {
	char *at[9]; /* possible paths of a page, the likeliest first; NULL ends */
};

/* Finds the possible paths of a page, such as "pnav-browse.1". */
void manuals_find(struct manuals *m, const char *page);
void manuals_release(struct manuals *m);

/* Appends the source of a page: an installed one, or that inside the executable. Returns false if
 * there is neither. */
bool manual_page(const char *page, struct buf *out);

/* Reads the inspections of pnav-inspections(7); usage in *e if that is missing or unreadable. */
bool manual_inspections(struct inspections *out, struct err *e);
/* Returns the inspection of this name; NULL with usage in *e, which lists the existing names. */
const struct inspection *manual_inspection(const struct inspections *all, const char *name,
					   struct err *e);

#endif
