#include "src/encode/shown_times.h"

#include "model/base/mem.h"
#include "model/base/sum.h"

/* Events are read chunk by chunk.  Their contributions to the metrics are computed for a whole
 * portion at once, as the tally does. */

#define PORTION 512u

struct shown_reading {
	const struct shown *s;
	const struct series *series;
	int64_t base;     /* of the track's file */
	int64_t from, to; /* in the file's times, [from, to) */
	uint64_t first;   /* the first event to read */
	bool calls;       /* of samples: their values are calls and belong to the frames of calls */
};

static struct shown_reading
read_begin(const struct shown *s, const struct series *series)
{
	const struct fold *f = s->fold;
	struct shown_reading r = {.s = s, .series = series, .from = INT64_MIN, .to = INT64_MAX};

	r.base = s->base[s->p->track[series->track].group];
	r.calls = series->kind == SERIES_SAMPLES && f->metric == s->p->calls_metric;
	if (f->whole)
		return r;
	if (__builtin_add_overflow(r.base, f->from, &r.from))
		r.from = INT64_MAX;
	if (__builtin_add_overflow(r.base, f->to, &r.to))
		r.to = INT64_MAX;
	r.first = series->sorted ? series_find(series, r.from) : 0;
	/* the call that runs when the range begins */
	if (series->kind == SERIES_STEPS && r.first)
		r.first--;
	return r;
}

struct shown_emission {
	void (*emit)(void *ctx, const struct shown_sample *e);
	void *ctx;
};

static void
emit_event(const struct shown_reading *r, const struct shown_emission *t, const struct chunk *c,
	   uint32_t i, int64_t end, const int64_t *value)
{
	uint32_t stack = chunk_stack(c, i);
	int64_t time = column_get(&c->time, i);
	const struct projection *tree = r->s->tree;
	bool steps = r->series->kind == SERIES_STEPS;
	stack_id id = stack & STEP_STACK;
	struct shown_sample e = {
		.stack = id, .node = NODE_NONE, .value = value, .event = c->first + i};
	bool before = time < r->from;

	if (before && (!steps || end <= r->from))
		return;
	if (id < tree->n_stacks && id != STACK_EMPTY)
		e.node = r->calls ? tree->call_of[id] : tree->node_of[id];
	if (steps) {
		e.flags = before ? 0 : stack & ~STEP_STACK;
		e.before = before;
		e.calls = e.flags & STEP_CALL && e.node != NODE_NONE &&
			  tree->call_of[id] == e.node;
		end = end > r->to ? r->to : end;
		time = before ? r->from : time;
		e.lasts = end > time ? end - time : 0;
		e.beside = r->series->valued ? chunk_value(c, i) : 0;
		if (e.node == NODE_NONE)
			e.node = NODE_ROOT;
	}
	e.time = difference_clipped(time, r->base);
	e.begin = time;
	e.labels = r->series->labelled ? (labels_id)column_get(&c->labels, i) : LABELS_NONE;
	if (e.node != NODE_NONE)
		t->emit(t->ctx, &e);
}

/* Counts the events read. */
static void
shown_times_count(const struct shown *s, uint32_t n)
{
	if (s->events)
		atomic_fetch_add_explicit(s->events, n, memory_order_relaxed);
}

/* Returns the unit of a value.  A series may count something that is not a metric of the
 * profile. */
static int64_t
shown_unit_of(const struct shown *s, const struct series *series, unsigned m)
{
	return series->metric[m] < s->p->n_metrics ? profile_metric_unit(s->p, series, m) : 1;
}

/* Reports events [i, i + n) of a chunk; returns false at the end of the range. */
static bool
emit_portion(const struct shown_reading *r, const struct shown_emission *t, const struct chunk *c,
	     uint32_t i, uint32_t n, int64_t *value, int64_t *sum)
{
	const struct series *s = r->series;
	int64_t next = i + n < c->n ? column_get(&c->time, i + n) : chunk_end(s, c);

	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t unit = shown_unit_of(r->s, s, m);
		chunk_adds(s, c, i, n, m, next, sum);
		for (uint32_t k = 0; k < n; k++)
			value[(size_t)k * s->n_metrics + m] = sum[k] * unit;
	}
	for (uint32_t k = 0; k < n; k++) {
		int64_t time = column_get(&c->time, i + k);
		int64_t end = k + 1 < n ? column_get(&c->time, i + k + 1) : next;
		if (time >= r->to && s->sorted)
			return false;
		if (time < r->to)
			emit_event(r, t, c, i + k, end, value + (size_t)k * s->n_metrics);
	}
	return true;
}

