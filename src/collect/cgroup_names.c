/* A sample has the number of its control group.  The kernel names groups that are made while it
 * records; those that were there before are read from the file system.  A group's number is the
 * file handle of its directory, as perf takes it, too. */
#include "src/collect/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "src/collect/record.h"

#define DEPTH_MAX 32u /* of groups in groups */

/* 0 where the system does not say. */
static uint64_t
cgroup_names_number_of(const char *folder)
{
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = {.head = {.handle_bytes = sizeof handle.id}};
	uint64_t id = 0;
	int mount;

	if (!name_to_handle_at(AT_FDCWD, folder, &handle.head, &mount, 0) &&
	    handle.head.handle_bytes == sizeof id)
		memcpy(&id, handle.head.f_handle, sizeof id);
	return id;
}

/* The group in `path` and those in it; of their names the first `top` bytes are left out. */
static void
name_groups(struct buf *path, size_t top, unsigned depth, struct buf *out)
{
	uint64_t id = cgroup_names_number_of(buf_str(path));
	size_t len = path->len;

	if (id)
		record_cgroup(out, id, len > top ? buf_str(path) + top : "/");
	DIR *dir = depth ? opendir(buf_str(path)) : NULL;
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (d->d_type == DT_DIR && d->d_name[0] != '.') {
			buf_addf(path, "/%s", d->d_name);
			name_groups(path, top, depth - 1, out);
			path->len = len;
		}
	if (dir)
		closedir(dir);
}

void
cgroup_names(struct buf *out)
{
	struct buf path = BUF_INIT;

	if (cgroup_top(&path))
		name_groups(&path, path.len, DEPTH_MAX, out);
	buf_release(&path);
}
