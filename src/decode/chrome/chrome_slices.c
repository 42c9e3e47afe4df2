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
 * Asyncs are matched per id, and those of one kind share a track.
 *
 * While more is waited for, what there is so far is matched and written in the same way, of a
 * copy: what comes later may change all of it. */

static void
thread_reaches(struct chrome_thread *t, int64_t time)
{
	t->last = time > t->last ? time : t->last;
	t->changed = true;
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
	struct chrome_edge *edge; /* in the order of their times */
	size_t n;
	bool last; /* what fits nothing is warned of */
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
	struct chrome_edge *x = &m->edge[i];
	size_t last = m->n - i > LOOK_AHEAD ? i + LOOK_AHEAD : m->n;

	for (size_t k = i + 1; k < last && m->edge[k].time == x->time; k++) {
		struct chrome_edge *y = &m->edge[k];
		if (y->slice >= TAKEN || y->name != x->name)
			continue;
		slices_end(&m->t->slices, y->slice, slices_tick(x->time), 0);
		y->slice = TAKEN;
		return;
	}
	if (m->last)
		builder_warn(m->d->b, "ends without a begin, ignored");
}

static void
edge_end(struct matcher *m, size_t i)
{
	struct chrome_edge *x = &m->edge[i];
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

/* The edges of a thread, which go with the last time they are asked for; else a copy. */
static struct chrome_edge *
edges_of(struct chrome_thread *t, bool last)
{
	struct chrome_edge *edge = t->edge.at;

	if (!last)
		return rows_by_time_copy(edge, t->edge.n, sizeof *edge);
	t->edge.at = NULL;
	return rows_by_time(edge, t->edge.n, sizeof *edge);
}

static void
edges_match(struct chrome *d, struct chrome_thread *t, bool last)
{
	struct matcher m = {.d = d, .t = t, .n = t->edge.n, .last = last};

	m.edge = t->edge.n ? edges_of(t, last) : NULL;
	for (size_t i = 0; i < m.n; i++)
		if (m.edge[i].slice == CHROME_END)
			edge_end(&m, i);
		else if (m.edge[i].slice != TAKEN)
			edge_begin(&m, &m.edge[i]);
	for (size_t i = 0; i < m.open.n; i++) {
		const struct open_edge *o = &m.open.at[i];
		if (!o->open)
			continue;
		slices_end(&t->slices, o->slice,
			   slices_tick(o->outer == UNSET ? t->last : o->outer), SLICE_CUT);
		if (!last)
			continue;
		slices_unfinished(&t->slices, o->slice, d->b);
		builder_warn(d->b, "begins without an end, which last as long as what is "
				   "around them");
	}
	vec_release(&m.open);
	idmap_release(&m.top_of);
	free(m.edge);
}

/* Writes slices to a track of ours, whose name its lanes have, too; they stay unless it is
 * for the last time. */
static bool
write(struct chrome *d, struct slices *s, uint32_t i, struct slices_kept *shown, bool last,
      struct err *err)
{
	const struct chrome_track *x = &d->track.at[i];
	struct buf name = BUF_INIT;
	struct slices_track track = {
		.track = x->track, .kind = (enum track_kind)x->kind, .kept = shown};

	chrome_track_text(d, x);
	buf_add(&name, d->scratch.at, d->scratch.len);
	track.name = buf_str(&name);
	track.len = name.len;
	bool good = last ? slices_write(s, &d->out, &track, err)
			 : slices_show(s, &d->out, &track, err);
	buf_release(&name);
	return good;
}

bool
chrome_slices_write(struct chrome *d, metric_id time, bool last, struct err *err)
{
	bool good = true;

	d->out.metric = time;
	for (size_t i = 0; i < d->thread.n; i++) {
		struct chrome_thread *t = &d->thread.at[i];
		if (!last && !t->changed)
			continue;
		t->changed = false;
		if (good)
			edges_match(d, t, last);
		if (good && t->slices.n)
			good = write(d, &t->slices, t->track, &t->shown, last, err);
		if (last)
			slices_release(&t->slices);
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
		.thread = CHROME_NONE,
		.cat = e->cat,
		.name = e->name,
		.ends = ends,
	};

	if (!ends) {
		x.function = chrome_event_function(d);
		x.labels = chrome_labels(d);
	}
	uint32_t thread = chrome_thread(d, e->pid, e->tid);
	if (chrome_is_own(&d->thread.at[thread], false)) {
		x.thread = thread;
		x.name = d->thread.at[thread].whole;
	}
	*vec_push(&d->async) = x;
}

/* The slices of a row of d->group. */
struct group {
	struct slices slices;
	int64_t last;
};

struct open_async {
	uint32_t slice, group, below; /* below: index + 1 */
	bool open;
};

struct asyncs {
	struct chrome *d;
	bool last;
	VEC(struct group) group;
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

/* `CAT:NAME` */
static name_id
group_name(struct chrome *d, const struct chrome_async *x)
{
	struct name cat = builder_name_get(d->b, x->cat);
	struct name name = builder_name_get(d->b, x->name);

	buf_reset(&d->scratch);
	buf_add(&d->scratch, cat.at, cat.len);
	if (cat.len)
		buf_addc(&d->scratch, ':');
	buf_add(&d->scratch, name.at, name.len);
	return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
}

static uint32_t
group_track(struct chrome *d, const struct chrome_async *x)
{
	if (x->thread != CHROME_NONE) {
		chrome_thread_track(d, x->thread);
		return d->thread.at[x->thread].track;
	}
	chrome_track_new(d, (struct chrome_track){.process = x->process,
						  .form = FORM_PLAIN,
						  .kind = TRACK_TASK,
						  .name = group_name(d, x)});
	return (uint32_t)d->track.n - 1;
}

/* Groups are numbered as they come up, the last time as any time before. */
static uint32_t
group_of(struct asyncs *m, const struct chrome_async *x)
{
	struct chrome *d = m->d;
	uint32_t key[] = {x->process, x->cat, x->name, x->thread};
	struct hash128 hash = hash128(key, sizeof key);
	uint32_t *found = text_cache_find(&d->group_of, hash);

	if (*found)
		return *found - 1;
	text_cache_put(&d->group_of, found, hash, (uint32_t)d->group.n + 1);
	*vec_push(&d->group) = (struct chrome_group){.track = group_track(d, x)};
	*vec_push(&m->group) = (struct group){.last = INT64_MIN};
	return (uint32_t)d->group.n - 1;
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
		if (m->last)
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
		if (!m->last)
			continue;
		slices_unfinished(&g->slices, m->open.at[i].slice, d->b);
		builder_warn(d->b, "asyncs without an end");
	}
}

bool
chrome_asyncs_write(struct chrome *d, metric_id async, bool last, struct err *err)
{
	struct asyncs m = {.d = d, .last = last};
	bool good = true;

	if (!d->async.n || (!last && d->async.n == d->asyncs_shown))
		return true;
	d->asyncs_shown = d->async.n;
	d->out.metric = async;
	while (m.group.n < d->group.n)
		*vec_push(&m.group) = (struct group){.last = INT64_MIN};
	asyncs_match(&m);
	for (size_t i = 0; i < m.group.n; i++) {
		struct chrome_group *g = &d->group.at[i];
		good = good && write(d, &m.group.at[i].slices, g->track, &g->shown, last, err);
		slices_release(&m.group.at[i].slices);
	}
	vec_release(&m.group);
	vec_release(&m.open);
	idmap_release(&m.top_of);
	return good;
}
