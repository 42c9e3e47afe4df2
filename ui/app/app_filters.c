/* app_filters.c - the list of filters, in order, each with the share that it leaves.
 *
 * The share of an entry is that of a fold with it and all entries before it, relative to everything
 * in the range on all tracks.  So the last share is that of the screen, and the difference between
 * two lines is the cost of the second entry.  Each share needs a fold.  On a large profile the list
 * appears first, and the shares follow one after the other.
 *
 * Keys change a copy of the lens and pass it to app_change(), so each is a step of the undo
 * history. */
#include "ui/app/app_filters.h"

#include <string.h>

#include "model/base/escape.h"
#include "model/profile/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_ask.h"
#include "ui/app/app_front.h"
#include "ui/app/app_save.h"

static const struct menu_hooks filters_hooks;

/* Computes for each i the share of everything recorded in the range that entries 0..i leave. */
static void
make_shares(void *ctx, struct pace *pace)
{
	struct app *a = ctx;
	struct app_shares *x = &a->shares;
	struct derived *g = NULL;
	struct fold *f = fold_new();
	struct lens l;
	struct err e;
	struct app_share share = {.known = false};
	err_init(&e);
	f->pace = pace;
	lens_copy(&l, &a->look.now.lens);
	while (l.entries.n)
		lens_remove(&l, l.entries.n - 1);
	if (app_fold(a, &g, f, &l, &e))
		share.all = f->now.everything;
	for (size_t i = 0; i < a->look.now.lens.entries.n; i++) {
		struct entry copy = a->look.now.lens.entries.at[i];
		copy.pattern = pattern_ref(copy.pattern);
		*vec_push(&l.entries) = copy;
		if (i < x->at.n)
			continue;
		share.known = !copy.off && app_fold(a, &g, f, &l, &e);
		share.left = share.known ? f->now.total[NODE_ROOT] : 0;
		if (pace_gives_up(pace))
			break;
		*vec_push(&x->at) = share;
	}
	lens_release(&l);
	fold_free(f);
	derived_free(g);
}

static void
list_share(struct app *a, size_t i)
{
	const struct app_share *share = &a->shares.at.at[i];
	struct buf note = BUF_INIT;
	if (a->look.now.lens.entries.at[i].off) {
		buf_adds(&note, "off");
	} else if (share->known) {
		buf_adds(&note, "leaves ");
		human_share(&note, share->left, share->all);
	}
	menu_note(&a->front.menu, i, buf_str(&note));
	buf_release(&note);
}

void
app_filters_made(struct app *a)
{
	struct app_shares *x = &a->shares;
	const struct menu *m = &a->front.menu;
	if (!x->due)
		return;
	x->due = m->open && m->hooks == &filters_hooks &&
		 m->items.n == a->look.now.lens.entries.n;
	for (; x->due && x->listed < x->at.n; x->listed++)
		list_share(a, x->listed);
	x->due &= x->listed < m->items.n;
	if (!x->due)
		work_drop(x->work);
	else if (!work_busy(x->work)) /* another fold is shown now */
		work_begin(x->work, make_shares, a);
}

void
app_filters_release(struct app *a)
{
	work_free(a->shares.work);
	vec_release(&a->shares.at);
}

/* Starts the work that computes the shares. */
static void
begin_shares(struct app *a)
{
	struct app_shares *x = &a->shares;
	if (!x->work)
		x->work = work_new(&a->works);
	work_drop(x->work);
	x->at.n = x->listed = 0;
	x->due = true;
	work_begin(x->work, make_shares, a);
	work_on(x->work, a->scene.portion_ns);
	app_filters_made(a);
}

static void
fill_filters(struct app *a)
{
	struct buf line = BUF_INIT;
	menu_clear(&a->front.menu);
	for (size_t i = 0; i < a->look.now.lens.entries.n; i++) {
		const struct entry *e = &a->look.now.lens.entries.at[i];
		const char *text = pattern_text(e->pattern);
		buf_reset(&line);
		buf_addf(&line, "%-18s ", verb_name(e->verb));
		escape_shown(&line, text, strlen(text), false);
		struct menu_item *it =
			menu_add(&a->front.menu, (int)i, 0, buf_str(&line), NULL);
		it->check = e->off ? CHECK_OFF : CHECK_ON;
	}
	if (a->front.menu.at >= a->front.menu.items.n)
		a->front.menu.at = a->front.menu.items.n ? a->front.menu.items.n - 1 : 0;
	begin_shares(a);
	buf_release(&line);
}

static void
filters_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	(void)m;
	app_ask_entry(a, a->look.now.lens.entries.at[id].verb, (size_t)id);
}

/* Applies a key to the entry at `*at`; returns false if the key changes nothing in the list. */
static bool
edit_entries(struct lens *l, size_t *at, uint32_t key)
{
	size_t n = l->entries.n;
	switch (key) {
	case KEYCODE_SPACE:
		l->entries.at[*at].off = !l->entries.at[*at].off;
		return true;
	case 'd':
	case KEYCODE_DELETE:
		lens_remove(l, *at);
		return true;
	case 'K':
		if (*at) {
			lens_move(l, *at, *at - 1);
			--*at;
		}
		return true;
	case 'J':
		if (*at + 1 < n) {
			lens_move(l, *at, *at + 1);
			++*at;
		}
		return true;
	default:
		return false;
	}
}

static bool
filters_key(void *ctx, struct menu *m, uint32_t key)
{
	struct app *a = ctx;
	struct lens l;
	if (key == 'a' || key == 's' || key == 'L') {
		m->open = false;
		if (key == 'a')
			app_ask_filter(a);
		else
			app_ask_file(a, key == 's' ? FILE_SPEC : FILE_LOAD_SPEC);
		return true;
	}
	if (!m->items.n)
		return false;
	if (key == 'e') {
		m->open = false;
		filters_chosen(a, m, (int)m->at);
		return true;
	}
	lens_copy(&l, &a->look.now.lens);
	if (!edit_entries(&l, &m->at, key)) {
		lens_release(&l);
		return false;
	}
	app_change(a, &l);
	fill_filters(a);
	return true;
}

static const struct menu_hooks filters_hooks = {.chosen = filters_chosen,
						.key = filters_key};

static void
menu_filters(struct app *a)
{
	app_menu(a, "filters, in the order they apply", &filters_hooks);
	buf_adds(&a->front.menu.foot,
		 "Space on/off  J K move  e edit  d delete  a add  s save  L load");
	fill_filters(a);
}

const struct app_action app_filters_actions[] = {
	{ACTION_FILTERS, menu_filters},
	{ACTION_NONE, NULL},
};
