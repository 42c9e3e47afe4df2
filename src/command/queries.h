/* queries.h - queries that are stored: files NAME.sql, each with a comment line that says what
 * it answers.
 *
 * They are looked for in the folder queries/ of the user's configuration, and where pnav's own
 * are installed; PNAV_QUERIES names another folder, before both. */
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
	VEC(struct query) all; /* by name */
	struct buf places;     /* where they were looked for */
};

/* Finds all; those that cannot be read are not there. */
void queries_find(struct queries *q);
void queries_release(struct queries *q);
/* NULL with usage in *e, which lists them, or the folders where there is none. */
const struct query *queries_named(const struct queries *q, const char *name, struct err *e);

#endif
