/* app_tracks.c - which tracks are looked at.
 *
 * They are switched in a list and applied when it closes with Enter: as `track` entries
 * with literal names, one step of the undo history.  A process with several tracks has a
 * line above them, which switches them all, and stands for them in the entry.  A program may
 * have tens of thousands of threads: the list is searched, ranges of it are switched at once,
 * and what a track has of the metric costs a few searches (tally_track()). */
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/tally.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"

#define CHOSEN_MAX 1000 /* each is an entry, which every track is held against */

/* Items of tracks have their number, those of processes theirs behind all of these. */
static bool
is_track(const struct profile *p, const struct menu_item *it)
{
	return (uint32_t)it->id < p->n_tracks;
}

/* Is nothing else of this name? */
static bool
is_only(const struct profile *p, process_id process)
{
	name_id name = p->process[process];
	for (process_id i = 0; i < p->n_processes; i++)
		if (i != process && p->process[i] == name)
			return false;
	for (track_id i = 0; i < p->n_tracks; i++)
		if (p->track[i].name == name)
			return false;
	return true;
}

/* The names that say what is on: of a process that is whole its own, for its tracks. */
static uint32_t
find_names(const struct profile *p, const struct menu *m, name_id *out)
{
	uint8_t *whole = mem_zalloc(p->n_processes + 1u, 1);
	uint32_t n = 0;
	for (size_t i = 0; i < m->items.n; i++) {
		const struct menu_item *it = &m->items.at[i];
		process_id process = is_track(p, it) ? p->track[it->id].under
						     : (process_id)it->id - p->n_tracks;
		if (it->check != CHECK_ON)
			continue;
		if (!is_track(p, it) && is_only(p, process)) { /* stands before its tracks */
			whole[process] = 1;
			out[n++] = p->process[process];
		} else if (is_track(p, it) && (process == PROCESS_NONE || !whole[process])) {
			out[n++] = p->track[it->id].name;
		}
	}
	free(whole);
	return n;
}

static bool
is_all_on(const struct profile *p, const struct menu *m)
{
	for (size_t i = 0; i < m->items.n; i++)
		if (is_track(p, &m->items.at[i]) && m->items.at[i].check != CHECK_ON)
			return false;
	return true;
}

static void
tracks_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	const struct profile *p = a->scene.p;
	name_id *name = mem_alloc(m->items.n + 1, sizeof *name);
	uint32_t on = find_names(p, m, name);
	bool all = is_all_on(p, m);
	struct lens l;
	struct err e;
	(void)id;
	err_init(&e);
	lens_copy(&l, &a->look.lens);
	for (size_t i = l.entries.n; i-- > 0;)
		if (l.entries.at[i].verb == VERB_TRACK)
			lens_remove(&l, i);
	for (uint32_t i = 0; i < on && on <= CHOSEN_MAX && !all; i++) {
		struct name n = names_get(&p->names, name[i]);
		struct buf pattern = BUF_INIT;
		pattern_exact(&pattern, SUBJECT_FN, n.at, n.len);
		lens_add(&l, VERB_TRACK, buf_str(&pattern), pattern.len, &e);
		buf_release(&pattern);
	}
	free(name);
	if (on && (all || on <= CHOSEN_MAX)) {
		app_change(a, &l);
		return;
	}
	lens_release(&l);
	if (on)
		app_fault(a, "more than %d are too many one by one: :track takes all that match",
			  CHOSEN_MAX);
	else
		app_fault(a, "no track was chosen: Space switches one on");
}

/* The item, and of a process all of its tracks. */
static void
set(const struct profile *p, struct menu *m, struct menu_item *it, bool on)
{
	enum menu_check check = on ? CHECK_ON : CHECK_OFF;
	process_id process = (process_id)it->id - p->n_tracks;
	it->check = check;
	for (size_t i = 0; !is_track(p, it) && i < m->items.n; i++)
		if (is_track(p, &m->items.at[i]) &&
		    p->track[m->items.at[i].id].under == process)
			m->items.at[i].check = check;
}

/* What the items of processes say follows from those of their tracks. */
static void
settle(const struct profile *p, struct menu *m)
{
	uint32_t *all = mem_zalloc(p->n_processes + 1u, sizeof *all);
	uint32_t *on = mem_zalloc(p->n_processes + 1u, sizeof *on);
	for (size_t i = 0; i < m->items.n; i++) {
		const struct menu_item *it = &m->items.at[i];
		process_id under = is_track(p, it) ? p->track[it->id].under : PROCESS_NONE;
		if (under == PROCESS_NONE)
			continue;
		all[under]++;
		on[under] += it->check == CHECK_ON;
	}
	for (size_t i = 0; i < m->items.n; i++) {
		struct menu_item *it = &m->items.at[i];
		process_id process = (process_id)it->id - p->n_tracks;
		if (!is_track(p, it))
			it->check = !on[process]		    ? CHECK_OFF
				    : on[process] < all[process] ? CHECK_SOME
								 : CHECK_ON;
	}
	free(all);
	free(on);
}

/* Switches items [from, to) of the list. */
static void
check(const struct profile *p, struct menu *m, size_t from, size_t to, bool on)
{
	for (size_t i = from; i < to; i++)
		set(p, m, &m->items.at[menu_listed_at(m, i)], on);
	settle(p, m);
}

/* One that is off, or some that are not all on, go on. */
static void
turn(const struct profile *p, struct menu *m, size_t from, size_t to)
{
	size_t on = 0;
	for (size_t i = from; i < to; i++)
		on += m->items.at[menu_listed_at(m, i)].check == CHECK_ON;
	check(p, m, from, to, on < to - from);
}

