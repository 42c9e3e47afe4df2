/* read_inside.h - the state of the reader of a store; for read*.c alone. */
#ifndef PNAV_SRC_STORE_READ_INSIDE_H
#define PNAV_SRC_STORE_READ_INSIDE_H

#include "model/base/map.h"
#include "model/base/vec.h"
#include "src/store/clickhouse.h"
#include "src/store/periods.h"
#include "src/store/question.h"
#include "src/store/read.h"

#define READER_KEYS 3u

struct reader_track {
	uint64_t hash; /* of its keys */
	struct buf key[READER_KEYS];
	track_id id;
	struct series *totals, *detail;
	uint64_t events;
	int64_t recorded_ns; /* of a host */
};

struct reader_stack {
	uint64_t hash;
	stack_id id;
	uint32_t first, n; /* its frames, root first */
	uint32_t rank;     /* position in the order of paths */
	bool found;        /* its frames are known */
};

/* The sum of a track and stack over the whole range. */
struct total_row {
	uint32_t track, stack; /* indexes */
	int64_t value[2];
	uint64_t events;
};

struct read_label_row {
	name_id key, value, unit;
	bool is_number;
	int64_t number;
};

/* A set of labels that profiles were stored with. */
struct reader_own {
	uint64_t hash;
	uint32_t first, n; /* in own_row */
};

struct reader_labels {
	VEC(struct read_label_row) row; /* of the current row */
	VEC(label_id) id;
	VEC(struct reader_own) own;
	VEC(struct read_label_row) own_row;
	struct map own_by_hash;
};

struct metric_row {
	char *name;
	enum unit unit;
	bool decimals;
	uint64_t labels;
};

struct metric_rows {
	VEC(struct metric_row) at;
};

struct reader {
	struct store_url url;
	struct question q;
	struct periods periods; /* of q */
	struct trace_log log; /* of an address with trace_log */
	unsigned log_types, log_frees; /* bits: types of its rows, and those with negative sizes */
	struct builder *b;
	struct watch *watch;
	const struct store_names *names; /* or NULL */
	char *metric, *calls;
	metric_id id[2]; /* of both */
	uint64_t samples, counts; /* rows of the metric, and of the one for calls */
	uint64_t profiles, rows;
	int64_t last; /* ns: the time of the last sample */
	VEC(struct reader_track) tracks;
	struct map track_by_hash;
	/* stacks by their hash */
	struct map by_hash;
	VEC(struct reader_stack) known;
	VEC(frame_id) frames;
	VEC(struct total_row) totals; /* until the length of a step is known */
	uint64_t unknown; /* stacks in samples that the table of stacks lacks */
	struct reader_labels labels;
	struct buf sql, text;
	struct buf key[READER_KEYS]; /* of the current row's track */
	uint32_t since; /* rows since other threads could use the profile */
};

/* Sends the query in r->sql. Returns false with a refusal in *e. */
bool reader_ask(struct reader *r, struct rowbin *a, struct err *e);
/* Counts a row, and regularly lets other threads use the profile. */
void reader_breathe(struct reader *r);

bool reader_stopped(const struct reader *r);
/* Reads a text as a name. */
name_id reader_name(struct reader *r, struct rowbin *a);
/* Returns the limit of rows of the detail. */
uint64_t reader_most(const struct reader *r);

/* Returns the i-th of 1, 2, 5, 10, ... ns. */
int64_t reader_ladder(unsigned i);
#define READER_BREATHE_ROWS 4096u
#define READER_LADDER_MAX 54u

/* ---- read_profiles.c ---- */
/* Finds the profiles in the range, the periods to use for them, and their default metric.  Returns
 * false with a refusal in *e, also if there are none. */
bool reader_profiles(struct reader *r, struct err *e);

/* ---- read_tracks.c ---- */
#define READER_TRACKS_MAX 10000u
/* Reads the keys of a row's track into r->key. */
void reader_keys(struct reader *r, struct rowbin *a);
/* Returns the index of the track with the keys in r->key; adds it if it is new. */
uint32_t reader_track_made(struct reader *r);
/* Adds the tracks to the profile, with a series of totals each. */
void reader_tracks_add(struct reader *r);
/* Drops the tracks instead. */
void reader_tracks_forget(struct reader *r);
/* Returns the track with the keys in r->key; NULL if there is none. */
struct reader_track *reader_track(struct reader *r);

/* ---- read_spread.c ---- */
#define CURVE_STEPS 2000
/* The sum of a track in a step of the curve. */
struct curve_row {
	uint32_t track; /* index */
	int64_t step, value;
};

