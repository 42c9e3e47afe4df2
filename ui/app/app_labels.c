/* app_labels.c - groups by the labels of events, and keeps or drops their values.
 *
 * The menu lists keys, each with its values and their share of what is shown.  A choice becomes an
 * entry of the lens like any other: u reverts it, F lists it.
 *
 * The shares of the values cost one pass over the events with labels.  So the menu opens when they
 * are known, unless the user pressed another key meanwhile. */
#include "ui/app/app_labels.h"

#include <limits.h>
#include <string.h>

#include "model/derive/wall.h"
#include "model/profile/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"

#define FIRST_NS 12000000 /* time that the key may take at once */
#define VALUES_SHOWN 200u /* of a key; `/` finds only these, `:where` finds all */

/* The items of the computed label, whose values exist only once a lens names it. */
enum { PARALLEL_KEY = INT_MIN, PARALLEL_ONE };

/* Items of values hold the number of their label.  Items of keys hold the complement of the number
 * of one of their labels, which stays valid while more labels are read with the menu open. */
static bool
is_value(const struct menu_item *it)
{
	return it->id >= 0;
}

static name_id
app_labels_key_of(const struct profile *p, const struct menu_item *it)
{
	return p->labels.label[is_value(it) ? it->id : ~it->id].key;
}

/* Adds an entry to the lens as one step. */
static void
add_entry(struct app *a, enum verb verb, const struct buf *text)
{
	struct lens l;
	struct err e;
	err_init(&e);
	lens_copy(&l, &a->look.now.lens);
	if (lens_add(&l, verb, text->at, text->len, &e)) {
		app_change(a, &l);
	} else {
		app_fault(a, "%s", e.text);
		lens_release(&l);
	}
}

static void
keep_value(struct app *a, const struct menu_item *it, bool keep)
{
	const struct profile *p = a->scene.p;
	struct name key = names_get(&p->names, app_labels_key_of(p, it));
	struct buf text = BUF_INIT;
	buf_adds(&text, keep ? "" : "!");
	buf_add(&text, key.at, key.len);
	buf_adds(&text, ":=");
	label_write_value(&text, &p->names, &p->labels.label[it->id]);
	add_entry(a, VERB_WHERE, &text);
	buf_release(&text);
}

/* Groups by a key, or removes that grouping. */
static void
group_by(struct app *a, const char *key)
{
	struct buf text = BUF_INIT;
	struct lens l;
	bool was = false;
	buf_adds(&text, key);
	lens_copy(&l, &a->look.now.lens);
	for (size_t i = l.entries.n; i-- > 0;)
		if (l.entries.at[i].verb == VERB_LABEL &&
		    !strcmp(pattern_text(l.entries.at[i].pattern), buf_str(&text))) {
			lens_remove(&l, i);
			was = true;
		}
	if (was) {
		app_change(a, &l);
	} else {
		lens_release(&l);
		add_entry(a, VERB_LABEL, &text);
	}
	buf_release(&text);
}

/* Applies an item of the computed label; returns false for other items. */
static bool
choose_parallel(struct app *a, int id, bool drops)
{
	struct buf text = BUF_INIT;

	if (id != PARALLEL_KEY && id != PARALLEL_ONE)
		return false;
	buf_addf(&text, "%s" WALL_LABEL_NAME ":1", drops ? "!" : "");
	if (id == PARALLEL_ONE)
		add_entry(a, VERB_WHERE, &text);
	else
		group_by(a, WALL_LABEL_NAME);
	buf_release(&text);
	return true;
}

static void
labels_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	(void)id;
	if (!m->items.n)
		return;
	const struct menu_item *it = &m->items.at[m->at];
	if (choose_parallel(a, it->id, false))
		return;
	if (is_value(it))
		keep_value(a, it, true);
	else
		group_by(a, names_get(&a->scene.p->names, app_labels_key_of(a->scene.p, it)).at);
}

/* Handles the keys that choose an item, other than Enter. */
static bool
labels_key(void *ctx, struct menu *m, uint32_t key)
{
	struct app *a = ctx;
	bool drops = key == KEYCODE_CTRL('X');
	if ((!drops && key != KEYCODE_CTRL('O')) || !m->items.n)
		return false;
	struct menu_item it = m->items.at[m->at];
	if (drops && it.id != PARALLEL_ONE && !is_value(&it)) {
		app_say(a, "^X drops a value: choose one below the key");
		return true;
	}
	m->open = false;
	if (choose_parallel(a, !drops && it.id == PARALLEL_ONE ? PARALLEL_KEY : it.id, drops))
		return true;
	if (drops)
		keep_value(a, &it, false);
	else
		group_by(a, names_get(&a->scene.p->names, app_labels_key_of(a->scene.p, &it)).at);
	return true;
}

static const struct menu_hooks labels_hooks = {.chosen = labels_chosen, .key = labels_key};

/* Returns true if a lens may name the computed label, and the file has none of its name. */
static bool
can_be_parallel(const struct profile *p)
{
	bool wall = false;

	for (metric_id i = 0; i < p->n_metrics; i++)
		wall |= p->metric[i].computed;
	for (label_id i = 0; wall && i < p->labels.n_labels; i++)
		wall = strcmp(names_get(&p->names, p->labels.label[i].key).at, WALL_LABEL_NAME);
	return wall;
}

