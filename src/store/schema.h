/* schema.h - the five tables of a store of profiles: what writer and reader agree on.
 *
 *	profiles  one row a stored profile, written last: what has no row here is not there
 *	stacks    what stands behind a hash; never changed, shared by all profiles of a service
 *	samples   one row an event and metric
 *	sums      one row a profile, metric and stack: the sums of its samples, so that
 *	          profiles which lie within a range as a whole need not be added up again
 *	version   which layout these have
 *
 * A count of samples that stands beside another metric is no row of its own, which would double
 * a profile: it is the column `samples` of that row.  The sums have it as a metric, too.
 *
 * A store that was interrupted leaves samples whose `profile` nothing names; one of the same
 * file that comes after has another, so nothing is counted twice.  Of two that ran beside
 * each other both rows have the same `content`, and readers take one of them:
 * schema_visible().
 *
 * Stacks are root first.  A frame's line is the one that executes, `defined` that of its
 * function; 0 where not known.  `kinds` has enum kind in its low bits, and SCHEMA_ flags. */
#ifndef PNAV_SRC_STORE_SCHEMA_H
#define PNAV_SRC_STORE_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "src/store/storeurl.h"

enum schema_table { SCHEMA_PROFILES, SCHEMA_STACKS, SCHEMA_SAMPLES, SCHEMA_SUMS,
		    SCHEMA_VERSION, /* last: version.h */
		    SCHEMA_TABLES };

/* The metric that is a column of others. */
#define SCHEMA_COUNTED "samples"

/* In `kinds` of a frame. */
enum {
	SCHEMA_KIND = 3,        /* the bits of enum kind */
	SCHEMA_INLINED = 4,
	SCHEMA_CLAUSED = 8,     /* its line has a clause (LINE_CLAUSE), perhaps 0 */
	SCHEMA_UNNAMED = 16,    /* stands for what the file does not name (function.last) */
	SCHEMA_WHOLE = 32,      /* no function: a file or module as a whole */
};

/* Bytes of `profile` and `content`. */
#define SCHEMA_HASH 16u

struct schema_column {
	const char *name, *type; /* as CREATE TABLE has them */
};
/* Ended by a NULL name. */
const struct schema_column *schema_columns(enum schema_table t);
/* The name of the table without the prefix. */
const char *schema_short(enum schema_table t);
/* Appends the name of the table in this store, in backquotes. */
void schema_name(struct buf *out, const struct store_url *p, enum schema_table t);
/* Appends CREATE TABLE IF NOT EXISTS. */
void schema_create(struct buf *out, const struct store_url *p, enum schema_table t);
/* Of several rows of one content the same one in all queries. */
#define SCHEMA_LAST(column) "argMax(" column ", concat(toString(stored), toString(profile)))"
/* Appends a SELECT of what samples.profile may be: of the rows of profiles for which
 * `condition`, which is SQL, holds (NULL: of all), one a content.  For GLOBAL IN. */
void schema_visible(struct buf *out, const struct store_url *p, const char *condition);

/* A frame as the table has it. */
struct schema_frame {
	const char *function, *file, *module; /* any bytes */
	size_t function_len, file_len, module_len;
	uint32_t line, defined;
	uint8_t kind, clause;
};
/* The hash of a path from that of its caller, 0 where it has none. */
uint64_t schema_hash(uint64_t caller, const struct schema_frame *f);
/* samples.stack: from the hash of the whole path, and the address of its leaf (0: not known). */
uint64_t schema_hash_stack(uint64_t path, uint64_t address);

#endif
