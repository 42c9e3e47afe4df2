/* keptfiles.h - keeps the files that a recording names open, so that their names can be read at its
 * end also if they were removed or replaced meanwhile.
 *
 *	struct keptfiles *k = keptfiles_new();
 *	keptfiles_take(k, record);    -- each record
 *	... /proc/self/fd has the files ...
 *	keptfiles_free(k); */
#ifndef PNAV_SRC_COLLECT_KEPTFILES_H
#define PNAV_SRC_COLLECT_KEPTFILES_H

#include <linux/perf_event.h>

/* The folder of their descriptors, for this process and those that it forks. */
#define KEPTFILES_FOLDER "/proc/self/fd"

struct keptfiles;

struct keptfiles *keptfiles_new(void); /* owned by the caller */
/* Opens the file of a map of code that has a build id, once an id, unless there are too many. Does
 * nothing for other records, or if k is NULL. */
void keptfiles_take(struct keptfiles *k, const struct perf_event_header *record);
void keptfiles_free(struct keptfiles *k); /* k may be NULL */

#endif
