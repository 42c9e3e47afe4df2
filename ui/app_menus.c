/* app_menus.c - the menus: metrics, granularity, tracks, transforms, the filter list.
 *
 * A choice makes a copy of the lens, changes it, and hands it to app_change(); so every
 * choice is one step of the undo history.  Tracks are switched in the menu and applied
 * when it closes with Enter: as `track` entries with literal names. */
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "ui/app_inside.h"
#include "ui/show.h"

/* ---- metric ---- */

static void
metric_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	struct lens l;
	(void)m;
	name_id name = a->scene.p->metric[id].name;
	lens_copy(&l, &a->lens);
	lens_set_metric(&l, names_get(&a->scene.p->names, name).at);
	app_change(a, &l);
}

static const struct menu_hooks metric_hooks = {.chosen = metric_chosen};

void
app_menu_metric(struct app *a)
{
	const struct profile *p = a->scene.p;
	struct buf name = BUF_INIT;
	menu_open(&a->menu, "metric: what is measured", &metric_hooks, a);
	for (uint32_t i = 0; i < p->n_metrics; i++) {
		if (!profile_metric_shown(p, (metric_id)i))
			continue;
		buf_reset(&name);
		profile_show_name(p, p->metric[i].name, &name);
		if (i == a->fold->metric)
			a->menu.at = a->menu.items.n;
		menu_add(&a->menu, (int)i, 0, buf_str(&name),
			 unit_name((enum unit)p->metric[i].unit));
	}
	buf_release(&name);
}

/* ---- granularity ---- */

static void
by_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	struct lens l;
	(void)m;
	lens_copy(&l, &a->lens);
	l.by = (enum granularity)id;
	app_change(a, &l);
}

static const struct menu_hooks by_hooks = {.chosen = by_chosen};

void
app_menu_by(struct app *a)
{
	static const enum granularity all[] = {BY_FUNCTION, BY_LINE, BY_FILE, BY_MODULE};
	static const char keys[] = "flim";
	menu_open(&a->menu, "granularity: what is one frame", &by_hooks, a);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const char *name = granularity_name(all[i]);
		menu_add(&a->menu, (int)all[i], (uint32_t)keys[i], name, NULL);
		if (all[i] == a->fold->tree->by)
			a->menu.at = i;
	}
}

/* ---- tracks ---- */

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
	lens_copy(&l, &a->lens);
	for (size_t i = l.entries.n; i-- > 0;)
		if (l.entries.at[i].verb == VERB_TRACK)
			lens_remove(&l, i);
	for (size_t i = 0; i < m->items.n; i++)
		on += m->items.at[i].check == CHECK_ON;
	for (size_t i = 0; i < m->items.n && on < m->items.n; i++) {
		if (m->items.at[i].check != CHECK_ON)
			continue;
		struct name n = names_get(&p->names, p->track[m->items.at[i].id].name);
		struct buf pattern = BUF_INIT;
		buf_addc(&pattern, '=');
		buf_add(&pattern, n.at, n.len);
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

static bool
tracks_key(void *ctx, struct menu *m, uint32_t key)
{
	(void)ctx;
	if (!m->items.n)
		return false;
	struct menu_item *here = &m->items.at[m->at];
	if (key == KEYCODE_SPACE) {
		here->check = here->check == CHECK_ON ? CHECK_OFF : CHECK_ON;
		if (m->at + 1 < m->items.n)
			m->at++;
		return true;
	}
	if (key != 'a' && key != 'o')
		return false;
	for (size_t i = 0; i < m->items.n; i++)
		m->items.at[i].check = key == 'a' ? CHECK_ON : CHECK_OFF;
	if (key == 'o')
		here->check = CHECK_ON;
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

/* What a track carries of the metric that is looked at, or of its first one. */
static int64_t
weigh(const struct app *a, const struct track *t)
{
	int64_t weight = 0;
	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		unsigned m = 0;
		for (unsigned k = 0; k < s->n_metrics; k++)
			if (s->metric[k] == a->fold->metric)
				m = k;
		if (s->n_metrics && s->kind != SERIES_POINTS)
			weight += s->sum[m];
	}
	return weight;
}

void
app_menu_tracks(struct app *a)
{
	const struct profile *p = a->scene.p;
	VEC(struct busy) order = VEC_INIT;
	struct buf name = BUF_INIT;
	menu_open(&a->menu, "tracks, busiest first", &tracks_hooks, a);
	buf_adds(&a->menu.foot, "Space switch  a all  o only this  Enter apply");
	for (uint32_t i = 0; i < p->n_tracks; i++)
		*vec_push(&order) = (struct busy){i, weigh(a, &p->track[i])};
	if (order.n)
		qsort(order.at, order.n, sizeof *order.at, by_weight);
	for (size_t i = 0; i < order.n; i++) {
		const struct track *t = &p->track[order.at[i].track];
		buf_reset(&name);
		profile_show_name(p, t->name, &name);
		struct menu_item *it =
			menu_add(&a->menu, (int)order.at[i].track, 0, buf_str(&name),
				 track_kind_name((enum track_kind)t->kind));
		it->check = lens_has_track(&a->lens, p, order.at[i].track) ? CHECK_ON
									   : CHECK_OFF;
	}
	buf_release(&name);
	vec_release(&order);
}

/* ---- transforms of the selected frame ---- */

static const struct transform {
	enum verb verb;
	char key;
	const char *label, *note;
	bool module; /* of the frame's module, not of the frame */
} transforms[] = {
	{VERB_INCLUDE, 'i', "include", "only the stacks with it", false},
	{VERB_EXCLUDE, 'e', "exclude", "drop the stacks with it", false},
	{VERB_INCLUDE_SELF, 'l', "include self", "only where it is the leaf", false},
	{VERB_EXCLUDE_SELF, 's', "exclude self", "drop where it is the leaf", false},
	{VERB_HIDE, 'h', "hide", "its cost goes to its callers", false},
	{VERB_SHOW, 'o', "show only", "all other frames are hidden", false},
	{VERB_COLLAPSE, 'c', "collapse recursion", "runs of it become one frame", false},
	{VERB_ROOT, 'r', "make root", "cut off all above it", false},
	{VERB_COLLAPSE, 'm', "merge module", "runs of its module become one frame", true},
};

static void
transform_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	const struct projection *t = a->fold->tree;
	const struct transform *x = &transforms[id];
	struct lens l;
	struct err e;
	struct buf pattern = BUF_INIT;
	name_id name = projection_key_name(t, a->scene.p, a->nav.key);
	function_id fn = projection_key_function(t, a->scene.p, a->nav.key);
	(void)m;
	err_init(&e);
	if (x->module && fn != UINT32_MAX)
		name = profile_function(a->scene.p, fn)->module;
	if (x->module || t->by == BY_MODULE)
		buf_adds(&pattern, "module:");
	else if (t->by == BY_FILE)
		buf_adds(&pattern, "file:");
	buf_addc(&pattern, '=');
	struct name bytes = names_get(&a->scene.p->names, name);
	buf_add(&pattern, bytes.at, bytes.len);
	lens_copy(&l, &a->lens);
	if (lens_add(&l, x->verb, buf_str(&pattern), pattern.len, &e)) {
		app_change(a, &l);
	} else {
		app_fault(a, "%s", e.text);
		lens_release(&l);
	}
	buf_release(&pattern);
}

