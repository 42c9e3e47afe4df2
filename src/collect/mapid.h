/* mapid.h - adds the build ids of files to the kernel's records of maps.
 *
 *	struct mapids *m = mapids_new(ids);
 *	if (!mapids_put(m, record, &out)) ...    -- each record of forks and maps, in their order
 *	mapids_free(m); */
#ifndef PNAV_SRC_COLLECT_MAPID_H
#define PNAV_SRC_COLLECT_MAPID_H

#include <linux/perf_event.h>
#include <stdbool.h>

struct buf;
struct buildids;
struct mapids;

struct mapids *mapids_new(struct buildids *ids); /* borrows ids */
void mapids_free(struct mapids *m);
/* For a recording whose events do not ask for build ids. Appends the record of a map (MMAP2) as it
 * should be: with its file's build id, or without the mark that it has one. Returns false, and
 * appends nothing, if the record is right or of another kind. */
bool mapids_put(struct mapids *m, const struct perf_event_header *record, struct buf *out);

#endif
