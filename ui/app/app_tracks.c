/* app_tracks.c - chooses tracks.
 *
 * In the menu Enter takes only the track under the cursor, or, once the user has switched some with
 * Space, those that are on.  The choice becomes `track` entries with literal names, one step of the
 * undo history.  The menu opens at the track of the timeline's cursor.  A process with several
 * tracks has a line above them, which switches all of them and represents them in the entry.  A
 * program may have tens of thousands of threads: the user can search the menu and switch ranges of
 * it, and the value of a track costs a few binary searches (tally_track()). */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/radix.h"
#include "model/fold/tally.h"
#include "model/profile/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"
#include "ui/screen/text.h"

#define CHOSEN_MAX 1000 /* each becomes an entry, which is matched with every track */

/* Items of tracks hold their number; those of processes hold a negative one, since both may grow
 * while the menu is open. */
static bool
is_track(const struct menu_item *it)
{
	return it->id >= 0;
}

static int
id_of_process(process_id process)
{
	return -1 - (int)process;
}

static process_id
app_process_of(const struct menu_item *it)
{
	return (process_id)(-1 - it->id);
}

/* Counts for each [name] the tracks and processes that have it, up to 2. */
static uint8_t *
count_names(const struct profile *p)
{
	uint8_t *n = mem_zalloc((size_t)p->names.n + 1, 1);
	for (process_id i = 0; i < p->n_processes; i++)
		n[p->process[i].name] += n[p->process[i].name] < 2;
	for (track_id i = 0; i < p->n_tracks; i++)
		n[p->track[i].name] += n[p->track[i].name] < 2;
	return n;
}

/* Finds the names that describe the selection; a complete process gives its own name for all its
 * tracks. */
static uint32_t
find_names(const struct profile *p, const struct menu *m, name_id *out)
{
	uint8_t *whole = mem_zalloc(p->n_processes + 1u, 1), *named = count_names(p);
	uint32_t n = 0;
	for (size_t i = 0; i < m->items.n; i++) {
		const struct menu_item *it = &m->items.at[i];
		process_id process = is_track(it) ? p->track[it->id].under : app_process_of(it);
		if (it->check != CHECK_ON)
			continue;
		/* a process precedes its tracks */
		if (!is_track(it) && named[p->process[process].name] == 1) {
			whole[process] = 1;
			out[n++] = p->process[process].name;
		} else if (is_track(it) && (process == PROCESS_NONE || !whole[process])) {
			out[n++] = p->track[it->id].name;
		}
	}
	free(whole);
	free(named);
	return n;
}

static bool
is_all_on(const struct menu *m)
{
	for (size_t i = 0; i < m->items.n; i++)
		if (is_track(&m->items.at[i]) && m->items.at[i].check != CHECK_ON)
			return false;
	return true;
}

/* Derives the state of process items from their tracks. */
static void
app_tracks_settle(const struct profile *p, struct menu *m)
{
	uint32_t *all = mem_zalloc(p->n_processes + 1u, sizeof *all);
	uint32_t *on = mem_zalloc(p->n_processes + 1u, sizeof *on);
	for (size_t i = 0; i < m->items.n; i++) {
		const struct menu_item *it = &m->items.at[i];
		if (!it->below)
			continue;
		process_id under = p->track[it->id].under;
		all[under]++;
		on[under] += it->check == CHECK_ON;
	}
	for (size_t i = 0; i < m->items.n; i++) {
		struct menu_item *it = &m->items.at[i];
		if (is_track(it))
			continue;
		process_id process = app_process_of(it);
		it->check = !on[process]		 ? CHECK_OFF
			    : on[process] < all[process] ? CHECK_SOME
							 : CHECK_ON;
	}
	free(all);
	free(on);
}

/* Switches items [from, to) of the menu; a process switches all its tracks. */
static void
check(const struct profile *p, struct menu *m, size_t from, size_t to, bool on)
{
	enum menu_check check = on ? CHECK_ON : CHECK_OFF;
	uint8_t *whole = mem_zalloc(p->n_processes + 1u, 1);
	bool any = false;
	for (size_t i = from; i < to; i++) {
		struct menu_item *it = &m->items.at[menu_listed_at(m, i)];
		it->check = check;
		if (is_track(it))
			continue;
		whole[app_process_of(it)] = 1;
		any = true;
	}
	for (size_t i = 0; any && i < m->items.n; i++) {
		struct menu_item *it = &m->items.at[i];
		process_id under = is_track(it) ? p->track[it->id].under : PROCESS_NONE;
		if (under != PROCESS_NONE && whole[under])
			it->check = check;
	}
	free(whole);
	app_tracks_settle(p, m);
}

