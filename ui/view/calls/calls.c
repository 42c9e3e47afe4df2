/* calls.c - the durations of the selected function's calls.
 *
 * The numbers come from a replay of the steps that watches one function.  It processes 100 million
 * steps a second, so it runs in portions of a few milliseconds a frame: arrange() reads one portion
 * and asks for the next call, and the view shows the progress and the results so far.  The results
 * are kept until the fold or the function changes.
 *
 * The rows of the table are the five times of callrows.h.  The view draws the distribution of the
 * selected time below, beside the tracks, and Enter shows its longest call in the timeline.  Left
 * and right choose one track, or all.  For a function of a file with statistics but without a
 * timeline, the view shows the file's numbers and no bars. */
#include "ui/view/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/calls/callwalk.h"
#include "ui/part/show.h"

#define ONLY " only " /* before a pattern, which may contain anything */

#define PORTION 60000u /* events a frame */

static void *
calls_create(void)
{
	struct calls_state *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	v->key = KEY_NONE;
	v->function = UINT32_MAX;
	v->time = CALL_GROSS;
	return v;
}

static void
calls_destroy(void *view)
{
	struct calls_state *v = view;
	callwatch_free(v->watch);
	pattern_unref(v->only);
	free(v);
}

/* Returns the key with the most self time among complete calls, since a thread's first function
 * mostly has none. */
static key_id
calls_busiest(const struct fold *f)
{
	node_id best = NODE_ROOT;
	bool called = false;
	for (node_id n = 1; n < f->tree->n; n++) {
		bool calls = f->now.calls && f->now.calls[n] > 0;
		if (best == NODE_ROOT || calls > called ||
		    (calls == called && f->now.self[n] > f->now.self[best])) {
			best = n;
			called = calls;
		}
	}
	return f->tree->key[best];
}

/* Returns the function to show, and selects the busiest if there is none; UINT32_MAX: none. */
static function_id
wanted(struct calls_state *v, const struct scene *s)
{
	if (s->nav->key == KEY_NONE && !s->nav->away) {
		key_id key = calls_busiest(s->fold);
		if (key != KEY_NONE)
			nav_propose(s->nav, s->fold, s->p, key);
	}
	v->key = s->nav->key;
	if (v->key == KEY_NONE)
		return UINT32_MAX;
	return projection_key_function(s->fold->tree, s->p, v->key);
}

static bool
is_same_range(const struct slice *a, const struct slice *b)
{
	return a->whole == b->whole && (a->whole || (a->from == b->from && a->to == b->to));
}

static void
calls_start(struct calls_state *v, const struct scene *s)
{
	callwatch_free(v->watch);
	v->watch = NULL;
	v->done = true;
	if (v->function == UINT32_MAX || !callwalk_has_calls(s->p))
		return;
	struct slice slice = fold_side(s->fold, false), base = fold_side(s->fold, true);
	size_t n = (size_t)s->p->n_tracks + 1;
	uint8_t *tracks = mem_zalloc(n, 1), *old = mem_zalloc(n, 1);
	bool sides = s->fold->compares && base.tracks && is_same_range(&slice, &base);
	for (track_id t = 0; t < s->p->n_tracks; t++) {
		bool has = t < s->fold->n_chosen;
		tracks[t] = sides ? has && slice.tracks[t] : fold_has_track(s->fold, t);
		old[t] = sides && has && base.tracks[t];
	}
	slice.tracks = tracks;
	v->watch = callwatch_new(s->p, &slice, sides ? old : NULL, v->function);
	free(tracks);
	free(old);
	v->done = v->stopped = false;
}

static void
calls_arrange(void *view, struct scene *s, struct area a)
{
	struct calls_state *v = view;
	function_id f = wanted(v, s);
	v->area = a;
	look_init(&v->look, s->p, NULL);
	v->look.tree = s->fold->tree;
	v->each = s->calls;
	if (v->recalled) {
		slowest_set(v->each, &v->wish);
		slowest_only(v->each, v->only);
		v->only = NULL;
	}
	v->recalled = false;
	if (v->folds != s->folds || v->function != f) {
		if (v->function != f)
			v->row = 0;
		v->folds = s->folds;
		show_row(s, v->key, &v->about);
		v->function = f;
		calls_start(v, s);
	}
	if (v->listing) {
		calls_list_arrange(&v->list, s, v->key, a);
		return;
	}
	if (v->watch && !v->done) {
		v->done = callwatch_run(v->watch, PORTION);
		s->again |= !v->done;
	}
	if (v->watch && v->row >= callwatch_rows(v->watch))
		v->row = 0;
}

