/* inside.h - files inside the executable: the licence; in a static one (configure
 * --enable-static-file), which works without any other file, also the manual, the stored queries
 * and the notices of its libraries. */
#ifndef PNAV_SRC_INSIDE_H
#define PNAV_SRC_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"

struct inside_file {
	const char *name; /* such as "pnav.1" or "gaps.sql" */
	const unsigned char *gzip;
	size_t len;
};

/* All files, sorted by name; ends with a row without a name. The build writes it. */
extern const struct inside_file inside_files[];

/* Appends the contents of a file. Returns false if there is none of this name. */
bool inside_read(const char *name, struct buf *out);

#endif
