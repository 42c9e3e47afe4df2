/* callers_flames.c - the sandwich: callers as a flame above the function, callees below it.
 *
 *	│   main      │ worker │
 *	│     parse   │ parse  │      callers: how much of the function's total came through them
 *	[      • read         ]
 *	│  decode   │ copy │          callees: their totals under the function
 *
 * A row is one step from the function; a box is as wide as its share of the function's total (of
 * the sizes of all values, if some are below 0), the heaviest at the left.  Boxes too narrow to
 * draw are one box, "… 12 more".  Rows are made only as far as the screen shows them: each box of
 * around.h that is opened costs the nodes that it merges. */
#include "ui/view/callers/callers.h"

#include <math.h>

#include "model/profile/human.h"
#include "ui/part/compare.h"
#include "ui/part/hues.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

#define LEAST_ROWS 19 /* of the view; a smaller one is an outline, but for the row of a legend */
#define NAME_COLS 3   /* narrower boxes have no name */
#define SIGN_COLS 8   /* with the letter of a module before the name */
#define DEEPEST 1000  /* rows of a side, for endless recursion */
#define REST_COUNTED 1000

enum { ABOVE, BELOW };

void
callers_choose_form(struct callers *v)
{
	v->flames = v->form == CALLERS_FLAME ||
		    (v->form == CALLERS_BY_SIZE && v->h >= LEAST_ROWS - v->flames);
}

static void
flames_push_box(struct callers_side *side, around_id id, int x, int end, uint32_t left_out)
{
	if (end > x)
		*vec_push(&side->boxes) =
			(struct callers_box){.id = id, .x = x, .w = end - x, .left_out = left_out};
}

/* Appends the boxes of the children of one box. */
static void
flames_lay_children(struct callers *v, struct callers_side *side, around_id of, int x, int end)
{
	const struct around_node *top = around_get(&v->around, AROUND_CALLEES);
	double scale = top->area > 0 ? (double)v->w / (double)top->area : 0, sum = 0;
	const struct around_node *n = around_get(&v->around, of);
	double whole = (double)n->area - (n->caller ? 0 : fabs((double)n->self));
	int from = x;
	around_id i = around_first(&v->around, of);
	for (; i != AROUND_NONE; i = around_next(&v->around, i)) {
		sum += (double)around_get(&v->around, i)->area;
		int to = x + (int)(sum * scale + 0.5);
		to = to < end ? to : end;
		if (to <= from)
			break;
		flames_push_box(side, i, from, to, 0);
		from = to;
	}
	uint32_t rest = 0;
	for (; i != AROUND_NONE && rest < REST_COUNTED; i = around_next(&v->around, i))
		rest++;
	int to = x + (int)(whole * scale + 0.5);
	if (rest)
		flames_push_box(side, AROUND_NONE, from, to < end ? to : end, rest);
}

/* Makes one more row; returns false if it has no box. */
static bool
flames_lay_row(struct callers *v, struct callers_side *side, around_id root)
{
	size_t rows = side->rows.n, from = rows > 1 ? side->rows.at[rows - 2] : 0;
	size_t to = side->boxes.n;
	if (rows < 2)
		flames_lay_children(v, side, root, 0, v->w);
	for (size_t i = from; rows > 1 && i < to; i++) {
		struct callers_box b = side->boxes.at[i];
		if (b.id != AROUND_NONE)
			flames_lay_children(v, side, b.id, b.x, b.x + b.w);
	}
	if (side->boxes.n == to)
		return false;
	*vec_push(&side->rows) = side->boxes.n;
	return true;
}

/* The rows of a side that have boxes. */
static int
flames_side_rows(const struct callers_side *side)
{
	return side->rows.n ? (int)side->rows.n - 1 : 0;
}

static void
flames_lay_side(struct callers *v, int which, int rows)
{
	struct callers_side *side = &v->side[which];
	around_id root = which == ABOVE ? AROUND_CALLERS : AROUND_CALLEES;
	if (!side->rows.n)
		*vec_push(&side->rows) = 0;
	while (!side->whole && flames_side_rows(side) < rows && flames_side_rows(side) < DEEPEST)
		side->whole = !flames_lay_row(v, side, root);
}

