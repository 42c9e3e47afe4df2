/* ttl.h - how long the tables of a store keep their rows. */
#ifndef PNAV_SRC_STORE_TTL_H
#define PNAV_SRC_STORE_TTL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/source.h"
#include "src/store/schema.h"
#include "src/store/storeurl.h"

/* Has the server delete samples `seconds` after their time, and profiles and their sums as long
 * after the profile's begin. The tables must exist. Returns false with a refusal in *e if the
 * engine of a table cannot do it; then no table is changed. */
bool ttl_set(const struct store_url *url, int64_t seconds, struct err *e);
/* Gives the tables that were not `there` the TTL of the samples, if these have one that counts from
 * their time.  Returns false with a refusal in *e if the server refuses. */
bool ttl_carry(const struct store_url *url, const bool there[SCHEMA_TABLES], struct err *e);
/* Appends how long samples are kept, such as 30d, or the server's expression if it is another;
 * nothing if the server deletes none. Returns false with a refusal in *e. */
bool ttl_read(const struct store_url *url, struct watch *w, struct buf *out, struct err *e);

#endif
