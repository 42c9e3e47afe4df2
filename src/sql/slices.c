/* slices.c - the table `slices`: calls and other slices, from their begin to their end.
 *
 * The steps of a series are replayed.  The running path consists of nodes, and a slice ends when
 * the next step's path no longer contains it; then its row is returned.  For a range of begins, the
 * replay starts at the step before it, which has a whole path, and stops when no slice that began
 * in the range is open. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include "model/base/mem.h"

enum {
	COLUMN_TRACK,
	COLUMN_START,
	COLUMN_END,
	COLUMN_DURATION,
	COLUMN_STACK,
	COLUMN_FUNCTION,
	COLUMN_DEPTH,
	COLUMN_VALUE_,
	COLUMN_LABELS,
	COLUMN_WALL,
	COLUMN_PARALLELISM,
};

#define EVENTS (1u << SERIES_STEPS)

static const struct sql_key keys[] = {
	{"track", COLUMN_TRACK, true, false},
	{"start", COLUMN_START, true, false},
};
#define N_KEYS 2u

struct slice_open {
	node_id node;
	stack_id stack; /* the visible stack */
	int64_t start;
	/* of the step that began it, if the slice is its leaf */
	bool valued;
	int64_t value;
	labels_id labels;
};

struct slices_cursor {
	struct events_cursor e;      /* first */
	VEC(struct slice_open) open; /* the running path, from the root */
	VEC(node_id) path;           /* of the next step, from the leaf */
	size_t keeps;                /* how many of the open ones continue */
	bool arriving;               /* the step's path is still to be entered */
	bool ended;                  /* the series is over; its last slices end at `end` */
	int64_t now, end;            /* begin and end of the step */
	size_t wanted;               /* open slices that become rows at their end */
	/* the row */
	struct slice_open row;
	size_t depth;
};

static void
slices_release(struct events_cursor *e)
{
	struct slices_cursor *c = (struct slices_cursor *)e;

	vec_release(&c->open);
	vec_release(&c->path);
}

/* ---- the replay ---- */

static bool
slices_is_wanted(const struct slices_cursor *c, int64_t start)
{
	return start >= c->e.x.low && start <= c->e.x.high;
}

static bool
slices_series(struct events_cursor *e)
{
	struct slices_cursor *c = (struct slices_cursor *)e;

	c->open.n = 0;
	c->wanted = 0;
	c->arriving = c->ended = false;
	return true;
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
	const struct projection *tree = x->sql->shown.tree;

	while (events_next(x)) {
		uint32_t step = chunk_stack(x->chunk, x->i);
		stack_id stack = step & STEP_STACK;
		int64_t time = events_time(x), end = events_end(x);
		bool before = time < x->from;
		if (before && end <= x->from)
			continue;
		c->now = before ? x->from : time;
		end = end > x->to ? x->to : end;
		c->end = end > c->now ? end : c->now;
		if (c->now > x->high && !c->wanted)
			return false;
		node_id node = stack != STACK_EMPTY && stack < tree->n_stacks
				       ? tree->node_of[stack]
				       : NODE_NONE;
		bool begins = !before && step & STEP_CALL && node != NODE_NONE &&
			      tree->call_of[stack] == node;
		find_path(c, node == NODE_NONE ? NODE_ROOT : node, begins);
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

	while (c->open.n < n) {
		node_id node = c->path.at[n - 1 - c->open.n];
		*vec_push(&c->open) = (struct slice_open){.start = c->now, .node = node};
		c->wanted += slices_is_wanted(c, c->now);
	}
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
	c->row = c->open.at[--c->open.n];
	c->depth = c->open.n;
	if (!slices_is_wanted(c, c->row.start))
		return false;
	c->wanted--;
	return true;
}

static bool
slices_row(struct events_cursor *e)
{
	struct slices_cursor *c = (struct slices_cursor *)e;

	for (;;) {
		while (c->ended && c->open.n)
			if (slices_leave(c)) {
				c->now = c->end;
				return true;
			}
		while (c->arriving && c->open.n > c->keeps)
			if (slices_leave(c))
				return true;
		if (c->arriving)
			slices_enter(c);
		if (c->ended || c->e.x.sql->stopped)
			return false;
		c->ended = !next_step(c);
	}
}

static int
slices_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct slices_cursor *c = (struct slices_cursor *)base;
	struct sql_events *x = &c->e.x;

	switch (column) {
	case COLUMN_TRACK:
		sqlite3_result_int64(out, x->series->track);
		break;
	case COLUMN_START:
		sqlite3_result_int64(out, c->row.start - x->base);
		break;
	case COLUMN_END:
		sqlite3_result_int64(out, c->now - x->base);
		break;
	case COLUMN_DURATION:
		sqlite3_result_int64(out, c->now - c->row.start);
		break;
	case COLUMN_STACK:
		if (c->row.stack != STACK_EMPTY)
			sqlite3_result_int64(out, c->row.stack);
		break;
	case COLUMN_FUNCTION:
		if (c->row.stack != STACK_EMPTY)
			sqlite3_result_int64(out, shown_stacks_function(&x->sql->stacks,
									c->row.stack));
		break;
	case COLUMN_DEPTH:
		sqlite3_result_int64(out, (sqlite3_int64)c->depth);
		break;
	case COLUMN_VALUE_:
		if (c->row.valued)
			sqlite3_result_int64(out, c->row.value);
		break;
	case COLUMN_LABELS:
		if (c->row.labels != LABELS_NONE)
			sqlite3_result_int64(out, c->row.labels);
		break;
	case COLUMN_WALL:
	case COLUMN_PARALLELISM:
		sql_result_running(x, out, column == COLUMN_WALL, c->row.start, c->now);
		break;
	}
	return SQLITE_OK;
}

static const struct events_table slices_table = {
	.key = keys,
	.n_keys = N_KEYS,
	.kinds = EVENTS,
	.to_end = true,
	.size = sizeof(struct slices_cursor),
	.series = slices_series,
	.release = slices_release,
	.row = slices_row,
};

static const sqlite3_module module = SQL_EVENTS_MODULE(slices);

const struct sql_table sql_slices = {
	.name = "slices",
	.columns = "track INTEGER, start INTEGER, \"end\" INTEGER, duration INTEGER,"
		   " stack INTEGER, function INTEGER, depth INTEGER, value INTEGER,"
		   " labels INTEGER, wall INTEGER HIDDEN, parallelism INTEGER HIDDEN",
	.module = &module,
	.of = &slices_table,
};

#endif
