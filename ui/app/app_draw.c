/* app_draw.c - places the parts of the screen and draws them.
 *
 * app_arrange() fits the parts to the profile and the screen.  app_draw() only reads, so the same
 * state always gives the same cells. */
#include "ui/app/app_draw.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/fold/timeless.h"
#include "ui/app/app_hover.h"
#include "ui/app/app_lines.h"
#include "ui/part/compare.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define LEGEND_ROWS 24 /* of a screen that explains the marks of a comparison */

/* ---- places ---- */

bool
app_too_small(const struct app *a)
{
	return a->canvas.w < MIN_COLS || a->canvas.h < MIN_ROWS;
}

static struct area
take_rows(int *y, int rows, int w)
{
	struct area a = {*y, 0, rows, w};
	*y += rows;
	return a;
}

/* True if the view marks changes and there is room for what the marks mean. */
static bool
has_changes(const struct app *a)
{
	return a->scene.fold->compares && a->open.view->omitted_rows && a->canvas.h >= LEGEND_ROWS;
}

static int
legend_rows(struct app *a)
{
	const struct view_ops *v = a->open.view;
	if (has_changes(a))
		return 1;
	return v->is_hued && v->is_hued(app_view_state(a, v), &a->scene) &&
	       hues_have_legend(&a->hues);
}

/* Of `all` the pane says nothing new, so it appears with the first selection.  It stays when `all`
 * is selected again: a view that changes its size with every other key is worse. */
static bool
has_selected(const struct app *a)
{
	return a->nav.key != KEY_NONE || a->nav.moves;
}

static void
arrange_view(struct app *a)
{
	uint64_t moves = a->nav.moves;

	a->open.view->arrange(app_view_state(a, a->open.view), &a->scene, a->at.view);
	if (a->nav.moves != moves)
		a->open.proposer = a->open.view;
}

/* Returns the rows of the legend. */
static int
arrange_parts(struct app *a)
{
	int w = a->canvas.w, h = a->canvas.h, y = 0;
	bool loading = !a->load.state.done;
	a->at.header = take_rows(&y, 1, w);
	a->at.scrubber = take_rows(&y, scrubber_rows(&a->scrubber, &a->scene, h), w);
	a->at.range = take_rows(&y, 1, w);
	a->at.tabs = take_rows(&y, 1, w);
	int guide = a->guide.strip.open ? STRIP_ROWS : 0;
	hues_arrange(&a->hues, &a->scene);
	int legend = legend_rows(a);
	int below = 2 + loading + guide + legend;
	a->at.view = take_rows(&y, h - y - below > 1 ? h - y - below : 1, w);
	a->at.legend = take_rows(&y, legend, w);
	a->at.progress = take_rows(&y, loading, w);
	a->at.details = take_rows(&y, 1, w);
	a->at.strip = take_rows(&y, guide, w);
	a->at.bottom = take_rows(&y, 1, w);
	details_place(&a->details,
		      &(struct details_room){.fits = !a->open.view->no_details,
					     .selected = has_selected(a),
					     .below = a->open.view->rows, .w = w, .h = h},
		      &a->at.view);
	if (a->open.view->scope != SCOPE_TIMELINE)
		a->nav.window_from = a->nav.window_to = 0;
	arrange_view(a);
	details_arrange(&a->details, &a->scene);
	a->scrubber.curve_asked = a->details.at.h > 0;
	/* after the view, which may propose a selection */
	scrubber_arrange(&a->scrubber, &a->scene, a->at.scrubber, h);
	a->front.menu.below = guide ? guide + 1 : 0; /* keep the question readable */
	modals_arrange(&a->front.stack, &a->canvas);
	a->open.arranged = a->open.view;
	a->open.arranged_folds = a->scene.folds;
	return legend;
}

/* A view that decides by its room whether it has coloured boxes, or that makes the first selection,
 * is arranged a second time. */
