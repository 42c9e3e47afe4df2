/* A tracepoint has no fixed number: the kernel publishes it in a file of tracefs, which is mounted
 * in one of two places and often readable by root only. */
#include "src/collect/eventlist.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/collect/uprobes.h"
#include "src/decode/perf/event_names.h"

struct collect_event *
eventlist_push(struct eventlist *l)
{
	struct collect_event *v = vec_push(&l->at);

	memset(v, 0, sizeof *v);
	v->attr.size = sizeof v->attr;
	return v;
}

static bool
is_path_word(const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*?",
			    at[i]))
			return false;
	return len > 0;
}

/* ---- tracepoints ---- */

bool
eventlist_tracefs(struct buf *out)
{
	static const char *const roots[] = {"/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing"};
	int fault = ENOENT;

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		buf_reset(out);
		buf_addf(out, "%s/events", roots[i]);
		if (!access(buf_str(out), X_OK))
			return true;
		if (errno != ENOENT)
			fault = errno;
	}
	errno = fault;
	return false;
}

/* Reads the number in a file `id`; returns -1 with errno. */
static long long
tracepoint_id(const char *folder, const char *system, const char *name)
{
	struct buf path = BUF_INIT;
	long long id = -1;

	buf_addf(&path, "%s/%s/%s/id", folder, system, name);
	FILE *f = fopen(buf_str(&path), "re");
	if (f && fscanf(f, "%lld", &id) != 1)
		id = -1;
	if (f)
		fclose(f);
	buf_release(&path);
	return id;
}

static bool
add_tracepoint(struct eventlist *l, const char *system, const char *name, long long id)
{
	struct buf full = BUF_INIT;

	if (l->at.n >= EVENTLIST_MAX)
		return false;
	struct collect_event *v = eventlist_push(l);
	buf_addf(&full, "%s:%s", system, name);
	v->name = mem_dup(buf_str(&full), full.len);
	buf_release(&full);
	v->attr.type = PERF_TYPE_TRACEPOINT;
	v->attr.config = (uint64_t)id;
	v->attr.sample_period = 1;
	return true;
}

static int
eventlist_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the matching tracepoints of one system; returns false if there are too many. */
static bool
add_matching(struct eventlist *l, const char *folder, const char *system, const char *pattern)
{
	struct buf path = BUF_INIT;
	struct dirent **entry;
	bool good = true;

	buf_addf(&path, "%s/%s", folder, system);
	int n = scandir(buf_str(&path), &entry, NULL, eventlist_by_name);
	buf_release(&path);
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		long long id = -1;
		if (name[0] != '.' && !fnmatch(pattern, name, 0))
			id = tracepoint_id(folder, system, name);
		good = good && (id < 0 || add_tracepoint(l, system, name, id));
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return good;
}

static bool
refuse_tracepoint(const char *at, size_t len, int fault, struct err *e)
{
	if (fault == EACCES || fault == EPERM)
		return err_usage(e, "--event: only root may look for %.*s: see /sys/kernel/tracing",
				 (int)len, at);
	if (fault == ENOENT)
		return err_usage(e,
				 "--event: tracefs is not mounted, so %.*s is not known; as root: "
				 "mount -t tracefs nodev /sys/kernel/tracing",
				 (int)len, at);
	return err_usage(e, "--event: there is no event '%.*s'; perf list has names", (int)len, at);
}

/* Parses SYSTEM:NAME[:MODIFIERS], where NAME may have * and ?; sets *used to the length without
 * modifiers. */
static bool
add_tracepoints(struct eventlist *l, const char *at, size_t len, size_t *used, struct err *e)
{
	const char *colon = memchr(at, ':', len);
	size_t system_len = colon ? (size_t)(colon - at) : 0;
	size_t rest = colon ? len - system_len - 1 : 0;
	const char *end = rest ? memchr(colon + 1, ':', rest) : NULL;
	size_t name_len = end ? (size_t)(end - colon - 1) : rest, before = l->at.n;
	struct buf folder = BUF_INIT;

	if (!colon || !is_path_word(at, system_len) || !is_path_word(colon + 1, name_len))
		return refuse_tracepoint(at, len, 0, e);
	char *system = mem_dup(at, system_len), *name = mem_dup(colon + 1, name_len);
	bool good = eventlist_tracefs(&folder) || refuse_tracepoint(at, len, errno, e);
	if (good && !add_matching(l, buf_str(&folder), system, name))
		good = err_usage(e, "--event: more than %u events", EVENTLIST_MAX);
	if (good && l->at.n == before)
		good = refuse_tracepoint(at, len, EINVAL, e);
	*used = system_len + 1 + name_len;
	buf_release(&folder);
	free(system);
	free(name);
	return good;
}

