/* cast_inorder.c - writes the slices of a track from its log of begins and ends.
 *
 * An end ends the innermost slice, so an edge is a step, unless others have the same time: a slice
 * that begins when an earlier one ends is no call of it, whichever edge comes first, and a slice of
 * length 0 calls nothing. So the edges of one time are written together, in the order in which
 * slices.c writes slices that it has collected. */
#include "src/decode/common/cast_inorder.h"

/* An edge of the log, or the end of a slice that has none. */
struct inorder_edge {
	struct logged_edge of;
	bool cut;   /* such an end */
	bool empty; /* a begin whose slice ends at the same time */
};

struct inorder {
	struct cast *c;
	struct cast_track *t;
	struct slicer *w;
	struct edgelog_reader reader;
	bool last;
	uint64_t begun;
	size_t left, met; /* slices without an end: not yet ended; begun */
	VEC(struct inorder_edge) edge; /* all of one time, if there are several */
	VEC(size_t) open; /* begins among them that have not ended */
	struct err *e;
};

/* Reads the next edge; returns false after the last. Slices that are still open then end with the
 * track. */
static inline bool
inorder_read(struct inorder *m, struct inorder_edge *out)
{
	const struct edgelog *log = &m->t->edges.log;

	out->cut = out->empty = false;
	while (edgelog_next(&m->reader, &out->of)) {
		if (out->of.kind == LOGGED_LONE)
			continue;
		if (m->met < log->open.n && out->of.kind == LOGGED_BEGIN &&
		    log->open.at[m->met].begin == m->begun++)
			out->of.labels = log->open.at[m->met++].labels;
		return true;
	}
	if (!m->left)
		return false;
	m->left--;
	out->of = (struct logged_edge){.time_ns = m->t->last, .kind = LOGGED_END};
	out->cut = true;
	return true;
}

static inline bool
edge_write(struct inorder *m, const struct inorder_edge *x)
{
	uint64_t tick = slices_tick(x->of.time_ns);

	return x->of.kind == LOGGED_BEGIN
		       ? slices_inorder_begin(m->w, tick, x->of.number, x->of.labels, m->e)
		       : slices_inorder_end(m->w, tick, x->cut, m->e);
}

/* Writes the edges of one time: the ends of earlier slices, then those that begin. */
static bool
together_write(struct inorder *m)
{
	bool good = true;

	for (size_t i = 0; good && i < m->edge.n; i++) {
		struct inorder_edge *x = &m->edge.at[i];
		if (x->of.kind == LOGGED_BEGIN) {
			*vec_push(&m->open) = i;
		} else if (m->open.n) {
			struct inorder_edge *begin = &m->edge.at[m->open.at[--m->open.n]];
			begin->empty = true;
			begin->cut = x->cut;
		} else {
			good = edge_write(m, x);
		}
	}
	m->open.n = 0;
	for (size_t i = 0; good && i < m->edge.n; i++) {
		struct inorder_edge *x = &m->edge.at[i];
		if (x->of.kind != LOGGED_BEGIN)
			continue;
		good = edge_write(m, x) &&
		       (!x->empty || slices_inorder_end(m->w, slices_tick(x->of.time_ns), x->cut,
							m->e));
	}
	return good;
}

/* Gives the slices without an end their label. */
static void
unfinished_label(struct inorder *m)
{
	struct edgelog *log = &m->t->edges.log;

	for (size_t i = 0; m->last && m->c->labelled && i < log->open.n; i++)
		log->open.at[i].labels = slices_unfinished_labels(log->open.at[i].labels, m->c->b);
}

/* Returns the time of all outermost slices; -1 if it exceeds 2^63 ns. */
static int64_t
inorder_ns(const struct cast_track *t)
{
	const struct edgelog *log = &t->edges.log;
	int64_t more = 0;

	if (log->open.n && __builtin_sub_overflow(t->last, log->open.at[0].start_ns, &more))
		return -1;
	return __builtin_add_overflow(more, log->outer_ns, &more) ? -1 : more;
}

bool
cast_inorder_fits(const struct cast_track *t, int64_t spent)
{
	int64_t ns = inorder_ns(t);

	return (t->nesting == CAST_NESTED || t->nesting == CAST_NAMES) && ns >= 0 &&
	       ns <= INT64_MAX - spent;
}

bool
cast_inorder_write(struct cast *c, struct cast_track *t, struct slices_out *o,
		   const struct slices_track *track, bool last, struct err *e)
{
	struct edgelog *log = &t->edges.log;
	struct inorder m = {.c = c, .t = t, .last = last, .left = log->open.n, .e = e};
	bool good = true;

	for (uint64_t i = 0; last && i < log->lone; i++)
		builder_warn(c->b, "ends without a begin, ignored");
	unfinished_label(&m);
	m.w = slices_inorder(o, track, log->n);
	edgelog_read(&m.reader, log, last);
	struct inorder_edge one, other, *x = &one, *next = &other; /* read ahead */
	bool more = inorder_read(&m, x);
	while (good && more) {
		more = inorder_read(&m, next);
		if (!more || next->of.time_ns != x->of.time_ns) {
			good = edge_write(&m, x);
		} else {
			m.edge.n = 0;
			*vec_push(&m.edge) = *x;
			for (; more && next->of.time_ns == x->of.time_ns;
			     more = inorder_read(&m, next))
				*vec_push(&m.edge) = *next;
			good = together_write(&m);
		}
		struct inorder_edge *swap = x;
		x = next;
		next = swap;
	}
	slices_inorder_free(m.w);
	o->spent += inorder_ns(t);
	if (last)
		edgelog_release(log);
	vec_release_all(&m.edge, &m.open);
	return good;
}
