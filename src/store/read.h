/* read.h - a question to a store, as a profile: one more source beside the decoders.
 *
 * What is asked for (storeurl.h) comes as sums: of each stack over the whole range first, then
 * of each step of time, the finest that `rows` allow, with what was told as a whole taken
 * back as it comes; so the numbers of the whole range are right from the first moment on, and
 * those of a range that ends at steps when it has come. */
#ifndef PNAV_SRC_STORE_READ_H
#define PNAV_SRC_STORE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/input/source.h"
#include "src/store/storeurl.h"

/* The name of the format, where decoders have theirs. */
#define STORE_FORMAT "clickhouse"

/* Reads into b.  `now` is what the times of the address count from, in ns since 1970.  The
 * watch, which may be NULL, lets others look meanwhile and ends the reading.  False with
 * usage or refusal in *e when there is nothing, with damage when the server went away in
 * the middle of the detail: what came is kept. */
bool store_read(const char *url, struct builder *b, struct watch *w, int64_t now,
		struct err *e);
/* Appends the queries that this asks, one after the other; what comes from the answer to one
 * before stands as {word}. */
bool store_explain(const char *url, int64_t now, struct buf *out, struct err *e);

#endif
