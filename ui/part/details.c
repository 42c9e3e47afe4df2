/* details.c - see details.h.
 *
 * The pane has four sections: the selection, its callers, its callees, and its heaviest
 * descendants.  A wide pane shows them side by side, a narrow one below each other.  Callers and
 * callees are those of the function everywhere, as in the view `callers`; the last list describes
 * only the selected stack, which is the box on the screen.  If the box is one of several places of
 * the function, the pane has the numbers of both: here, and everywhere.
 *
 * Rows left by the facts show the curve of the function over the run.  The scrubber draws it as a
 * share of the work in each column.  Here its own highest column has the full height, so the user
 * sees the amount as well. */
#include "ui/part/details.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/fold/labelsum.h"
#include "model/profile/human.h"
#include "ui/part/keys.h"
#include "ui/part/show.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

#define FACT_ROWS 5  /* below the name */
#define LIST_ROWS 4  /* that a list keeps when a name is long */
#define AUTO_ROWS 35 /* the pane opens by itself from this height */
#define AUTO_COLS 150
#define SECTIONS 4
#define SECTION_COLS 38 /* the preferred width of a section */
#define LABEL_COLS 10
#define CURVE_ROWS 4 /* at most */

void
details_init(struct details *d)
{
	*d = (struct details){.folds = UINT64_MAX, .bars_folds = UINT64_MAX};
	around_init(&d->around);
}

void
details_release(struct details *d)
{
	work_free(d->work);
	around_release(&d->around);
	changes_release(&d->bars);
}

/* ---- where ---- */

/* Columns at the right are rarely missed on a wide screen, rows at the bottom on a high one. */
void
details_place(struct details *d, const struct details_room *room, struct area *view)
{
	int w = room->w, h = room->h;
	int rows = h >= 50 ? 13 : h >= AUTO_ROWS ? 9 : 6;
	d->at = (struct area){0};
	bool wanted = d->wish == DETAILS_ON ||
		      (d->wish == DETAILS_AUTO && room->selected &&
		       (h >= AUTO_ROWS || w >= AUTO_COLS));
	if (!room->fits || !wanted)
		return;
	bool high = h >= AUTO_ROWS;
	if (high ? w >= AUTO_COLS && !room->below : w >= 100) {
		int cols = w >= AUTO_COLS ? 48 : SECTION_COLS;
		view->w -= cols;
		d->at = (struct area){view->y, view->x + view->w, view->h, cols};
	} else if (view->h >= rows + 6) {
		view->h -= rows;
		d->at = (struct area){view->y + view->h, view->x, rows, view->w};
	}
}

/* ---- contents ---- */

/* Keeps the greatest values sorted; equal ones stay in the order of arrival. */
static void
list_add(struct details_list *l, key_id key, int64_t value)
{
	unsigned at = l->n < DETAILS_ROWS ? l->n++ : DETAILS_ROWS;
	if (at == DETAILS_ROWS && l->value[at - 1] >= value)
		return;
	if (at == DETAILS_ROWS)
		at--;
	for (; at && l->value[at - 1] < value; at--) {
		l->key[at] = l->key[at - 1];
		l->value[at] = l->value[at - 1];
	}
	l->key[at] = key;
	l->value[at] = value;
}

/* Lists the heaviest children.  In a comparison all of them must be read to find those. */
static void
list_children(struct details_list *l, struct around *a, around_id of)
{
	for (around_id i = around_first(a, of); i != AROUND_NONE && !pace_gives_up(a->pace);
	     i = around_next(a, i)) {
		if (l->n == DETAILS_ROWS && !a->fold->compares)
			return;
		list_add(l, around_get(a, i)->key, around_get(a, i)->total);
	}
}

static void
find_around(struct details *d, const struct scene *s, struct pace *pace)
{
	struct around *a = &d->around;
	if (s->fold->tree->inverted || !around_look(a, s->fold, s->p, s->nav->key, pace))
		return;
	a->pace = pace;
	list_children(&d->callers, a, AROUND_CALLERS);
	if (!pace_gives_up(pace))
		list_children(&d->callees, a, AROUND_CALLEES);
	a->pace = NULL;
}

/* Collects the labels of events in the selected node and below. */
static void
find_labels(struct details *d, const struct scene *s, const uint8_t *below, struct pace *pace)
{
	struct details_labels *l = &d->labels;
	struct labelsum sum;

	labelsum_below(s->p, s->fold, s->nav->node, below, pace, &sum);
	for (uint32_t i = 0; i < sum.n; i++) {
		unsigned at = l->n;
		while (at && l->self[at - 1] < sum.at[i].self)
			at--;
		if (at == DETAILS_LABELS || sum.at[i].self <= 0)
			continue;
		l->n += l->n < DETAILS_LABELS;
		for (unsigned k = l->n - 1; k > at; k--) {
			l->label[k] = l->label[k - 1];
			l->self[k] = l->self[k - 1];
		}
		l->label[at] = sum.at[i].label;
		l->self[at] = sum.at[i].self;
	}
	labelsum_release(&sum);
}

