/* app_ask.c - the prompts for search and filters.
 *
 * The search follows each character of the pattern.  A filter is previewed as a fold outside the
 * history.  Esc restores the previous state.  If a pattern does not compile, the screen stays as it
 * is and PCRE2's message appears above the prompt. */
#include "ui/app/app_ask.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"

/* ---- names ---- */

#define NAMES_LISTED 9
#define FIRST_NS 12000000 /* the first portion of a search */

enum complete_what
app_completes(enum verb verb)
{
	switch ((int)verb) {
	case VERB_TRACK:
		return COMPLETE_TRACKS;
	case VERB_WHERE:
		return COMPLETE_LABELS;
	case VERB_LABEL:
		return COMPLETE_KEYS;
	default:
		return COMPLETE_FRAMES;
	}
}

void
app_complete_names(struct app *a, struct prompt *p, const char *text, size_t at,
		   enum complete_what what, struct buf *out)
{
	struct complete k = {0};
	struct buf name = BUF_INIT;
	const struct profile *profile = a->scene.p;
	complete_pattern(&k, profile, text + at, strlen(text + at), what);
	buf_add(out, text, at);
	buf_adds(out, k.names.n ? buf_str(&k.text) : text + at);
	for (size_t i = 0; i < k.names.n && k.names.n > 1; i++) {
		buf_reset(&name);
		if (i == NAMES_LISTED && k.names.n > NAMES_LISTED + 1) {
			buf_adds(&name, "… ");
			human_count(&name, (int64_t)(k.names.n - i));
			buf_adds(&name, " more");
			i = k.names.n;
		} else {
			profile_show_name(profile, k.names.at[i], &name);
		}
		prompt_list_add(p, buf_str(&name), NULL, NULL);
	}
	buf_release(&name);
	complete_release(&k);
}

/* ---- search ---- */

static bool
search_for(struct app *a, const char *text, struct err *e)
{
	struct pattern *p = NULL;
	a->asked.search_due = false;
	/* the search for this text is already running */
	if (*text && a->search.pattern && !strcmp(pattern_text(a->search.pattern), text))
		return true;
	if (*text && !(p = pattern_new(text, strlen(text), e)))
		return false;
	bool usual = a->scene.portion_ns && a->scene.portion_ns != WORK_ALL;
	search_set(&a->search, p);
	a->asked.steps = 0;
	app_find(a, usual ? FIRST_NS : a->scene.portion_ns);
	return true;
}

/* Returns to the position where the search began. */
static void
go_back(struct app *a)
{
	nav_back(&a->nav, &a->asked.from, a->look.fold, a->scene.p);
	if (a->open.view->hold_cursor)
		a->open.view->hold_cursor(app_view_ready(a), &a->scene, true);
	app_arrange(a);
}

/* Goes to the first match at or after the position where the search began. */
static bool
go_first(struct app *a)
{
	const struct view_ops *v = a->open.view;
	void *state = app_view_ready(a);
	struct standing at = {.here = search_hits_key(&a->search, a->nav.key)};
	if (!a->search.pattern || (!a->search.keys && !v->search_position && !v->finds_more))
		return false;
	if (v->search_position)
		v->search_position(state, &a->scene, &at);
	return at.here || v->find(state, &a->scene, 1);
}

/* Characters that arrive together are searched once, before the next picture. */
static void
search_changed(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	(void)p;
	(void)text;
	a->asked.search_due = true;
}

static void
search_typed(struct app *a)
{
	struct prompt *p = &a->front.prompt;
	const char *text = buf_str(&p->text);
	struct err e;
	err_init(&e);
	if (!search_for(a, text, &e)) {
		prompt_note(p, true, "%s", e.text);
		return;
	}
	a->asked.found_due = FOUND_TYPED;
	app_found(a);
}

