/* version.h - which layout the tables of a store have, and how they come to this one.
 *
 * The table `version` has a row with the number of the layout, written when the tables are
 * complete.  A store without one was made before there were numbers. */
#ifndef PNAV_SRC_STORE_VERSION_H
#define PNAV_SRC_STORE_VERSION_H

#include <stdbool.h>

#include "model/base/err.h"
#include "src/input/input.h"
#include "src/store/storeurl.h"

/* Before writing: makes the tables that are missing and, where the profiles of an earlier layout
 * have no sums, computes these from their samples.  False with refusal in *e: the server refuses,
 * a newer pnav made the tables, or they lack columns that cannot be computed. */
bool version_prepare(const struct store_url *url, struct err *e);
/* Before reading.  False with refusal in *e where the layout is another one; where there are no
 * tables at all it is true, and the next query says so.  `w` may be NULL. */
bool version_check(const struct store_url *url, struct watch *w, struct err *e);

#endif
