/* cast.h - the cast of a trace: its processes, its threads and other tracks, and the slices on
 * them.
 *
 *	struct cast c = {.in = in, .b = b};
 *	uint32_t t = cast_thread(&c, cast_process(&c, 40), 42);
 *	cast_begin(&c, t, time_ns, name, frame, labels);   ...   cast_end(&c, t, time_ns, name);
 *	cast_slice(&c, t, time_ns, length_ns, frame, labels);
 *	cast_write(&c, time, async, false, 0, e);	-- while the input waits for more
 *	cast_write(&c, time, async, true, offset, e);	-- once, when all is read
 *	cast_rename(&c);
 *	cast_release(&c);
 *
 * The file numbers processes and threads, and may name them after their first use. So a track gets
 * the name known when it is made, and cast_rename() names all of them again.
 *
 *	thread of the only process	thread 42
 *	thread of one of several	process 40 / thread 42
 *	beside a thread			process 40 / main 42 (markers)
 *	any other track			process 40 / queue
 *
 * Begins and ends may come in any order of time, and are matched when all have been read. A begin
 * without an end lasts as long as the slice around it, or its track. If the file has them in the
 * order of time, the decoder sets `ordered`: then they are matched immediately and need no memory,
 * and a track extends to its latest known time. Other files, too, have the edges of most tracks in
 * the order of time; they wait packed (edgelog.h).
 *
 * Indexes of processes and tracks stay valid; pointers only until the next one is added. */
#ifndef PNAV_SRC_DECODE_COMMON_CAST_H
#define PNAV_SRC_DECODE_COMMON_CAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/edgelog.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slices.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/common/timed.h"
#include "src/input/input.h"

#define CAST_NONE UINT32_MAX
#define CAST_NO_TIME INT64_MIN

struct cast_process {
	int64_t id;    /* a number, or a text: cast_id_text() */
	name_id name;  /* without its id; NAME_EMPTY */
	name_id whole; /* the name to display, if pnav wrote the file; NAME_EMPTY */
	name_id labels; /* further attributes in the file; NAME_EMPTY */
	bool used;     /* counts as one of several: it has tracks */
	bool outside;  /* recorded beside the command */
	process_id made; /* PROCESS_NONE: not yet */
};

/* The description of a track in a file that pnav has written (encode/track_ids.h). */
struct cast_own {
	name_id name, unit; /* name: the whole one; NAME_EMPTY: another program wrote the file */
	uint8_t kind;       /* enum track_kind */
	int64_t start, end; /* ns, CAST_NO_TIME */
	int64_t run_start, run_end; /* of the whole file; unknown if not one before the other */
};

/* A pending begin or end. */
struct cast_edge {
	int64_t time;
	uint32_t slice; /* index of the slice of a begin; CAST_NONE: an end */
	name_id name;
};

struct cast_edges {
	VEC(struct cast_edge) open; /* begins, if the file is ordered */
	/* of all other files: all edges as long as the log takes them; then `waiting` has the
	 * slice + 1 and the name of each */
	struct edgelog log;
	struct timed_list waiting;
};

enum cast_nesting {
	CAST_NESTED, /* slices that lie in another one are its calls */
	CAST_SINGLE, /* one slice at a time: a begin ends the one before */
	CAST_NAMES,  /* the same, but complete slices of one name run side by side */
	CAST_BESIDE, /* slices that overlap run side by side: none calls another */
	CAST_CUT,    /* a slice that outlasts the one in which it begins ends it */
};

enum cast_prefix { PREFIX_IF_SEVERAL, PREFIX_ALWAYS, PREFIX_NEVER };

struct cast_track {
	uint32_t process; /* CAST_NONE: of none */
	uint32_t thread;  /* its own index: a thread; another: beside that thread; CAST_NONE */
	int64_t id;       /* of a thread */
	name_id name;
	uint8_t kind;     /* enum track_kind */
	uint8_t prefix;   /* enum cast_prefix: when the process becomes part of the name */
	bool whole;       /* its name is own.name */
	bool aside;       /* its slices are not time of a thread */
	uint8_t nesting;  /* enum cast_nesting */
	bool changed;     /* since its slices were written */
	bool wanted;      /* something is on it: it is in the cast's list */
	bool made;        /* `track` exists */
	uint32_t next;    /* the one that was wanted after it: index + 1 */
	struct cast_own own;
	track_id track;
	struct series *points;
	struct slices slices;
	struct cast_edges edges;
	int64_t last; /* ns, its latest known time; INT64_MIN */
	struct slices_kept shown;
};

/* A begin or an end of an async. Those of one key nest. */
struct cast_async {
	int64_t time;
	uint64_t key;
	uint32_t track; /* of a begin; CAST_NONE: an end */
	bool once;      /* a begin that is ignored while one of its key is open */
	name_id name;   /* an end is that of the innermost open one of its name; NAME_EMPTY: any */
	uint32_t frame;
	labels_id labels;
};

/* Asyncs, and the tracks to which they have been written. */
struct cast_asyncs {
	VEC(struct cast_async) at;
	VEC(struct cast_group {
		uint32_t track;
		struct slices_kept shown;
	}) group;
	struct idmap group_of; /* track to group */
	size_t n_shown;
};

/* Zero-initialised except for the first members, it is empty. */
struct cast {
	struct input *in; /* borrowed, both */
	struct builder *b;
	bool lone;     /* tracks are shown below their process even if it is the only one */
	bool ordered;  /* the file has begins and ends in the order of their times */
	bool labelled; /* slices have labels */
	/* returns the frame of a slice's number; NULL: numbers are frames */
	frame_id (*frame)(void *context, uint32_t number);
	void *context;
	struct buf text;
	VEC(struct cast_process) process;
	struct idmap process_of;
	uint32_t last_process, last_thread;
	struct idmap thread_of;
	uint32_t several; /* number of processes in use */
	uint32_t kinds_of_marks;
	VEC(struct cast_track) track;
	struct text_cache track_of;
	/* tracks in the order in which they were wanted, linked by `next`: index + 1, 0: none */
	struct {
		uint32_t first, last, unmade;
	} wanted;
	struct cast_asyncs async;
};

