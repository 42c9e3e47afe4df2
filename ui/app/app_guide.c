/* app_guide.c - see app_guide.h.
 *
 * The guide plays a step by feeding its keys to the browser as if the user typed them: one at a
 * time, slowly enough to follow; in a script, which has no clock, at once.  So the guide cannot
 * show anything that the keys do not do, and all other keys work in between.
 *
 * Before a step the guide saves the state as a session would, and besides it what a session omits
 * (the way back through the views, the scrubber).  Backspace restores it.  Undoing single keys was
 * rejected, since most keys have no inverse.  The lens is restored by an ordinary change, so `u`
 * can revert that.
 *
 * A step with a choice waits until the menu or prompt that its keys opened has closed.  If they
 * opened nothing, it waits for Space.  In a menu Space takes the row of the cursor, which the guide
 * puts where the step's text says.
 *
 * A step is complete when its changes (app_effects.h) are measured and correct.  If they are not,
 * the guide reports that and the step stays the current one.  Space plays it again, and then
 * continues. */
#include "ui/app/app_guide.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/app/app_effects.h"
#include "ui/app/app_stand.h"
#include "ui/screen/clock.h"
#include "ui/screen/text.h"

#define KEY_MS 600  /* between two keys */
#define TYPED_MS 90 /* between two characters of a text */
#define NS_PER_MS 1000000

/* ---- the strip ---- */

static const struct inspection_step *
step_at(const struct app_guide *g, size_t i)
{
	return &g->now->steps.at[g->steps.at[i]];
}

/* Returns the displayed step: the one that waits or is played, else the last completed one. */
static size_t
guide_shown_step(const struct app_guide *g)
{
	bool under_way = g->waiting || g->next < g->keys.n;
	return g->done && !under_way && !g->failed ? g->done - 1 : g->done;
}

/* Writes the keys of the step, and marks the next one. */
static void
write_keys(struct app_guide *g, const struct inspection_step *s)
{
	const char *at = s->keys, *word;
	size_t len, i = 0;
	bool typed, here = g->next < g->keys.n;
	buf_reset(&g->strip.keys);
	for (; key_script_word(&at, &word, &len, &typed) && word; i++) {
		bool now = here && g->keys.at[g->next].word == i;
		buf_addf(&g->strip.keys, "%s%s", g->strip.keys.len ? " " : "", now ? "\u25B8" : "");
		buf_add(&g->strip.keys, word, len);
	}
	if (s->choice)
		buf_addf(&g->strip.keys, "%s<%s>", g->strip.keys.len ? " " : "", s->choice);
}

static void
add_hint(const struct app *a, struct buf *out, enum action action, const char *word)
{
	struct buf key = BUF_INIT;
	keymap_keys(&a->keys, action, 1, &key);
	buf_addf(out, "%s%s %s", out->len ? "  " : "", buf_str(&key), word);
	buf_release(&key);
}

/* Writes what Space does, or the key that replaces it here. */
static void
write_go_on(const struct app *a, struct buf *out)
{
	const struct app_guide *g = &a->guide;
	const struct modal *top = modals_top(&a->front.stack);
	if (g->waiting && g->opened && top && top->self == &a->front.prompt)
		buf_adds(out, "Enter takes it");
	else if (g->waiting)
		add_hint(a, out, ACTION_GUIDE_STEP, g->opened ? "takes the row" : "chosen");
	else if (g->failed)
		add_hint(a, out, ACTION_GUIDE_STEP, g->tries > 1 ? "goes on" : "once more");
	else if (g->done < g->steps.n)
		add_hint(a, out, ACTION_GUIDE_STEP, g->done ? "next" : "plays it");
}

static void
app_guide_report(struct app *a)
{
	struct app_guide *g = &a->guide;
	g->strip.open = g->now != NULL;
	if (!g->now)
		return;
	size_t at = guide_shown_step(g);
	const struct inspection_step *s = step_at(g, at);
	buf_reset(&g->strip.count);
	buf_addf(&g->strip.count, "%zu/%zu", at + 1, g->steps.n);
	write_keys(g, s);
	buf_reset(&g->strip.text);
	buf_adds(&g->strip.text, s->text);
	buf_reset(&g->strip.title);
	buf_adds(&g->strip.title, g->now->title);
	buf_reset(&g->strip.hints);
	write_go_on(a, &g->strip.hints);
	if (g->before.n)
		add_hint(a, &g->strip.hints, ACTION_GUIDE_BACK, "back");
	add_hint(a, &g->strip.hints, ACTION_GUIDE_END, "ends");
}

/* ---- playing ---- */

static void
push_key(struct app_guide *g, uint32_t key, size_t word, int64_t after_ms)
{
	*vec_push(&g->keys) = (struct guide_key){key, word, after_ms * NS_PER_MS};
}

