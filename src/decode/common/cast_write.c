/* cast_write.c - matches begins and ends, and writes slices.
 *
 * All readers agree on an end without a name, or with the name of the innermost slice: it ends
 * the innermost slice.  They disagree on an end with the name of an outer slice: speedscope
 * ignores it, catapult ends the innermost slice.  Here each end ends a slice of its own name,
 * and the inner slices stay open until their own ends.  So both intervals are those of the
 * file, and the one that overlaps gets a lane.
 *
 * Asyncs are matched by their keys, and those of one kind share a track.
 *
 * While the input waits for more data, a copy of everything so far is matched and written in
 * the same way, because later data may change all of it. */
#include "src/decode/common/cast.h"

#include <stdlib.h>

#include "src/decode/common/by_time.h"
#include "src/decode/common/cast_inorder.h"

struct cast_writing {
	struct cast *c;
	struct slices_out out;
	bool last;
	struct err *e;
};

/* ---- begins and ends ---- */

#define TAKEN (CAST_NONE - 1) /* a begin that an earlier end has ended */
#define LOOK_AHEAD 4096u
#define UNSET INT64_MIN

struct open_edge {
	uint32_t slice, below; /* below: the next outer one of the same name; index + 1 */
	name_id name;
	bool open;
	int64_t outer; /* when the first below it ended */
};

struct matcher {
	struct cast *c;
	struct cast_track *t;
	struct timed_reader reader;
	struct cast_edge next; /* that was read ahead, if there is more */
	bool more;
	VEC(struct cast_edge) edge; /* all of one time */
	bool last; /* the last writing: unmatched ends cause a warning */
	VEC(struct open_edge) open;
	struct idmap top_of; /* name -> the innermost open one; index + 1 */
};

static uint32_t
innermost(const struct matcher *m, name_id name)
{
	uint32_t top = name == NAME_EMPTY ? (uint32_t)m->open.n : idmap_get(&m->top_of, name);

	return top == IDMAP_NONE || !top ? CAST_NONE : top - 1;
}

static void
edge_begin(struct matcher *m, const struct cast_edge *x)
{
	bool named = x->name != NAME_EMPTY;
	uint32_t below = named ? idmap_get(&m->top_of, x->name) : IDMAP_NONE;

	*vec_push(&m->open) = (struct open_edge){
		.slice = x->slice,
		.below = below == IDMAP_NONE ? 0 : below,
		.name = x->name,
		.open = true,
		.outer = UNSET,
	};
	if (named)
		idmap_put(&m->top_of, x->name, (uint32_t)m->open.n);
}

/* Handles an end that matches no open begin: an end with a name may precede its begin of the
 * same time. */
static void
edge_lone(struct matcher *m, size_t i)
{
	const struct cast_edge *x = &m->edge.at[i];
	size_t n = m->edge.n, last = n - i > LOOK_AHEAD ? i + LOOK_AHEAD : n;
	bool named = x->name != NAME_EMPTY;

	for (size_t k = i + 1; named && k < last; k++) {
		struct cast_edge *y = &m->edge.at[k];
		if (y->slice >= TAKEN || y->name != x->name)
			continue;
		slices_end(&m->t->slices, y->slice, slices_tick(x->time), 0);
		y->slice = TAKEN;
		return;
	}
	if (m->last && m->t->nesting != CAST_SINGLE)
		builder_warn(m->c->b, "ends without a begin, ignored");
}

static void
edge_end(struct matcher *m, size_t i)
{
	const struct cast_edge *x = &m->edge.at[i];
	uint32_t k = innermost(m, x->name);

	if (k == CAST_NONE) {
		edge_lone(m, i);
		return;
	}
	struct open_edge *o = &m->open.at[k];
	slices_end(&m->t->slices, o->slice, slices_tick(x->time), 0);
	o->open = false;
	if (o->name != NAME_EMPTY)
		idmap_put(&m->top_of, o->name, o->below);
	for (size_t above = k + 1; above < m->open.n; above++)
		if (m->open.at[above].outer == UNSET)
			m->open.at[above].outer = x->time;
	while (m->open.n && !m->open.at[m->open.n - 1].open)
		m->open.n--;
}

/* Ends the slices that are still open at the end of the slices around them, or of the track. */
static void
edges_cut(struct matcher *m)
{
	struct cast_track *t = m->t;

	for (size_t i = 0; i < m->open.n; i++) {
		const struct open_edge *o = &m->open.at[i];
		if (!o->open)
			continue;
		slices_end(&t->slices, o->slice,
			   slices_tick(o->outer == UNSET ? t->last : o->outer), SLICE_CUT);
		if (!m->last || t->nesting == CAST_SINGLE || !m->c->labelled)
			continue;
		slices_unfinished(&t->slices, o->slice, m->c->b);
	}
}

/* ---- matching ---- */

static void
edge_read(struct matcher *m)
{
	uint32_t of[TIMED_NUMBERS];

	m->more = timed_next(&m->reader, &m->next.time, of);
	m->next.slice = of[0] - 1;
	m->next.name = of[1];
}

