/* pack.h - the state of the decoder of packed profiles; for src/decode/pack/ only. */
#ifndef PNAV_SRC_DECODE_PACK_PACK_H
#define PNAV_SRC_DECODE_PACK_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder_adopt.h"
#include "src/input/cursor.h"

/* Ids of the file become those of the profile: [id]. */
struct pack_ids {
	VEC(name_id) name;
	VEC(function_id) function;
	VEC(frame_id) frame;
	VEC(stack_id) stack;  /* with the empty one; not used if they are equal */
	VEC(uint32_t) depth;  /* [stack]; of the empty one alone while no stack can be too deep */
	uint32_t n_stacks;    /* with the empty one */
	VEC(label_id) label;
	VEC(labels_id) set;   /* with the empty one */
	VEC(process_id) process;
	VEC(actor_id) actor;
	uint32_t n_files, n_metrics, n_tracks;
	track_id first_track; /* the others follow it */
};

/* The head of a section. */
struct pack_section {
	char kind[5];
	uint32_t flags;
	uint64_t stored, size, hash;
	uint64_t offset; /* in the file */
};

/* Room for the contents of a compressed section, used again for the next one. */
struct pack_room {
	struct unzstd *z; /* NULL: not needed yet */
	uint8_t *at;
	uint64_t cap;
};

/* A section of chunks that is read. */
struct pack_job {
	struct pack_section section;
	const uint8_t *stored; /* its bytes */
	uint8_t *copy;         /* the same, if they are read on another thread */
	uint64_t copy_cap;
	struct pack_room room;
	const struct series *series;     /* to which the chunks will belong, */
	const struct adopt_series *form; /* and its form */
	struct adopt_limits limits;
	struct cursor c;         /* over the contents */
	VEC(struct chunk) chunk; /* the good chunks that were read last, up to */
	struct err e;            /* the first fault */
};

struct pack_jobs;

struct pack {
	struct builder *b;
	struct input *in;
	struct err *e;
	struct pack_ids id;
	struct adopt_facts facts;
	track_id track;              /* the one to which series belong */
	struct adopt_track about;    /* its attributes, for when it has its series */
	bool in_track;
	bool complete;               /* the last section follows all series of the track */
	struct series *series;       /* to which chunks belong; NULL: none */
	struct adopt_series form;
	int64_t series_end;
	uint32_t n_seen;             /* stacks of its checkpoints so far */
	struct cursor c;             /* over the contents of the section */
	uint64_t offset;             /* of the section in the file */
	uint64_t n_sections;
	struct pack_jobs *jobs; /* NULL: there were no chunks yet */
	bool whole; /* adopted whole: ids of stacks are those of the profile */
	bool whole_sets; /* ids of sets are those of the profile */
	bool ended;
};

#define PACK_BAD_CONTENTS "the contents of the section `%.4s` are damaged"

/* Records damage in the section; always returns false. */
static inline bool
pack_damaged(struct pack *x, const char *what)
{
	return err_damage(x->e, x->offset, "%s", what);
}

/* Returns true while the section has another entry. */
static inline bool
pack_more(const struct pack *x)
{
	return !x->c.bad && cursor_left(&x->c);
}

/* Returns the stack of an id of the file. */
static inline stack_id
pack_stack(const struct pack *x, uint32_t id)
{
	return x->whole ? id : x->id.stack.at[id];
}

/* Returns the next varint, which must be below n; else sets `bad`. */
static inline uint32_t
cursor_below(struct cursor *c, uint64_t n)
{
	uint64_t id = cursor_varint(c);

	if (id < n)
		return (uint32_t)id;
	c->bad = true;
	return 0;
}

/* Returns the name whose id comes next; sets the cursor's `bad` if there is none. */
name_id pack_name(struct pack *x);
/* Returns the next id below n; sets the cursor's `bad` if it is not. */
uint32_t pack_id(struct pack *x, uint64_t n);
/* Returns the next text, as long as a varint says. Never NULL. */
const uint8_t *pack_text(struct pack *x, size_t *len);

/* Each reads the contents of a section. Returns false with the error set, or with the cursor bad
 * (the caller reports that). */
/* pack_tables.c: */
bool pack_read_names(struct pack *x);
bool pack_read_file(struct pack *x);
bool pack_read_functions(struct pack *x);
bool pack_read_frames(struct pack *x);
bool pack_read_stacks(struct pack *x);
bool pack_read_labels(struct pack *x);
bool pack_read_sets(struct pack *x);
bool pack_read_metrics(struct pack *x);
/* pack_facts.c: */
bool pack_read_modules(struct pack *x);
bool pack_read_ranges(struct pack *x);
bool pack_read_processes(struct pack *x);
bool pack_read_outside(struct pack *x);
bool pack_read_actors(struct pack *x);
bool pack_read_edges(struct pack *x);
bool pack_read_calls(struct pack *x);
bool pack_read_stated(struct pack *x);
bool pack_read_info(struct pack *x);
bool pack_read_warnings(struct pack *x);
bool pack_read_why(struct pack *x);
bool pack_read_attachment(struct pack *x);
/* pack_series.c: */
bool pack_read_track(struct pack *x);
bool pack_read_series(struct pack *x);
bool pack_read_blocks(struct pack *x);
bool pack_read_checkpoints(struct pack *x);
bool pack_read_sums(struct pack *x);
/* Settles the track to which series belonged. */
bool pack_end_track(struct pack *x);
/* The same if the rest of its series could not be read. */
void pack_cut_track(struct pack *x);

/* ---- pack_contents.c ---- */

/* Returns true unless the user has stopped the reading; else sets the error. A small file may have
 * many events, so its window alone does not notice that. */
bool pack_goes_on(const struct input *in, uint64_t offset, struct err *e);

/* Returns true if the checksum of a section is that of its stored bytes; else sets the error. */
bool pack_is_intact(const struct pack_section *s, const uint8_t *stored, struct err *e);
/* Checks the stored bytes of a section. Returns its contents, which are these bytes or lie in the
 * room; NULL with the error set. */
const uint8_t *pack_contents(const struct pack_section *s, const uint8_t *stored,
			     struct pack_room *room, struct err *e);
void pack_room_release(struct pack_room *room);

/* ---- pack_chunks.c ---- */

#define PACK_VALUES_MAX (1u << 30) /* of a column */

/* Reads a column of n values, for column_release(). Returns false if it is none, and for more than
 * PACK_VALUES_MAX values. */
bool pack_column(struct cursor *from, uint32_t n, struct column *c);
/* Reads a section of chunks of the current series from its stored bytes, now or on another
 * thread. */
bool pack_give_chunks(struct pack *x, const struct pack_section *s, const uint8_t *stored);
/* Appends the chunks of such sections to their series until at most `most` sections are left.
 * Returns false with the first fault; nothing behind it is appended. */
bool pack_adopt_given(struct pack *x, unsigned most);
/* All must have been appended. */
void pack_jobs_free(struct pack *x);

#endif
