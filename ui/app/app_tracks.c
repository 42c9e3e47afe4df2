/* app_tracks.c - which tracks are looked at.
 *
 * They are switched in a list and applied when it closes with Enter: as `track` entries
 * with literal names, one step of the undo history.  A program may have tens of thousands
 * of threads: the list is searched, ranges of it are switched at once, and what a track has
 * of the metric costs a few searches (tally_track()). */
#include <stdlib.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/tally.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"

#define CHOSEN_MAX 1000 /* each is an entry, which every track is held against */

static void
tracks_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	const struct profile *p = a->scene.p;
	struct lens l;
	struct err e;
	size_t on = 0;
	(void)id;
	err_init(&e);
	lens_copy(&l, &a->look.lens);
	for (size_t i = l.entries.n; i-- > 0;)
		if (l.entries.at[i].verb == VERB_TRACK)
			lens_remove(&l, i);
	for (size_t i = 0; i < m->items.n; i++)
		on += m->items.at[i].check == CHECK_ON;
	if (on > CHOSEN_MAX && on < m->items.n) {
		lens_release(&l);
		app_fault(a, "more than %d are too many one by one: :track takes all that match",
			  CHOSEN_MAX);
		return;
	}
	for (size_t i = 0; i < m->items.n && on < m->items.n; i++) {
		if (m->items.at[i].check != CHECK_ON)
			continue;
		struct name n = names_get(&p->names, p->track[m->items.at[i].id].name);
		struct buf pattern = BUF_INIT;
		pattern_exact(&pattern, SUBJECT_FN, n.at, n.len);
		lens_add(&l, VERB_TRACK, buf_str(&pattern), pattern.len, &e);
		buf_release(&pattern);
	}
	if (!on) {
		lens_release(&l);
		app_fault(a, "no track was chosen: Space switches one on");
		return;
	}
	app_change(a, &l);
}

/* Switches items [from, to) of the list. */
static void
check(struct menu *m, size_t from, size_t to, bool on)
{
	for (size_t i = from; i < to; i++)
		m->items.at[menu_listed_at(m, i)].check = on ? CHECK_ON : CHECK_OFF;
}

/* One that is off, or some that are not all on, go on. */
static void
turn(struct menu *m, size_t from, size_t to)
{
	size_t on = 0;
	for (size_t i = from; i < to; i++)
		on += m->items.at[menu_listed_at(m, i)].check == CHECK_ON;
	check(m, from, to, on < to - from);
}

/* None but those of the list. */
static void
only(struct menu *m, size_t from, size_t to)
{
	for (size_t i = 0; i < m->items.n; i++)
		m->items.at[i].check = CHECK_OFF;
	check(m, from, to, true);
}

static bool
tracks_key(void *ctx, struct menu *m, uint32_t key)
{
	size_t from, to;
	bool many = m->marking;
	(void)ctx;
	menu_range(m, &from, &to);
	if (key == KEYCODE_SPACE)
		turn(m, from, to);
	else if (key == 'a')
		check(m, 0, menu_listed(m), true);
	else if (key == 'o')
		only(m, from, to);
	else if (key == 'O')
		only(m, 0, menu_listed(m));
	else
		return false;
	m->marking = false;
	if (key == KEYCODE_SPACE && !many)
		menu_step(m, 1);
	return true;
}

static const struct menu_hooks tracks_hooks = {.chosen = tracks_chosen,
					       .key = tracks_key};

struct busy {
	track_id track;
	int64_t weight;
};

static int
by_weight(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->track < y->track ? -1 : 1;
}

/* All tracks, the one with most of the metric in the range first; gives what they have. */
static int64_t
busiest_first(const struct app *a, struct busy *out)
{
	const struct profile *p = a->scene.p;
	const struct fold *f = a->look.fold;
	struct slice slice = {f->metric, f->whole, f->from, f->to, NULL};
	int64_t all = 0;
	for (track_id i = 0; i < p->n_tracks; i++) {
		out[i] = (struct busy){i, tally_track(p, i, &slice)};
		all += out[i].weight;
	}
	if (p->n_tracks)
		qsort(out, p->n_tracks, sizeof *out, by_weight);
	return all;
}

static void
menu_tracks(struct app *a)
{
	const struct profile *p = a->scene.p;
	struct busy *order = mem_alloc((size_t)p->n_tracks + 1, sizeof *order);
	struct buf name = BUF_INIT, note = BUF_INIT;
	int64_t all = busiest_first(a, order);
	struct menu *m = app_menu(a, a->look.fold->whole ? "tracks, busiest first"
							 : "tracks, busiest in the range first",
				  &tracks_hooks);
	m->searches = true;
	buf_adds(&m->foot, "Space switch  v range  / search  a all  o only this  "
			   "O these  Enter apply");
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		const struct track *t = &p->track[order[i].track];
		buf_reset(&name);
		profile_show_name(p, t->name, &name);
		buf_reset(&note);
		if (all > 0) {
			human_share(&note, order[i].weight, all);
			buf_adds(&note, "  ");
		}
		buf_adds(&note, track_kind_name((enum track_kind)t->kind));
		struct menu_item *it = menu_add(m, (int)order[i].track, 0, buf_str(&name),
						buf_str(&note));
		it->check = lens_has_track(&a->look.lens, p, order[i].track) ? CHECK_ON
									     : CHECK_OFF;
	}
	buf_release(&name);
	buf_release(&note);
	free(order);
}

const struct app_action app_tracks_actions[] = {
	{ACTION_TRACKS, menu_tracks},
	{ACTION_NONE, NULL},
};
