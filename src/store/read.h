/* read.h - reads a selection of a store as a profile: one more source beside the decoders.
 *
 * The selection (storeurl.h) is read as sums: first of each stack over the whole range; then of
 * each step of time, as fine as `rows` allow. As steps arrive, their sums are subtracted from those
 * of the whole range. So the numbers of the whole range are right from the start, and those of a
 * range that ends at steps once all of it has arrived. */
#ifndef PNAV_SRC_STORE_READ_H
#define PNAV_SRC_STORE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/input/source.h"
#include "src/store/storeurl.h"

/* The name of the format, like the names of decoders. */
#define STORE_FORMAT "clickhouse"

/* A frame that was stored without a function, and has no row in the table of symbols. */
struct store_unnamed {
	const char *module, *build; /* its path; its build id in hexadecimal digits */
	uint64_t at;                /* offset in the file */
	bool call;                  /* of a caller: the instruction after the call */
};
/* Its function; strings are borrowed until the next look-up. */
struct store_name {
	const char *function, *file;
	uint32_t line, defined; /* 0: unknown */
};
struct store_names {
	bool (*find)(void *ctx, const struct store_unnamed *frame, struct store_name *out);
	void *ctx;
};

/* Reads into b. `now`, in ns since 1970, is the base of relative times in the address. The watch,
 * which may be NULL, lets other threads use the profile and can end the reading. Returns false with
 * usage or a refusal in *e if there is no data, with damage if the server disconnects during the
 * detail; the received part is kept.  `names`, which may be NULL, finds functions that the store
 * does not have. */
bool store_read(const char *url, struct builder *b, struct watch *w, int64_t now,
		const struct store_names *names, struct err *e);
/* Appends the queries that store_read() would send, with {word} for parameters that come from
 * earlier answers. */
bool store_explain(const char *url, int64_t now, struct buf *out, struct err *e);

#endif
