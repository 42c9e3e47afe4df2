#include "src/decode/common/callgraph_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/common/rings.h"

/* A heap keeps the candidates: a function, the context above it, and the cost that it would get
 * for each metric.  The heaviest candidate becomes a context, keeps its own part, and puts its
 * callees onto the heap.  So the contexts that are cut off in the end are the lightest. */

/* ---- the heap ---- */

/* A heap with four children per node: half as many levels, and four children share a cache
 * line. */
#define CHILDREN 4u

static inline bool
is_heavier(const struct waiting *a, const struct waiting *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->order < b->order;
}

static void
heap_push(struct expansion *x, struct waiting w)
{
	vec_room(x->heap, x->cap, x->n + 1);
	size_t i = x->n++;
	while (i && is_heavier(&w, &x->heap[(i - 1) / CHILDREN])) {
		x->heap[i] = x->heap[(i - 1) / CHILDREN];
		i = (i - 1) / CHILDREN;
	}
	x->heap[i] = w;
}

static struct waiting
heap_pop(struct expansion *x)
{
	struct waiting top = x->heap[0], last = x->heap[--x->n];
	size_t i = 0;

	for (size_t child; (child = CHILDREN * i + 1) < x->n; i = child) {
		size_t end = child + CHILDREN < x->n ? child + CHILDREN : x->n;
		for (size_t k = child + 1; k < end; k++)
			if (is_heavier(&x->heap[k], &x->heap[child]))
				child = k;
		if (!is_heavier(&x->heap[child], &last))
			break;
		x->heap[i] = x->heap[child];
	}
	if (x->n)
		x->heap[i] = last;
	return top;
}

/* A row that has x->part. */
static uint32_t
row_make(struct expansion *x, uint32_t function, uint32_t parent)
{
	unsigned n = x->g->n_metrics;
	uint32_t row = x->rows.n_free ? x->rows.free[--x->rows.n_free] : x->rows.n++;

	callgraph_room(x->g, &x->rows, row);
	x->rows.at[row] = (struct waiting_row){function, parent};
	memcpy(x->rows.cost + (size_t)row * n, x->part, n * sizeof *x->rows.cost);
	return row;
}

/* Moves the costs of the row to x->mine and frees the row. */
static struct waiting_row
row_take(struct expansion *x, uint32_t row)
{
	unsigned n = x->g->n_metrics;

	memcpy(x->mine, x->rows.cost + (size_t)row * n, n * sizeof *x->rows.cost);
	vec_room(x->rows.free, x->rows.free_cap, x->rows.n_free + 1);
	x->rows.free[x->rows.n_free++] = row;
	return x->rows.at[row];
}

/* Puts a function below a context onto the heap, if x->part is heavy enough. */
static void
wait_for(struct expansion *x, uint32_t function, uint32_t parent)
{
	const double *of = x->part;
	double weight = 0;

	for (unsigned m = 0; m < x->g->n_metrics; m++)
		if (x->whole[m] > 0 && of[m] / x->whole[m] > weight)
			weight = of[m] / x->whole[m];
	if (weight < CALLGRAPH_LEAST) {
		x->g->cut |= weight > 0;
		return;
	}
	heap_push(x, (struct waiting){weight, x->order++, row_make(x, function, parent)});
}

/* ---- contexts ---- */

static uint32_t
context_make(struct expansion *x, uint32_t function, uint32_t parent, double weight)
{
	struct callgraph *g = x->g;

	vec_room(g->contexts.at, g->contexts.cap, g->contexts.n + 1);
	if (g->contexts.n >= x->kept_cap) {
		x->kept_cap = (uint32_t)vec_grown(x->kept_cap, (size_t)g->contexts.n + 1);
		x->kept = mem_realloc(x->kept, x->kept_cap, g->n_metrics * sizeof *x->kept);
	}
	vec_room(x->heavy, x->heavy_cap, g->contexts.n + 1);
	memset(x->kept + (size_t)g->contexts.n * g->n_metrics, 0,
	       g->n_metrics * sizeof *x->kept);
	x->heavy[g->contexts.n] = weight;
	g->contexts.at[g->contexts.n] = (struct callgraph_context){parent, function, 0};
	return g->contexts.n++;
}

