/* buildid.h - the build ids of mapped files.
 *
 *	struct buildids *ids = buildids_new();
 *	size_t len = buildids_get(ids, &file, path, id);     -- reads each file once
 *	buildids_free(ids); */
#ifndef PNAV_SRC_COLLECT_BUILDID_H
#define PNAV_SRC_COLLECT_BUILDID_H

#include <stddef.h>
#include <stdint.h>

#define BUILDID_MAX 20u

/* A file, as a line of /proc/PID/maps names it. */
struct buildid_file {
	uint32_t major, minor;
	uint64_t inode;
	const char *path; /* in the process's own root */
};

/* A cache of build ids. */
struct buildids;
struct buildids *buildids_new(void); /* owned by the caller */
void buildids_free(struct buildids *ids);
/* Writes the build id of an ELF file of this machine's byte order, which must have this inode.
 * Returns its length in bytes; 0 if it has none.  `reach`: where this process can open the file,
 * which it only does for a file that is not cached.  ids NULL: no cache. */
size_t buildids_get(struct buildids *ids, const struct buildid_file *file, const char *reach,
		    uint8_t out[BUILDID_MAX]);

#endif
