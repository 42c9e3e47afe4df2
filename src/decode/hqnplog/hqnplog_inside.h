/* hqnplog_inside.h - what the two halves of the decoder share; nobody else includes it.
 *
 * hqnplog.c        reads entries and names, makes the tracks, writes the steps
 * hqnplog_marks.c  entries without duration: points, and the pairs of entries and exits */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_INSIDE_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/builder.h"
#include "model/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/hqnplog/hqnplog_names.h"
#include "src/decode/hqnplog/hqnplog_read.h"
#include "src/decode/common/slices.h"
#include "src/input/input.h"

#define BREATHE 65536u

/* An entry without duration. */
struct mark {
	uint64_t time, designator;
	uint64_t place; /* in the file, among all entries */
	uint32_t thread, trace, type;
	uint32_t slices; /* of its thread that stand before it */
};

struct thread {
	uint64_t id, last;  /* last: the latest time of any of its entries, in ticks */
	uint64_t last_mark; /* of its entries and exits */
	uint64_t first;     /* the place of the first entry that shows it */
	struct slices slices;
	VEC(struct slice_pair) pairs;
	uint32_t lone_exits;
	bool runs; /* has slices or entries or exits, so a track */
	track_id track;
};

struct entered {
	uint64_t time, designator, place;
	uint32_t thread, trace, slices;
	uint32_t below; /* an outer one of the same trace and thread; index + 1 */
};

struct point_track {
	uint64_t first; /* the place of its first entry */
	uint32_t trace, type;
	track_id track;
	struct series *series;
};

struct hqn {
	struct input *in;
	struct builder *b;
	struct hqn_header h;
	bool timestamp_is_end;
	uint64_t ticks_max; /* the last tick whose ns is below 2^63 */
	uint64_t n_entries, zeros;
	uint64_t ids[HQN_TABLES]; /* that are used: the largest and one */

	struct idmap thread_of;
	VEC(struct thread) thread;
	VEC(struct mark) mark;

	struct hqn_table raw[HQN_TABLES];
	struct hqn_names names[HQN_TABLES];
	struct idmap frame_of; /* trace id -> frame_id */
	struct idmap point_of; /* type << 32 | trace -> point */
	VEC(struct point_track) point;
	struct idmap top_of; /* thread << 32 | trace -> the innermost that is open */
	VEC(struct entered) entered;
};

/* Whatever shows a thread, its track begins to exist with the first of it. */
static inline void
thread_runs(struct thread *t, uint64_t place)
{
	t->runs = true;
	t->first = place < t->first ? place : t->first;
}

/* The name of an id, in text[] where the table has none. */
struct name hqn_name_of(const struct hqn *d, enum hqn_which table, uint32_t id, char text[24]);

/* ---- marks ---- */

enum mark_class { MARK_POINT, MARK_ENTER, MARK_EXIT };

/* Classes by type, as `known` remembers them: types are few, marks many. */
enum mark_class hqn_class_of(const struct hqn *d, struct idmap *known, uint32_t type);
/* By time, then as they stand in the file, where a thread's entries and exits are not in
 * that order; they nearly always are, and points need none. */
void hqn_marks_sort(struct hqn *d, struct idmap *classes);
/* Entries and exits become the pairs of their threads; points get their tracks' first. */
void hqn_marks_pair(struct hqn *d, struct idmap *classes);
void hqn_point_track(struct hqn *d, struct point_track *p);
bool hqn_point_write(struct hqn *d, const struct mark *m, struct err *err);

#endif
