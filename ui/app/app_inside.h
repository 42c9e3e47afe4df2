/* app_inside.h - the application's state, and the functions that its files share; private to
 * ui/app.
 *
 * Each file uses only the files above it in this list:
 *
 * app_say.c     messages
 * app_look.c    the visible state: makes the folds
 * app_change.c  changes of the lens, and their history
 * app_views.c   the views and their state
 * app_front.c   opens prompts, menus and pagers in front of the view
 * app_lines.c, app_tabs.c, app_hints.c   the lines around the view
 * app_hover.c   the card under the mouse pointer
 * app_draw.c    the arrangement of the screen, and drawing
 * app_effects.c measures the effects of a step of the guide
 * app_marks.c, app_range.c, app_save.c, app_guide.c, app_ask.c, app_command.c, app_filters.c,
 * app_menus.c, app_name.c, app_odd.c, app_rows.c, app_edit.c, app_help.c, app_tracks.c,
 * app_labels.c, app_sql.c, app_answers.c, app_calls.c, app_palette.c, app_why.c
 *               a topic each, with the rows of its actions (app_actions.h)
 * app_stand.c   the state of the browser, to return to it
 * app_carry.c   hands that to the browser of a newer part of a recording
 * app_act.c     any action
 * app_greet.c   messages about loading
 * app_rest.c    parts of the picture that wait for the end of a held key
 * app_loop.c    events, and the loop */
#ifndef PNAV_UI_APP_APP_INSIDE_H
#define PNAV_UI_APP_APP_INSIDE_H

#include "model/answer/answers.h"
#include "model/answer/oddpart.h"
#include "model/derive/derived.h"
#include "model/fold/labelsum.h"
#include "model/table/inspections.h"
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
#include "ui/part/sparks.h"
#include "ui/part/strip.h"
#include "ui/part/work.h"
#include "ui/view/source/source_files.h"
#include "ui/view/view.h"

#define VIEWS_MAX 16

/* The places of the screen's parts. */
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
	ASKED_RANGE,
	ASKED_KINDS,
};

/* Consecutive steps of the range of one kind are undone together, as far as a held key or a drag
 * went. */
enum range_step { RANGE_STEP_OWN, RANGE_STEP_SLIDE, RANGE_STEP_RESIZE, RANGE_STEP_DRAG };

/* The state that a fold shows. */
struct app_seen {
	struct lens lens, base;  /* always initialised */
	bool comparing;          /* with the base */
	const struct profile *p; /* as its lens shows it */
	struct derived *derived;
	uint64_t generation;    /* of the loaded profile */
	int64_t recorded;       /* the metric in the range, before filters and tracks */
};

/* A step of the undo goes back to a lens, and to what it was compared with. */
struct app_step {
	struct lens lens;
	struct lens base; /* only its range and tracks count; always initialised */
	bool comparing;   /* with `base`: the lens at the time it was kept */
};

/* The steps before and after the current one, the nearest last. */
struct app_history {
	VEC(struct app_step) undo, redo;
};

/* The fold and the lens.  Only app_look.c and app_change.c write here. */
struct app_look {
	struct app_step now; /* the requested one */
	struct app_history history;
	enum range_step step; /* the kind of the last change: the next one of this kind joins it */
	bool fits;            /* the lens has fitted the profile */
	const struct profile *loaded; /* as read; scene.p: as the lens shows it */
	struct fold *fold;            /* the visible one */
	struct app_seen seen;         /* the lens, or a preview of another */
	struct work *work;            /* makes the next one */
	struct fold *other;           /* that, and afterwards the previously visible one */
	struct app_seen of_other;
	bool has_other;         /* it is complete */
	bool changes;           /* the user requested the next one */
	bool stale;             /* the profile has grown: the next one is made again */
	struct search found;    /* the search in the other one */
	struct outline outline; /* and its outline */
	uint64_t generation;    /* of the profile when it was folded */
	bool done;              /* it was complete */
	int64_t next_ns;        /* the earliest time to fold new data */
	int64_t used_ns;        /* of a processor, at the time of planning */
};

/* The range that the key for a path set, and the one before. */
struct app_why {
	struct moment from, to, was_from, was_to;
};

/* The views: the open one, and the way back. */
struct app_open {
	const struct view_ops *view;
	void *states[VIEWS_MAX]; /* one a row of views[] */
	const struct view_ops *before[VIEWS_MAX];
	size_t n_before;
	const struct view_ops *proposer; /* which one proposed the selection, if it is proposed */
	const struct view_ops *arranged; /* which one app_arrange() arranged last, */
	uint64_t arranged_folds;         /* and for which fold: scene.folds then */
	bool fits_profile; /* the user chose no view: the profile may, until a key is pressed */
};

/* The modals in front of the view; only app_front.c opens them. */
struct app;
struct app_front {
	struct modals stack; /* those of the next three that are open */
	struct prompt prompt;
	struct menu menu;
	struct pager pager;
	struct prompt_history history[ASKED_KINDS];
	/* Takes choice i of the pager; set by the opener of a pager with choices. */
	void (*chosen)(struct app *a, size_t i);
};

