#include "model/derive/derived.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/derive/path.h"
#include "model/derive/wall.h"
#include "model/lens/regroup.h"

/* A path, and what was computed or regrouped of it or of the loaded profile. These borrow from one
 * another, so all are released together. */
struct derived_slot {
	struct path path;
	struct pattern *why; /* NULL: no path */
	struct wall wall;
	unsigned needs; /* WALL_ bits */
	const struct profile *of;
	uint64_t generation;
	struct regroup *regroup;
};

struct derived {
	struct derived_slot now, before;
	unsigned wants; /* WALL_ bits beside those of the lens */
};

static void
slot_release(struct derived_slot *s)
{
	regroup_free(s->regroup);
	wall_release(&s->wall);
	path_release(&s->path);
	pattern_unref(s->why);
	*s = (struct derived_slot){.why = NULL};
}

struct derived *
derived_new(void)
{
	return mem_zalloc(1, sizeof(struct derived));
}

void
derived_free(struct derived *d)
{
	if (!d)
		return;
	slot_release(&d->now);
	slot_release(&d->before);
	free(d);
}

/* Returns true if the slot holds that path, or none if `why` is NULL, and these needs. */
static bool
derived_is_same(const struct derived_slot *s, const struct profile *p, const struct pattern *why,
		unsigned needs)
{
	if (!s->regroup || s->of != p || !s->why != !why || s->needs != needs)
		return false;
	if ((why || needs) && s->generation != p->generation)
		return false;
	return !why || !strcmp(pattern_text(s->why), pattern_text(why));
}

/* Makes d->now the slot of that path and these needs. */
static void
take_slot(struct derived *d, const struct profile *p, struct pattern *why, unsigned needs)
{
	struct derived_slot swap = d->now;

	if (derived_is_same(&d->now, p, why, needs))
		return;
	if (derived_is_same(&d->before, p, why, needs)) { /* the user went back */
		d->now = d->before;
		d->before = swap;
		return;
	}
	slot_release(&d->before);
	d->before = d->now;
	d->now = (struct derived_slot){
		.why = why ? pattern_ref(why) : NULL, .of = p, .needs = needs,
		.generation = p->generation, .regroup = regroup_new()};
}

bool
derived_fits(const struct profile *p, const struct lens *l, struct err *e)
{
	return !l->why || path_fits(p, l->why, e);
}

void
derived_want_parallelism(struct derived *d)
{
	d->wants = WALL_LABEL | WALL_ANY_ORDER;
}

const char *
derived_warning(const struct derived *d)
{
	if (!d->now.wall.means)
		return NULL;
	return "the number of running tracks changes too often: parallelism is the mean over each "
	       "step";
}

const struct profile *
derived_look(struct derived *d, const struct profile *p, const struct lens *l, bool grows,
	     struct pace *pace, struct err *e)
{
	struct pattern *why = grows ? NULL : l->why;

	if (why && !path_fits(p, why, e))
		return NULL;
	unsigned needs = grows ? 0 : wall_needs(p, l);
	if (!grows && !(needs & WALL_LABEL)) /* where a lens asks for the label, ids matter */
		needs |= d->wants;
	take_slot(d, p, why, needs);
	struct derived_slot *now = &d->now;
	if (why && !now->path.p)
		path_make(p, why, pace, &now->path);
	const struct profile *shown = why ? now->path.p : p;
	if (now->needs && !now->wall.p && !pace_gives_up(pace))
		wall_make(shown, now->needs, pace, &now->wall);
	if (pace_gives_up(pace)) {
		slot_release(now);
		return NULL;
	}
	return regroup_look(now->regroup, now->wall.p ? now->wall.p : shown, l, grows, pace);
}
