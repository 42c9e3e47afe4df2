/* perfdata_labels.h - the labels of samples: comm, pid, tid, cpu, cgroup, user, container, fields
 * of tracepoints. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_LABELS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_LABELS_H

#include "src/decode/common/idmap.h"
#include "src/decode/perf/perfdata_fields.h"

#define PERFDATA_LABELS_CPUS 4u

/* The owners of a process as the recorder states them; NAME_EMPTY: unknown. */
struct perfdata_owner {
	name_id user, container;
};

/* The label sets of one thread, valid until something other than the CPU changes. */
struct perfdata_labelled {
	uint32_t pid, tid;
	name_id comm;
	uint64_t cgroup;
	struct perfdata_owner owner;
	struct {
		uint32_t cpu;
		labels_id set; /* LABELS_NONE: not made yet */
	} on[PERFDATA_LABELS_CPUS]; /* [number of a CPU % PERFDATA_LABELS_CPUS] the last one */
};

/* A zero-initialised list is empty. */
struct perfdata_labels {
	VEC(struct perfdata_labelled) thread;
	name_id comm, pid, tid, cpu, cgroup, user, container; /* the keys */
	struct idmap path;                   /* name of the path by the id of a control group */
	struct idmap owner_of;               /* index in `owner` by pid */
	VEC(struct perfdata_owner) owner;
	labels_id next;                      /* of the samples that are added next */
};

void perfdata_labels_release(struct perfdata_labels *l);
/* Returns the label set of a sample. `thread` is its index in the table of tasks, UINT32_MAX if it
 * has none; `comm` is the name of that thread, NAME_EMPTY if unknown. */
labels_id perfdata_labels_of(struct perfdata_labels *l, struct builder *b, uint32_t thread,
			     name_id comm, const struct perfdata_sample *s);
/* The same with the fields of a tracepoint, if the sample has them; `a` is the attr of its
 * event. */
labels_id perfdata_labels_all(struct perfdata_labels *l, struct builder *b, uint32_t thread,
			      name_id comm, const struct perfdata_sample *s,
			      struct perfdata_fields *fields, const struct perfdata_attr *a,
			      bool big_endian);
/* Handles the path of a map: "//process/user=NAME", "//process/container=NAME".  Returns false if
 * it is another path. */
bool perfdata_labels_owner(struct perfdata_labels *l, struct builder *b, uint32_t pid,
			   const char *path, size_t len);
/* Gives a new process the owners of its parent. */
void perfdata_labels_fork(struct perfdata_labels *l, uint32_t pid, uint32_t ppid);
/* Handles a CGROUP record: u64 id; path. */
void perfdata_labels_cgroup(struct perfdata_labels *l, struct builder *b,
			    const struct perfdata_record *rec, bool big_endian);

#endif
