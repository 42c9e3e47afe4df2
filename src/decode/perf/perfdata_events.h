/* perfdata_events.h - the sampled events: the layout of their samples, and their names. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_EVENTS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_EVENTS_H

#include "src/decode/common/idmap.h"
#include "src/decode/perf/perfdata_fields.h"
#include "src/decode/perf/perfdata_file.h"

struct perfdata_event {
	struct perfdata_attr attr;
	name_id name;     /* NAME_EMPTY until perfdata_event_name() */
	metric_id metric; /* METRIC_NONE before its first sample */
	uint64_t samples;
};

struct perfdata_events {
	VEC(struct perfdata_event) event;
	struct idmap id;        /* index of an event by id */
	struct idmap described; /* id -> name, from EVENT_DESC */
	VEC(uint64_t) last;     /* the last value read of a counter, ... */
	struct idmap counter;   /* ... by its id */
	struct perfdata_fields fields; /* of tracepoints */
};

/* A zero-initialised list is empty. */
void perfdata_events_release(struct perfdata_events *v);
/* Reads the file's section of events. */
bool perfdata_events_read(struct perfdata_events *v, struct perfdata_file *f);
/* Reads the same from the record of a pipe. */
bool perfdata_event_record(struct perfdata_events *v, const struct perfdata_record *rec,
			   bool big_endian, struct err *e);
/* Returns the event of a sample; UINT32_MAX if its id is unknown. */
uint32_t perfdata_event_of(const struct perfdata_events *v,
			   const struct perfdata_record *rec, bool big_endian);
/* Returns the attr for the trailer of another record; NULL while there is no event. */
const struct perfdata_attr *perfdata_event_trailer(const struct perfdata_events *v,
						   const struct perfdata_record *rec,
						   bool big_endian);
/* Returns the length of the build id in `field`, 24 bytes of an MMAP2 record, from the fifth on; 0
 * if they hold the file's device and inode. */
size_t perfdata_event_build_id(const struct perfdata_events *v, const struct perfdata_record *rec,
			       const uint8_t *field);
/* Reads EVENT_DESC: the names given to perf record. */
void perfdata_events_described(struct perfdata_events *v, struct builder *b,
			       const uint8_t *at, size_t len, bool big_endian);
/* Handles an EVENT_UPDATE record. */
void perfdata_event_update(struct perfdata_events *v, struct builder *b,
			   const struct perfdata_record *rec, bool big_endian);
/* Returns the given name of an event, or perf's name for its type and config. */
name_id perfdata_event_name(struct perfdata_events *v, struct builder *b, uint32_t event);
/* Returns how far a counter has advanced since the previous call for it. */
uint64_t perfdata_counter_step(struct perfdata_events *v, uint64_t id, uint64_t value);

#endif
