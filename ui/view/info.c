/* info.c - facts of the file, assumptions, and damage.
 *
 * The view shows the facts of `pnav report --view info` under headings, and rebuilds them when the
 * profile has grown.  How many tracks run at once takes a pass over the events, so a work computes
 * it once all is read.  The view scrolls, and it keeps the selected function. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/derive/wall.h"
#include "model/profile/human.h"
#include "model/table/facts.h"
#include "ui/part/grid.h"
#include "ui/part/show.h"
#include "ui/part/work.h"
#include "ui/screen/text.h"

struct info_line {
	const char *heading; /* NULL: a fact, or an ignored line */
	const struct fact *fact;
	const char *ignored; /* of a file of settings, and why */
	size_t from, len;    /* the bytes of its text that this line shows */
};

struct facts_view {
	struct facts facts;
	VEC(struct info_line) lines;
	uint64_t folds;
	bool done;
	int key_cols, w; /* of the keys, of the view */
	struct scroll scroll;
	struct work *work; /* computes the shares */
	struct wall_shares *running;
	const struct profile *p; /* of the shares */
	bool whole;              /* the same of their range */
	int64_t from, to;
	uint64_t generation;
	bool shared; /* the shares are complete */
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
	work_free(v->work);
	free(v->running);
	facts_release(&v->facts);
	vec_release(&v->lines);
	free(v);
}

/* ---- the lines ---- */

/* Lists the facts about one subject under a heading, if there are any. */
static void
list_about(struct facts_view *v, const char *heading, enum fact_about about, bool of_all)
{
	for (size_t i = 0; i < v->facts.all.n; i++) {
		const struct fact *f = &v->facts.all.at[i];
		if (f->about != about || (of_all && f->group != FACT_OF_ALL))
			continue;
		if (heading)
			*vec_push(&v->lines) = (struct info_line){.heading = heading};
		heading = NULL;
		*vec_push(&v->lines) = (struct info_line){.fact = f};
	}
}

/* Lists all facts about one of several files under its name. */
static void
list_file(struct facts_view *v, uint32_t group)
{
	bool headed = false;
	for (size_t i = 0; i < v->facts.all.n; i++) {
		const struct fact *f = &v->facts.all.at[i];
		if (f->group != group)
			continue;
		*vec_push(&v->lines) =
			headed ? (struct info_line){.fact = f}
			       : (struct info_line){.heading = f->words ? f->words : f->key};
		headed = true;
	}
}

/* Lists the lines of pnavrc or a session that had no effect; the message line had room only for the
 * first. */
static void
list_ignored(struct facts_view *v, const struct ignored_lines *from)
{
	if (from->n)
		*vec_push(&v->lines) = (struct info_line){.heading = "Ignored settings"};
	for (size_t i = 0; i < from->n; i++)
		*vec_push(&v->lines) = (struct info_line){.ignored = from->line[i]};
	if (from->more)
		*vec_push(&v->lines) = (struct info_line){.ignored = "and others"};
}

static void
info_fill_lines(struct facts_view *v, const struct scene *s)
{
	struct facts_loading loading = {
		.done = s->facts->done,
		.bytes = s->facts->bytes,
		.elapsed_ns = s->facts->elapsed_ns,
		.title = s->facts->title,
	};
	bool several = s->p->n_groups > 1;
	facts_make(&v->facts, s->p, s->fold, &loading, v->shared ? v->running : NULL, false);
	v->lines.n = 0;
	list_about(v, "The profile", ABOUT_PROFILE, several);
	list_about(v, "Reading it", ABOUT_READING, several);
	if (!several)
		list_about(v, "Facts of the file", ABOUT_WORDS, false);
	for (uint32_t g = 0; several && g < s->p->n_groups; g++)
		list_file(v, g);
	for (size_t i = 0; i < sizeof s->facts->ignored / sizeof *s->facts->ignored; i++)
		list_ignored(v, &s->facts->ignored[i]);
}

/* Writes a fact for readers. */
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

static const char *
line_text(const struct info_line *line, struct buf *scratch)
{
	if (!line->fact)
		return line->ignored ? line->ignored : line->heading;
	buf_reset(scratch);
	write_fact(line->fact, scratch);
	return buf_str(scratch);
}

static void
find_key_cols(struct facts_view *v)
{
	v->key_cols = 8;
	for (size_t i = 0; i < v->lines.n; i++) {
		int cols = v->lines.at[i].fact ? text_cols(v->lines.at[i].fact->key) : 0;
		if (cols > v->key_cols && cols <= v->w / 3)
			v->key_cols = cols;
	}
}

