/* bsprof_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * bsprof.c          the file: header, definitions, footer, notes
 * bsprof_measure.c  measurements: from entries to rows of series */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_INSIDE_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_INSIDE_H

#include "src/decode/bsprof/bsprof_batch.h"
#include "src/decode/bsprof/bsprof_paths.h"
#include "src/decode/bsprof/bsprof_series.h"
#include "src/decode/common/live_blocks.h"

/* A future row of a series, with ids of the file. */
struct measure {
	uint64_t offset;
	int64_t ordinal;
	uint32_t path, line;
	uint8_t kind;  /* enum measure_kind */
	uint8_t op;    /* memory: enum bsprof_op */
	bool released; /* memory: a free, subtracted from the path that allocated */
	int64_t value[2];
};

struct bsprof {
	struct builder *b;
	struct bsprof_paths *paths;
	const struct bsprof_cache *known; /* of paths */
	struct bsprof_batch batch;
	struct live_blocks live;
	struct bsprof_all series;
	VEC(struct measure) waiting;
	uint64_t defined; /* definitions since the waiting entries were last tried */
	int64_t entries;
	bool has[MEASURE_KINDS];
	int64_t time_scale; /* ns per unit of `time self` */
	int64_t sum[4];     /* over all modules: time, cpu, alloc, calls */
	uint64_t unmatched, unassigned;
	bool unplaced;   /* an allocation had to wait for its path */
	uint32_t singly; /* number of entries to decode one by one */
};

/* Handles one measurement of any kind. */
bool bsprof_measure(struct bsprof *d, const struct bsprof_entry *e, struct err *err);
/* Handles consecutive measurements of the usual form. */
bool bsprof_measure_all(struct bsprof *d, struct bsprof_reader *r, struct err *err);
/* Call it after a definition: tries the waiting entries if it is worthwhile. */
bool bsprof_waiting_defined(struct bsprof *d, struct err *err);
/* Tries the waiting entries, in the order of the file. */
bool bsprof_waiting_retry(struct bsprof *d, struct err *err);

#endif
