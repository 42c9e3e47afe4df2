/* builder.h - the only writer of a profile, and all of the model that a decoder sees.
 *
 * A decoder declares metrics, then tracks and series, then appends events. Every call leaves the
 * profile consistent except for buffered events. After builder_settle() (builder_load.h) a reader
 * may read the profile between any two calls. Ids are those of profile.h. Calls that can fail (a
 * sum exceeds 2^63, too many stacks) take the byte offset of the record and set *e to damage. All
 * other calls cannot fail.
 *
 *	builder_timeline(b);
 *	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
 *	struct series *s = builder_steps(b, t);
 *	stack_id st = builder_child(b, STACK_EMPTY, builder_frame(b, fn, line_unknown()));
 *	builder_step(b, s, when_ns, st, STEP_CALL, offset, err);
 */
#ifndef PNAV_MODEL_BUILD_BUILDER_H
#define PNAV_MODEL_BUILD_BUILDER_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/build/builder_put.h"
#include "model/profile/actors.h"
#include "model/profile/callrows.h"
#include "model/profile/frames.h"
#include "model/profile/labels.h"
#include "model/profile/metrics.h"
#include "model/profile/names.h"
#include "model/profile/stacks.h"
#include "model/profile/tracks.h"

struct buf;
struct builder;
struct profile;

/* Returns a builder that writes into p (borrowed), as a new group named `file` that decoder
 * `format` reads. */
struct builder *builder_new(struct profile *p, const char *file, const char *format);
void builder_free(struct builder *b);
/* For one of several files: prefixes the names of its tracks with `label`. */
void builder_label(struct builder *b, const char *label);

/* Sets the unit of this group's time axis; default UNIT_NS. */
void builder_axis(struct builder *b, enum unit unit);
/* Sets CP437 as the charset of names that are not UTF-8; default Latin-1. */
void builder_charset_cp437(struct builder *b);

/* ---- metrics ---- */
/* Declares a metric. The same name returns the same id, also if another file declared it with
 * the same unit and any role. ROLE_EVENTS makes the count of samples visible under this name.
 * The number of metrics is not limited. */
metric_id builder_metric(struct builder *b, const char *name, enum unit unit,
			 enum metric_role role);
/* Declares a metric of the time of steps, in ns, and the metric `calls`, which counts the steps
 * that begin a call. Returns the first. */
metric_id builder_time(struct builder *b, const char *name);
/* Does the same for the metric `time`, and makes it the default. */
metric_id builder_timeline(struct builder *b);
enum unit builder_metric_unit(const struct builder *b, metric_id m);
/* Makes metric m, whose values samples and totals carry, fill the column `calls`. */
void builder_calls_metric(struct builder *b, metric_id m);
/* Removes the metric from the profile's metrics until it is declared again or gets values. */
void builder_metric_unused(struct builder *b, metric_id m);
/* Makes a metric the default of the profile; of several files the first one decides. If m has no
 * values at the end of the file, builder_finish() takes another that has some. */
void builder_default_metric(struct builder *b, metric_id m);
/* Keeps the default even so: a part of a profile opens with the metric of its whole. */
void builder_default_kept(struct builder *b);
/* Gives the metric six decimals from here on, and multiplies its values so far by a million. If
 * one exceeds 2^63, returns false with damage at `offset` and changes nothing. */
bool builder_metric_decimals(struct builder *b, metric_id m, uint64_t offset, struct err *e);

/* ---- names, functions, frames, stacks ---- */
/* Returns the id of these bytes. A name longer than NAME_LEN_MAX is truncated (names.h);
 * builder_finish() warns with the number of such names. */