/* ---- roots ---- */

/* A ring costs more than its callers account for only if the excess is a larger part of it than
 * this; smaller ones come from rounded numbers in the file. */
#define ROOT_LEAST 1e-3

/* Properties of the rings of a graph. */
struct rooting {
	struct rings rings;
	double *whole;     /* [ring][metric] self costs of its functions, plus the arcs out of it */
	double *more;      /* [ring][metric] the same, minus the arcs into it */
	uint8_t *entered;  /* [ring] another function calls it */
	int64_t *outside;  /* [ring] calls from unknown callers */
	int64_t *inclusive; /* [function][metric] */
};

void
callgraph_rings(const struct callgraph *g, struct rings *rings)
{
	uint32_t *first = mem_zalloc((size_t)g->n_functions + 2, sizeof *first);
	uint32_t *to = mem_alloc((size_t)g->arcs.n + 1, sizeof *to);

	for (uint32_t f = 0, n = 0; f < g->n_functions; f++) {
		for (uint32_t a = g->first_arc[f]; a; a = g->arcs.at[a - 1].next)
			to[n++] = g->arcs.at[a - 1].callee;
		first[f + 1] = n;
	}
	rings_find(rings, g->n_functions, first, to);
	free_all(first, to);
}

static void
rooting_init(struct rooting *r, struct expansion *x)
{
	struct callgraph *g = x->g;
	unsigned n = g->n_metrics;

	callgraph_rings(g, &r->rings);
	r->whole = mem_zalloc((size_t)r->rings.n * n + 1, sizeof *r->whole);
	r->more = mem_zalloc((size_t)r->rings.n * n + 1, sizeof *r->more);
	r->entered = mem_zalloc((size_t)r->rings.n + 1, 1);
	r->outside = mem_zalloc((size_t)r->rings.n + 1, sizeof *r->outside);
	r->inclusive = callgraph_inclusive(g);
	for (uint32_t f = 0; f < g->n_functions; f++) {
		r->outside[r->rings.of[f]] |= g->more_calls[f];
		for (unsigned m = 0; m < n; m++) {
			int64_t self = g->self[(size_t)f * n + m];
			r->whole[(size_t)r->rings.of[f] * n + m] += (double)self;
			x->whole[m] += callgraph_positive(self);
		}
	}
	for (uint32_t a = 0; a < g->arcs.n; a++) {
		size_t from = r->rings.of[g->arcs.at[a].caller],
		       to = r->rings.of[g->arcs.at[a].callee];
		if (from == to)
			continue;
		r->entered[to] = 1;
		for (unsigned m = 0; m < n; m++) {
			double cost = (double)g->arcs.cost[(size_t)a * n + m];
			r->whole[from * n + m] += cost;
			r->more[to * n + m] -= cost;
		}
	}
	for (size_t i = 0; i < (size_t)r->rings.n * n; i++)
		r->more[i] += r->whole[i];
}

/* Returns the root of a ring: the function with calls from unknown callers; of several and of none,
 * the one with the largest inclusive cost. */
static uint32_t
root_of(const struct expansion *x, const struct rooting *r, uint32_t ring)
{
	const struct callgraph *g = x->g;
	uint32_t best = r->rings.member[r->rings.begin[ring]];
	double most = -1;

	for (uint32_t i = r->rings.begin[ring]; i < r->rings.begin[ring + 1]; i++) {
		uint32_t f = r->rings.member[i];
		double weight = 0;
		if (r->outside[ring] && !g->more_calls[f])
			continue;
		for (unsigned m = 0; m < g->n_metrics; m++)
			if (x->whole[m] > 0)
				weight += callgraph_positive(
						  r->inclusive[(size_t)f * g->n_metrics + m]) /
					  x->whole[m];
		if (weight > most) {
			most = weight;
			best = f;
		}
	}
	return best;
}

/* Computes the costs of a root of the ring into x->part; false if it needs none. */
static bool
root_part(struct expansion *x, const struct rooting *r, uint32_t ring)
{
	unsigned n = x->g->n_metrics;
	const double *more = &r->more[(size_t)ring * n], *whole = &r->whole[(size_t)ring * n];
	bool any = false;

	for (unsigned m = 0; m < n; m++) {
		bool counts = !r->entered[ring] || more[m] > whole[m] * ROOT_LEAST;
		x->part[m] = counts && more[m] > 0 ? more[m] : 0;
		any |= x->part[m] > 0;
	}
	return any && (!r->entered[ring] || !x->g->callers_known || r->outside[ring]);
}

