/* record.h - builds and parses records of the kernel's form.
 *
 * All samples of pnav have one layout: the id of the counter, ip, pid and tid, time, CPU, period;
 * then, as attr.sample_type says, the call chain, the registers, the copy of the stack.  All other
 * records end in pid, tid, time, CPU and that id (sample_id_all). */
#ifndef PNAV_SRC_COLLECT_RECORD_H
#define PNAV_SRC_COLLECT_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "model/base/buf.h"

struct buildids;

#define RECORD_SAMPLE_TYPE                                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |  \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

#define RECORD_STACK_BYTES 8192u /* of a thread's stack, by default */

struct record_sample {
	struct perf_event_header header;
	uint64_t id; /* of the counter; 0: the first event's */
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period;
};

/* Return the number of 8 or 4 bytes at an offset in a record, which must have it. */
static inline uint64_t
record_word(const struct perf_event_header *record, size_t at)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)record + at, sizeof v);
	return v;
}

static inline uint32_t
record_half(const struct perf_event_header *record, size_t at)
{
	uint32_t v;

	memcpy(&v, (const uint8_t *)record + at, sizeof v);
	return v;
}

/* Returns the period that a sample represents. */
static inline uint64_t
record_period(const struct perf_event_header *sample)
{
	return record_word(sample, offsetof(struct record_sample, period));
}

/* The last fields of all other records. */
struct record_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* Returns the last fields of a record that is no sample; zeros if it has none. */
static inline struct record_tail
record_tail_of(const struct perf_event_header *record)
{
	struct record_tail tail = {0};

	if (record->size >= sizeof *record + sizeof tail)
		memcpy(&tail, (const uint8_t *)record + record->size - sizeof tail, sizeof tail);
	return tail;
}

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
	uint8_t build_id[20]; /* then the record has it instead of device and inode */
	size_t build_id_len;  /* 0: unknown */
};

/* PERF_RECORD_MMAP2 up to the path; with PERF_RECORD_MISC_MMAP_BUILD_ID it has `id` instead of
 * `file`: u8 length, 3 unused, 20 bytes. */
struct record_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		} file;
		uint8_t id[24];
	} u;
	uint32_t prot, flags;
};

/* Copies the record of a map and returns its path, which ends within the record; NULL if it is
 * another record, or too short. */
const char *record_mmap2_of(const struct perf_event_header *record, struct record_mmap2 *out);
/* Returns the length of a map's path without the " (deleted)" that the kernel appends for a file
 * that has lost its name or whose name is now another file's. */
size_t record_path_len(const char *path);
/* Writes the link to the file of a map, which root may follow, if the file has lost its name,
 * too. */
void record_map_link(uint32_t pid, uint64_t start, uint64_t len, char out[96]);

/* Returns the registers needed for unwinding, as attr.sample_regs_user; 0: unknown here. */
uint64_t record_registers(void);
/* Returns those of them that give a thread's place: stack pointer and program counter; 0:
 * unknown. */
uint64_t record_place_registers(void);
#define RECORD_REGISTERS 33u /* at most */
/* Copies the registers of a sample, by attr.sample_type; returns false if it has none of a 64-bit
 * program. */
bool record_sample_registers(const struct perf_event_header *sample, uint64_t sample_type,
			     uint64_t to[RECORD_REGISTERS]);
/* Returns the stack pointer among registers in the order of record_registers(). */
uint64_t record_stack_pointer(const uint64_t *registers);
/* Returns the time on the clock of all records. */
uint64_t record_now(void);
/* Each appends one record. */
void record_comm(struct buf *out, struct record_task t, const char *name, bool exec);
void record_fork(struct buf *out, struct record_task t, uint32_t ppid, uint32_t ptid);
/* The thread leaves its CPU, or comes back to one. */
void record_switch(struct buf *out, struct record_task t, bool leaves);
void record_mmap(struct buf *out, struct record_task t, const struct record_map *m);
/* Appends a control group and its path. */
void record_cgroup(struct buf *out, uint64_t id, const char *path);
/* Appends the map of the kernel's text, as far as the kernel reveals it. */
void record_kernel(struct buf *out);
#define RECORD_COMM_SIZE 64 /* names of the kernel's own threads are long */
/* Reads the name of a thread; false, and an empty name, if the thread has ended. */
bool record_read_comm(pid_t tid, char name[RECORD_COMM_SIZE]);
/* Returns the process of a thread; the number itself if it is unknown. */
pid_t record_process_of(pid_t tid);
/* True if the thread, or any thread of a process, still runs; a zombie does not. */
bool record_task_runs(pid_t tid);
/* Appends the names of all threads of a process but the first. */
void record_threads(struct buf *out, struct record_task t);
/* Appends name and maps of a running process, from /proc; returns false if it is gone. `known`, if
 * not NULL: maps recorded before, to which the new ones are added. `ids`, if not NULL: the cache of
 * build ids. */
struct record_known;
bool record_process(struct buf *out, struct record_task t, struct record_known **known,
		    struct buildids *ids);
/* True if one of those maps contains this address. */
bool record_known_has(const struct record_known *k, uint64_t at);
void record_known_free(struct record_known *k);
/* Removes the unused part of the copy of the stack. */
void record_trim(struct perf_event_header *rec, const struct perf_event_attr *attr);
/* Begins a record; record_end() sets its size. */
size_t record_begin(struct buf *out, uint32_t type, uint16_t misc);
void record_end(struct buf *out, size_t at);

#endif