void
app_say_match(struct app *a, const char *wrapped)
{
	const struct view_ops *v = a->open.view;
	struct standing at = {0};
	struct buf text = BUF_INIT;
	if (v->search_position)
		v->search_position(app_view_ready(a), &a->scene, &at);
	standing_write(&at, &text);
	if (at.all)
		app_say(a, "match %s%s", buf_str(&text), wrapped);
	buf_release(&text);
}

static void
go_entered(struct app *a)
{
	const char *text = pattern_text(a->search.pattern);
	go_back(a);
	if (!go_first(a)) {
		app_say(a, a->search.keys ? "no match in this view: %s" : "no match: %s", text);
		return;
	}
	a->nav.proposed = false; /* the user has chosen the match */
	app_say_match(a, "");
}

/* A search that took longer must not move a user who has gone elsewhere meanwhile. */
void
app_found(struct app *a)
{
	struct prompt *p = &a->front.prompt;
	enum found_due due = a->asked.found_due;
	if (a->search.due || due == FOUND_NOTHING)
		return;
	a->asked.found_due = FOUND_NOTHING;
	if (due == FOUND_ENTERED && a->search.pattern && a->asked.moves == a->nav.moves)
		go_entered(a);
	if (due != FOUND_TYPED || !p->open)
		return;
	go_back(a);
	if (!go_first(a) && p->text.len)
		prompt_note(p, false, a->search.keys ? "no match in this view" : "no match");
}

static bool
search_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	/* An empty pattern repeats the last search, as in less and vim. */
	if (!*text && a->asked.search_before)
		text = a->asked.search_before;
	if (!search_for(a, text, &e)) {
		prompt_note(p, true, "%s", e.text);
		return false;
	}
	a->asked.found_due = a->search.pattern ? FOUND_ENTERED : FOUND_NOTHING;
	a->asked.moves = a->nav.moves;
	app_found(a);
	return true;
}

static void
search_cancelled(void *ctx)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	search_for(a, a->asked.search_before ? a->asked.search_before : "", &e);
	a->asked.found_due = FOUND_NOTHING;
	go_back(a);
}

static void
search_complete(void *ctx, struct prompt *p, const char *text, struct buf *out)
{
	app_complete_names(ctx, p, text, 0, COMPLETE_FRAMES, out);
}

static const struct prompt_hooks search_hooks = {
	.changed = search_changed,
	.done = search_done,
	.cancelled = search_cancelled,
	.complete = search_complete,
};

static void
ask_search(struct app *a)
{
	free(a->asked.search_before);
	a->asked.search_before = NULL;
	if (a->search.pattern) {
		const char *text = pattern_text(a->search.pattern);
		a->asked.search_before = mem_dup(text, strlen(text));
	}
	nav_hold(&a->nav, &a->asked.from);
	if (a->open.view->hold_cursor)
		a->open.view->hold_cursor(app_view_ready(a), &a->scene, false);
	app_prompt(a, "/", "", &search_hooks, ASKED_SEARCH);
}

/* ---- filters ---- */

/* The verbs that ^T cycles through, the last one only in a file with labels; from any other verb
 * it goes to the first. */
static const enum verb turns[] = {VERB_INCLUDE, VERB_EXCLUDE, VERB_HIDE, VERB_SHOW,
				  VERB_ROOT,    VERB_WHERE};
#define TURNS (sizeof turns / sizeof *turns)

/* The cycle does not fit names of tracks, nor an entry of labels that is edited. */
static bool
turns_round(const struct app *a)
{
	return app_completes(a->asked.verb) == COMPLETE_FRAMES ||
	       (a->asked.verb == VERB_WHERE && a->asked.editing == SIZE_MAX);
}

/* Returns the verb of a new entry.  A leading `!` means "without", as in other tools.  In a file,
 * and in an entry that is edited, `!` precedes what a pattern does not match. */
static enum verb
verb_meant(const struct app *a, const char **text)
{
	if (a->asked.verb != VERB_INCLUDE || a->asked.editing != SIZE_MAX || **text != '!')
		return a->asked.verb;
	++*text;
	return VERB_EXCLUDE;
}

