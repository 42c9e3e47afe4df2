/* callers.c - one function in the middle, its callers above, its callees below.
 *
 * Both sides are trees that open and close, and both grow away from the function: below it a line
 * follows its caller, above it a line precedes its callee.  So the rows are one sequence
 * (branches.h), and up and down mean the same everywhere.
 *
 * Moving through the rows moves the selection that all views share; otherwise a transform or the
 * source would use another frame than the one under the cursor.  The function in the middle stays
 * meanwhile.  It changes on Enter, and when another view selects something, which the count of
 * nav's moves shows.  Without a selection it is the function with the highest self cost.
 *
 * Numbers come from around.h.  Percentages are shares of the function's total; the line below
 * the view shows shares of everything. */
#include "ui/view/callers/callers.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

static void *
callers_create(void)
{
	struct callers *v = mem_zalloc(1, sizeof *v);
	around_init(&v->around);
	branches_init(&v->rows, &callers_links);
	v->folds = v->turned = UINT64_MAX;
	v->center = v->seen = KEY_NONE;
	return v;
}

static void
callers_destroy(void *view)
{
	struct callers *v = view;
	work_free(v->work); /* it may read the trees */
	around_release(&v->around);
	branches_release(&v->rows);
	for (int i = 0; i < 2; i++) {
		vec_release(&v->side[i].boxes);
		vec_release(&v->side[i].rows);
	}
	fold_free(v->upright);
	free(v);
}

/* ---- in line with fold and selection ---- */

/* Makes a fold that is not inverted, if the scene's is; returns false if cancelled. */
static bool
make_upright(struct callers *v, struct pace *pace)
{
	const struct scene *s = v->scene;
	struct lens l, base;
	struct err e;
	if (!s->fold->tree->inverted || v->turned == s->folds)
		return true;
	if (!v->upright)
		v->upright = fold_new();
	err_init(&e);
	lens_copy(&l, s->lens);
	l.invert = false;
	if (s->base)
		lens_base(s->base, &l, &base);
	v->upright->only_track = s->fold->only_track;
	v->upright->pace = pace;
	bool done = fold_update(v->upright, s->p, &l, s->base ? &base : NULL, &e);
	v->upright->pace = NULL;
	lens_release(&l);
	if (s->base)
		lens_release(&base);
	v->turned = done && !pace_gives_up(pace) ? s->folds : UINT64_MAX;
	return v->turned == s->folds;
}

/* Makes both trees around v->center, with the first level of each. A function may have a million
 * callees. */
static void
make_trees(void *ctx, struct pace *pace)
{
	struct callers *v = ctx;
	const struct scene *s = v->scene;
	if (!make_upright(v, pace))
		return;
	const struct fold *f = s->fold->tree->inverted ? v->upright : s->fold;
	v->around.pace = pace;
	v->occurs = around_look(&v->around, f, s->p, v->center, pace);
	if (v->occurs) {
		around_first(&v->around, AROUND_CALLERS);
		around_first(&v->around, AROUND_CALLEES);
		v->own = fold_row_of(f, v->center);
	}
	v->around.pace = NULL;
	v->made = !pace_gives_up(pace);
}

/* Makes the trees, a portion at a time; returns true when they are ready. The application's loop
 * may have completed them. */
static bool
make_in_portions(struct callers *v, struct scene *s, bool anew)
{
	bool same = !anew && v->turns && v->making == s->folds;
	if (!v->work)
		v->work = work_new(s->works);
	if (same && v->made) {
		v->turns = false;
	} else if (same && work_busy(v->work)) {
		v->turns = !work_on(v->work, s->portion_ns);
	} else {
		work_drop(v->work);
		v->making = s->folds;
		v->scene = s;
		v->made = v->occurs = false;
		work_begin(v->work, make_trees, v);
		v->turns = !work_on(v->work, work_first(s->portion_ns));
	}
	return !v->turns;
}

/* Puts another function in the middle, or the same one in a new fold; returns true when its trees
 * are ready. */
