/* profile.h - the whole loaded data: names, frames, stacks, tracks, metrics.
 *
 * A profile is append-only while a decoder runs (builder.h is the only writer) and constant
 * afterwards. Readers hold ids. The tables never shrink, and a valid id stays valid. While the
 * profile loads, a reader must hold the loader's lock (src/load.h). */
#ifndef PNAV_MODEL_PROFILE_PROFILE_H
#define PNAV_MODEL_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/map.h"
#include "model/profile/actors.h"
#include "model/profile/callrows.h"
#include "model/profile/frames.h"
#include "model/profile/labels.h"
#include "model/profile/metrics.h"
#include "model/profile/names.h"
#include "model/profile/stacks.h"
#include "model/profile/stated.h"
#include "model/profile/tracks.h"

/* The encoding assumed for names that are not UTF-8. */
enum charset { CHARSET_LATIN1, CHARSET_CP437 };

struct info {
	name_id key, value;
	uint32_t group; /* the file that contains this entry */
};

struct warning {
	const char *id; /* the format string of the message; warnings with the same one are
			 * counted together */
	char *text;     /* the text of the first warning of this kind */
	uint64_t count;
	uint32_t group; /* the file it concerns; GROUP_NONE: the unreadable file `file` */
	char *file;     /* a file that could not be read at all, with the reason in `text`; else
			 * NULL */
};
#define GROUP_NONE UINT32_MAX

/* One loaded file. */
struct group {
	name_id name;   /* the file's name */
	name_id format; /* the decoder's name */
	uint8_t axis;   /* enum unit of the time axis */
	bool has_time;
	int64_t start, end; /* earliest and latest time of all its tracks */
	/* Nonzero if each sample is the sum of a time interval of `step`. The intervals begin at
	 * step_first + k * step. Numbers of a range are exact if both its ends are such times.
	 * 0: samples are not sums of intervals. */
	int64_t step_first, step;
	name_id why;        /* why the file is incomplete; NAME_EMPTY if it is complete or still
			     * loading */
	bool has_clock;
	int64_t clock; /* the time of day at time 0 of the file, in ns since 1970 (UTC) */
};

/* The two sides of a comparison, if the profile is one. */
enum comparison {
	COMPARE_NOTHING,
	COMPARE_TRACKS, /* the first track with all other tracks */
	COMPARE_FILES,  /* the first files with all other files */
};

/* The file that contains a module, as functions name the module. */
struct module_file {
	name_id module, path;
	name_id build_id; /* in hexadecimal digits; NAME_EMPTY if not recorded */
};

/* An object that a decoder read and another module uses, such as the code that a recording holds.
 * It is constant, and valid as long as the profile. */
struct attachment {
	const char *kind; /* what it is; a constant */
	void *at;
	void (*release)(void *at);
	/* Returns the bytes from which the decoder made it, for packed profiles; valid as long as
	 * it is. */
	const void *(*bytes)(const void *at, size_t *len);
};

/* Where a part of that file was mapped. Addresses of frames lie in [start, limit) if the format
 * records them as they were in memory. */
struct module_range {
	name_id module;
	uint64_t start, limit;
	uint64_t offset; /* of `start` in the file */
};

/* The tables that a profile owns, each X(type, array, count, capacity). Declaration, copy and
 * release expand this list, so none of them can miss a new table. */
#define PROFILE_TABLES(X)                                                                  \
	X(struct metric, metric, n_metrics, metrics_cap)                                   \
	X(struct track, track, n_tracks, tracks_cap)                                       \
	X(struct process, process, n_processes, processes_cap)                             \
	X(struct group, group, n_groups, groups_cap)                                       \
	X(struct actor, actor, n_actors, actors_cap) /* what threads do */		   \
	X(struct edge, edge, n_edges, edges_cap) /* in the order of their arrival */	   \
	X(struct info, info, n_info, info_cap)                                             \
	X(struct warning, warning, n_warnings, warnings_cap)                               \
	/* files of modules, from formats that record them */				   \
	X(struct module_file, module_file, n_module_files, module_files_cap)               \
	X(struct module_range, module_range, n_module_ranges, module_ranges_cap)           \
	X(struct attachment, attachment, n_attachments, attachments_cap)

/* Never assign or copy it as a whole, since it owns memory. Use profile_branch(). */
struct profile {
	struct names names;
	struct frames frames;
	struct stacks stacks;
	struct labels labels;
#define PROFILE_TABLE(type, at, n, cap)                                                    \
	type *at;                                                                          \
	uint32_t n, cap;
	PROFILE_TABLES(PROFILE_TABLE)
#undef PROFILE_TABLE
	bool borrows_series;  /* another profile owns the series of its tracks, the states of its
			       * actors, and what is attached: profile_branch() */
	struct series **gone; /* series of files that were refused after the start; they belong
			       * to no track */
	uint32_t n_gone;
	struct map tracks_by_name; /* of files that are read: model/build/builder_unique.c */
	uint32_t n_by_name;        /* the tracks that are in it */
	struct callrows recorded; /* per-call numbers that the file states */
	struct stated stated;      /* inclusive costs of functions that the file states */

