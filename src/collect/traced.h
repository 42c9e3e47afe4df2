/* traced.h - the processes that the ptrace sampler traces, and when it reads their maps. */
#ifndef PNAV_SRC_COLLECT_TRACED_H
#define PNAV_SRC_COLLECT_TRACED_H

#include <stdint.h>
#include <sys/types.h>

#include "model/base/vec.h"
#include "src/collect/record.h"

struct traced_process {
	pid_t pid;
	struct record_known *known;
	uint64_t began, maps_at; /* its program; when its maps were read last */
	size_t threads;
};

struct traced {
	VEC(struct traced_process) processes;
};

/* Counts one thread more, or less, of a process. A process without threads is forgotten. */
void traced_join(struct traced *t, pid_t pid);
void traced_leave(struct traced *t, pid_t pid);

/* Returns whether the maps must be read for a sample at this address: while its thread is stopped
 * (MAPS_NOW), or when it runs again. */
enum traced_maps { MAPS_KNOWN, MAPS_NOW, MAPS_LATER };
enum traced_maps traced_maps(const struct traced *t, pid_t pid, uint64_t pc);

/* Appends records of the maps that are new, with the time of `task`. Does nothing if the process
 * has ended. */
void traced_read_maps(struct traced *t, struct record_task task, struct buf *out);

void traced_release(struct traced *t);

#endif
