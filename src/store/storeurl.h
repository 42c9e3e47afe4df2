/* storeurl.h - the address of a selection in a store of profiles:
 *
 *	clickhouse://[USER@]HOST[:PORT]/DATABASE[?tables=PREFIX&service=...]
 *	clickhouse://[USER@]HOST[:PORT]/DATABASE?trace_log[=DB.TABLE][&type=CPU&...]
 *
 * The second form selects rows of ClickHouse's own sampling profiler (tracelog.h) instead.
 * Values are %XX-decoded; a `+` is a plus, as in patterns. */
#ifndef PNAV_SRC_STORE_STOREURL_H
#define PNAV_SRC_STORE_STOREURL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/store/wallclock.h"

/* The default of `tables`. */
#define STORE_TABLES_USUAL "pnav_"

/* Which key separates the tracks of the resulting profile. */
enum store_tracks { STORE_BY_HOST, STORE_BY_THREAD, STORE_BY_LABEL, STORE_BY_NOTHING };

/* A condition on a label that profiles were stored with. */
struct store_label {
	char *key;
	char *value; /* a value, or ~RE; NULL: any */
	bool is_not;
};

struct store_url {
	char *origin;   /* "http://host:8123" */
	char *database;
	char *user;     /* NULL: not given */
	char *tables;   /* prefix of the tables' names; never NULL */
	/* the selection; NULL or 0: not given */
	char *service, *metric;
	char *host;     /* a name, or ~RE */
	VEC(struct store_label) where; /* all must hold */
	struct wallclock from, to;
	uint64_t rows;  /* upper limit */
	enum store_tracks tracks;
	char *label;    /* of STORE_BY_LABEL: its key */
	/* the table of the server's own profiler; NULL: a store of pnav */
	char *log_database, *log_table;
	char *type, *query, *cluster; /* of a trace log; NULL: not given */
	bool asks;      /* a parameter of the selection was given */
	unsigned retries; /* how often a request is sent again */
	int silence_s;  /* set by the caller, see struct url_request; 0 after parsing */
};

/* Returns true if a name is such an address, in any case. */
bool store_url_is(const char *name);
/* Parses an address. The structure owns its members until store_url_release(). Returns false with
 * usage in *e, and nothing to release, for unknown or repeated parameters, and for passwords. */
bool store_url_read(struct store_url *p, const char *url, struct err *e);
/* Appends `url` narrowed to [from, to), in ns since 1970, and to hosts that match a regular
 * expression (NULL: unchanged). */
void store_url_narrow(const char *url, int64_t from, int64_t to, const char *hosts,
		      struct buf *out);
/* Appends a short name of what an address selects, for tracks: "-2h..-1h shop version:1". Empty if
 * it selects nothing. */
void store_url_title(const char *url, struct buf *out);
/* Appends `url` narrowed to a service, and to one value of a label (key NULL: any). */
void store_url_choose(const char *url, const char *service, const char *key, const char *value,
		      struct buf *out);
void store_url_release(struct store_url *p);

#endif
