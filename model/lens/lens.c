#include "model/lens/lens.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/nearest.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "model/lens/labelterm.h"
#include "model/profile/profile.h"

static uint32_t
itself(const struct function *f, function_id id)
{
	(void)f;
	return id;
}

static uint32_t
its_file(const struct function *f, function_id id)
{
	(void)id;
	return f->file;
}

static uint32_t
its_module(const struct function *f, function_id id)
{
	(void)id;
	return f->module;
}

#define ROW(by, name, key, subject, nameless, key_of, names)                               \
	[BY_##by] = {name, key, SUBJECT_##subject, nameless, key_of, names},
const struct granularity_row granularity_rows[GRANULARITY_COUNT] = {GRANULARITIES(ROW)};
#undef ROW

const char *
granularity_name(enum granularity by)
{
	return granularity_rows[by].name;
}

bool
granularity_parse(const char *text, enum granularity *out)
{
	for (unsigned i = 0; i < GRANULARITY_COUNT; i++)
		if (!strcmp(granularity_rows[i].name, text)) {
			*out = (enum granularity)i;
			return true;
		}
	return false;
}

void
lens_init(struct lens *l)
{
	*l = (struct lens){.by = BY_FUNCTION};
}

void
lens_copy(struct lens *to, const struct lens *from)
{
	*to = *from;
	to->metric = NULL;
	lens_set_metric(to, from->metric);
	to->why = from->why ? pattern_ref(from->why) : NULL;
	to->entries.at = NULL;
	to->entries.n = to->entries.cap = 0;
	for (size_t i = 0; i < from->entries.n; i++) {
		struct entry e = from->entries.at[i];
		e.pattern = pattern_ref(e.pattern);
		*vec_push(&to->entries) = e;
	}
}

void
lens_release(struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		pattern_unref(l->entries.at[i].pattern);
	vec_release(&l->entries);
	pattern_unref(l->why);
	free(l->metric);
	lens_init(l);
}

static bool
entry_equal(const struct entry *a, const struct entry *b)
{
	return a->verb == b->verb && a->off == b->off &&
	       !strcmp(pattern_text(a->pattern), pattern_text(b->pattern));
}

static bool
entries_equal(const struct lens *a, const struct lens *b, bool tracks_too)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (!tracks_too && i < a->entries.n && a->entries.at[i].verb == VERB_TRACK)
			i++;
		while (!tracks_too && k < b->entries.n && b->entries.at[k].verb == VERB_TRACK)
			k++;
		if (i == a->entries.n || k == b->entries.n)
			return i == a->entries.n && k == b->entries.n;
		if (!entry_equal(&a->entries.at[i++], &b->entries.at[k++]))
			return false;
	}
}

static bool
same_why(const struct lens *a, const struct lens *b)
{
	return a->why && b->why ? !strcmp(pattern_text(a->why), pattern_text(b->why))
				: a->why == b->why;
}

bool
lens_same_shape(const struct lens *a, const struct lens *b)
{
	return a->by == b->by && a->merged == b->merged && a->invert == b->invert &&
	       same_why(a, b) && entries_equal(a, b, false);
}

bool
lens_equal(const struct lens *a, const struct lens *b)
{
	if (!a->metric != !b->metric || (a->metric && strcmp(a->metric, b->metric)))
		return false;
	return moment_equal(a->from, b->from) && moment_equal(a->to, b->to) &&
	       a->by == b->by && a->merged == b->merged && a->invert == b->invert &&
	       same_why(a, b) && entries_equal(a, b, true);
}

bool
lens_set_why(struct lens *l, const char *pattern, struct err *e)
{
	struct pattern *why = pattern ? pattern_new(pattern, strlen(pattern), e) : NULL;

	if (pattern && !why)
		return false;
	pattern_unref(l->why);
	l->why = why;
	return true;
}

void
lens_set_metric(struct lens *l, const char *name)
{
	char *copy = name ? mem_dup(name, strlen(name)) : NULL;

	free(l->metric);
	l->metric = copy;
}

/* ---- entries ---- */

/* Entries about labels have a syntax of their own (labelterm.h). */
static struct pattern *
verb_pattern(enum verb verb, const char *text, size_t len, struct err *e)
{
	if (verb == VERB_WHERE)
		return label_term_check(text, len, e) ? pattern_new_text(text, len) : NULL;
	if (verb == VERB_LABEL)
		return label_key_check(text, len, e) ? pattern_new_text(text, len) : NULL;
	return pattern_new(text, len, e);
}

bool
lens_add(struct lens *l, enum verb verb, const char *pattern, size_t len, struct err *e)
{
	struct pattern *p = verb_pattern(verb, pattern, len, e);

	if (!p)
		return false;
	*vec_push(&l->entries) = (struct entry){.verb = verb, .pattern = p};
	return true;
}

