/* A tracepoint has no number of its own: the kernel tells it in a file of tracefs, which is
 * mounted in one of two places and often root's alone. */
#include "src/collect/eventlist.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
			    at[i]))
			return false;
	return len > 0;
}

/* The number of SYSTEM:NAME; -1 with errno. */
static long long
tracepoint_id(const char *system, size_t system_len, const char *name, size_t name_len)
{
	static const char *const roots[] = {"/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing"};
	long long id = -1;

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		char path[512];
		snprintf(path, sizeof path, "%s/events/%.*s/%.*s/id", roots[i],
			 (int)system_len, system, (int)name_len, name);
		FILE *f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%lld", &id) != 1)
			id = -1;
		fclose(f);
		break;
	}
	return id;
}

/* SYSTEM:NAME[:MODIFIERS]; *used is how much of the text that is without them. */
static bool
find_tracepoint(struct collect_event *v, const char *at, size_t len, size_t *used)
{
	const char *colon = memchr(at, ':', len);
	size_t system = colon ? (size_t)(colon - at) : 0, rest = colon ? len - system - 1 : 0;
	const char *name = at + system + 1;
	const char *end = rest ? memchr(name, ':', rest) : NULL;
	size_t name_len = end ? (size_t)(end - name) : rest;

	errno = ENOENT;
	if (!colon || !is_path_word(at, system) || !is_path_word(name, name_len))
		return false;
	long long id = tracepoint_id(at, system, name, name_len);
	if (id < 0)
		return false;
	v->attr.type = PERF_TYPE_TRACEPOINT;
	v->attr.config = (uint64_t)id;
	v->attr.sample_period = 1;
	*used = system + 1 + name_len;
	return true;
}

/* u, k and what goes without saying; false at others. */
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

static bool
add_one(struct eventlist *l, const char *at, size_t len, struct err *e)
{
	const char *colon = memchr(at, ':', len);
	size_t used = colon ? (size_t)(colon - at) : len;
	struct collect_event v = {.attr.size = sizeof v.attr};
	uint32_t type;
	uint64_t config;

	if (event_named(at, used, &type, &config)) {
		v.attr.type = type;
		v.attr.config = config;
	} else if (!find_tracepoint(&v, at, len, &used)) {
		if (errno == EACCES || errno == EPERM)
			return err_usage(e, "--event: only root may look for %.*s: see "
					    "/sys/kernel/tracing",
					 (int)len, at);
		return err_usage(e, "--event: there is no event '%.*s'; perf list has names",
				 (int)len, at);
	}
	size_t tail = used < len ? used + 1 : len;
	if (!modify(&v.attr, at + tail, len - tail))
		return err_usage(e, "--event: '%.*s' ends in what is not known", (int)len,
				 at);
	if (l->at.n >= EVENTLIST_MAX)
		return err_usage(e, "--event: more than %u events", EVENTLIST_MAX);
	v.name = mem_dup(at, len);
	*vec_push(&l->at) = v;
	return true;
}

bool
eventlist_add(struct eventlist *l, const char *names, struct err *e)
{
	for (const char *at = names;; at++) {
		size_t len = strcspn(at, ",");
		if (!add_one(l, at, len, e))
			return false;
		at += len;
		if (!*at)
			return true;
	}
}

void
eventlist_release(struct eventlist *l)
{
	for (size_t i = 0; i < l->at.n; i++) {
		free(l->at.at[i].name);
		vec_release(&l->at.at[i].ids);
	}
	vec_release(&l->at);
}