/* Context c keeps its own part of its cost, x->mine, and passes the remainder to its callees. */
static void
pass_on(struct expansion *x, uint32_t c)
{
	struct callgraph *g = x->g;
	const double *of = x->mine;
	uint32_t f = g->contexts.at[c].function;

	for (uint32_t up = c; up != CALLGRAPH_NONE; up = g->contexts.at[up].parent)
		x->on_path[g->contexts.at[up].function] = c + 1;
	for (unsigned m = 0; m < g->n_metrics; m++)
		x->off_path[m] = callgraph_positive(g->self[(size_t)f * g->n_metrics + m]);
	for (uint32_t a = g->first_arc[f]; a; a = g->arcs.at[a - 1].next)
		for (unsigned m = 0;
		     m < g->n_metrics && x->on_path[g->arcs.at[a - 1].callee] != c + 1;
		     m++)
			x->off_path[m] += callgraph_positive(
				g->arcs.cost[(size_t)(a - 1) * g->n_metrics + m]);
	for (unsigned m = 0; m < g->n_metrics; m++)
		if (x->off_path[m] > 0)
			x->kept[(size_t)c * g->n_metrics + m] =
				of[m] * callgraph_positive(g->self[(size_t)f * g->n_metrics + m]) /
				x->off_path[m];
	for (uint32_t a = g->first_arc[f]; a; a = g->arcs.at[a - 1].next) {
		if (x->on_path[g->arcs.at[a - 1].callee] == c + 1)
			continue;
		const int64_t *cost = &g->arcs.cost[(size_t)(a - 1) * g->n_metrics];
		for (unsigned m = 0; m < g->n_metrics; m++)
			x->part[m] = x->off_path[m] > 0 ? of[m] * callgraph_positive(cost[m]) /
								  x->off_path[m]
							: 0;
		wait_for(x, g->arcs.at[a - 1].callee, c);
	}
}

static void
make_contexts(struct expansion *x, const struct rooting *r)
{
	for (uint32_t ring = r->rings.n; ring-- > 0;)
		if (root_part(x, r, ring))
			wait_for(x, root_of(x, r, ring), CALLGRAPH_NONE);
	while (x->n && x->g->contexts.n < CALLGRAPH_CONTEXTS) {
		struct waiting w = heap_pop(x);
		struct waiting_row row = row_take(x, w.row);
		pass_on(x, context_make(x, row.function, row.parent, w.weight));
	}
	x->g->cut |= x->n > 0;
}

/* ---- functions that no path has reached ---- */

static void
index_contexts(struct expansion *x)
{
	struct callgraph *g = x->g;
	uint32_t n = g->n_functions;

	free_all(x->first, x->of_function);
	x->first = mem_zalloc((size_t)n + 2, sizeof *x->first);
	x->of_function = mem_alloc((size_t)g->contexts.n + 1, sizeof *x->of_function);
	for (uint32_t c = 0; c < g->contexts.n; c++)
		x->first[g->contexts.at[c].function + 2]++;
	for (uint32_t f = 0; f < n; f++)
		x->first[f + 2] += x->first[f + 1];
	for (uint32_t c = 0; c < g->contexts.n; c++)
		x->of_function[x->first[g->contexts.at[c].function + 1]++] = c;
}

/* Functions that no path has reached yet. */
struct missing {
	uint32_t *at;      /* [function] its heaviest context, which is its first, or _NONE */
	uint32_t *queue;   /* functions with a context, whose callees are to be visited */
	uint32_t begun, n; /* up to `begun` they were */
	uint32_t *above;   /* [function] the context for its parent, if known */
	double *most;      /* [function] the cost of that arc */
	uint32_t *found;   /* functions that have such */
	uint32_t n_found;
};

