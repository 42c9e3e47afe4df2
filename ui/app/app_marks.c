/* app_marks.c - marks: named ranges with a selection.
 *
 * The user returns to a mark.  So going to one is an undoable change of the range, and keeps
 * filters, metric and view: the same place can be seen in another way.  Marks belong to the
 * session, not to the lens: undoing a filter must not undo a mark. */
#include "ui/app/app_marks.h"

#include <string.h>

#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"
#include "ui/part/show.h"

void
app_mark(struct app *a, const char *name)
{
	struct place here = {0};
	place_of(&a->scene, a->nav.node, &here);
	marks_put(&a->marks, name, a->look.now.lens.from, a->look.now.lens.to, &here);
	app_say(a, "marked: %s", name);
}

static bool
name_done(void *ctx, struct prompt *p, const char *text)
{
	(void)p;
	if (*text)
		app_mark(ctx, text);
	return true;
}

static const struct prompt_hooks name_hooks = {.done = name_done};

static void
ask_name(struct app *a)
{
	struct buf name = BUF_INIT;
	if (a->nav.key != KEY_NONE)
		show_key(&a->scene, a->nav.key, &name);
	app_prompt(a, "mark this as: ", buf_str(&name), &name_hooks, ASKED_MARK);
	prompt_suggest(&a->front.prompt);
	buf_release(&name);
}

static void
go_to(struct app *a, const struct mark *m)
{
	struct lens l;
	bool whole;
	lens_copy(&l, &a->look.now.lens);
	l.from = m->from;
	l.to = m->to;
	if (!app_change(a, &l))
		return;
	app_look_finish(a);
	node_id here = place_find(&a->scene, &m->place, &whole);
	if (!nav_is_above(a->look.fold, a->nav.zoom, here))
		nav_zoom(&a->nav, a->look.fold, NODE_ROOT);
	nav_select(&a->nav, a->look.fold, a->scene.p, here);
	if (whole)
		app_say(a, "%s", m->name);
	else
		app_say(a, "%s: the frame is not shown now", m->name);
}

#define NEW_MARK (-1)

static void
mark_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	(void)m;
	if (id == NEW_MARK)
		ask_name(a);
	else
		go_to(a, &a->marks.list.at[id]);
}

static void
write_moment(const struct app *a, struct moment m, const char *open, struct buf *out)
{
	if (m.back)
		buf_addc(out, '-');
	switch (m.kind) {
	case MOMENT_OPEN:
		buf_adds(out, open);
		break;
	case MOMENT_NS:
	case MOMENT_ORDINAL:
		show_time(&a->scene, m.value, out);
		break;
	case MOMENT_PERCENT:
		buf_addf(out, "%.6g %%", (double)m.value / 1e7);
		break;
	}
}

/* Writes the range of a mark, or its frame if the mark has the whole run. */
static void
write_note(const struct app *a, const struct mark *m, struct buf *out)
{
	if (m->from.kind == MOMENT_OPEN && m->to.kind == MOMENT_OPEN) {
		if (m->place.names.n)
			buf_adds(out, m->place.names.at[m->place.names.n - 1]);
		return;
	}
	write_moment(a, m->from, "begin", out);
	buf_adds(out, " … ");
	write_moment(a, m->to, "end", out);
}

static void
app_marks_fill(struct app *a)
{
	struct buf note = BUF_INIT;
	menu_clear(&a->front.menu);
	for (size_t i = 0; i < a->marks.list.n; i++) {
		const struct mark *m = &a->marks.list.at[i];
		buf_reset(&note);
		write_note(a, m, &note);
		menu_add(&a->front.menu, (int)i, 0, m->name,
			 note.len ? buf_str(&note) : NULL);
	}
	menu_add(&a->front.menu, NEW_MARK, 'a', "a new mark here", NULL);
	if (a->front.menu.at >= a->front.menu.items.n)
		a->front.menu.at = a->front.menu.items.n - 1;
	buf_release(&note);
}

static bool
mark_key(void *ctx, struct menu *m, uint32_t key)
{
	struct app *a = ctx;
	int id = m->items.at[m->at].id;
	if ((key != 'd' && key != KEYCODE_DELETE) || id == NEW_MARK)
		return false;
	marks_remove(&a->marks, (size_t)id);
	app_marks_fill(a);
	return true;
}

static const struct menu_hooks marks_hooks = {.chosen = mark_chosen, .key = mark_key};

static void
menu_marks(struct app *a)
{
	app_menu(a, "marks", &marks_hooks);
	buf_adds(&a->front.menu.foot, "Enter go there  a new  d delete");
	app_marks_fill(a);
}

const struct app_action app_marks_actions[] = {
	{ACTION_MARKS, menu_marks},
	{ACTION_NONE, NULL},
};
