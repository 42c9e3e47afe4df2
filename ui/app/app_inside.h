/* app_inside.h - the application's state, and what all of its files use; nobody else
 * includes it.
 *
 * The files stand on each other, and know only those further up this list:
 *
 * app.c         what is looked at, its history, messages
 * app_views.c   the views that there are, and their state
 * app_front.c   opens what stands in front of the view: prompt, menu, pager
 * app_lines.c, app_hints.c   the lines around the view
 * app_draw.c    the arrangement of the screen, and drawing
 * app_effects.c what a step of the guide has changed
 * app_marks.c, app_range.c, app_save.c, app_guide.c, app_ask.c, app_command.c,
 * app_filters.c, app_menus.c, app_name.c, app_rows.c, app_edit.c,
 * app_help.c, app_tracks.c, app_labels.c, app_sql.c
 *               a topic each, with the rows of its actions (app_actions.h)
 * app_act.c     any action
 * app_greet.c   what is said of the reading
 * app_loop.c    events, and the loop */
#ifndef PNAV_UI_APP_APP_INSIDE_H
#define PNAV_UI_APP_APP_INSIDE_H

#include "model/table/inspections.h"
#include "model/fold/labelsum.h"
#include "model/lens/regroup.h"
#include "ui/app/app.h"
#include "ui/app/marks.h"
#include "ui/part/answer.h"
#include "ui/part/details.h"
#include "ui/part/hues.h"
#include "ui/part/menu.h"
#include "ui/part/modal.h"
#include "ui/part/pager.h"
#include "ui/part/prompt.h"
#include "ui/part/scrubber.h"
#include "ui/part/slowest.h"
#include "ui/part/strip.h"
#include "ui/part/work.h"
#include "ui/view/source/source_files.h"
#include "ui/view/view.h"

#define VIEWS_MAX 16

/* Where the parts of the screen are. */
struct app_places {
	struct area header, scrubber, range, tabs, view, legend, progress, details, strip, bottom;
};

enum asked {
	ASKED_SEARCH,
	ASKED_FILTER,
	ASKED_COMMAND,
	ASKED_FILE,
	ASKED_MARK,
	ASKED_LENGTH,
	ASKED_ROWS,
	ASKED_SQL,
	ASKED_KINDS,
};

/* Steps of the range that follow each other without anything between them are undone
 * together when they are of one kind, as far as a held key or a drag went. */
enum range_step { RANGE_STEP_OWN, RANGE_STEP_SLIDE, RANGE_STEP_RESIZE, RANGE_STEP_DRAG };

/* What a fold shows. */
struct app_seen {
	struct lens lens, base; /* always initialised */
	bool comparing;         /* with the base */
	const struct profile *p; /* as labels make it: its regroup's */
	struct regroup *regroup;
	uint64_t generation;    /* of the loaded profile */
	int64_t recorded;       /* the metric in the range, before filters and tracks */
};

/* What is looked at.  app.c alone writes here. */
struct app_look {
	struct lens lens;  /* what the user asked for */
	VEC(struct lens) undo, redo;
	bool comparing;   /* with `base`: the lens as it was when it was kept */
	struct lens base; /* only its range and tracks count; always initialised */
	enum range_step step; /* what the last change was: another of its kind joins it */
	bool fits;        /* the lens has fitted the profile */
	const struct profile *loaded; /* as it was read; scene.p: as labels make it */
	struct fold *fold;     /* what is seen */
	struct app_seen seen;  /* the lens, or a preview of another */
	struct work *work;     /* makes the next one */
	struct fold *other;    /* that, and when it is over what was seen before */
	struct app_seen of_other;
	bool has_other;        /* it is whole */
	bool changes;          /* the next one is one that the user asked for */
	bool stale;            /* the profile has grown: the next one is made anew */
	struct search found;   /* the search in the other one */
	struct outline outline; /* and how it is shown */
	uint64_t generation; /* of the profile when it was folded */
	bool done;           /* it was all there */
	int64_t next_ns;     /* when to fold what has grown, at the earliest */
	int64_t used_ns;     /* of a processor, when that was planned */
};

/* The views: the one that is shown, and the way back. */
struct app_open {
	const struct view_ops *view;
	void *states[VIEWS_MAX]; /* one a row of views[] */
	const struct view_ops *before[VIEWS_MAX];
	size_t n_before;
	const struct view_ops *arranged; /* which one app_arrange() arranged last, */
	uint64_t arranged_folds;         /* and for which fold: scene.folds then */
	bool fits_profile; /* nobody chose the view: the profile may, until a key does */
};