/* Copies the lens with the entry that the text describes into `out`. */
static bool
with_entry(const struct app *a, const char *text, struct lens *out, struct err *e)
{
	enum verb verb = verb_meant(a, &text);
	lens_copy(out, &a->look.now.lens);
	if (lens_add(out, verb, text, strlen(text), e)) {
		if (a->asked.editing < a->look.now.lens.entries.n) {
			lens_move(out, out->entries.n - 1, a->asked.editing);
			lens_remove(out, a->asked.editing + 1);
		}
		return true;
	}
	lens_release(out);
	return false;
}

/* Builds the fold without the entry that is being typed, on all tracks that the entry may
 * choose. */
static int64_t
all_before(const struct app *a)
{
	struct derived *g = NULL;
	struct fold *f = fold_new();
	struct lens l;
	struct err e;
	int64_t all = 0;
	err_init(&e);
	lens_copy(&l, &a->look.now.lens);
	if (a->asked.editing < l.entries.n)
		lens_remove(&l, a->asked.editing);
	if (app_fold(a, &g, f, &l, &e))
		all = f->now.total[NODE_ROOT];
	lens_release(&l);
	fold_free(f);
	derived_free(g);
	return all;
}

static bool
knows_before(const struct app *a)
{
	return a->asked.before_known && a->asked.before_of == a->look.loaded->generation;
}

static void
keep_before(struct app *a, int64_t all)
{
	a->asked.before = all;
	a->asked.before_known = true;
	a->asked.before_of = a->look.loaded->generation;
}

/* Shows the previous state before the preview of a new entry appears for the first time. */
static void
see_before(struct app *a)
{
	const struct app_look *k = &a->look;
	if (a->asked.editing == SIZE_MAX && !knows_before(a) && !work_busy(k->work) &&
	    k->seen.generation == k->loaded->generation &&
	    lens_equal(&k->seen.lens, &k->now.lens))
		keep_before(a, k->fold->now.total[NODE_ROOT]);
}

static void
note_share(struct app *a, const char *text)
{
	struct prompt *p = &a->front.prompt;
	struct buf share = BUF_INIT;
	if (!knows_before(a))
		keep_before(a, all_before(a));
	human_share(&share, a->look.fold->now.total[NODE_ROOT], a->asked.before);
	prompt_note(p, false, "%s: leaves %s of what was there   Tab names%s",
		    verb_name(verb_meant(a, &text)), share.len ? buf_str(&share) : "nothing",
		    turns_round(a) ? "  ^T another verb" : "");
	buf_release(&share);
}

/* Lists the possible input before the user types anything. */
static void
note_nothing(struct app *a)
{
	enum verb verb = a->asked.verb;
	if (turns_round(a))
		prompt_note(&a->front.prompt, false,
			    "name or pattern: %s%s   Tab names  ^T another verb",
			    verb_rows[verb].note,
			    verb == VERB_INCLUDE && a->asked.editing == SIZE_MAX ? ", ! drops"
										 : "");
}

void
app_preview(struct app *a)
{
	struct lens l;
	struct err e;
	const char *text = buf_str(&a->front.prompt.text);
	err_init(&e);
	if (a->asked.search_due && a->front.prompt.open)
		search_typed(a);
	a->asked.search_due = false;
	if (!a->asked.preview_due)
		return;
	a->asked.preview_due = false;
	if (!a->front.prompt.open)
		return;
	if (!*text) {
		app_look(a, &a->look.now.lens, &e);
		note_nothing(a);
		return;
	}
	if (!with_entry(a, text, &l, &e)) {
		prompt_note(&a->front.prompt, true, "%s", e.text);
		return;
	}
	see_before(a);
	a->asked.note_due = app_look(a, &l, &e);
	lens_release(&l);
}

