/* profile.h - everything that is known: names, frames, stacks, tracks, metrics.
 *
 * Append only while a decoder runs (through builder.h, the only writer), constant
 * afterwards.  Readers hold ids; the tables never shrink, and an id that was valid
 * stays valid.  While loading, a reader holds the loader's lock (see src/load.h). */
#ifndef PNAV_MODEL_PROFILE_H
#define PNAV_MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/callrows.h"
#include "model/base/err.h"
#include "model/profile/frames.h"
#include "model/profile/labels.h"
#include "model/profile/metrics.h"
#include "model/profile/names.h"
#include "model/profile/stacks.h"
#include "model/profile/stated.h"
#include "model/profile/tracks.h"

/* How names that are not UTF-8 are shown. */
enum charset { CHARSET_LATIN1, CHARSET_CP437 };

struct info {
	name_id key, value;
	uint32_t group; /* whose word it is */
};

struct warning {
	const char *id; /* the format string it was made from */
	char *text;     /* of the first of its kind */
	uint64_t count;
	uint32_t group; /* GROUP_NONE: of none, it is `file` that was not read */
	char *file;     /* that could not be read at all, and why is the text; else NULL */
};
#define GROUP_NONE UINT32_MAX

/* One loaded file. */
struct group {
	name_id name;   /* the file's name */
	name_id format; /* the decoder's name */
	uint8_t axis;   /* enum unit of the time axis */
	bool has_time;
	int64_t start, end; /* of all its tracks */
	/* Its samples are sums of steps of time, which begin at step_first + any number of these;
	 * 0: they are not.  Numbers of a range are exact where its ends are such. */
	int64_t step_first, step;
	name_id why;        /* not complete; NAME_EMPTY where it is, or still loads */
};

/* What is compared with what, where the profile itself is a comparison. */
enum comparison {
	COMPARE_NOTHING,
	COMPARE_TRACKS, /* the first track with all others */
	COMPARE_FILES,  /* the first files with all others */
};

/* The file that a module is of, as functions name it. */
struct module_file {
	name_id module, path;
	name_id build_id; /* in hexadecimal digits; NAME_EMPTY where it was not recorded */
};

/* The tables that a profile owns, each X(type, array, count, capacity).  They are declared, copied
 * and freed by way of this list alone, so a new one cannot be forgotten in one of these. */
#define PROFILE_TABLES(X)                                                                  \
	X(struct metric, metric, n_metrics, metrics_cap)                                   \
	X(struct track, track, n_tracks, tracks_cap)                                       \
	X(name_id, process, n_processes, processes_cap) /* what they are called */         \
	X(struct group, group, n_groups, groups_cap)                                       \
	X(struct info, info, n_info, info_cap)                                             \
	X(struct warning, warning, n_warnings, warnings_cap)                               \
	/* where modules are; recorded by formats that know */                             \
	X(struct module_file, module_file, n_module_files, module_files_cap)

/* Never assigned or copied as a whole, since it owns memory: profile_branch() copies it. */
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
	bool borrows_series;  /* the series of its tracks belong to others: profile_branch() */
	struct series **gone; /* of files that were refused after all; nobody's track */
	uint32_t n_gone;
	struct callstats recorded; /* per-call numbers that the file itself says */
	struct stated stated;      /* inclusive costs of functions that the file states */

	metric_id default_metric; /* METRIC_NONE: the first */
	metric_id calls_metric;   /* METRIC_NONE where the format counts no calls */
	metric_id events_metric;  /* ROLE_EVENTS, always there, perhaps hidden */
	metric_id lines_metric;   /* ROLE_LINES, METRIC_NONE where lines are not entered */
	bool events_shown;        /* `samples` is one of the metrics */
	uint8_t comparison;       /* enum comparison: how it is opened */
	uint32_t n_base;          /* COMPARE_FILES: so many files are the base */
	bool normalize;           /* comparisons are of shares: the base counts as if its whole
				   * was that of what it is compared with */
	bool match_paths;         /* functions of several files are one where their paths
				   * are equal */
	bool independent;         /* the user says so of samples that have no time */
	bool has_lines;           /* some frame knows its line */
	bool has_call_edges;      /* steps begin and end calls: the view `calls` has rows */
	uint8_t charset;          /* enum charset */
	uint64_t events;          /* records of all tracks */
	int64_t points;           /* read so far: the place of the next */
	uint64_t generation;      /* counts up with every change a reader should look at */
	/* Of a profile that was regrouped by its labels (regroup.h), else UINT32_MAX and NULL: */
	frame_id left_out; /* the leaf of stacks that are counted and not shown */
	stack_id *plain;   /* [stack] the same without frames of labels */

	bool complete;     /* all of the input was read */
	char *why;         /* when not complete; of the first such file */
	struct err damage; /* what ended the reading early */
	uint32_t damage_group;
	/* The builder's (builder_weigh.c): no metric's values are more than `bound` in size, all
	 * of them together; where that says too little, [metric] what they are. */
	int64_t bound;
	int64_t *weight; /* NULL while the bound will do */
};

