/* app_menus.c - the menus for metrics, granularity and transforms.
 *
 * A choice copies the lens, changes the copy, and passes it to app_change().  So every choice is
 * one step of the undo history. */
#include <stdlib.h>
#include <string.h>

#include "model/fold/nameless.h"
#include "model/fold/single.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"
#include "ui/part/show.h"

/* ---- metric ---- */

static void
metric_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	struct lens l;
	(void)m;
	name_id name = a->scene.p->metric[id].name;
	lens_copy(&l, &a->look.now.lens);
	lens_set_metric(&l, names_get(&a->scene.p->names, name).at);
	app_change(a, &l);
}

/* Returns what a unit counts, if its short name does not say so. */
static const char *
unit_said(enum unit unit)
{
	return unit == UNIT_OPS ? "operations" : unit_name(unit);
}

static const struct menu_hooks metric_hooks = {.chosen = metric_chosen};

static void
menu_metric(struct app *a)
{
	const struct profile *p = a->scene.p;
	struct buf name = BUF_INIT;
	app_menu(a, "metric: the quantity to show", &metric_hooks)->searches = true;
	for (uint32_t i = 0; i < p->n_metrics; i++) {
		if (!profile_metric_shown(p, (metric_id)i))
			continue;
		buf_reset(&name);
		profile_show_name(p, p->metric[i].name, &name);
		if (i == a->look.fold->metric)
			a->front.menu.at = a->front.menu.items.n;
		menu_add(&a->front.menu, (int)i, 0, buf_str(&name),
			 unit_said((enum unit)p->metric[i].unit));
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
	lens_copy(&l, &a->look.now.lens);
	l.by = (enum granularity)id;
	app_change(a, &l);
}

static const struct menu_hooks by_hooks = {.chosen = by_chosen};

static void
menu_by(struct app *a)
{
	app_menu(a, "granularity: the unit of one frame", &by_hooks);
	for (size_t i = 0; i < GRANULARITY_COUNT; i++) {
		menu_add(&a->front.menu, (int)i, (uint32_t)granularity_rows[i].key,
			 granularity_rows[i].name, NULL);
		if (i == a->look.fold->tree->by)
			a->front.menu.at = i;
	}
}

/* ---- transforms of the selected frame ---- */

/* The object of a transform: the frame itself, or a group that contains it. */
enum target { OF_FRAME, OF_MODULE, OF_NAMELESS, OF_FILE, OF_TRACKS, OF_ALL };

struct transform {
	enum verb verb;
	char key;
	const char *label, *note;
	enum target target;
	enum verb after; /* precedes this one in the menu */
};

/* Each verb has a transform for the frame; these are the others. */
static const struct transform others[] = {
	{VERB_COLLAPSE_RECURSION, 'a', "collapse all recursion",
	 "no function calls itself", OF_ALL, VERB_COLLAPSE_RECURSION},
	{VERB_COLLAPSE, 'm', "merge module", "runs of its module become one frame",
	 OF_MODULE, VERB_ROOT},
	{VERB_COLLAPSE, 'u', "merge unnamed", "runs in modules without symbols become one",
	 OF_NAMELESS, VERB_ROOT},
	{VERB_COLLAPSE, 'f', "merge file", "runs of its file become one frame", OF_FILE,
	 VERB_ROOT},
};
#define OTHERS (sizeof others / sizeof *others)

/* Returns the transform of a menu line: first those of the verbs, then the others. */
static struct transform
transform_of(size_t id)
{
	if (id >= VERB_COUNT)
		return others[id - VERB_COUNT];
	const struct verb_row *row = &verb_rows[id];
	return (struct transform){(enum verb)id, row->key, row->label, row->note,
				  row->apply ? OF_FRAME : OF_TRACKS, (enum verb)id};
}

#define TRACKS_MAX 512 /* each becomes an entry, which is matched with every track */

/* True if the key occurs on the track with numbers x. */
static bool
has_key(const struct single *x, key_id key)
{
	for (size_t i = 0; i < x->node.n; i++)
		if (x->tree.key[x->node.at[i]] == key && x->present[x->node.at[i]])
			return true;
	return false;
}

/* Adds the selected tracks on which the key occurs; returns false if there are too many. */
static bool
add_tracks(const struct app *a, struct lens *l, struct err *e)
{
	const struct profile *p = a->scene.p;
	const struct fold *f = a->look.fold;
	struct single x;
	uint32_t found = 0;
	bool good = true;
	for (size_t i = l->entries.n; i-- > 0;)
		if (l->entries.at[i].verb == VERB_TRACK)
			lens_remove(l, i);
	single_init(&x, p, f);
	for (uint32_t i = 0; good && i < p->n_tracks; i++) {
		struct name name = names_get(&p->names, p->track[i].name);
		struct buf pattern = BUF_INIT;
		if (!fold_has_track(f, i))
			continue;
		single_track(&x, i);
		single_count(&x, f->metric);
		if (!has_key(&x, a->nav.key))
			continue;
		if (++found > TRACKS_MAX) {
			good = err_usage(e, "it runs on more than %d tracks: t chooses some",
					 TRACKS_MAX);
			break;
		}
		pattern_exact(&pattern, SUBJECT_FN, name.at, name.len);
		good = lens_add(l, VERB_TRACK, buf_str(&pattern), pattern.len, e);
		buf_release(&pattern);
	}
	single_release(&x);
	return good;
}

#define MODULES_MAX 32 /* modules without symbols, the costliest first */

/* Adds an entry for each module without symbols: that of the selected frame, and all others. */
static bool
add_nameless(const struct app *a, enum verb verb, name_id own, struct lens *l, struct err *e)
{
	const struct profile *p = a->scene.p;
	struct nameless n = {.bad = 0};
	bool good = true, had = false;
	nameless_find(&n, p, app_plain_fold(a));
	for (size_t i = 0; good && i <= n.bad && i <= MODULES_MAX; i++) {
		bool last = i == n.bad || i == MODULES_MAX;
		name_id module = last ? own : n.all.at[i].module;
		struct name bytes = names_get(&p->names, module);
		struct buf pattern = BUF_INIT;
		if (last && had)
			break;
		had |= module == own;
		pattern_exact(&pattern, SUBJECT_MODULE, bytes.at, bytes.len);
		good = lens_add(l, verb, buf_str(&pattern), pattern.len, e);
		buf_release(&pattern);
	}
	nameless_release(&n);
	return good;
}

/* Adds the entry of a transform of the selected frame. */
static bool
add_transform(const struct app *a, const struct transform *x, struct lens *l,
	      struct err *e)
{
	const struct projection *t = a->look.fold->tree;
	const struct profile *p = a->scene.p;
	enum subject subject = granularity_rows[t->by].subject;
	name_id name = projection_key_name(t, p, a->nav.key);
	function_id fn = projection_key_function(t, p, a->nav.key);
	struct buf pattern = BUF_INIT;
	if (x->target == OF_TRACKS)
		return add_tracks(a, l, e);
	if (x->target == OF_NAMELESS && fn != UINT32_MAX)
		return add_nameless(a, x->verb, profile_function(p, fn).module, l, e);
	if (x->target == OF_MODULE && fn != UINT32_MAX) {
		name = profile_function(p, fn).module;
		subject = SUBJECT_MODULE;
	} else if (x->target == OF_FILE && fn != UINT32_MAX) {
		name = profile_function(p, fn).file;
		subject = SUBJECT_FILE;
	}
	struct name bytes = names_get(&p->names, name);
	/* an empty pattern matches every frame */
	if (x->target != OF_ALL)
		pattern_exact(&pattern, subject, bytes.at, bytes.len);
	bool good = lens_add(l, x->verb, buf_str(&pattern), pattern.len, e);
	buf_release(&pattern);
	return good;
}

static void
transform_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	struct lens l;
	struct err e;
	(void)m;
	err_init(&e);
	lens_copy(&l, &a->look.now.lens);
	struct transform x = transform_of((size_t)id);
	if (add_transform(a, &x, &l, &e)) {
		app_change(a, &l);
	} else {
		app_fault(a, "%s", e.text);
		lens_release(&l);
	}
}

