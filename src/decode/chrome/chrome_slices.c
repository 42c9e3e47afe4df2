#include "src/decode/chrome/chrome_inside.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/by_time.h"
#include "src/input/hash.h"

/* What lasts.  Complete events go to the slices of their thread as they are read.  Begins
 * and ends may stand in any order in the file, so they are kept (16 bytes each) and matched
 * in the order of their times when all are there; a begin reserves its slice where it stands,
 * so that ties are decided by the file's order whatever a slice is made of.
 *
 * Readers agree on an end without a name, which ends the innermost slice, and on one whose
 * name is the innermost slice's.  Where it is that of a slice further out they do not:
 * speedscope ignores it, catapult ends what is innermost.  Here each end ends a slice of its
 * own name, and those that stay open above may still be ended by theirs; so both intervals
 * are what the file says, and the one that sticks out gets a lane.
 *
 * Asyncs are matched per id, and those of one kind share a track. */

static void
thread_reaches(struct chrome_thread *t, int64_t time)
{
	t->last = time > t->last ? time : t->last;
}

void
chrome_slice(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	uint32_t i = chrome_thread(d, e->pid, e->tid);
	int64_t length = e->has_dur ? e->dur : e->has_tdur ? e->tdur : 0;

	if (length < 0) {
		builder_warn(d->b, "slices of negative length, taken for 0");
		length = 0;
	}
	chrome_thread_track(d, i);
	struct chrome_thread *t = &d->thread.at[i];
	slices_add(&t->slices, slices_tick(e->ts), (uint64_t)length, chrome_event_function(d),
		   chrome_labels(d), 0);
	thread_reaches(t, e->ts + length);
}

void
chrome_edge(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	uint32_t i = chrome_thread(d, e->pid, e->tid);
	struct chrome_edge edge = {.time = e->ts, .slice = CHROME_END, .name = e->name};

	if (e->ph == 'B')
		chrome_thread_track(d, i);
	struct chrome_thread *t = &d->thread.at[i];
	if (e->ph == 'B') {
		edge.slice = (uint32_t)t->slices.n;
		slices_add(&t->slices, slices_tick(e->ts), 0, chrome_event_function(d),
			   chrome_labels(d), SLICE_CUT);
	}
	*vec_push(&t->edge) = edge;
	thread_reaches(t, e->ts);
}

/* ---- begins and ends ---- */

#define TAKEN (CHROME_END - 1) /* a begin that an end before it has ended */
#define LOOK_AHEAD 4096u
#define UNSET INT64_MIN

struct open_edge {
	uint32_t slice, below; /* below: the one outside of the same name; index + 1 */
	name_id name;
	bool open;
	int64_t outer; /* when the first below it ended */
};

struct matcher {
	struct chrome *d;
	struct chrome_thread *t;
	VEC(struct open_edge) open;
	struct idmap top_of; /* name -> the innermost that is open; index + 1 */
};

static uint32_t
innermost(const struct matcher *m, name_id name)
{
	uint32_t top = name == NAME_EMPTY ? (uint32_t)m->open.n : idmap_get(&m->top_of, name);

	return top == IDMAP_NONE || !top ? CHROME_NONE : top - 1;
}

static void
edge_begin(struct matcher *m, const struct chrome_edge *x)
{
	uint32_t below = idmap_get(&m->top_of, x->name);

	*vec_push(&m->open) = (struct open_edge){
		.slice = x->slice,
		.below = below == IDMAP_NONE ? 0 : below,
		.name = x->name,
		.open = true,
		.outer = UNSET,
	};
	idmap_put(&m->top_of, x->name, (uint32_t)m->open.n);
}

/* An end that finds nothing: it may stand before its begin, of the same time. */
static void
edge_lone(struct matcher *m, size_t i)
{
	struct chrome_edge *x = &m->t->edge.at[i];
	size_t last = m->t->edge.n - i > LOOK_AHEAD ? i + LOOK_AHEAD : m->t->edge.n;

	for (size_t k = i + 1; k < last && m->t->edge.at[k].time == x->time; k++) {
		struct chrome_edge *y = &m->t->edge.at[k];
		if (y->slice >= TAKEN || y->name != x->name)
			continue;
		slices_end(&m->t->slices, y->slice, slices_tick(x->time), 0);
		y->slice = TAKEN;
		return;
	}
	builder_warn(m->d->b, "ends without a begin, ignored");
}