/* Switches an item that is off, or only partly on, to on. */
static void
app_turn(const struct profile *p, struct menu *m, size_t from, size_t to)
{
	size_t on = 0;
	for (size_t i = from; i < to; i++)
		on += m->items.at[menu_listed_at(m, i)].check == CHECK_ON;
	check(p, m, from, to, on < to - from);
}

/* Switches on only the items of the menu. */
static void
only(const struct profile *p, struct menu *m, size_t from, size_t to)
{
	for (size_t i = 0; i < m->items.n; i++)
		m->items.at[i].check = CHECK_OFF;
	check(p, m, from, to, true);
}

static void
remove_tracks(struct lens *l)
{
	for (size_t i = l->entries.n; i-- > 0;)
		if (l->entries.at[i].verb == VERB_TRACK)
			lens_remove(l, i);
}

static void
add_name(struct lens *l, struct name n)
{
	struct buf pattern = BUF_INIT;
	struct err e;
	err_init(&e);
	pattern_exact(&pattern, SUBJECT_FN, n.at, n.len);
	lens_add(l, VERB_TRACK, buf_str(&pattern), pattern.len, &e);
	buf_release(&pattern);
}

/* Enter: takes the switched tracks, or the row of the cursor if nothing was switched. */
static void
tracks_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	const struct profile *p = a->scene.p;
	name_id *name = mem_alloc(m->items.n + 1, sizeof *name);
	size_t from, to;
	menu_range(m, &from, &to);
	if (!m->touched)
		only(p, m, from, to);
	bool all = is_all_on(m);
	uint32_t on = find_names(p, m, name);
	struct lens l;
	struct err e;
	(void)id;
	err_init(&e);
	lens_copy(&l, &a->look.now.lens);
	remove_tracks(&l);
	for (uint32_t i = 0; i < on && on <= CHOSEN_MAX && !all; i++)
		add_name(&l, names_get(&p->names, name[i]));
	if (all && profile_tracks_outside(p))
		lens_add(&l, VERB_TRACK, ".", 1, &e); /* without tracks, these are left out */
	free(name);
	if (on && (all || on <= CHOSEN_MAX)) {
		app_change(a, &l);
		return;
	}
	lens_release(&l);
	if (on)
		app_fault(
			a,
			"at most %d tracks can be chosen one by one: :track takes all that match",
			CHOSEN_MAX);
	else
		app_fault(a, "no track was chosen: Space switches one on");
}

/* Writes the keys of the menu; the hint for Enter depends on whether the user has switched
 * anything. */
static void
write_foot(struct menu *m)
{
	buf_reset(&m->foot);
	buf_addf(&m->foot, "Enter %s  Space switch  ^A all, none  ^O the list  ^V range",
		 m->touched ? "apply" : "only this");
}

static bool
tracks_key(void *ctx, struct menu *m, uint32_t key)
{
	size_t from, to;
	bool many = m->marking;
	const struct profile *p = ((const struct app *)ctx)->scene.p;
	menu_range(m, &from, &to);
	if (key == KEYCODE_SPACE)
		app_turn(p, m, from, to);
	else if (key == KEYCODE_CTRL('A'))
		app_turn(p, m, 0, menu_listed(m));
	else if (key == KEYCODE_CTRL('O'))
		only(p, m, 0, menu_listed(m));
	else
		return false;
	m->marking = false;
	m->touched = true;
	write_foot(m);
	if (key == KEYCODE_SPACE && !many)
		menu_step(m, 1);
	return true;
}

struct busy {
	track_id track;
	/* The process whose line is above the track, if it has several tracks and others exist;
	 * else PROCESS_NONE. */
	process_id process;
	int64_t weight, group; /* group: of its process, or its own without one */
	track_id main; /* the main thread of its process; TRACK_NONE: unknown */
	uint8_t kind;
	bool outside; /* recorded beside the command */
	uint16_t cols; /* of the name, if it is plain; 0 if it must be written to measure it */
};

/* Returns the columns of a name in which each byte is one character; else 0. */
static uint16_t
plain_cols(const struct profile *p, name_id id)
{
	struct name name = names_get(&p->names, id);
	size_t plain = 0;
	while (plain < name.len && name.at[plain] >= 0x20 && name.at[plain] < 0x7F)
		plain++;
	return plain == name.len && plain <= UINT16_MAX ? (uint16_t)plain : 0;
}

/* Sorts larger values first. */
static uint64_t
falling(int64_t x)
{
	return ~((uint64_t)x ^ UINT64_C(1) << 63);
}

static uint64_t
app_by_weight(const struct busy *x)
{
	return falling(x->weight);
}

static uint64_t
by_process(const struct busy *x)
{
	return x->process;
}

static uint64_t
by_group(const struct busy *x)
{
	return falling(x->group);
}

static uint64_t
by_outside(const struct busy *x)
{
	return x->outside;
}

