/* app_effects.c - see app_effects.h.
 *
 * A step with the text "nothing else counts now" once switched that thread off, and its tests
 * passed because the words on the screen were right.  So each step states its changes as numbers of
 * the profile.  The guide and the tests compare those numbers before and after the step. */
#include "ui/app/app_effects.h"

#include <stdio.h>
#include <string.h>

#include "model/profile/human.h"
#include "ui/part/show.h"

/* ---- measuring ---- */

/* Counts the selected tracks, and sets the name that all of them share. */
static void
count_tracks(const struct app *a, struct guide_facts *out)
{
	const struct profile *p = a->scene.p;
	name_id name = NAME_EMPTY;
	out->one_name = true;
	for (track_id i = 0; i < p->n_tracks; i++) {
		if (!fold_has_track(a->look.fold, i))
			continue;
		out->one_name &= !out->tracks || p->track[i].name == name;
		name = p->track[i].name;
		out->tracks++;
	}
}

struct guide_facts
app_effects_measure(const struct app *a)
{
	const struct fold *f = a->look.fold;
	struct guide_facts now = {
		.view = a->open.view->name,
		.metric = f->metric,
		.by = f->tree->by,
		.inverted = f->tree->inverted,
		.entries = a->look.seen.lens.entries.n,
		.total = f->now.total[NODE_ROOT],
		.whole = f->whole,
		.compares = a->look.now.comparing,
		.focus = a->scrubber.focus,
		.matches = a->search.pattern ? a->search.keys : 0,
		.key = a->nav.key,
	};
	struct buf sorted = BUF_INIT;
	const void *state = app_shown_state(a);
	count_tracks(a, &now);
	show_range(&a->scene, &now.from, &now.to);
	if (state && a->open.view->sort_column)
		a->open.view->sort_column(state, &sorted);
	snprintf(now.sorted, sizeof now.sorted, "%s", buf_str(&sorted));
	buf_release(&sorted);
	return now;
}

/* ---- a kind of change each ---- */

/* One change, and the numbers to compare. */
struct held {
	const struct app *a;
	const char *value;
	const struct guide_facts *before, *now;
	struct buf *say;
};

static bool
app_effects_is(const struct held *h, const char *word)
{
	return !strcmp(h->value, word);
}

/* "less" and "more" compare a number before and after the step. */
static bool
compares(const struct held *h, int64_t before, int64_t now)
{
	return app_effects_is(h, "less")   ? now < before
	       : app_effects_is(h, "more") ? now > before
					   : now == before;
}

static bool
view_holds(const struct held *h)
{
	buf_addf(h->say, "the view is %s", h->now->view);
	return app_effects_is(h, h->now->view);
}

/* No row has more self time than the selected one. */
static bool
row_holds(const struct held *h)
{
	const struct fold *f = h->a->look.fold;
	key_id hottest = fold_hottest(f);
	struct buf name = BUF_INIT;
	bool good = hottest == KEY_NONE;
	if (!good && h->now->key != KEY_NONE) {
		struct row row = fold_row_of(f, h->now->key);
		good = row.self >= fold_row_of(f, hottest).self;
		show_key(&h->a->scene, h->now->key, &name);
		buf_addf(h->say, "%s has ", buf_str(&name));
		human_share(h->say, row.self, f->now.everything);
		buf_adds(h->say, " itself");
	} else if (!good) {
		buf_adds(h->say, "nothing is selected");
	}
	buf_release(&name);
	return good;
}

static bool
sort_holds(const struct held *h)
{
	buf_addf(h->say, "the order is by %s", *h->now->sorted ? h->now->sorted : "no column");
	return app_effects_is(h, h->now->sorted);
}

static bool
tracks_hold(const struct held *h)
{
	const struct guide_facts *now = h->now;
	human_count(h->say, now->tracks);
	buf_adds(h->say, " of ");
	human_count(h->say, h->a->scene.p->n_tracks);
	buf_adds(h->say, h->a->scene.p->n_tracks == 1 ? " track" : " tracks");
	if (app_effects_is(h, "one"))
		return now->tracks == 1 || (now->tracks && now->one_name);
	return compares(h, h->before->tracks, now->tracks);
}