void
shown_samples(const struct shown *s, const struct series *series,
	      void (*emit)(void *ctx, const struct shown_sample *e), void *ctx)
{
	struct shown_reading r = read_begin(s, series);
	struct shown_emission t = {emit, ctx};
	int64_t *value, *sum;
	bool on = true;

	if (series->kind != SERIES_STEPS && series->kind != SERIES_SAMPLES)
		return;
	value = mem_alloc((size_t)PORTION * series->n_metrics + 1, sizeof *value);
	sum = mem_alloc(PORTION, sizeof *sum);
	for (uint64_t at = r.first; on && at < series->n;) {
		const struct chunk *c = series_chunk(series, at);
		uint32_t i = (uint32_t)(at - c->first);
		uint32_t n = c->n - i < PORTION ? c->n - i : PORTION;
		on = emit_portion(&r, &t, c, i, n, value, sum);
		shown_times_count(s, n);
		at += n;
	}
	free(sum);
	free(value);
}

int64_t
shown_adds(const struct series *series, unsigned m, const struct shown_sample *e)
{
	if (role_lasts((enum metric_role)series->role[m]))
		return series_lasts(series, m, e->begin, sum_clipped(e->begin, e->lasts));
	return e->value[m];
}

void
shown_sums(const struct shown *s, const struct series *series,
	   void (*emit)(void *ctx, stack_id stack, node_id node, const int64_t *value), void *ctx)
{
	int64_t value[SERIES_METRICS_MAX];
	unsigned events = 0;

	if (!s->fold->whole)
		return;
	while (events < series->n_metrics && series->role[events] != ROLE_EVENTS)
		events++;
	for (uint32_t i = 0; events < series->n_metrics && i < series->n_pages; i++) {
		const struct totals *sums = &series->page[(size_t)i * series->n_metrics];
		for (uint32_t at = 0; sums[events].at && at < TOTALS_PAGE; at++) {
			stack_id stack = series_page_stack(series, i) + at;
			if (!totals_get(&sums[events], at) || stack >= s->tree->n_stacks ||
			    s->tree->node_of[stack] == NODE_NONE)
				continue;
			for (unsigned m = 0; m < series->n_metrics; m++)
				value[m] = totals_get(&sums[m], at) * shown_unit_of(s, series, m);
			emit(ctx, stack, s->tree->node_of[stack], value);
		}
	}
}

void
shown_labelled_sums(const struct shown *s, const struct series *series,
		    void (*emit)(void *ctx, const struct shown_sample *e), void *ctx)
{
	const struct projection *tree = s->tree;
	int64_t value[SERIES_METRICS_MAX];

	for (uint32_t k = 0; s->fold->whole && k < series->n_chunks; k++) {
		const struct chunk *c = &series->chunk[k];
		for (uint32_t i = 0; i < c->n; i++) {
			struct shown_sample e = {.stack = chunk_stack(c, i), .value = value};
			if (e.stack >= tree->n_stacks || tree->node_of[e.stack] == NODE_NONE)
				continue;
			e.node = tree->node_of[e.stack];
			e.labels = (labels_id)column_get(&c->labels, i);
			for (unsigned m = 0; m < series->n_metrics; m++) {
				bool carried = series->role[m] == ROLE_VALUE;
				value[m] = carried ? series_number(series, c, i, m) : 1;
				value[m] *= shown_unit_of(s, series, m);
			}
			emit(ctx, &e);
		}
	}
}

/* ---- slices ---- */

struct replaying {
	const struct projection *tree;
	const struct stacks *stacks;
	const struct shown_slices *emit;
	VEC(node_id) open; /* the running path, from the root */
	VEC(node_id) path;
	VEC(stack_id) stack; /* [path] the stack that ends in the frame of the node */
	int64_t end;
	bool valued;
	bool idle;     /* nothing runs, but calls are open */
	unsigned bits; /* REPLAY_ ones */
};

static void
leave_down_to(struct replaying *r, size_t n, int64_t time)
{
	while (r->open.n > n)
		r->emit->leave(r->emit->ctx, r->open.at[--r->open.n], time);
}

/* Finds the stacks of the n innermost nodes of the path; an inverted tree has none. */
static void
stacks_of_path(struct replaying *r, stack_id stack, size_t n)
{
	const node_id *leaf_of = r->tree->leaf_of;

	r->stack.n = 0;
	for (size_t i = 0; i < n; i++) {
		while (stack != STACK_EMPTY && (!leaf_of || leaf_of[stack] != r->path.at[i]))
			stack = leaf_of ? r->stacks->parent[stack] : STACK_EMPTY;
		*vec_push(&r->stack) = stack;
	}
}

