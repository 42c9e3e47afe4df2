/* hqnplog_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * hqnplog.c        reads entries and names, makes the tracks, writes the steps
 * hqnplog_marks.c  entries without duration: points, and the pairs of entries and exits */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_INSIDE_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_INSIDE_H

#include <inttypes.h>
#include <stdio.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slices.h"
#include "src/decode/hqnplog/hqnplog_names.h"
#include "src/decode/hqnplog/hqnplog_read.h"

#define BREATHE 65536u
#define SHOW_FIRST 4096u /* number of entries of the first preview; */
#define LATER 60          /* percent of the time, spent on slices after reading */
#define SHOW_AGAIN 8u    /* and again after this many times as many entries */

/* An entry without duration. */
struct hqnplog_mark {
	uint64_t time, designator;
	uint64_t place; /* in the file, among all entries */
	uint32_t thread;
	uint32_t what; /* index in hqn.what */
};

struct hqnplog_thread {
	uint64_t id, last; /* last: the latest time of any of its entries, in ticks */
	uint64_t first;    /* position of the first entry of this thread */
	uint64_t last_mark; /* position in the file of its last entry or exit */
	struct slicepack slices;
	VEC(struct slice_pair) pairs;
	struct slices_kept shown; /* of the slices, while the log is read */
	uint32_t lone_exits;
	uint64_t early_exit; /* the time of the first of them */
	bool runs; /* has slices, entries or exits, and therefore a track */
	track_id track;
};

struct entered {
	uint64_t time, designator, place;
	uint32_t thread, trace;
	uint32_t below; /* 1 + index of the next outer one of the same trace and thread */
};

enum mark_class { MARK_POINT, MARK_ENTER, MARK_EXIT };

/* The entries without duration of one trace and type; points become a track. */
struct what {
	uint64_t first; /* the place of the first of them */
	uint32_t trace, type;
	enum mark_class class; /* set by hqn_marks_look() or hqn_marks_pair() */
	track_id track;
	struct series *series;
};

/* Names of traces and types: the tables as they are in the file, and what is read of them. */
struct hqn_named {
	uint64_t ids[HQN_TABLES]; /* number of ids in use: the largest plus one */
	struct hqn_table raw[HQN_TABLES];
	struct hqn_names names[HQN_TABLES];
	struct idmap frame_of; /* trace id to frame_id */
};

/* Entries and exits that are paired. */
struct hqn_pairing {
	struct idmap top_of; /* thread << 32 | trace to the innermost open one */
	VEC(struct entered) entered;
	/* the first exit without an entry in the file, and by time; only one of them is reported */
	struct hqnplog_mark first_lone, early_lone;
	uint64_t lone_exits;
	bool by_time;
};

struct hqn {
	struct input *in;
	struct builder *b;
	struct hqn_header h;
	bool timestamp_is_end;
	uint64_t ticks_max; /* the last tick whose ns is below 2^63 */
	uint64_t n_entries, zeros;
	uint64_t next_show; /* number of entries at the next preview */

	struct idmap thread_of;
	VEC(struct hqnplog_thread) thread;
	struct slicepack mark; /* sorted by time: hqn_mark_add() */
	struct idmap what_of;  /* type << 32 | trace to an index in what */
	VEC(struct what) what;
	struct hqn_named named;
	struct hqn_pairing pairing;
};

/* Records a time of a thread; its track is made at its first event of any kind. */
static inline void
thread_runs(struct hqnplog_thread *t, uint64_t place)
{
	t->runs = true;
	t->first = place < t->first ? place : t->first;
}

/* Returns the name of an id; one made up in text[] if the table lacks it. */
static inline struct name
hqn_name_of(const struct hqn_named *d, enum hqn_which table, uint32_t id, char text[24])
{
	static const char *const word[HQN_TABLES] = {[HQN_TRACES] = "trace", [HQN_TYPES] = "type"};
	const struct hqn_names *t = &d->names[table];

	if (id < t->n && t->name[id].len)
		return (struct name){
			.at = (const char *)d->raw[table].at + t->name[id].at,
			.len = t->name[id].len,
		};
	int n = snprintf(text, 24, "%s#%" PRIu32, word[table], id);
	return (struct name){.at = text, .len = (uint32_t)n};
}

/* ---- marks ---- */

void hqn_mark_add(struct hqn *d, uint32_t thread, const struct hqn_entry *e, uint64_t place);
/* Writes points whose names are known. Entries and exits start their threads. */
void hqn_marks_look(struct hqn *d);
/* Pairs entries and exits by thread; the rest are points. */
void hqn_marks_pair(struct hqn *d);
void hqn_point_track(struct hqn *d, struct what *w);
/* Writes the points in the order of time, and frees the marks. */
bool hqn_points_write(struct hqn *d, struct err *err);

#endif