/* Sums self time by key over the selected node and its descendants, whose ids are greater. */
static void
find_below(struct details *d, const struct scene *s, struct pace *pace)
{
	const struct projection *t = s->fold->tree;
	node_id top = s->nav->node;
	int64_t *self = mem_zalloc(t->n_keys + 1u, sizeof *self);
	uint8_t *below = mem_zalloc(t->n - top, 1);
	for (node_id n = top; n < t->n && pace_on(pace, 1); n++) {
		node_id parent = t->parent[n];
		below[n - top] = n == top || (parent >= top && parent < n && below[parent - top]);
		if (below[n - top] && t->key[n] != KEY_NONE)
			self[t->key[n]] += numbers_recorded_self(&s->fold->now, t, n);
	}
	for (key_id k = 0; k < t->n_keys && pace_on(pace, 1); k++)
		if (self[k])
			list_add(&d->below, k, numbers_scaled(self[k], s->fold->now.by));
	if (s->p->labels.n_labels && !pace_gives_up(pace))
		find_labels(d, s, below, pace);
	free(below);
	free(self);
}

/* Computes the error bars of all rows, once a fold.  A comparison shows those of its changes in
 * its views. */
static void
find_bars(struct details *d, const struct scene *s, struct pace *pace)
{
	if (d->bars_folds == s->folds || s->fold->compares)
		return;
	d->bars_folds = UINT64_MAX;
	fold_bars(s->fold, s->p, pace, &d->bars);
	if (!pace_gives_up(pace))
		d->bars_folds = s->folds;
}

static void
make_lists(void *ctx, struct pace *pace)
{
	struct details *d = ctx;
	const struct scene *s = d->scene;
	if (s->nav->key != KEY_NONE) {
		find_around(d, s, pace);
		d->own = fold_row_of(s->fold, s->nav->key);
	}
	if (!pace_gives_up(pace) && s->nav->node < s->fold->tree->n)
		find_below(d, s, pace);
	if (!pace_gives_up(pace))
		find_bars(d, s, pace);
	d->whole = !pace_gives_up(pace);
	if (!d->whole)
		d->callers.n = d->callees.n = d->below.n = d->labels.n = 0;
}

void
details_arrange(struct details *d, const struct scene *s)
{
	bool same = d->folds == s->folds && d->moves == s->nav->moves;
	if (!d->at.h)
		return;
	if (!d->work)
		d->work = work_new(s->works);
	/* a new fold drops works that rest */
	if (!same || (!d->whole && !work_busy(d->work))) {
		work_drop(d->work);
		d->folds = s->folds;
		d->moves = s->nav->moves;
		d->scene = s;
		d->callers.n = d->callees.n = d->below.n = d->labels.n = 0;
		d->whole = s->nav->away;
		if (!d->whole)
			work_begin(d->work, make_lists, d);
	}
	work_on(d->work, s->portion_ns);
}

/* ---- drawing ---- */

/* Returns the error bar of a number, unknown for those of a single line or instruction. */
static struct evidence
details_bar_of(const struct details *d, const struct scene *s, const struct row *row, bool total)
{
	bool own = row->node != NODE_ROOT ||
		   (row->key != KEY_NONE && row->key == d->own.key &&
		    row->self == d->own.self && row->total == d->own.total);

	if (!own || !d->whole || d->bars_folds != s->folds)
		return (struct evidence){0};
	return row_bar(&d->bars, row, total);
}

/* Returns true if the row is one of several places of the selected function. */
static bool
is_part(const struct details *d, const struct row *row)
{
	return d->whole && row->node != NODE_ROOT && row->key != KEY_NONE &&
	       row->key == d->own.key &&
	       (row->self != d->own.self || row->total != d->own.total);
}

/* Comparisons have the inks of heat for changes. */
static enum ink
share_ink(const struct scene *s, int64_t value)
{
	return s->fold->compares ? INK_TEXT : theme_heat(value, s->fold->now.everything);
}

/* Draws "self      812 ms ±20 ms   6.5 %": self or total, half its error bar if that is known,
 * its share; returns the next row. */