/* ---- actions ---- */

/* Shows the longest call in the timeline. */
static enum reply
show_longest(const struct calls_state *v, struct scene *s)
{
	track_id track;
	int64_t from, to;

	if (!v->watch || !callwatch_longest(v->watch, v->row, v->time, &track, &from, &to))
		return REPLY_DONE;
	if (s->nav->key == KEY_NONE)
		nav_select_key(s->nav, s->fold, s->p, v->key);
	s->nav->deep = 0;
	s->nav->track = track;
	s->nav->from = from;
	s->nav->to = to > from ? to : from + 1;
	return REPLY_MOMENT;
}

/* Switches between statistics and list; options of the list open the list. */
static bool
calls_turn(struct calls_state *v, struct scene *s, enum action action)
{
	if (action != ACTION_CALLS_HALF && action != ACTION_CALLS_OVER &&
	    (action != ACTION_CALLS_ALL || v->listing))
		return false;
	v->listing = action != ACTION_CALLS_HALF || !v->listing;
	if (action == ACTION_CALLS_ALL)
		slowest_all(s->calls, true);
	return true;
}

static enum reply
calls_act(void *view, struct scene *s, enum action action)
{
	struct calls_state *v = view;
	uint32_t rows = v->watch ? callwatch_rows(v->watch) : 1;
	if (callwalk_has_calls(s->p) && calls_turn(v, s, action))
		return action == ACTION_CALLS_OVER ? REPLY_PASS : REPLY_DONE;
	if (v->listing)
		return calls_list_act(&v->list, s, action);
	switch ((int)action) {
	case ACTION_UP:
		v->time = v->time > CALL_NET ? v->time - 1 : v->time;
		return REPLY_DONE;
	case ACTION_DOWN:
		v->time = v->time < CALL_OUTSIDE ? v->time + 1 : v->time;
		return REPLY_DONE;
	case ACTION_FIRST:
	case ACTION_LAST:
		v->time = action == ACTION_FIRST ? CALL_NET : CALL_OUTSIDE;
		return REPLY_DONE;
	case ACTION_LEFT:
	case ACTION_PAGE_UP:
		v->row = v->row ? v->row - 1 : 0;
		return REPLY_DONE;
	case ACTION_RIGHT:
	case ACTION_PAGE_DOWN:
		v->row = v->row + 1 < rows ? v->row + 1 : v->row;
		return REPLY_DONE;
	case ACTION_ENTER:
		return show_longest(v, s);
	case ACTION_CANCEL:
		if (v->done)
			return REPLY_PASS;
		v->done = v->stopped = true;
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
calls_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct calls_state *v = view;
	int row = y - HEAD_ROWS - CALL_TIMES - 2; /* a blank line, the head */
	if (v->listing)
		return calls_list_click(&v->list, s, y, x, twice);
	if (y >= HEAD_ROWS && y < HEAD_ROWS + CALL_TIMES) {
		v->time = (enum call_time)(y - HEAD_ROWS);
		return twice ? show_longest(v, s) : REPLY_DONE;
	}
	if (v->watch && row >= 0 && x >= v->area.w - TRACK_COLS &&
	    (uint32_t)row < callwatch_rows(v->watch))
		v->row = (uint32_t)row;
	return REPLY_DONE;
}

static bool
calls_find(void *view, struct scene *s, int dir)
{
	struct calls_state *v = view;
	if (v->listing)
		return calls_list_find(&v->list, s, dir);
	node_id n = search_next(s->search, s->outline, s->nav->node, dir);
	if (n == NODE_NONE)
		return false;
	nav_select(s->nav, s->fold, s->p, n);
	return true;
}

static bool
calls_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct calls_state *v = view;
	(void)s;
	*out = v->about;
	return v->key != KEY_NONE;
}

/* In the list of all functions the pattern applies to functions, whatever is selected. */
static void
calls_set_row_filter(void *view, struct pattern *p)
{
	struct calls_state *v = view;
	if (!v->each) {
		pattern_unref(p);
		return;
	}
	v->listing = true;
	slowest_only(v->each, p);
}

static struct pattern *
calls_row_filter(const void *view)
{
	const struct calls_state *v = view;
	return v->recalled ? v->only : v->each ? v->each->only : NULL;
}

/* Writes "list self reversed over 3000000", "list all only ^read" or "net": the half that is shown,
 * and the options of the list; nothing for the initial state. */