/* What stands in front of the view; opened by app_front.c alone. */
struct app;
struct app_front {
	struct modals stack; /* those of the next three that are open */
	struct prompt prompt;
	struct menu menu;
	struct pager pager;
	struct prompt_history history[ASKED_KINDS];
	/* Takes choice i of the pager; whoever opened it with choices sets it. */
	void (*chosen)(struct app *a, size_t i);
};

enum found_due { FOUND_NOTHING, FOUND_TYPED, FOUND_ENTERED };

/* What the open prompt is about: app_ask.c's, and `file` app_save.c's. */
struct app_asked {
	bool search_due;     /* nor the search that is */
	enum found_due found_due; /* what is to be done when it has found something */
	uint64_t moves;      /* of the selection when that was asked for */
	int steps;           /* and how many matches to go on then */
	bool preview_due;    /* the filter being typed is not shown yet */
	bool note_due;       /* nor is what it leaves told */
	size_t entered;      /* the entry that was entered, + 1, until it is seen; 0: none */
	char *search_before; /* what was searched when the prompt opened, or NULL */
	struct nav from;     /* what was selected then */
	struct pattern *rows_before; /* which rows the table had; NULL: all */
	size_t editing;      /* the entry being edited; SIZE_MAX: a new one */
	enum verb verb;      /* of the entry being entered */
	int64_t before;      /* what there is without it */
	bool before_known;
	uint64_t before_of; /* the profile's generation then */
	int file;            /* enum asked_file, or an export */
};

/* A key that a step plays. */
struct guide_key {
	uint32_t key;
	size_t word;      /* of the step's keys */
	int64_t after_ns; /* the key before */
};

struct guide_state;

/* What a step of the guide may change: app_effects.c measures it. */
struct guide_facts {
	const char *view;
	char sorted[32]; /* the column of its order, `-calls` turned round; "": none */
	metric_id metric;
	enum granularity by;
	key_id key; /* of the selection */
	uint32_t tracks, matches;
	bool one_name; /* the tracks that count are all called the same */
	bool inverted, whole, compares, focus;
	size_t entries;
	int64_t total, from, to;
};

/* The inspection that is played: app_guide.c's. */
struct app_guide {
	const struct inspection *now; /* NULL: none */
	VEC(size_t) steps;            /* those that this profile has what they need for */
	size_t done;                  /* of them */
	VEC(struct guide_state *) before; /* the states before those, and before the present one */
	VEC(struct guide_key) keys;   /* of the step that is played */
	size_t next;                  /* of the keys */
	int64_t due_ns;
	bool playing;          /* the event comes from the guide */
	bool waiting, opened;  /* for a choice, in what the keys have opened */
	bool check_due;        /* what the last step changed is not measured yet */
	bool failed;           /* it did not change what it says: it is the present one still */
	unsigned tries;        /* of the present step */
	struct guide_facts was; /* before it */
	struct keymap keymap;  /* the default keys */
	struct strip strip;
};

/* What is left behind each of the first entries of the lens: app_filters.c's. */
struct app_shares {
	struct work *work;
	bool due; /* of more entries it is wanted */
	VEC(struct app_share) at;
	size_t told; /* stand in the list */
};

struct app_share {
	bool known;
	int64_t left, all;
};

/* The list of labels that is asked for: app_labels.c's. */
struct app_labelled {
	struct work *work;
	struct labelsum sum;
	bool due, made;
};

/* What is read meanwhile. */
struct app_load {
	struct app_state state;
	bool paused;      /* what is read meanwhile is not shown */
	bool restore_due; /* the session is not shown yet */
	bool guide_due;   /* the guide has not begun yet */
	bool greet_due;   /* all is read, and not seen yet */
	uint32_t missed;  /* so many files that could not be read are reported */
};

/* The bottom line, where it is not keys.  app.c alone writes here. */
struct app_message {
	struct buf text; /* empty: nothing is told */
	bool fault;
};

/* The tracks as their list stood last, and of what that was: to look at each of thirty thousand
 * takes longer than a key may. */