/* None but those of the list. */
static void
only(const struct profile *p, struct menu *m, size_t from, size_t to)
{
	for (size_t i = 0; i < m->items.n; i++)
		m->items.at[i].check = CHECK_OFF;
	check(p, m, from, to, true);
}

static bool
tracks_key(void *ctx, struct menu *m, uint32_t key)
{
	size_t from, to;
	bool many = m->marking;
	const struct profile *p = ((const struct app *)ctx)->scene.p;
	menu_range(m, &from, &to);
	if (key == KEYCODE_SPACE)
		turn(p, m, from, to);
	else if (key == 'a')
		check(p, m, 0, menu_listed(m), true);
	else if (key == 'o')
		only(p, m, from, to);
	else if (key == 'O')
		only(p, m, 0, menu_listed(m));
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
	/* That has a line of its own: with several tracks, which are not all there are;
	 * PROCESS_NONE: none. */
	process_id process;
	int64_t weight, group; /* group: of its process; its own where that has no line */
};

static int
by_weight(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;
	if (x->group != y->group)
		return x->group > y->group ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->track < y->track ? -1 : 1;
}

/* All tracks, the one with most of the metric in the range first, those of a process
 * together; gives what they have. */
static int64_t
busiest_first(const struct app *a, struct busy *out)
{
	const struct profile *p = a->scene.p;
	const struct fold *f = a->look.fold;
	struct slice slice = {f->metric, f->whole, f->from, f->to, NULL};
	int64_t *sum = mem_zalloc(p->n_processes + 1u, sizeof *sum), all = 0;
	uint32_t *n = mem_zalloc(p->n_processes + 1u, sizeof *n);
	for (track_id i = 0; i < p->n_tracks; i++) {
		process_id under = p->track[i].under;
		out[i] = (struct busy){i, under, tally_track(p, i, &slice), 0};
		all += out[i].weight;
		if (under == PROCESS_NONE)
			continue;
		sum[under] += out[i].weight;
		n[under]++;
	}
	for (track_id i = 0; i < p->n_tracks; i++) {
		if (out[i].process != PROCESS_NONE &&
		    (n[out[i].process] < 2 || n[out[i].process] == p->n_tracks))
			out[i].process = PROCESS_NONE;
		out[i].group = out[i].process == PROCESS_NONE ? out[i].weight
							      : sum[out[i].process];
	}
	if (p->n_tracks)
		qsort(out, p->n_tracks, sizeof *out, by_weight);
	free(sum);
	free(n);
	return all;
}

/* A line: its name, its share of all, and what it is. */
static struct menu_item *
add_line(struct menu *m, int id, const struct buf *name, int64_t weight, int64_t all,
	 const char *kind)
{
	struct buf note = BUF_INIT;
	if (all > 0) {
		human_share(&note, weight, all);
		buf_adds(&note, "  ");
	}
	buf_adds(&note, kind);
	struct menu_item *it = menu_add(m, id, 0, buf_str(name), buf_str(&note));
	buf_release(&note);
	return it;
}

/* Below the line of its process without what that says: "Renderer 7 / Compositor 9". */
static void
write_track(const struct profile *p, const struct busy *x, struct buf *out)
{
	struct buf name = BUF_INIT, process = BUF_INIT;
	profile_show_name(p, p->track[x->track].name, &name);
	if (x->process != PROCESS_NONE) {
		profile_show_name(p, p->process[x->process], &process);
		buf_adds(&process, " / ");
		buf_adds(out, "  ");
	}
	bool twice = process.len && !strncmp(buf_str(&name), buf_str(&process), process.len);
	buf_adds(out, buf_str(&name) + (twice ? process.len : 0));
	buf_release(&name);
	buf_release(&process);
}

static void
menu_tracks(struct app *a)
{
	const struct profile *p = a->scene.p;
	struct busy *order = mem_alloc((size_t)p->n_tracks + 1, sizeof *order);
	struct buf name = BUF_INIT;
	int64_t all = busiest_first(a, order);
	uint8_t *chosen = lens_tracks(&a->look.lens, p);
	struct menu *m = app_menu(a, a->look.fold->whole ? "tracks, busiest first"
							 : "tracks, busiest in the range first",
				  &tracks_hooks);
	process_id above = PROCESS_NONE;
	m->searches = true;
	buf_adds(&m->foot, "Space switch  v range  / search  a all  o only this  "
			   "O these  Enter apply");
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		const struct busy *x = &order[i];
		buf_reset(&name);
		if (x->process != PROCESS_NONE && x->process != above) {
			profile_show_name(p, p->process[x->process], &name);
			struct menu_item *group =
				add_line(m, (int)(p->n_tracks + x->process), &name, x->group,
					 all, "process");
			group->check = CHECK_OFF;
		}
		above = x->process;
		buf_reset(&name);
		write_track(p, x, &name);
		struct menu_item *it =
			add_line(m, (int)x->track, &name, x->weight, all,
				 track_kind_name((enum track_kind)p->track[x->track].kind));
		it->check = chosen[x->track] ? CHECK_ON : CHECK_OFF;
	}
	settle(p, m);
	buf_release(&name);
	free(chosen);
	free(order);
}

const struct app_action app_tracks_actions[] = {
	{ACTION_TRACKS, menu_tracks},
	{ACTION_NONE, NULL},
};
