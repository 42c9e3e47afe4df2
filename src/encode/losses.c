#include "src/encode/losses.h"

#include <limits.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "src/encode/shown_actors.h"

/* A reader of the written file cannot know what it lacks.  Each loss is looked up in the
 * exported part, so there is no warning about times that never existed. */

/* Properties of the shown functions, as bits. */
enum {
	HAS_MODULE = 1u,
	HAS_FILE = 2u,
	HAS_DEFINED = 4u,
	/* a kind that a reader would not guess from the name, and neither from a module such as
	 * [kernel.kallsyms] */
	HAS_KIND = 8u,
	HAS_KIND_ELSE = 16u,
};

static unsigned
frame_has(const struct shown *s, const struct shown_frame *f)
{
	struct name name = names_get(&s->p->names, f->name);
	struct name module = names_get(&s->p->names, f->module);
	unsigned has = 0;

	has |= f->module != NAME_EMPTY ? HAS_MODULE : 0;
	has |= f->file != NAME_EMPTY ? HAS_FILE : 0;
	has |= f->defined ? HAS_DEFINED : 0;
	if (f->is_function && f->kind != kind_of_name(name.at, name.len)) {
		has |= HAS_KIND;
		has |= !module.len || module.at[0] != '[' ? HAS_KIND_ELSE : 0;
	}
	return has;
}

static unsigned
functions_have(const struct shown *s)
{
	const struct projection *t = s->tree;
	uint8_t *seen = mem_zalloc((size_t)t->n_keys + 1, 1);
	unsigned has = 0;

	for (node_id v = 1; v < t->n; v++) {
		if (seen[t->key[v]])
			continue;
		seen[t->key[v]] = 1;
		struct shown_frame f = shown_frame(s, t->key[v]);
		has |= frame_has(s, &f);
	}
	free(seen);
	return has;
}

static bool
has_other_axis(const struct shown *s)
{
	for (size_t i = 0; i < s->track.n; i++)
		if (s->p->group[s->p->track[s->track.at[i]].group].axis != UNIT_NS)
			return true;
	return false;
}

static bool
has_other_kinds(const struct shown *s)
{
	for (size_t i = 0; i < s->track.n; i++)
		if (s->p->track[s->track.at[i]].kind != TRACK_THREAD)
			return true;
	return false;
}

/* True if some thread has states, or if there are edges of other kinds than wake-ups. */
static bool
losses_has_actors(const struct shown *s, bool states)
{
	struct shown_actors a;
	struct shown_state state;
	struct shown_edge edge;
	bool has = false;

	shown_actors_open(&a, s);
	if (states)
		has = shown_actors_state(&a, &state);
	else
		while (!has && shown_actors_edge(&a, &edge))
			has = edge.kind != EDGE_WAKE;
	shown_actors_close(&a);
	return has;
}

static bool
has_long_paths(const struct shown *s)
{
	const node_id *parent = s->tree->parent;

	for (node_id v = 1; v < s->tree->n; v++)
		if (parent[v] != NODE_ROOT && parent[parent[v]] != NODE_ROOT)
			return true;
	return false;
}

/* True if slices have values beside them, such as designators. */
static bool
has_slice_values(const struct shown *s)
{
	for (size_t i = 0; i < s->track.n; i++) {
		const struct track *t = &s->p->track[s->track.at[i]];
		for (uint32_t k = 0; k < t->n_series; k++)
			if (t->series[k]->valued && t->series[k]->n)
				return true;
	}
	return false;
}

static bool
has_labels(const struct shown *s)
{
	for (size_t i = 0; i < s->track.n; i++) {
		const struct track *t = &s->p->track[s->track.at[i]];
		for (uint32_t k = 0; k < t->n_series; k++)
			if (t->series[k]->labelled && t->series[k]->n)
				return true;
	}
	return false;
}

/* True if the metric has values that are not written. */
static bool
lacks_metric(const struct shown *s, metric_id m)
{
	for (size_t i = 0; i < s->metric.n; i++)
		if (s->metric.at[i] == m)
			return false;
	return profile_metric_shown(s->p, m) && !s->p->metric[m].computed &&
	       shown_has_metric(s, m);
}

/* Calls and samples are said apart. */
static bool
lacks_other_metrics(const struct shown *s)
{
	for (metric_id m = 0; m < s->p->n_metrics; m++)
		if (m != s->p->calls_metric && m != s->p->events_metric && lacks_metric(s, m))
			return true;
	return false;
}

static bool
counts_calls(const struct shown *s)
{
	for (size_t i = 0; i < s->track.n; i++)
		if (shown_has_calls(s, s->track.at[i], UINT_MAX))
			return true;
	return false;
}

/* True if a flat report contains inclusive costs, which no path shows. */
static bool
has_flat_totals(const struct shown *s)
{
	const struct callrows *c = &s->p->recorded;

	for (node_id v = 1; v < s->tree->n; v++)
		if (s->tree->parent[v] != NODE_ROOT)
			return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].has & CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL) &&
		    s->fold->tracks[c->at[i].track])
			return true;
	return false;
}

