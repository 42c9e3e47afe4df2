/* buildid.h - the build ids of mapped files.
 *
 *	struct buildids *ids = buildids_new();
 *	if (buildids_get(ids, &file, &path, 1, NULL, id, &len)) ...    -- reads each file once
 *	buildids_free(ids); */
#ifndef PNAV_SRC_COLLECT_BUILDID_H
#define PNAV_SRC_COLLECT_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILDID_MAX 20u

/* A file, as a line of /proc/PID/maps or a record of a map names it. */
struct buildid_file {
	uint32_t major, minor;
	uint64_t inode, generation; /* an inode that is used again has another one; 0: unknown */
	const char *path;           /* in the process's own root */
	int64_t mapped_ns;          /* by CLOCK_REALTIME; 0: unknown, it is mapped */
};

/* Reads the build id of an open ELF file of this machine's byte order, at most BUILDID_MAX bytes;
 * returns its length, 0 if it has none. */
size_t buildid_read(int fd, uint8_t out[BUILDID_MAX]);

/* A cache of build ids. */
struct buildids;
struct buildids *buildids_new(void); /* owned by the caller */
void buildids_free(struct buildids *ids);
/* Writes the build id of an ELF file of this machine's byte order, and its length in bytes, 0 if it
 * has none.  reach[]: paths at which this process may find the file, by its inode.  link: NULL, or
 * a link to the mapped file itself, /proc/PID/map_files/..., which is tried last.  A file is opened
 * only if it is not cached, or has changed since.  Returns false, with length 0, if it is not there
 * or was written after it was mapped.  ids NULL: no cache. */
bool buildids_get(struct buildids *ids, const struct buildid_file *file, const char *const *reach,
		  size_t n_reach, const char *link, uint8_t out[BUILDID_MAX], size_t *len);

#endif
