/* app_filters.c - the list of filters: in order, each with what is left behind it.
 *
 * The share of an entry is that of a fold with it and all before it, of everything in
 * range on all tracks; so the last one says what the screen shows, and a step between two
 * lines says what that entry costs.  Each share costs a fold: on a profile where they take
 * long the last ones stay empty rather than make the list late, and the one that is being
 * made then is given up.
 *
 * Keys change a copy of the lens and hand it to app_change(): each is a step of the undo
 * history. */
#include <string.h>

#include "model/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_ask.h"
#include "ui/app/app_front.h"
#include "ui/app/app_save.h"
#include "ui/screen/clock.h"

#define SHARES_MS 50

/* Gives up when it is late. */
struct hurry {
	struct pace pace; /* first: rests get a pointer to it */
	int64_t until_ms;
};

static bool
not_late(struct pace *p)
{
	return clock_ms() < ((struct hurry *)p)->until_ms;
}

/* What entries 0..i leave of all that was recorded in the range, for each i. */
static void
add_shares(struct app *a)
{
	struct regroup *g = NULL;
	struct fold *f = fold_new();
	struct lens l;
	struct err e;
	struct hurry hurry = {{not_late, PACE_STEPS, 0, false}, clock_ms() + SHARES_MS};
	int64_t all = 0;
	err_init(&e);
	f->pace = a->screen->scripted ? NULL : &hurry.pace;
	lens_copy(&l, &a->look.lens);
	while (l.entries.n)
		lens_remove(&l, l.entries.n - 1);
	if (app_fold(a, &g, f, &l, &e))
		all = f->now.everything;
	for (size_t i = 0; i < a->look.lens.entries.n; i++) {
		struct entry copy = a->look.lens.entries.at[i];
		struct buf note = BUF_INIT;
		copy.pattern = pattern_ref(copy.pattern);
		*vec_push(&l.entries) = copy;
		if (pace_gives_up(f->pace))
			continue;
		if (copy.off) {
			buf_adds(&note, "off");
		} else if (app_fold(a, &g, f, &l, &e)) {
			buf_adds(&note, "leaves ");
			human_share(&note, f->now.total[NODE_ROOT], all);
		}
		menu_note(&a->front.menu, i, buf_str(&note));
		buf_release(&note);
	}
	lens_release(&l);
	fold_free(f);
	regroup_free(g);
}

static void
fill_filters(struct app *a)
{
	struct buf line = BUF_INIT;
	menu_clear(&a->front.menu);
	for (size_t i = 0; i < a->look.lens.entries.n; i++) {
		const struct entry *e = &a->look.lens.entries.at[i];
		const char *text = pattern_text(e->pattern);
		buf_reset(&line);
		buf_addf(&line, "%-18s ", verb_name(e->verb));
		human_shown(&line, text, strlen(text), false);
		struct menu_item *it =
			menu_add(&a->front.menu, (int)i, 0, buf_str(&line), NULL);
		it->check = e->off ? CHECK_OFF : CHECK_ON;
	}
	if (a->front.menu.at >= a->front.menu.items.n)
		a->front.menu.at = a->front.menu.items.n ? a->front.menu.items.n - 1 : 0;
	add_shares(a);
	buf_release(&line);
}

static void
filters_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	(void)m;
	app_ask_entry(a, a->look.lens.entries.at[id].verb, (size_t)id);
}

/* The changes that a key makes to entry `at`; false when it is not such a key. */
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
	lens_copy(&l, &a->look.lens);
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
