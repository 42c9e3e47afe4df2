/* url.h - profiles behind a URL; for src/input alone. */
#ifndef PNAV_SRC_INPUT_URL_H
#define PNAV_SRC_INPUT_URL_H

#include <stdbool.h>

#include "src/input/source.h"

/* Whether a name is one: http:// or https://, in any case. */
bool url_is(const char *name);
/* The body of what a server answers, read as it comes.  Waits until it begins: NULL with
 * refusal in *e where there is none, with what the server said.  A body that is cut short
 * is the source's fault.  Bytes count into w, which may be NULL and ends the wait. */
struct source *source_url(const char *url, struct watch *w, struct err *e);

#endif
