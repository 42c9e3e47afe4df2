/* perfdata_read.h - parses the pieces of a perf.data file, without their meaning.
 *
 * The layouts are defined by linux/perf_event.h (records of the kernel) and by
 * tools/perf/Documentation/perf.data-file-format.txt (the file, records of perf). */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_READ_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/input/cursor.h"

/* ---- records ---- */

enum perfdata_type {
	PERFDATA_MMAP = 1,
	PERFDATA_LOST = 2,
	PERFDATA_COMM = 3,
	PERFDATA_EXIT = 4,
	PERFDATA_THROTTLE = 5,
	PERFDATA_UNTHROTTLE = 6,
	PERFDATA_FORK = 7,
	PERFDATA_READ = 8,
	PERFDATA_SAMPLE = 9,
	PERFDATA_MMAP2 = 10,
	PERFDATA_LOST_SAMPLES = 13,
	PERFDATA_SWITCH = 14,
	PERFDATA_SWITCH_CPU_WIDE = 15,
	PERFDATA_KSYMBOL = 17,
	PERFDATA_CGROUP = 19,
	PERFDATA_CALLCHAIN_DEFERRED = 22,
	PERFDATA_KERNEL_END = 64, /* below: written by the kernel; from here: by perf */
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING_DATA = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};
/* Returns "MMAP2", or NULL for an unknown type. */
const char *perfdata_type_name(uint32_t type);

/* struct perf_event_header: u32 type, u16 misc, u16 size of the whole */
#define PERFDATA_HEADER 8u
struct perfdata_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
	const uint8_t *at; /* its header; size bytes */
	uint64_t offset;   /* in the file; that of the compressed record that contains it */
	size_t behind;     /* bytes at `at` after the record that belong to it: TRACING_DATA */
};

/* Takes one of many records; false stops. */
typedef bool perfdata_take(void *arg, const struct perfdata_record *rec);

/* Low bits of misc: the mode of the CPU. */
#define PERFDATA_MODE 7u
enum perfdata_mode {
	PERFDATA_UNKNOWN_MODE,
	PERFDATA_KERNEL_MODE,
	PERFDATA_USER_MODE,
	PERFDATA_HYPERVISOR_MODE,
	PERFDATA_GUEST_KERNEL_MODE,
	PERFDATA_GUEST_USER_MODE,
};
#define PERFDATA_MMAP_DATA (1u << 13)
#define PERFDATA_SWITCH_OUT (1u << 13)
#define PERFDATA_SWITCH_PREEMPTED (1u << 14)
#define PERFDATA_COMM_EXEC (1u << 13)
#define PERFDATA_FORK_EXEC (1u << 13)
#define PERFDATA_MMAP_BUILD_ID (1u << 14)
#define PERFDATA_BUILD_ID_SIZE (1u << 15)

struct cursor perfdata_over(const uint8_t *at, size_t len, bool big_endian);
struct cursor perfdata_body(const struct perfdata_record *rec, bool big_endian);

/* ---- events ---- */

/* sample_type */
enum {
	PERFDATA_HAS_IP = 1u << 0,
	PERFDATA_HAS_TID = 1u << 1,
	PERFDATA_HAS_TIME = 1u << 2,
	PERFDATA_HAS_ADDR = 1u << 3,
	PERFDATA_HAS_READ = 1u << 4,
	PERFDATA_HAS_CALLCHAIN = 1u << 5,
	PERFDATA_HAS_ID = 1u << 6,
	PERFDATA_HAS_CPU = 1u << 7,
	PERFDATA_HAS_PERIOD = 1u << 8,
	PERFDATA_HAS_STREAM_ID = 1u << 9,
	PERFDATA_HAS_RAW = 1u << 10,
	PERFDATA_HAS_BRANCH_STACK = 1u << 11,
	PERFDATA_HAS_REGS_USER = 1u << 12,
	PERFDATA_HAS_STACK_USER = 1u << 13,
	PERFDATA_HAS_WEIGHT = 1u << 14,
	PERFDATA_HAS_DATA_SRC = 1u << 15,
	PERFDATA_HAS_IDENTIFIER = 1u << 16,
	PERFDATA_HAS_TRANSACTION = 1u << 17,
	PERFDATA_HAS_REGS_INTR = 1u << 18,
	PERFDATA_HAS_PHYS_ADDR = 1u << 19,
	PERFDATA_HAS_CGROUP = 1u << 21,
	PERFDATA_HAS_WEIGHT_STRUCT = 1u << 24,
};

