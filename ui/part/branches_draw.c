/* branches_draw.c - draws the rows of a tree: columns, indentation and marks. */
#include "ui/part/branches.h"

#include <stdlib.h>
#include <string.h>

#include "ui/part/sparks.h"
#include "ui/screen/text.h"

static void
branches_draw_add(struct grid *g, const char *column, const char *title, int width, bool sorted)
{
	struct grid_column *c =
		grid_add(g, column_find(column, strlen(column), ROWS_TREE));

	if (!c || !column_is_there(c->of, g->look)) {
		g->n -= c != NULL;
		return;
	}
	c->title = title;
	c->width = width;
	c->sorted = sorted;
}

/* A group has no time of its own and no place in a source file: these columns take their room. */
static void
add_usage_columns(struct grid *g)
{
	static const char *const names[] = {"waiting", "blocked", "io", "threads"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		branches_draw_add(g, names[i], names[i], 8, false);
}

static void
add_columns(struct grid *g, const char *share, const char *name,
		 enum branch_columns which, int w)
{
	bool usage = which == BRANCHES_WHOLE && !g->look->compares && g->look->fold &&
		     g->look->fold->usage.any;

	if (g->look->compares) {
		branches_draw_add(g, "delta_total", "change", 10, false);
		branches_draw_add(g, "total-change%", "of base", 8, false);
		/* siblings are in the order of the sum of both */
		branches_draw_add(g, "total", "total ▾", 9, true);
		branches_draw_add(g, "base_total", "base ▾", 9, true);
		grid_add_cell(g, GRID_MARK, "", 1);
	} else {
		branches_draw_add(g, "total", "total ▾", 9, true);
		branches_draw_add(g, "total%", share, 6, false);
		if (usage) {
			add_usage_columns(g);
		} else {
			branches_draw_add(g, "self", "self", 9, false);
			branches_draw_add(g, "share", share, 6, false);
		}
		if (which == BRANCHES_WHOLE)
			branches_draw_add(g, "calls", "calls", 9, false);
		if (w >= 100)
			grid_add_cell(g, GRID_BAR, "", 10);
	}
	branches_draw_add(g, "function", name, 0, false);
	if (which == BRANCHES_WHOLE && sparks_cols(g->s, w))
		grid_add_cell(g, GRID_SPARK, "over time", sparks_cols(g->s, w));
	if (w >= 120 && which == BRANCHES_WHOLE && !usage)
		grid_add_cell(g, GRID_WHERE, "where", w / 4 - 1);
	grid_fit(g, w, INT32_MIN);
}

/* Deep in a tree all lines shift to the left together, several levels at once; otherwise scrolling
 * down a trunk would redraw all of them with each row.  The head shows the shift. */
#define BASE_STEP 4u

static uint32_t
levels_left_out(const struct branches *b)
{
	return b->lines.n ? b->least_depth / BASE_STEP * BASE_STEP : 0;
}

static void
draw_name(const void *of, struct canvas *c, int y, int x, int w, enum ink ink)
{
	const struct branch_name *n = of;
	const struct branch_line *l = n->line;
	uint32_t steps = l->depth - levels_left_out(n->b);
	int indent = (int)(steps > 10000 ? 10000 : steps) *
		     (n->step ? n->step : w < 60 ? 1 : 2);
	struct buf text = BUF_INIT;

	if (indent > w / 2) {
		indent = w / 2;
		buf_addf(&text, "%u› ", l->depth);
	}
	if (ink != INK_TEXT) /* as far as the name: the columns after it are not highlighted */
		canvas_fill(c, (struct area){y, x, 1, indent < w ? indent : w}, ink, ' ');
	if (w > indent + 2) {
		const char *mark = n->mark	? n->mark
				   : !l->has	? "  "
				   : !l->open	? "▸ "
				   : l->above	? "▴ "
						: "▾ ";
		bool lit = ink != INK_TEXT;
		canvas_text(c, y, x + indent, 2, ink, mark);
		if (n->hit)
			buf_addc(&text, '*');
		n->write(n, w - indent - 2 - text_cols(buf_str(&text)), &text);
		int cols = text_cols(buf_str(&text));
		canvas_fit(c, y, x + indent + 2,
			   cols < w - indent - 2 ? cols : w - indent - 2,
			   lit	       ? ink
			   : n->hit    ? INK_HIT
			   : n->strong ? INK_STRONG
				       : INK_TEXT,
			   buf_str(&text));
	}
	buf_release(&text);
}

static void
branches_draw_lay_out(const struct branches_shown *d, int w, struct grid *g)
{
	grid_init(g, d->s, d->look);
	add_columns(g, d->share, d->name, d->which, w);
}

bool
branches_show_column(const struct branches_shown *d, int w, const char *column)
{
	struct grid g;

	branches_draw_lay_out(d, w, &g);
	return grid_shows(&g, column);
}

void
branches_draw(const struct branches_shown *d, struct canvas *c, struct area a)
{
	const struct branches *b = d->b;
	struct branches_shown deep = *d;
	struct buf name = BUF_INIT;
	struct grid g;

	buf_adds(&name, d->name);
	if (levels_left_out(b))
		buf_addf(&name, ", from level %u on", levels_left_out(b));
	deep.name = buf_str(&name);
	branches_draw_lay_out(&deep, a.w, &g);
	grid_draw_head(&g, c, a.y, a.x, a.w);
	grid_draw_standing(c, a.y, a.x, a.w, &b->standing);
	for (int i = 0; i < (int)b->lines.n; i++) {
		struct branch_name named = {
			.b = b, .line = &b->lines.at[i], .s = d->s, .view = d->view};
		struct row row;
		d->line(&named, &row);
		g.spark = spark_of_node(b->lines.at[i].id);
		grid_draw_row(&g, c, a.y + 1 + i, a.x, &row, i == b->row, draw_name, &named);
	}
	buf_release(&name);
}
