/* mapid.c - see mapid.h.
 *
 * The kernel writes build ids itself if an event asks for them (attr.build_id).  But it then marks
 * the records of the same map for all events behind it, with or without a build id (Linux 5.12 to
 * 6.18: perf_event_mmap_output() changes the header that all of them share).  perf 6.1 takes the
 * device and inode of such a record for a build id of 254 bytes, and aborts.  An event of the whole
 * CPU does this to every other recorder of the host, and other recorders do it to us.  So if CPUs
 * are recorded, the whole system or a control group, the build ids are read here, once a file.
 *
 * A program may be gone by then, or replaced by another one.  Its id is then made of its inode, so
 * that a later file at the same path is not taken for it.
 *
 * MMAP2: 8 bytes header; u32 pid, tid; u64 start, len, offset; u32 major, minor; u64 inode,
 * generation; u32 prot, flags; path.  With a build id, instead of major to generation: u8 length,
 * 3 unused, 20 bytes of it. */
#include "src/collect/mapid.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "model/base/buf.h"
#include "src/collect/buildid.h"
#include "src/collect/record.h"

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

/* Returns the time of the map by CLOCK_REALTIME. */
static int64_t
mapped_ns(const struct perf_event_header *record)
{
	struct record_tail tail;
	struct timespec now;

	memcpy(&tail, (const uint8_t *)record + record->size - sizeof tail, sizeof tail);
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec -
	       (int64_t)(record_now() - tail.time);
}

/* Writes an id that no file has; returns its length. */
static size_t
unknown_id(const struct buildid_file *file, uint8_t id[BUILDID_MAX])
{
	memset(id, 0xFF, BUILDID_MAX);
	memcpy(id + 4, &file->major, 4);
	memcpy(id + 8, &file->minor, 4);
	memcpy(id + 12, &file->inode, 8);
	return BUILDID_MAX;
}

static bool
ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* Writes the build id of the file at `path`; returns its length.  The process may have its own
 * root, or have ended.  Memory without a file has none. */
static size_t
mapid_find(struct buildids *ids, const struct perf_event_header *record,
	   const struct mapid_map *m, uint8_t id[BUILDID_MAX])
{
	const char *path = (const char *)record + sizeof *m;
	struct buildid_file file = {
		.major = m->u.file.major,
		.minor = m->u.file.minor,
		.inode = m->u.file.inode,
		.generation = m->u.file.generation,
		.path = path,
		.mapped_ns = mapped_ns(record),
	};
	char reach[PATH_MOST + 64];
	size_t len;

	if (!file.inode || *path != '/' || ends_with(path, " (deleted)"))
		return 0;
	snprintf(reach, sizeof reach, "/proc/%" PRIu32 "/root%s", m->pid, path);
	if (buildids_get(ids, &file, reach, id, &len) || buildids_get(ids, &file, path, id, &len))
		return len;
	return m->prot & PROT_EXEC ? unknown_id(&file, id) : 0;
}

bool
mapid_put(struct buildids *ids, const struct perf_event_header *record, struct buf *out)
{
	const char *path = (const char *)record + sizeof(struct mapid_map);
	uint8_t id[BUILDID_MAX];
	struct mapid_map m;

	if (record->type != PERF_RECORD_MMAP2 ||
	    record->size <= sizeof m + sizeof(struct record_tail) ||
	    !memchr(path, 0, record->size - sizeof m))
		return false;
	memcpy(&m, record, sizeof m);
	size_t len = mapid_find(ids, record, &m, id);
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
