/* load_names.h - reads a store, and looks for functions that it lacks on this machine. */
#ifndef PNAV_SRC_LOAD_NAMES_H
#define PNAV_SRC_LOAD_NAMES_H

#include "src/store/read.h"

struct format_options;

/* Calls store_read() at the present time.  Functions come from the places that the options name,
 * and from debuginfod servers if they allow that.  Returns false and sets *e as store_read(). */
bool load_names_store(const char *url, struct builder *b, const struct format_options *o,
		      struct watch *w, struct err *e);

#endif