void
lens_remove(struct lens *l, size_t i)
{
	pattern_unref(l->entries.at[i].pattern);
	memmove(&l->entries.at[i], &l->entries.at[i + 1],
		(l->entries.n - i - 1) * sizeof *l->entries.at);
	l->entries.n--;
}

void
lens_move(struct lens *l, size_t from, size_t to)
{
	struct entry e = l->entries.at[from];

	if (from < to)
		memmove(&l->entries.at[from], &l->entries.at[from + 1], (to - from) * sizeof e);
	else
		memmove(&l->entries.at[to + 1], &l->entries.at[to], (from - to) * sizeof e);
	l->entries.at[to] = e;
}

/* ---- the base of a comparison ---- */

void
lens_base_tracks(struct lens *kept, const struct lens *l)
{
	for (size_t i = kept->entries.n; i-- > 0;)
		if (kept->entries.at[i].verb == VERB_TRACK)
			lens_remove(kept, i);
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		const char *text = pattern_text(e->pattern);
		struct err none;
		err_init(&none); /* it compiled before */
		if (e->verb == VERB_TRACK && !e->off)
			lens_add(kept, VERB_TRACK, text, strlen(text), &none);
	}
}

void
lens_base(const struct lens *kept, const struct lens *l, struct lens *out)
{
	lens_copy(out, l);
	out->from = kept->from;
	out->to = kept->to;
	lens_base_tracks(out, kept);
}

/* ---- against a profile ---- */

metric_id
lens_metric(const struct lens *l, const struct profile *p, struct err *e)
{
	metric_id m;
	struct buf known = BUF_INIT;

	if (!l->metric)
		return profile_default_metric(p);
	struct nearest near = nearest_of(l->metric);
	m = profile_metric(p, l->metric, strlen(l->metric));
	if (m != METRIC_NONE)
		return m;
	for (metric_id i = 0; i < p->n_metrics; i++)
		if (profile_metric_shown(p, i)) {
			buf_adds(&known, known.len ? ", " : "");
			profile_show_name(p, p->metric[i].name, &known);
			nearest_try(&near, names_get(&p->names, p->metric[i].name).at);
		}
	nearest_say(&near, &known);
	err_usage(e, "no metric '%s': choose from %s", l->metric,
		  known.len ? buf_str(&known) : "none");
	buf_release(&known);
	return METRIC_NONE;
}

struct span {
	bool has_time;
	enum unit axis;
	int64_t length;
};

/* Returns the span of the longest group; moments count from the first event of each group. */
static struct span
profile_span(const struct profile *p)
{
	struct span s = {.axis = UNIT_NS};

	for (uint32_t g = 0; g < p->n_groups; g++) {
		if (!p->group[g].has_time)
			continue;
		int64_t length = difference_clipped(p->group[g].end, p->group[g].start);
		if (!s.has_time || length > s.length) {
			s.length = length;
			s.axis = (enum unit)p->group[g].axis;
		}
		s.has_time = true;
	}
	return s;
}

int64_t
lens_run(const struct profile *p)
{
	return profile_span(p).length;
}

/* Computes the distance of a moment from the first event, or from the last. */
static bool
moment_distance(struct moment m, const struct span *span, int64_t *out, struct err *e)
{
	if (m.kind == MOMENT_NS && span->axis != UNIT_NS)
		return err_usage(e, "this profile has no clock: its axis counts %s, give a bare "
				    "number", unit_name(span->axis));
	if (m.kind == MOMENT_ORDINAL && span->axis == UNIT_NS && m.value)
		return err_usage(e, "a time needs a unit: ns, us, ms, s, min or %%");
	*out = m.value;
	if (m.kind == MOMENT_PERCENT)
		/* 100 % includes everything: the last event lies at the very end */
		*out = m.value >= 1000000000
			       ? INT64_MAX
			       : wide_ratio(span->length, m.value, 1000000000);
	return true;
}

static bool
moment_resolve(struct moment m, const struct span *span, int64_t open, int64_t *out,
	       struct err *e)
{
	*out = open;
	if (m.kind == MOMENT_OPEN)
		return true;
	if (!moment_distance(m, span, out, e))
		return false;
	if (m.back)
		*out = *out < span->length ? span->length - *out : 0;
	return true;
}