/* Sorts by whether it is outside, then by group, then by process, then by weight, stably. */
static void
sort_busy(struct busy *at, uint32_t n)
{
	static uint64_t (*const by[])(const struct busy *x) = {app_by_weight, by_process, by_group,
							  by_outside};
	struct radix_item *item = mem_alloc(2 * (size_t)n + 1, sizeof *item);
	struct busy *was = mem_alloc((size_t)n + 1, sizeof *was);

	for (uint32_t i = 0; i < n; i++) {
		was[i] = at[i];
		item[i].thing = i;
	}
	for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
		for (uint32_t i = 0; i < n; i++)
			item[i].number = by[k](&was[item[i].thing]);
		radix_sort(item, item + n, n);
	}
	for (uint32_t i = 0; i < n; i++)
		at[i] = was[item[i].thing];
	free(was);
	free(item);
}

/* Lists all tracks by their value of the metric in the range, largest first, with the tracks of a
 * process together; those of other programs than the command follow.  Returns the sum. */
static int64_t
busiest_first(const struct app *a, struct busy *out)
{
	const struct profile *p = a->scene.p;
	const struct fold *f = a->look.fold;
	struct slice slice = {f->metric, f->whole, f->from, f->to, NULL};
	int64_t *sum = mem_zalloc(p->n_processes + 1u, sizeof *sum), all = 0;
	track_id *main = mem_alloc(p->n_processes + 1u, sizeof *main);
	uint32_t *n = mem_zalloc(p->n_processes + 1u, sizeof *n);
	for (process_id i = 0; i < p->n_processes; i++)
		main[i] = TRACK_NONE;
	for (track_id i = 0; i < p->n_tracks; i++) {
		process_id under = p->track[i].under;
		out[i] = (struct busy){.track = i,
				       .process = under,
				       .weight = tally_track(p, i, &slice),
				       .kind = p->track[i].kind,
				       .cols = plain_cols(p, p->track[i].name)};
		all += out[i].weight;
		if (under == PROCESS_NONE)
			continue;
		out[i].outside = p->process[under].outside;
		sum[under] += out[i].weight;
		n[under]++;
		if (scrubber_is_main(p, under, i))
			main[under] = i;
	}
	for (track_id i = 0; i < p->n_tracks; i++) {
		if (out[i].process != PROCESS_NONE &&
		    (n[out[i].process] < 2 || n[out[i].process] == p->n_tracks))
			out[i].process = PROCESS_NONE;
		out[i].group = out[i].process == PROCESS_NONE ? out[i].weight
							      : sum[out[i].process];
		out[i].main = out[i].process == PROCESS_NONE ? TRACK_NONE : main[out[i].process];
	}
	sort_busy(out, p->n_tracks);
	free(main);
	free(sum);
	free(n);
	return all;
}

/* Returns the cached order while its inputs have not changed. */
static const struct busy *
tracks_in_order(struct app *a)
{
	const struct fold *f = a->look.fold;
	struct app_busy *b = &a->busy, now = {.n = a->scene.p->n_tracks,
					      .from = f->from,
					      .to = f->to,
					      .of = a->scene.p->names.serial,
					      .generation = a->scene.p->generation,
					      .metric = f->metric,
					      .whole = f->whole};
	bool same = b->order && b->of == now.of && b->n == now.n &&
		    b->generation == now.generation && b->metric == now.metric &&
		    b->whole == now.whole && b->from == now.from && b->to == now.to;
	if (same)
		return b->order;
	now.order = mem_realloc(b->order, (size_t)now.n + 1, sizeof *now.order);
	now.all = busiest_first(a, now.order);
	*b = now;
	return b->order;
}

/* ---- the lines ---- */

/* Omits the name of the process from its tracks: "Renderer 7 / Compositor 9". */
static void
app_write_track(const struct profile *p, track_id track, bool below, struct buf *out)
{
	struct buf name = BUF_INIT, process = BUF_INIT;
	profile_show_name(p, p->track[track].name, &name);
	if (below) {
		profile_show_name(p, p->process[p->track[track].under].name, &process);
		buf_adds(&process, " / ");
		buf_adds(out, "  ");
	}
	bool twice = process.len && !strncmp(buf_str(&name), buf_str(&process), process.len);
	buf_adds(out, buf_str(&name) + (twice ? process.len : 0));
	buf_release(&name);
	buf_release(&process);
}

/* Writes a track's name, its share of the total, and its kind. */
static void
write_line(void *ctx, const struct menu *m, const struct menu_item *it, struct buf *label,
	   struct buf *note)
{
	const struct profile *p = ((const struct app *)ctx)->scene.p;
	app_write_track(p, (track_id)it->id, it->below, label);
	if (m->whole > 0) {
		human_share(note, it->value, m->whole);
		buf_adds(note, "  ");
	}
	buf_adds(note, track_kind_name((enum track_kind)p->track[it->id].kind));
}