static bool
losses_is_shown(const struct shown *s, unsigned functions, enum loss_bit loss)
{
	switch (loss) {
	case LOSS_BIT_TIME:
		return s->has_time;
	case LOSS_BIT_AXIS:
		return s->has_time && has_other_axis(s);
	case LOSS_BIT_NO_TIME:
		return !s->has_time && s->track.n;
	case LOSS_BIT_PATHS:
		return has_long_paths(s);
	case LOSS_BIT_TRACKS:
		return s->track.n > 1;
	case LOSS_BIT_KINDS:
		return has_other_kinds(s);
	case LOSS_BIT_CALLS:
		return counts_calls(s);
	case LOSS_BIT_MODULES:
		return functions & HAS_MODULE;
	case LOSS_BIT_LINES:
		return s->p->has_lines || functions & HAS_FILE;
	case LOSS_BIT_DEFINED:
		return functions & HAS_DEFINED;
	case LOSS_BIT_RAN:
		return s->p->has_lines && !projection_has_frames(s->tree);
	case LOSS_BIT_LABELS:
		return has_labels(s);
	case LOSS_BIT_POINTS:
		return shown_has_points(s);
	case LOSS_BIT_STATES:
		return losses_has_actors(s, true);
	case LOSS_BIT_FLOWS:
		return losses_has_actors(s, false);
	case LOSS_BIT_SAMPLES:
		return lacks_metric(s, s->p->events_metric);
	case LOSS_BIT_METRICS:
		return lacks_other_metrics(s);
	case LOSS_BIT_TOTALS:
		return has_flat_totals(s);
	case LOSS_BIT_VALUES:
		return has_slice_values(s);
	case LOSS_BIT_SYSTEM:
		return functions & HAS_KIND;
	case LOSS_BIT_SYSTEM_ELSE:
		return functions & HAS_KIND_ELSE;
	}
	return false;
}

/* Appends how many totals of the stacks differ from those that the file states, and the largest
 * difference. */
static void
add_differing(const struct shown *s, const struct fold *f, struct buf *out)
{
	const struct projection *t = f->tree;
	const struct metric *m = &s->p->metric[f->metric];
	int64_t *total = mem_zalloc((size_t)t->n_keys + 1, sizeof *total), self = 0;
	uint64_t most = 0;
	key_id worst = KEY_NONE;
	uint32_t n = 0;

	for (node_id i = 1; i < t->n; i++)
		numbers_add(&f->now, t, i, &self, &total[t->key[i]]);
	for (key_id k = 0; k < t->n_keys; k++) {
		int64_t stated = total[k], none;
		fold_take_stated(f, k, &stated, &none);
		uint64_t by = stated > total[k] ? (uint64_t)stated - (uint64_t)total[k]
						: (uint64_t)total[k] - (uint64_t)stated;
		n += by != 0;
		if (by > most) {
			most = by;
			worst = k;
		}
	}
	if (worst != KEY_NONE) {
		int64_t stated = total[worst], none;
		fold_take_stated(f, worst, &stated, &none);
		buf_addf(out, ": totals of %u function%s differ from those of the file, ", n,
			 n == 1 ? "" : "s");
		buf_adds(out, "most that of ");
		profile_show_name(s->p, projection_key_name(t, s->p, worst), out);
		buf_adds(out, ", ");
		human_value(out, total[worst], m);
		buf_adds(out, " in place of ");
		human_value(out, stated, m);
	}
	free(total);
}

static void
warn_estimated(const struct shown *s)
{
	struct buf text = BUF_INIT;
	struct lens lens;
	struct err none;

	err_init(&none);
	lens_copy(&lens, s->job->lens);
	lens.by = BY_FUNCTION; /* files state totals of functions */
	struct fold *f = fold_beside(s->job->fold, s->p, &lens);
	buf_adds(&text, "its stacks are " FOLD_ESTIMATED);
	if (fold_update(f, s->p, &lens, NULL, &none) && f->stated)
		add_differing(s, f, &text);
	encode_warn(s->job, buf_str(&text));
	buf_release(&text);
	fold_free(f);
	lens_release(&lens);
}

void
losses_warn(const struct shown *s, unsigned loses)
{
	static const char *const texts[] = {
#define LOSS_TEXT(name, text) [LOSS_BIT_##name] = text,
		LOSSES(LOSS_TEXT)
#undef LOSS_TEXT
	};
	struct buf text = BUF_INIT;
	unsigned functions = functions_have(s);

	/* only stacks and points are written here */
	loses |= LOSES_TOTALS | LOSES_STATES;
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (loses & 1u << i && losses_is_shown(s, functions, (enum loss_bit)i))
			buf_addf(&text, "%s%s", text.len ? ", " : "the format does not carry: ",
				 texts[i]);
	if (text.len)
		encode_warn(s->job, buf_str(&text));
	if (s->fold->estimated)
		warn_estimated(s);
	buf_release(&text);
}