/* perf_event_attr.flags, by bit */
enum {
	PERFDATA_EXCLUDE_USER = 4,
	PERFDATA_EXCLUDE_KERNEL = 5,
	PERFDATA_EXCLUDE_HV = 6,
	PERFDATA_FREQ = 10,
	PERFDATA_PRECISE = 15, /* two bits */
	PERFDATA_SAMPLE_ID_ALL = 18,
	PERFDATA_EXCLUDE_HOST = 19,
	PERFDATA_EXCLUDE_GUEST = 20,
	PERFDATA_CHAIN_WITHOUT_USER = 22,
	PERFDATA_USE_CLOCK = 25,
	PERFDATA_WITH_BUILD_IDS = 34,
	PERFDATA_DEFER_CHAIN = 38,
};

struct perfdata_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags;
	uint64_t branch_type, user_registers, intr_registers;
	uint32_t clock; /* with PERFDATA_USE_CLOCK: the number of the clock */
	uint16_t max_stack; /* maximum number of addresses of a chain; 0: the system's default */
	/* If the chain is the only field of variable length: positions of the fields, in words
	 * after the header; 0xFF for missing fields. */
	bool fixed;
	struct perfdata_layout {
		uint8_t ip, tid, time, id, cpu, period, words;
	} layout;
};

#define PERFDATA_ATTR_MIN 64u
/* Reads `size` bytes of perf_event_attr; fields beyond the size are 0. */
struct perfdata_attr perfdata_attr(const uint8_t *at, size_t size, bool big_endian);

static inline bool
perfdata_flag(const struct perfdata_attr *a, unsigned bit)
{
	return a->flags >> bit & 1;
}

/* ---- samples ---- */

struct perfdata_sample {
	uint64_t ip, time, id, period;
	uint64_t cgroup; /* its id; 0: not in the sample */
	uint32_t pid, tid;
	uint32_t cpu; /* UINT32_MAX: not in the sample */
	bool has_time, has_id, has_tid;
	const uint8_t *chain; /* n_chain u64 in the file's order */
	uint64_t n_chain;
	struct {
		const uint8_t *at; /* n of PERFDATA_CALL_WORDS u64; the first is its address */
		uint64_t n;
	} calls; /* the callers behind the chain */
	uint32_t n_own; /* its addresses before those of a later record; 0: there is none */
	const uint8_t *values; /* of PERF_SAMPLE_READ: n_values of (value, id) */
	uint32_t n_values;
	const uint8_t *raw; /* of a tracepoint: its fields; NULL: none */
	uint32_t raw_len;
	struct {
		uint64_t abi;
		const uint8_t *registers; /* one u64 for each bit of user_registers */
		const uint8_t *stack;
		uint64_t stack_len;
	} user; /* the state of user space */
};

#define PERFDATA_CALL_WORDS 3u
#define PERFDATA_CONTEXT_USER ((uint64_t)-512)
/* Parses a sample. Returns false if the record is too short for the fields of its event. */
bool perfdata_sample(const struct perfdata_record *rec, const struct perfdata_attr *a,
		     bool big_endian, struct perfdata_sample *out);
/* Gets the i-th (value, id) of s->values. */
void perfdata_value(const struct perfdata_sample *s, const struct perfdata_attr *a,
		    bool big_endian, uint32_t i, uint64_t *value, uint64_t *id);
/* Returns the position of the id in a sample, in bytes after the header; UINT32_MAX: none. */
uint32_t perfdata_id_position(uint64_t sample_type);
/* Parses the trailer that sample_id_all adds to other records: pid and tid (has_tid), time
 * (has_time) and id. */
void perfdata_trailer(const struct perfdata_record *rec, const struct perfdata_attr *a,
		      bool big_endian, struct perfdata_sample *out);

static inline uint64_t
perfdata_word(const uint8_t *words, uint64_t i, bool big_endian)
{
	return bytes_u64(words + i * 8, big_endian);
}

#endif