/* Called before the path changes from the open nodes to n nodes; the outermost `same` stay. */
static void
judge(struct replaying *r, const struct shown_sample *e, size_t same, size_t n)
{
	bool returns = e->flags & STEP_RETURN;
	size_t left = r->open.n - same, entered = n - same;

	if (e->node == NODE_ROOT) {
		r->idle |= left > returns;
		return;
	}
	if (r->idle && entered > e->calls)
		r->bits |= REPLAY_RESTED;
	else if (r->idle || left > returns || entered > e->calls)
		r->bits |= REPLAY_TORN;
	r->idle = false;
}

static void
replay_event(void *ctx, const struct shown_sample *e)
{
	struct replaying *r = ctx;
	size_t same = 0;

	r->path.n = 0;
	for (node_id v = e->node; v != NODE_ROOT; v = r->tree->parent[v])
		*vec_push(&r->path) = v;
	size_t n = r->path.n;
	while (same < n && same < r->open.n && r->open.at[same] == r->path.at[n - 1 - same])
		same++;
	/* another call of the running function, or of one above it */
	if (e->calls && same == n && n)
		same = n - 1;
	judge(r, e, same, n);
	leave_down_to(r, same, e->time);
	stacks_of_path(r, e->stack, n - r->open.n);
	while (r->open.n < n) {
		node_id v = r->path.at[n - 1 - r->open.n];
		bool leaf = r->open.n + 1 == n;
		struct shown_entry entry = {
			.time = e->time,
			.event = e->event,
			.node = v,
			.stack = r->stack.at[n - 1 - r->open.n],
			.labels = leaf ? e->labels : LABELS_NONE,
			.valued = leaf && r->valued,
			.value = leaf ? e->beside : 0,
		};
		*vec_push(&r->open) = v;
		r->emit->enter(r->emit->ctx, &entry);
	}
	r->end = sum_clipped(e->time, e->lasts);
}

unsigned
shown_replay(const struct shown *s, const struct series *series, const struct shown_slices *emit)
{
	struct replaying r = {
		.tree = s->tree, .stacks = &s->p->stacks, .emit = emit, .valued = series->valued};

	shown_samples(s, series, replay_event, &r);
	if (r.open.n || r.idle)
		r.bits |= REPLAY_TORN;
	leave_down_to(&r, 0, r.end);
	vec_release(&r.open);
	vec_release(&r.path);
	vec_release(&r.stack);
	return r.bits;
}

void
shown_replay_warn(const struct shown *s, unsigned bits)
{
	if (bits & REPLAY_RESTED)
		encode_warn(s->job, "suspended calls are written as several");
	if (bits & REPLAY_TORN)
		encode_warn(
			s->job,
			"calls without a recorded begin or end, or with several lines, are "
			"written as complete");
}

void
shown_points(const struct shown *s, const struct series *series,
	     void (*emit)(void *ctx, const struct shown_point *e), void *ctx)
{
	struct shown_reading r = read_begin(s, series);
	struct event e;

	for (uint64_t i = r.first; series_event(series, i, &e); i++) {
		if (e.time >= r.from && e.time < r.to)
			emit(ctx, &(struct shown_point){difference_clipped(e.time, r.base), e.value,
							e.labels});
		if (i % PORTION == PORTION - 1)
			shown_times_count(s, PORTION);
	}
}

/* Returns true if the lens shows the moment on the track; *time becomes that of the file. */
static bool
is_shown_then(const struct shown *s, track_id t, int64_t *time)
{
	const struct fold *f = s->fold;

	if (t == TRACK_NONE || !s->shows[t])
		return false;
	*time = difference_clipped(*time, s->base[s->p->track[t].group]);
	return f->whole || (*time >= f->from && *time < f->to);
}

void
shown_flows(const struct shown *s, void (*tell)(void *ctx, const struct shown_flow *flow),
	    void *ctx)
{
	const struct profile *p = s->p;

	for (uint32_t i = 0; i < p->n_edges; i++) {
		const struct edge *e = &p->edge[i];
		struct shown_flow flow = {p->actor[edge_from(e)].track, p->actor[e->to].track,
					  e->from_time, e->to_time};
		if (is_shown_then(s, flow.from, &flow.from_time) &&
		    is_shown_then(s, flow.to, &flow.to_time))
			tell(ctx, &flow);
	}
}