static bool
look(struct callers *v, struct scene *s, key_id center)
{
	bool other = center != v->center || v->by != s->fold->tree->by;
	if (!v->recalled && other)
		branches_forget(&v->rows);
	v->recalled = false;
	v->center = center;
	v->by = s->fold->tree->by;
	v->found = false;
	callers_forget_flames(v);
	if (!make_in_portions(v, s, other))
		return false;
	v->found = v->made && v->occurs;
	branches_reset(&v->rows, v, AROUND_CALLEES, AROUND_CALLERS, center);
	v->sure_only = s->sure_only;
	v->unsure = 0;
	if (!v->found)
		return true;
	if (v->sure_only)
		callers_count_unsure(v);
	v->rows.at = branches_recall(&v->rows);
	callers_describe_cursor(v);
	return true;
}

/* Selects the function in the middle. */
static void
propose_hottest(const struct scene *s)
{
	key_id key = fold_hottest(s->fold);
	if (key != KEY_NONE)
		nav_propose(s->nav, s->fold, s->p, key);
}

static void
callers_arrange(void *view, struct scene *s, struct area a)
{
	struct callers *v = view;
	if (s->nav->key == KEY_NONE && !s->nav->away)
		propose_hottest(s);
	bool refolded = v->folds != s->folds, moved = v->moves != s->nav->moves;
	/* A fold settles the selection, which counts as a move to the same place. */
	bool elsewhere = s->nav->key != v->seen || (moved && !refolded);
	if (v->by != s->fold->tree->by || v->center >= s->fold->tree->n_keys)
		elsewhere = true;
	bool ready = true;
	if (refolded || elsewhere)
		ready = look(v, s, elsewhere ? s->nav->key : v->center);
	v->folds = ready ? s->folds : UINT64_MAX;
	v->moves = s->nav->moves;
	v->seen = s->nav->key;
	if (v->w != a.w)
		callers_forget_flames(v);
	v->w = a.w;
	v->h = a.h > 1 ? a.h - 1 : 1;
	callers_choose_form(v);
	if (v->found && v->flames)
		callers_arrange_flames(v);
	else if (v->found)
		branches_arrange(&v->rows, v->rows.at, v->h);
}

/* ---- drawing ---- */

static void
write_name(const struct branch_name *n, int cols, struct buf *out)
{
	const struct callers *v = n->view;
	key_id key = around_get(&v->around, n->line->id)->key;
	struct buf name = BUF_INIT;
	if (key == KEY_NONE)
		buf_adds(&name, "(no caller)");
	else
		show_frame(n->s, key, &name);
	shorten_name(buf_str(&name), cols, out);
	buf_release(&name);
}

static void
line(struct branch_name *n, struct row *r)
{
	const struct callers *v = n->view;
	bool center = n->line->id == AROUND_CALLEES;

	*r = callers_row_of(v, around_get(&v->around, n->line->id));
	n->step = 2;
	n->hit = r->key != KEY_NONE && search_hits_key(n->s->search, r->key);
	n->strong = center;
	n->mark = center ? "• " : NULL;
	n->write = write_name;
}

static void
draw_missing(const struct callers *v, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT;
	if (v->turns) {
		buf_adds(&text, "working…");
	} else if (v->center == KEY_NONE) {
		buf_adds(&text, "No function has a cost here.  3 lists them all.");
	} else {
		show_frame(s, v->center, &text);
		buf_adds(&text, " is not shown here.  3 lists all functions.");
	}
	int cols = text_cols(buf_str(&text));
	cols = cols > a.w ? a.w : cols;
	canvas_fit(c, a.y + a.h / 2, a.x + (a.w - cols) / 2, cols, INK_STRONG,
		   buf_str(&text));
	buf_release(&text);
}

static void
callers_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct callers *v = view;
	struct look look;

	if (!v->found) {
		draw_missing(v, s, c, a);
		return;
	}
	if (v->flames) {
		callers_draw_flames(v, s, c, a);
		return;
	}
	look_init(&look, s->p, v->around.fold);
	look.tenths = true;
	look.whole = around_get(&v->around, AROUND_CALLEES)->total;
	branches_draw(&(struct branches_shown){.b = &v->rows,
					       .s = s,
					       .look = &look,
					       .share = "% of •",
					       .name = "callers, • function, callees",
					       .view = v,
					       .line = line},
		      c, a);
}

/* ---- actions ---- */

