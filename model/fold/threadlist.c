#include "model/fold/threadlist.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/profile/tracks.h"

#define NS_PER_MS 1000000

struct threadlist_maker {
	const struct profile *p;
	const struct fold *f;
	name_id state, waits_for, waited; /* keys */
	name_id running;                  /* a value of `state` */
	struct threadlist_row row;
	bool any; /* the row is set */
};

static void
threadlist_take(struct threadlist_maker *m, const struct chunk *c, uint32_t i)
{
	const struct labels *t = &m->p->labels;
	labels_id set = (labels_id)column_get(&c->labels, i);
	int64_t time = column_get(&c->time, i);
	struct label label;

	if ((m->any && time < m->row.time) || set == LABELS_NONE ||
	    !labels_find(t, set, m->state, &label) || label.is_number)
		return;
	m->any = true;
	m->row.time = time;
	m->row.stack = chunk_stack(c, i);
	m->row.state = label.text;
	m->row.runs = label.text == m->running;
	m->row.waits_for = NAME_EMPTY;
	m->row.waited_ns = -1;
	if (labels_find(t, set, m->waits_for, &label) && !label.is_number)
		m->row.waits_for = label.text;
	if (labels_find(t, set, m->waited, &label) && label.is_number && label.number >= 0 &&
	    label.number <= INT64_MAX / NS_PER_MS)
		m->row.waited_ns = label.number * NS_PER_MS;
}

static void
threadlist_series(struct threadlist_maker *m, const struct series *s, struct pace *pace)
{
	int64_t origin = m->p->group[m->p->track[s->track].group].start;
	int64_t from = sum_clipped(origin, m->f->from), to = sum_clipped(origin, m->f->to);

	for (uint32_t k = 0; k < s->n_chunks && pace_on(pace, s->chunk[k].n); k++)
		for (uint32_t i = 0; i < s->chunk[k].n; i++) {
			int64_t time = column_get(&s->chunk[k].time, i);
			if (m->f->whole || (time >= from && time < to))
				threadlist_take(m, &s->chunk[k], i);
		}
}

static int
threadlist_compare(const void *a, const void *b)
{
	const struct threadlist_row *x = a, *y = b;

	if (x->runs != y->runs)
		return x->runs ? -1 : 1;
	if (x->waited_ns != y->waited_ns)
		return x->waited_ns > y->waited_ns ? -1 : 1;
	return x->track < y->track ? -1 : x->track > y->track;
}

static name_id
threadlist_key(const struct profile *p, const char *key)
{
	return names_find(&p->names, key, strlen(key));
}

bool
threadlist_make(const struct profile *p, const struct fold *f, struct pace *pace,
		struct threadlist *out)
{
	struct threadlist_maker m = {.p = p, .f = f};

	m.state = threadlist_key(p, "state");
	m.running = threadlist_key(p, "running");
	m.waits_for = threadlist_key(p, "waits_for");
	m.waited = threadlist_key(p, "waited_ms");
	for (track_id t = 0; t < p->n_tracks; t++) {
		m.any = false;
		m.row.track = t;
		for (uint32_t i = 0; fold_has_track(f, t) && i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			if (s->labelled && s->kind == SERIES_SAMPLES)
				threadlist_series(&m, s, pace);
		}
		if (m.any)
			*vec_push(&out->row) = m.row;
	}
	if (out->row.n)
		qsort(out->row.at, out->row.n, sizeof *out->row.at, threadlist_compare);
	return out->row.n > 0;
}

void
threadlist_release(struct threadlist *t)
{
	vec_release(&t->row);
}
