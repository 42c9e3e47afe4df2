/* labelsum.c - see labelsum.h.
 *
 * Numbers are collected per set of labels, since there are few sets, and added to the labels of
 * each set at the end. An event counts as in a tally: a duration is cut at the ends of the
 * range, and hidden events are skipped. The test compares the result with the numbers of --label
 * KEY. */
#include "model/fold/labelsum.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/tracks.h"

struct labelsum_maker {
	const struct profile *p;
	const struct fold *f;
	node_id top;
	const uint8_t *below; /* [node - top] 1: it counts; NULL: all nodes do */
	struct pace *pace;
	struct slice side; /* what is being added: the new side, or the base */
	uint64_t *events;  /* [set] */
	int64_t *self;     /* [set] of the side, */
	int64_t *base_self; /* [set] and of the base */
};

struct labelsum_part {
	const struct series *s;
	int metric;
	int64_t unit;
	int64_t from, to; /* of the range, on the clock of the file */
};

static bool
labelsum_is_shown(const struct labelsum_maker *m, stack_id stack)
{
	const struct projection *t = m->f->tree;
	bool calls = m->f->metric == m->p->calls_metric;

	if (stack >= t->n_stacks)
		return false;
	node_id node = (calls ? t->call_of : t->node_of)[stack];
	if (node == NODE_NONE || !m->below)
		return node != NODE_NONE;
	return node >= m->top && m->below[node - m->top];
}

/* Returns how long the part of [from, to) in the range lasts for the metric. */
static int64_t
overlap(const struct labelsum_part *x, bool whole, int64_t from, int64_t to)
{
	if (!whole) {
		from = from > x->from ? from : x->from;
		to = to < x->to ? to : x->to;
	}
	return to > from ? series_lasts(x->s, (unsigned)x->metric, from, to) : 0;
}

static void
add_event(struct labelsum_maker *m, const struct labelsum_part *x, const struct chunk *c,
	  uint32_t i, int64_t end)
{
	const struct series *s = x->s;
	int64_t time = column_get(&c->time, i);
	labels_id set = (labels_id)column_get(&c->labels, i);
	bool points = s->kind == SERIES_POINTS, timeless = s->kind == SERIES_TOTALS;
	bool begins = m->side.whole || (!timeless && time >= x->from && time < x->to);
	uint32_t stack = points ? 0 : chunk_stack(c, i);

	if (set == LABELS_NONE ||
	    (points ? m->below != NULL : !labelsum_is_shown(m, stack & STEP_STACK)))
		return;
	m->events[set] += begins && (s->kind != SERIES_STEPS || !m->p->has_call_edges ||
				     stack & STEP_CALL);
	if (x->metric < 0)
		return;
	enum metric_role role = (enum metric_role)s->role[x->metric];
	if (role_lasts(role))
		m->self[set] += x->unit * overlap(x, m->side.whole, time, end);
	else if (begins)
		m->self[set] += x->unit *
				role_adds(role,
					  role == ROLE_VALUE
						  ? series_number(s, c, i, (unsigned)x->metric)
						  : 0,
					  0, stack);
}

static void
labelsum_add_series(struct labelsum_maker *m, const struct series *s)
{
	const struct profile *p = m->p;
	int64_t origin = p->group[p->track[s->track].group].start;
	struct labelsum_part x = {
		.s = s,
		.metric = series_metric(s, m->f->metric),
		.unit = 1,
		.from = sum_clipped(origin, m->side.from),
		.to = sum_clipped(origin, m->side.to),
	};

	if (!m->side.whole && s->sorted && s->kind == SERIES_SAMPLES && s->end_time < x.from)
		return;
	if (x.metric >= 0)
		x.unit = profile_metric_unit(p, s, (unsigned)x.metric);
	for (uint32_t k = 0; k < s->n_chunks && pace_on(m->pace, s->chunk[k].n); k++) {
		const struct chunk *c = &s->chunk[k];
		for (uint32_t i = 0; i < c->n; i++)
			add_event(m, &x, c, i,
				  s->kind != SERIES_STEPS ? 0
				  : i + 1 < c->n	   ? column_get(&c->time, i + 1)
							   : chunk_end(s, c));
	}
}

