/* Labels of samples.
 *
 * A thread's labels change only with its name, its control group and its CPU.  So each thread
 * keeps the label sets of the CPUs that it ran on last, and a sample costs one look-up in that
 * array.  In the profile it costs a column with as many bits as the sets of its chunk need.
 *
 * Rejected: making labels when a lens asks for them.  The browser may need them at any time,
 * and the file may be a pipe that was already read. */
#include "src/decode/perf/perfdata_labels.h"

#include <inttypes.h>

#include "src/decode/common/words.h"

void
perfdata_labels_release(struct perfdata_labels *l)
{
	vec_release(&l->thread);
	vec_release(&l->owner);
	idmap_release_all(&l->path, &l->owner_of);
}

static void
make_keys(struct perfdata_labels *l, struct builder *b)
{
	if (l->comm != NAME_EMPTY)
		return;
	l->comm = builder_name(b, "comm", 4);
	l->pid = builder_name(b, "pid", 3);
	l->tid = builder_name(b, "tid", 3);
	l->cpu = builder_name(b, "cpu", 3);
	l->cgroup = builder_name(b, "cgroup", 6);
	l->user = builder_name(b, "user", 4);
	l->container = builder_name(b, "container", 9);
}

/* perf script names a thread with an unknown name by its number. */
static name_id
comm_name(struct builder *b, const struct perfdata_labelled *t)
{
	if (t->comm != NAME_EMPTY)
		return t->comm;
	if (!t->tid)
		return builder_name(b, "swapper", 7);
	return builder_namef(b, ":%" PRId32, (int32_t)t->tid);
}

#define OWN_LABELS 7u

static size_t
own_labels(const struct perfdata_labels *l, struct builder *b, const struct perfdata_labelled *t,
	   const struct perfdata_sample *s, label_id id[OWN_LABELS])
{
	size_t n = 0;
	uint32_t path = s->cgroup ? idmap_get(&l->path, s->cgroup) : IDMAP_NONE;

	if (t->tid != UINT32_MAX)
		id[n++] = builder_label_text(b, l->comm, comm_name(b, t));
	if (t->pid != UINT32_MAX)
		id[n++] = builder_label_number(b, l->pid, t->pid, NAME_EMPTY);
	if (t->tid != UINT32_MAX)
		id[n++] = builder_label_number(b, l->tid, t->tid, NAME_EMPTY);
	if (s->cpu != UINT32_MAX)
		id[n++] = builder_label_number(b, l->cpu, s->cpu, NAME_EMPTY);
	if (path != IDMAP_NONE)
		id[n++] = builder_label_text(b, l->cgroup, path);
	if (t->owner.user != NAME_EMPTY)
		id[n++] = builder_label_text(b, l->user, t->owner.user);
	if (t->owner.container != NAME_EMPTY)
		id[n++] = builder_label_text(b, l->container, t->owner.container);
	return n;
}

static struct perfdata_owner
perfdata_owner_of(const struct perfdata_labels *l, uint32_t pid)
{
	uint32_t i = l->owner.n ? idmap_get(&l->owner_of, pid) : IDMAP_NONE;

	return i != IDMAP_NONE ? l->owner.at[i] : (struct perfdata_owner){NAME_EMPTY, NAME_EMPTY};
}

/* Returns the entry of a process, a new one if necessary. */
static struct perfdata_owner *
owner_put(struct perfdata_labels *l, uint32_t pid)
{
	uint32_t i = idmap_get(&l->owner_of, pid);

	if (i == IDMAP_NONE) {
		i = (uint32_t)l->owner.n;
		idmap_put(&l->owner_of, pid, i);
		*vec_push(&l->owner) = (struct perfdata_owner){NAME_EMPTY, NAME_EMPTY};
	}
	return &l->owner.at[i];
}

bool
perfdata_labels_owner(struct perfdata_labels *l, struct builder *b, uint32_t pid, const char *path,
		      size_t len)
{
	static const char before[] = "//process/", user[] = "user=", container[] = "container=";
	const char *at = path + sizeof before - 1, *end = path + len;

	if (!begins_with(path, end, before))
		return false;
	if (begins_with(at, end, user)) {
		at += sizeof user - 1;
		owner_put(l, pid)->user = builder_name(b, at, (size_t)(end - at));
	} else if (begins_with(at, end, container)) {
		at += sizeof container - 1;
		owner_put(l, pid)->container = builder_name(b, at, (size_t)(end - at));
	}
	return true;
}

void
perfdata_labels_fork(struct perfdata_labels *l, uint32_t pid, uint32_t ppid)
{
	if (!l->owner.n || pid == ppid)
		return;
	struct perfdata_owner parent = perfdata_owner_of(l, ppid);
	*owner_put(l, pid) = parent;
}

/* Returns the labels of a sample's thread. */
static struct perfdata_labelled *
labelled(struct perfdata_labels *l, uint32_t thread, name_id comm, const struct perfdata_sample *s)
{
	size_t i = thread == UINT32_MAX ? 0 : (size_t)thread + 1;

	while (l->thread.n <= i)
		*vec_push(&l->thread) = (struct perfdata_labelled){0};
	struct perfdata_labelled *t = &l->thread.at[i];
	struct perfdata_owner owner = perfdata_owner_of(l, s->pid);
	if (t->comm != comm || t->pid != s->pid || t->tid != s->tid || t->cgroup != s->cgroup ||
	    t->owner.user != owner.user || t->owner.container != owner.container)
		*t = (struct perfdata_labelled){.pid = s->pid,
						.tid = s->tid,
						.comm = comm,
						.cgroup = s->cgroup,
						.owner = owner};
	return t;
}

labels_id
perfdata_labels_of(struct perfdata_labels *l, struct builder *b, uint32_t thread, name_id comm,
		   const struct perfdata_sample *s)
{
	struct perfdata_labelled *t = labelled(l, thread, comm, s);
	size_t at = s->cpu % PERFDATA_LABELS_CPUS;
	label_id id[OWN_LABELS];

	if (t->on[at].set == LABELS_NONE || t->on[at].cpu != s->cpu) {
		make_keys(l, b);
		t->on[at].cpu = s->cpu;
		t->on[at].set = builder_labels(b, id, own_labels(l, b, t, s, id));
	}
	return t->on[at].set;
}

labels_id
perfdata_labels_all(struct perfdata_labels *l, struct builder *b, uint32_t thread, name_id comm,
		    const struct perfdata_sample *s, struct perfdata_fields *fields,
		    const struct perfdata_attr *a, bool big_endian)
{
	label_id id[OWN_LABELS + PERFDATA_FIELDS_MAX];
	size_t n = s->raw ? perfdata_fields_of(fields, b, a, s, big_endian, id) : 0;

	if (!n)
		return perfdata_labels_of(l, b, thread, comm, s);
	make_keys(l, b);
	n += own_labels(l, b, labelled(l, thread, comm, s), s, id + n);
	return builder_labels(b, id, n);
}

void
perfdata_labels_cgroup(struct perfdata_labels *l, struct builder *b,
		       const struct perfdata_record *rec, bool big_endian)
{
	struct cursor r = perfdata_body(rec, big_endian);
	size_t len;
	uint64_t id = cursor_u64(&r);
	const char *path = cursor_text(&r, &len);

	if (!r.bad && len)
		idmap_put(&l->path, id, builder_name(b, path, len));
}
