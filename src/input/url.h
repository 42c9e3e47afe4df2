/* url.h - profiles behind a URL, and questions to servers; for src/input and src/store. */
#ifndef PNAV_SRC_INPUT_URL_H
#define PNAV_SRC_INPUT_URL_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "src/input/source.h"

/* Whether a name is one: http:// or https://, in any case. */
bool url_is(const char *name);
/* The body of what a server answers, read as it comes.  Waits until it begins: NULL with
 * refusal in *e where there is none, with what the server said.  A body that is cut short
 * is the source's fault.  Bytes count into w, which may be NULL and ends the wait. */
struct source *source_url(const char *url, struct watch *w, struct err *e);

/* A connection takes at most this long, and a server that sends less than a byte a second for
 * the other time is given up. */
#define URL_CONNECT_S 10
#define URL_SILENCE_S 60

/* What a server is asked that takes more than an address. */
struct url_request {
	const char *url;  /* perhaps with a user, `http://USER@HOST`, whose password ~/.netrc has;
			   * without one, ~/.netrc may name the user, too */
	const void *body; /* sent by POST as it is, and to no other server; NULL: GET */
	size_t len;       /* bytes of it */
	struct buf *said; /* gets the first 4 kB of the body of an error; or NULL */
	int silence_s;    /* how long the server may be silent; 0: URL_SILENCE_S, < 0: for ever */
};

/* Does a name that is a URL of any scheme have a password in it, `x://USER:PASSWORD@HOST`? */
bool url_has_password(const char *name);
/* The same as source_url() for such a question.  All that r points to stays the caller's,
 * and must be there until the source is closed. */
struct source *source_request(const struct url_request *r, struct watch *w, struct err *e);

#endif