void
callers_forget_flames(struct callers *v)
{
	for (int i = 0; i < 2; i++) {
		v->side[i].boxes.n = v->side[i].rows.n = 0;
		v->side[i].whole = false;
	}
}

static struct callers_side *
flames_side_of(struct callers *v, around_id id)
{
	return &v->side[around_is_caller(&v->around, id) ? ABOVE : BELOW];
}

/* Finds the box of a node; false for the function itself and nodes without one. */
static bool
flames_find_box(struct callers *v, around_id id, size_t *out)
{
	struct callers_side *side = flames_side_of(v, id);
	for (size_t i = 0; id > AROUND_CALLEES && i < side->boxes.n; i++)
		if (side->boxes.at[i].id == id) {
			*out = i;
			return true;
		}
	return false;
}

/* The row of a node on the screen, relative to the function; negative for callers. */
static int
flames_row_of(const struct callers *v, around_id id)
{
	const struct around_node *n = around_get(&v->around, id);
	return id <= AROUND_CALLEES ? 0 : n->caller ? -(int)n->depth : (int)n->depth;
}

void
callers_arrange_flames(struct callers *v)
{
	int row = flames_row_of(v, v->rows.at), far = (row < 0 ? -row : row) + v->h, above, below;
	size_t box;
	flames_lay_side(v, ABOVE, far);
	flames_lay_side(v, BELOW, far);
	while (v->rows.at > AROUND_CALLEES && !flames_find_box(v, v->rows.at, &box))
		v->rows.at = around_get(&v->around, v->rows.at)->parent;
	if (v->rows.at == AROUND_CALLERS)
		v->rows.at = AROUND_CALLEES;
	above = flames_side_rows(&v->side[ABOVE]);
	below = flames_side_rows(&v->side[BELOW]);
	int middle = above + below < v->h ? above : v->h / 2;
	if (above + below >= v->h && above < middle)
		middle = above;
	if (above + below >= v->h && below < v->h - 1 - middle)
		middle = v->h - 1 - below;
	row = flames_row_of(v, v->rows.at);
	if (middle + row < 0)
		middle = -row;
	if (middle + row >= v->h)
		middle = v->h - 1 - row;
	v->middle = middle;
}

/* ---- moving ---- */

/* Moves to the box beside the cursor's. */
static void
flames_step_aside(struct callers *v, int by)
{
	size_t at;
	if (!flames_find_box(v, v->rows.at, &at))
		return;
	struct callers_side *side = flames_side_of(v, v->rows.at);
	int row = flames_row_of(v, v->rows.at);
	size_t depth = (size_t)(row < 0 ? -row : row);
	size_t from = side->rows.at[depth - 1], to = side->rows.at[depth];
	while (by < 0 ? at > from : at + 1 < to) {
		at += by < 0 ? (size_t)-1 : 1;
		if (side->boxes.at[at].id != AROUND_NONE) {
			v->rows.at = side->boxes.at[at].id;
			return;
		}
	}
}

/* Moves away from the function to the heaviest box there, or back. */
static void
flames_step_up(struct callers *v, bool up)
{
	around_id at = v->rows.at, root = up ? AROUND_CALLERS : AROUND_CALLEES, next;
	bool inner = at > AROUND_CALLEES && around_is_caller(&v->around, at) != up;
	size_t box;
	if (inner) {
		v->rows.at = around_get(&v->around, at)->parent;
		if (v->rows.at == AROUND_CALLERS)
			v->rows.at = AROUND_CALLEES;
		return;
	}
	next = around_first(&v->around, at > AROUND_CALLEES ? at : root);
	int row = flames_row_of(v, at);
	flames_lay_side(v, up ? ABOVE : BELOW, (row < 0 ? -row : row) + 1);
	if (next != AROUND_NONE && flames_find_box(v, next, &box))
		v->rows.at = next;
}

