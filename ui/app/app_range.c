/* app_range.c - applies keys, commands and the mouse to the range and the scrubber.
 *
 * The scrubber computes the range of an action, and the lens takes it.  Each is a step of the
 * history, except for a held key: a slide is one step, however long.  So are widening, narrowing,
 * and a drag of the mouse (app_change_range()). */
#include "ui/app/app_range.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"
#include "ui/part/show.h"

bool
app_range_takes(enum action action)
{
	return action_scope(action) == SCOPE_SCRUBBER ||
	       (action >= ACTION_RANGE_START && action <= ACTION_NARROW);
}

enum range_step
app_range_step(enum action action)
{
	if (action == ACTION_SLIDE_BACK || action == ACTION_SLIDE_ON)
		return RANGE_STEP_SLIDE;
	if (action == ACTION_WIDEN || action == ACTION_NARROW)
		return RANGE_STEP_RESIZE;
	return RANGE_STEP_OWN;
}

void
app_range_act(struct app *a, enum action action)
{
	struct lens l;
	if (lens_run(a->scene.p) <= 0) {
		app_say(a, "%s: there is no range to choose", show_no_times(a->scene.p));
		return;
	}
	if ((action == ACTION_RANGE_START || action == ACTION_RANGE_END) &&
	    !a->scrubber.placed) {
		a->scrubber.focus = a->scrubber.placed = true;
		app_say(a,
			"move the cursor on top with the arrows, then [ and ] set the range");
		return;
	}
	const char *why = NULL;
	lens_copy(&l, &a->look.now.lens);
	if (scrubber_act(&a->scrubber, &a->scene, action, &l, &why)) {
		app_change_range(a, &l, app_range_step(action));
		return;
	}
	lens_release(&l);
	if (why)
		app_say(a, "%s", why);
}

/* Reads one moment, or the two of a range. */
static bool
app_read_range(const char *word, const char *value, struct lens *l, struct err *e)
{
	if (!strcmp(word, "from"))
		return moment_read(value, &l->from, e);
	if (!strcmp(word, "to"))
		return moment_read(value, &l->to, e);
	size_t len = strcspn(value, " ");
	const char *rest = value + len + strspn(value + len, " ");
	if (!*rest)
		return err_usage(e, "a range has two ends: range 1.5s 50%%");
	char *first = mem_dup(value, len);
	bool good = moment_read(first, &l->from, e) && moment_read(rest, &l->to, e);
	free(first);
	return good;
}

/* True if the range of this lens is not empty. */
static bool
has_extent(const struct app *a, const struct lens *l, struct err *e)
{
	int64_t from, to, end = lens_run(a->scene.p);
	struct buf first = BUF_INIT, second = BUF_INIT;
	bool whole, good = true;
	if (!lens_range(l, a->scene.p, &from, &to, &whole, e))
		return false;
	show_time(&a->scene, from, &first);
	show_time(&a->scene, from > end ? end : to, &second);
	if (whole)
		;
	else if (from >= to)
		good = err_usage(e, "invalid range: %s is not before %s (range A B sets both)",
				 buf_str(&first), buf_str(&second));
	else if (from > end)
		good = err_usage(e, "invalid range: the run ends at %s", buf_str(&second));
	buf_release(&first);
	buf_release(&second);
	return good;
}

bool
app_range_set(struct app *a, const char *word, const char *value, struct err *e)
{
	struct lens l;
	lens_copy(&l, &a->look.now.lens);
	if (app_read_range(word, value, &l, e) && has_extent(a, &l, e))
		return app_change_range(a, &l, RANGE_STEP_OWN);
	lens_release(&l);
	return false;
}

/* Appends a moment; a bare number gets the unit in which the end of the run is shown. */
static void
add_moment(const struct app *a, const char *at, size_t len, struct buf *out)
{
	int64_t end = lens_run(a->scene.p);
	buf_add(out, at, len);
	if (len && at[len - 1] >= '0' && at[len - 1] <= '9' && show_axis(&a->scene) == UNIT_NS)
		buf_adds(out, end >= 1000000000 ? "s"
			      : end >= 1000000	? "ms"
			      : end >= 1000	? "us"
						: "ns");
}

static bool
range_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct buf range = BUF_INIT;
	struct err e;
	size_t len = strcspn(text, " ");
	const char *rest = text + len + strspn(text + len, " ");
	bool good;
	err_init(&e);
	add_moment(a, text, len, &range);
	buf_addc(&range, ' ');
	add_moment(a, rest, strcspn(rest, " "), &range);
	good = app_range_set(a, "range", *text ? buf_str(&range) : "- -", &e);
	buf_release(&range);
	if (!good)
		prompt_note(p, true, "%s", e.text);
	return good;
}

static const struct prompt_hooks range_hooks = {.done = range_done};

