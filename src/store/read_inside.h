/* read_inside.h - what the reader of a store knows so far; for read*.c alone. */
#ifndef PNAV_SRC_STORE_READ_INSIDE_H
#define PNAV_SRC_STORE_READ_INSIDE_H

#include "model/base/map.h"
#include "model/base/vec.h"
#include "src/store/clickhouse.h"
#include "src/store/question.h"
#include "src/store/read.h"

#define READER_KEYS 3u

struct reader_track {
	uint64_t hash; /* of its keys */
	struct buf key[READER_KEYS];
	track_id id;
	struct series *totals, *detail;
	uint64_t events;
};

struct reader_stack {
	uint64_t hash;
	stack_id id;
	uint32_t first, n; /* of frames, root first */
	uint32_t rank;     /* in the order of paths */
};

/* What a track has in a stack, over the whole range. */
struct total_row {
	uint32_t track, stack; /* indexes */
	int64_t value[2];
	uint64_t events;
};

struct reader {
	struct store_url url;
	struct question q;
	struct builder *b;
	struct watch *watch;
	char *metric, *calls;
	metric_id id[2]; /* of both */
	uint64_t samples, counts; /* rows of the metric, and of that of calls */
	uint64_t profiles, rows;
	int64_t last; /* ns: when the last sample was */
	VEC(struct reader_track) tracks;
	struct map track_by_hash;
	/* stacks by their hash */
	struct map by_hash;
	VEC(struct reader_stack) known;
	VEC(frame_id) frames;
	VEC(struct total_row) totals; /* until it is known how long a step is */
	uint64_t unknown; /* stacks that samples have and the table has not */
	struct buf sql, text;
	struct buf key[READER_KEYS]; /* of the track of a row */
	uint32_t since; /* rows since others could look */
};

/* Asks what r->sql has; false with refusal in *e. */
bool reader_ask(struct reader *r, struct rowbin *a, struct err *e);
/* A row was read: those who wait may look now and then. */
void reader_breathe(struct reader *r);

bool reader_stopped(const struct reader *r);
/* Rows that the detail may have. */
uint64_t reader_most(const struct reader *r);

/* 1, 2, 5, 10, ... ns: the i-th. */
int64_t reader_ladder(unsigned i);
#define READER_BREATHE_ROWS 4096u
#define READER_LADDER_MAX 54u

/* ---- read_tracks.c ---- */
#define READER_TRACKS_MAX 10000u
/* Reads the keys of a row's track, into r->key. */
void reader_keys(struct reader *r, struct rowbin *a);
/* The index of the track that is so called, which is made where it is new. */
uint32_t reader_track_made(struct reader *r);
/* The tracks that were made become the profile's, with a series of totals each. */
void reader_tracks_add(struct reader *r);
/* Or they do not, and there are none. */
void reader_tracks_forget(struct reader *r);
/* The track that r->key calls so; NULL: it is not known. */
struct reader_track *reader_track(struct reader *r);

/* ---- read_spread.c ---- */
#define CURVE_STEPS 2000
/* What a track has in a step of the curve. */
struct curve_row {
	uint32_t track; /* its index */
	int64_t step, value;
};

/* A row of the detail. */
struct spread_row {
	uint32_t track, stack; /* their indexes */
	int64_t value[2];
	labels_id labels;
};

struct spread {
	struct reader *r;
	int64_t fine; /* ns: a step of the curve; that of the detail where there is none */
	VEC(struct curve_row) curve; /* by track and step */
	VEC(struct spread_row) held; /* of one step of the detail */
	int64_t step;
};
/* Asks for the curves of steps of r->q.step.  False with refusal in *e; it is released in any
 * case. */
bool spread_open(struct spread *s, struct reader *r, struct err *e);
void spread_release(struct spread *s);
/* Takes a row; those of a step come together, and steps rise.  False with damage in *fault. */
bool spread_row(struct spread *s, int64_t step, const struct spread_row *row, struct err *fault);
/* Tells those of the step that is held. */
bool spread_flush(struct spread *s, struct err *fault);

/* ---- read_detail.c ---- */
/* Reads about so many rows.  False with *e set where the server left in the middle. */
bool reader_detail(struct reader *r, uint64_t rows, struct err *e);
/* The totals as rows of one step, which is the whole range. */
bool reader_one_step(struct reader *r, struct err *e);

/* ---- read_stacks.c ---- */
/* Reads all stacks of what is asked for. */
bool reader_stacks(struct reader *r, struct err *e);
/* The index in r->known of the stack of this hash; one frame that says that it is not known, where
 * it is not. */
uint32_t reader_stack(struct reader *r, uint64_t hash);

#endif
