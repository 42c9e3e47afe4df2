/* encode_perf.h - writes perf.data's pipe mode, record by record, in either byte order, from
 * linux/perf_event.h and perf.data-file-format.txt. */
#ifndef PNAV_TESTS_LIB_ENCODE_PERF_H
#define PNAV_TESTS_LIB_ENCODE_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "tests/lib/decoded.h"

struct perf_pipe {
	struct buf out; /* the caller's, to release */
	bool swap;      /* most significant byte first */
};

/* Bits of sample_type. */
#define PERF_IP (1u << 0)
#define PERF_TID (1u << 1)
#define PERF_TIME (1u << 2)
#define PERF_READ (1u << 4)
#define PERF_CHAIN (1u << 5)
#define PERF_ID (1u << 6)
#define PERF_PERIOD (1u << 8)
#define PERF_RAW (1u << 10)
#define PERF_BRANCHES (1u << 11)

/* The low n bytes of v, n at most 8. */
void perf_put(struct perf_pipe *e, uint64_t v, size_t n);
/* Where a record begins, to give to perf_end_record(), which writes its size. */
size_t perf_begin_record(struct perf_pipe *e, uint32_t type, uint16_t misc);
void perf_end_record(struct perf_pipe *e, size_t at);
/* Bit n of flags as a compiler of that byte order lays it out. */
void perf_put_flags(struct perf_pipe *e, uint64_t flags);
/* An empty pipe with its header. */
void perf_begin(struct perf_pipe *e, bool swap);
/* HEADER_ATTR of a software event, with sample_id_all and one id. */
void perf_put_event(struct perf_pipe *e, uint64_t config, uint64_t sample_type,
		    uint64_t read_format, uint64_t id);
/* FINISHED_ROUND. */
void perf_put_round(struct perf_pipe *e);
/* The decoder's result. */
struct decoded perf_decoded(const struct perf_pipe *e);

#endif
