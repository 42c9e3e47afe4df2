/* owners.c - see owners.h.
 *
 * The user is the effective one, the owner of /proc/PID.  Names come from /etc/passwd alone: asking
 * a directory service may take seconds, and getpwuid() would bring the resolver of host names and
 * the machine's NSS modules into a static executable.  A process has a control group in each
 * hierarchy of version 1, and one of version 2; the first that belongs to a container counts, or
 * else to a unit:
 *
 *	/proc/PID/cgroup    12:perf_event:/docker/0123...
 *	                    0::/system.slice/ssh.service */
#include "src/collect/owners.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/container.h"
#include "src/collect/record.h"

#define OWNER_MAP ((UINT64_C(1) << 62) + (UINT64_C(1) << 60)) /* above those of interp.c */
#define OWNER_MAP_LEN 4096u

struct owners_user {
	uid_t uid;
	char name[32];
};

struct owners {
	VEC(struct owners_user) user;
};

struct owners *
owners_new(void)
{
	return mem_zalloc(1, sizeof(struct owners));
}

void
owners_free(struct owners *o)
{
	if (o)
		vec_release(&o->user);
	free(o);
}

bool
owners_name(uid_t uid, char *name, size_t size)
{
	bool found = false;
	FILE *f = fopen("/etc/passwd", "re");

	for (struct passwd *p; !found && f && (p = fgetpwent(f));) {
		found = p->pw_uid == uid;
		if (found)
			snprintf(name, size, "%s", p->pw_name);
	}
	if (f)
		fclose(f);
	return found;
}

static const char *
user_name(struct owners *o, uid_t uid)
{
	for (size_t i = 0; i < o->user.n; i++)
		if (o->user.at[i].uid == uid)
			return o->user.at[i].name;
	struct owners_user *u = vec_push(&o->user);
	u->uid = uid;
	if (!owners_name(uid, u->name, sizeof u->name))
		snprintf(u->name, sizeof u->name, "%" PRIu32, (uint32_t)uid);
	return u->name;
}

static void
put_owner(pid_t pid, uint64_t time, const char *key, const char *value, struct buf *out)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "//process/%s=%s", key, value);
	struct record_map m = {.start = OWNER_MAP,
			       .len = OWNER_MAP_LEN,
			       .prot = PROT_READ,
			       .path = buf_str(&path)};
	record_mmap(out, (struct record_task){(uint32_t)pid, (uint32_t)pid, time}, &m);
	buf_release(&path);
}

static void
put_container(pid_t pid, uint64_t time, struct buf *out)
{
	char line[4096];
	struct buf name = BUF_INIT, unit = BUF_INIT;

	snprintf(line, sizeof line, "/proc/%d/cgroup", (int)pid);
	FILE *f = fopen(line, "re");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		const char *path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		buf_reset(&name);
		if (!path || !container_name(path + 1, &name))
			continue;
		if (container_is(buf_str(&name)))
			break;
		if (!unit.len)
			buf_adds(&unit, buf_str(&name));
		buf_reset(&name);
	}
	if (f)
		fclose(f);
	if (name.len || unit.len)
		put_owner(pid, time, "container", buf_str(name.len ? &name : &unit), out);
	buf_release(&name);
	buf_release(&unit);
}

void
owners_put(struct owners *o, pid_t pid, uint64_t time, struct buf *out)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	if (stat(path, &st))
		return;
	put_owner(pid, time, "user", user_name(o, st.st_uid), out);
	put_container(pid, time, out);
}

void
owners_take(struct owners *o, const struct perf_event_header *record, struct buf *out)
{
	uint32_t id[2]; /* pid, tid */
	uint64_t time;

	if (record->type != PERF_RECORD_COMM || !(record->misc & PERF_RECORD_MISC_COMM_EXEC) ||
	    record->size < sizeof *record + sizeof id + sizeof(struct record_tail))
		return;
	memcpy(id, record + 1, sizeof id);
	memcpy(&time,
	       (const char *)record + record->size - sizeof(struct record_tail) +
		       offsetof(struct record_tail, time),
	       sizeof time);
	owners_put(o, (pid_t)id[0], time, out);
}
