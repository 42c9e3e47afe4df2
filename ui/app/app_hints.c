/* app_hints.c - the bottom line: a message, or the keys that are useful now.
 *
 * A new user should find the range, filters, tracks, saving and the guide without help.  So every
 * view names these keys first, after help and quit.  The view's own keys follow, then the keys that
 * work everywhere, as far as there is room.  Hints omit keys that have no effect now.  Until the
 * user presses a key, the guide comes first, since it requires no knowledge of keys.  Hints use the
 * room after a message, because progress messages of a long load would hide them for minutes. */
#include "ui/app/app_lines.h"

#include <string.h>

#include "ui/part/keys.h"
#include "ui/screen/text.h"

#define HINTS_MAX 48
#define GAP 2

/* Shown wherever they have an effect. */
static const enum action always[] = {ACTION_FOCUS, ACTION_FILTER, ACTION_TRACKS,
				     ACTION_SAVE,  ACTION_GUIDE,  ACTION_NONE};
/* Shown where there is room. */
static const enum action also[] = {
	ACTION_TRANSFORM, ACTION_METRIC, ACTION_UNDO,         ACTION_FILTERS,
	ACTION_PALETTE,   ACTION_SEARCH, ACTION_ODD_PART,     ACTION_COMPARE,
	ACTION_SURE_ONLY,
	ACTION_BY,
	ACTION_INVERT,    ACTION_COPY,   ACTION_COPY_COMMAND, ACTION_MARKS,
	ACTION_MANUAL,    ACTION_NONE,
};
/* After a search the user may go to the next match or copy its name. */
static const enum action of_search[] = {ACTION_NEXT, ACTION_COPY, ACTION_NONE};
/* Shown while the file is still read; at the scrubber the user chooses a range by hand. */
static const enum action of_live[] = {ACTION_PAUSE, ACTION_WINDOW, ACTION_NONE};
static const enum action of_live_range[] = {ACTION_PAUSE, ACTION_NONE};
static const enum action first_of_all[] = {ACTION_GUIDE, ACTION_NONE};
static const enum action way_out[] = {ACTION_HELP, ACTION_BACK, ACTION_NONE};

static const enum action scrubber_first[] = {ACTION_RANGE_START, ACTION_RANGE_END,
					     ACTION_RANGE_CLEAR, ACTION_FOCUS,
					     ACTION_NONE};
static const enum action scrubber_keys[] = {
	ACTION_SCRUB_LEFT,  ACTION_SCRUB_RIGHT,
	ACTION_RANGE_START, ACTION_RANGE_END, ACTION_SLIDE_BACK,
	ACTION_SLIDE_ON,    ACTION_WIDEN,     ACTION_NARROW,
	ACTION_RANGE_CLEAR, ACTION_FOCUS,     ACTION_NONE,
};

/* One action, or two neighbours with the same word: "< > column". */
struct app_hint {
	enum action action, other;
	int cols;
	bool taken;
};

struct hints {
	struct app_hint at[HINTS_MAX];
	size_t n;
	bool to_scrubber; /* Enter makes a range here, and Tab names where it leads */
};

static unsigned
metrics_shown(const struct profile *p)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < p->n_metrics; i++)
		n += profile_metric_shown(p, (metric_id)i);
	return n;
}

static bool
moves_range(enum action action)
{
	return action == ACTION_SLIDE_BACK || action == ACTION_SLIDE_ON ||
	       action == ACTION_WIDEN || action == ACTION_NARROW ||
	       action == ACTION_RANGE_CLEAR;
}

static bool
is_own(const struct app *a, enum action action)
{
	const enum action *own = a->open.view->keys;
	while (*own && *own != action)
		own++;
	return *own != ACTION_NONE;
}

/* True if `n` has a match to go to. */
static bool
has_hits(const struct app *a)
{
	const struct view_ops *v = a->open.view;
	void *state = app_shown_state(a);
	struct standing at = {0};
	if (a->search.due || a->search.keys || !state)
		return a->search.keys > 0;
	if (v->search_position) /* files have hits where no frame does */
		v->search_position(state, &a->scene, &at);
	return at.all > 0 || v->finds_more;
}