void
app_asked_look(struct app *a)
{
	if (work_busy(a->look.work) && !a->look.fold->partial)
		return;
	if (a->asked.note_due && a->front.prompt.open)
		note_share(a, buf_str(&a->front.prompt.text));
	a->asked.note_due = false;
	size_t at = a->asked.entered;
	a->asked.entered = 0;
	if (!at || at > a->look.now.lens.entries.n)
		return;
	const struct entry *entry = &a->look.now.lens.entries.at[at - 1];
	if (projection_unmatched(a->look.fold->tree, at - 1) ||
	    lens_track_unmatched(&a->look.now.lens, at - 1, a->scene.p))
		app_say(a, "%s '%s' matches nothing", verb_name(entry->verb),
			pattern_text(entry->pattern));
}

static void
filter_changed(void *ctx, struct prompt *p, const char *text)
{
	(void)p;
	(void)text;
	((struct app *)ctx)->asked.preview_due = true;
}

static bool
filter_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct lens l;
	struct err e;
	err_init(&e);
	a->asked.preview_due = false;
	if (!*text) {
		app_look(a, &a->look.now.lens, &e);
		return true;
	}
	if (!with_entry(a, text, &l, &e)) {
		prompt_note(p, true, "%s", e.text);
		return false;
	}
	a->asked.note_due = false;
	if (app_change(a, &l) && a->look.now.lens.entries.n)
		a->asked.entered = a->asked.editing < a->look.now.lens.entries.n
					   ? a->asked.editing + 1
					   : a->look.now.lens.entries.n;
	return true;
}

static void
filter_cancelled(void *ctx)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	a->asked.preview_due = false;
	app_look(a, &a->look.now.lens, &e);
}

static void
filter_complete(void *ctx, struct prompt *p, const char *text, struct buf *out)
{
	const struct app *a = ctx;
	app_complete_names(ctx, p, text, 0,
			   app_completes(a->asked.verb),
			   out);
}

static void
label_verb(struct app *a)
{
	struct buf label = BUF_INIT;
	buf_addf(&label, "%s: ", verb_name(a->asked.verb));
	prompt_relabel(&a->front.prompt, buf_str(&label));
	buf_release(&label);
}

/* ^T: uses the same text with another verb. */
static bool
filter_key(void *ctx, struct prompt *p, uint32_t key)
{
	struct app *a = ctx;
	bool labels = a->asked.editing == SIZE_MAX && a->look.loaded->labels.n_labels;
	size_t i = 0, n = labels ? TURNS : TURNS - 1;
	(void)p;
	if (key != KEYCODE_CTRL('T') || !turns_round(a))
		return false;
	while (i < n && turns[i] != a->asked.verb)
		i++;
	a->asked.verb = turns[i < n ? (i + 1) % n : 0];
	label_verb(a);
	a->asked.preview_due = true;
	return true;
}

static const struct prompt_hooks filter_hooks = {
	.changed = filter_changed,
	.done = filter_done,
	.cancelled = filter_cancelled,
	.complete = filter_complete,
	.key = filter_key,
};

void
app_ask_entry(struct app *a, enum verb verb, size_t at)
{
	const char *text = "";
	a->asked.verb = verb;
	a->asked.editing = at;
	a->asked.before_known = false;
	if (at < a->look.now.lens.entries.n)
		text = pattern_text(a->look.now.lens.entries.at[at].pattern);
	app_prompt(a, "", text, &filter_hooks, ASKED_FILTER);
	label_verb(a);
	if (!*text)
		note_nothing(a);
}

void
app_ask_filter(struct app *a)
{
	app_ask_entry(a, VERB_INCLUDE, SIZE_MAX);
}

void
app_ask_release(struct app *a)
{
	free(a->asked.search_before);
	nav_release(&a->asked.from);
	pattern_unref(a->asked.rows_before);
}

const struct app_action app_ask_actions[] = {
	{ACTION_SEARCH, ask_search},
	{ACTION_FILTER, app_ask_filter},
	{ACTION_NONE, NULL},
};
