/* perfscript_inside.h - the state of the decoder of perf script, for perfscript.c only. */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_INSIDE_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_INSIDE_H

#include "model/base/buf.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/perf/hybrid.h"
#include "src/decode/perf/perfscript_frames.h"
#include "src/decode/perf/perfscript_sched.h"
#include "src/input/lines.h"

struct perf_event {
	name_id name;
	metric_id metric;
};

/* The number of samples of an event, according to the header. */
struct perf_rate {
	name_id name;
	int64_t interval_ns;
};

/* Found for a thread and an event, and used for all of their samples. */
struct perf_header {
	struct series *series;
	struct sched_known task;
};

struct perfscript {
	struct cast cast;
	struct builder *b;
	struct err *e;
	struct lines lines;
	struct perf_frames frames;

	struct perfscript_sched sched;
	metric_id samples;
	struct {
		struct hybrid hybrid;
		name_id event;
		bool is_cpu; /* it is the processor's time */
	} preferred; /* the event of the default metric */
	struct {
		struct buf leader; /* the first event; empty without one */
		VEC(struct perf_rate) rate;
	} header;
	VEC(struct perf_event) event;
	VEC(struct series *) series;
	struct idmap series_of; /* series_key() -> series, or thread of the cast */
	struct {
		VEC(struct perf_header) header;
		struct perf_header none; /* of a sample without a thread's name or number */
		struct text_cache of; /* the text of a thread -> index in `header`, + 1 */
		uint32_t event;       /* index of the last sample's event */
	} known;
	struct buf track_name;

	struct {
		bool open, one_line, branch;
		uint64_t offset;
		int64_t time, period;
		struct series *series;
	} sample; /* the open one */
	struct carried *n; /* `last`: the time of the last sample that has one */
	uint64_t first_bad, info_rows;
	bool again; /* all is in the profile already: only the scheduler's data are wanted */
};

/* The numbers and flags that all parts of a file share. */
enum { SAMPLES, LINES, BAD, BRANCHES };
enum {
	TIME_KNOWN = 1 << 0, /* the first sample decided whether samples have times: */
	TIMED = 1 << 1,
	/* of the lines of frames: */
	BARE_HEADERS = 1 << 2, /* some sample has no frames, and the next one follows at once */
	CHAINS = 1 << 3,       /* some sample has frames on separate lines */
	STEPS = 1 << 7,        /* times are steps since the sample before */
};

/* Returns true if one of these flags is set. */
static inline bool
perfscript_has(const struct perfscript *p, uint32_t flag)
{
	return p->n->flags & flag;
}

/* Sets flags if the condition holds. */
static inline void
perfscript_set(struct perfscript *p, uint32_t flag, bool holds)
{
	p->n->flags |= holds ? flag : 0;
}

#endif
