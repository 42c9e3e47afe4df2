/* uprobes.h - events at functions of programs: `uprobe:/path:function`. */
#ifndef PNAV_SRC_COLLECT_UPROBES_H
#define PNAV_SRC_COLLECT_UPROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"

/* One place of a file; the texts last for the call. */
struct uprobe {
	unsigned type; /* the kernel's number of this kind of events */
	bool returns;  /* at the return, not at the begin */
	const char *path, *function;
	uint64_t offset; /* in the file */
};

/* Returns true for `uprobe:...` and `uretprobe:...`. */
bool uprobes_named(const char *at, size_t len);
/* Calls for each function of the file that matches; a place with several names comes several times.
 * The pattern may have * and ?, and may be demangled.  Returns false with usage in *e: the system
 * has no such events, the file or the function is not there, or a call returned false. */
bool uprobes_find(const char *at, size_t len, bool (*found)(void *ctx, const struct uprobe *u),
		  void *ctx, struct err *e);

#endif
