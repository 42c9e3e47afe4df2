/* inspections.h - questions that people put to a profile, each answered in a few steps, as
 * the section INSPECTIONS of pnav(1) tells them: the manual, the guide of the browser, the
 * list of `pnav report --guide` and the tests are one text.
 *
 *	struct inspections all = {0};
 *	if (inspections_read(&all, page, len, &e)) ...
 *	unsigned has = needs_of(profile);
 *	if (!(all.list.at[0].needs & ~has)) ...   -- it may be asked of this profile
 *	inspections_release(&all);
 *
 * HACKING.md has the convention in which they are marked up. */
#ifndef PNAV_MODEL_INSPECTIONS_H
#define PNAV_MODEL_INSPECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"

struct profile;

/* What a question, or one of its steps, needs of a profile: a bit, the word of the page,
 * and what the profile lacks without it. */
#define NEEDS(X)                                                                           \
	X(STACKS, "stacks", "stacks of more than one frame")                               \
	X(TIME, "time", "times")                                                           \
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
	X(LIVE, "live", "memory that is still held")

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

/* What a step may change, and the word of the page: held against the numbers of the profile
 * after the step was played (ui/app/app_effects.c). */
#define EFFECTS(X)                                                                         \
	X(VIEW, "view")	      /* the name of one */                                        \
	X(ROW, "row")	      /* hottest: the selected row has the most self */            \
	X(SORT, "sort")	      /* a column, with - in front of it turned round */           \
	X(TRACKS, "tracks")   /* one, less, more: how many count */                        \
	X(TOTAL, "total")     /* less, same, more */                                       \
	X(RANGE, "range")     /* less, more, moved */                                      \
	X(METRIC, "metric")   /* a unit, a name, other */                                  \
	X(BY, "by")	      /* a granularity */                                          \
	X(FILTERS, "filters") /* more, less */                                             \
	X(BASE, "base")	      /* kept, none: is there something to compare with? */        \
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
	char *keys;        /* as `--keys` takes them; "": only the reader does something */
	char *choice;      /* what the reader chooses after them; NULL: nothing */
	char *text;        /* what to look at, a sentence */
	VEC(char *) shows; /* words that the screen has then, on every profile */
	VEC(struct inspection_effect) effects; /* what is so after it, and was not before */
	unsigned needs;    /* bits of enum need: it is left out without them */
};

/* A word of a command line; a blank is to be filled: `file`, `function`, `metric`. */
struct inspection_word {
	char *text;
	bool blank;
};

struct inspection {
	char *name, *title;
	char *when; /* to ask it: a sentence or two */
	unsigned needs;
	VEC(char *) views; /* in which it is likely to be asked */
	VEC(struct inspection_step) steps;
	VEC(struct inspection_word) command; /* behind `pnav report`: the same answer */
};

struct inspections {
	VEC(struct inspection) list;
};

/* Reads them from the page, an mdoc(7) source.  False with usage in *e, which tells the line,
 * where the markup is not the convention; what was read before stays. */
bool inspections_read(struct inspections *all, const char *page, size_t len, struct err *e);
void inspections_release(struct inspections *all);
/* NULL when there is none of that name. */
const struct inspection *inspection_named(const struct inspections *all, const char *name);
/* Is it likely to be asked in this view? */
bool inspection_is_for(const struct inspection *q, const char *view);

/* What there is of a profile, as bits of enum need. */
unsigned needs_of(const struct profile *p);
/* Appends what is lacking, "times, stacks of more than one frame"; nothing for none. */
void needs_say(unsigned lacking, struct buf *out);

#endif
