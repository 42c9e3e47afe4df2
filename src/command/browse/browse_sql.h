/* browse_sql.h - answers SQL queries from the browser. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_SQL_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_SQL_H

#include "model/profile/profile.h"
#include "src/command/queries.h"
#include "ui/part/answer.h"

struct browse_sql {
	const struct profile *p;
	struct queries queries;
	struct answer_source source;
};

/* Returns the source for a profile that may still grow; NULL if pnav was built without SQLite. */
const struct answer_source *browse_sql_init(struct browse_sql *b, const struct profile *p);
void browse_sql_release(struct browse_sql *b);

#endif
