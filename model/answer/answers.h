/* answers.h - questions about a profile, answered with its numbers.
 *
 * The manual lists inspections: questions, and the keys that answer them. Here the answers are
 * computed: a sentence with numbers, intervals where chance plays a part, and how notable the
 * answer is. Reports, SQL and the browser show the same list.
 *
 *	struct answers all = {0};
 *	answers_make(&all, &(struct answers_asks){.p = p, .lens = &lens});
 *	for (size_t i = 0; i < all.list.n; i++)
 *		... buf_str(&all.list.at[i].text) ...
 *	answers_release(&all);
 *
 * An answer is a row of the table `answers_rows`: its name, what it needs of a profile, and the
 * function that computes it. */
#ifndef PNAV_MODEL_ANSWER_ANSWERS_H
#define PNAV_MODEL_ANSWER_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/lens/commandline.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"

/* The needs of an answer, each with the text for a profile without it. */
#define ANSWERS_NEEDS(X)                                                                   \
	X(COSTS, "nothing was recorded")                                                   \
	X(TIME, "no thread, task or core runs over time")                                  \
	X(CALLS, "no begins and ends of calls")                                            \
	X(COUNTERS, "no counters")                                                         \
	X(LIVE, "no memory that is still held, over time")                                 \
	X(WAITS, "no states, off-CPU samples or calls of threads")                         \
	X(BASE, "nothing to compare with")

enum answers_place {
#define ANSWERS_PLACE(id, lack) ANSWERS_PLACE_##id,
	ANSWERS_NEEDS(ANSWERS_PLACE)
#undef ANSWERS_PLACE
		ANSWERS_PLACES
};
enum answers_need {
#define ANSWERS_NEED(id, lack) ANSWERS_NEED_##id = 1 << ANSWERS_PLACE_##id,
	ANSWERS_NEEDS(ANSWERS_NEED)
#undef ANSWERS_NEED
};

struct answers_work;
struct answers_item;

/* A question. */
struct answers_row {
	const char *name; /* in reports: must not change */
	const char *question;
	const char *guide;   /* the inspection of the manual that shows the answer */
	const char *view;    /* of `pnav report`, which shows it; NULL: functions */
	const char *words;   /* further options of that view; NULL: none */
	unsigned needs;      /* bits of enum answers_need */
	/* Writes text, numbers and notable; the text is empty before. */
	void (*find)(struct answers_work *w, struct answers_item *out);
};

/* A number of an answer. */
struct answers_number {
	char *subject;    /* what it is about: a function, a track, a class; "": the profile */
	const char *name; /* a constant */
	const char *unit; /* %, ns, bytes, bytes/s, count, ratio: a constant */
	double value;
	bool bounded; /* low and high are the 95 % interval; else the number has no such error */
	double low, high;
};

/* The view that shows an answer, in reports and in the browser. */
struct answers_shown {
	struct lens lens, base; /* always initialised in an item of a list */
	bool compares;       /* the lens with the range and tracks of `base` */
	bool ranges;         /* the range is the answer's own */
	const char *view;    /* as in struct answers_row */
	struct buf words;    /* further options; empty: those of the row */
	function_id function; /* the view lists its calls; KEY_NONE: of all functions */
};

/* An answer. */
struct answers_item {
	const struct answers_row *row;
	unsigned notable; /* 0 no, 1 yes, 2 strongly */
	bool lacks;       /* the profile has not what the answer needs */
	struct buf text;  /* one sentence, for people */
	struct answers_shown shown;
	struct buf command; /* a command line for a shell that shows it; empty if it lacks data */
	VEC(struct answers_number) numbers;
};

struct answers {
	VEC(struct answers_item) list; /* sorted: the most notable first, those that lack data
					 * last, else as in the table */
	bool complete; /* false if the pace cancelled: the list has the answers found before */
};

/* The input of answers_make(). */
struct answers_asks {
	const struct profile *p; /* with the lens's labels applied (regroup.h) */
	const struct lens *lens;
	const struct lens *kept; /* the base of a comparison of ranges or tracks: lens_base();
				  * NULL: none */
	const struct commandline *line; /* how the profile was loaded; NULL: unknown, so that the
					 * commands name the profile's own files */
	struct fold *fold;  /* one of p and lens, which saves another; may be NULL */
	struct pace *pace;  /* may be NULL */
	bool unfinished;    /* counts slices whose end the file lacks, too */
	bool programs;      /* subjects are names for programs, not for a screen */
};

/* Computes all answers; empties `out` first. O(nodes + stacks), and the answers about time and
 * calls O(events). */
void answers_make(struct answers *out, const struct answers_asks *asks);
void answers_release(struct answers *a);

#endif
