/* perfdata_tasks.h - processes, their threads and their maps, as the records of perf.data describe
 * them in order. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_TASKS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include "src/decode/common/sched_text.h"

#include "model/base/vec.h"
#include "model/profile/names.h"
#include "src/decode/common/idmap.h"
#include "src/input/cursor.h"

struct perfdata_map {
	uint64_t start, end;
	uint64_t offset; /* in the module, of start */
	uint32_t module; /* perfdata_frames.h */
	bool executable;
};

/* The maps of a process: sorted, without overlaps. Shared after a fork until one process changes
 * them; equal versions are equal maps. */
struct perfdata_maps {
	unsigned users;
	size_t copied; /* number of its maps when it began as a copy */
	uint64_t version;
	uint64_t code; /* the version of the last change to executable maps */
	VEC(struct perfdata_map) map;
	struct perfdata_maps *before; /* the maps of the program before the exec, or NULL */
};

struct perfdata_thread {
	uint32_t pid;
	uint32_t process;
	name_id comm;
	uint32_t track; /* the decoder's; UINT32_MAX after a change of the name */
	bool alive;
};

struct perfdata_process {
	struct perfdata_maps *maps; /* NULL: none */
	uint32_t threads;           /* number of living threads */
	bool chosen;                /* the user chose it for the recording */
	bool inside;                /* the same, or one of these has started it */
};

/* A zero-initialised list is empty. */
struct perfdata_tasks {
	struct idmap pid, tid;
	VEC(struct perfdata_process) process;
	VEC(struct perfdata_thread) thread;
	bool commanded; /* the file says which processes are `inside` */
	struct sched sched; /* the scheduler's tracepoints */
	uint64_t version; /* the last version given to a table of maps */
	uint64_t copied;  /* maps that forks have copied and that still exist */
};

void perfdata_tasks_release(struct perfdata_tasks *t);
/* A feature of pnav's recorder: the processes of the command; the whole system was recorded beside
 * them. u32 n; n times u32 pid. Returns false if it ends early. */
bool perfdata_command(struct perfdata_tasks *t, struct cursor r);
/* Returns true if the process was only recorded beside the command. */
bool perfdata_outside(const struct perfdata_tasks *t, uint32_t thread);
/* Return indexes, of new entries if necessary. A new thread has no name. */
uint32_t perfdata_process(struct perfdata_tasks *t, uint32_t pid);
uint32_t perfdata_thread(struct perfdata_tasks *t, uint32_t pid, uint32_t tid);
/* Adds a child with its parent's name and, if it is another process, a copy of its maps. */
void perfdata_fork(struct perfdata_tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid,
		   uint32_t ptid, bool with_maps);
void perfdata_exit(struct perfdata_tasks *t, uint32_t pid, uint32_t tid);
/* Replaces the program: no maps remain, except, until the system call has returned, those of the
 * caller. */
void perfdata_exec(struct perfdata_tasks *t, uint32_t pid);
/* Adds a map, which replaces others in its range. Returns false if m is empty or wraps around. */
bool perfdata_map(struct perfdata_tasks *t, uint32_t process, struct perfdata_map m);
/* Returns the map around an address, or NULL. */
const struct perfdata_map *perfdata_find(const struct perfdata_tasks *t, uint32_t process,
					 uint64_t address);
/* Returns true if the maps of the process are known, and no executable one is around the address,
 * so that it cannot be a return address. */
bool perfdata_no_code(const struct perfdata_tasks *t, uint32_t process, uint64_t address);

#endif