/* Moves the selection to the cursor. */
static void
follow(struct callers *v, struct scene *s)
{
	key_id key = around_get(&v->around, v->rows.at)->key;
	branches_remember(&v->rows);
	callers_describe_cursor(v);
	if (key == KEY_NONE)
		return;
	nav_select_key(s->nav, s->fold, s->p, key);
	v->moves = s->nav->moves;
	v->seen = key;
}

static void
center(struct callers *v, struct scene *s)
{
	key_id key = around_get(&v->around, v->rows.at)->key;
	if (key == KEY_NONE)
		return;
	look(v, s, key);
	if (!v->found)
		return;
	v->rows.at = AROUND_CALLEES;
	follow(v, s);
}

static bool
opens_rows(enum action action)
{
	return action == ACTION_TOGGLE || action == ACTION_OPEN || action == ACTION_CLOSE ||
	       action == ACTION_HOT || action == ACTION_OPEN_ALL || action == ACTION_CLOSE_ALL;
}

static enum reply
callers_act(void *view, struct scene *s, enum action action)
{
	struct callers *v = view;
	if (!v->found)
		return v->turns ? REPLY_DONE : REPLY_PASS;
	if (action == ACTION_ENTER) {
		center(v, s);
		return REPLY_DONE;
	}
	if (action == ACTION_OUTLINE) {
		v->form = v->flames ? CALLERS_OUTLINE : CALLERS_FLAME;
		return REPLY_DONE;
	}
	if (v->flames && callers_step_flames(v, action)) {
		follow(v, s);
		return REPLY_DONE;
	}
	if (v->flames && opens_rows(action))
		return REPLY_PASS;
	enum branch_did did = branches_act(&v->rows, action);
	if (did == BRANCHES_MOVED)
		follow(v, s);
	return did == BRANCHES_PASS ? REPLY_PASS : REPLY_DONE;
}

/* Gets the node at a line and a column; false if there is none. */
static bool
callers_node_at(const struct callers *v, int y, int x, around_id *out)
{
	if (!v->found || y < 1)
		return false;
	if (v->flames)
		return callers_flame_at(v, y - 1, x, out);
	if ((size_t)y > v->rows.lines.n)
		return false;
	*out = v->rows.lines.at[y - 1].id;
	return true;
}

static bool
callers_hover(void *view, const struct scene *s, int y, int x, struct row *out,
	      struct buf *more)
{
	const struct callers *v = view;
	around_id id;
	(void)s;
	(void)more;
	if (!callers_node_at(v, y, x, &id) || around_get(&v->around, id)->key == KEY_NONE)
		return false;
	*out = callers_row_of(v, around_get(&v->around, id));
	return true;
}

static enum reply
callers_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct callers *v = view;
	around_id id;
	if (!callers_node_at(v, y, x, &id))
		return REPLY_PASS;
	if (v->flames)
		v->rows.at = id;
	else
		branches_click(&v->rows, y - 1);
	follow(v, s);
	if (twice)
		center(v, s);
	return REPLY_DONE;
}

struct sought {
	const struct around *around;
	const struct search *search;
};

static bool
hits(const void *of, branch_id n)
{
	const struct sought *f = of;
	key_id key = around_get(f->around, n)->key;
	return key != KEY_NONE && search_hits_key(f->search, key);
}

/* Searches the rows, from the end to the beginning again. */
static bool
callers_find(void *view, struct scene *s, int dir)
{
	struct callers *v = view;
	struct sought sought = {&v->around, s->search};
	if (!v->found || !branches_find(&v->rows, dir, hits, &sought))
		return false;
	follow(v, s);
	return true;
}

static void
callers_search_position(void *view, const struct scene *s, struct standing *out)
{
	struct callers *v = view;
	struct sought sought = {&v->around, s->search};
	*out = (struct standing){0};
	if (v->found)
		branches_count(&v->rows, hits, &sought, out);
}

/* The function in the middle stays meanwhile, so ids identify the rows. */
static void
callers_hold_cursor(void *view, const struct scene *s, bool back)
{
	struct callers *v = view;
	if (!branches_hold(&v->rows, back) || !back || !v->found)
		return;
	branches_remember(&v->rows);
	callers_describe_cursor(v);
	v->moves = s->nav->moves;
	v->seen = s->nav->key;
}

static bool
callers_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct callers *v = view;
	(void)s;
	if (!v->found || v->described.key == KEY_NONE)
		return false;
	*out = v->described;
	return true;
}