static void
calls_save_state(const void *view, struct buf *out)
{
	const struct calls_state *v = view;
	struct slowest_wish wish = v->wish;
	struct buf asked = BUF_INIT;
	if (v->each && !v->recalled)
		wish = slowest_wish(v->each);
	if (v->each || v->recalled)
		slowest_write(&wish, &asked);
	if (calls_row_filter(v))
		buf_addf(&asked, "%s%s", ONLY, pattern_text(calls_row_filter(v)));
	if (v->listing || v->time != CALL_GROSS || asked.len)
		buf_addf(out, "%s%s", v->listing ? "list" : call_time_name(v->time),
			 buf_str(&asked));
	buf_release(&asked);
}

/* Splits the words at the pattern, if there is one; returns false if it does not compile. */
static bool
split_only(const char *words, struct buf *before, struct pattern **only)
{
	const char *at = strstr(words, ONLY);
	struct err e;
	err_init(&e);
	buf_add(before, words, at ? (size_t)(at - words) : strlen(words));
	at = at ? at + strlen(ONLY) : NULL;
	*only = at ? pattern_new(at, strlen(at), &e) : NULL;
	return !at || *only;
}

static bool
recall_asked(struct calls_state *v, const char *words)
{
	struct slowest_wish wish;
	struct pattern *only;
	struct buf before = BUF_INIT;
	bool good = split_only(words, &before, &only) && slowest_read(&wish, buf_str(&before));
	buf_release(&before);
	if (!good) {
		pattern_unref(only);
		return false;
	}
	pattern_unref(v->only);
	v->only = only;
	v->wish = wish;
	return true;
}

static bool
calls_restore_state(void *view, const char *words)
{
	struct calls_state *v = view;
	size_t half = strcspn(words, " ");
	bool listing = half == 4 && !memcmp(words, "list", 4);
	int time;
	for (time = 0; !listing && time < CALL_TIMES; time++)
		if (strlen(call_time_name((enum call_time)time)) == half &&
		    !memcmp(words, call_time_name((enum call_time)time), half))
			break;
	if (time == CALL_TIMES || !recall_asked(v, words + half))
		return false;
	v->listing = listing;
	if (!listing)
		v->time = (enum call_time)time;
	v->recalled = true;
	return true;
}

/* Without calls there is nothing to choose. */
static bool
calls_has_effect(const void *view, const struct scene *s, enum action action)
{
	const struct calls_state *v = view;
	(void)s;
	if (v->listing)
		return true;
	if (action == ACTION_LEFT || action == ACTION_RIGHT)
		return v->watch && callwatch_rows(v->watch) > 1;
	return v->watch != NULL;
}

static const char *
calls_word(const void *view, enum action action)
{
	const struct calls_state *v = view;
	return action == ACTION_CALLS_HALF && v->listing ? "numbers" : NULL;
}

static const enum action calls_keys[] = {
	ACTION_ENTER, ACTION_CALLS_HALF, ACTION_CALLS_ALL, ACTION_CALLS_OVER,
	ACTION_UP, ACTION_DOWN, ACTION_LEFT, ACTION_RIGHT, ACTION_SEARCH, ACTION_NONE,
};

const struct view_ops calls_view = {
	.name = "calls",
	.digit = '7',
	.open = ACTION_VIEW_CALLS,
	.scope = SCOPE_CALLS,
	.says_why = true,
	.no_details = true,
	.about =
		"The calls of the selected function in the range, track by track.  net\n"
		"was spent in it, gross includes its callees, call is from entry to\n"
		"exit, period from entry to next entry, outside from exit to next entry.\n"
		"n counts complete calls: min, avg, p50, p99, max and the bars are those\n"
		"of complete calls; totals of net and gross include incomplete ones.  With\n"
		"more than 4096 calls ~p50 and ~p99 are within 1.6 %.  Filters do not\n"
		"apply here.  Up and down choose the time, left and right the track.\n"
		"o lists the calls, one a line, slowest first: of the function, or with a\n"
		"of all; filters count there.  Enter goes to the call in the timeline,\n"
		"where > and < go to the next slowest and back.\n",
	.enter = "timeline",
	.keys = calls_keys,
	.create = calls_create,
	.destroy = calls_destroy,
	.arrange = calls_arrange,
	.draw = calls_draw,
	.act = calls_act,
	.has_effect = calls_has_effect,
	.word = calls_word,
	.click = calls_click,
	.find = calls_find,
	.search_position = show_search_position,
	.describe = calls_describe,
	.set_row_filter = calls_set_row_filter,
	.row_filter = calls_row_filter,
	.save_state = calls_save_state,
	.restore_state = calls_restore_state,
};