struct app_busy {
	struct busy *order; /* owned; app_tracks.c knows what it is */
	uint32_t n;
	int64_t all, from, to;
	uint64_t of, generation; /* of, the serial of its names, the profile */
	metric_id metric;
	bool whole;
};

struct app {
	const struct app_config *config;
	struct app_loader loader;
	struct screen *screen;
	struct canvas canvas;
	struct app_places at; /* written by app_arrange() */

	struct app_look look;
	struct app_load load;
	struct app_open open;
	struct app_front front;
	struct app_asked asked;
	struct app_message message;
	struct app_guide guide;
	struct app_labelled labels;
	struct app_shares shares;
	struct app_busy busy;

	struct scene scene; /* what views see: the fold, and the next five */
	struct works works;
	struct outline outline;
	struct nav nav;
	struct search search;
	struct finder finder;
	struct view_facts facts;
	struct source_places sources;

	struct hues hues;
	struct slowest slowest;
	struct question question;
	struct scrubber scrubber;
	struct details details;
	struct keymap keys;
	struct marks marks;
	bool again_due;  /* the store is to be asked, when the prompt has closed */
	enum action due; /* chosen in front of the view: done when that has closed */
	bool drag_in_view; /* the click before a drag was in the view */
	bool touched; /* a key was pressed: who sits there knows one */
	bool mouse_on, quit;
};

/* Are there questions for the guide? */
static inline bool
app_has_questions(const struct app *a)
{
	return a->config->inspections && a->config->inspections->list.n;
}

/* Shows the profile through l, now or, where that takes long, as soon as it is made: until
 * then what was seen before is.  False with usage in *e, and nothing changed. */
bool app_look(struct app *a, const struct lens *l, struct err *e);
/* Folds the profile through another lens, which is not shown: for its numbers.  *g keeps
 * what that takes between calls (start with NULL); regroup_free(*g) ends it.  It rests
 * where f has a pace. */
bool app_fold(const struct app *a, struct regroup **g, struct fold *f, const struct lens *l,
	      struct err *e);
/* What is seen, where that is all of the profile through no lens; else NULL. */
const struct fold *app_plain_fold(const struct app *a);
/* One of the two, anew, when the profile has grown. */
bool app_look_grown(struct app *a, struct err *e);
/* Calls call(a, ctx), which may take as long as the user likes, while the loader goes on.  What was
 * worked on is begun anew behind it. */
void app_meanwhile(struct app *a, void (*call)(struct app *a, void *ctx), void *ctx);
/* Goes on with all that is worked on, for a few milliseconds; true when there is more. */
bool app_work(struct app *a);
/* A portion of a search that is due; true when nothing is. */
bool app_find(struct app *a, int64_t portion_ns);
/* What the user asked for last is seen when this returns. */
void app_look_finish(struct app *a);
/* Breaks that off, and says so; false when there was nothing to do. */
bool app_look_settle(struct app *a);
/* How long the next picture is waited for. */
bool app_look_is_late(const struct app *a);
/* What is asked for and not seen yet; NULL: nothing. */
const struct lens *app_look_awaited(const struct app *a);
/* Makes *l (taken over) the lens, undoably; says so when it does not fit. */
bool app_change(struct app *a, struct lens *l);
/* The same for a step of the range. */
bool app_change_range(struct app *a, struct lens *l, enum range_step step);
/* Something else was done: the next step of the range is one of its own. */
void app_end_steps(struct app *a);
void app_undo(struct app *a, bool redo);
/* Shows the profile through l again, compared with `base` (NULL: nothing), as a change. */
void app_return(struct app *a, const struct lens *l, const struct lens *base);
/* Keeps the present range and tracks to compare with, or ends the comparison. */
void app_compare(struct app *a);
/* Rows of a comparison that may be chance are left out, or not. */
void app_sure_only(struct app *a, bool on);
void app_look_init(struct app *a, const struct app_config *config, const struct profile *loaded);
void app_look_release(struct app *a);

void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_fault(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What was said is read. */
void app_hush(struct app *a);

/* The state of a view, which is made when it is first asked for. */
void *app_view_state(struct app *a, const struct view_ops *v);
/* That of the view that is open; NULL when it was never arranged. */
void *app_shown_state(const struct app *a);
/* Does a session have to say what the colours tell: is it not as it would be without? */
bool app_colour_by_said(const struct app *a);
void app_open_view(struct app *a, const struct view_ops *v);

#endif
