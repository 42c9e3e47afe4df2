/* slices.c - the table `slices`: calls and other slices, from their begin to their end.
 *
 * The steps of a series are replayed.  The running path consists of nodes, and a slice ends when
 * the next step's path no longer contains it; then its row is returned.  For a range of begins, the
 * replay starts at the step before it, which has a whole path, and stops when no slice that began
 * in the range is open.
 *
 * The id of a slice is the number of the step that begins it, among the steps of all tracks, and
 * its depth; so a lookup by id or parent starts at that step, without an index:
 *
 *	63              21 20     0
 *	| number of step  | depth |
 *
 * The ancestors that are open where a replay starts began at earlier steps, which slices_began()
 * finds backwards if a query reads them. A join by parent looks the same slices up again and again;
 * each cursor keeps the last slice of each depth. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include "model/base/mem.h"
#include "model/base/sum.h"

enum {
	COLUMN_ID,
	COLUMN_PARENT,
	COLUMN_TRACK,
	COLUMN_START,
	COLUMN_END,
	COLUMN_DURATION,
	COLUMN_SELF,
	COLUMN_STACK,
	COLUMN_FUNCTION,
	COLUMN_DEPTH,
	COLUMN_VALUE_,
	COLUMN_LABELS,
	COLUMN_FINISH,
	COLUMN_WALL,
	COLUMN_PARALLELISM,
	COLUMN_SIDE,
};

#define EVENTS (1u << SERIES_STEPS)

static const struct sql_key keys[] = {
	{"track", COLUMN_TRACK, true, false},
	{"start", COLUMN_START, true, false},
	{"id", COLUMN_ID, false, false},
	{"parent", COLUMN_PARENT, false, false},
};
#define N_KEYS 4u
enum { KEY_ID = 2, KEY_PARENT = 3 };

#define BEGAN_UNKNOWN UINT64_MAX
#define SLICES_KEPT 64u /* a power of two */

struct slice_open {
	node_id node;
	stack_id stack; /* the visible stack */
	int64_t start;
	uint64_t began;   /* the step that began it, in the series; or BEGAN_UNKNOWN */
	int64_t children; /* the duration of its children so far */
	bool wanted;      /* it is a row of the query */
	/* of the step that began it, if the slice is its leaf */
	bool valued;
	int64_t value;
	labels_id labels;
};

struct slice_row {
	struct slice_open slice;
	size_t depth;
	int64_t end;
};

/* A slice that a lookup by id found. */
struct slice_kept {
	int64_t id, parent; /* parent < 0: none */
	struct slice_row row;
};

struct slices_cursor {
	struct events_cursor e;      /* first */
	struct sql_bound id, parent;
	int64_t sought;    /* the step that begins the slice, or its parent, among all; or -1 */
	uint64_t offset;   /* of the series: steps before it */
	uint64_t first;    /* the first step in the range of the lens */
	bool from_kept;    /* the row is kept[] */
	VEC(struct slice_open) open; /* the running path, from the root */
	VEC(node_id) path;           /* of the next step, from the leaf */
	size_t keeps;                /* how many of the open ones continue */
	bool replays;                /* some step was entered */
	bool arriving;               /* the step's path is still to be entered */
	bool ended;                  /* the series is over; its last slices end at `end` */
	int64_t now, end;            /* begin and end of the step */
	size_t wanted;               /* open slices that become rows at their end */
	struct slice_row row;
	struct slice_kept kept[SLICES_KEPT]; /* [depth % SLICES_KEPT]; id 0: none */
};

/* ---- ids ---- */

static int64_t
slices_id(const struct slices_cursor *c, uint64_t began, size_t depth)
{
	return shown_slice_id(c->offset + began, depth);
}

/* Returns [track] the steps of all tracks before it, and at last those of all. */
static const uint64_t *
slices_steps(struct sql *s)
{
	const struct profile *p = s->shown.p;

	if (s->steps)
		return s->steps;
	s->steps = mem_zalloc((size_t)p->n_tracks + 1, sizeof *s->steps);
	for (track_id t = 0; t < p->n_tracks; t++) {
		s->steps[t + 1] = s->steps[t];
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if (p->track[t].series[i]->kind == SERIES_STEPS)
				s->steps[t + 1] += p->track[t].series[i]->n;
	}
	return s->steps;
}

/* Returns the node of a step; *begins: it begins a call of that node. */
static node_id
slices_node(const struct projection *tree, uint32_t step, bool *begins)
{
	stack_id stack = step & STEP_STACK;
	node_id node = stack != STACK_EMPTY && stack < tree->n_stacks ? tree->node_of[stack]
								      : NODE_NONE;

	*begins = step & STEP_CALL && node != NODE_NONE && tree->call_of[stack] == node;
	return node == NODE_NONE ? NODE_ROOT : node;
}