enum found_due { FOUND_NOTHING, FOUND_TYPED, FOUND_ENTERED };

/* The subject of the open prompt: app_ask.c's, and `file` app_save.c's. */
struct app_asked {
	bool search_due;             /* nor is the search itself */
	enum found_due found_due;    /* what to do with the first match */
	uint64_t moves;              /* of the selection at the time of the request */
	int steps;                   /* and the number of matches to advance then */
	bool preview_due;            /* the typed filter is not visible yet */
	bool note_due;               /* its effect is not reported yet */
	size_t entered;              /* the accepted entry, + 1, until it is visible; 0: none */
	char *search_before;         /* the search when the prompt opened, or NULL */
	struct nav from;             /* the selection then */
	struct pattern *rows_before; /* the pattern of the table's rows; NULL: all */
	size_t editing;              /* the entry being edited; SIZE_MAX: a new one */
	enum verb verb;              /* of the entry being entered */
	int64_t before;              /* the value without it */
	bool before_known;
	uint64_t before_of; /* the profile's generation then */
	int file;            /* enum asked_file, or an export */
};

/* A key that a step plays. */
struct guide_key {
	uint32_t key;
	size_t word;      /* of the step's keys */
	int64_t after_ns; /* after the previous key */
};

struct app_stand;

/* The state that a step of the guide may change, measured by app_effects.c. */
struct guide_facts {
	const char *view;
	char sorted[32]; /* the column of its order, `-calls` if reversed; "": none */
	metric_id metric;
	enum granularity by;
	key_id key; /* of the selection */
	uint32_t tracks, matches;
	bool one_name; /* the chosen tracks have one name */
	bool inverted, whole, compares, focus;
	size_t entries;
	int64_t total, from, to;
};

/* The question being played: app_guide.c's. */
struct app_guide {
	const struct inspection *now;     /* NULL: none */
	VEC(size_t) steps;                /* those whose requirements this profile meets */
	size_t done;                      /* of them */
	VEC(struct app_stand *) before; /* the states before those, and before the current one */
	VEC(struct guide_key) keys;       /* of the current step */
	size_t next;                      /* of the keys */
	int64_t due_ns;
	bool playing;           /* the event comes from the guide */
	bool waiting, opened;   /* for a choice, in the modal that the keys opened */
	bool check_due;         /* the last step's change is not measured yet */
	bool failed;            /* it did not have its effect, so it is still the current one */
	unsigned tries;         /* of the current step */
	struct guide_facts was; /* before it */
	struct keymap keymap;   /* the default keys */
	struct strip strip;
};

/* The shares left by the first entries of the lens: app_filters.c's. */
struct app_shares {
	struct work *work;
	bool due; /* shares of more entries are needed */
	VEC(struct app_share) at;
	size_t listed; /* number of shares in the list */
};

struct app_share {
	bool known;
	int64_t left, all;
};

/* The answers of the list of questions: app_answers.c's. */
struct app_answers {
	struct work *work;
	struct answers all;
	bool due;    /* the open list waits for them */
	bool greets; /* the message line does */
	bool greet_due; /* the same, but the picture of the fold comes first */
};

/* The requested list of labels: app_labels.c's. */
struct app_labelled {
	struct work *work;
	struct labelsum sum;
	bool due, made;
};

/* The parts of the run that differ most: app_odd.c's. */
struct app_odd {
	struct work *work;
	struct oddparts found;
	struct lens of; /* their lens, without a range; initialised if `known` */
	uint64_t generation;
	unsigned next; /* the part that the next key shows */
	bool known, due;
};

/* The state of loading. */
struct app_load {
	struct app_state state;
	bool paused;      /* new data is not shown */
	bool restore_due; /* the session is not restored yet */
	bool guide_due;   /* the guide has not begun yet */
	bool carry_due;   /* nor is the state of the browser before this one */
	bool held;        /* the profile could be replaced by a newer one, but is needed */
	bool greet_due;   /* everything is read, but not visible yet */
	uint32_t missed;  /* number of unreadable files that were reported */
};

/* The message on the bottom line.  Only app_say.c writes here. */
struct app_message {
	struct buf text; /* empty: no message */
	bool fault;
};

/* The picture on the terminal. Parts of it may belong to an earlier selection.  Only
 * app_rest.c writes here. */
struct app_rest {
	struct canvas shown;
	int64_t heard_ns; /* when the user pressed a key; 0: never */
	int64_t stale_ns; /* since when a part waits; 0: none does */
};

/* The card under the mouse pointer: app_hover.c's. */
struct app_hover {
	int y, x;       /* where the pointer is */
	int64_t due_ns; /* when the card is to be made; 0: never */
	struct buf card; /* its lines; empty: none is shown */
	int card_y, card_x; /* where the pointer was then */
	key_id key;      /* what it describes */
	node_id node;
	uint64_t folds; /* scene.folds of its numbers */
};