static double
arc_weight(const struct expansion *x, uint32_t arc)
{
	const struct callgraph *g = x->g;
	double cost = 0;

	for (unsigned m = 0; m < g->n_metrics; m++)
		if (x->whole[m] > 0)
			cost += callgraph_positive(
					g->arcs.cost[(size_t)arc * g->n_metrics + m]) /
				x->whole[m];
	return cost;
}

static void
missing_make(struct expansion *x, struct missing *s, uint32_t f, uint32_t above)
{
	s->at[f] = context_make(x, f, above, 0);
	s->queue[s->n++] = f;
}

/* Gives contexts to callees of functions that have contexts, below the heaviest context of the
 * heaviest caller, until all reachable functions have one. */
static void
missing_spread(struct expansion *x, struct missing *s)
{
	const struct callgraph *g = x->g;

	while (s->begun < s->n) {
		for (uint32_t end = s->n; s->begun < end; s->begun++)
			for (uint32_t a = g->first_arc[s->queue[s->begun]]; a;
			     a = g->arcs.at[a - 1].next) {
				uint32_t f = g->arcs.at[a - 1].callee;
				double cost = arc_weight(x, a - 1);
				if (s->at[f] != CALLGRAPH_NONE)
					continue;
				if (s->above[f] == CALLGRAPH_NONE)
					s->found[s->n_found++] = f;
				else if (cost <= s->most[f])
					continue;
				s->above[f] = s->at[g->arcs.at[a - 1].caller];
				s->most[f] = cost;
			}
		for (uint32_t i = 0; i < s->n_found; i++)
			missing_make(x, s, s->found[i], s->above[s->found[i]]);
		s->n_found = 0;
	}
}

/* Returns true if the file has any data of a function without callers. */
static bool
has_data_without_callers(const struct callgraph *g, uint32_t f)
{
	return g->first_arc[f] || g->first_place[f] || g->more_calls[f];
}

/* Finally gives every function a context, so that all self costs and calls are shown. */
static void
make_missing(struct expansion *x, const struct rooting *r)
{
	struct callgraph *g = x->g;
	size_t room = (size_t)g->n_functions + 1;
	uint32_t *numbers = mem_alloc(room, 4 * sizeof *numbers);
	struct missing s = {.at = numbers, .queue = numbers + room, .above = numbers + 2 * room,
			    .found = numbers + 3 * room,
			    .most = mem_zalloc(room, sizeof *s.most)};

	for (uint32_t f = 0; f < g->n_functions; f++) {
		bool there = x->first[f] < x->first[f + 1];
		s.above[f] = CALLGRAPH_NONE;
		s.at[f] = there ? x->of_function[x->first[f]] : CALLGRAPH_NONE;
		if (there)
			s.queue[s.n++] = f;
	}
	missing_spread(x, &s);
	for (uint32_t ring = r->rings.n; ring-- > 0;) /* callers first */
		if (s.at[r->rings.member[r->rings.begin[ring]]] == CALLGRAPH_NONE &&
		    has_data_without_callers(g, r->rings.member[r->rings.begin[ring]])) {
			missing_make(x, &s, root_of(x, r, ring), CALLGRAPH_NONE);
			missing_spread(x, &s);
		}
	free_all(numbers, s.most);
	index_contexts(x);
}

void
callgraph_expand(struct callgraph *g)
{
	struct expansion x = {.g = g};
	struct rooting rooting;

	assert(!g->contexts.n);
	x.whole = mem_zalloc(g->n_metrics, sizeof *x.whole);
	x.off_path = mem_alloc(g->n_metrics, sizeof *x.off_path);
	x.mine = mem_alloc(g->n_metrics, sizeof *x.mine);
	x.part = mem_alloc(g->n_metrics, sizeof *x.part);
	x.on_path = mem_zalloc((size_t)g->n_functions + 1, sizeof *x.on_path);
	rooting_init(&rooting, &x);
	make_contexts(&x, &rooting);
	index_contexts(&x);
	make_missing(&x, &rooting);
	rings_release(&rooting.rings);
	free_all(rooting.whole, rooting.more, rooting.entered, rooting.outside, rooting.inclusive);
	callgraph_share_all(&x);
	free_all(x.heap, x.rows.at, x.rows.cost, x.rows.free, x.whole, x.kept, x.heavy, x.on_path,
		 x.off_path, x.mine, x.part, x.first, x.of_function);
}
