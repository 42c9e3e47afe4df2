/* browse_stream.h - records that another process writes while the browser shows them. */
#ifndef PNAV_SRC_COMMAND_BROWSE_STREAM_H
#define PNAV_SRC_COMMAND_BROWSE_STREAM_H

#include "model/buf.h"

struct browse_stream {
	const char *name; /* the file that it becomes: titles, sessions and Y have it */
	int fd;           /* the records, to their end */
	int news;         /* then: a line to tell in the browser, and what to print after it */
	struct buf said;  /* all of that; the caller's to release */
};

#endif
