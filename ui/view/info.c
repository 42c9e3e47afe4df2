/* info.c - what the file says of itself, what was assumed, what was damaged.
 *
 * The facts of `pnav report --view info` under headings, made anew when the profile has
 * grown.  It scrolls and has no selection of its own; the selected function stays what it
 * is. */
#include "ui/view/view.h"

#include <stdlib.h>

#include "model/table/facts.h"
#include "model/profile/human.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "ui/part/grid.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

struct info_line {
	const char *heading; /* NULL: a fact */
	const struct fact *fact;
};

struct facts_view {
	struct facts facts;
	VEC(struct info_line) lines;
	uint64_t folds;
	bool done;
	struct scroll scroll;
};

static void *
info_create(void)
{
	struct facts_view *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	return v;
}

static void
info_destroy(void *view)
{
	struct facts_view *v = view;
	facts_release(&v->facts);
	vec_release(&v->lines);
	free(v);
}

/* ---- the lines ---- */

/* Facts about one thing under a heading, if there are any. */
static void
list_about(struct facts_view *v, const char *heading, enum fact_about about, bool of_all)
{
	for (size_t i = 0; i < v->facts.all.n; i++) {
		const struct fact *f = &v->facts.all.at[i];
		if (f->about != about || (of_all && f->group != FACT_OF_ALL))
			continue;
		if (heading)
			*vec_push(&v->lines) = (struct info_line){heading, NULL};
		heading = NULL;
		*vec_push(&v->lines) = (struct info_line){NULL, f};
	}
}

/* All that is known of one of several files, under its name. */
static void
list_file(struct facts_view *v, uint32_t group)
{
	bool headed = false;
	for (size_t i = 0; i < v->facts.all.n; i++) {
		const struct fact *f = &v->facts.all.at[i];
		if (f->group != group)
			continue;
		*vec_push(&v->lines) =
			headed ? (struct info_line){NULL, f}
			       : (struct info_line){f->words ? f->words : f->key, NULL};
		headed = true;
	}
}

static void
fill(struct facts_view *v, const struct scene *s)
{
	struct facts_loading loading = {
		.done = s->facts->done,
		.bytes = s->facts->bytes,
		.elapsed_ns = s->facts->elapsed_ns,
		.title = s->facts->title,
	};
	bool several = s->p->n_groups > 1;
	facts_make(&v->facts, s->p, &loading, false);
	v->lines.n = 0;
	list_about(v, "The profile", ABOUT_PROFILE, several);
	list_about(v, "Reading it", ABOUT_READING, several);
	if (!several)
		list_about(v, "What the file says", ABOUT_WORDS, false);
	for (uint32_t g = 0; several && g < s->p->n_groups; g++)
		list_file(v, g);
}

/* What a fact says, as people read it. */
static void
write_fact(const struct fact *f, struct buf *out)
{
	switch ((enum fact_kind)f->kind) {
	case FACT_WORDS:
		buf_adds(out, f->more ? f->more : f->words ? f->words : "");
		return;
	case FACT_COUNT:
		human_count(out, f->number);
		return;
	case FACT_MOMENT:
	case FACT_LENGTH:
		human_time(out, f->number, (enum unit)f->axis);
		if (f->axis != UNIT_NS)
			buf_addf(out, " %s", unit_name((enum unit)f->axis));
		return;
	}
}

static void
info_arrange(void *view, struct scene *s, struct area a)
{
	struct facts_view *v = view;
	if (v->folds != s->folds || v->done != s->facts->done)
		fill(v, s);
	v->folds = s->folds;
	v->done = s->facts->done;
	v->scroll.h = a.h > 0 ? a.h : 1;
	scroll_text(&v->scroll, ACTION_NONE, (int64_t)v->lines.n);
}

static void
info_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct facts_view *v = view;
	struct buf text = BUF_INIT;
	int key_cols = 8;
	(void)s;
	for (size_t i = 0; i < v->lines.n; i++) {
		int cols = v->lines.at[i].fact ? text_cols(v->lines.at[i].fact->key) : 0;
		if (cols > key_cols && cols <= a.w / 3)
			key_cols = cols;
	}
	size_t top = (size_t)v->scroll.top;
	for (int y = 0; y < a.h && top + (size_t)y < v->lines.n; y++) {
		const struct info_line *line = &v->lines.at[top + (size_t)y];
		const struct fact *f = line->fact;
		if (!f) {
			canvas_fit(c, a.y + y, a.x + 1, a.w - 1, INK_STRONG,
				   line->heading);
			continue;
		}
		canvas_fit(c, a.y + y, a.x + 3, key_cols, INK_DIM, f->key);
		if (f->bad)
			canvas_char(c, a.y + y, a.x + 1, INK_HOT, '!');
		buf_reset(&text);
		write_fact(f, &text);
		canvas_fit(c, a.y + y, a.x + key_cols + 5, a.w - key_cols - 5,
			   f->bad ? INK_HOT : INK_TEXT, buf_str(&text));
	}
	/* how far one has read, where that is not all */
	if (v->lines.n > (size_t)a.h)
		grid_draw_standing(c, a.y, a.x, a.w,
				   &(struct standing){.at = top + (size_t)a.h,
						      .all = v->lines.n});
	buf_release(&text);
}

static enum reply
info_act(void *view, struct scene *s, enum action action)
{
	struct facts_view *v = view;
	(void)s;
	return scroll_text(&v->scroll, action, (int64_t)v->lines.n) ? REPLY_DONE : REPLY_PASS;
}

static enum reply
info_click(void *view, struct scene *s, int y, int x, bool twice)
{
	(void)view;
	(void)s;
	(void)y;
	(void)x;
	(void)twice;
	return REPLY_PASS;
}

static bool
info_find(void *view, struct scene *s, int dir)
{
	(void)view;
	(void)s;
	(void)dir;
	return false;
}

static bool
info_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static const enum action info_keys[] = {
	ACTION_VIEW_FLAME, ACTION_VIEW_FUNCTIONS, ACTION_MANUAL, ACTION_NONE,
};

const struct view_ops info_view = {
	.name = "info",
	.digit = '8',
	.open = ACTION_VIEW_INFO,
	.scope = SCOPE_ANY,
	.says_why = true,
	.no_details = true,
	.about = "What the file says of itself, how much there is, what was assumed and\n"
		 "what could not be read.\n",
	.enter = "show",
	.keys = info_keys,
	.create = info_create,
	.destroy = info_destroy,
	.arrange = info_arrange,
	.draw = info_draw,
	.act = info_act,
	.click = info_click,
	.find = info_find,
	.describe = info_describe,
};
