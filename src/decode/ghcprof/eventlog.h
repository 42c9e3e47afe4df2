/* eventlog.h - the state while an event log of GHC is read. For eventlog*.c only. */
#ifndef PNAV_SRC_DECODE_GHCPROF_EVENTLOG_H
#define PNAV_SRC_DECODE_GHCPROF_EVENTLOG_H

#include "src/decode/common/sched.h"
#include "src/decode/decoder.h"
#include "src/decode/ghcprof/ghcprof.h"
#include "src/input/cursor.h"

#define EVENTLOG_END 0xFFFFu   /* in the place of a type: the end of the events */
#define EVENTLOG_NO_CAP 0xFFFFu
#define EVENTLOG_ALLOCATED 49u /* the type of a counter that each capability has */

struct eventlog;

/* An event without its head. The payload may be shorter than the type's fields. */
struct eventlog_event {
	uint16_t type;
	uint32_t cap; /* EVENTLOG_NO_CAP: none */
	int64_t time_ns;
	struct cursor payload;
	uint64_t offset;
};

/* Takes an event of a type; returns false with an error in *out.e. */
typedef bool eventlog_take(struct eventlog *l, struct eventlog_event *v);

/* A type of events, from the header of the file. */
struct eventlog_type {
	bool declared;
	int16_t size; /* of the payload; negative: each event has its own */
	char *name;
	eventlog_take *take; /* NULL: its events are counted */
	uint64_t count;
};

#define EVENTLOG_GC UINT32_MAX /* a turn: it collects */

struct eventlog_cap {
	int64_t number;
	uint32_t running; /* a thread; 0: none */
	bool collects;
	struct timed_list turn; /* from a time on: it runs a thread, 0 for nothing, or collects */
	uint32_t what;     /* the last turn */
	int64_t turn_ns;
	struct series *profile; /* NULL: no sample yet */
};

/* A counter or marks. */
struct eventlog_points {
	uint16_t type;
	uint32_t cap; /* EVENTLOG_NO_CAP: of all */
	track_id track;
	struct series *series;
};

struct eventlog {
	struct ghc_out out;
	struct dump *dump; /* NULL: the events go to the profile */
	VEC(struct eventlog_type) type; /* by number; some are not declared */
	VEC(struct eventlog_cap) cap;
	struct idmap cap_of;    /* number -> index */
	struct idmap label_of;  /* thread -> its name */
	struct idmap stack_of;  /* what a capability does -> its stack */
	struct idmap frame_of;  /* cost centre -> its frame */
	struct idmap points_of; /* type, capability -> index */
	VEC(struct eventlog_points) points;
	struct ghc_bands heap;
	bool has_heap, has_samples;
	int64_t tick_ns; /* of a sample of the profiler; 0: unknown */
	int64_t last_ns;
	struct sched sched;
	uint64_t malformed;
};

/* Returns how events of a type are read, or NULL. */
eventlog_take *eventlog_taker(uint16_t type);
/* Writes what needs all events: the turns of capabilities, states of threads, facts. Returns false
 * with an error in *out.e. */
bool eventlog_write(struct eventlog *l);

#endif
