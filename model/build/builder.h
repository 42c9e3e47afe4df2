/* builder.h - the only writer of a profile; all that a decoder knows of the model.
 *
 * A decoder declares metrics, then tracks and series, then appends.  Every call leaves
 * the profile whole but for events that wait to be written; after builder_settle() a reader
 * may look between any two calls.  Ids are those of
 * profile.h.  Calls that can fail (sums past 2^63, too many stacks) take the byte
 * offset of the record and give damage; all others cannot fail.
 *
 *	metric_id time = builder_metric(b, "time", UNIT_NS, ROLE_TIME);
 *	builder_default_metric(b, time);
 *	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
 *	struct series *s = builder_steps(b, t);
 *	stack_id st = builder_child(b, STACK_EMPTY, builder_frame(b, fn, line_unknown()));
 *	builder_step(b, s, when_ns, st, STEP_CALL, offset, err);
 */
#ifndef PNAV_MODEL_BUILDER_H
#define PNAV_MODEL_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile/callrows.h"
#include "model/base/err.h"
#include "model/profile/event_run.h"
#include "model/profile/frames.h"
#include "model/profile/labels.h"
#include "model/profile/metrics.h"
#include "model/profile/names.h"
#include "model/profile/stacks.h"
#include "model/profile/tracks.h"

struct buf;
struct builder;
struct profile;

/* Writes into p (borrowed), as a new group named `file`, read by decoder `format`. */
struct builder *builder_new(struct profile *p, const char *file, const char *format);
void builder_free(struct builder *b);
/* One of several files: `label` stands in front of the names of its tracks. */
void builder_label(struct builder *b, const char *label);

/* The unit of the time axis of this group; UNIT_NS unless told. */
void builder_axis(struct builder *b, enum unit unit);
/* How names that are not UTF-8 are shown; Latin-1 unless told. */
void builder_charset_cp437(struct builder *b);

/* ---- metrics ---- */
/* A metric; the same name again gives the same id, also when another file has declared
 * it with the same unit, in whatever role.  ROLE_EVENTS makes the count of
 * samples visible under this name.  As many as there are. */
metric_id builder_metric(struct builder *b, const char *name, enum unit unit,
			 enum metric_role role);
enum unit builder_metric_unit(const struct builder *b, metric_id m);
/* The metric whose values samples and totals carry that fills the column `calls`. */
void builder_calls_metric(struct builder *b, metric_id m);
/* The metric is not one of the profile's until it is declared again, or has values. */
void builder_metric_unused(struct builder *b, metric_id m);
void builder_default_metric(struct builder *b, metric_id m);
/* From here on the metric has six decimals; what is there already is multiplied.  False,
 * damage at `offset` and nothing changed, where that passes 2^63. */
bool builder_metric_decimals(struct builder *b, metric_id m, uint64_t offset, struct err *e);

/* ---- names, functions, frames, stacks ---- */
/* The id of these bytes; a name longer than NAME_LEN_MAX is cut (names.h), and builder_finish()
 * warns with the number of such names. */
name_id builder_name(struct builder *b, const void *bytes, size_t len);
/* For who has several new names at hand: begins to fetch what builder_name() asks of this one. */
void builder_name_fetch(const struct builder *b, const void *bytes, size_t len);
/* The bytes of a name; valid as long as the profile. */
struct name builder_name_get(const struct builder *b, name_id id);
function_id builder_function(struct builder *b, struct function f);
/* Reads a name: appends what it is shown as to `out`, or gives false, where that is the name. */
typedef bool builder_reads(const char *name, size_t len, struct buf *out);
/* From here on names of functions that begin with `_` are shown as reads() gives them, and their
 * kind by name (kind_of_name()) is that of the shown name. */
void builder_read_names(struct builder *b, builder_reads *reads);
/* A function that is known by its name alone, its kind by kind_of_name(). */
function_id builder_function_named(struct builder *b, const void *name, size_t len);
/* The function of frames of which nothing is known: "[unknown]". */
function_id builder_function_unknown(struct builder *b);
struct function builder_function_get(const struct builder *b, function_id f);
frame_id builder_frame(struct builder *b, function_id f, struct line line);
/* The same frame, inlined into its caller. */
frame_id builder_frame_inlined(struct builder *b, frame_id f);
/* The same frame at the address of an instruction, as the module's file counts them; for
 * leaves alone (frames.h).  ADDRESS_NONE: f itself. */