/* Reads the edges of the next time. */
static bool
edges_read(struct matcher *m)
{
	int64_t time = m->next.time;

	for (m->edge.n = 0; m->more && m->next.time == time; edge_read(m))
		*vec_push(&m->edge) = m->next;
	return m->edge.n;
}

static void
edge_match(struct matcher *m, size_t i)
{
	const struct cast_edge *x = &m->edge.at[i];
	bool begins = x->slice != CAST_NONE;

	if (begins && m->t->nesting == CAST_SINGLE && m->open.n)
		slices_end(&m->t->slices, m->open.at[--m->open.n].slice, slices_tick(x->time), 0);
	if (!begins)
		edge_end(m, i);
	else if (x->slice != TAKEN)
		edge_begin(m, x);
}

static void
edges_match(struct cast *c, struct cast_track *t, bool last)
{
	struct matcher m = {.c = c, .t = t, .last = last};

	for (size_t i = 0; i < t->edges.open.n; i++) /* of an ordered file: begins without an end */
		cast_edge_wait(t, t->edges.open.at[i]);
	if (!t->edges.waiting.run.n)
		return;
	timed_read(&m.reader, &t->edges.waiting);
	edge_read(&m);
	while (edges_read(&m))
		for (size_t i = 0; i < m.edge.n; i++)
			edge_match(&m, i);
	edges_cut(&m);
	timed_read_end(&m.reader);
	vec_release_all(&m.open, &m.edge);
	idmap_release(&m.top_of);
	if (last || c->ordered)
		timed_release(&t->edges.waiting);
	t->edges.open.n = last ? 0 : t->edges.open.n;
}

/* ---- writing ---- */

/* Writes slices to a track and its lanes, which are named after it; NULL: those of its log. The
 * slices are kept unless this is the last writing. */
static bool
slices_put(struct cast_writing *w, struct slices *s, uint32_t track, struct slices_kept *shown,
	   enum slices_overlap overlap, metric_id metric)
{
	struct cast_track *t = &w->c->track.at[track];
	struct buf name = BUF_INIT;

	if (s && !s->n)
		return true;
	cast_track_text(w->c, track);
	buf_add(&name, w->c->text.at, w->c->text.len);
	struct slices_track out = {.track = t->track,
				   .name = buf_str(&name),
				   .len = name.len,
				   .kind = (enum track_kind)t->kind,
				   .overlap = (uint8_t)overlap,
				   .kept = shown};
	w->out.metric = metric;
	bool good = !s	      ? cast_inorder_write(w->c, t, &w->out, &out, w->last, w->e)
		    : w->last ? slices_write(s, &w->out, &out, w->e)
			      : slices_show(s, &w->out, &out, w->e);
	buf_release(&name);
	return good;
}

static enum slices_overlap
overlap_of(const struct cast_track *t)
{
	return t->nesting == CAST_NAMES    ? OVERLAP_NAMES
	       : t->nesting == CAST_BESIDE ? OVERLAP_BESIDE
	       : t->nesting == CAST_CUT  ? OVERLAP_CUT
					 : OVERLAP_LANE;
}

static bool
tracks_write(struct cast_writing *w, metric_id time, metric_id async)
{
	struct cast *c = w->c;
	bool good = true;

	for (uint32_t i = 0; i < c->track.n; i++) {
		struct cast_track *t = &c->track.at[i];
		if (!w->last && !t->changed)
			continue;
		t->changed = false;
		bool inorder = t->edges.log.n && cast_inorder_fits(t, w->out.spent);
		if (!inorder && edgelog_any(&t->edges.log))
			cast_edges_unpack(t);
		edges_match(c, t, w->last);
		good = good && slices_put(w, inorder ? NULL : &t->slices, i, &t->shown,
					  overlap_of(t), t->aside ? async : time);
		if (good && c->ordered && t->made && t->last != INT64_MIN)
			builder_track_end(c->b, t->track, t->last);
		if (w->last)
			slices_release(&t->slices);
	}
	return good;
}

/* ---- asyncs: those of one key nest; those of several are side by side ---- */

/* The slices of a row of c->async.group. */
struct cast_write_group {
	struct slices slices;
	int64_t last;
};

struct open_async {
	uint32_t slice, group, below; /* below: index + 1 */
	uint32_t owner; /* of the outermost one of its key */
	name_id name;
	bool open;
};

struct asyncs {
	struct cast *c;
	bool last;
	VEC(struct cast_write_group) group;
	VEC(struct open_async) open;
	struct idmap top_of; /* key -> the innermost open one; index + 1 */
};

/* Numbers groups in the order of their first appearance, which is the same for each writing. */
static uint32_t
group_of(struct asyncs *m, uint32_t track)
{
	struct cast_asyncs *a = &m->c->async;
	uint32_t i;

	if (!idmap_add(&a->group_of, track, a->group.n, &i))
		return i;
	cast_made(m->c, track);
	*vec_push(&a->group) = (struct cast_group){.track = track};
	*vec_push(&m->group) = (struct cast_write_group){.last = INT64_MIN};
	return i;
}

