/* url.h - profiles from a URL, and queries to servers; for src/input and src/store. */
#ifndef PNAV_SRC_INPUT_URL_H
#define PNAV_SRC_INPUT_URL_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "src/input/source.h"

/* Returns true if a name is a URL: http:// or https://, in any case. */
bool url_is(const char *name);
/* Requests a URL and returns its body as a source. Waits until the body begins. NULL with a refusal
 * in *e if there is no body; the refusal quotes the server. A truncated body is a fault of the
 * source. w counts the bytes and can end the wait; it may be NULL. */
struct source *source_url(const char *url, struct watch *w, struct err *e);

/* Limits, in seconds: for a connection, and for a server that sends less than a byte a second. */
#define URL_CONNECT_S 10
#define URL_SILENCE_S 60

/* How a request failed. */
enum url_failure {
	URL_ANSWERED, /* the server answered, perhaps with an error; or no request can work */
	URL_UNSENT,   /* no connection, so the server does not know the request */
	URL_CUT,      /* the connection ended before the answer: the server may have acted */
	URL_SILENT,   /* the server sent nothing for too long */
};

/* A request that needs more than a URL. */
struct url_request {
	const char *url;  /* may contain a user, `http://USER@HOST`, whose password is in ~/.netrc;
			   * otherwise ~/.netrc may contain the user, too */
	const void *body; /* sent unchanged by POST, and to no other server; NULL: GET */
	size_t len;       /* bytes of the body */
	struct buf *said; /* receives the first 4 kB of the body of an error; or NULL */
	enum url_failure *failure; /* receives the kind of a failure; or NULL */
	int silence_s;    /* how long the server may be silent; 0: URL_SILENCE_S, < 0: no limit */
};

/* Returns true if a URL of any scheme contains a password, `x://USER:PASSWORD@HOST`. */
bool url_has_password(const char *name);
/* As source_url() for such a request. All that r points to is borrowed until the source is
 * closed. */
struct source *source_request(const struct url_request *r, struct watch *w, struct err *e);

#endif