static void
ask_range(struct app *a)
{
	int64_t end = lens_run(a->scene.p);
	if (end <= 0) {
		app_say(a, "%s: there is no range to choose", show_no_times(a->scene.p));
		return;
	}
	app_prompt(a, "range: ", "", &range_hooks, ASKED_RANGE);
	prompt_note(&a->front.prompt, false,
		    "begin and end, as 1 2.5, 300ms 40%%, or - for an end; empty: the whole run");
}

bool
app_range_slides(const struct app *a)
{
	return a->look.now.lens.from.back;
}

bool
app_range_last(struct app *a, const char *value, struct err *e)
{
	struct moment m = {.kind = MOMENT_OPEN};
	struct lens l;
	int64_t length;
	if (*value && (!moment_parse(value, &m, e) || !lens_length(m, a->scene.p, &length, e)))
		return false;
	if (*value && !m.value)
		return err_usage(e, "the duration is 0: use last 10s");
	m.back = *value;
	lens_copy(&l, &a->look.now.lens);
	l.from = m;
	l.to = (struct moment){.kind = MOMENT_OPEN};
	if (!app_change_range(a, &l, RANGE_STEP_OWN))
		return true;
	if (*value)
		app_say(a, "the last %s%s; :last ends it", value,
			a->load.state.live ? ", as more is read" : " of the run");
	else
		app_say(a, "the whole run");
	return true;
}

static bool
last_done(void *ctx, struct prompt *p, const char *text)
{
	struct err e;
	err_init(&e);
	if (app_range_last(ctx, text, &e))
		return true;
	prompt_note(p, true, "%s", e.text);
	return false;
}

static const struct prompt_hooks last_hooks = {.done = last_done};

static void
ask_last(struct app *a)
{
	if (!show_has_times(a->scene.p)) {
		app_say(a, "%s: no data arrives, so nothing slides", show_no_times(a->scene.p));
		return;
	}
	app_prompt(a, "the last: ", app_range_slides(a) ? "" : "10s", &last_hooks, ASKED_LENGTH);
	prompt_suggest(&a->front.prompt);
	prompt_note(&a->front.prompt, false,
		    app_range_slides(a)
			    ? "a time, as 10s; empty: the whole run again"
			    : "a time, as 2.5s or 500ms: what came in it before the end");
}

void
app_range_take(struct app *a)
{
	struct lens l;
	lens_copy(&l, &a->look.now.lens);
	scrubber_set_range(&a->scrubber, &a->scene, a->nav.from, a->nav.to, &l);
	app_change(a, &l);
}

void
app_range_take_step(struct app *a)
{
	struct lens l;
	lens_copy(&l, &a->look.now.lens);
	scrubber_set_range(&a->scrubber, &a->scene, a->nav.from, a->nav.to, &l);
	app_change_range(a, &l, RANGE_STEP_DRAG);
}

void
app_range_point(struct app *a, int x, bool drag)
{
	struct lens l;
	lens_copy(&l, &a->look.now.lens);
	if (!drag)
		app_end_steps(a);
	if (scrubber_point(&a->scrubber, &a->scene, x, drag, &l))
		app_change_range(a, &l, RANGE_STEP_DRAG);
	else
		lens_release(&l);
}

static void
focus(struct app *a)
{
	if (lens_run(a->scene.p) <= 0) {
		app_say(a, "%s: there is no scrubber", show_no_times(a->scene.p));
		return;
	}
	a->scrubber.focus = !a->scrubber.focus;
	a->scrubber.placed = true;
}

/* Keeps the visible state, with its history, below the next change. */
void
app_range_again(struct app *a)
{
	struct lens l;
	struct err e;

	err_init(&e);
	if (!a->config->again) {
		app_say(a, "only a store can be queried again: clickhouse://...");
		return;
	}
	app_look_finish(a);
	works_drop(&a->works);
	const struct fold *f = a->look.fold;
	uint8_t *tracks = lens_tracks(&a->look.now.lens, a->look.loaded);
	bool all = true;
	for (track_id t = 0; t < a->look.loaded->n_tracks; t++)
		all &= tracks[t];
	lens_copy(&l, &a->look.now.lens);
	struct app_again what = {
		.whole = f->whole,
		.from = f->from,
		.to = f->to,
		.tracks = all ? NULL : tracks,
		.lens = &l,
		.view = a->open.view->name,
	};
	bool back = a->config->again(a->config->ctx, &what, &e);
	lens_release(&l);
	free(tracks);
	a->quit |= !back;
	if (err_is_set(&e))
		app_fault(a, "%s", e.text);
}

const struct app_action app_range_actions[] = {
	{ACTION_FOCUS, focus},
	{ACTION_RANGE_ASK, ask_range},
	{ACTION_WINDOW, ask_last},
	{ACTION_NONE, NULL},
};
