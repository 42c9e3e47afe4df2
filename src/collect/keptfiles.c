/* keptfiles.c - see keptfiles.h.
 *
 * A record of a map arrives within a tenth of a second; by then the path may be another file's, so
 * the build id decides.  Rejected: reading the names at once, which takes seconds for a large
 * program while samples wait; copying the files, which may be of any size. */
#include "src/collect/keptfiles.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/buildid.h"
#include "src/collect/record.h"

#define KEPT_MOST 256u
#define KEPT_SHARE 4u /* at most this part of the descriptors that the process may have */

struct kept_file {
	uint8_t id[BUILDID_MAX];
	size_t len;
	int fd;
};

struct keptfiles {
	VEC(struct kept_file) file;
	size_t most;
};

struct keptfiles *
keptfiles_new(void)
{
	struct keptfiles *k = mem_zalloc(1, sizeof *k);
	struct rlimit limit;

	k->most = KEPT_MOST;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / KEPT_SHARE < k->most)
		k->most = (size_t)(limit.rlim_cur / KEPT_SHARE);
	return k;
}

void
keptfiles_free(struct keptfiles *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->file.n; i++)
		close(k->file.at[i].fd);
	vec_release(&k->file);
	free(k);
}

/* Opens a file if it has this id; returns -1 otherwise. */
static int
keptfiles_open(const char *path, const uint8_t *id, size_t len)
{
	uint8_t have[BUILDID_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || (buildid_read(fd, have) == len && !memcmp(have, id, len)))
		return fd;
	close(fd);
	return -1;
}

void
keptfiles_take(struct keptfiles *k, const struct perf_event_header *record)
{
	struct record_mmap2 m;
	const char *path = record_mmap2_of(record, &m);
	char own[4096 + 64], link[96], exe[64];

	if (!k || !path || *path != '/' || !(m.prot & PROT_EXEC) || k->file.n >= k->most ||
	    !(m.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return;
	size_t len = m.u.id[0] < BUILDID_MAX ? m.u.id[0] : BUILDID_MAX;
	const uint8_t *id = m.u.id + 4;
	for (size_t i = 0; i < k->file.n; i++)
		if (k->file.at[i].len == len && !memcmp(k->file.at[i].id, id, len))
			return;
	snprintf(own, sizeof own, "/proc/%" PRIu32 "/root%.*s", m.pid,
		 (int)record_path_len(path), path);
	record_map_link(m.pid, m.start, m.len, link);
	snprintf(exe, sizeof exe, "/proc/%" PRIu32 "/exe", m.pid);
	const char *const reach[] = {own, own + strlen(own) - record_path_len(path), link, exe};
	struct kept_file new = {.len = len, .fd = -1};
	for (size_t i = 0; i < sizeof reach / sizeof *reach && new.fd < 0; i++)
		new.fd = keptfiles_open(reach[i], id, len);
	if (new.fd < 0)
		return;
	memcpy(new.id, id, len);
	*vec_push(&k->file) = new;
}
