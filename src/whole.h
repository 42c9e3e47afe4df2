/* whole.h - a file that is read as a whole, with a limit: a device gives no end. */
#ifndef PNAV_SRC_WHOLE_H
#define PNAV_SRC_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "model/base/buf.h"

/* Appends what the file says, up to some bytes more than max: then it is too long.  False
 * when it could not be read. */
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
