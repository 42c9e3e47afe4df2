/* builder_adopt.h - how the decoder of packed profiles (src/decode/pack/) writes a profile; that of
 * exported databases (src/decode/pnavdb/) uses the warnings and the sums.
 *
 * A packed profile holds the tables and columns of another profile. If it is the only file, the
 * profile adopts them *whole*: its files, metrics and stacks keep their ids, and chunks of
 * events stay as they are. Beside other files it is one more file: stacks and metrics are
 * unified with those that exist, and events are appended one by one.
 *
 * Call these functions in this order; names, functions, labels, processes, tracks, actors and
 * facts go through builder.h. */
#ifndef PNAV_MODEL_BUILD_BUILDER_ADOPT_H
#define PNAV_MODEL_BUILD_BUILDER_ADOPT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder.h"
#include "model/profile/series_adopt.h"

/* Begins: adopted whole, a profile forgets the names that it has, so that those of the packed one
 * keep their order. Returns true if it is adopted whole. */
bool builder_adopt_begin(struct builder *b);

/* A file of the packed profile. */
struct adopt_file {
	name_id name, format, why; /* as in struct group */
	uint8_t axis;              /* enum unit */
	bool has_time;
	int64_t start, end, step_first, step;
	bool has_clock;
	int64_t clock;
};

/* Adopts the next file of a packed profile. Returns false with damage at `offset` if its times are
 * too far apart. Beside other files only the first one counts. */
bool builder_adopt_file(struct builder *b, const struct adopt_file *f, uint64_t offset,
			struct err *e);
/* Makes this file the one to which tracks, actors, facts and warnings belong from here on. */
void builder_adopt_in(struct builder *b, uint32_t file);

/* Facts about a packed profile as a whole. Metrics are numbered as in its file. */
struct adopt_facts {
	metric_id default_metric, calls_metric, events_metric, lines_metric; /* or METRIC_NONE */
	bool events_shown, compares_tracks, has_call_edges, cp437;
	uint32_t n_base; /* nonzero: the first files are compared with the others */
	int64_t points;
};

/* Adopts the n metrics, with the events metric among them. */
void builder_adopt_metrics(struct builder *b, const struct metric *metrics, uint32_t n,
			   const struct adopt_facts *facts);

/* Returns the metric of the profile for metric m of the file. */
metric_id builder_adopt_metric(struct builder *b, metric_id m);

/* Returns the frame of these contents; `begins`: its address is where its function begins. */
frame_id builder_adopt_frame(struct builder *b, struct frame frame, uint64_t address, bool begins);
/* Adopted whole: appends n stacks, which get the ids of the file. Beside other files, stacks are
 * those of builder_child(). Returns false if there are too many. */
bool builder_adopt_stacks(struct builder *b, const stack_id *parent, const frame_id *frame,
			  size_t n);

/* The form of a series. Metrics are numbered as in the file. */
struct adopt_series {
	uint8_t kind; /* enum series_kind */
	bool floating, valued, turns, labelled, derived;
	uint8_t n_metrics, n_columns;
	metric_id metric[SERIES_METRICS_MAX]; /* METRIC_NONE: a hidden count */
	uint8_t role[SERIES_METRICS_MAX], column[SERIES_METRICS_MAX], part[SERIES_METRICS_MAX];
	int64_t interval;
};

/* Returns a series of this form, which the caller has checked (adopt_series_fits()); NULL with
 * damage if numbers of files before cannot be combined with it. */
struct series *builder_adopt_series(struct builder *b, track_id t, const struct adopt_series *form,
				    uint64_t offset, struct err *e);
/* Returns true if the numbers of a form agree with each other. n_metrics: of the file. */
bool adopt_series_fits(const struct adopt_series *form, uint32_t n_metrics);

/* Takes over the sums of blocks that the file states of a series without events: columns of n
 * dominant stacks, and of what each block adds to each metric, which fit (series_adopt.h). Beside
 * other files they are dropped. Returns false if they cannot be sums, or were stated before. */
bool builder_adopt_blocks(struct builder *b, struct series *s, uint32_t n,
			  struct column *dominant, struct column *sum);
/* Takes over a checkpoint in the same way: of the first `events` events of the series, with n
 * stacks of the file more than the one before. */
bool builder_adopt_checkpoint(struct builder *b, struct series *s, uint64_t events,
			      const stack_id *stack, uint32_t n, struct column *sum);

/* Says that checkpoints of the series are not worth their memory. Returns false as above. */
bool builder_adopt_alone(struct builder *b, struct series *s);

/* How ids of the file become those of the profile: [id]; NULL: they are equal. */
struct adopt_ids {
	const stack_id *stack;
	uint32_t n_stacks;
	const labels_id *labels;
	uint32_t n_labels;
};

/* Returns the ids and times that events of the series may have. */
struct adopt_limits builder_adopt_limits(const struct builder *b, const struct series *s,
					 const struct adopt_ids *ids);
/* Appends a chunk of events to the series and takes over its columns. It must have passed
 * adopt_chunk_check() with builder_adopt_limits(). Returns false with damage at `offset`; the
 * events before the chunk stay. A separate thread may still find damage after that: see
 * builder_adopt_wait(). */
bool builder_adopt_chunk(struct builder *b, struct series *s, struct chunk *c,
			 const struct adopt_ids *ids, uint64_t offset, struct err *e);
/* Waits until all chunks are in their series. Returns false with damage at the offset of the first
 * one that is wrong: the events before the damage stay. Call it before you do anything but append
 * the next chunk, so that nothing behind the damage is adopted. */
bool builder_adopt_wait(struct builder *b, struct err *e);
/* Appends the sums of several totals of a stack, [metric of the series]. */
bool builder_adopt_sums(struct builder *b, struct series *s, stack_id stack, const int64_t *sums,
			uint64_t offset, struct err *e);
/* Sets the end of the last step of a series, at or behind its last event. */
bool builder_adopt_series_end(struct builder *b, struct series *s, int64_t end, uint64_t offset,
			      struct err *e);

/* The attributes of a track that its events do not decide. */
struct adopt_track {
	uint8_t unit; /* enum unit */
	bool has_time;
	int64_t start, end;
	uint64_t events;
};

/* Sets the attributes of a track that has all its series. */
bool builder_adopt_track(struct builder *b, track_id t, const struct adopt_track *x,
			 uint64_t offset, struct err *e);
/* Does the same for a track if the file ended or was damaged in its events. The track and its last
 * series s (NULL: it has none) end with the last event that was read, and count no later ones. */
void builder_adopt_cut(struct builder *b, track_id t, struct series *s,
		       const struct adopt_track *x);

/* Adds an edge between two actors of the file. */
void builder_adopt_edge(struct builder *b, const struct edge *edge);
/* Adds a warning that occurred `count` times; `file` is a file that could not be read, or NULL. */
void builder_adopt_warning(struct builder *b, const char *text, uint64_t count, const char *file);
/* Records why the packed profile is incomplete, and where its file was damaged (text NULL: it was
 * not). */
void builder_adopt_why(struct builder *b, const char *why, const struct err *damage,
		       uint32_t file);

#endif