frame_id builder_frame_at(struct builder *b, frame_id f, uint64_t address);
/* The same where the address is that of the function's begin, as a flat report has it: the column
 * `address` then has it for the function, too. */
frame_id builder_frame_begin(struct builder *b, frame_id f, uint64_t address);
struct frame builder_frame_get(const struct builder *b, frame_id f);
/* STACK_NONE, which the call that takes the stack tells as damage, only when there are
 * STACK_MAX stacks. */
stack_id builder_child(struct builder *b, stack_id parent, frame_id frame);
/* The stack with n frames below `from`, the outermost first; faster than frame by frame.
 * each[i] becomes the stack that ends with frame[i].  STACK_NONE as above. */
stack_id builder_path(struct builder *b, stack_id from, const frame_id *frame, size_t n,
		      stack_id *each);
/* builder_child(), or builder_path(), will be asked for this one soon. */
void builder_child_soon(const struct builder *b, stack_id parent, frame_id frame);
/* For who has several paths at hand: how far each of them is known (stacks.h).  builder_path()
 * makes the rest. */
void builder_paths_known(const struct builder *b, struct stacks_way *way, size_t n);
/* For decoders that make stacks frame by frame: STACK_NONE, told as damage by the call that
 * takes it, of a stack with more than STACK_DEPTH_MAX frames. */
stack_id builder_too_deep(struct builder *b);
/* The stack with these frames, root first; known ones in one probe.  STACK_NONE, as
 * above, where n passes STACK_DEPTH_MAX. */
stack_id builder_stack(struct builder *b, const frame_id *frames, size_t n);
/* The same for frames in leaf-first order. */
stack_id builder_stack_leaf_first(struct builder *b, const frame_id *frames, size_t n);

/* The stack of `events` events that the file records without a stack: one frame, `[no stack]`.
 * Their values so stay in the sums; the view `info` reports their number. */
stack_id builder_stack_missing(struct builder *b, uint64_t events);

/* The file that a module is of, by its path and the bytes of its build id (none: length 0),
 * for who wants its code.  A module is told once. */
void builder_module_file(struct builder *b, name_id module, name_id path, const uint8_t *build_id,
			 size_t len);

/* ---- labels ---- */
/* What an event says beside its stack (labels.h).  The same label again is the same id. */
label_id builder_label_text(struct builder *b, name_id key, name_id value);
/* A number; `unit` as the file writes it, NAME_EMPTY where it has none. */
label_id builder_label_number(struct builder *b, name_id key, int64_t number, name_id unit);
/* The set of n labels; id[] is sorted on return. */
labels_id builder_labels(struct builder *b, label_id *id, size_t n);
/* The series has a set of labels for each of its events.  To be said before its first. */
void builder_labelled(struct builder *b, struct series *s);
/* Those of the event that is appended to the series next; without this it has none. */
void builder_next_labels(struct builder *b, struct series *s, labels_id set);

/* ---- tracks and series ---- */
/* A new track, even when the name is known.  Order of calls = order of appearance. */
track_id builder_track(struct builder *b, const void *name, size_t len, enum track_kind kind);
void builder_track_rename(struct builder *b, track_id t, const void *name, size_t len);
/* A process, which tracks stand under: its threads, its counters, what it does beside them.
 * It is no track: it has no events of its own, and no row in any table.  Its name is no part
 * of the names of its tracks; patterns of tracks match either, so it should not be called
 * like one of them.  A new one, even when the
 * name is known; it may be named later, and without tracks it is nowhere seen. */
process_id builder_process(struct builder *b, const void *name, size_t len);
void builder_process_rename(struct builder *b, process_id process, const void *name,
			    size_t len);
