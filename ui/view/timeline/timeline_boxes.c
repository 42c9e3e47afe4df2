/* timeline_boxes.c - draws the stacks of a lane: boxes with labels and shades.
 *
 *	│parse                  one call, or one sample
 *	wait▚                   one whose end the file lacks: dim, with a ragged edge
 *	parse ×620              many, in one box
 *	parse + render ×200     two functions, in columns of two colours (ui/part/mixture.h)
 *	parse + 3 more ×950     more of them, in neutral dots
 *
 * Boxes below LABEL_COLS columns have a colour and no letters.  A thin line begins a box whose left
 * neighbour has the same colour; otherwise its beginning would be invisible.  Where the function
 * runs for part of a column only, the box has a shade of its colour; with few colours it is dots of
 * that colour without a background, under a label, too: black dots on a filled background look
 * fuller the fewer there are.  A label has the ink of most of its columns and their mean shade,
 * since letters in several inks are unreadable.  The slice under the
 * cursor is drawn over its box, which may hold hundreds of others. */
#include <inttypes.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/profile/human.h"
#include "ui/part/hues.h"
#include "ui/part/mixture.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/timeline/timeline.h"

#define LABEL_COLS 3
#define LEFT_EDGE 0x258F
#define RAGGED_EDGE 0x259A
#define DIM_FILL 3u
#define SIGN_COLS 8 /* the letter of a module and some of the name */
#define CUT_COLS 4 /* two letters identify nothing: a shortened name needs more */

static bool
out_of_range(const struct timeline *v, const struct scene *s, int x)
{
	if (s->fold->whole)
		return false;
	return timeline_moment(v, x + 1) <= v->range_from ||
	       timeline_moment(v, x) >= v->range_to;
}

/* The inks and shades of a box. */
struct box_inks {
	struct mixture_inks of;
	bool hit; /* the search matches one of its functions */
};

static struct box_inks
find_inks(const struct scene *s, const struct cell_box *b)
{
	const key_id *key = s->fold->tree->key;
	struct box_inks out = {{hues_ink(s, key[b->node], false), INK_HUE_REST}, false};
	bool hit = search_hits_key(s->search, key[b->node]);
	if (hit)
		out.of.first = INK_BOX_HIT;
	if (b->second != NODE_NONE) {
		bool also = search_hits_key(s->search, key[b->second]);
		out.of.second = also ? INK_BOX_HIT : hues_ink(s, key[b->second], false);
		hit |= also && b->mix == MIX_TWO;
	}
	out.hit = hit;
	return out;
}

static void
write_label(const struct scene *s, const struct lane *lane, const struct cell_box *b,
	    bool hit, struct buf *out)
{
	key_id key = s->fold->tree->key[b->node];
	if (b->calls == 1 && !b->about && b->mix == MIX_ONE)
		buf_adds(out, "│");
	if (hit)
		buf_addc(out, '*');
	node_id above = s->fold->tree->parent[b->node];
	if (b->w >= SIGN_COLS)
		hues_sign(s, key, b->row > 1 ? s->fold->tree->key[above] : KEY_NONE, out);
	mixture_write_name(s, key, out);
	mixture_write_rest(s, b, out);
	if (b->calls > 1 && lane->run.series->kind == SERIES_STEPS) {
		buf_adds(out, b->about ? " ×~" : " ×");
		human_count(out, (int64_t)b->calls);
	}
}

/* Returns column k of a box; of an unfinished one as if less of it ran. */
static struct time_cell
cell_of(const struct lane *lane, const struct cell_box *b, int k)
{
	struct time_cell cell = cells_at(&lane->cells->shown, (unsigned)k, b->row);
	if (b->unfinished && cell.fill > DIM_FILL)
		cell.fill = DIM_FILL;
	return cell;
}

/* Draws column k of a box. */
static void
timeline_draw_cell(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
		   int left, const struct lane *lane, const struct cell_box *b, int k,
		   const struct box_inks *inks)
{
	struct time_cell cell = cell_of(lane, b, k);
	struct mixture_inks own = mixture_inks(s, b, &cell, inks->of);
	if (out_of_range(v, s, k)) {
		own = (struct mixture_inks){INK_REST, INK_REST};
		cell.fill = 1;
		cell.mix = MIX_ONE;
	} else if (cell.astray) {
		own = (struct mixture_inks){INK_DIM, INK_DIM};
	}
	mixture_draw(c, y, left + k, &cell, own.first, own.second);
	if (b->unfinished && k == b->x + b->w - 1)
		canvas_char(c, y, left + k, theme_sparse(own.first), c->ascii ? '~' : RAGGED_EDGE);
}