static void
edge_end(struct matcher *m, size_t i)
{
	struct chrome_edge *x = &m->t->edge.at[i];
	uint32_t k = innermost(m, x->name);

	if (k == CHROME_NONE) {
		edge_lone(m, i);
		return;
	}
	struct open_edge *o = &m->open.at[k];
	slices_end(&m->t->slices, o->slice, slices_tick(x->time), 0);
	o->open = false;
	idmap_put(&m->top_of, o->name, o->below);
	for (size_t above = k + 1; above < m->open.n; above++)
		if (m->open.at[above].outer == UNSET)
			m->open.at[above].outer = x->time;
	while (m->open.n && !m->open.at[m->open.n - 1].open)
		m->open.n--;
}

static void
edges_match(struct chrome *d, struct chrome_thread *t)
{
	struct matcher m = {.d = d, .t = t};

	t->edge.at = rows_by_time(t->edge.at, t->edge.n, sizeof *t->edge.at);
	for (size_t i = 0; i < t->edge.n; i++)
		if (t->edge.at[i].slice == CHROME_END)
			edge_end(&m, i);
		else if (t->edge.at[i].slice != TAKEN)
			edge_begin(&m, &t->edge.at[i]);
	for (size_t i = 0; i < m.open.n; i++) {
		const struct open_edge *o = &m.open.at[i];
		if (!o->open)
			continue;
		slices_end(&t->slices, o->slice,
			   slices_tick(o->outer == UNSET ? t->last : o->outer), SLICE_CUT);
		builder_warn(d->b, "begins without an end, which last as long as what is "
				   "around them");
	}
	vec_release(&m.open);
	idmap_release(&m.top_of);
	vec_release(&t->edge);
}

/* Writes slices to a track of ours, whose name its lanes have, too. */
static bool
write(struct chrome *d, struct slices *s, const struct chrome_track *x, metric_id metric,
      struct err *err)
{
	struct buf name = BUF_INIT;
	struct slices_track track = {.track = x->track, .kind = (enum track_kind)x->kind};

	chrome_track_text(d, x);
	buf_add(&name, d->scratch.at, d->scratch.len);
	track.name = buf_str(&name);
	track.len = name.len;
	d->out.metric = metric;
	bool good = slices_write(s, NULL, 0, &d->out, &track, err);
	buf_release(&name);
	return good;
}

bool
chrome_slices_write(struct chrome *d, metric_id time, struct err *err)
{
	bool good = true;

	for (size_t i = 0; i < d->thread.n; i++) {
		struct chrome_thread *t = &d->thread.at[i];
		if (good)
			edges_match(d, t);
		if (good && t->slices.n)
			good = write(d, &t->slices, &d->track.at[t->track], time, err);
		slices_release(&t->slices);
		vec_release(&t->edge);
	}
	return good;
}

/* ---- asyncs ---- */

void
chrome_async(struct chrome *d, bool ends, bool nests)
{
	const struct chrome_event *e = &d->e;
	uint64_t key[] = {e->cat, e->id, e->scope, e->id_local ? (uint64_t)e->pid : 0,
			  (uint64_t)nests << 1 | e->id_local};
	struct chrome_async x = {
		.time = e->ts,
		.key = hash64(key, sizeof key),
		.process = chrome_process(d, e->pid),
		.cat = e->cat,
		.name = e->name,
		.ends = ends,
	};

	if (!ends) {
		x.function = chrome_event_function(d);
		x.labels = chrome_labels(d);
	}
	*vec_push(&d->async) = x;
}

/* Those of one process, category and name. */
struct group {
	struct slices slices;
	int64_t last;
	const struct chrome_async *first;
};

struct open_async {
	uint32_t slice, group, below; /* below: index + 1 */
	bool open;
};

struct asyncs {
	struct chrome *d;
	VEC(struct group) group;
	struct text_cache group_of;
	VEC(struct open_async) open;
	struct idmap top_of; /* key -> the innermost that is open; index + 1 */
};

