/* whole.h - reads a whole file up to a limit, since a device may never end. */
#ifndef PNAV_SRC_WHOLE_H
#define PNAV_SRC_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "model/base/buf.h"

/* Appends the contents of a file. If it has more than `max` bytes, appends a few more than that.
 * Returns false if it cannot be read. */
static inline bool
whole_read(FILE *in, size_t max, struct buf *out)
{
	char part[16384];
	size_t n;

	while (out->len <= max && (n = fread(part, 1, sizeof part, in)) > 0)
		buf_add(out, part, n);
	return !ferror(in);
}

#endif