static bool
groups_by(const struct lens *l, const char *key)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (l->entries.at[i].verb == VERB_LABEL && !l->entries.at[i].off &&
		    !strcmp(pattern_text(l->entries.at[i].pattern), key))
			return true;
	return false;
}

/* Counts the values from i on that belong to its key, and adds up their shares. */
static uint32_t
values_of(const struct profile *p, const struct labelsum *s, uint32_t i, int64_t *self)
{
	uint32_t n = 0;
	*self = 0;
	for (uint32_t k = i; k < s->n && p->labels.label[s->at[k].label].key ==
						 p->labels.label[s->at[i].label].key;
	     k++, n++)
		*self += s->at[k].self;
	return n;
}

static void
add_key(struct app *a, struct menu *m, const struct labelsum *s, uint32_t i, uint32_t n,
	int64_t self)
{
	const struct profile *p = a->scene.p;
	name_id key = p->labels.label[s->at[i].label].key;
	struct buf text = BUF_INIT, note = BUF_INIT;
	profile_show_name(p, key, &text);
	human_share(&note, self, a->look.fold->now.recorded.total[NODE_ROOT]);
	buf_addf(&note, "  %u value%s", n, n == 1 ? "" : "s");
	struct menu_item *it = menu_add(m, ~(int)s->at[i].label, 0,
					buf_str(&text), buf_str(&note));
	bool on = groups_by(&a->look.now.lens, names_get(&p->names, key).at);
	it->check = on ? CHECK_ON : CHECK_OFF;
	buf_release(&text);
	buf_release(&note);
}

static void
app_labels_add_values(struct app *a, struct menu *m, const struct labelsum *s, uint32_t i,
		      uint32_t n)
{
	const struct profile *p = a->scene.p;
	struct buf text = BUF_INIT, note = BUF_INIT;
	for (uint32_t k = 0; k < n && k < VALUES_SHOWN; k++) {
		const struct label_row *row = &s->at[i + k];
		buf_reset(&text);
		buf_reset(&note);
		buf_adds(&text, "    ");
		profile_write_label(p, &p->labels.label[row->label], false, &text);
		human_share(&note, row->self, a->look.fold->now.recorded.total[NODE_ROOT]);
		menu_add(m, (int)row->label, 0, buf_str(&text), buf_str(&note));
	}
	buf_release(&text);
	buf_release(&note);
}

static void
make_sum(void *ctx, struct pace *pace)
{
	struct app *a = ctx;
	labelsum_make(a->scene.p, a->look.fold, pace, &a->labels.sum);
	a->labels.made = !pace_gives_up(pace);
}

/* Adds the computed label: how many tracks run at once. */
static void
add_parallel(struct app *a, struct menu *m)
{
	struct menu_item *it = menu_add(m, PARALLEL_KEY, 0, WALL_LABEL_NAME,
					"how many tracks run at once");
	it->check = groups_by(&a->look.now.lens, WALL_LABEL_NAME) ? CHECK_ON : CHECK_OFF;
	menu_add(m, PARALLEL_ONE, 0, "    1", "what runs alone");
}

static void
open_menu(struct app *a)
{
	const struct labelsum *s = &a->labels.sum;
	bool parallel = can_be_parallel(a->scene.p);
	if (!s->n && !parallel) {
		app_say(a, "nothing here has labels");
		return;
	}
	struct menu *m = app_menu(a, "labels and their shares", &labels_hooks);
	m->searches = true;
	buf_adds(&m->foot, "Enter groups by the key, keeps the value  ^X drops the value  "
			   "^O groups by its key");
	for (uint32_t i = 0, n; i < s->n; i += n) {
		int64_t self;
		n = values_of(a->scene.p, s, i, &self);
		add_key(a, m, s, i, n, self);
		app_labels_add_values(a, m, s, i, n);
	}
	if (parallel)
		add_parallel(a, m);
}

void
app_labels_forget(struct app *a)
{
	if (!a->labels.due)
		return;
	a->labels.due = false;
	work_drop(a->labels.work);
}

void
app_labels_made(struct app *a)
{
	if (!a->labels.due || work_busy(a->labels.work))
		return;
	a->labels.due = false;
	if (a->labels.made)
		open_menu(a);
	labelsum_release(&a->labels.sum);
}

void
app_labels_release(struct app *a)
{
	work_free(a->labels.work);
	labelsum_release(&a->labels.sum);
}

static void
menu_labels(struct app *a)
{
	bool usual = a->scene.portion_ns && a->scene.portion_ns != WORK_ALL;
	if (!a->scene.p->labels.n_labels && !can_be_parallel(a->scene.p)) {
		app_say(a, "this file has no labels");
		return;
	}
	if (!a->labels.work)
		a->labels.work = work_new(&a->works);
	work_drop(a->labels.work);
	labelsum_release(&a->labels.sum);
	a->labels.made = false;
	a->labels.due = true;
	work_begin(a->labels.work, make_sum, a);
	work_on(a->labels.work, usual ? FIRST_NS : a->scene.portion_ns);
	app_labels_made(a);
}

const struct app_action app_labels_actions[] = {
	{ACTION_LABELS, menu_labels},
	{ACTION_NONE, NULL},
};
