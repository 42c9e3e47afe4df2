/* version.h - the version of a store's tables, and their migration to the current one.
 *
 * The table `version` has a row with the number, written when the tables are complete. A store
 * without that table is older than these numbers. */
#ifndef PNAV_SRC_STORE_VERSION_H
#define PNAV_SRC_STORE_VERSION_H

#include <stdbool.h>

#include "model/base/err.h"
#include "src/input/input.h"
#include "src/store/storeurl.h"

/* Prepares the tables for writing: creates missing ones, and computes the sums of profiles from an
 * earlier version. Returns false with a refusal in *e if the server refuses, a newer pnav made the
 * tables, or columns are missing that cannot be computed. */
bool version_prepare(const struct store_url *url, struct err *e);
/* Checks the version for reading. Returns false with a refusal in *e if it is another. Sets
 * *any to whether there is a table of profiles; without tables it returns true. `w` may be NULL. */
bool version_check(const struct store_url *url, struct watch *w, bool *any, struct err *e);

#endif