/* Draws the visible part of the slice under the cursor in columns [first, end) of a box.  A slice
 * too narrow for brackets only marks its cells and the label over them. */
static void
draw_here(struct canvas *c, int y, int left, int first, int end)
{
	if (end - first < LABEL_COLS) {
		for (int x = left + first; x < left + end; x++)
			canvas_char(c, y, x, INK_BOX_HERE, canvas_cell(c, y, x)->ch[0]);
		canvas_shade(c, (struct area){y, left + first, 1, end - first}, c->ascii ? 0 : 8);
		return;
	}
	canvas_fill(c, (struct area){y, left + first, 1, end - first}, INK_BOX_HERE, ' ');
	canvas_char(c, y, left + first, INK_BOX_HERE, '[');
	canvas_char(c, y, left + end - 1, INK_BOX_HERE, ']');
}

struct label_look {
	enum ink ink;
	unsigned shade; /* 0: none */
};

/* Returns the ink of most of the columns under a label, and their mean shade. */
static struct label_look
label_look(const struct timeline *v, const struct scene *s, const struct lane *lane,
	   const struct cell_box *b, int x, int w, const char *text, enum ink ink)
{
	int cols = text_cols(text), full = 0;
	unsigned fill = 0;
	cols = cols < w ? cols : w;
	if (out_of_range(v, s, x))
		return (struct label_look){INK_REST, 1};
	if (b->mix == MIX_MANY)
		return (struct label_look){theme_sparse(INK_HUE_REST), 0};
	for (int k = x; k < x + cols; k++) {
		struct time_cell cell = cell_of(lane, b, k);
		full += cell.fill == CELL_FULL;
		fill += cell.fill;
	}
	if (cols < 1 || full * 2 >= cols)
		return (struct label_look){ink, 0};
	return (struct label_look){theme_sparse(ink), fill / (unsigned)cols};
}

static void
timeline_draw_label(struct canvas *c, int y, int x, int w, struct label_look look, const char *text)
{
	int cols = text_cols(text);
	if (cols <= w)
		canvas_text(c, y, x, w, look.ink, text);
	else if (w >= CUT_COLS)
		canvas_fit(c, y, x, w, look.ink, text);
	else if (!strncmp(text, "│", 3))
		canvas_char(c, y, x, look.ink, 0x2502);
	else
		return;
	int drawn = cols <= w ? cols : w >= CUT_COLS ? w : 1;
	if (look.shade && !c->ascii)
		canvas_shade(c, (struct area){y, x, 1, drawn}, look.shade);
}

/* True if the box begins where one of the same colour ends. */
static bool
is_same_colour(const struct scene *s, const struct cell_box *before, const struct cell_box *b,
	       const struct box_inks *inks)
{
	if (!before || before->x + before->w != b->x || before->mix != b->mix ||
	    before->astray != b->astray)
		return false;
	struct box_inks was = find_inks(s, before);
	return b->mix == MIX_MANY || (was.of.first == inks->of.first &&
				      (b->mix == MIX_ONE || was.of.second == inks->of.second));
}

static void
draw_box(const struct timeline *v, const struct scene *s, struct canvas *c, int y, int left,
	 const struct lane *lane, const struct cell_box *b, const struct cell_box *before,
	 int first, int end)
{
	struct box_inks inks = find_inks(s, b);
	bool wide = end - first >= LABEL_COLS, here = wide && first == b->x;
	int x = b->x, w = b->w - b->unfinished;
	for (int k = b->x; k < b->x + b->w; k++)
		timeline_draw_cell(v, s, c, y, left, lane, b, k, &inks);
	if (b->astray)
		return;
	struct buf label = BUF_INIT;
	write_label(s, lane, b, inks.hit, &label);
	const char *text = buf_str(&label);
	if (wide)
		draw_here(c, y, left, first, end);
	if (wide && b->mix != MIX_ONE) { /* the name of all slices is beside this one */
		bool before_it = first - b->x > b->x + b->w - end;
		x = before_it ? b->x : end;
		w = before_it ? first - b->x : b->x + b->w - end;
	} else if (here) { /* the cursor's bracket replaces the bar, and the label spares its end */
		text += strncmp(text, "│", 3) ? 0 : 3;
		x++;
		w = end - first - 2;
	} else if (w > 1 && strncmp(text, "│", 3) && is_same_colour(s, before, b, &inks)) {
		struct label_look edge =
			label_look(v, s, lane, b, x, 1, " ", inks.of.first);
		canvas_char(c, y, left + x, edge.ink, LEFT_EDGE);
		canvas_shade(c, (struct area){y, left + x, 1, 1}, c->ascii ? 0 : edge.shade);
		x++;
		w--;
	}
	struct label_look look = {INK_BOX_HERE, 0};
	if (!here || b->mix != MIX_ONE)
		look = label_look(v, s, lane, b, x, w, text, inks.of.first);
	if (b->w >= LABEL_COLS)
		timeline_draw_label(c, y, left + x, w, look, text);
	if (!wide)
		draw_here(c, y, left, first, end);
	buf_release(&label);
}

