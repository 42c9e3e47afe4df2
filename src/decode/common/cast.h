/* cast.h - the cast of a trace: its processes, its threads and other tracks, and what lasts on
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
 * Processes and threads are numbered by the file and may be named later than they are used, so a
 * track has the name that is known when it is made, and cast_rename() names all of them again.
 *
 *	thread of the only process	thread 42
 *	thread of one of several	process 40 / thread 42
 *	beside a thread			process 40 / main 42 (markers)
 *	any other track			process 40 / queue
 *
 * Begins and ends may come in any order of time and are matched when all are there; a begin that
 * nothing ends lasts as long as what is around it, or its track.  A decoder whose file has them in
 * order says so (`ordered`): then they are matched at once, take no memory, and a track reaches as
 * far as all that is known of it.
 *
 * Indexes of processes and tracks stay valid; pointers to them only until the next is added. */
#ifndef PNAV_SRC_DECODE_COMMON_CAST_H
#define PNAV_SRC_DECODE_COMMON_CAST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slices.h"
#include "src/decode/common/text_cache.h"
#include "src/input/input.h"

#define CAST_NONE UINT32_MAX
#define CAST_NO_TIME INT64_MIN

struct cast_process {
	int64_t id;    /* a number, or a text: cast_id_text() */
	name_id name;  /* without its id; NAME_EMPTY */
	name_id whole; /* as it is to be shown, where the file was written by us; NAME_EMPTY */
	name_id labels; /* what else the file says of it; NAME_EMPTY */
	bool used;     /* counts as one of several: it has tracks */
	process_id made; /* PROCESS_NONE: not yet */
};

/* A track of a file that we have written, as the file describes it (encode/track_ids.h). */
struct cast_own {
	name_id name, unit; /* name: the whole; NAME_EMPTY: the file is not ours */
	uint8_t kind;       /* enum track_kind */
	int64_t start, end; /* ns, CAST_NO_TIME */
};

/* A begin or an end that waits. */
struct cast_edge {
	int64_t time;
	uint32_t slice; /* of a begin, its index; CAST_NONE: an end */
	name_id name;
};

enum cast_prefix { PREFIX_IF_SEVERAL, PREFIX_ALWAYS, PREFIX_NEVER };

struct cast_track {
	uint32_t process; /* CAST_NONE: of none */
	uint32_t thread;  /* its own index: a thread; another: beside that one; CAST_NONE */
	int64_t id;       /* of a thread */
	name_id name;
	uint8_t kind;     /* enum track_kind */
	uint8_t prefix;   /* enum cast_prefix: when the process is part of the name */
	bool whole;       /* is called own.name */
	bool aside;       /* what lasts on it is no time of a thread */
	bool single;      /* one slice at a time: a begin ends the one before */
	bool changed;     /* since its slices were written */
	bool made;        /* `track` is there */
	struct cast_own own;
	track_id track;
	struct series *points;
	struct slices slices;
	VEC(struct cast_edge) edge;
	int64_t last; /* ns, the latest moment that is known of it; INT64_MIN */
	struct slices_kept shown;
};

/* A begin or an end that finds the other by a key. */
struct cast_async {
	int64_t time;
	uint64_t key;
	uint32_t track; /* of a begin; CAST_NONE: an end */
	uint32_t frame;
	labels_id labels;
};

/* Asyncs, and the tracks that they have been written to. */
struct cast_asyncs {
	VEC(struct cast_async) at;
	VEC(struct cast_group {
		uint32_t track;
		struct slices_kept shown;
	}) group;
	struct idmap group_of; /* track -> group */
	size_t n_shown;
};

/* Zero-initialised but for the first members, it is empty. */
struct cast {
	struct input *in; /* borrowed, both */
	struct builder *b;
	bool lone;     /* tracks stand under their process even if it is the only one */
	bool ordered;  /* the file has begins and ends in the order of their times */
	bool labelled; /* what lasts has labels */
	/* the frame of a slice's number; NULL: numbers are frames */
	frame_id (*frame)(void *context, uint32_t number);
	void *context;
	struct buf text;
	VEC(struct cast_process) process;
	struct idmap process_of;
	uint32_t last_process, last_thread;
	uint32_t several; /* processes that are used */
	uint32_t kinds_of_marks;
	VEC(struct cast_track) track;
	struct text_cache track_of;
	VEC(uint32_t) made; /* tracks in the order in which they were made */
	struct cast_asyncs async;
};