	metric_id default_metric; /* METRIC_NONE: the first metric */
	metric_id calls_metric;   /* METRIC_NONE if the format counts no calls */
	metric_id events_metric;  /* has ROLE_EVENTS; always exists, may be hidden */
	metric_id lines_metric;   /* has ROLE_LINES; METRIC_NONE if no step enters a line */
	bool events_shown;        /* users can choose the metric `samples` */
	uint8_t comparison;       /* enum comparison: what the profile compares when it is opened */
	uint32_t n_base;          /* COMPARE_FILES: the number of files that form the base */
	bool normalize;           /* comparisons scale the base so that its whole equals the
				   * whole of the other side */
	bool match_paths;         /* functions of several files are the same if their paths are
				   * equal */
	bool independent;         /* the user declared that samples without times are independent */
	bool has_lines;           /* some frame has a line */
	bool has_call_edges;      /* steps begin and end calls, so the view `calls` has rows */
	uint8_t charset;          /* enum charset */
	uint64_t events;          /* number of records of all tracks */
	int64_t points;           /* number of points read so far, which is the place of the next
				   * one */
	uint64_t generation;      /* increases with every change that readers should notice */
	/* Set in a profile that was regrouped by its labels (regroup.h), else UINT32_MAX and
	 * NULL: */
	frame_id left_out; /* the leaf of stacks that are counted but not shown */
	stack_id *plain;   /* [stack] the same stack without frames of labels */

	bool complete;     /* all input was read */
	char *why;         /* if not complete: the reason of the first incomplete file */
	struct err damage; /* the error that ended the reading early */
	uint32_t damage_group;
	/* Private to the builder (builder_weigh.c): an upper bound on the absolute sum of every
	 * metric's values. Where that bound is too coarse, `weight` has the exact sums,
	 * [metric]. */
	int64_t bound;
	int64_t *weight; /* NULL while `bound` suffices */
};

/* Returns the file of a module, or NULL if the profile does not record it. */
const struct module_file *profile_module_file(const struct profile *p, name_id module);

struct profile *profile_new(void);
/* Returns a profile with the tables and values of p that accepts further entries. Ids of p are
 * valid in it and mean the same. It borrows the bytes of p's names and the series of p's tracks,
 * so call profile_free() on it before p. `gone`, `plain` and `weight` are not copied. */
struct profile *profile_branch(const struct profile *p);
/* Declares that the first n_base files are compared with the files that follow. Call it before
 * anything is loaded. A function of a file gets the id of a function of an earlier file if the
 * two are alike (alike.h). */
void profile_compare_files(struct profile *p, uint32_t n_base);
/* Returns true if the track belongs to the base of the comparison. */
bool profile_is_base(const struct profile *p, uint32_t track);
void profile_free(struct profile *p);
/* Returns true if the track belongs to a process that was only recorded beside the command. */
bool profile_is_outside(const struct profile *p, track_id t);
/* Returns the number of tracks of processes that were recorded beside the command; 0 if the command
 * has no tracks. O(tracks). */
uint32_t profile_tracks_outside(const struct profile *p);

/* Returns the metric with this name, or METRIC_NONE. Hidden metrics are not found. */
metric_id profile_metric(const struct profile *p, const char *name, size_t len);
/* Returns the default metric; METRIC_NONE if the profile has no metric. Where files are
 * compared, it prefers a metric that both sides have. */
metric_id profile_default_metric(const struct profile *p);
/* Returns true if users can choose the metric. */
bool profile_metric_shown(const struct profile *p, metric_id m);
/* Returns the factor from the numbers of metric m of a series to the metric's base unit. It
 * exceeds 1 if the metric has decimals that this series lacks, since the series counts and
 * carries no numbers. */
int64_t profile_metric_unit(const struct profile *p, const struct series *s, unsigned m);

/* Shortcuts through the tables. */
static inline struct frame
profile_frame(const struct profile *p, frame_id f)
{
	return frames_get(&p->frames, f);
}

/* Returns the stack without the frames of labels. */
static inline stack_id
profile_plain(const struct profile *p, stack_id s)
{
	return p->plain ? p->plain[s] : s;
}

static inline struct function
profile_function(const struct profile *p, function_id f)
{
	return frames_get_function(&p->frames, f);
}

/* Sets CP437 as the charset of names that are not UTF-8. */
static inline void
profile_use_cp437(struct profile *p)
{
	p->charset = CHARSET_CP437;
	p->names.cp437 = true;
}

/* Appends a name as it is displayed (escape_shown()), decoded with the profile's charset. Appends
 * at most 4 bytes for each byte of the name. */
void profile_show_name(const struct profile *p, name_id id, struct buf *out);
/* Returns the name of a track or process of a file without the prefix that names the file: of
 * "old.data: worker 7" it is "worker 7". Empty if the name is that of the file alone. */
struct name profile_own_name(const struct profile *p, uint32_t group, name_id id);
/* Appends a name for a file that programs read (escape_bytes()). */
void profile_write_name(const struct profile *p, name_id id, struct buf *out);

/* Appends the value of a label, for programs or for display. */
void profile_write_label(const struct profile *p, const struct label *l, bool programs,
			 struct buf *out);
/* Appends a label set as `key=value,key=value`, sorted by key. */
void profile_write_labels(const struct profile *p, labels_id set, bool programs,
			  struct buf *out);

/* Adds a fact about a file, which view info shows. Copies the texts; a value longer than 65,535
 * bytes is cut. */
void profile_inform(struct profile *p, uint32_t group, const char *key, const char *at, size_t len);
/* Moves the starts of files with a known time of day so that the earliest of these comes first,
 * and the others begin as much later as their clocks say. Adds a fact or a warning to each file. */
void profile_align_clocks(struct profile *p);

/* Records that one of several files could not be read, so the profile is incomplete. Copies the
 * texts. */
void profile_miss_file(struct profile *p, const char *file, const char *why);
/* Returns why that file could not be read; NULL if it was read or may still be read. */
const char *profile_missed(const struct profile *p, const char *file);

/* Walks the whole model and checks every invariant that the headers state. Returns false with a
 * description in *e if one does not hold. That is always a bug, never bad input. */
bool profile_check(const struct profile *p, struct err *e);

#endif
