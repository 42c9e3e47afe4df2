#include "model/derive/derived.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/derive/path.h"
#include "model/lens/regroup.h"

/* A path, and what was regrouped of it or of the loaded profile. The regrouped profiles borrow
 * from the path, so both are released together. */
struct derived_slot {
	struct path path;
	struct pattern *why; /* NULL: no path */
	const struct profile *of;
	uint64_t generation;
	struct regroup *regroup;
};

struct derived {
	struct derived_slot now, before;
};

static void
slot_release(struct derived_slot *s)
{
	regroup_free(s->regroup);
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

/* Returns true if the slot holds that path, or none if that is NULL. */
static bool
derived_is_same(const struct derived_slot *s, const struct profile *p, const struct pattern *why)
{
	if (!s->regroup || s->of != p || !s->why != !why)
		return false;
	return !why || (s->generation == p->generation &&
			!strcmp(pattern_text(s->why), pattern_text(why)));
}

/* Makes d->now the slot of that path. */
static void
take_slot(struct derived *d, const struct profile *p, struct pattern *why)
{
	struct derived_slot swap = d->now;

	if (derived_is_same(&d->now, p, why))
		return;
	if (derived_is_same(&d->before, p, why)) { /* the user went back */
		d->now = d->before;
		d->before = swap;
		return;
	}
	slot_release(&d->before);
	d->before = d->now;
	d->now = (struct derived_slot){.why = why ? pattern_ref(why) : NULL,
				       .of = p,
				       .generation = p->generation,
				       .regroup = regroup_new()};
}

bool
derived_fits(const struct profile *p, const struct lens *l, struct err *e)
{
	return !l->why || path_fits(p, l->why, e);
}

const struct profile *
derived_look(struct derived *d, const struct profile *p, const struct lens *l, bool grows,
	     struct pace *pace, struct err *e)
{
	struct pattern *why = grows ? NULL : l->why;

	if (why && !path_fits(p, why, e))
		return NULL;
	take_slot(d, p, why);
	if (!why)
		return regroup_look(d->now.regroup, p, l, grows, pace);
	if (!d->now.path.p)
		path_make(p, why, pace, &d->now.path);
	if (pace_gives_up(pace)) {
		slot_release(&d->now);
		return NULL;
	}
	return regroup_look(d->now.regroup, d->now.path.p, l, false, pace);
}
