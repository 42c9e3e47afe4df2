/* cgroup.h - a separate control group for a command.
 *
 *	struct cgroup *g = cgroup_new(pid);     -- contains pid and its children
 *	... cgroup_fd(g) ...
 *	cgroup_free(g); */
#ifndef PNAV_SRC_COLLECT_CGROUP_H
#define PNAV_SRC_COLLECT_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

struct buf;
struct cgroup;
/* Appends the directory of the hierarchy that perf events use; returns false if the whole hierarchy
 * is not mounted. */
bool cgroup_top(struct buf *out);
/* Appends a record for each existing control group. */
void cgroup_names(struct buf *out);
/* Creates a group below the caller's own in the hierarchy that perf events use, and moves a process
 * into it.  Removes groups left there by killed recorders.  Returns NULL if no group can be
 * created.  Owned by the caller. */
struct cgroup *cgroup_new(pid_t pid);
/* The group's directory, open for perf_event_open(); owned by the group. */
int cgroup_fd(const struct cgroup *g);
/* Moves the group's remaining processes to its parent, and removes the group.  NULL is allowed. */
void cgroup_free(struct cgroup *g);

#endif
