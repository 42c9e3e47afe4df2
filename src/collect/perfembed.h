/* perfembed.h - the section of a perf.data file with embedded symbols. */
#ifndef PNAV_SRC_COLLECT_PERFEMBED_H
#define PNAV_SRC_COLLECT_PERFEMBED_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "model/base/err.h"

#define PERFEMBED_FEATURE 254u /* its bit in the header; perf ignores unknown bits */

/* Appends the section: its head, then the names of embedding_write(), compressed. */
void perfembed_section(const struct buf *names, struct buf *out);
/* Copies a finished perf.data file from the seekable descriptor `in` to `out`, with this section
 * instead of any existing one.  Returns false with *e if it is another kind of file, damaged, or
 * cannot be written. */
bool perfembed_copy(int in, int out, const struct buf *section, struct err *e);

#endif