/* The track stands under a process of its own file. */
void builder_track_under(struct builder *b, track_id t, process_id process);
/* The same where another track of the file stands, and wherever it will stand. */
void builder_track_beside(struct builder *b, track_id t, track_id other);
/* Counters and states: the unit of their values, as text. */
void builder_track_unit(struct builder *b, track_id t, const void *unit, size_t len);
/* States and marks: what a value is called.  The first name of a value stays; those that
 * come when VALUE_NAMES_MAX of the track have one are left out. */
void builder_track_value(struct builder *b, track_id t, int64_t value, name_id name);
/* One more record of the file on this track (the view `tracks`, column `events`). */
void builder_track_event(struct builder *b, track_id t);
/* It has so many more; or fewer, that were counted wrongly. */
void builder_track_events(struct builder *b, track_id t, int64_t more);
/* The track's last moment when that is later than its last event begins.  Steps do not
 * last so long where the sums of their times would pass 2^63. */
void builder_track_end(struct builder *b, track_id t, int64_t time);

/* Series belong to the track and live as long as the profile. */
struct series *builder_steps(struct builder *b, track_id t);
/* Steps whose time is this metric, one of ROLE_TIME, and no other (METRIC_NONE: all that are
 * declared, as builder_steps()): for what runs beside what the others measure. */
struct series *builder_steps_of(struct builder *b, track_id t, metric_id metric);
/* The same of what takes turns, as tasks have a processor: a step is no call. */
struct series *builder_turns(struct builder *b, track_id t, metric_id metric);
/* Steps that carry a value each: shown beside a slice (a designator), never summed. */
struct series *builder_steps_valued(struct builder *b, track_id t);
/* n is less than SERIES_METRICS_MAX. */
struct series *builder_samples(struct builder *b, track_id t, const metric_id *metrics,
			       unsigned n);
/* The same where the metrics are parts[i] of columns[i], which are numbered in the order in which
 * they come up: an event then carries a number a column.  NULL where that cannot be, since a file
 * before has given one of them decimals: then builder_samples() can. */
struct series *builder_samples_parts(struct builder *b, track_id t, const metric_id *metrics,
				     const uint8_t *columns, const enum value_part *parts,
				     unsigned n);
/* The file's samples are sums of steps of time, of which one begins at `first`. */
void builder_time_steps(struct builder *b, int64_t first, int64_t step);
/* What series s of samples or totals has counted as metric `from`, and will count, is of metric
 * `to` instead, which has the same unit: for a file that says only later what its first numbers
 * are.  s has not `to` yet. */
void builder_series_metric(struct builder *b, struct series *s, metric_id from, metric_id to);
/* How much time lies between two samples while something runs, as the file says it, in
 * units of the axis: how long one is drawn where its weight is no time.  Never for numbers. */
void builder_sample_interval(struct series *s, int64_t interval);
struct series *builder_totals(struct builder *b, track_id t, const metric_id *metrics,
			      unsigned n);
struct series *builder_points(struct builder *b, track_id t, bool floating);

/* An empty series like s, a series of steps, of the same track, that nobody sees: for what is
 * worked out anew while a file grows.  builder_renew() puts its events in the place of those
 * of s, and it is gone. */
struct series *builder_anew(struct builder *b, const struct series *s);
void builder_renew(struct builder *b, struct series *s, struct series *anew);

/* The stack (STACK_EMPTY: nothing runs) holds from `time` on; flags are STEP_*. Times
 * may not go down.  The metrics are those with ROLE_TIME, ROLE_CALLS and ROLE_LINES. */
bool builder_step(struct builder *b, struct series *s, int64_t time, stack_id stack,
		  uint32_t flags, uint64_t offset, struct err *e);
bool builder_step_valued(struct builder *b, struct series *s, int64_t time, stack_id stack,
			 uint32_t flags, int64_t value, uint64_t offset, struct err *e);
/* A run of steps, each with its flags beside its stack, and of valued ones its value in value[0];
 * the series has no labels.  False, and nothing is changed, where they have to be given one by
 * one: a time goes down, or lies far from the others.  No stack is STACK_NONE. */
bool builder_step_run(struct builder *b, struct series *s, const struct event_run *run);
/* values: one for each metric of the series that has ROLE_VALUE, in the order given; or one for
 * each column, where those are parts.
 * Times may come in any order; a series that needs it is sorted by builder_finish(). */