static int
draw_number(const struct details *d, const struct scene *s, const struct row *row, bool total,
	    struct canvas *c, struct area a, int y)
{
	int64_t value = total ? row->total : row->self, whole = s->fold->now.everything;
	struct buf text = BUF_INIT;
	if (y >= a.y + a.h)
		return y;
	canvas_text(c, y, a.x, a.w, INK_DIM, total ? "total" : "self");
	show_value(s, value, &text);
	struct evidence e = details_bar_of(d, s, row, total);
	if (e.known) {
		buf_adds(&text, " \xc2\xb1");
		show_value(s, rounded_clipped(evidence_bar(e, (double)value)), &text);
	}
	buf_adds(&text, "   ");
	human_share(&text, value, whole);
	if (s->fold->compares) {
		buf_adds(&text, ", was ");
		show_exact(s, (total ? row->exact_total : row->exact_self).base, &text);
	}
	buf_adds(&text, is_part(d, row) ? " here" : "");
	canvas_fit(c, y, a.x + LABEL_COLS, a.w - LABEL_COLS, share_ink(s, value),
		   buf_str(&text));
	buf_release(&text);
	return y + 1;
}

static int
draw_fact(struct canvas *c, struct area a, int y, const char *what, const char *text)
{
	if (!*text || y >= a.y + a.h)
		return y;
	canvas_text(c, y, a.x, a.w, INK_DIM, what);
	canvas_fit_tail(c, y, a.x + LABEL_COLS, a.w - LABEL_COLS, INK_TEXT, text);
	return y + 1;
}

/* Draws the whole name in as many rows as it needs and gets. */
static int
draw_name(const struct scene *s, struct canvas *c, struct area a, int rows)
{
	struct buf name = BUF_INIT;
	int y = a.y;
	show_key(s, s->nav->key, &name);
	const char *at = buf_str(&name);
	for (; *at && y < a.y + rows; y++) {
		size_t fits = text_fit(at, a.w);
		if (!fits)
			break;
		if (y + 1 == a.y + rows && at[fits]) { /* the last row marks that more follows */
			canvas_fit(c, y, a.x, a.w, INK_STRONG, at);
		} else {
			char *part = mem_dup(at, fits);
			canvas_text(c, y, a.x, a.w, INK_STRONG, part);
			free(part);
		}
		at += fits;
	}
	buf_release(&name);
	return y;
}

/* Sums the curve over column x of w; the curve has more columns than that. */
static double
curve_part(const struct curve *curve, int x, int w)
{
	double each = (double)curve->cols / w, from = x * each, to = from + each, sum = 0;
	for (unsigned i = (unsigned)from; i < curve->cols && i < to; i++) {
		double a = i > from ? i : from, b = i + 1 < to ? i + 1 : to;
		sum += curve->value[i] * (b - a);
	}
	return sum;
}

/* True if part of column x of w is in the range. */
static bool
in_range(const struct scene *s, int x, int w)
{
	double each = ((double)s->fold->run + 1) / w;
	int64_t from, to;
	show_range(s, &from, &to);
	return (double)from < (x + 1) * each && (double)to > x * each;
}

/* Draws the run from left to right; parts outside the range are dim. */
static void
draw_curve(const struct scene *s, const struct curve *curve, struct canvas *c, struct area a)
{
	int w = a.w - LABEL_COLS, h = a.h < CURVE_ROWS ? a.h : CURVE_ROWS;
	double most = 0;
	w = w < (int)curve->cols ? w : (int)curve->cols;
	if (w < 8 || h < 1)
		return;
	canvas_text(c, a.y, a.x, a.w, INK_DIM, "over time");
	for (int x = 0; x < w; x++) {
		double part = curve_part(curve, x, w);
		most = part > most ? part : most;
	}
	for (int x = 0; most > 0 && x < w; x++) {
		double part = curve_part(curve, x, w);
		int eighths = (int)(part / most * 8 * h + 0.5);
		eighths = part > 0 && !eighths ? 1 : eighths;
		for (int row = 0; row < h && eighths > row * 8; row++) {
			int level = eighths - row * 8 < 8 ? eighths - row * 8 : 8;
			canvas_char(c, a.y + h - 1 - row, a.x + LABEL_COLS + x,
				    in_range(s, x, w) ? INK_BAR : INK_DIM,
				    0x2580 + (uint32_t)level);
		}
	}
}

/* Draws "label     class=byte[]  40.1 %", a share of the stack's total; returns the next row. */
static int
details_draw_label(const struct details *d, const struct scene *s, unsigned i, struct canvas *c,
		   struct area a, int y)
{
	const struct label *l = &s->p->labels.label[d->labels.label[i]];
	struct buf text = BUF_INIT, share = BUF_INIT, shown = BUF_INIT;