bool
callers_step_flames(struct callers *v, enum action action)
{
	int times = 1;
	switch ((int)action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		flames_step_aside(v, action == ACTION_LEFT ? -1 : 1);
		return true;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_HALF_UP:
	case ACTION_HALF_DOWN:
		times = action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN ? v->h : v->h / 2;
		break;
	case ACTION_UP:
	case ACTION_DOWN:
		break;
	case ACTION_FIRST:
	case ACTION_LAST:
		times = DEEPEST;
		break;
	default:
		return false;
	}
	bool up = action == ACTION_UP || action == ACTION_PAGE_UP || action == ACTION_HALF_UP ||
		  action == ACTION_FIRST;
	for (around_id before = AROUND_NONE; times > 0 && before != v->rows.at; times--) {
		before = v->rows.at;
		flames_step_up(v, up);
	}
	return true;
}

bool
callers_flame_at(const struct callers *v, int y, int x, around_id *out)
{
	int row = y - v->middle;
	const struct callers_side *side = &v->side[row < 0 ? ABOVE : BELOW];
	int depth = row < 0 ? -row : row;
	*out = AROUND_CALLEES;
	if (!row || depth > flames_side_rows(side))
		return !row;
	for (size_t i = side->rows.at[depth - 1]; i < side->rows.at[depth]; i++) {
		const struct callers_box *b = &side->boxes.at[i];
		*out = b->id;
		if (b->id != AROUND_NONE && x >= b->x && x < b->x + b->w)
			return true;
	}
	return false;
}

/* ---- drawing ---- */

static enum sure
flame_sure(const struct callers *v, const struct around_node *n)
{
	struct row r = callers_row_of(v, n);
	return row_is_chance(v->around.fold, &r) ? SURE_NO : SURE_YES;
}

static void
flames_write_label(const struct callers *v, const struct scene *s, const struct around_node *n,
		   int room, struct buf *out)
{
	const struct fold *f = v->around.fold;
	struct buf name = BUF_INIT, share = BUF_INIT, near = BUF_INIT;
	if (n->key == KEY_NONE)
		buf_adds(&name, "(no caller)");
	else
		show_frame(s, n->key, &name);
	if (n->key != KEY_NONE && search_hits_key(s->search, n->key))
		buf_addc(out, '*');
	bool center = n->parent == AROUND_NONE;
	key_id beside = center ? KEY_NONE : around_get(&v->around, n->parent)->key;
	if (!f->compares && n->key != KEY_NONE && room >= SIGN_COLS)
		hues_sign(s, n->key, beside, out);
	if (f->compares) {
		buf_adds(out, compare_mark(compare_fate(n->exact_total),
					   flame_sure(v, n)));
		buf_addc(&share, ' ');
		compare_share(n->exact_total, &share);
	} else {
		buf_adds(out, n->total < 0 ? "▼" : "");
		buf_adds(&share, "  ");
		human_share(&share, n->total, around_get(&v->around, AROUND_CALLEES)->total);
	}
	room -= text_cols(buf_str(out));
	if (beside != KEY_NONE)
		show_frame(s, beside, &near);
	shorten_name_beside(buf_str(&name), (const char *[]){near.len ? buf_str(&near) : NULL}, 1,
			    room, out);
	if (text_cols(buf_str(&name)) + text_cols(buf_str(&share)) <= room)
		buf_adds(out, buf_str(&share));
	buf_release(&name);
	buf_release(&near);
	buf_release(&share);
}

static enum ink
flame_ink(const struct callers *v, const struct scene *s, const struct around_node *n)
{
	if (n->key == KEY_NONE)
		return INK_PATH;
	if (search_hits_key(s->search, n->key))
		return INK_BOX_HIT;
	if (!v->around.fold->compares)
		return hues_ink(s, n->key, false);
	return compare_box_ink(n->exact_total, flame_sure(v, n));
}

/* Returns the shade of a box in eighths: by its self, or, in a comparison, by its change. */
static unsigned
flame_shade(const struct callers *v, const struct around_node *n)
{
	return v->around.fold->compares
		       ? compare_box_shade(n->exact_total, flame_sure(v, n))
		       : hues_shade(n->caller ? 0 : n->self, n->total);
}