/* A row of the detail. */
struct spread_row {
	uint32_t track, stack; /* indexes */
	int64_t value[2];
	labels_id labels;
};

struct spread {
	struct reader *r;
	int64_t fine; /* ns: a step of the curve, or of the detail if there is no curve */
	VEC(struct curve_row) curve; /* ordered by track and step */
	VEC(struct spread_row) held; /* of one step of the detail */
	int64_t step;
};
/* Queries the curves of steps of r->q.step. Returns false with a refusal in *e. Call
 * spread_release() in any case. */
bool spread_open(struct spread *s, struct reader *r, struct err *e);
void spread_release(struct spread *s);
/* Takes a row. The rows of a step are consecutive, and steps ascend. Returns false with damage in
 * *fault. */
bool spread_row(struct spread *s, int64_t step, const struct spread_row *row, struct err *fault);
/* Adds the rows of the held step to the profile. */
bool spread_flush(struct spread *s, struct err *fault);

/* ---- read_detail.c ---- */
/* Reads about `rows` rows. Returns false with *e set if the server disconnects. */
bool reader_detail(struct reader *r, uint64_t rows, struct err *e);
/* Adds the totals as rows of one step that is the whole range. */
bool reader_one_step(struct reader *r, struct err *e);

/* ---- read_labels.c ---- */
/* Reads the sets of labels that profiles were stored with. Returns false with *e set. */
bool reader_owned(struct reader *r, struct err *e);
/* Reads the labels of a row of the detail. */
labels_id reader_labels(struct reader *r, struct rowbin *a);
void reader_labels_release(struct reader_labels *l);

/* ---- read_frames.c ---- */
/* A frame as the table of stacks has it. */
struct frame_row {
	name_id name, file, module;
	uint32_t line, defined;
	name_id build; /* of a frame whose function is an address */
	uint8_t kind, clause;
	uint8_t call;  /* 1: such a frame, and not a leaf */
	uint8_t none;  /* 0: no byte is undefined */
};
/* The distinct frames of an answer; zeros for none. */
struct frame_rows {
	VEC(struct frame_row) at;
	struct map by_hash;
};
void frame_rows_release(struct frame_rows *f);
/* Returns the index of a frame, which is added if it is new. */
uint32_t frame_rows_add(struct frame_rows *f, const struct frame_row *row);
/* Adds the frames to the profile.  Returns their ids by index; the caller frees them. */
frame_id *frame_rows_make(const struct frame_rows *f, struct builder *b);

/* ---- read_names.c ---- */
/* Replaces functions that are addresses by those in the table of symbols, or that r->names finds.
 * Returns false with a refusal in *e. */
bool reader_names(struct reader *r, struct frame_rows *f, struct err *e);

/* ---- read_stacks.c ---- */
/* Returns the index in r->known of a stack of the totals, which gets its frames later. */
uint32_t reader_stack_wanted(struct reader *r, uint64_t hash);
/* Stacks get their frames when all rows are there: the last row may show that functions are the
 * same. */
struct stack_answer {
	struct frame_rows frames;
	uint64_t *address; /* [known] of the leaf */
};
/* Gives a wanted stack its frames, root first.  `address`: of the leaf; 0: unknown. */
void stack_answer_add(struct stack_answer *answer, struct reader *r, uint64_t hash,
		      const struct frame_row *frame, size_t n, uint64_t address);
/* Adds the frames and all wanted stacks to the profile, and frees the answer. */
void stack_answer_make(struct stack_answer *answer, struct reader *r);
/* Reads the frames of these stacks. Returns false with *e set. */
bool reader_stacks(struct reader *r, struct err *e);
/* Returns the index in r->known of the stack with this hash; for an unknown hash, that of a stack
 * with one frame that marks it. */
uint32_t reader_stack(struct reader *r, uint64_t hash);

/* ---- read_log.c ---- */
/* Finds the columns of the trace log and the types of its rows.  Returns false with a refusal in
 * *e, also if there is no such table or no row. */
bool reader_log_learn(struct reader *r, struct err *e);
/* Appends the metrics that these rows have; the caller frees their names. */
bool reader_log_metrics(struct reader *r, struct metric_rows *out, struct err *e);
/* Reads all stacks of the metric, and asks the server for their functions. */
bool reader_log_stacks(struct reader *r, struct err *e);
/* Appends the queries, as a server with all columns gets them. */
void reader_log_explain(struct reader *r, struct buf *out);

#endif