static int
compare_asyncs(const void *a, const void *b)
{
	const struct chrome_async *const *x = a, *const *y = b;

	if ((*x)->time != (*y)->time)
		return (*x)->time < (*y)->time ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static uint32_t
group_of(struct asyncs *m, const struct chrome_async *x)
{
	uint32_t key[] = {x->process, x->cat, x->name};
	struct hash128 hash = hash128(key, sizeof key);
	uint32_t *found = text_cache_find(&m->group_of, hash);

	if (*found)
		return *found - 1;
	*vec_push(&m->group) = (struct group){.last = INT64_MIN, .first = x};
	text_cache_put(&m->group_of, found, hash, (uint32_t)m->group.n);
	return (uint32_t)m->group.n - 1;
}

static void
async_begin(struct asyncs *m, const struct chrome_async *x)
{
	uint32_t top = idmap_get(&m->top_of, x->key);
	uint32_t below = top == IDMAP_NONE ? 0 : top;
	uint32_t group = below ? m->open.at[below - 1].group : group_of(m, x);
	struct group *g = &m->group.at[group];

	*vec_push(&m->open) = (struct open_async){
		.slice = (uint32_t)g->slices.n, .group = group, .below = below, .open = true};
	slices_add(&g->slices, slices_tick(x->time), 0, x->function, x->labels, SLICE_CUT);
	g->last = x->time > g->last ? x->time : g->last;
	idmap_put(&m->top_of, x->key, (uint32_t)m->open.n);
}

static void
async_end(struct asyncs *m, const struct chrome_async *x)
{
	uint32_t top = idmap_get(&m->top_of, x->key);

	if (top == IDMAP_NONE || !top) {
		builder_warn(m->d->b, "asyncs that end without a begin, ignored");
		return;
	}
	struct open_async *o = &m->open.at[top - 1];
	struct group *g = &m->group.at[o->group];
	slices_end(&g->slices, o->slice, slices_tick(x->time), 0);
	g->last = x->time > g->last ? x->time : g->last;
	o->open = false;
	idmap_put(&m->top_of, x->key, o->below);
}

static void
asyncs_match(struct asyncs *m)
{
	struct chrome *d = m->d;
	size_t n = d->async.n;
	const struct chrome_async **order = mem_alloc(n, sizeof *order);

	for (size_t i = 0; i < n; i++)
		order[i] = &d->async.at[i];
	qsort(order, n, sizeof *order, compare_asyncs);
	for (size_t i = 0; i < n; i++)
		if (order[i]->ends)
			async_end(m, order[i]);
		else
			async_begin(m, order[i]);
	free(order);
	for (size_t i = 0; i < m->open.n; i++) {
		struct group *g = &m->group.at[m->open.at[i].group];
		if (!m->open.at[i].open)
			continue;
		slices_end(&g->slices, m->open.at[i].slice, slices_tick(g->last), SLICE_CUT);
		builder_warn(d->b, "asyncs without an end");
	}
}

/* `CAT:NAME` */
static name_id
group_name(struct chrome *d, const struct group *g)
{
	struct name cat = builder_name_get(d->b, g->first->cat);
	struct name name = builder_name_get(d->b, g->first->name);

	buf_reset(&d->scratch);
	buf_add(&d->scratch, cat.at, cat.len);
	if (cat.len)
		buf_addc(&d->scratch, ':');
	buf_add(&d->scratch, name.at, name.len);
	return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
}

bool
chrome_asyncs_write(struct chrome *d, metric_id async, struct err *err)
{
	struct asyncs m = {.d = d};
	bool good = true;

	if (d->async.n)
		asyncs_match(&m);
	for (size_t i = 0; i < m.group.n && good; i++)
		chrome_track_new(d, (struct chrome_track){.process = m.group.at[i].first->process,
							  .form = FORM_PLAIN,
							  .kind = TRACK_TASK,
							  .name = group_name(d, &m.group.at[i])});
	size_t first = d->track.n - m.group.n;
	for (size_t i = 0; i < m.group.n; i++) {
		struct group *g = &m.group.at[i];
		good = good && write(d, &g->slices, &d->track.at[first + i], async, err);
		slices_release(&g->slices);
	}
	vec_release(&m.group);
	vec_release(&m.open);
	text_cache_release(&m.group_of);
	idmap_release(&m.top_of);
	return good;
}
