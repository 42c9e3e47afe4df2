/* simpleperf_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * simpleperf.c        the probe, records, samples
 * simpleperf_names.c  files, threads, events */
#ifndef PNAV_SRC_DECODE_SIMPLEPERF_SIMPLEPERF_INSIDE_H
#define PNAV_SRC_DECODE_SIMPLEPERF_SIMPLEPERF_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/cast.h"
#include "src/input/rows_proto.h"

struct sp_file {
	name_id module;
	bool system;
	size_t first, n; /* its symbols */
};

struct sp_event {
	name_id name;
	metric_id metric;
	bool is_switch;
};

struct sp_thread {
	int64_t tid, pid;
	name_id name;
	track_id track;
	bool begun;
	VEC(struct series *) series; /* [event] */
	/* the one that goes to sleep */
	bool waits;
	uint64_t event;
	int64_t time, values[2];
	stack_id stack;
	uint64_t offset;
};

/* The bytes, as a sequence of records. */
struct sp_reader {
	struct input *in;
	uint64_t len; /* of the last record returned, which is still in the window */
	uint64_t at;  /* its offset */
	struct rows_proto r;
	struct err wrong; /* the first field with another wire type than in the schema, */
	uint64_t n_wrong; /* of this many */
	bool ended, has_names; /* has_names: read once, now for samples */
};

struct simpleperf {
	struct builder *b;
	struct err *e;
	struct sp_reader reader;
	bool offcpu;
	VEC(struct sp_file) file;
	VEC(name_id) symbol;
	VEC(struct sp_event) event;
	VEC(struct sp_thread) thread;
	VEC(frame_id) frame;
	struct idmap file_of, thread_of, frame_of;
	struct cast cast;
	metric_id samples, offcpu_metric;
	struct {
		uint64_t malformed, unknown, samples, switches, threads, lost;
	} counts;
};

/* Reads a message. An invalid field is reported as damage at the end, after everything valid has
 * been read. */
bool sp_message_read(struct simpleperf *s, const struct proto_table *t,
		     const struct proto_field *f, void *object);
/* Returns the thread's index in s->thread; the first call adds the thread. */
uint32_t sp_thread_of(struct simpleperf *s, int64_t tid);
/* Handle a File, a Thread, a MetaInfo; they do nothing once all names are known. */
rows_proto_take sp_file_take, sp_thread_take, sp_meta_take;
extern const struct proto_table sp_file_table, sp_thread_table, sp_meta_table;

#endif
