/* browse_stream.h - a recording that the browser shows, finished or in progress. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_STREAM_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_STREAM_H

#include <stdbool.h>

#include "model/base/buf.h"

struct browse_stream {
	const char *name; /* the recording's future file name, for sessions and Y */
	const char *title; /* of the screen; NULL: the name */
	const char *const *options; /* of the browser, "--from=-1s", up to a NULL; or NULL */
	int fd;           /* descriptor of the records; -1: the file is complete */
	/* A recording without an end: a socket that sends descriptors of records.  Each one
	 * replaces the one before (roll.h). */
	bool rolls;
	int pipes;
	int news;         /* descriptor of a status line for the browser, and of text to print
			   * afterwards; -1: none */
	struct buf said;  /* all of that text, also without a descriptor; the caller releases it */
	/* Called once after the browser, which ended with `status`. Completes the remaining work
	 * and returns the total status. The process may end immediately afterwards. */
	int (*end)(void *ctx, int status);
	void *ctx;
};

#endif