/* Queues the keys of a step; a typed text becomes its characters. */
static void
queue(struct app_guide *g, const char *keys)
{
	const char *at = keys, *word;
	size_t len, n = 0;
	uint32_t key;
	bool typed;
	g->keys.n = g->next = 0;
	for (; key_script_word(&at, &word, &len, &typed) && word; n++) {
		const char *end = word + len;
		for (const char *c = word; typed && c < end;)
			push_key(g, text_next(&c, end), n, c == word ? KEY_MS : TYPED_MS);
		if (!typed && key_parse(word, len, &key))
			push_key(g, key, n, KEY_MS);
	}
	g->due_ns = clock_ns() + KEY_MS * NS_PER_MS;
}

/* Measures the changes of a step once the requested fold is visible. */
static void
step_done(struct app *a)
{
	a->guide.waiting = false;
	a->guide.check_due = true;
	a->guide.done++;
	app_guide_report(a);
}

/* Shows the measured numbers if the step did what it states; else reports the failure, and the step
 * stays current. */
static void
check_step(struct app *a)
{
	struct app_guide *g = &a->guide;
	const struct inspection_step *s = step_at(g, g->done - 1);
	struct guide_facts now = app_effects_measure(a);
	struct buf say = BUF_INIT, all = BUF_INIT;
	g->check_due = g->failed = false;
	for (size_t i = 0; i < s->effects.n && !g->failed; i++) {
		const struct inspection_effect *c = &s->effects.at[i];
		buf_reset(&say);
		g->failed = !app_effects_hold(a, c, &g->was, &now, &say);
		if (c->what != EFFECT_VIEW)
			buf_addf(&all, "%s%s", all.len ? ", " : "", buf_str(&say));
	}
	if (g->failed) {
		app_fault(a, "step %zu did not have its effect: %s", g->done, buf_str(&say));
		g->done--;
		g->tries++;
	} else if (all.len && !a->message.text.len) {
		app_say(a, "%s", buf_str(&all));
	}
	g->tries = g->failed ? g->tries : 0;
	buf_release(&say);
	buf_release(&all);
	app_guide_report(a);
}

void
app_guide_settle(struct app *a, bool now)
{
	if (!a->guide.check_due)
		return;
	if (now)
		app_look_finish(a);
	if (now || (!app_look_awaited(a) && !works_busy(&a->works)))
		check_step(a);
}

/* Puts the cursor of the menu that the step opened on the row that the step's text names. */
static void
propose(struct app *a, const struct inspection_step *s)
{
	struct menu *m = &a->front.menu;
	for (size_t i = 0; i < s->effects.n; i++) {
		const struct inspection_effect *c = &s->effects.at[i];
		for (size_t k = 0; c->what == EFFECT_METRIC && k < m->items.n; k++)
			if (app_effects_metric(a->scene.p, c->value,
					       (metric_id)m->items.at[k].id,
					       a->look.fold->metric)) {
				m->at = k;
				break;
			}
	}
}

/* All keys of the step are played; checks whether the user has to choose something. */
static void
played(struct app *a)
{
	struct app_guide *g = &a->guide;
	const struct modal *top = modals_top(&a->front.stack);
	g->waiting = step_at(g, g->done)->choice != NULL;
	g->opened = top != NULL;
	if (top && top->self == &a->front.menu)
		propose(a, step_at(g, g->done));
	if (!g->waiting)
		step_done(a);
	else
		app_guide_report(a);
}

static void
take_back(struct app *a)
{
	struct app_guide *g = &a->guide;
	struct app_stand *s = g->before.at[--g->before.n];
	app_stand_restore(a, s);
	app_stand_free(s);
}

static void
next_step(struct app *a)
{
	struct app_guide *g = &a->guide;
	if (g->waiting)
		step_done(a);
	if (g->check_due) {
		app_guide_settle(a, true);
		if (g->failed)
			return;
	}
	if (g->failed && g->tries > 1) { /* the step failed twice: Space skips it */
		g->tries = 0;
		g->done++;
	} else if (g->failed) {
		take_back(a);
	}
	g->failed = false;
	if (g->done == g->steps.n) {
		app_say(a, "all steps done: %s", g->now->title);
		return;
	}
	g->was = app_effects_measure(a);
	*vec_push(&g->before) = app_stand_of(a, false);
	queue(g, step_at(g, g->done)->keys);
	app_guide_report(a);
	if (!g->keys.n)
		played(a);
}

static void
back_step(struct app *a)
{
	struct app_guide *g = &a->guide;
	if (!g->before.n) {
		app_say(a, "no step to undo yet");
		return;
	}
	take_back(a);
	g->done -= !g->waiting && !g->failed;
	g->waiting = g->failed = g->check_due = false;
	g->tries = 0;
	app_guide_report(a);
}

static void
app_guide_forget(struct app_guide *g)
{
	for (size_t i = 0; i < g->before.n; i++)
		app_stand_free(g->before.at[i]);
	g->before.n = g->steps.n = g->keys.n = g->next = g->done = 0;
	g->waiting = g->failed = g->check_due = false;
	g->tries = 0;
	g->now = NULL;
}