static const struct menu_hooks transform_hooks = {.chosen = transform_chosen};

void
app_menu_transform(struct app *a)
{
	struct buf title = BUF_INIT;
	if (a->nav.key == KEY_NONE) {
		app_say(a, "select a frame first");
		return;
	}
	show_key(&a->scene, a->nav.key, &title);
	menu_open(&a->menu, buf_str(&title), &transform_hooks, a);
	buf_release(&title);
	function_id fn = projection_key_function(a->fold->tree, a->scene.p, a->nav.key);
	bool module = fn != UINT32_MAX &&
		      profile_function(a->scene.p, fn)->module != NAME_EMPTY;
	for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
		if (!transforms[i].module || module)
			menu_add(&a->menu, (int)i, (uint32_t)transforms[i].key,
				 transforms[i].label, transforms[i].note);
}

/* ---- the filter list ---- */

static void
fill_filters(struct app *a)
{
	struct buf line = BUF_INIT;
	menu_clear(&a->menu);
	for (size_t i = 0; i < a->lens.entries.n; i++) {
		const struct entry *e = &a->lens.entries.at[i];
		const char *text = pattern_text(e->pattern);
		buf_reset(&line);
		buf_addf(&line, "%-12s ", verb_name(e->verb));
		human_bytes(&line, text, strlen(text), false);
		struct menu_item *it =
			menu_add(&a->menu, (int)i, 0, buf_str(&line), NULL);
		it->check = e->off ? CHECK_OFF : CHECK_ON;
	}
	if (a->menu.at >= a->menu.items.n)
		a->menu.at = a->menu.items.n ? a->menu.items.n - 1 : 0;
	buf_release(&line);
}

static void
filters_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	(void)m;
	app_ask_entry(a, a->lens.entries.at[id].verb, (size_t)id);
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
	lens_copy(&l, &a->lens);
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

void
app_menu_filters(struct app *a)
{
	menu_open(&a->menu, "filters, in the order they apply", &filters_hooks, a);
	buf_adds(&a->menu.foot,
		 "Space on/off  J K move  e edit  d delete  a add  s save  L load");
	fill_filters(a);
}

/* ---- saving ---- */

static void
save_chosen(void *ctx, struct menu *m, int id)
{
	(void)m;
	app_ask_file(ctx, (enum asked_file)id);
}

static const struct menu_hooks save_hooks = {.chosen = save_chosen};

void
app_menu_save(struct app *a)
{
	menu_open(&a->menu, "save", &save_hooks, a);
	menu_add(&a->menu, FILE_SCREEN, 't', "the screen as text", NULL);
	menu_add(&a->menu, FILE_SPEC, 'f', "the filters", "for --filter-file");
}