/* ---- probes ---- */

static bool
add_probe(void *list, const struct uprobe *u)
{
	struct eventlist *l = list;
	struct buf name = BUF_INIT;

	for (size_t i = 0; i < l->at.n; i++) {
		const struct collect_event *v = &l->at.at[i];
		if (v->probed && !strcmp(v->probed, u->path) && v->attr.config2 == u->offset &&
		    v->attr.config == u->returns)
			return true; /* another name of the place */
	}
	if (l->at.n >= EVENTLIST_MAX)
		return false;
	struct collect_event *v = eventlist_push(l);
	buf_addf(&name, "%s:%s:%s", u->returns ? "uretprobe" : "uprobe", u->path, u->function);
	v->name = mem_dup(buf_str(&name), name.len);
	v->probed = mem_dup(u->path, strlen(u->path));
	v->attr.type = u->type;
	v->attr.config = u->returns;
	v->attr.config2 = u->offset;
	v->attr.sample_period = 1;
	buf_release(&name);
	return true;
}

/* Applies u, k and modifiers without effect; returns false for others. */
static bool
modify(struct perf_event_attr *a, const char *at, size_t len)
{
	bool user = memchr(at, 'u', len) != NULL, kernel = memchr(at, 'k', len) != NULL;

	for (size_t i = 0; i < len; i++)
		if (at[i] == 'p' && a->precise_ip < 3)
			a->precise_ip++;
		else if (!strchr("ukhHGp", at[i]))
			return false;
	if (user || kernel) {
		a->exclude_user = !user;
		a->exclude_kernel = !kernel;
		a->exclude_hv = 1;
	}
	return true;
}

/* Drops the events from `from` on that are in the list already: their samples would count twice. */
static void
drop_doubles(struct eventlist *l, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < l->at.n; i++) {
		struct collect_event *v = &l->at.at[i];
		size_t k = 0;
		while (k < n && (strcmp(l->at.at[k].name, v->name) ||
				 memcmp(&l->at.at[k].attr, &v->attr, sizeof v->attr)))
			k++;
		if (k == n)
			l->at.at[n++] = *v;
		else
			free(v->name);
	}
	l->at.n = n;
}

static bool
add_one(struct eventlist *l, const char *at, size_t len, struct err *e)
{
	const char *colon = memchr(at, ':', len);
	size_t used = colon ? (size_t)(colon - at) : len, from = l->at.n;
	uint32_t type;
	uint64_t config;

	if (uprobes_named(at, len))
		return uprobes_find(at, len, add_probe, l, e);
	if (event_named(at, used, &type, &config)) {
		if (l->at.n >= EVENTLIST_MAX)
			return err_usage(e, "--event: more than %u events", EVENTLIST_MAX);
		struct collect_event *v = eventlist_push(l);
		v->name = mem_dup(at, len);
		v->attr.type = type;
		v->attr.config = config;
	} else if (!add_tracepoints(l, at, len, &used, e)) {
		return false;
	}
	size_t tail = used < len ? used + 1 : len;
	for (size_t i = from; i < l->at.n; i++)
		if (!modify(&l->at.at[i].attr, at + tail, len - tail))
			return err_usage(e, "--event: '%.*s' has an unknown modifier", (int)len,
					 at);
	drop_doubles(l, from);
	return true;
}

/* A group is a list: its events are sampled separately, as without braces. */
bool
eventlist_add(struct eventlist *l, const char *names, struct err *e)
{
	bool group = false;

	for (const char *at = names;; at++) {
		if (*at == '{' && !group) {
			group = true;
			at++;
		}
		size_t len = strcspn(at, group ? ",}" : ",");
		if (!add_one(l, at, len, e))
			return false;
		at += len;
		if (*at == '}') {
			group = false;
			at++;
		}
		if (!*at && !group)
			return true;
		if (*at != ',')
			return err_usage(e, "--event: '%s' is not a list of events",
					 names);
	}
}

void
eventlist_release(struct eventlist *l)
{
	for (size_t i = 0; i < l->at.n; i++) {
		free(l->at.at[i].name);
		free(l->at.at[i].probed);
		vec_release(&l->at.at[i].ids);
	}
	vec_release(&l->at);
}