/* True if this transform has an object here. */
static bool
can_transform(const struct app *a, const struct transform *x)
{
	const struct profile *p = a->scene.p;
	function_id fn = projection_key_function(a->look.fold->tree, p, a->nav.key);
	struct function f = fn != UINT32_MAX ? profile_function(p, fn) : (struct function){0};
	struct name name;
	switch (x->target) {
	case OF_FRAME:
	case OF_ALL:
		return true;
	case OF_MODULE:
		return f.module != NAME_EMPTY;
	case OF_NAMELESS:
		name = names_get(&p->names, f.name);
		return f.module != NAME_EMPTY && nameless_name(name.at, name.len);
	case OF_FILE:
		return f.file != NAME_EMPTY;
	case OF_TRACKS:
		return p->n_tracks > 1;
	}
	return false;
}

static const struct menu_hooks transform_hooks = {.chosen = transform_chosen};

static void
app_add_line(struct app *a, size_t id)
{
	struct transform x = transform_of(id);
	if (can_transform(a, &x))
		menu_add(&a->front.menu, (int)id, (uint32_t)x.key, x.label, x.note);
}

static void
menu_transform(struct app *a)
{
	struct buf title = BUF_INIT;
	if (a->nav.key == KEY_NONE) {
		app_say(a, "select a frame first");
		return;
	}
	show_frame(&a->scene, a->nav.key, &title);
	app_menu(a, buf_str(&title), &transform_hooks);
	buf_release(&title);
	for (size_t verb = 0; verb < VERB_COUNT; verb++) {
		if (verb_rows[verb].key)
			app_add_line(a, verb);
		for (size_t i = 0; i < OTHERS; i++)
			if (others[i].after == verb)
				app_add_line(a, VERB_COUNT + i);
	}
}

const struct app_action app_menus_actions[] = {
	{ACTION_METRIC, menu_metric},
	{ACTION_BY, menu_by},
	{ACTION_TRANSFORM, menu_transform},
	{ACTION_NONE, NULL},
};