/* Returns the columns of a share, which has one to three digits before the point; writes it only if
 * that is close to a limit. */
static int
share_cols(int64_t part, int64_t whole, struct buf *scratch)
{
	double percent = 100.0 * (double)part / (double)whole;
	if (percent >= 0 && percent < 9.9)
		return 5;
	if (percent > 10 && percent < 99.9)
		return 6;
	buf_reset(scratch);
	human_share(scratch, part, whole);
	return text_cols(buf_str(scratch));
}

static struct menu_item *
app_tracks_add_line(struct menu *m, int id, int cols, int64_t value, const char *kind,
		    struct buf *scratch)
{
	int share = m->whole > 0 ? share_cols(value, m->whole, scratch) + 2 : 0;
	struct menu_item *it = menu_add_late(m, id, cols, share + (int)strlen(kind));
	it->value = value;
	return it;
}

/* Adds the line of a process, named as its main thread if that is known. */
static void
add_process(struct menu *m, const struct profile *p, const struct busy *x, struct buf *scratch)
{
	struct buf note = BUF_INIT;

	buf_reset(scratch);
	profile_show_name(p, x->main == TRACK_NONE ? p->process[x->process].name
						   : p->track[x->main].name, scratch);
	if (m->whole > 0) {
		human_share(&note, x->group, m->whole);
		buf_adds(&note, "  ");
	}
	buf_adds(&note, "process");
	struct menu_item *it =
		menu_add(m, id_of_process(x->process), 0, buf_str(scratch), buf_str(&note));
	it->value = x->group;
	it->check = CHECK_OFF;
	buf_release(&note);
}

/* Adds a track.  A name that is not plain, or is shortened, must be written to be measured. */
static struct menu_item *
app_add_track(struct menu *m, const struct profile *p, const struct busy *x, struct buf *scratch)
{
	bool below = x->process != PROCESS_NONE;
	int cols = x->cols;
	if (below || !cols) {
		buf_reset(scratch);
		app_write_track(p, x->track, below, scratch);
		cols = text_cols(buf_str(scratch));
	}
	struct menu_item *it =
		app_tracks_add_line(m, (int)x->track, cols, x->weight,
				    track_kind_name((enum track_kind)x->kind), scratch);
	it->below = below;
	return it;
}

static const struct menu_hooks tracks_hooks = {
	.chosen = tracks_chosen, .key = tracks_key, .write = write_line};

static void
menu_tracks(struct app *a)
{
	const struct profile *p = a->scene.p;
	const struct busy *order = tracks_in_order(a);
	struct buf scratch = BUF_INIT;
	uint8_t *chosen = lens_tracks(&a->look.now.lens, p);
	struct menu *m = app_menu(a, a->look.fold->whole ? "tracks, busiest first"
							 : "tracks, busiest in the range first",
				  &tracks_hooks);
	process_id above = PROCESS_NONE;
	m->searches = m->checks = true;
	m->whole = a->busy.all;
	write_foot(m);
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		const struct busy *x = &order[i];
		if (x->process != PROCESS_NONE && x->process != above)
			add_process(m, p, x, &scratch);
		above = x->process;
		if (a->nav.window_to && x->track == a->nav.window_track)
			m->at = m->items.n;
		app_add_track(m, p, x, &scratch)->check = chosen[x->track] ? CHECK_ON : CHECK_OFF;
	}
	app_tracks_settle(p, m);
	buf_release(&scratch);
	free(chosen);
}

/* Lets only the track of the timeline's cursor count; if it is the only one, all of them. */
static void
only_track(struct app *a)
{
	const struct profile *p = a->scene.p;
	struct lens l;
	uint32_t n = 0;
	if (!a->nav.window_to || a->nav.window_track >= p->n_tracks)
		return;
	uint8_t *chosen = lens_tracks(&a->look.now.lens, p);
	for (track_id i = 0; i < p->n_tracks; i++)
		n += chosen[i];
	bool alone = n == 1 && chosen[a->nav.window_track];
	free(chosen);
	lens_copy(&l, &a->look.now.lens);
	remove_tracks(&l);
	if (!alone)
		add_name(&l, names_get(&p->names, p->track[a->nav.window_track].name));
	bool beside = profile_tracks_outside(p) > 0;
	if (alone && beside && !lens_has_tracks(&a->look.now.lens)) {
		lens_release(&l);
		app_say(a, "this is the only track of the command; :track . shows all");
	} else if (app_change(a, &l)) {
		app_say(a, !alone   ? "only this track counts; u or T: all"
			   : beside ? "all tracks of the command count; :track . shows all"
				    : "all tracks count");
	}
}

const struct app_action app_tracks_actions[] = {
	{ACTION_ONLY_TRACK, only_track},
	{ACTION_TRACKS, menu_tracks},
	{ACTION_NONE, NULL},
};