bool
app_means(const struct app *a, enum action action)
{
	const struct view_ops *v = a->open.view;
	const void *state = app_shown_state(a);
	if (moves_range(action))
		return !a->look.fold->whole;
	switch ((int)action) {
	case ACTION_FOCUS:
	case ACTION_ODD_PART:
	case ACTION_COMPARE:
		return lens_run(a->scene.p) > 0;
	case ACTION_SURE_ONLY:
		return v->omitted_rows && a->look.fold->changes.chance;
	case ACTION_METRIC:
		return metrics_shown(a->scene.p) > 1;
	case ACTION_TRACKS:
		return a->scene.p->n_tracks > 0;
	case ACTION_UNDO:
		return a->look.history.undo.n > 0;
	case ACTION_GUIDE:
		return app_has_questions(a);
	case ACTION_NEXT:
		return has_hits(a);
	case ACTION_TRANSFORM:
	case ACTION_COPY:
		return a->nav.key != KEY_NONE;
	default:
		return a->scrubber.focus || !v->has_effect || !state || !is_own(a, action) ||
		       v->has_effect(state, &a->scene, action);
	}
}

static const char *
app_word_of(const struct app *a, enum action action)
{
	if (action == ACTION_BACK && !a->open.n_before && !a->scrubber.focus)
		return "quit";
	if (action == ACTION_FOCUS && !a->scrubber.focus)
		return "range";
	if (action == ACTION_PAUSE && a->load.paused)
		return "go on";
	const struct view_ops *v = a->open.view;
	const void *state = app_shown_state(a);
	const char *word = v->word && state && is_own(a, action) ? v->word(state, action) : NULL;
	if (word)
		return word;
	return action == ACTION_ENTER ? a->open.view->enter : action_word(action);
}

/* Returns the key of an action in this view: the timeline uses `s` for another action. */
static uint32_t
key_of(const struct app *a, enum action action)
{
	return keymap_key_in(&a->keys, action, a->open.view->scope, a->scrubber.focus);
}

/* Draws arrows.  In ASCII they would look like the keys "<" and ">", so there it writes h and l
 * where they do the same. */
static void
write_key(const struct app *a, enum action action, struct buf *out)
{
	uint32_t key = key_of(a, action), letter = key == KEYCODE_LEFT ? 'h' : 'l';
	bool arrow = key == KEYCODE_LEFT || key == KEYCODE_RIGHT;
	if (arrow && !a->canvas.ascii)
		text_add(out, key == KEYCODE_LEFT ? 0x2190 : 0x2192);
	else if (arrow && keymap_action(&a->keys, letter, a->open.view->scope,
					a->scrubber.focus) == action)
		key_write(letter, out);
	else
		key_write(key, out);
}

/* Writes one hint, such as "< > column". */
static void
write_hint(const struct app *a, const struct app_hint *h, struct buf *keys)
{
	write_key(a, h->action, keys);
	if (h->other) {
		buf_addc(keys, ' ');
		write_key(a, h->other, keys);
	}
}

void
app_say_idle(struct app *a, enum action action)
{
	struct buf key = BUF_INIT;
	const char *word = app_word_of(a, action);
	write_key(a, action, &key);
	if (word && *word)
		buf_addf(&key, " (%s)", word);
	app_say(a, "%s changes nothing here", buf_str(&key));
	buf_release(&key);
}

static void
add_hint(const struct app *a, struct hints *h, enum action action)
{
	struct buf keys = BUF_INIT;
	struct app_hint *last = h->n ? &h->at[h->n - 1] : NULL;
	const char *word = app_word_of(a, action);
	for (size_t i = 0; i < h->n; i++)
		if (h->at[i].action == action || h->at[i].other == action)
			return;
	if (!key_of(a, action) || h->n == HINTS_MAX)
		return;
	if (last && !last->other && !strcmp(app_word_of(a, last->action), word))
		last->other = action;
	else
		h->at[h->n++] = (struct app_hint){.action = action};
	last = &h->at[h->n - 1];
	write_hint(a, last, &keys);
	last->cols = text_cols(buf_str(&keys)) + 1 + text_cols(word);
	buf_release(&keys);
}

/* Adds hints from a list while there is room. */
static void
app_take(const struct app *a, struct hints *h, const enum action *list, int *room)
{
	for (; *list; list++)
		for (size_t i = 0; i < h->n; i++) {
			struct app_hint *it = &h->at[i];
			if (it->taken || it->action != *list || it->cols > *room ||
			    !(app_means(a, it->action) ||
			      (it->other && app_means(a, it->other))))
				continue;
			it->taken = true;
			*room -= it->cols + GAP;
		}
}

static void
app_add_all(const struct app *a, struct hints *h, const enum action *list)
{
	for (; *list; list++)
		add_hint(a, h, *list);
}