bool
lens_range(const struct lens *l, const struct profile *p, int64_t *from, int64_t *to,
	   bool *whole, struct err *e)
{
	struct span span = profile_span(p);

	*whole = l->from.kind == MOMENT_OPEN && l->to.kind == MOMENT_OPEN;
	if (!*whole && !span.has_time)
		return err_usage(e, "this profile has no time, so no ranges");
	if (!moment_resolve(l->from, &span, 0, from, e) ||
	    !moment_resolve(l->to, &span, INT64_MAX, to, e))
		return false;
	/* only as an end 100 % includes the last event */
	if (l->from.kind == MOMENT_PERCENT && *from > span.length)
		*from = wide_ratio(span.length, l->from.value, 1000000000);
	return true;
}

bool
lens_length(struct moment m, const struct profile *p, int64_t *out, struct err *e)
{
	struct span span = profile_span(p);

	if (m.back)
		return err_usage(e, "a duration cannot be negative");
	return moment_resolve(m, &span, -1, out, e);
}

/* Returns true if the pattern matches the own name of a track, or that of its process. */
static bool
matches_track(struct pattern *x, const struct profile *p, name_id name, process_id under)
{
	return pattern_matches_name(x, &p->names, name) ||
	       (under != PROCESS_NONE &&
		pattern_matches_name(x, &p->names, p->process[under].name));
}

ORDERED_NUMBERS(by_id, name_id)

/* The `track` entries of a lens: exact names, and other patterns. */
struct track_wish {
	VEC(name_id) names; /* sorted */
	VEC(const struct entry *) others;
	bool asked;
	bool beside; /* leaves out programs beside the command */
};

static void
wish_init(struct track_wish *w, const struct lens *l, const struct profile *p)
{
	*w = (struct track_wish){.beside = profile_tracks_outside(p) > 0};
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		const char *at;
		size_t len;
		if (e->verb != VERB_TRACK || e->off)
			continue;
		w->asked = true;
		if (pattern_negated(e->pattern) || !pattern_is_exact(e->pattern, &at, &len)) {
			*vec_push(&w->others) = e;
			continue;
		}
		name_id name = names_find(&p->names, at, len);
		if (name != UINT32_MAX)
			*vec_push(&w->names) = name;
	}
	if (w->names.n)
		qsort(w->names.at, w->names.n, sizeof *w->names.at, by_id);
}

static bool
is_named(const struct track_wish *w, name_id name)
{
	return w->names.n &&
	       bsearch(&name, w->names.at, w->names.n, sizeof *w->names.at, by_id);
}

static bool
is_wished(const struct track_wish *w, const struct profile *p, name_id name, process_id under)
{
	if (!w->asked)
		return !w->beside || under == PROCESS_NONE || !p->process[under].outside;
	if (is_named(w, name) ||
	    (under != PROCESS_NONE && is_named(w, p->process[under].name)))
		return true;
	for (size_t i = 0; i < w->others.n; i++) {
		struct pattern *x = w->others.at[i]->pattern;
		if (matches_track(x, p, name, under) != pattern_negated(x))
			return true;
	}
	return false;
}

bool
lens_has_tracks(const struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (l->entries.at[i].verb == VERB_TRACK && !l->entries.at[i].off)
			return true;
	return false;
}

bool
lens_track_unmatched(const struct lens *l, size_t i, const struct profile *p)
{
	struct pattern *x = l->entries.at[i].pattern;

	if (l->entries.at[i].verb != VERB_TRACK || l->entries.at[i].off)
		return false;
	for (track_id t = 0; t < p->n_tracks; t++)
		if (matches_track(x, p, p->track[t].name, p->track[t].under) !=
		    pattern_negated(x))
			return false;
	for (actor_id a = 0; a < p->n_actors; a++)
		if (matches_track(x, p, p->actor[a].name, p->actor[a].under) != pattern_negated(x))
			return false;
	return true;
}

uint8_t *
lens_tracks(const struct lens *l, const struct profile *p)
{
	uint8_t *keep = mem_alloc((size_t)p->n_tracks + 1, 1);
	struct track_wish w;

	wish_init(&w, l, p);
	for (track_id t = 0; t < p->n_tracks; t++)
		keep[t] = is_wished(&w, p, p->track[t].name, p->track[t].under);
	keep[p->n_tracks] = 0;
	vec_release(&w.names);
	vec_release(&w.others);
	return keep;
}

uint8_t *
lens_actors(const struct lens *l, const struct profile *p)
{
	uint8_t *keep = mem_alloc((size_t)p->n_actors + 1, 1);
	struct track_wish w;

	wish_init(&w, l, p);
	for (actor_id i = 0; i < p->n_actors; i++) {
		const struct actor *a = &p->actor[i];
		const struct track *t = a->track == TRACK_NONE ? NULL : &p->track[a->track];
		keep[i] = is_wished(&w, p, t ? t->name : a->name, t ? t->under : a->under);
	}
	keep[p->n_actors] = 0;
	vec_release(&w.names);
	vec_release(&w.others);
	return keep;
}
