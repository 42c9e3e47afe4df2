/* perfdata_order.h - sorts records by time.
 *
 * perf writes the buffer of one CPU after the other. After a FINISHED_ROUND no record is older than
 * the newest one of the previous round. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_ORDER_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_ORDER_H

#include "model/base/vec.h"
#include "src/decode/perf/perfdata_read.h"

struct perfdata_queued {
	uint64_t time;
	uint64_t offset; /* of the record in the file */
	uint32_t block, at; /* of its copy */
};

#define PERFDATA_BLOCK (256u << 10) /* bytes; the largest record has 64 KB */

struct perfdata_block {
	uint8_t *bytes;
	uint32_t used;    /* number of bytes that have records */
	uint32_t records; /* number of records here that are in the queue */
};

/* Zero-initialise it, then set big_endian. */
struct perfdata_order {
	bool big_endian;
	size_t bytes; /* of all records in the queue */
	VEC(struct perfdata_block) block;
	VEC(uint32_t) empty; /* blocks without records, except `last` */
	uint32_t last;       /* the block of the last record */
	VEC(struct perfdata_queued) queue;
	VEC(struct perfdata_queued) merged; /* scratch: partly merged */
	/* the beginnings of runs of ascending times, and the end */
	VEC(size_t) run;
	uint64_t newest, round; /* the newest time; that at the end of the last round */
	uint64_t queued;        /* time of the last record that the decoder has queued */
	uint64_t given;         /* time of the last record passed on */
	uint64_t late;          /* records that arrived after later ones had been passed on */
};

/* Functions that pass records to take() call it with NULL after the last one; the bytes of all of
 * them become invalid then. */
void perfdata_order_release(struct perfdata_order *o);
/* Queues a copy of the record. */
void perfdata_order_add(struct perfdata_order *o, const struct perfdata_record *rec,
			uint64_t time);
/* Returns true if the queue is full and some records should be passed on, round or not. */
bool perfdata_order_full(const struct perfdata_order *o);
/* Call it after a FINISHED_ROUND: passes on all records that no later one can precede. */
bool perfdata_order_round(struct perfdata_order *o, perfdata_take *take, void *arg);
/* Call it if the queue is full: passes on the older half. */
bool perfdata_order_half(struct perfdata_order *o, perfdata_take *take, void *arg);
/* Call it at the end: passes on all. */
bool perfdata_order_all(struct perfdata_order *o, perfdata_take *take, void *arg);

#endif