void cast_release(struct cast *c);

/* ---- cast.c: who ---- */
/* The index of a process or thread, known or new. */
uint32_t cast_process(struct cast *c, int64_t id);
uint32_t cast_thread(struct cast *c, uint32_t process, int64_t id);
/* A new track like this one. */
uint32_t cast_add(struct cast *c, struct cast_track like);
/* The track of this kind, process, thread, name and id, known or new. */
uint32_t cast_track(struct cast *c, struct cast_track like);
/* The same for marks; those beyond the thousandth kind are one track of their process. */
uint32_t cast_marks(struct cast *c, struct cast_track like);
/* The track `CATEGORY:NAME`, for asyncs of a process. */
uint32_t cast_async_track(struct cast *c, uint32_t process, name_id category, name_id name);
/* The process counts as one of several. */
void cast_use(struct cast *c, uint32_t process);
/* Counts the processes that have tracks again, after tracks have changed their process. */
void cast_recount(struct cast *c);
/* The builder's track; the first call makes it. */
track_id cast_made(struct cast *c, uint32_t track);
/* Puts a track under the process of this number; none below 1 is one. */
void cast_under(struct cast *c, uint32_t track, int64_t pid);
/* The points of a track; the first call makes them. */
struct series *cast_points(struct cast *c, uint32_t track, bool floating, bool labelled);

/* ---- cast_names.c: what they are called ---- */
/* An id that is a text, which differs from all numbers above INT64_MIN / 2. */
int64_t cast_id_of(name_id text);
/* The text of such an id; NAME_EMPTY: it is a number. */
name_id cast_id_text(int64_t id);
/* `NAME ID`, or `WORD ID` of one without a name, behind what *out has.  A name that has its
 * number in it already stays as it is. */
void cast_owner_text(struct buf *out, const struct builder *b, name_id name, int64_t id,
		     const char *word);
/* The whole name of a track, in c->text. */
void cast_track_text(struct cast *c, uint32_t track);
/* The builder's process, with the name that is known now. */
process_id cast_process_made(struct cast *c, uint32_t process);
/* All tracks that were made get the name, unit and process that are known now, and reach as far as
 * files of ours say. */
void cast_rename(struct cast *c);

/* ---- cast_slices.c: what lasts; numbers of frames as c->frame has them ---- */
/* Something is known of the track at this moment. */
void cast_reach(struct cast *c, uint32_t track, int64_t time_ns);
/* A slice; a negative length counts as 0, and one beyond 2^63 as up to there. */
void cast_slice(struct cast *c, uint32_t track, int64_t start_ns, int64_t length_ns,
		uint32_t frame, labels_id labels);
void cast_begin(struct cast *c, uint32_t track, int64_t time_ns, name_id name, uint32_t frame,
		labels_id labels);
/* Ends the innermost slice that is open, or of this name.  Of ordered files: false, where there
 * is none. */
bool cast_end(struct cast *c, uint32_t track, int64_t time_ns, name_id name);
void cast_async_begin(struct cast *c, uint64_t key, uint32_t track, int64_t time_ns,
		      uint32_t frame, labels_id labels);
void cast_async_end(struct cast *c, uint64_t key, int64_t time_ns);
/* How many slices there are of threads; how much there is beside them. */
uint64_t cast_slices(const struct cast *c);
uint64_t cast_asyncs(const struct cast *c);

/* ---- cast_write.c ---- */
/* Writes what lasts as steps of these metrics: unless it is the last time, of tracks that have
 * changed, as long as more may come, and without warnings.  False is damage at `offset`: times that
 * pass 2^63 ns. */
bool cast_write(struct cast *c, metric_id time, metric_id async, bool last, uint64_t offset,
		struct err *e);

#endif
