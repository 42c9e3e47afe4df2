/* container.c - see container.h.  How the engines name their groups, the innermost part decides:
 *
 *	/system.slice/docker-HEX.scope                       docker, by systemd
 *	/docker/HEX                                          docker, by itself
 *	/machine.slice/libpod-HEX.scope/container            podman
 *	/kubepods.slice/kubepods-podUID.slice/cri-containerd-HEX.scope, crio-HEX.scope
 *	/kubepods/burstable/podUID/HEX                       Kubernetes without systemd
 *	/lxc.payload.NAME, /lxc/NAME                         LXC
 *	/machine.slice/machine-NAME.scope                    systemd-nspawn
 *	/system.slice/ssh.service, /user.slice/user-0.slice/session-3.scope */
#include "src/collect/container.h"

#include <string.h>

#include "model/base/buf.h"

#define ID_DIGITS 32u /* engines use 64 */
#define ID_SHOWN 12u

static const struct {
	const char *prefix, *engine;
} engines[] = {
	{"docker-", "docker"},         {"libpod-", "podman"}, {"cri-containerd-", "containerd"},
	{"containerd-", "containerd"}, {"crio-", "cri-o"},
};

/* A part of a path, between slashes. */
struct container_part {
	const char *at;
	size_t len;
};

static bool
part_begins(struct container_part p, const char *with)
{
	return p.len > strlen(with) && !memcmp(p.at, with, strlen(with));
}

static bool
part_ends(struct container_part p, const char *with)
{
	size_t n = strlen(with);

	return p.len > n && !memcmp(p.at + p.len - n, with, n);
}

static bool
is_id(struct container_part p)
{
	return p.len >= ID_DIGITS && strspn(p.at, "0123456789abcdef") >= p.len;
}

/* The part without `before` and, if it has one, ".scope". */
static struct container_part
part_within(struct container_part p, const char *before)
{
	size_t n = strlen(before), end = part_ends(p, ".scope") ? 6 : 0;

	return (struct container_part){p.at + n, n + end <= p.len ? p.len - n - end : 0};
}

/* Appends a name of systemd, where \x2d is a hyphen. */
static void
container_add_unescaped(struct container_part p, struct buf *out)
{
	for (size_t i = 0; i < p.len; i++) {
		bool hyphen = p.len - i >= 4 && !memcmp(p.at + i, "\\x2d", 4);
		buf_addc(out, hyphen ? '-' : p.at[i]);
		i += hyphen ? 3 : 0;
	}
}

/* Returns the engine that named a group by digits alone. */
static const char *
engine_of_parent(const char *path, struct container_part p)
{
	size_t len = (size_t)(p.at - path);

	if (memmem(path, len, "docker", 6))
		return "docker";
	if (memmem(path, len, "libpod", 6))
		return "podman";
	return memmem(path, len, "kubepods", 8) ? "kubernetes" : "container";
}

static bool
add_container(const char *path, struct container_part p, struct buf *out)
{
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
		struct container_part id = part_within(p, engines[i].prefix);
		if (!part_begins(p, engines[i].prefix) || !is_id(id))
			continue;
		buf_addf(out, "%s:%.*s", engines[i].engine, (int)ID_SHOWN, id.at);
		return true;
	}
	if (is_id(p)) {
		buf_addf(out, "%s:%.*s", engine_of_parent(path, p), (int)ID_SHOWN, p.at);
	} else if (part_begins(p, "lxc.payload.")) {
		buf_addf(out, "lxc:%.*s", (int)(p.len - 12), p.at + 12);
	} else if (p.at - path >= 5 && !memcmp(p.at - 5, "/lxc/", 5)) {
		buf_addf(out, "lxc:%.*s", (int)p.len, p.at);
	} else if (part_begins(p, "machine-") && part_ends(p, ".scope") &&
		   part_within(p, "machine-").len) {
		buf_adds(out, "machine:");
		container_add_unescaped(part_within(p, "machine-"), out);
	} else {
		return false;
	}
	return true;
}

bool
container_name(const char *path, struct buf *out)
{
	struct container_part unit = {NULL, 0};

	for (const char *end = path + strlen(path); end > path;) {
		const char *at = memrchr(path, '/', (size_t)(end - path));
		at = at ? at + 1 : path;
		struct container_part p = {at, (size_t)(end - at)};
		if (p.len && add_container(path, p, out))
			return true;
		if (!unit.len && (part_ends(p, ".service") || part_ends(p, ".scope")))
			unit = p;
		end = at > path ? at - 1 : path;
	}
	container_add_unescaped(unit, out);
	return unit.len > 0;
}

bool
container_is(const char *name)
{
	return strchr(name, ':') != NULL;
}