/* The order of the last list of tracks, and its inputs: reading thirty thousand tracks takes longer
 * than a key may. */
struct app_busy {
	struct busy *order; /* owned; defined by app_tracks.c */
	uint32_t n;
	int64_t all, from, to;
	uint64_t of, generation; /* inputs: the serial of the names, the profile */
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
	struct app_why why;
	struct app_load load;
	struct app_open open;
	struct app_front front;
	struct app_asked asked;
	struct app_message message;
	struct app_guide guide;
	struct app_answers answers;
	struct app_labelled labels;
	struct app_odd odd;
	struct app_shares shares;
	struct app_busy busy;
	struct app_rest rest;
	struct app_hover hover;

	uint64_t drawn_folds; /* scene.folds of the last picture */
	struct scene scene; /* the state for views: the fold, and the next five */
	struct works works;
	struct outline outline;
	struct nav nav;
	struct search search;
	struct finder finder;
	struct view_facts facts;
	struct source_places sources;

	struct hues hues;
	struct slowest slowest;
	struct sparks sparks;
	struct answer_request question;
	struct scrubber scrubber;
	struct details details;
	struct keymap keys;
	struct marks marks;
	bool again_due;    /* query the store when the prompt has closed */
	enum action due;   /* chosen in a modal: performed after that has closed */
	bool drag_in_view; /* the click before a drag was in the view */
	bool touched;      /* true once the user has pressed any key */
	bool mouse_on, quit;
};

/* True if there are questions for the guide. */
static inline bool
app_has_questions(const struct app *a)
{
	return a->config->inspections && a->config->inspections->list.n;
}

/* Shows the profile through l, at once or, if that takes long, as soon as it is made; until then
 * the previous state stays.  Returns false with usage in *e, and nothing changed. */
bool app_look(struct app *a, const struct lens *l, struct err *e);
/* Folds the profile through another lens for its numbers, without showing it.  *g caches data
 * between calls (start with NULL); derived_free(*g) ends it.  It rests if f has a pace. */
bool app_fold(const struct app *a, struct derived **g, struct fold *f, const struct lens *l,
	      struct err *e);
/* Returns the visible fold if it is that of the whole profile without a lens; else NULL. */
const struct fold *app_plain_fold(const struct app *a);
/* Makes one of these two again after the profile has grown. */
bool app_look_grown(struct app *a, struct err *e);
/* Calls call(a, ctx), which may take as long as the user likes, while loading continues.  Works are
 * restarted afterwards. */
void app_meanwhile(struct app *a, void (*call)(struct app *a, void *ctx), void *ctx);
/* Runs all works for a few milliseconds; returns true if there is more. */
void app_work(struct app *a);
/* Runs a portion of a due search; returns true if none is due. */
void app_find(struct app *a, int64_t portion_ns);
/* Returns once the last requested state is visible. */
void app_look_finish(struct app *a);
/* Cancels that and reports it; returns false if there was nothing to do. */
bool app_look_settle(struct app *a);
/* True if the next picture is overdue. */
bool app_look_is_late(const struct app *a);
/* Returns the requested lens that is not visible yet; NULL: none. */
const struct lens *app_look_awaited(const struct app *a);
/* Makes *l (taken over) the lens, undoably; reports it if it does not fit. */
bool app_change(struct app *a, struct lens *l);
/* The same, compared with the range and tracks of `base`. */
bool app_change_beside(struct app *a, struct lens *l, const struct lens *base);
/* The same for a step of the range. */
bool app_change_range(struct app *a, struct lens *l, enum range_step step);
/* Called after another action: the next step of the range is separate. */
void app_end_steps(struct app *a);
void app_undo(struct app *a, bool redo);
/* Shows the profile through l again, compared with `base` (NULL: none), as a change. */
void app_return(struct app *a, const struct lens *l, const struct lens *base);
/* Keeps the current range and tracks as the base, or ends the comparison. */
void app_compare(struct app *a);
/* Hides or shows the rows of a comparison that may be chance. */
void app_sure_only(struct app *a, bool on);
/* Moves the history away, and to a browser that has none. */
void app_history_take(struct app *a, struct app_history *to);
void app_history_give(struct app *a, struct app_history *from);
void app_step_release(struct app_step *s);
void app_history_release(struct app_history *h);
/* Adds a step to return to (taken over); what could be redone is dropped. */
void app_history_add(struct app_history *h, struct app_step *s);
/* `lens`: to begin with. */
void app_look_init(struct app *a, const struct app_config *config, const struct lens *lens,
		   const struct profile *loaded);
void app_look_release(struct app *a);

void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_fault(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Removes the message after it was read. */
void app_hush(struct app *a);

/* Returns the state of a view, creating it at first use. */
void *app_view_state(struct app *a, const struct view_ops *v);
/* Returns that of the open view; NULL if it was never arranged. */
void *app_shown_state(const struct app *a);
/* True if a session must store the meaning of the colours, because it is not the default. */
bool app_colour_by_said(const struct app *a);
void app_open_view(struct app *a, const struct view_ops *v);

#endif