	profile_show_name(s->p, l->key, &text);
	buf_addc(&text, '=');
	profile_write_label(s->p, l, false, &text);
	if (s->fold->now.recorded.total[s->nav->node] > 0) {
		buf_adds(&share, "  ");
		human_share(&share, d->labels.self[i],
			    s->fold->now.recorded.total[s->nav->node]);
	}
	shorten_middle(buf_str(&text), a.w - LABEL_COLS - text_cols(buf_str(&share)), &shown);
	buf_adds(&shown, buf_str(&share));
	y = draw_fact(c, a, y, "label", buf_str(&shown));
	buf_release(&text);
	buf_release(&share);
	buf_release(&shown);
	return y;
}

/* The parts of the selection that the pane shows beside the lists. */
struct details_facts {
	const struct row *row;
	const struct curve *curve;
	bool named; /* the name is above all sections, where it has more room */
};

static void
draw_facts(const struct details *d, const struct scene *s, const struct details_facts *facts,
	   struct canvas *c, struct area a)
{
	const struct row *r = facts->row;
	const struct fold *f = s->fold;
	struct buf text = BUF_INIT;
	int y = facts->named ? a.y : draw_name(s, c, a, a.h > FACT_ROWS ? a.h - FACT_ROWS : 1);
	if (r) {
		y = draw_number(d, s, r, false, c, a, y);
		y = draw_number(d, s, r, true, c, a, y);
		node_id n = s->nav->node;
		node_id parent = n == NODE_ROOT ? NODE_NONE : f->tree->parent[n];
		/* the row is the place, or the function has no other */
		bool box = r->node == n || fold_node_row(f, n).total == r->total;
		if (is_part(d, r)) {
			buf_adds(&text, "self ");
			show_value(s, d->own.self, &text);
			buf_adds(&text, ", total ");
			show_value(s, d->own.total, &text);
			y = draw_fact(c, a, y, "in all", buf_str(&text));
			buf_reset(&text);
		}
		if (box && parent != NODE_NONE && parent != NODE_ROOT &&
		    f->now.total[parent] > 0) {
			human_share(&text, f->now.total[n], f->now.total[parent]);
			if (f->compares && f->base.total[parent] > 0) {
				buf_adds(&text, ", was ");
				human_share(&text, f->base.total[n], f->base.total[parent]);
			}
			y = draw_fact(c, a, y, "of parent", buf_str(&text));
		}
		buf_reset(&text);
		if (r->calls > 0 && r->key != KEY_NONE)
			human_count(&text, r->calls);
		y = draw_fact(c, a, y, "calls", buf_str(&text));
	}
	buf_reset(&text);
	if (s->nav->key != KEY_NONE)
		show_place(s, s->nav->key, &text);
	y = draw_fact(c, a, y, "at", buf_str(&text));
	buf_reset(&text);
	if (s->nav->key != KEY_NONE)
		show_module(s, s->nav->key, &text);
	y = draw_fact(c, a, y, "module", buf_str(&text));
	for (unsigned i = 0; i < d->labels.n && y < a.y + a.h; i++)
		y = details_draw_label(d, s, i, c, a, y);
	if (facts->curve)
		draw_curve(s, facts->curve, c, (struct area){y, a.x, a.y + a.h - y, a.w});
	buf_release(&text);
}

static void
draw_list(const struct scene *s, const char *title, const struct details_list *l,
	  struct canvas *c, struct area a)
{
	struct buf name = BUF_INIT, text = BUF_INIT, shown = BUF_INIT;
	canvas_fit(c, a.y, a.x, a.w, INK_DIM, title);
	for (unsigned i = 0; i < l->n && (int)i + 1 < a.h; i++) {
		int y = a.y + 1 + (int)i;
		buf_reset(&name);
		buf_reset(&text);
		buf_reset(&shown);
		human_share(&text, l->value[i], s->fold->now.everything);
		canvas_right(c, y, a.x, 8, share_ink(s, l->value[i]), buf_str(&text));
		if (l->key[i] == KEY_NONE)
			buf_adds(&name, "(none: it is a root)");
		else
			show_frame(s, l->key[i], &name);
		shorten_name(buf_str(&name), a.w - 9, &shown);
		canvas_fit(c, y, a.x + 9, a.w - 9, INK_TEXT, buf_str(&shown));
	}
	if (!l->n && a.h > 1)
		canvas_fit(c, a.y + 1, a.x + 9, a.w - 9, INK_DIM, "-");
	buf_release(&name);
	buf_release(&text);
	buf_release(&shown);
}