/* Returns the step that began a slice of `node` that is open at step `at`. */
static uint64_t
slices_began(const struct slices_cursor *c, uint64_t at, node_id node)
{
	const struct sql_events *x = &c->e.x;
	const struct projection *tree = x->sql->shown.tree;
	bool begins;

	for (; at > c->first && !x->sql->stopped; at--) {
		const struct chunk *k = series_chunk(x->series, at);
		const struct chunk *up = series_chunk(x->series, at - 1);
		if (slices_node(tree, chunk_stack(k, (uint32_t)(at - k->first)), &begins) == node &&
		    begins)
			break;
		node_id v = slices_node(tree, chunk_stack(up, (uint32_t)(at - 1 - up->first)),
					&begins);
		while (v > node) /* the number of a parent is smaller */
			v = tree->parent[v];
		if (v != node)
			break;
		if (!(at & 0xffff) && sql_stopped(x->sql))
			break;
	}
	return at;
}

/* Returns the id of the slice at this depth that was open before the current step. */
static int64_t
slices_open_id(struct slices_cursor *c, size_t depth)
{
	struct slice_open *o = &c->open.at[depth];

	if (o->began == BEGAN_UNKNOWN)
		o->began = slices_began(c, c->e.x.at - 1, o->node);
	return slices_id(c, o->began, depth);
}

/* Returns the first step in the range of the lens. */
static uint64_t
slices_first(const struct sql_events *x)
{
	const struct series *s = x->series;

	if (x->from == INT64_MIN || !s->sorted)
		return 0;
	uint64_t i = series_find(s, x->from);
	if (!i)
		return 0;
	struct sql_events before = *x;
	before.chunk = series_chunk(s, i - 1);
	before.i = (uint32_t)(i - 1 - before.chunk->first);
	return events_end(&before) <= x->from ? i : i - 1;
}

/* Takes the keys of a query; a lookup reads one track alone. */
static void
slices_begin(struct events_cursor *e, const struct sql_bound *bound)
{
	struct slices_cursor *c = (struct slices_cursor *)e;
	const struct sql_bound *by = bound[KEY_ID].asked ? &bound[KEY_ID] : &bound[KEY_PARENT];
	const struct profile *p = e->x.sql->shown.p;
	const uint64_t *steps = slices_steps(e->x.sql);
	track_id t = 0;

	c->id = bound[KEY_ID];
	c->parent = bound[KEY_PARENT];
	c->sought = -1;
	if (!by->asked)
		return;
	c->sought = by->low == by->high ? (by->low >> SHOWN_SLICE_BITS) - 1 : -1;
	if (c->sought < 0 || (uint64_t)c->sought >= steps[p->n_tracks]) {
		e->x.track.high = -1;
		return;
	}
	for (track_id n = p->n_tracks; t + 1 < n;) { /* steps[t] <= sought < steps[n] */
		track_id middle = t + (n - t) / 2;
		if (steps[middle] <= (uint64_t)c->sought)
			t = middle;
		else
			n = middle;
	}
	if (t < e->x.track.low || t > e->x.track.high) {
		e->x.track.high = -1;
		return;
	}
	e->x.track.low = e->x.track.high = e->x.track_now = t;
}

static void
slices_release(struct events_cursor *e)
{
	struct slices_cursor *c = (struct slices_cursor *)e;

	vec_release(&c->open);
	vec_release(&c->path);
}

/* ---- the replay ---- */

/* Returns true if the innermost open slice is a row of the query. */
static bool
slices_is_wanted(struct slices_cursor *c)
{
	const struct slice_open *o = &c->open.at[c->open.n - 1];
	size_t depth = c->open.n - 1;

	if (o->start < c->e.x.low || o->start > c->e.x.high)
		return false;
	if (c->sought < 0)
		return true;
	if (o->began == BEGAN_UNKNOWN ||
	    (c->id.asked && slices_open_id(c, depth) != c->id.low))
		return false;
	return !c->parent.asked || (depth && slices_open_id(c, depth - 1) == c->parent.low);
}

