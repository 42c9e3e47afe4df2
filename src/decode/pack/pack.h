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
};

struct pack {
	struct builder *b;
	struct err *e;
	struct pack_ids id;
	struct adopt_facts facts;
	track_id first_track, track; /* the first, and the one to which series belong */
	struct adopt_track about;    /* its attributes, for when it has its series */
	bool in_track;
	struct series *series;       /* to which chunks belong; NULL: none */
	struct adopt_series form;
	int64_t series_end;
	uint32_t n_seen;             /* stacks of its checkpoints so far */
	struct cursor c;             /* over the contents of the section */
	uint64_t offset;             /* of the section in the file */
	uint64_t n_sections;
	bool whole; /* adopted whole: ids of stacks are those of the profile */
	bool whole_sets; /* ids of sets are those of the profile */
	bool ended;
};

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
bool pack_read_chunks(struct pack *x);
bool pack_read_sums(struct pack *x);
/* Settles the track to which series belonged. */
bool pack_end_track(struct pack *x);

#endif