/* Gives two hints different words, since one word for two keys would not say which to press. */
static void
distinguish(const struct app *a, struct hints *h, int room)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->at[i].taken && h->at[i].action == ACTION_ENTER)
			h->to_scrubber = !strcmp(app_word_of(a, ACTION_ENTER), "range") &&
					 room >= (int)(strlen("scrubber") - strlen("range"));
}

/* A click on a hint does what its key does; the first key of two is a part of its own. */
static void
link_hint(const struct app *a, struct canvas *c, const struct app_hint *h, struct area at)
{
	struct buf key = BUF_INIT;
	if (h->other) {
		canvas_link(c, at, h->other);
		write_key(a, h->action, &key);
		at.w = text_cols(buf_str(&key));
	}
	canvas_link(c, at, h->action);
	buf_release(&key);
}

static void
draw_hints(const struct app *a, struct canvas *c, const struct hints *h, int x)
{
	struct buf keys = BUF_INIT;
	int y = a->at.bottom.y;
	for (size_t i = 0; i < h->n; i++) {
		if (!h->at[i].taken)
			continue;
		buf_reset(&keys);
		write_hint(a, &h->at[i], &keys);
		int from = x;
		x += canvas_text(c, y, x, c->w - x, INK_KEY, buf_str(&keys)) + 1;
		x += canvas_text(c, y, x, c->w - x, INK_DIM,
				 h->to_scrubber && h->at[i].action == ACTION_FOCUS
					 ? "scrubber"
					 : app_word_of(a, h->at[i].action));
		link_hint(a, c, &h->at[i], (struct area){y, from, 1, x - from});
		x += GAP;
	}
	buf_release(&keys);
}

/* Draws the message and returns the columns left for hints; 0 for an error, which has the line
 * for itself. */
static int
draw_message(const struct app *a, struct canvas *c)
{
	const char *text = buf_str(&a->message.text);
	bool fault = a->message.fault;
	int cols = text_cols(text);
	cols = fault || cols > c->w ? c->w : cols;
	canvas_fit(c, a->at.bottom.y, 0, cols, fault ? INK_ERROR : INK_MESSAGE, text);
	return c->w - cols;
}

/* Draws the keys of an open menu, unless its own line names them. */
static void
draw_menu_hints(const struct menu *m, struct canvas *c, int y, int x)
{
	static const struct {
		const char *key, *word;
	} keys[] = {{"Enter", "choose"}, {"Esc", "close"}};
	for (size_t i = m->foot.len > 0; i < sizeof keys / sizeof *keys; i++) {
		x += canvas_text(c, y, x, c->w - x, INK_KEY, keys[i].key) + 1;
		x += canvas_text(c, y, x, c->w - x, INK_DIM, keys[i].word) + GAP;
	}
	if (m->searches)
		canvas_text(c, y, x, c->w - x, INK_DIM, "type to search");
}

void
app_draw_bottom(const struct app *a, struct canvas *c)
{
	const enum action *own = a->scrubber.focus ? scrubber_keys : a->open.view->keys;
	struct hints h = {.n = 0};
	bool searched = a->scene.search->pattern && !a->scrubber.focus;
	int left = a->message.text.len ? draw_message(a, c) - 2 : c->w, room = left - 2;
	if (a->front.menu.open) {
		draw_menu_hints(&a->front.menu, c, a->at.bottom.y, c->w - left + 1);
		return;
	}
	if (!a->touched && app_has_questions(a))
		app_add_all(a, &h, first_of_all);
	if (searched)
		app_add_all(a, &h, of_search);
	app_add_all(a, &h, own);
	if (a->load.state.live)
		app_add_all(a, &h, of_live);
	app_add_all(a, &h, always);
	app_add_all(a, &h, also);
	app_add_all(a, &h, way_out);
	if (searched && a->message.text.len)
		app_take(a, &h, of_search, &room);
	app_take(a, &h, way_out, &room);
	app_take(a, &h, first_of_all, &room);
	if (a->scrubber.focus)
		app_take(a, &h, scrubber_first, &room);
	app_take(a, &h, a->scrubber.focus ? of_live_range : of_live, &room);
	app_take(a, &h, always, &room);
	app_take(a, &h, of_live, &room);
	if (searched)
		app_take(a, &h, of_search, &room);
	app_take(a, &h, own, &room);
	app_take(a, &h, also, &room);
	distinguish(a, &h, room + GAP);
	draw_hints(a, c, &h, c->w - left + 1);
	if (!a->message.text.len)
		canvas_late(c, a->at.bottom, 0);
}