static void
end_guide(struct app *a)
{
	app_guide_forget(&a->guide);
	app_guide_report(a);
}

/* ---- for the loop ---- */

bool
app_guide_key(struct app *a, uint32_t key)
{
	if (!a->guide.now || a->guide.playing)
		return false;
	enum action action = keymap_action(&a->keys, key, SCOPE_GUIDE, false);
	if (action == ACTION_NONE || action_scope(action) != SCOPE_GUIDE)
		return false;
	if (action == ACTION_GUIDE_STEP)
		next_step(a);
	else if (action == ACTION_GUIDE_BACK)
		back_step(a);
	else if (action == ACTION_GUIDE_END)
		end_guide(a);
	return true;
}

bool
app_guide_menu_key(struct app *a, uint32_t key)
{
	struct app_guide *g = &a->guide;
	const struct modal *top = modals_top(&a->front.stack);
	struct menu *m = &a->front.menu;
	if (!g->waiting || !g->opened || g->playing || !top || top->self != m)
		return false;
	enum action action = keymap_action(&a->keys, key, SCOPE_GUIDE, false);
	if (action == ACTION_GUIDE_STEP) {
		menu_key(m, KEYCODE_ENTER);
	} else if (action == ACTION_GUIDE_BACK && !m->sought.len) {
		m->open = false;
		back_step(a);
	} else {
		return false;
	}
	return true;
}

bool
app_guide_plays(const struct app *a, int *wait_ms)
{
	const struct app_guide *g = &a->guide;
	if (g->next == g->keys.n)
		return false;
	int64_t left = (g->due_ns - clock_ns()) / NS_PER_MS;
	left = left < 0 ? 0 : left + 1;
	if (*wait_ms < 0 || *wait_ms > left)
		*wait_ms = (int)left;
	return true;
}

bool
app_guide_next(struct app *a, bool at_once, struct event_in *out)
{
	struct app_guide *g = &a->guide;
	if (g->next == g->keys.n || (!at_once && clock_ns() < g->due_ns))
		return false;
	*out = (struct event_in){.kind = EVENT_KEY, .key = g->keys.at[g->next].key};
	return true;
}

static void
swap_keymaps(struct app *a)
{
	struct keymap user = a->keys;
	a->keys = a->guide.keymap;
	a->guide.keymap = user;
}

void
app_guide_begin(struct app *a)
{
	a->guide.playing = true;
	swap_keymaps(a);
}

void
app_guide_done(struct app *a)
{
	struct app_guide *g = &a->guide;
	swap_keymaps(a);
	g->playing = false;
	g->next++;
	if (g->next < g->keys.n) {
		g->due_ns = clock_ns() + g->keys.at[g->next].after_ns;
		app_guide_report(a);
		return;
	}
	played(a);
}

void
app_guide_watch(struct app *a)
{
	struct app_guide *g = &a->guide;
	if (g->waiting && g->opened && !modals_top(&a->front.stack))
		step_done(a);
}

/* ---- beginning ---- */

void
app_guide_start(struct app *a, const struct inspection *q)
{
	struct app_guide *g = &a->guide;
	struct buf lacking = BUF_INIT;
	unsigned has = needs_of(a->scene.p);
	app_guide_forget(g);
	needs_say(q->needs & ~has, &lacking);
	if (lacking.len) {
		app_fault(a, "%s: this profile lacks: %s", q->name, buf_str(&lacking));
	} else {
		g->now = q;
		for (size_t i = 0; i < q->steps.n; i++)
			if (!(q->steps.at[i].needs & ~has))
				*vec_push(&g->steps) = i;
	}
	if (g->now && !g->steps.n)
		g->now = NULL;
	if (!g->keymap.n)
		keymap_init(&g->keymap);
	buf_release(&lacking);
	app_guide_report(a);
}

bool
app_guide_named(struct app *a, const char *name, struct err *e)
{
	const struct inspection *q =
		a->config->inspections ? inspection_named(a->config->inspections, name) : NULL;
	if (!q)
		return err_usage(e, "unknown question '%s': :guide lists them", name);
	app_guide_start(a, q);
	return true;
}

void
app_guide_list(const struct app *a, struct guide_list *out)
{
	const struct inspections *all = a->config->inspections;
	unsigned has = needs_of(a->scene.p);
	for (int turn = 0; turn < 3; turn++)
		for (size_t i = 0; all && i < all->list.n; i++) {
			const struct inspection *q = &all->list.at[i];
			int own = q->needs & NEED_COMPARISON			    ? 0
				  : inspection_is_for(q, a->open.view->name) ? 1
									     : 2;
			if (!(q->needs & ~has) && own == turn)
				*vec_push(&out->at) = i;
		}
}

void
app_guide_release(struct app *a)
{
	struct app_guide *g = &a->guide;
	app_guide_forget(g);
	vec_release(&g->before);
	vec_release(&g->steps);
	vec_release(&g->keys);
	strip_release(&g->strip);
	keymap_release(&g->keymap);
}
