/* buildid.h - the build ids of files that are mapped already. */
#ifndef PNAV_SRC_COLLECT_BUILDID_H
#define PNAV_SRC_COLLECT_BUILDID_H

#include <stddef.h>
#include <stdint.h>

#define BUILDID_MAX 20u

/* Of an ELF file of this machine's byte order, which must have this inode; how long it is, 0 where
 * there is none. */
size_t buildid_of_file(const char *path, uint64_t inode, uint8_t out[BUILDID_MAX]);

#endif
