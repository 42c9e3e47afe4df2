/* mapid.h - adds the build ids of files to the kernel's records of maps. */
#ifndef PNAV_SRC_COLLECT_MAPID_H
#define PNAV_SRC_COLLECT_MAPID_H

#include <linux/perf_event.h>
#include <stdbool.h>

struct buf;
struct buildids;

/* For a recording whose events do not ask for build ids. Appends the record of a map (MMAP2) as it
 * should be: with its file's build id, or without the mark that it has one. Returns false, and
 * appends nothing, if the record is right. */
bool mapid_put(struct buildids *ids, const struct perf_event_header *record, struct buf *out);

#endif