static void
flames_draw_rest(struct canvas *c, int y, int x, const struct callers_box *b)
{
	struct buf text = BUF_INIT;
	buf_addf(&text, "… %u more", b->left_out);
	canvas_fill(c, (struct area){y, x, 1, b->w}, INK_REST, ' ');
	canvas_text(c, y, x, b->w, INK_REST,
		    text_cols(buf_str(&text)) <= b->w ? buf_str(&text) : "…");
	buf_release(&text);
}

static void
flames_draw_box(const struct callers *v, const struct scene *s, struct canvas *c, int y, int x,
	 const struct callers_box *b)
{
	const struct around_node *n = around_get(&v->around, b->id);
	bool here = b->id == v->rows.at;
	enum ink ink = here ? INK_BOX_HERE : flame_ink(v, s, n);
	struct area part = {y, x, 1, b->w};
	struct buf label = BUF_INIT;
	int edge = here && b->w >= NAME_COLS ? 2 : b->x > 0 && b->w > 1;
	canvas_fill(c, part, ink, ' ');
	if (b->w >= NAME_COLS)
		flames_write_label(v, s, n, b->w - edge, &label);
	if (edge)
		canvas_char(c, y, x, ink, here ? '[' : 0x2502);
	if (edge == 2)
		canvas_char(c, y, x + b->w - 1, ink, ']');
	canvas_middle(c, y, x + (edge > 0), b->w - edge, ink, buf_str(&label));
	if (!here && ink != INK_BOX_HIT && ink != INK_PATH)
		canvas_shade(c, part, flame_shade(v, n));
	buf_release(&label);
}

/* The function in the middle, with its numbers. */
static void
flames_draw_center(const struct callers *v, const struct scene *s, struct canvas *c, int y,
	    struct area a)
{
	const struct around_node *n = around_get(&v->around, AROUND_CALLEES);
	bool here = v->rows.at == AROUND_CALLEES;
	enum ink ink = here ? INK_BOX_HERE : INK_PATH;
	struct buf label = BUF_INIT, numbers = BUF_INIT;
	buf_adds(&numbers, "  total ");
	show_value(s, n->total, &numbers);
	buf_adds(&numbers, "  self ");
	show_value(s, callers_row_of(v, n).self, &numbers);
	buf_adds(&label, "• ");
	flames_write_label(v, s, n, a.w - 4 - text_cols(buf_str(&numbers)), &label);
	buf_adds(&label, buf_str(&numbers));
	canvas_fill(c, (struct area){y, a.x, 1, a.w}, ink, ' ');
	if (here) {
		canvas_char(c, y, a.x, ink, '[');
		canvas_char(c, y, a.x + a.w - 1, ink, ']');
	}
	canvas_middle(c, y, a.x + 1, a.w - 2, ink, buf_str(&label));
	buf_release(&label);
	buf_release(&numbers);
}

void
callers_draw_flames(const struct callers *v, const struct scene *s, struct canvas *c,
		    struct area a)
{
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	canvas_text(c, a.y, a.x, a.w, INK_HEAD,
		    " callers above, • function, callees below; width: share of •");
	if (v->middle >= 0 && v->middle < v->h)
		flames_draw_center(v, s, c, a.y + 1 + v->middle, a);
	for (int which = 0; which < 2; which++) {
		const struct callers_side *side = &v->side[which];
		for (int depth = 1; depth <= flames_side_rows(side); depth++) {
			int row = v->middle + (which == ABOVE ? -depth : depth), y = a.y + 1 + row;
			if (row < 0 || row >= v->h)
				continue;
			for (size_t i = side->rows.at[depth - 1]; i < side->rows.at[depth]; i++) {
				const struct callers_box *b = &side->boxes.at[i];
				if (b->id == AROUND_NONE)
					flames_draw_rest(c, y, a.x + b->x, b);
				else
					flames_draw_box(v, s, c, y, a.x + b->x, b);
			}
		}
	}
}