static const char *const form_words[] = {
	[CALLERS_BY_SIZE] = "", [CALLERS_FLAME] = "flame", [CALLERS_OUTLINE] = "outline"};

/* Writes the form, if the user chose it, and then what `rest` writes about the rows. */
static void
write_form(const struct callers *v, void (*rest)(const struct branches *b, struct buf *out),
	   struct buf *out)
{
	struct buf rows = BUF_INIT;
	rest(&v->rows, &rows);
	buf_adds(out, form_words[v->form]);
	if (*form_words[v->form] && rows.len)
		buf_addc(out, ' ');
	buf_add(out, buf_str(&rows), rows.len);
	buf_release(&rows);
}

static void
callers_save_state(const void *view, struct buf *out)
{
	write_form(view, branches_keep, out);
}

static void
callers_save_position(const void *view, struct buf *out)
{
	write_form(view, branches_stand, out);
}

static bool
callers_restore_state(void *view, const char *words)
{
	struct callers *v = view;
	enum callers_form form = CALLERS_BY_SIZE;
	for (enum callers_form i = CALLERS_FLAME; i <= CALLERS_OUTLINE; i++) {
		size_t n = strlen(form_words[i]);
		if (strncmp(words, form_words[i], n) || (words[n] && words[n] != ' '))
			continue;
		form = i;
		words += n + (words[n] == ' ');
	}
	if (!branches_read(&v->rows, words))
		return false;
	v->form = form;
	v->recalled = true;
	v->folds = UINT64_MAX;
	return true;
}

static bool
callers_has_effect(const void *view, const struct scene *s, enum action action)
{
	const struct callers *v = view;
	bool center = v->rows.at == AROUND_CALLEES;
	(void)s;
	if (center && (action == ACTION_ENTER || action == ACTION_TOGGLE)) /* always open */
		return false;
	if (v->flames)
		return !opens_rows(action);
	return branches_have_effect(&v->rows, action);
}

static bool
callers_is_hued(const void *view, const struct scene *s)
{
	const struct callers *v = view;
	return v->flames && !s->fold->compares;
}

static uint64_t
callers_omitted_rows(const void *view, const struct scene *s)
{
	(void)s;
	return ((const struct callers *)view)->unsure;
}

static const char *
callers_word(const void *view, enum action action)
{
	const struct callers *v = view;
	return action == ACTION_OUTLINE && !v->flames ? "flame" : NULL;
}

static const enum action callers_keys[] = {
	ACTION_ENTER, ACTION_SEARCH, ACTION_TOGGLE, ACTION_HOT, ACTION_OPEN_ALL,
	ACTION_OUTLINE, ACTION_TRANSFORM, ACTION_NONE,
};

/* Numbers of this path; the table of functions has those of all paths. */
static bool
callers_shows_column(const void *view, const struct scene *s, const char *column)
{
	const struct callers *v = view;
	return !v->flames && !s->fold->compares &&
	       (!strcmp(column, "self") || !strcmp(column, "total"));
}

const struct view_ops callers_view = {
	.name = "callers",
	.digit = '4',
	.open = ACTION_VIEW_CALLERS,
	.scope = SCOPE_CALLERS,
	.about =
		"The function • in the middle, its callers above, its callees below;\n"
		"where there is room as flames, o: as an outline that opens and closes.\n"
		"Enter puts the selected line in the middle.  Numbers of a caller are\n"
		"those of the function when it was called this way, those of a callee\n"
		"its own; % are shares of the function's total.  If the function calls\n"
		"itself, each stack counts once, at the outermost call.\n",
	.enter = "middle",
	.keys = callers_keys,
	.create = callers_create,
	.destroy = callers_destroy,
	.arrange = callers_arrange,
	.draw = callers_draw,
	.act = callers_act,
	.has_effect = callers_has_effect,
	.word = callers_word,
	.is_hued = callers_is_hued,
	.click = callers_click,
	.hover = callers_hover,
	.find = callers_find,
	.search_position = callers_search_position,
	.hold_cursor = callers_hold_cursor,
	.describe = callers_describe,
	.omitted_rows = callers_omitted_rows,
	.shows_column = callers_shows_column,
	.save_state = callers_save_state,
	.restore_state = callers_restore_state,
	.save_position = callers_save_position,
};
