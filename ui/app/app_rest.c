/* app_rest.c - see app_rest.h.
 *
 * A step of the cursor changes two rows, and besides the detail pane, the curve of the
 * selection, the line of the timeline's cursor through all lanes: on a large screen five times
 * the bytes, which no user reads while a key is held.  The parts that draw them declare them
 * with canvas_late().  They keep their previous contents until no key has come for REST_NS, at
 * most for STALE_NS, so that they follow a held key, too.
 *
 * Terminals scroll whole lines.  So while the view beside a pane scrolls, the pane is empty: it
 * would have to be drawn again for each line.
 *
 * Scripts see every screen whole. */
#include "ui/app/app_rest.h"

#include "ui/screen/clock.h"

#define REST_NS 100000000
#define STALE_NS 500000000
#define MS_NS 1000000

void
app_rest_heard(struct app *a)
{
	a->rest.heard_ns = clock_ns();
}

/* The time at which all is drawn. */
static int64_t
rest_due_ns(const struct app_rest *r)
{
	int64_t due = r->heard_ns + REST_NS, last = r->stale_ns + STALE_NS;
	return r->stale_ns && last < due ? last : due;
}

bool
app_rest_hurries(const struct app *a)
{
	const struct app_rest *r = &a->rest;
	return r->heard_ns && !a->screen->scripted && clock_ns() < rest_due_ns(r);
}

/* Empties the pane at the right if the view beside it scrolls; true if it does. */
static bool
empty_pane(struct app *a)
{
	struct area pane = a->details.at, view = a->at.view;
	if (!pane.h || !pane.x || !canvas_scrolls(&a->canvas, &a->rest.shown, view))
		return false;
	canvas_fill(&a->canvas, pane, INK_TEXT, ' ');
	return true;
}

void
app_rest_drawn(struct app *a)
{
	struct app_rest *r = &a->rest;
	bool hurries = app_rest_hurries(a), scrolls = hurries && empty_pane(a);
	bool waits = scrolls || (hurries && canvas_keep_late(&a->canvas, &r->shown));
	if (scrolls)
		r->stale_ns = 0; /* a pane that comes and goes is worse than none */
	if (!waits && !a->scene.later)
		r->stale_ns = 0;
	else if (!r->stale_ns)
		r->stale_ns = clock_ns();
	if (!a->screen->scripted)
		canvas_copy(&r->shown, &a->canvas);
}

void
app_rest_wait(const struct app *a, int *wait_ms)
{
	if (!a->rest.stale_ns)
		return;
	int64_t left = rest_due_ns(&a->rest) - clock_ns();
	int ms = left > 0 ? (int)((left + MS_NS - 1) / MS_NS) : 0;
	if (*wait_ms < 0 || ms < *wait_ms)
		*wait_ms = ms;
}