void
app_arrange(struct app *a)
{
	bool selected = has_selected(a);
	if (arrange_parts(a) != legend_rows(a) || selected != has_selected(a))
		arrange_parts(a);
}

void *
app_view_ready(struct app *a)
{
	if (a->open.arranged != a->open.view || a->open.arranged_folds != a->scene.folds)
		app_arrange(a);
	return app_shown_state(a);
}

/* ---- drawing ---- */

static void
draw_details(const struct app *a, struct canvas *c)
{
	struct row row = {.calls = -1};
	void *state = app_shown_state(a);
	bool has = state && !a->nav.away && a->open.view->describe(state, &a->scene, &row);
	details_draw(&a->details, &a->scene, has ? &row : NULL, scrubber_curve(&a->scrubber), c);
}

/* Returns the message for a view without content, or NULL if it has content. */
static const char *
why_empty(const struct app *a)
{
	if (timeless_range(a->look.fold, a->scene.p)) /* other metrics may have rows here */
		return "This metric is known for the whole run only.  m chooses another.";
	if (!outline_is_empty(a->scene.outline))
		return NULL;
	if (!a->load.state.done)
		return "Nothing to show yet: the file is loading.";
	if (show_nothing_left(&a->scene))
		return show_nothing_left(&a->scene);
	if (!a->look.fold->whole)
		return "No sample begins and nothing runs in this range.  u takes it back.";
	return "The file has no stacks.  8 shows its facts.";
}

static void
draw_middle(struct canvas *c, struct area v, int row, enum ink ink, const char *text)
{
	int cols = text_cols(text) < v.w ? text_cols(text) : v.w;
	canvas_fit(c, v.y + row, v.x + (v.w - cols) / 2, cols, ink, text);
}

static void
draw_view(const struct app *a, struct canvas *c)
{
	struct area v = a->at.view;
	const char *why = a->open.view->says_why ? NULL : why_empty(a);
	if (!why) {
		a->open.view->draw(app_shown_state(a), &a->scene, c, v);
		draw_details(a, c);
		return;
	}
	draw_middle(c, v, v.h / 2, INK_STRONG, why);
	if (a->load.state.done && app_has_questions(a) && v.h > 4)
		draw_middle(c, v, v.h / 2 + 2, INK_DIM,
			    "F3 or :guide lists questions to this profile");
}

static void
draw_too_small(struct canvas *c)
{
	struct buf text = BUF_INIT;
	buf_addf(&text, "%dx%d is too small: %dx%d please (Q quits)", c->w, c->h,
		 MIN_COLS, MIN_ROWS);
	const char *at = buf_str(&text);
	for (int y = 0; y < c->h && *at; y++) {
		size_t len = text_wrap(at, c->w);
		char *part = mem_dup(at, len);
		canvas_text(c, y, 0, c->w, INK_TEXT, part);
		free(part);
		at += len;
	}
	buf_release(&text);
}

void
app_draw(const struct app *a, struct canvas *c)
{
	canvas_clear(c);
	if (app_too_small(a)) {
		draw_too_small(c);
		return;
	}
	if (!modals_cover(&a->front.stack)) {
		app_draw_header(a, c);
		scrubber_draw(&a->scrubber, &a->scene, c, a->at.scrubber);
		app_draw_range(a, c);
		app_draw_tabs(a, c);
		draw_view(a, c);
		if (has_changes(a))
			compare_draw_legend(c, a->at.legend);
		else
			hues_draw(&a->hues, &a->scene, c, a->at.legend);
		app_draw_progress(a, c);
		app_draw_details(a, c);
		strip_draw(&a->guide.strip, c, a->at.strip);
		app_draw_bottom(a, c);
	}
	if (modals_top(&a->front.stack)) /* they may cover such parts */
		c->late.n = 0;
	modals_draw(&a->front.stack, c);
	app_hover_draw(a, c);
}
