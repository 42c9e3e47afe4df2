/* container.h - the container or the unit of systemd to which a control group belongs. */
#ifndef PNAV_SRC_COLLECT_CONTAINER_H
#define PNAV_SRC_COLLECT_CONTAINER_H

#include <stdbool.h>

struct buf;

/* Appends the name for the path of a control group: `docker:0123456789ab`, `podman:`,
 * `containerd:`, `cri-o:` with the first twelve digits as these programs print them, `lxc:NAME`,
 * `machine:NAME`; if there is no container, the unit, such as `ssh.service`.  Returns false,
 * without a change, if the path has neither. */
bool container_name(const char *path, struct buf *out);
/* Returns true if container_name() found a container, not a unit. */
bool container_is(const char *name);

#endif
