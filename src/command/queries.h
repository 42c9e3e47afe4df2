/* queries.h - stored queries: files NAME.sql, each with a comment line that describes it.
 *
 * pnav searches the folder named by PNAV_QUERIES, the folder queries/ of the user's configuration,
 * and the installed queries, in this order. */
#ifndef PNAV_SRC_COMMAND_QUERIES_H
#define PNAV_SRC_COMMAND_QUERIES_H

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"

struct query {
	char *name;
	char *about; /* the comment line */
	char *text;
};

struct queries {
	VEC(struct query) all; /* sorted by name */
	struct buf places;     /* the folders searched */
};

/* Finds all readable queries. */
void queries_find(struct queries *q);
void queries_release(struct queries *q);
/* Returns the query of this name. NULL with usage in *e, which lists the existing queries, or the
 * folders if there are none. */
const struct query *queries_named(const struct queries *q, const char *name, struct err *e);

#endif