static void
draw_section(const struct details *d, const struct scene *s, const struct details_facts *facts,
	     int which, struct canvas *c, struct area a)
{
	bool turned = s->fold->tree->inverted;
	if (a.h < 1 || a.w < 12)
		return;
	switch (which) {
	case 0:
		draw_facts(d, s, facts, c, a);
		break;
	case 1:
		draw_list(s, turned ? "callers: I turns the stacks back" : "callers everywhere",
			  &d->callers,
			  c, a);
		break;
	case 2:
		draw_list(s, turned ? "callees: I turns the stacks back" : "callees everywhere",
			  &d->callees,
			  c, a);
		break;
	default:
		if (!turned) /* in an inverted tree the children are callers */
			draw_list(s, "self at and below the selected stack", &d->below, c,
				  a);
	}
}

/* The column of each section, for 1 to 4 columns. */
static const int columns[SECTIONS + 1][SECTIONS] = {
	[1] = {0, 0, 0, 0},
	[2] = {0, 1, 1, 1},
	[3] = {0, 1, 1, 2},
	[4] = {0, 1, 2, 3},
};

/* With two low columns the last section is omitted. */
static const int two_low[SECTIONS] = {0, 1, 1, -1};

/* Returns the rows that the facts need with the whole name. */
static int
facts_rows(const struct scene *s, int w)
{
	struct buf name = BUF_INIT;
	show_key(s, s->nav->key, &name);
	int rows = text_cols(buf_str(&name)) / w + 1 + FACT_ROWS;
	buf_release(&name);
	return rows;
}

/* Returns the rows of a list with its title and a blank one; INT_MAX for the facts. */
static int
list_rows(const struct details *d, int section)
{
	const struct details_list *lists[SECTIONS] = {NULL, &d->callers, &d->callees, &d->below};

	return lists[section] ? (int)(lists[section]->n ? lists[section]->n : 1) + 2 : INT_MAX;
}

/* The sections of one column share its rows; the first one takes what it needs, and a short list
 * leaves its rows to the next one. */
static void
draw_column(const struct details *d, const struct scene *s, const struct details_facts *facts,
	    const int *column, int which, struct canvas *c, struct area a)
{
	int left = 0;
	for (int i = 0; i < SECTIONS; i++)
		left += column[i] == which;
	for (int i = 0; i < SECTIONS; i++) {
		if (column[i] != which)
			continue;
		int h = a.h / left;
		if (i == 0 && left > 1) {
			int most = a.h - (left - 1) * LIST_ROWS;
			int need = a.w > 2 ? facts_rows(s, a.w) : 0;
			h = a.h > 24 ? 10 : a.h / 2;
			need = need < most ? need : most;
			h = h > need ? h : need;
		}
		if (left > 1 && h > list_rows(d, i))
			h = list_rows(d, i);
		draw_section(d, s, facts, i, c, (struct area){a.y, a.x, h, a.w});
		a.y += h;
		a.h -= h;
		left--;
	}
}

void
details_draw(const struct details *d, const struct scene *s, const struct row *row,
	     const struct curve *curve, struct canvas *c)
{
	struct details_facts facts = {row, curve, false};
	struct area a = d->at;
	if (!a.h)
		return;
	canvas_fill(c, a, INK_TEXT, ' ');
	canvas_late(c, a, 0);
	bool right = a.x > 0;
	if (right) {
		canvas_fill(c, (struct area){a.y, a.x, a.h, 1}, INK_RULE, 0x2502);
		a = (struct area){a.y, a.x + 2, a.h, a.w - 2};
	} else {
		canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_RULE, 0x2500);
		int hides = canvas_text(c, a.y, a.x + 3, a.w - 3, INK_DIM, " D hides ");
		canvas_link(c, (struct area){a.y, a.x + 3, 1, hides}, ACTION_DETAILS);
		a = (struct area){a.y + 1, a.x + 1, a.h - 1, a.w - 1};
	}
	int n = a.w / SECTION_COLS;
	n = n < 1 ? 1 : n > SECTIONS ? SECTIONS : n;
	int each = a.w / n;
	if (n > 1 && facts_rows(s, each - 2) > a.h && a.h > FACT_ROWS) {
		int y = draw_name(s, c, a, a.h - FACT_ROWS);
		a = (struct area){y, a.x, a.y + a.h - y, a.w};
		facts.named = true;
	}
	const int *column = n == 2 && a.h < 12 ? two_low : columns[n];
	for (int i = 0; i < n; i++)
		draw_column(d, s, &facts, column, i, c,
			    (struct area){a.y, a.x + i * each, a.h, each - 2});
}
