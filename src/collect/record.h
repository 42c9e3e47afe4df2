/* record.h - records of the kernel's form, made and taken apart.
 *
 * All samples of pnav have one layout: the id of the counter, ip, pid and tid, time, CPU,
 * period; then, as attr.sample_type says, the call chain, the registers, the copy of the
 * stack.  All other records end in pid, tid, time, CPU and that id (sample_id_all). */
#ifndef PNAV_SRC_COLLECT_RECORD_H
#define PNAV_SRC_COLLECT_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "model/base/buf.h"

#define RECORD_SAMPLE_TYPE                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |  \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

#define RECORD_STACK_BYTES 8192u /* of a thread's stack, unless told */

struct record_sample {
	struct perf_event_header header;
	uint64_t id; /* of the counter; 0: the first event's */
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
};

/* What a sample stands for. */
static inline uint64_t
record_period(const struct perf_event_header *sample)
{
	uint64_t period;
	memcpy(&period, (const uint8_t *)sample + offsetof(struct record_sample, period),
	       sizeof period);
	return period;
}

/* What the other records end in. */
struct record_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct record_task {
	uint32_t pid, tid;
	uint64_t time;
};

struct record_map {
	uint64_t start, len, offset;
	uint32_t major, minor;
	uint64_t inode;
	uint32_t prot;
	const char *path;
	uint8_t build_id[20]; /* then the record has it in place of device and inode */
	size_t build_id_len;  /* 0: it is not known */
};

/* The registers that unwinding needs, as attr.sample_regs_user; 0: not known here. */
uint64_t record_registers(void);
/* Those of them that say where a thread is: stack pointer and program counter; 0: the same. */
uint64_t record_place_registers(void);
/* Now, on the clock that all records have. */
uint64_t record_now(void);
/* Each appends one record. */
void record_comm(struct buf *out, struct record_task t, const char *name, bool exec);
void record_fork(struct buf *out, struct record_task t, uint32_t ppid, uint32_t ptid);
void record_mmap(struct buf *out, struct record_task t, const struct record_map *m);
/* The kernel's text, as far as it tells where that is. */
void record_kernel(struct buf *out);
/* The process that a thread belongs to; the number itself where that is not known. */
pid_t record_process_of(pid_t tid);
/* Whether the thread, or of a process any of its threads, still runs: one that its parent has
 * not waited for (a zombie) does not. */
bool record_task_runs(pid_t tid);
/* Appends the names of all threads of a process but the first. */
void record_threads(struct buf *out, struct record_task t);
/* Appends name and maps of a process that runs, from /proc; false when it has gone.
 * `known`, when not NULL: maps that were told before; what is told now joins them. */
struct record_known;
bool record_process(struct buf *out, struct record_task t, struct record_known **known);
/* Does one of those maps hold this address? */
bool record_known_has(const struct record_known *k, uint64_t at);
void record_known_free(struct record_known *k);
/* Cuts what the copy of the stack has reserved and not used. */
void record_trim(struct perf_event_header *rec, const struct perf_event_attr *attr);
/* Begins a record, and sets its size once it is whole. */
size_t record_begin(struct buf *out, uint32_t type, uint16_t misc);
void record_end(struct buf *out, size_t at);

#endif