static bool
slices_series(struct events_cursor *e)
{
	struct slices_cursor *c = (struct slices_cursor *)e;
	struct sql_events *x = &e->x;
	const struct track *t = &x->sql->shown.p->track[x->series->track];

	c->open.n = 0;
	c->wanted = 0;
	c->replays = c->arriving = c->ended = c->from_kept = false;
	c->offset = x->sql->steps[x->series->track];
	for (uint32_t i = 0; t->series[i] != x->series; i++)
		c->offset += t->series[i]->kind == SERIES_STEPS ? t->series[i]->n : 0;
	c->first = slices_first(x);
	if (c->sought < 0)
		return true;
	if ((uint64_t)c->sought < c->offset || (uint64_t)c->sought - c->offset >= x->series->n)
		return false;
	uint64_t at = (uint64_t)c->sought - c->offset;
	if (at < c->first)
		return false;
	const struct slice_kept *k =
		&c->kept[c->id.low & ((1 << SHOWN_SLICE_BITS) - 1) & (SLICES_KEPT - 1)];
	if (c->id.asked && !c->parent.asked && k->id == c->id.low) {
		c->from_kept = true;
		c->row = k->row;
		return c->row.slice.start >= x->low && c->row.slice.start <= x->high;
	}
	events_seek(x, at ? at - 1 : 0);
	return true;
}

/* Returns true once no further step can begin a row of a lookup. */
static bool
slices_found(const struct slices_cursor *c)
{
	uint64_t at = (uint64_t)c->sought - c->offset;
	size_t depth = (size_t)c->parent.low & ((1 << SHOWN_SLICE_BITS) - 1);

	if (c->sought < 0 || c->wanted || c->e.x.at <= at)
		return false;
	return c->id.asked || c->open.n <= depth || c->open.at[depth].began != at;
}

/* Finds the path of a step's node, and how much of the running path continues in it. */
static void
find_path(struct slices_cursor *c, node_id node, bool begins)
{
	const struct projection *tree = c->e.x.sql->shown.tree;
	size_t same = 0;

	c->path.n = 0;
	for (; node != NODE_ROOT; node = tree->parent[node])
		*vec_push(&c->path) = node;
	size_t n = c->path.n;
	while (same < n && same < c->open.n && c->open.at[same].node == c->path.at[n - 1 - same])
		same++;
	c->keeps = begins && same == n && n ? same - 1 : same;
	c->arriving = true;
}

/* Goes to the next step; returns false if there is none. */
static bool
next_step(struct slices_cursor *c)
{
	struct sql_events *x = &c->e.x;

	while (events_next(x)) {
		uint32_t step = chunk_stack(x->chunk, x->i);
		int64_t time = events_time(x), end = events_end(x);
		bool before = time < x->from, begins;
		if (before && end <= x->from)
			continue;
		c->now = before ? x->from : time;
		end = end > x->to ? x->to : end;
		c->end = end > c->now ? end : c->now;
		if ((c->now > x->high && !c->wanted) || slices_found(c))
			return false;
		node_id node = slices_node(x->sql->shown.tree, step, &begins);
		find_path(c, node, begins && !before);
		return true;
	}
	return false;
}

/* Finds the recorded stack for each entered node, from the leaf's up, like shown_replay(). */
static void
slices_find_stacks(struct slices_cursor *c, stack_id stack, size_t from)
{
	const struct sql *sql = c->e.x.sql;
	const node_id *leaf_of = sql->shown.tree->leaf_of;
	const stack_id *parent = sql->shown.p->stacks.parent;

	for (size_t k = c->open.n; k-- > from;) {
		struct slice_open *o = &c->open.at[k];
		while (stack != STACK_EMPTY && leaf_of[stack] != o->node)
			stack = parent[stack];
		o->stack = shown_stacks_leaf(&sql->stacks, stack);
	}
}

static void
slices_enter(struct slices_cursor *c)
{
	const struct sql_events *x = &c->e.x;
	size_t n = c->path.n, from = c->open.n;
	/* the first step of a replay within the series has slices that began before it */
	bool known = c->replays || !x->series->sorted || x->at <= c->first;

	while (c->open.n < n) {
		node_id node = c->path.at[n - 1 - c->open.n];
		*vec_push(&c->open) = (struct slice_open){
			.start = c->now, .node = node, .began = known ? x->at : BEGAN_UNKNOWN};
		c->open.at[c->open.n - 1].wanted = slices_is_wanted(c);
		c->wanted += c->open.at[c->open.n - 1].wanted;
	}
	c->replays = true;
	if (from < n) {
		struct slice_open *leaf = &c->open.at[n - 1];
		leaf->labels = events_labels(x);
		leaf->valued = x->series->valued;
		if (leaf->valued)
			leaf->value = chunk_value(x->chunk, x->i);
		slices_find_stacks(c, chunk_stack(x->chunk, x->i) & STEP_STACK, from);
	}
	c->arriving = false;
}

