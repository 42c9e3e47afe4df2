/* browse_stream.h - what a command has recorded, or records while the browser shows it. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_STREAM_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_STREAM_H

#include "model/base/buf.h"

struct browse_stream {
	const char *name; /* the file that it becomes: titles, sessions and Y have it */
	int fd;           /* the records, to their end; -1: the file is whole */
	int news;         /* then: a line to tell in the browser, and what to print after it;
	                     -1: none */
	struct buf said;  /* all of that; the caller's to release */
	/* Called once, after the browser, which ended with `status`: does what is left to do and
	 * gives the status of all of it.  The process may end right behind it. */
	int (*end)(void *ctx, int status);
	void *ctx;
};

#endif
