/* excerpt.h - a new profile from parts of another one, to hand on (src/encode/pack*.c).
 *
 * The caller decides which tracks, events and stacks the excerpt has. Names, metrics, labels and
 * facts are copied as they are needed, so it contains nothing else of the other profile.
 *
 *	struct excerpt *x = excerpt_new(p, NULL);
 *	excerpt_file(x, 0);
 *	excerpt_track(x, 3);
 *	excerpt_series(x, p->track[3].series[0]);
 *	stack_id s = excerpt_stack(x, STACK_EMPTY, &frame);
 *	excerpt_sample(x, time, s, values, labels);
 *	struct profile *q = excerpt_finish(x);		-- for profile_free()
 *
 * Where a number cannot be added (a sum exceeds 2^63), the event is left out, and excerpt_lost()
 * says so. */
#ifndef PNAV_MODEL_DERIVE_EXCERPT_H
#define PNAV_MODEL_DERIVE_EXCERPT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/profile.h"

struct excerpt;

/* Writes another name for one of the profile to `out`: to hand on numbers without names. */
struct excerpt_rename {
	void (*rename)(void *ctx, struct name name, struct buf *out);
	void (*metric)(void *ctx, struct name name, struct buf *out); /* the same for a metric */
	void *ctx;
};

/* Begins an excerpt of p, which is borrowed. With `rename` names of functions, files, modules,
 * tracks, processes and labels are replaced, and facts and warnings are left out. */
struct excerpt *excerpt_new(const struct profile *p, const struct excerpt_rename *rename);
/* Ends it and returns the new profile. */
struct profile *excerpt_finish(struct excerpt *x);
/* Returns true if an event was left out. */
bool excerpt_lost(const struct excerpt *x);

/* Begins the next file, whose tracks follow. Files come in the order of the profile. */
void excerpt_file(struct excerpt *x, uint32_t file);
/* Adds a fact about the file. */
void excerpt_info(struct excerpt *x, const char *key, const char *value);
/* Begins a copy of a track, without its events. */
void excerpt_track(struct excerpt *x, track_id t);
/* Copies the inclusive costs that the file states for that track, t of the other profile. */
void excerpt_stated(struct excerpt *x, track_id t);
/* Begins a series of the same form in that track. */
void excerpt_series(struct excerpt *x, const struct series *s);
/* The default metric of the excerpt. */
void excerpt_default(struct excerpt *x, metric_id m);

/* A frame by the names of the other profile. */
struct excerpt_frame {
	struct function function;
	struct line line;
	bool inlined;
	uint64_t address;
};
/* Returns the stack of this frame below another stack of the excerpt. */
stack_id excerpt_stack(struct excerpt *x, stack_id parent, const struct excerpt_frame *f);

/* Append an event to the series; stacks are those of the excerpt, labels those of the other
 * profile, values [metric of the other series], in the metric's base unit. */
void excerpt_step(struct excerpt *x, int64_t time, stack_id stack, uint32_t flags, int64_t beside,
		  labels_id labels);
void excerpt_sample(struct excerpt *x, int64_t time, stack_id stack, const int64_t *values,
		    labels_id labels);
void excerpt_total(struct excerpt *x, stack_id stack, const int64_t *values, labels_id labels);
/* The same for the sum of several totals. */
void excerpt_sums(struct excerpt *x, stack_id stack, const int64_t *values);
void excerpt_point(struct excerpt *x, int64_t time, int64_t value, labels_id labels);
/* Copies the part of the states of an actor that lies in [from, to), on the clock of the file, and
 * the actors that woke it, by their names. Call it after the tracks of the file. */
void excerpt_states(struct excerpt *x, actor_id a, int64_t from, int64_t to);
/* Copies an edge, which begins at `from` at the earliest. */
void excerpt_edge(struct excerpt *x, const struct edge *edge, int64_t from);
/* Sets the end of the last step. */
void excerpt_end(struct excerpt *x, int64_t time);

#endif