/* The file of a module, if it was told; NULL. */
const struct module_file *profile_module_file(const struct profile *p, name_id module);

struct profile *profile_new(void);
/* A profile with the tables and values of p, to which more can be added: ids of p mean the same in
 * it.  Free it with profile_free(), before p: it reads the bytes of p's names, and its tracks name
 * the series of p, which stay p's.  Copies no `gone`, `plain` or `weight`. */
struct profile *profile_branch(const struct profile *p);
/* Before anything is loaded: the first so many files will be compared with those that
 * follow.  Functions of a file are those of the ones before where they are alike (alike.h). */
void profile_compare_files(struct profile *p, uint32_t n_base);
/* Is this track of what a comparison starts from? */
bool profile_is_base(const struct profile *p, uint32_t track);
void profile_free(struct profile *p);

/* The metric with this name, or METRIC_NONE.  Hidden ones are not found. */
metric_id profile_metric(const struct profile *p, const char *name, size_t len);
/* The default metric; METRIC_NONE when there is none at all.  Where files are compared,
 * one that both have, if there is such. */
metric_id profile_default_metric(const struct profile *p);
/* True for a metric that users can choose. */
bool profile_metric_shown(const struct profile *p, metric_id m);
/* What 1 of metric m of a series counts as in the base unit of the metric: more than 1 where
 * that has decimals which this series lacks, because it counts and carries no numbers. */
int64_t profile_metric_unit(const struct profile *p, const struct series *s, unsigned m);

/* The line of a stack's leaf and so on: short cuts through the tables. */
static inline const struct frame *
profile_frame(const struct profile *p, frame_id f)
{
	return &p->frames.frame[f];
}

/* The stack without the frames of labels. */
static inline stack_id
profile_plain(const struct profile *p, stack_id s)
{
	return p->plain ? p->plain[s] : s;
}

static inline const struct function *
profile_function(const struct profile *p, function_id f)
{
	return &p->frames.function[f];
}

/* Appends a name as it is shown to people (human_shown()), with the profile's charset.
 * Never more than 4 bytes out for one in. */
void profile_show_name(const struct profile *p, name_id id, struct buf *out);
/* The same for a file that programs read (human_bytes()). */
void profile_write_name(const struct profile *p, name_id id, struct buf *out);

/* The value of a label, for people or for programs. */
void profile_write_label(const struct profile *p, const struct label *l, bool programs,
			 struct buf *out);
/* A whole set: `key=value,key=value`, by key. */
void profile_write_labels(const struct profile *p, labels_id set, bool programs,
			  struct buf *out);

/* One of several files could not be read: the profile is not complete.  Texts are copied. */
void profile_miss_file(struct profile *p, const char *file, const char *why);
/* Why that file could not be read; NULL: it was, or may still be. */
const char *profile_missed(const struct profile *p, const char *file);

/* Walks the whole model and checks every invariant that the headers state.  False
 * with a description in *e when one does not hold: a bug, never bad input. */
bool profile_check(const struct profile *p, struct err *e);

#endif
