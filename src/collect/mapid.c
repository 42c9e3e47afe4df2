/* mapid.c - see mapid.h.
 *
 * The kernel writes build ids itself if an event asks for them (attr.build_id).  But it then marks
 * the records of the same map for all events behind it, with or without a build id (Linux 5.12 to
 * 6.18: perf_event_mmap_output() changes the header that all share).  perf 6.1 takes the device and
 * inode of such a record for a build id of 254 bytes, and aborts.  An event of a CPU does this to
 * every other recorder of the host, and other recorders do it to us; an event of a task, to
 * recorders of this task.  So if CPUs are recorded, the whole system or a control group, the build
 * ids are read here, once a file.
 *
 * The file is found by its path, or by the link to the mapped file, which root may follow.  A
 * program may be gone by then, or replaced by another one.  Its id is then made of its inode, so
 * that a later file at the same path is not taken for it. */
#include "src/collect/mapid.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/collect/buildid.h"
#include "src/collect/record.h"
#include "src/input/clock.h"

#define PATH_MOST 4096
#define FORKS 4096u

struct mapid_fork {
	uint32_t pid, parent;
};

struct mapids {
	struct buildids *ids;
	struct mapid_fork fork[FORKS]; /* [pid % FORKS] the last one */
};

struct mapids *
mapids_new(struct buildids *ids)
{
	struct mapids *x = mem_zalloc(1, sizeof *x);

	x->ids = ids;
	return x;
}

void
mapids_free(struct mapids *x)
{
	free(x);
}

/* Returns the time of the map by CLOCK_REALTIME. */
static int64_t
mapped_ns(const struct perf_event_header *record)
{
	return clock_day_ns() - (int64_t)(record_now() - record_tail_of(record).time);
}

/* Writes an id that no file has (symbols_say.c knows its beginning); returns its length. */
static size_t
unknown_id(const struct buildid_file *file, uint8_t id[BUILDID_MAX])
{
	uint32_t device = file->major << 20 | file->minor, generation = (uint32_t)file->generation;

	memset(id, 0xFF, 4);
	memcpy(id + 4, &device, 4);
	memcpy(id + 8, &file->inode, 8);
	memcpy(id + 16, &generation, 4);
	return BUILDID_MAX;
}

/* Writes the build id of the mapped file; returns its length.  The process may have its own root,
 * or have ended: a parent has the same one, mostly.  Memory without a file has none. */
static size_t
mapid_find(const struct mapids *x, const struct perf_event_header *record,
	   const struct record_mmap2 *m, uint8_t id[BUILDID_MAX])
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
	char own[PATH_MOST + 64], parents[PATH_MOST + 64], link[96];
	const char *const reach[] = {own, path, parents};
	size_t len, n_reach = x->fork[m->pid % FORKS].pid == m->pid ? 3 : 2;
	bool named = !path[record_path_len(path)];

	if (!file.inode || *path != '/')
		return 0;
	snprintf(own, sizeof own, "/proc/%" PRIu32 "/root%.*s", m->pid, PATH_MOST,
		 path);
	snprintf(parents, sizeof parents, "/proc/%" PRIu32 "/root%.*s",
		 x->fork[m->pid % FORKS].parent, PATH_MOST, path);
	record_map_link(m->pid, m->start, m->len, link);
	if (buildids_get(x->ids, &file, reach, named ? n_reach : 0, link, id, &len))
		return len;
	return named && m->prot & PROT_EXEC ? unknown_id(&file, id) : 0;
}

/* u32 pid, parent's pid, tid, parent's tid */
static void
mapid_take_fork(struct mapids *x, const struct perf_event_header *record)
{
	uint32_t pid[2];

	memcpy(pid, record + 1, sizeof pid);
	if (pid[0] != pid[1])
		x->fork[pid[0] % FORKS] = (struct mapid_fork){pid[0], pid[1]};
}

bool
mapids_put(struct mapids *x, const struct perf_event_header *record, struct buf *out)
{
	uint8_t id[BUILDID_MAX];
	struct record_mmap2 m;

	if (record->type == PERF_RECORD_FORK && record->size >= sizeof *record + 16)
		mapid_take_fork(x, record);
	const char *path = record_mmap2_of(record, &m);
	if (!path)
		return false;
	size_t len = mapid_find(x, record, &m, id);
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