/* Columns for the text of a line. */
static int
text_room(const struct facts_view *v, const struct info_line *line)
{
	int room = v->w - (line->fact ? v->key_cols + 5 : line->ignored ? 3 : 1);
	return room > 0 ? room : 1;
}

/* Wraps texts that are wider than the view. */
static void
wrap(struct facts_view *v)
{
	struct buf text = BUF_INIT;
	VEC(struct info_line) all = VEC_INIT;
	find_key_cols(v);
	for (size_t i = 0; i < v->lines.n; i++) {
		struct info_line line = v->lines.at[i];
		const char *at = line_text(&line, &text), *end = at + strlen(at);
		int room = text_room(v, &line);
		do {
			line.len = line.heading ? (size_t)(end - at) : text_wrap(at, room);
			*vec_push(&all) = line;
			line.from += line.len;
			at += line.len;
		} while (at < end);
	}
	v->lines.n = 0;
	for (size_t i = 0; i < all.n; i++)
		*vec_push(&v->lines) = all.at[i];
	vec_release(&all);
	buf_release(&text);
}

static void
make_shares(void *ctx, struct pace *pace)
{
	struct facts_view *v = ctx;

	free(v->running);
	v->running = wall_shares_make(v->p, v->whole, v->from, v->to, pace);
	v->shared = !pace_gives_up(pace);
}

/* Returns true when the shares have just become complete. */
static bool
find_shares(struct facts_view *v, struct scene *s)
{
	const struct fold *f = s->fold;

	if (v->p != s->p || v->generation != s->p->generation || v->whole != f->whole ||
	    (!f->whole && (v->from != f->from || v->to != f->to))) {
		if (v->work)
			work_drop(v->work);
		v->p = s->p;
		v->generation = s->p->generation;
		v->whole = f->whole;
		v->from = f->from;
		v->to = f->to;
		v->shared = false;
	}
	if (v->shared || !s->facts->done)
		return false;
	if (!v->work)
		v->work = work_new(s->works);
	if (!work_busy(v->work))
		work_begin(v->work, make_shares, v);
	work_on(v->work, work_first(s->portion_ns));
	return v->shared;
}

static void
info_arrange(void *view, struct scene *s, struct area a)
{
	struct facts_view *v = view;
	if (find_shares(v, s))
		v->folds = UINT64_MAX;
	if (v->folds != s->folds || v->done != s->facts->done || v->w != a.w) {
		v->w = a.w;
		info_fill_lines(v, s);
		wrap(v);
	}
	v->folds = s->folds;
	v->done = s->facts->done;
	v->scroll.h = a.h > 0 ? a.h : 1;
	scroll_text(&v->scroll, ACTION_NONE, (int64_t)v->lines.n);
}

/* Line i. If a key has several lines, only the first shows it. */
static void
info_draw_line(const struct facts_view *v, struct canvas *c, struct area a, int y, size_t i)
{
	const struct info_line *line = &v->lines.at[i];
	const struct fact *f = line->fact;
	struct buf text = BUF_INIT, part = BUF_INIT;
	bool bad = f ? f->bad : line->ignored != NULL;
	int room = text_room(v, line);
	if (bad && !line->from)
		canvas_char(c, y, a.x + 1, INK_HOT, '!');
	if (f && !line->from)
		canvas_fit(c, y, a.x + 3, v->key_cols, INK_DIM, f->key);
	buf_add(&part, line_text(line, &text) + line->from, line->len);
	canvas_fit(c, y, a.x + a.w - room, room,
		   bad ? INK_HOT : f ? INK_TEXT : INK_STRONG, buf_str(&part));
	buf_release(&text);
	buf_release(&part);
}

static void
info_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct facts_view *v = view;
	size_t top = (size_t)v->scroll.top;
	(void)s;
	for (int y = 0; y < a.h && top + (size_t)y < v->lines.n; y++)
		info_draw_line(v, c, a, a.y + y, top + (size_t)y);
	/* the position, if the text is longer than the screen */
	if (v->lines.n > (size_t)a.h)
		grid_draw_standing(c, a.y, a.x, a.w,
				   &(struct standing){.at = top + (size_t)a.h,
						      .all = v->lines.n});
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
	.about =
		"Facts that the file states, amounts, assumptions, and parts that\n"
		"could not be read.\n",
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