void cast_release(struct cast *c);

/* Notes that something is on the track, so that it will be made. */
static inline void
cast_want(struct cast *c, uint32_t track)
{
	if (c->track.at[track].wanted)
		return;
	c->track.at[track].wanted = true;
	if (c->wanted.last)
		c->track.at[c->wanted.last - 1].next = track + 1;
	else
		c->wanted.first = track + 1;
	c->wanted.last = track + 1;
	if (!c->wanted.unmade)
		c->wanted.unmade = track + 1;
}

/* ---- cast.c: processes, threads, tracks ---- */
/* Return the index of a process or thread, a new one if necessary. */
uint32_t cast_process(struct cast *c, int64_t id);
uint32_t cast_thread(struct cast *c, uint32_t process, int64_t id);
/* Adds a track like this one. */
uint32_t cast_add(struct cast *c, struct cast_track like);
/* Returns the track of this kind, process, thread, name and id, a new one if necessary. */
uint32_t cast_track(struct cast *c, struct cast_track like);
/* The same for marks; all kinds beyond the thousandth share one track of their process. */
uint32_t cast_marks(struct cast *c, struct cast_track like);
/* Returns the track `CATEGORY:NAME`, for asyncs of a process. */
uint32_t cast_async_track(struct cast *c, uint32_t process, name_id category, name_id name);
/* Marks the process as used: it counts as one of several. */
void cast_use(struct cast *c, uint32_t process);
/* Counts the used processes again, after tracks have changed their process. */
void cast_recount(struct cast *c);
/* Makes the tracks of all slices so far, in the order of their first slices. cast_write() and all
 * calls that make a track do it. */
void cast_settle(struct cast *c);
/* Returns the builder's track; the first call makes it. */
track_id cast_made(struct cast *c, uint32_t track);
/* Puts a track under the process of this number; numbers below 1 mean none. */
void cast_under(struct cast *c, uint32_t track, int64_t pid);
/* Returns the points of a track; the first call makes them. */
struct series *cast_points(struct cast *c, uint32_t track, bool floating, bool labelled);

/* ---- cast_names.c: names ---- */
/* Returns an id for a text. It differs from all numbers above INT64_MIN / 2. */
int64_t cast_id_of(name_id text);
/* Returns the text of such an id; NAME_EMPTY: the id is a number. */
name_id cast_id_text(int64_t id);
/* Appends `NAME ID`, or `WORD ID` if the name is empty. A name that already contains its number
 * stays as it is. */
void cast_owner_text(struct buf *out, const struct builder *b, name_id name, int64_t id,
		     const char *word);
/* Writes the whole name of a track to c->text. */
void cast_track_text(struct cast *c, uint32_t track);
/* Returns the builder's process, with the name known now. */
process_id cast_process_made(struct cast *c, uint32_t process);
/* Gives all tracks the name, unit and process known now, and extends them as far as files of pnav
 * state. */
void cast_rename(struct cast *c);

/* ---- cast_slices.c: slices; c->frame converts their numbers to frames ---- */
/* Records a time of the track. */
static inline void
cast_reach(struct cast *c, uint32_t track, int64_t time_ns)
{
	struct cast_track *t = &c->track.at[track];

	t->last = time_ns > t->last ? time_ns : t->last;
	t->changed = true;
}
/* Adds a slice; a negative length counts as 0, and one beyond 2^63 is cut there. */
void cast_slice(struct cast *c, uint32_t track, int64_t start_ns, int64_t length_ns,
		uint32_t frame, labels_id labels);
/* The same for a slice that is added in the order of begins: before those in it, and after those
 * that ended before it. */
void cast_slice_next(struct cast *c, uint32_t track, int64_t start_ns, int64_t length_ns,
		     uint32_t frame, labels_id labels);
void cast_begin(struct cast *c, uint32_t track, int64_t time_ns, name_id name, uint32_t frame,
		labels_id labels);
/* Ends the innermost open slice, or the innermost one of this name. Returns false for ordered files
 * if there is none. */
bool cast_end(struct cast *c, uint32_t track, int64_t time_ns, name_id name);
/* Adds a begin or end to those that are matched when all have been read. */
void cast_edge_wait(struct cast_track *t, struct cast_edge x);
/* Turns the log of the track into slices and waiting edges. */
void cast_edges_unpack(struct cast_track *t);
/* Returns the number of slices on the track. */
static inline uint64_t
cast_track_slices(const struct cast_track *t)
{
	return t->slices.n + t->edges.log.n;
}
/* Returns the begins of the slices on a track, in any order; cast_track_slices() of them, and room
 * for one more. The caller frees them. */
int64_t *cast_starts(struct cast *c, uint32_t track);
void cast_async_add(struct cast *c, struct cast_async x);
/* Return the number of slices of threads; the number of all others. */
uint64_t cast_slices(const struct cast *c);
uint64_t cast_asyncs(const struct cast *c);

/* ---- cast_write.c ---- */
/* Writes slices as steps of these metrics. Unless `last`, writes a preview of changed tracks,
 * without warnings. Returns false with damage at `offset` if times exceed 2^63 ns. */
bool cast_write(struct cast *c, metric_id time, metric_id async, bool last, uint64_t offset,
		struct err *e);

#endif
