/* storeurl.h - an address in a store of profiles:
 *
 *	clickhouse://[USER@]HOST[:PORT]/DATABASE[?tables=PREFIX&service=...]
 *
 * Values are %XX-decoded; a `+` is a plus, as patterns have it. */
#ifndef PNAV_SRC_STORE_STOREURL_H
#define PNAV_SRC_STORE_STOREURL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/store/wallclock.h"

/* What becomes a track of what is read. */
enum store_tracks { STORE_BY_HOST, STORE_BY_THREAD, STORE_BY_LABEL, STORE_BY_NOTHING };

struct store_url {
	char *origin;   /* "http://host:8123" */
	char *database;
	char *user;     /* NULL: none was said */
	char *tables;   /* what names of tables begin with; never NULL */
	/* what is asked for; NULL, 0, not given: nothing was said */
	char *service, *metric;
	char *host;     /* a name, or ~RE */
	struct wallclock from, to;
	uint64_t rows;  /* at most */
	enum store_tracks tracks;
	char *label;    /* of STORE_BY_LABEL: its key */
	bool asks;      /* something was said of what is asked for */
	int silence_s;  /* set by the caller: as in struct url_request; 0 as it is read */
};

/* Whether a name is such an address, in any case. */
bool store_url_is(const char *name);
/* Reads one; what it points to is the structure's, until store_url_release().  False with usage in
 * *e, and then there is nothing to release: parameters that there are not, two of one name,
 * and passwords are refused. */
bool store_url_read(struct store_url *p, const char *url, struct err *e);
/* Appends the address that asks for less than `url`: in [from, to), ns since 1970, and of these
 * hosts, a regular expression (NULL: as before). */
void store_url_narrow(const char *url, int64_t from, int64_t to, const char *hosts,
		      struct buf *out);
void store_url_release(struct store_url *p);

#endif
