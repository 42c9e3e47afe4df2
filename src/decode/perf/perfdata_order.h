/* perfdata_order.h - records in the order of their times.
 *
 * perf writes the buffer of one CPU after the other; a FINISHED_ROUND says that whatever
 * comes later is not older than the newest of the round before. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_ORDER_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_ORDER_H

#include "model/base/vec.h"
#include "src/decode/perf/perfdata_read.h"

struct perfdata_queued {
	uint64_t time;
	uint64_t offset; /* of the record in the file */
	size_t at;       /* of its copy; rises with the order of arrival */
};

/* Zero-initialised is empty, but for `big_endian`. */
struct perfdata_order {
	bool big_endian;
	VEC(uint8_t) bytes;
	VEC(uint8_t) other; /* where what stays is copied to */
	VEC(struct perfdata_queued) queue;
	VEC(struct perfdata_queued) merged; /* scratch: half-way to being in order */
	VEC(size_t) run;                    /* where runs of rising times begin, and the end */
	uint64_t newest, round; /* newest of all; and when the last round ended */
	uint64_t given;         /* time of the last record that was given out */
	uint64_t late;          /* records that came after younger ones were given out */
};

/* Those that give records out give NULL behind the last one: the bytes of all of them go then. */
void perfdata_order_release(struct perfdata_order *o);
/* A copy of the record waits for its turn. */
void perfdata_order_add(struct perfdata_order *o, const struct perfdata_record *rec,
			uint64_t time);
/* So much waits that some of it should be given out, round or not. */
bool perfdata_order_full(const struct perfdata_order *o);
/* After a FINISHED_ROUND: gives out what nothing can come before any more. */
bool perfdata_order_round(struct perfdata_order *o, perfdata_take *take, void *arg);
/* When full: gives out the older half. */
bool perfdata_order_half(struct perfdata_order *o, perfdata_take *take, void *arg);
/* At the end: all. */
bool perfdata_order_all(struct perfdata_order *o, perfdata_take *take, void *arg);

#endif
