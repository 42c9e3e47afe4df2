/* perfdata_labels.h - the labels of samples: comm, pid, tid, cpu, cgroup, fields of tracepoints. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_LABELS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_LABELS_H

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/perf/perfdata_fields.h"
#include "src/decode/perf/perfdata_read.h"

#define PERFDATA_LABELS_CPUS 4u

/* The label sets of one thread, which are valid while all but the CPU is the same. */
struct perfdata_labelled {
	uint32_t pid, tid;
	name_id comm;
	uint64_t cgroup;
	struct {
		uint32_t cpu;
		labels_id set; /* LABELS_NONE: not made yet */
	} on[PERFDATA_LABELS_CPUS]; /* by the CPU's number, the last one of each remainder */
};

/* A zero-initialised list is empty. */
struct perfdata_labels {
	VEC(struct perfdata_labelled) thread;
	name_id comm, pid, tid, cpu, cgroup; /* the keys */
	struct idmap path;                   /* id of a control group -> name of its path */
};

void perfdata_labels_release(struct perfdata_labels *l);
/* Returns the label set of a sample.  `thread` is its index in the tasks' table, UINT32_MAX where
 * it has none; `comm` that thread's name, NAME_EMPTY where it is not known. */
labels_id perfdata_labels_of(struct perfdata_labels *l, struct builder *b, uint32_t thread,
			     name_id comm, const struct perfdata_sample *s);
/* The same with the fields of a tracepoint, where the sample has them; `a`: of its event. */
labels_id perfdata_labels_all(struct perfdata_labels *l, struct builder *b, uint32_t thread,
			      name_id comm, const struct perfdata_sample *s,
			      struct perfdata_fields *fields, const struct perfdata_attr *a,
			      bool big_endian);
/* Takes a CGROUP record: u64 id; path. */
void perfdata_labels_cgroup(struct perfdata_labels *l, struct builder *b,
			    const struct perfdata_record *rec, bool big_endian);

#endif