static bool
total_holds(const struct held *h)
{
	buf_adds(h->say, "total ");
	show_value(&h->a->scene, h->now->total, h->say);
	buf_adds(h->say, ", was ");
	show_value(&h->a->scene, h->before->total, h->say);
	return compares(h, h->before->total, h->now->total);
}

static bool
range_holds(const struct held *h)
{
	const struct guide_facts *b = h->before, *n = h->now;
	int64_t length = n->to - n->from;
	buf_adds(h->say, "a range of ");
	show_time(&h->a->scene, length, h->say);
	if (app_effects_is(h, "moved"))
		return b->from != n->from || b->to != n->to;
	/* what spans the whole run may be chosen as a range, too */
	if (app_effects_is(h, "less") && (n->whole || b->whole))
		return !n->whole;
	if (app_effects_is(h, "more") && n->whole)
		return !b->whole;
	return compares(h, b->to - b->from, length);
}

bool
app_effects_metric(const struct profile *p, const char *wanted, metric_id m, metric_id now)
{
	if (!strcmp(wanted, "other"))
		return m != now;
	if (!strcmp(wanted, unit_name((enum unit)p->metric[m].unit)))
		return true;
	return !strcmp(wanted, names_get(&p->names, p->metric[m].name).at);
}

static bool
metric_holds(const struct held *h)
{
	const struct profile *p = h->a->scene.p;
	buf_adds(h->say, "the metric is ");
	profile_show_name(p, p->metric[h->now->metric].name, h->say);
	return app_effects_metric(p, h->value, h->now->metric, h->before->metric);
}

static bool
by_holds(const struct held *h)
{
	buf_addf(h->say, "a frame is a %s", granularity_name(h->now->by));
	return app_effects_is(h, granularity_name(h->now->by));
}

static bool
filters_hold(const struct held *h)
{
	buf_addf(h->say, "%zu filter%s", h->now->entries, h->now->entries == 1 ? "" : "s");
	return compares(h, (int64_t)h->before->entries, (int64_t)h->now->entries);
}

static bool
base_holds(const struct held *h)
{
	buf_adds(h->say, h->now->compares ? "compared" : "no comparison");
	return app_effects_is(h, "kept") == h->now->compares;
}

static bool
stacks_hold(const struct held *h)
{
	buf_adds(h->say, h->now->inverted ? "stacks inverted" : "stacks upright");
	return app_effects_is(h, "inverted") == h->now->inverted;
}

static bool
matches_hold(const struct held *h)
{
	human_count(h->say, h->now->matches);
	buf_adds(h->say, h->now->matches == 1 ? " match" : " matches");
	return h->now->matches > 0;
}

static bool
focus_holds(const struct held *h)
{
	buf_adds(h->say, h->now->focus ? "keys go to the scrubber" : "keys go to the view");
	return app_effects_is(h, "scrubber") == h->now->focus;
}

static bool (*const kinds[])(const struct held *h) = {
	[EFFECT_VIEW] = view_holds,	  [EFFECT_ROW] = row_holds,
	[EFFECT_SORT] = sort_holds,	  [EFFECT_TRACKS] = tracks_hold,
	[EFFECT_TOTAL] = total_holds,	  [EFFECT_RANGE] = range_holds,
	[EFFECT_METRIC] = metric_holds,	  [EFFECT_BY] = by_holds,
	[EFFECT_FILTERS] = filters_hold,  [EFFECT_BASE] = base_holds,
	[EFFECT_STACKS] = stacks_hold,	  [EFFECT_MATCHES] = matches_hold,
	[EFFECT_FOCUS] = focus_holds,
};

bool
app_effects_hold(const struct app *a, const struct inspection_effect *c,
		 const struct guide_facts *before, const struct guide_facts *now,
		 struct buf *say)
{
	return kinds[c->what](&(struct held){a, c->value, before, now, say});
}
