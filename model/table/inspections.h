/* inspections.h - questions about a profile, each answered in a few steps. Their source is the
 * section INSPECTIONS of pnav-inspections(7): manual, guide of the browser, `pnav report --guide`
 * and tests share one text.
 *
 *	struct inspections all = {0};
 *	if (inspections_read(&all, page, len, &e)) ...
 *	unsigned has = needs_of(profile);
 *	if (!(all.list.at[0].needs & ~has)) ...   -- this profile can answer it
 *	inspections_release(&all);
 *
 * HACKING.md describes the markup. */
#ifndef PNAV_MODEL_TABLE_INSPECTIONS_H
#define PNAV_MODEL_TABLE_INSPECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"

struct profile;

/* The needs of a question or of one of its steps: bit, word on the page, and what a profile
 * without it lacks. */
#define NEEDS(X)                                                                           \
	X(STACKS, "stacks", "stacks of more than one frame")                               \
	X(TIME, "time", "times")                                                           \
	X(CLOCK, "clock", "times in seconds")                                              \
	X(RUNNING, "running", "threads that run over time")                                \
	X(CALLS, "calls", "begins and ends of calls")                                      \
	X(COUNTS, "counts", "counts of calls")                                             \
	X(MEMORY, "memory", "a metric in bytes")                                           \
	X(METRICS, "metrics", "several metrics")                                           \
	X(TRACKS, "tracks", "several threads, cores or tasks")                             \
	X(COMPARISON, "comparison", "two files or ranges to compare")                      \
	X(SINGLE, "single", "one recording, not two compared")                             \
	X(LINES, "lines", "lines of source files")                                         \
	X(MODULES, "modules", "several modules")                                           \
	X(SYSTEM, "system", "functions of the system")                                     \
	X(VALUES, "values", "counters, states or marks")                                   \
	X(LIVE, "live", "memory that is still held")                                       \
	X(STATES, "states", "states of threads")                                           \
	X(LOOK, "look", "what threads wait for (pnav stacks)")                             \
	X(USAGE, "usage", "what tasks wait for and write (record -a --usage)")             \
	X(SCRIPTS, "scripts", "functions in files of Python, Ruby or PHP")

enum need_place {
#define NEED_PLACE(id, word, lack) NEED_PLACE_##id,
	NEEDS(NEED_PLACE)
#undef NEED_PLACE
		NEED_PLACES
};

enum need {
#define NEED_BIT(id, word, lack) NEED_##id = 1 << NEED_PLACE_##id,
	NEEDS(NEED_BIT)
#undef NEED_BIT
};

/* The effects that a step may have, and their words on the page. ui/app/app_effects.c compares them
 * with the numbers of the profile after the step. */
#define EFFECTS(X)                                                                         \
	X(VIEW, "view")	      /* the name of a view */                                     \
	X(ROW, "row")	      /* hottest: the selected row has the most self */            \
	X(SORT, "sort")	      /* a column; descending if preceded by - */                  \
	X(TRACKS, "tracks")   /* one, less, more: number of tracks */                      \
	X(TOTAL, "total")     /* less, same, more */                                       \
	X(RANGE, "range")     /* less, more, moved */                                      \
	X(METRIC, "metric")   /* a unit, a name, other */                                  \
	X(BY, "by")	      /* a granularity */                                          \
	X(FILTERS, "filters") /* more, less */                                             \
	X(BASE, "base")	      /* kept, none: whether there is a base */                    \
	X(STACKS, "stacks")   /* inverted, upright */                                      \
	X(MATCHES, "matches") /* some */                                                   \
	X(FOCUS, "focus")     /* scrubber, view */

enum effect {
#define EFFECT_ENUM(id, word) EFFECT_##id,
	EFFECTS(EFFECT_ENUM)
#undef EFFECT_ENUM
		EFFECT_COUNT
};

struct inspection_effect {
	enum effect what;
	char *value;
};

struct inspection_step {
	char *keys;        /* as `--keys` takes them; "": the reader acts */
	char *choice;      /* what the reader chooses after the keys; NULL: nothing */
	char *text;        /* what to look at, a sentence */
	VEC(char *) shows; /* words that the screen shows then, on every profile */
	VEC(struct inspection_effect) effects; /* conditions that hold after the step, and did
					        * not before */
	unsigned needs;    /* bits of enum need: the step is omitted without them */
};

/* A word of a command line; a blank is to be filled in: `file`, `function`, `metric`. */
struct inspection_word {
	char *text;
	bool blank;
};

struct inspection {
	char *name, *title;
	char *when; /* when to ask it: a sentence or two */
	unsigned needs;
	VEC(char *) views; /* the views in which people are likely to ask it */
	VEC(struct inspection_step) steps;
	VEC(struct inspection_word) command; /* the words behind `pnav report` that give the same
					      * answer */
};

struct inspections {
	VEC(struct inspection) list;
};

/* Parses the questions from the page, mdoc(7) source. If the markup does not follow the
 * convention, returns false with usage and the line in *e; what was parsed before stays. */
bool inspections_read(struct inspections *all, const char *page, size_t len, struct err *e);
void inspections_release(struct inspections *all);
/* Returns the question with that name, or NULL. */
const struct inspection *inspection_named(const struct inspections *all, const char *name);
/* Returns true if people are likely to ask it in this view. */
bool inspection_is_for(const struct inspection *q, const char *view);

/* Returns which needs a profile meets, as bits of enum need. */
unsigned needs_of(const struct profile *p);
/* Appends what is lacking, "times, stacks of more than one frame"; nothing if nothing is. */
void needs_say(unsigned lacking, struct buf *out);

#endif