name_id builder_name(struct builder *b, const void *bytes, size_t len);
/* The same for a formatted text. */
name_id builder_namef(struct builder *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prefetches the memory that builder_name() will read for this name. Use it if several new
 * names are known in advance. */
void builder_name_fetch(const struct builder *b, const void *bytes, size_t len);
/* Returns the bytes of a name, valid as long as the profile. */
struct name builder_name_get(const struct builder *b, name_id id);
/* A function without a name gets this one, so that no table has a blank for it, and no format a
 * name of its own. */
#define UNNAMED "(unnamed)"
function_id builder_function(struct builder *b, struct function f);
/* Returns a module's name without folder and version; those of one result are builds of one
 * program (alike.h). */
name_id builder_module_base(struct builder *b, name_id module);
/* Begins the functions of further builds: from here on, functions are unified with those so far if
 * they are alike, as if they came from another file. For sources that hold several files. */
void builder_next_builds(struct builder *b);
/* Converts a name: appends its displayed form to `out`, or returns false to keep the name. */
typedef bool builder_reads(const char *name, size_t len, struct buf *out);
/* From here on, function names that begin with `_` are displayed as reads() converts them. The
 * kind of such a function is kind_of_name() of the displayed name. */
void builder_read_names(struct builder *b, builder_reads *reads);
/* Returns the function with this name and nothing else known; its kind is kind_of_name(). */
function_id builder_function_named(struct builder *b, const void *name, size_t len);
/* Returns the function of frames without any name or address: "[unknown]". */
function_id builder_function_unknown(struct builder *b);
struct function builder_function_get(const struct builder *b, function_id f);
frame_id builder_frame(struct builder *b, function_id f, struct line line);
/* Returns the frame of this function at a line; 0 and numbers that no line has: unknown. */
frame_id builder_frame_of(struct builder *b, struct function f, int64_t line);
/* Returns a frame without a line, of the function of builder_function_named(). */
frame_id builder_frame_named(struct builder *b, name_id name);
/* Returns the same frame, inlined into its caller. */
frame_id builder_frame_inlined(struct builder *b, frame_id f);
/* Returns the same frame at the address of an instruction, relative to the module's file. For
 * leaves only (frames.h). ADDRESS_NONE returns f itself. */
frame_id builder_frame_at(struct builder *b, frame_id f, uint64_t address);
/* Returns the same frame where the address is the beginning of the function, as flat reports
 * state it. The column `address` then shows it for the function, too. */
frame_id builder_frame_begin(struct builder *b, frame_id f, uint64_t address);
struct frame builder_frame_get(const struct builder *b, frame_id f);
/* Returns the stack of `frame` called from `parent`. Returns STACK_NONE only if there are
 * STACK_MAX stacks; the call that takes the stack then sets the error. */
stack_id builder_child(struct builder *b, stack_id parent, frame_id frame);
/* Returns the stack with n frames below `from`, outermost first; faster than frame by frame.
 * each[i] becomes the stack that ends with frame[i]. Returns STACK_NONE as builder_child() does. */
stack_id builder_path(struct builder *b, stack_id from, const frame_id *frame, size_t n,
		      stack_id *each);
/* Finds how much of each of n paths already exists (stacks.h). builder_path() adds the rest.
 * Use it if several paths are known in advance. */
void builder_paths_known(const struct builder *b, struct stacks_way *way, size_t n);
/* Prefetches for a path below `parent` that begins with `frame`; `parent` may not exist yet. */
void builder_path_soon(const struct builder *b, stack_id parent, frame_id frame);
/* Returns the id of the next new stack. */
stack_id builder_stack_next(const struct builder *b);
/* For decoders that make stacks frame by frame: returns STACK_NONE for a stack with more than
 * STACK_DEPTH_MAX frames. The call that takes it sets the error. */
stack_id builder_too_deep(struct builder *b);
/* Returns the stack with these frames, root first; a known stack costs one probe. Returns
 * STACK_NONE as above, also if n exceeds STACK_DEPTH_MAX. */
stack_id builder_stack(struct builder *b, const frame_id *frames, size_t n);
/* Does the same for frames in leaf-first order. */
stack_id builder_stack_leaf_first(struct builder *b, const frame_id *frames, size_t n);

/* Collects the frames of the next stack, one by one in either order; builder_next_stack() and
 * builder_next_leaf_first() return it as above, and begin another. */
void builder_next_frame(struct builder *b, frame_id frame);
stack_id builder_next_stack(struct builder *b);
stack_id builder_next_leaf_first(struct builder *b);

/* Returns the stack without its leaf, which goes to *leaf. Not of STACK_EMPTY. */
stack_id builder_stack_parent(const struct builder *b, stack_id s, frame_id *leaf);
/* Returns the stack for `events` events that the file records without a stack: one frame, `[no
 * stack]`. So their values stay in the sums, and the view `info` reports their number. */
stack_id builder_stack_missing(struct builder *b, uint64_t events);

/* Records the file of a module, by its path and the bytes of its build id (len 0: none), for
 * readers of its code. The last call for a module counts. */
void builder_module_file(struct builder *b, name_id module, name_id path, const uint8_t *build_id,
			 size_t len);
/* Records that [start, limit) of memory was this part of the module's file, from `offset` on. Call
 * it for formats that record addresses as they were in memory. */
void builder_module_range(struct builder *b, name_id module, uint64_t start, uint64_t limit,
			  uint64_t offset);

/* Passes an object to the profile, which calls release(at) at its end. `kind` is a constant;
 * bytes() returns the bytes from which it was made. */
void builder_attach(struct builder *b, const char *kind, void *at, void (*release)(void *at),
		    const void *(*bytes)(const void *at, size_t *len));

/* ---- labels ---- */
/* Return the id of a label, an attribute that an event has beside its stack (labels.h). Equal
 * labels have equal ids. */
label_id builder_label_text(struct builder *b, name_id key, name_id value);
/* A label with a number; `unit` as written in the file, or NAME_EMPTY. */
label_id builder_label_number(struct builder *b, name_id key, int64_t number, name_id unit);
/* Returns the set of n labels; sorts id[]. */
labels_id builder_labels(struct builder *b, label_id *id, size_t n);
/* Returns the set with one label more. */
labels_id builder_labels_with(struct builder *b, labels_id set, label_id one);
/* Gives each event of the series a label set. Call it before the first event. */
void builder_labelled(struct builder *b, struct series *s);
/* Sets the label set of the next event of the series; without this call it has none. */
static inline void
builder_next_labels(struct builder *b UNUSED, struct series *s, labels_id set)
{
	*(s->pending ? &s->pending->labels[s->pending->run.n] : &s->next_labels) = set;
}

/* ---- tracks and series ---- */
/* Returns a new track, even if the name exists. Tracks are listed in the order of the calls. */
track_id builder_track(struct builder *b, const void *name, size_t len, enum track_kind kind);
/* The same with a formatted name. */
track_id builder_trackf(struct builder *b, enum track_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns a new thread "main", for formats that know no threads. */
track_id builder_main(struct builder *b);
void builder_track_rename(struct builder *b, track_id t, const void *name, size_t len);
/* Returns a new process, even if the name exists. A process can have tracks: its threads, its
 * counters and its other activity.
 *
 * A process is not a track: it has no events of its own and no row in any table. Its name is
 * not part of its tracks' names. Patterns of tracks match either name, so a process should not
 * have the name of one of its tracks. It may be named later; without tracks it is not shown. */
process_id builder_process(struct builder *b, const void *name, size_t len);
void builder_process_rename(struct builder *b, process_id process, const void *name, size_t len);
/* Sets whether a process was only recorded beside the command that the user recorded. A lens that
 * names no tracks then leaves it out. */
void builder_process_outside(struct builder *b, process_id process, bool outside);
/* Puts the track under a process of its own file. */
void builder_track_under(struct builder *b, track_id t, process_id process);
/* Puts the track under the process of another track of the file, now and after later changes. */
void builder_track_beside(struct builder *b, track_id t, track_id other);
/* For counters and states: sets the unit of their values, as text. */
void builder_track_unit(struct builder *b, track_id t, const void *unit, size_t len);
/* For states and marks: names a value. The first name of a value stays. Names are ignored after
 * VALUE_NAMES_MAX values of the track have one. */
void builder_track_value(struct builder *b, track_id t, int64_t value, name_id name);
/* Counts one more record of the file on this track (the view `tracks`, column `events`).
 * builder_sample() and builder_point() do that themselves. */
void builder_track_event(struct builder *b, track_id t);
/* Adds `more` to that count; negative if records were counted wrongly. */
void builder_track_events(struct builder *b, track_id t, int64_t more);
/* Declares the track a host of a store, recorded for `ns` in all, or RECORDED_UNKNOWN
 * (struct track). */
void builder_track_recorded(struct builder *b, track_id t, int64_t ns);
/* Returns false if the track has no event yet; *time becomes the time of its latest one. */
bool builder_track_last(struct builder *b, track_id t, int64_t *time);
/* Sets the track's end, if it is later than the begin of its last event. Steps end earlier if
 * the sums of their times would exceed 2^63. A time before the track's begin becomes its begin. */
void builder_track_end(struct builder *b, track_id t, int64_t time);

/* Series belong to the track and live as long as the profile. */
struct series *builder_steps(struct builder *b, track_id t);
/* Steps whose time counts for this metric of ROLE_TIME only; METRIC_NONE: for all declared ones,
 * as with builder_steps(). Use it for activity beside what the other metrics measure. */
struct series *builder_steps_of(struct builder *b, track_id t, metric_id metric);
/* The same for turns, such as those of tasks on a processor: a step is neither a call nor a
 * sample. */
struct series *builder_turns(struct builder *b, track_id t, metric_id metric);
/* Steps with one value each, which views show beside a slice (a designator) and never sum. */
struct series *builder_steps_valued(struct builder *b, track_id t);
/* n must be less than SERIES_METRICS_MAX. */
struct series *builder_samples(struct builder *b, track_id t, const metric_id *metrics, unsigned n);
/* The same where metric i is parts[i] of column columns[i]. Columns are numbered in the order in
 * which they first appear, and an event then has one number per column. Returns NULL if an
 * earlier file gave one of the metrics decimals; use builder_samples() then. */
struct series *builder_samples_parts(struct builder *b, track_id t, const metric_id *metrics,
				     const uint8_t *columns, const enum value_part *parts,
				     unsigned n);
/* Declares that the samples of the file are sums over intervals of `step`. One interval
 * begins at `first`. */
void builder_time_steps(struct builder *b, int64_t first, int64_t step);
/* Declares the time of day at time 0 of the file's axis, in ns since 1970 (UTC). The last call
 * counts. Only files whose axis is in ns are aligned by it. */
void builder_clock(struct builder *b, int64_t ns);
/* Moves all values of metric `from` in series s (samples or totals), past and future, to metric
 * `to`. `to` must have the same unit and must not be a metric of s yet. For files that identify
 * their first numbers only later. */
void builder_series_metric(struct builder *b, struct series *s, metric_id from, metric_id to);
/* Sets the time between two samples while the program runs, as the file states it, in units of
 * the axis. It decides how long a sample is drawn if its weight is not a time; numbers never use
 * it. */
void builder_sample_interval(struct series *s, int64_t interval);
/* Makes samples of the series not count as events of their track, because they are computed from
 * records of the file. The decoder counts the records. */
void builder_derived(struct series *s);
struct series *builder_totals(struct builder *b, track_id t, const metric_id *metrics, unsigned n);
struct series *builder_points(struct builder *b, track_id t, bool floating);

/* Returns an empty, hidden series of the same shape and track as s, a series of steps. It serves
 * to compute steps again while a file grows. builder_renew() replaces the events of s by those
 * of `anew` and frees `anew`. */
struct series *builder_anew(struct builder *b, const struct series *s);
void builder_renew(struct builder *b, struct series *s, struct series *anew);

/* Appends a step: the stack (STACK_EMPTY: nothing runs) holds from `time` on; flags are STEP_*.
 * Times must not decrease. Fills the metrics with ROLE_TIME, ROLE_CALLS and ROLE_LINES. */
static inline bool
builder_step(struct builder *b, struct series *s, int64_t time, stack_id stack, uint32_t flags,
	     uint64_t offset, struct err *e)
{
	return builder_put_step(b, s, time, stack, flags, 0, offset, e);
}

static inline bool
builder_step_valued(struct builder *b, struct series *s, int64_t time, stack_id stack,
		    uint32_t flags, int64_t value, uint64_t offset, struct err *e)
{
	return builder_put_step(b, s, time, stack, flags, value, offset, e);
}

/* Appends a sample, and counts it as an event of its track. `values` has one number for each
 * metric of the series with ROLE_VALUE, in the order given, or one for each column
 * (builder_samples_parts()). Times may come in any order; builder_finish() sorts a series that
 * needs it. */
static inline bool
builder_sample(struct builder *b, struct series *s, int64_t time, stack_id stack,
	       const int64_t *values, uint64_t offset, struct err *e)
{
	return builder_put_sample(b, s, time, stack, values, offset, e);
}

/* The same for a change here that an event of another track causes (memory that it frees): the
 * track's start, end and number of events do not change. */
static inline bool
builder_sample_aside(struct builder *b, struct series *s, int64_t time, stack_id stack,
		     const int64_t *values, uint64_t offset, struct err *e)
{
	return builder_put_aside(b, s, time, stack, values, offset, e);
}

bool builder_total(struct builder *b, struct series *s, stack_id stack,
		   const int64_t *values, uint64_t offset, struct err *e);
/* Prefetches the sums that a total will change. */
void builder_total_soon(const struct series *s, stack_id stack);
/* Subtracts values from a total whose events follow one by one; the total keeps its count. Not
 * for labelled series. */
void builder_total_back(struct builder *b, struct series *s, stack_id stack, const int64_t *values);
/* Empties the series, because all of its totals are recorded elsewhere. */
void builder_totals_gone(struct builder *b, struct series *s);
/* Appends a point, and counts it as an event of its track. */
bool builder_point(struct builder *b, struct series *s, int64_t time, int64_t value,
		   uint64_t offset, struct err *e);
bool builder_point_double(struct builder *b, struct series *s, int64_t time, double value,
			  uint64_t offset, struct err *e);

/* ---- per-call statistics ---- */
/* Begins inclusive costs that the file states for functions of this track (stated.h); calls of
 * builder_stated_total() follow. `estimated`: the stacks of the track are estimates from a call
 * graph. */
void builder_stated(struct builder *b, track_id t, metric_id metric, bool estimated);
/* Adds one such cost, in the metric's base unit. */
void builder_stated_total(struct builder *b, function_id f, int64_t total);
/* Returns where a decoder adds rows that a file without a timeline states itself. */
struct callrows *builder_recorded_calls(struct builder *b);
/* Computes the rows of all steps so far, to compare them with the file's own. */
void builder_compute_calls(struct builder *b, struct callstats *out);

/* ---- states and edges (actors.h) ---- */
/* Returns a new actor of this name, with the track that has its events, or TRACK_NONE. Returns
 * ACTOR_NONE if there are ACTOR_MAX. */
actor_id builder_actor(struct builder *b, const void *name, size_t len, track_id t);
/* Returns the name of an actor; empty for ACTOR_NONE. */
struct name builder_actor_name(const struct builder *b, actor_id a);
void builder_actor_rename(struct builder *b, actor_id a, const void *name, size_t len);
/* Puts an actor without a track under a process of its own file. */
void builder_actor_under(struct builder *b, actor_id a, process_id process);
/* Begins a state of the actor; nothing happens if it has that state. Times of one actor must not
 * decrease: an earlier one becomes that of the state before. A time 2^63 ns or more from the
 * others is dropped. */
void builder_state(struct builder *b, actor_id a, int64_t time, enum actor_state state);
/* Makes the actor runnable by a wake-up that actor `by` caused; ACTOR_NONE: no thread did. */
void builder_woken(struct builder *b, actor_id a, int64_t time, actor_id by);
/* Returns the actor of a track of this file, a new one of this name if it has none. O(1). */
actor_id builder_actor_on(struct builder *b, track_id t, const void *name, size_t len);
/* Adds an edge of kind EDGE_FLOW or EDGE_LINK; builder_woken() adds wake-ups. A time 2^63 ns or
 * more from the others is dropped. */
void builder_edge(struct builder *b, enum edge_kind kind, actor_id from, int64_t from_time,
		  actor_id to, int64_t to_time);
/* Extends the run to this time. */
void builder_run_end(struct builder *b, int64_t time);

/* ---- facts of the file ---- */
/* Adds a row to the view `info`. The key `assumed` may occur many times. */
void builder_info(struct builder *b, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Warns of n text lines that do not follow the format and were skipped; the first begins at byte
 * `first`. Does nothing if n is 0. */
void builder_odd_lines(struct builder *b, uint64_t n, uint64_t first);
/* Returns true if only such lines were read. Then the file does not have the format, and *first
 * is the offset of the first of them. */
bool builder_only_odd(struct builder *b, uint64_t *first);
/* Adds a row whose value is bytes from the file. */
void builder_info_bytes(struct builder *b, const char *key, const void *bytes, size_t len);
/* Adds a warning. Warnings with the same format string are counted as one; the first text stays. */
void builder_warn(struct builder *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Warns with `1 ONE` or `N MANY`; nothing if n is 0. Both are literals. */
#define builder_warn_count(b, n, one, many)                                       \
	((n) == 1  ? builder_warn((b), "1 " one)                                  \
	 : (n) > 0 ? builder_warn((b), "%" PRIu64 " " many, (uint64_t)(n)) : (void)0)
#define builder_info_count(b, key, n, text) \
	((n) > 0 ? builder_info((b), (key), "%" PRIu64 text, (uint64_t)(n)) : (void)0)
/* Counts events of the file that no view shows. If the profile has nothing else, the warning of
 * builder_finish() says how many there are. */
void builder_unshown(struct builder *b, uint64_t events);
/* Makes the profile open as a comparison: its first track against its second. */
void builder_comparison(struct builder *b);
/* Marks the profile as incomplete although nothing is damaged, with the reason (info
 * `complete`). */
void builder_incomplete(struct builder *b, const char *why);

/* ---- files that are read in parts (HACKING.md) ---- */
#define CARRIED_COUNTS 12
/* Numbers of a decoder about its records that are not in the profile. If parts of the file are read
 * apart, into profiles of their own, those of a part are joined to those of the whole. */
struct carried {
	bool part;  /* constant: this is a part, so do not judge the file by these numbers */
	bool odd;   /* set it in a part if its records depend on what precedes: it is then read
		     * again, as bytes of the whole */
	bool whole; /* set it if the rest of the file must be read in one piece */
	uint64_t count[CARRIED_COUNTS]; /* added up */
	uint32_t begins; /* a bit for each count that no part may begin: its first record is noted
			  * by the decoder of the whole */
	uint32_t flags;  /* united; a part begins with those of the whole */
	uint64_t joins;  /* the number of blocks that were joined to the whole */
	int64_t first, last; /* times of records, by carried_time() */
	bool has_last;       /* there was one */
	uint64_t back;       /* times that are less than the one before */
};
/* Notes the time of a record. */
static inline void
carried_time(struct carried *n, int64_t time)
{
	n->first = n->has_last ? n->first : time;
	n->back += n->has_last && time < n->last;
	n->last = time;
	n->has_last = true;
}
/* Returns these numbers, zeros at first; valid as long as the builder. */
struct carried *builder_carried(struct builder *b);
/* Return the first track of this kind, or the first process, of this file with this name, which a
 * part may have made; TRACK_NONE, PROCESS_NONE if there is none. O(1). */
track_id builder_track_named(struct builder *b, const void *name, size_t len,
			     enum track_kind kind);
process_id builder_process_named(struct builder *b, const void *name, size_t len);
/* Returns the series of samples of the track that has these metrics, a new one if there is none. */
struct series *builder_samples_once(struct builder *b, track_id t, const metric_id *metrics,
				    unsigned n);
/* Sets builder_sample_interval() for series of this metric from here on. */
void builder_metric_interval(struct builder *b, metric_id m, int64_t interval);

/* Ends the loading: sorts unordered series, closes series, records the damage in *e (copied; may
 * be empty) and whether the file was complete. */
void builder_finish(struct builder *b, const struct err *e);

#endif