/* ---- rows ---- */

static int
compare_names(const struct profile *p, name_id a, name_id b)
{
	return strcmp(names_get(&p->names, a).at, names_get(&p->names, b).at);
}

struct labelsum_order {
	const struct profile *p;
};

static int
labelsum_compare_rows(const void *a, const void *b, void *context)
{
	const struct profile *p = ((const struct labelsum_order *)context)->p;
	const struct label_row *x = a, *y = b;
	const struct label *k = &p->labels.label[x->label], *l = &p->labels.label[y->label];
	int order = compare_names(p, k->key, l->key);

	if (order)
		return order;
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (k->is_number != l->is_number)
		return k->is_number ? -1 : 1;
	if (k->is_number && k->number != l->number)
		return k->number < l->number ? -1 : 1;
	return compare_names(p, k->is_number ? k->unit : k->text,
			     l->is_number ? l->unit : l->text);
}

static void
take_rows(const struct labelsum_maker *m, struct labelsum *out)
{
	const struct labels *t = &m->p->labels;
	struct label_row *row = mem_zalloc((size_t)t->n_labels + 1, sizeof *row);
	struct labelsum_order order = {m->p};

	for (labels_id set = 1; set < t->n_sets; set++) {
		uint32_t n;
		const label_id *id = labels_get(t, set, &n);
		for (uint32_t i = 0; i < n; i++) {
			row[id[i]].events += m->events[set];
			row[id[i]].self += m->self[set];
			row[id[i]].base_self += m->base_self[set];
		}
	}
	for (label_id i = 0; i < t->n_labels; i++) {
		row[i].label = i;
		if (row[i].events || row[i].self || row[i].base_self)
			row[out->n++] = row[i];
	}
	if (out->n > 1)
		qsort_r(row, out->n, sizeof *row, labelsum_compare_rows, &order);
	out->at = row;
}

/* Adds the events of a side. */
static void
labelsum_add_side(struct labelsum_maker *m, bool base)
{
	const struct fold *f = m->f;

	m->side = fold_side(f, base);
	for (track_id t = 0; t < f->n_chosen && t < m->p->n_tracks; t++)
		for (uint32_t i = 0; m->side.tracks[t] && i < m->p->track[t].n_series; i++)
			if (m->p->track[t].series[i]->labelled)
				labelsum_add_series(m, m->p->track[t].series[i]);
}

static void
labelsum_fill(struct labelsum_maker m, struct labelsum *out)
{
	const struct profile *p = m.p;
	uint64_t *events = mem_zalloc(p->labels.n_sets, sizeof *events);

	*out = (struct labelsum){.n = 0};
	m.base_self = m.self = mem_zalloc(p->labels.n_sets, sizeof *m.self);
	m.events = events;
	if (m.f->compares) { /* the events of the base do not count */
		m.events = mem_zalloc(p->labels.n_sets, sizeof *m.events);
		labelsum_add_side(&m, true);
		free(m.events);
		m.self = mem_zalloc(p->labels.n_sets, sizeof *m.self);
	} else {
		m.base_self = mem_zalloc(p->labels.n_sets, sizeof *m.self);
	}
	m.events = events;
	labelsum_add_side(&m, false);
	if (!pace_gives_up(m.pace))
		take_rows(&m, out);
	free(events);
	free(m.self);
	free(m.base_self);
}

void
labelsum_make(const struct profile *p, const struct fold *f, struct pace *pace,
	      struct labelsum *out)
{
	labelsum_fill((struct labelsum_maker){.p = p, .f = f, .pace = pace}, out);
}

void
labelsum_below(const struct profile *p, const struct fold *f, node_id top, const uint8_t *below,
	       struct pace *pace, struct labelsum *out)
{
	labelsum_fill(
		(struct labelsum_maker){.p = p, .f = f, .top = top, .below = below, .pace = pace},
		out);
}

void
labelsum_release(struct labelsum *s)
{
	free(s->at);
	*s = (struct labelsum){.n = 0};
}
