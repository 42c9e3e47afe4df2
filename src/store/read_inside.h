/* read_inside.h - what the reader of a store knows so far; for read*.c alone. */
#ifndef PNAV_SRC_STORE_READ_INSIDE_H
#define PNAV_SRC_STORE_READ_INSIDE_H

#include "model/map.h"
#include "model/vec.h"
#include "src/store/clickhouse.h"
#include "src/store/question.h"
#include "src/store/read.h"

struct reader_track {
	uint64_t hash; /* of its keys */
	track_id id;
	struct series *totals, *detail;
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
	uint64_t stacks, profiles, rows;
	int64_t last; /* ns: when the last sample was */
	bool any_labels;
	VEC(struct reader_track) tracks;
	/* stacks by their hash */
	struct map by_hash;
	VEC(struct reader_stack { uint64_t hash; stack_id id; }) known;
	uint64_t unknown; /* stacks that samples have and the table has not */
	struct buf sql, text;
	struct buf key[3]; /* of the track of a row */
	uint32_t since; /* rows since others could look */
};

/* Asks what r->sql has; false with refusal in *e. */
bool reader_ask(struct reader *r, struct rowbin *a, struct err *e);
/* A row was read: those who wait may look now and then. */
void reader_breathe(struct reader *r);

bool reader_stopped(const struct reader *r);
/* Rows that the detail may have. */
uint64_t reader_most(const struct reader *r);

/* ---- read_tracks.c ---- */
#define READER_TRACKS_MAX 10000u
/* Makes the tracks, and their series of totals. */
bool reader_tracks(struct reader *r, struct err *e);
/* Reads the keys of a row's track, which reader_track() finds; NULL: it is not known. */
void reader_keys(struct reader *r, struct rowbin *a);
struct reader_track *reader_track(struct reader *r);

/* ---- read_detail.c ---- */
/* Reads about so many rows.  False with *e set where the server left in the middle. */
bool reader_detail(struct reader *r, uint64_t rows, struct err *e);

/* ---- read_stacks.c ---- */
/* Reads all stacks of what is asked for. */
bool reader_stacks(struct reader *r, struct err *e);
/* The stack of this hash; one frame that says that it is not known, where it is not. */
stack_id reader_stack(struct reader *r, uint64_t hash);

#endif
