/* schema.h - the nine tables of a store of profiles, shared by writer and reader.
 *
 *	profiles  one row a stored profile, written last: only profiles with a row here exist
 *	stacks    the frames of a hash; never changed, shared by all profiles of a service
 *	samples   one row an event and metric
 *	sums      one row a profile, metric and stack: the sums of its samples, so that
 *	          profiles which lie completely in a range need not be added up again
 *	periods   one row an hour or day whose sums were computed (periods.h), written last
 *	period_sums  these sums: one row a metric, host and stack
 *	period_profiles  what is known of its profiles: one row a host and set of labels
 *	symbols   functions of addresses, found after the stacks were stored
 *	version   the version of this layout
 *
 * A count of samples beside another metric is not a row of its own, which would double a profile.
 * It is the column `samples` of that row. The sums contain it as a metric, too.
 *
 * An interrupted writer leaves samples whose `profile` has no row in profiles. A second attempt for
 * the same file uses another id, so nothing is counted twice. If two writers run at the same time,
 * their rows have the same `content`, and readers use one of them: schema_visible().
 *
 * Stacks are root first. A frame's line is the executed one, `defined` that of its function; 0 if
 * unknown. `kinds` has enum kind in its low bits, and SCHEMA_ flags. */
#ifndef PNAV_SRC_STORE_SCHEMA_H
#define PNAV_SRC_STORE_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "src/store/storeurl.h"

enum schema_table { SCHEMA_PROFILES, SCHEMA_STACKS, SCHEMA_SAMPLES, SCHEMA_SUMS, SCHEMA_SYMBOLS,
		    SCHEMA_PERIODS, SCHEMA_PERIOD_SUMS, SCHEMA_PERIOD_PROFILES,
		    SCHEMA_VERSION, /* last: version.h */
		    SCHEMA_TABLES };

/* The metric that is a column of others. */
#define SCHEMA_COUNTED "samples"

/* Bits in `kinds` of a frame. */
enum {
	SCHEMA_KIND = 3,        /* the bits of enum kind */
	SCHEMA_INLINED = 4,
	SCHEMA_CLAUSED = 8,     /* its line has a clause (LINE_CLAUSE), which may be 0 */
	SCHEMA_UNNAMED = 16,    /* a function that the file does not name (function.last) */
	SCHEMA_WHOLE = 32,      /* not a function, but a file or module as a whole */
};

/* Bytes of `profile` and `content`. */
#define SCHEMA_HASH 16u

struct schema_column {
	const char *name, *type; /* in the form of CREATE TABLE */
};
/* Returns the columns; a NULL name ends them. */
const struct schema_column *schema_columns(enum schema_table t);
/* Returns the name of the table without the prefix. */
const char *schema_short(enum schema_table t);
/* Appends the name of the table in this store, in backquotes. */
void schema_name(struct buf *out, const struct store_url *p, enum schema_table t);
/* Appends CREATE TABLE IF NOT EXISTS. */
void schema_create(struct buf *out, const struct store_url *p, enum schema_table t);
/* Selects the same one of several rows with equal content in all queries. */
#define SCHEMA_LAST(column) "argMax(" column ", concat(toString(stored), toString(profile)))"
/* Appends a SELECT of the valid values of samples.profile: of the profiles for which the SQL
 * `condition` holds (NULL: all), one for each content. For GLOBAL IN. */
void schema_visible(struct buf *out, const struct store_url *p, const char *condition);

/* A frame in the form of the table. */
struct schema_frame {
	const char *function, *file, *module; /* any bytes */
	const char *build; /* build id of the module, of frames whose function is an address */
	size_t function_len, file_len, module_len, build_len;
	uint32_t line, defined;
	uint8_t kind, clause;
};
/* Returns the hash of a path, computed from that of its caller; 0 for no caller. */
uint64_t schema_hash(uint64_t caller, const struct schema_frame *f);
/* Returns samples.stack, computed from the hash of the whole path and the address of its leaf (0:
 * unknown). */
uint64_t schema_hash_stack(uint64_t path, uint64_t address);

#endif