bool builder_sample(struct builder *b, struct series *s, int64_t time, stack_id stack,
		    const int64_t *values, uint64_t offset, struct err *e);
/* The same for what an event of another track changes here (memory that it frees): the
 * track's start and end do not move. */
bool builder_sample_aside(struct builder *b, struct series *s, int64_t time, stack_id stack,
			  const int64_t *values, uint64_t offset, struct err *e);
/* The same for a run of them, in any order, of a series with no more columns than a
 * run has, and no labels.  The track is reached by them from `first` to `last`;
 * where first > last all are aside.  False, and nothing is changed, where they have to be
 * given one by one: a number of them is large, or one is refused. */
bool builder_sample_run(struct builder *b, struct series *s, const struct event_run *run,
			int64_t first, int64_t last);
/* The same of a series with labels; labels[i] are those of event i. */
bool builder_sample_run_labelled(struct builder *b, struct series *s,
				 const struct event_run *run, const labels_id *labels,
				 int64_t first, int64_t last);
bool builder_total(struct builder *b, struct series *s, stack_id stack,
		   const int64_t *values, uint64_t offset, struct err *e);
/* A total of the series and the stack will be told soon. */
void builder_total_soon(const struct series *s, stack_id stack);
/* Part of what a total has told is told again, event by event: it is in the total no longer,
 * which keeps its count.  Not for labelled ones. */
void builder_total_back(struct builder *b, struct series *s, stack_id stack,
			const int64_t *values);
/* All of it is told elsewhere: the series is as if nothing had been appended. */
void builder_totals_gone(struct builder *b, struct series *s);
bool builder_point(struct builder *b, struct series *s, int64_t time, int64_t value,
		   uint64_t offset, struct err *e);
bool builder_point_double(struct builder *b, struct series *s, int64_t time, double value,
			  uint64_t offset, struct err *e);

/* ---- per-call statistics ---- */
/* The totals that follow are inclusive costs that the file states for functions of this track
 * (stated.h).  `estimated`: the stacks of the track are estimates, made of a call graph. */
void builder_stated(struct builder *b, track_id t, metric_id metric, bool estimated);
/* One of them, in the metric's base unit. */
void builder_stated_total(struct builder *b, function_id f, int64_t total);
/* Where a decoder adds the rows that a file without a timeline says itself. */
struct callstats *builder_recorded_calls(struct builder *b);
/* The rows of all steps so far, to compare with what the file says. */
void builder_compute_calls(struct builder *b, struct callstats *out);

/* ---- what the file says of itself ---- */
/* A row of the view `info`.  The key `assumed` may be given many times. */
void builder_info(struct builder *b, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Warns of n lines of a text that are none of its format and were skipped; the first begins at
 * byte `first`.  Nothing where n is 0. */
void builder_odd_lines(struct builder *b, uint64_t n, uint64_t first);
/* Has nothing been read but such lines?  Then the file is none of the format, and *first is where
 * the first of them begins. */
bool builder_only_odd(const struct builder *b, uint64_t *first);
/* A row whose value is bytes from the file. */
void builder_info_bytes(struct builder *b, const char *key, const void *bytes, size_t len);
/* Warnings with the same format string are one, with a count; the first text stays. */
void builder_warn(struct builder *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Opened as a comparison: its first track against its second. */
void builder_comparison(struct builder *b);
/* Not complete although nothing is damaged, and why (info `complete`). */
void builder_incomplete(struct builder *b, const char *why);

/* Where there is a core for it: what is appended is written on a thread of its own once so many
 * runs of events were.  Whoever looks at the profile asks builder_settle() first, as ever. */
void builder_beside(struct builder *b, uint32_t runs);
/* Writes the events that wait: for who hands the profile to a reader (src/load.c). */
void builder_settle(struct builder *b);
/* Ends the loading: sorts what came out of order, closes series, records the damage in
 * *e (copied; may be empty) and whether the file was complete. */
void builder_finish(struct builder *b, const struct err *e);

/* ---- for who loads several files ---- */
/* Instead of builder_finish(), for a file that was refused: its tracks go again, what it
 * named stays.  Only for the last group. */
void builder_discard(struct builder *b);

#endif