void
timeline_draw_boxes(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
		    int left, const struct lane *lane, unsigned row)
{
	bool sel = lane_is_selected(v, lane) && v->has_slice && v->slice.shown;
	size_t n;
	if (!lane->cells)
		return;
	const struct cell_box *box = cells_boxes(&lane->cells->shown, row, &n);
	for (size_t i = 0; i < n; i++) {
		const struct cell_box *b = &box[i];
		int first = 0, end = 0;
		if (sel && (!row || v->layout.depth[v->slice.node] == row) &&
		    (b->mix != MIX_ONE ||
		     s->fold->tree->key[v->slice.node] == s->fold->tree->key[b->node])) {
			first = timeline_column(v, v->slice.start - lane->start);
			end = timeline_column(v, difference_clipped(v->slice.end,
								    lane->start) - 1) + 1;
			first = first > b->x ? first : b->x;
			end = end < b->x + b->w ? end : b->x + b->w;
		}
		draw_box(v, s, c, y, left, lane, b, i ? b - 1 : NULL, first, end);
	}
}

/* Returns the box at a line and a column of the view, and its lane; NULL if there is none. */
static const struct cell_box *
timeline_box_at(const struct timeline *v, int y, int x, size_t *lane)
{
	int col = x - v->label_cols - 1;
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++) {
		const struct shelf *line = &v->list.at[i];
		int row = y - RULER_ROWS - line->y;
		if (row < 0 || row >= line->rows || line->kind != LINE_LANE)
			continue;
		const struct lane *at = &v->lanes.at[line->lane];
		row -= lane_state_rows(at);
		if (row < 0 || !lane_has_stacks(at) || !at->cells)
			return NULL;
		size_t n;
		const struct cell_box *box =
			cells_boxes(&at->cells->shown, lane_depth(v, at, row), &n);
		*lane = line->lane;
		for (size_t k = 0; k < n; k++)
			if (col >= box[k].x && col < box[k].x + box[k].w)
				return &box[k];
	}
	return NULL;
}

/* Writes the duration and the begin of the slice in the middle of a box that is one call. */
static bool
write_slice(struct timeline *v, const struct scene *s, struct lane *lane,
	    const struct cell_box *b, struct buf *out)
{
	struct layout_slice slice;
	int64_t when = timeline_moment(v, b->x + b->w / 2);
	if (b->calls != 1 || b->about || b->mix != MIX_ONE)
		return false;
	timeline_measure(v, s, lane);
	if (!layout_slice(&v->layout, &lane->run, lane_time(lane, when), b->row, &slice) ||
	    !slice.shown || s->fold->tree->key[slice.node] != s->fold->tree->key[b->node] ||
	    !slice.start_known || !slice.end_known)
		return false;
	show_time(s, difference_clipped(slice.end, slice.start), out);
	buf_adds(out, " from ");
	show_time(s, difference_clipped(slice.start, lane->start), out);
	return true;
}

bool
timeline_hover(void *view, const struct scene *s, int y, int x, struct row *out,
	       struct buf *more)
{
	struct timeline *v = view;
	size_t at;
	const struct cell_box *b = timeline_box_at(v, y, x, &at);
	if (!b || !show_node(s, b->node, out))
		return false;
	struct lane *lane = &v->lanes.at[at];
	profile_show_name(s->p, s->p->track[lane->track].name, more);
	buf_addc(more, '\n');
	if (write_slice(v, s, lane, b, more))
		return true;
	show_time(s, timeline_moment(v, b->x), more);
	buf_adds(more, " … ");
	show_time(s, timeline_moment(v, b->x + b->w), more);
	buf_adds(more, "  ");
	write_label(s, lane, b, false, more);
	return true;
}
