/* mapid.c - see mapid.h.
 *
 * The kernel writes build ids itself if an event asks for them (attr.build_id).  But it then marks
 * the records of the same map for all events behind it, with or without a build id (Linux 5.12 to
 * 6.18: perf_event_mmap_output() changes the header that all of them share).  perf 6.1 takes the
 * device and inode of such a record for a build id of 254 bytes, and aborts.  An event of the whole
 * system does this to every other recorder of the host, and other recorders do it to us.  So if the
 * whole system is recorded, the build ids are read here, once a file.  A program that is removed
 * within a tenth of a second of its start has none.
 *
 * MMAP2: 8 bytes header; u32 pid, tid; u64 start, len, offset; u32 major, minor; u64 inode,
 * generation; u32 prot, flags; path.  With a build id, instead of major to generation: u8 length,
 * 3 unused, 20 bytes of it. */
#include "src/collect/mapid.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/collect/buildid.h"

#define PATH_MOST 4096u

struct mapid_map {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		} file;
		uint8_t id[24];
	} u;
	uint32_t prot, flags;
};

/* Writes the build id of the file at `path`; returns its length.  The process may have its own
 * root, or have ended. */
static size_t
mapid_find(struct buildids *ids, const struct mapid_map *m, const char *path,
	   uint8_t id[BUILDID_MAX])
{
	struct buildid_file file = {m->u.file.major, m->u.file.minor, m->u.file.inode, path};
	char reach[PATH_MOST + 64];

	if (!file.inode || *path != '/')
		return 0;
	snprintf(reach, sizeof reach, "/proc/%" PRIu32 "/root%s", m->pid, path);
	size_t len = buildids_get(ids, &file, reach, id);
	return len ? len : buildids_get(ids, &file, path, id);
}

bool
mapid_put(struct buildids *ids, const struct perf_event_header *record, struct buf *out)
{
	const char *path = (const char *)record + sizeof(struct mapid_map);
	uint8_t id[BUILDID_MAX];
	struct mapid_map m;

	if (record->type != PERF_RECORD_MMAP2 || record->size <= sizeof m ||
	    !memchr(path, 0, record->size - sizeof m))
		return false;
	memcpy(&m, record, sizeof m);
	size_t len = mapid_find(ids, &m, path, id);
	bool marked = m.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!len && !marked)
		return false;
	m.header.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (len) {
		m.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memset(m.u.id, 0, sizeof m.u.id);
		m.u.id[0] = (uint8_t)len;
		memcpy(m.u.id + 4, id, len);
	}
	buf_add(out, &m, sizeof m);
	buf_add(out, path, record->size - sizeof m);
	return true;
}