/* Ends the innermost slice; returns true if it is a row. */
static bool
slices_leave(struct slices_cursor *c)
{
	struct slice_open *o = &c->open.at[--c->open.n];
	size_t depth = c->open.n;

	c->row = (struct slice_row){*o, depth, c->now};
	if (depth)
		c->open.at[depth - 1].children =
			sum_clipped(c->open.at[depth - 1].children,
				    difference_clipped(c->now, o->start));
	if (!o->wanted)
		return false;
	c->wanted--;
	if (c->id.asked)
		c->kept[depth & (SLICES_KEPT - 1)] = (struct slice_kept){
			c->id.low, depth ? slices_open_id(c, depth - 1) : -1, c->row};
	return true;
}

static bool
slices_row(struct events_cursor *e)
{
	struct slices_cursor *c = (struct slices_cursor *)e;

	if (c->from_kept) {
		c->from_kept = false;
		c->ended = true;
		return true;
	}
	for (;;) {
		while (c->ended && c->open.n)
			if (slices_leave(c))
				return true;
		while (c->arriving && c->open.n > c->keeps)
			if (slices_leave(c))
				return true;
		if (c->arriving)
			slices_enter(c);
		if (c->ended || c->e.x.sql->stopped)
			return false;
		c->ended = !next_step(c);
		if (c->ended)
			c->now = c->end;
	}
}

/* Returns the id of the row's parent; -1: none. */
static int64_t
slices_row_parent(struct slices_cursor *c)
{
	const struct slice_kept *k = &c->kept[c->row.depth & (SLICES_KEPT - 1)];

	if (!c->row.depth)
		return -1;
	return c->id.asked && k->id == c->id.low ? k->parent : slices_open_id(c, c->row.depth - 1);
}

static int
slices_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct slices_cursor *c = (struct slices_cursor *)base;
	struct sql_events *x = &c->e.x;
	const struct slice_open *o = &c->row.slice;

	switch (column) {
	case COLUMN_ID:
		sqlite3_result_int64(out, slices_id(c, o->began, c->row.depth));
		break;
	case COLUMN_PARENT:
		if (c->row.depth)
			sqlite3_result_int64(out, slices_row_parent(c));
		break;
	case COLUMN_TRACK:
		sqlite3_result_int64(out, x->series->track);
		break;
	case COLUMN_START:
		sqlite3_result_int64(out, o->start - x->base);
		break;
	case COLUMN_END:
	case COLUMN_FINISH:
		sqlite3_result_int64(out, c->row.end - x->base);
		break;
	case COLUMN_DURATION:
		sqlite3_result_int64(out, c->row.end - o->start);
		break;
	case COLUMN_SELF:
		sqlite3_result_int64(out, difference_clipped(c->row.end - o->start, o->children));
		break;
	case COLUMN_STACK:
		if (o->stack != STACK_EMPTY)
			sqlite3_result_int64(out, o->stack);
		break;
	case COLUMN_FUNCTION:
		if (o->stack != STACK_EMPTY)
			sqlite3_result_int64(out,
					     shown_stacks_function(&x->sql->stacks, o->stack));
		break;
	case COLUMN_DEPTH:
		sqlite3_result_int64(out, (sqlite3_int64)c->row.depth);
		break;
	case COLUMN_VALUE_:
		if (o->valued)
			sqlite3_result_int64(out, o->value);
		break;
	case COLUMN_LABELS:
		if (o->labels != LABELS_NONE)
			sqlite3_result_int64(out, o->labels);
		break;
	case COLUMN_WALL:
	case COLUMN_PARALLELISM:
		sql_result_running(x, out, column == COLUMN_WALL, o->start, c->row.end);
		break;
	case COLUMN_SIDE:
		sql_result_side(x->sql, out, x->series->track);
		break;
	}
	return SQLITE_OK;
}

static const struct events_table slices_table = {
	.key = keys,
	.n_keys = N_KEYS,
	.kinds = EVENTS,
	.to_end = true,
	.direct = KEY_ID,
	.size = sizeof(struct slices_cursor),
	.begin = slices_begin,
	.series = slices_series,
	.release = slices_release,
	.row = slices_row,
};

static const sqlite3_module module = SQL_EVENTS_MODULE(slices);

const struct sql_table sql_slices = {
	.name = "slices",
	.columns = "id INTEGER, parent INTEGER, track INTEGER, start INTEGER, \"end\" INTEGER,"
		   " duration INTEGER, self INTEGER, stack INTEGER, function INTEGER,"
		   " depth INTEGER, value INTEGER, labels INTEGER, finish INTEGER HIDDEN,"
		   " wall INTEGER HIDDEN, parallelism INTEGER HIDDEN",
	.module = &module,
	.of = &slices_table,
	.sided = true,
};

#endif
