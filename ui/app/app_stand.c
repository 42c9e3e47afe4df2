/* app_stand.c - see app_stand.h.
 *
 * Each view writes its state as words and reads them again, as for a session. */
#include "ui/app/app_stand.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/app/app_save.h"

/* Writes the saved state of view i. `moves`: without places at which other times will be. */
static void
write_stand(const struct app *a, size_t i, bool moves, struct buf *out)
{
	if (a->open.states[i] && views[i]->save_position && !(moves && views[i]->shift_times))
		views[i]->save_position(a->open.states[i], out);
	else if (a->open.states[i] && views[i]->save_state)
		views[i]->save_state(a->open.states[i], out);
}

struct app_stand *
app_stand_of(const struct app *a, bool moves)
{
	struct app_stand *s = mem_zalloc(1, sizeof *s);
	session_init(&s->look);
	app_keep(a, &s->look);
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		write_stand(a, i, moves, &s->views[i]);
	s->scrubber = (struct app_stand_scrubber){a->scrubber.focus, a->scrubber.placed,
						  a->scrubber.cursor};
	memcpy(s->before, a->open.before, sizeof s->before);
	s->n_before = a->open.n_before;
	s->proposed = a->nav.proposed;
	return s;
}

void
app_stand_free(struct app_stand *s)
{
	if (!s)
		return;
	session_release(&s->look);
	for (size_t i = 0; i < VIEWS_MAX; i++)
		buf_release(&s->views[i]);
	free(s);
}

/* Restores each view whose state differs from the saved one. */
static void
restore_views(struct app *a, const struct app_stand *s)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++) {
		struct buf words = BUF_INIT;
		const char *kept = buf_str(&s->views[i]);
		write_stand(a, i, false, &words);
		if (strcmp(buf_str(&words), kept)) {
			if (a->open.states[i] && !(views[i]->save_position && *kept)) {
				views[i]->destroy(a->open.states[i]);
				a->open.states[i] = NULL;
			}
			if (*kept)
				views[i]->restore_state(app_view_state(a, views[i]), kept);
		}
		buf_release(&words);
	}
}

void
app_stand_restore(struct app *a, const struct app_stand *s)
{
	struct err e;
	bool whole;
	err_init(&e);
	app_return(a, &s->look.lens, s->look.comparing ? &s->look.base : NULL);
	a->scene.chains = s->look.chains;
	app_sure_only(a, s->look.sure_only);
	if (a->hues.by != s->look.colour_by)
		hues_set(&a->hues, s->look.colour_by);
	search_set(&a->search, s->look.search ? pattern_new(s->look.search,
							    strlen(s->look.search), &e)
					      : NULL);
	nav_zoom(&a->nav, a->look.fold, place_find(&a->scene, &s->look.zoom, &whole));
	nav_select(&a->nav, a->look.fold, a->scene.p,
		   place_find(&a->scene, &s->look.selected, &whole));
	a->nav.proposed = s->proposed;
	restore_views(a, s);
	a->open.view = view_named(s->look.view);
	memcpy(a->open.before, s->before, sizeof s->before);
	a->open.n_before = s->n_before;
	a->scrubber.focus = s->scrubber.focus;
	a->scrubber.placed = s->scrubber.placed;
	a->scrubber.cursor = s->scrubber.cursor;
}