static void
async_begin(struct asyncs *m, const struct cast_async *x)
{
	uint32_t top = idmap_get(&m->top_of, x->key);
	uint32_t below = top == IDMAP_NONE ? 0 : top;
	if (below && x->once)
		return;
	uint32_t group = below ? m->open.at[below - 1].group : group_of(m, x->track);
	uint32_t owner = below ? m->open.at[below - 1].owner : (uint32_t)m->open.n + 1;
	struct cast_write_group *g = &m->group.at[group];

	*vec_push(&m->open) = (struct open_async){
		.slice = (uint32_t)g->slices.n,
		.group = group,
		.below = below,
		.owner = owner,
		.name = x->name,
		.open = true,
	};
	slices_add(&g->slices, slices_tick(x->time), 0, x->frame, slices_owned(owner, x->labels),
		   SLICE_CUT);
	g->last = x->time > g->last ? x->time : g->last;
	idmap_put(&m->top_of, x->key, (uint32_t)m->open.n);
}

#define LOOKED_AT_MAX 1000u /* open ones of a key, for the name of an end */

/* Returns the innermost open one that this ends, index + 1; 0 if there is none. */
static uint32_t
async_ended(const struct asyncs *m, const struct cast_async *x)
{
	uint32_t at = idmap_get(&m->top_of, x->key);

	if (at == IDMAP_NONE)
		return 0;
	for (unsigned n = 0; at && n < LOOKED_AT_MAX; n++, at = m->open.at[at - 1].below)
		if (m->open.at[at - 1].open &&
		    (x->name == NAME_EMPTY || x->name == m->open.at[at - 1].name))
			return at;
	return 0;
}

static void
async_end(struct asyncs *m, const struct cast_async *x)
{
	uint32_t ended = async_ended(m, x), top;

	if (!ended) {
		if (m->last)
			builder_warn(m->c->b, "asyncs that end without a begin, ignored");
		return;
	}
	struct open_async *o = &m->open.at[ended - 1];
	struct cast_write_group *g = &m->group.at[o->group];
	slices_end(&g->slices, o->slice, slices_tick(x->time), 0);
	g->last = x->time > g->last ? x->time : g->last;
	o->open = false;
	for (top = idmap_get(&m->top_of, x->key); top && !m->open.at[top - 1].open;)
		top = m->open.at[top - 1].below;
	idmap_put(&m->top_of, x->key, top);
}

static void
asyncs_match(struct asyncs *m)
{
	struct cast_asyncs *a = &m->c->async;
	struct cast_async *x = m->last ? a->at.at : rows_by_time_copy(a->at.at, a->at.n, sizeof *x);

	if (m->last)
		x = a->at.at = rows_by_time(x, a->at.n, sizeof *x);
	for (size_t i = 0; i < a->at.n; i++)
		if (x[i].track == CAST_NONE)
			async_end(m, &x[i]);
		else
			async_begin(m, &x[i]);
	if (!m->last)
		free(x);
	for (size_t i = 0; i < m->open.n; i++) {
		struct cast_write_group *g = &m->group.at[m->open.at[i].group];
		int64_t reached = m->c->track.at[a->group.at[m->open.at[i].group].track].last;
		if (!m->open.at[i].open)
			continue;
		slices_end(&g->slices, m->open.at[i].slice,
			   slices_tick(reached > g->last ? reached : g->last), SLICE_CUT);
		if (!m->last)
			continue;
		slices_unfinished(&g->slices, m->open.at[i].slice, m->c->b);
	}
}

static bool
asyncs_write(struct cast_writing *w, metric_id async)
{
	struct cast_asyncs *a = &w->c->async;
	struct asyncs m = {.c = w->c, .last = w->last};
	bool good = true;

	if (!a->at.n || (!w->last && a->at.n == a->n_shown))
		return true;
	a->n_shown = a->at.n;
	while (m.group.n < a->group.n)
		*vec_push(&m.group) = (struct cast_write_group){.last = INT64_MIN};
	asyncs_match(&m);
	for (size_t i = 0; i < m.group.n; i++) {
		struct cast_group *g = &a->group.at[i];
		struct slices *s = &m.group.at[i].slices;
		good = good && slices_put(w, s, g->track, &g->shown, OVERLAP_OWN, async);
		slices_release(s);
	}
	vec_release_all(&m.group, &m.open);
	idmap_release(&m.top_of);
	return good;
}

bool
cast_write(struct cast *c, metric_id time, metric_id async, bool last, uint64_t offset,
	   struct err *e)
{
	struct cast_writing w = {
		.c = c,
		.out = {.in = c->in,
			.b = c->b,
			.offset = offset,
			.kind = c->labelled ? SLICES_LABELLED : SLICES_PLAIN,
			.silent = !last,
			.frame = c->frame,
			.context = c->context},
		.last = last,
		.e = e,
	};

	cast_settle(c);
	for (size_t i = 0; last && i < c->track.n; i++)
		w.out.all += cast_track_slices(&c->track.at[i]);
	return tracks_write(&w, time, async) && asyncs_write(&w, async);
}
