#include "src/decode/common/callgraph_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/common/rings.h"

/* A heap keeps the candidates: a function, the context above it, and the cost that it would get
 * for each metric.  The heaviest candidate becomes a context, keeps its own part, and puts its
 * callees onto the heap.  So the contexts that are cut off in the end are the lightest.
 *
 * A candidate is 16 bytes: its costs follow from the context above it and the arc. */

/* ---- the heap ---- */

/* A heap with four children per node: half as many levels, and four children share a cache
 * line. */
#define CHILDREN 4u

static inline bool
is_heavier(const struct waiting *a, const struct waiting *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return a->above != b->above ? a->above < b->above : a->arc < b->arc;
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

/* Puts a candidate onto the heap, if it is heavy enough. */
static bool
wait_for(struct expansion *x, struct waiting w)
{
	if (w.weight < CALLGRAPH_LEAST) {
		x->g->cut |= w.weight > 0;
		return false;
	}
	heap_push(x, w);
	return true;
}

/* ---- contexts ---- */

static uint32_t
context_make(struct expansion *x, uint32_t function, uint32_t parent, double weight)
{
	struct callgraph *g = x->g;

	vec_room(g->contexts.at, g->contexts.cap, g->contexts.n + 1);
	if (g->contexts.n >= x->share_cap) {
		x->share_cap = (uint32_t)vec_grown(x->share_cap, (size_t)g->contexts.n + 1);
		x->share = mem_realloc(x->share, x->share_cap, g->n_metrics * sizeof *x->share);
	}
	vec_room(x->heavy, x->heavy_cap, g->contexts.n + 1);
	memset(x->share + (size_t)g->contexts.n * g->n_metrics, 0,
	       g->n_metrics * sizeof *x->share);
	x->heavy[g->contexts.n] = weight;
	g->contexts.at[g->contexts.n] = (struct callgraph_context){parent, function, 0};
	return g->contexts.n++;
}

/* Makes a context of a candidate, with the costs that it gets. */
static uint32_t
context_take(struct expansion *x, const struct waiting *w)
{
	unsigned n = x->g->n_metrics;
	bool root = !w->above;
	uint32_t c = context_make(x, (root ? x->root : x->arcs.callee)[w->arc], w->above - 1,
				  w->weight);
	struct callgraph_share_of *share = x->share + (size_t)c * n;
	const double *cost = (root ? x->root_cost : x->arcs.cost) + (size_t)w->arc * n;
	const struct callgraph_share_of *above =
		root ? NULL : x->share + ((size_t)w->above - 1) * n;

	for (unsigned m = 0; m < n; m++)
		share[m].cost = root ? cost[m] : callgraph_share(&above[m], cost[m]);
	return c;
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

/* Lists the arcs in the order of their functions. */
static void
list_arcs(struct expansion *x)
{
	const struct callgraph *g = x->g;
	unsigned n = g->n_metrics;

	callgraph_callees(g, &x->arcs.first, &x->arcs.callee);
	x->arcs.cost = mem_alloc((size_t)g->arcs.n + 1, n * sizeof *x->arcs.cost);
	double *cost = x->arcs.cost;
	for (uint32_t f = 0; f < g->n_functions; f++)
		for (uint32_t a = g->first_arc[f]; a; a = g->arcs.at[a - 1].next)
			for (unsigned m = 0; m < n; m++)
				*cost++ = callgraph_positive(g->arcs.cost[(size_t)(a - 1) * n + m]);
}

static void
rooting_init(struct rooting *r, struct expansion *x)
{
	struct callgraph *g = x->g;
	unsigned n = g->n_metrics;

	rings_find(&r->rings, g->n_functions, x->arcs.first, x->arcs.callee);
	x->ring = r->rings.of;
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

/* Adds the root of a ring to the candidates, if it needs one; it costs x->part. */
static void
root_wait(struct expansion *x, const struct rooting *r, uint32_t ring)
{
	unsigned n = x->g->n_metrics;
	double weight = 0;

	if (!root_part(x, r, ring))
		return;
	for (unsigned m = 0; m < n; m++)
		if (x->whole[m] > 0 && x->part[m] / x->whole[m] > weight)
			weight = x->part[m] / x->whole[m];
	if (!wait_for(x, (struct waiting){weight, 0, x->n_roots}))
		return;
	x->root[x->n_roots] = root_of(x, r, ring);
	memcpy(x->root_cost + (size_t)x->n_roots++ * n, x->part, n * sizeof *x->part);
}

/* Context c passes its cost on to its callees, but for its own part.  Functions that are already
 * on its path get nothing: they are in the ring of its function, as are those between. */
static void
pass_on(struct expansion *x, uint32_t c)
{
	struct callgraph *g = x->g;
	unsigned n = g->n_metrics;
	struct callgraph_share_of *share = x->share + (size_t)c * n;
	uint32_t f = g->contexts.at[c].function, end = x->arcs.first[f + 1];

	for (uint32_t up = c;
	     up != CALLGRAPH_NONE && x->ring[g->contexts.at[up].function] == x->ring[f];
	     up = g->contexts.at[up].parent)
		x->on_path[g->contexts.at[up].function] = c + 1;
	for (unsigned m = 0; m < n; m++)
		share[m].divisor = callgraph_positive(g->self[(size_t)f * n + m]);
	for (uint32_t a = x->arcs.first[f]; a < end; a++)
		for (unsigned m = 0; m < n && x->on_path[x->arcs.callee[a]] != c + 1; m++)
			share[m].divisor += x->arcs.cost[(size_t)a * n + m];
	for (uint32_t a = x->arcs.first[f]; a < end; a++) {
		const double *cost = &x->arcs.cost[(size_t)a * n];
		double weight = 0;
		if (x->on_path[x->arcs.callee[a]] == c + 1)
			continue;
		for (unsigned m = 0; m < n; m++) {
			double part = callgraph_share(&share[m], cost[m]);
			if (x->whole[m] > 0 && part / x->whole[m] > weight)
				weight = part / x->whole[m];
		}
		wait_for(x, (struct waiting){weight, c + 1, a});
	}
}

static void
make_contexts(struct expansion *x, const struct rooting *r)
{
	x->root = mem_alloc((size_t)r->rings.n + 1, sizeof *x->root);
	x->root_cost = mem_alloc((size_t)r->rings.n + 1, x->g->n_metrics * sizeof *x->root_cost);
	for (uint32_t ring = r->rings.n; ring-- > 0;)
		root_wait(x, r, ring);
	while (x->n && x->g->contexts.n < CALLGRAPH_CONTEXTS) {
		struct waiting w = heap_pop(x);
		pass_on(x, context_take(x, &w));
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
	slots_release(&g->arcs.of);
	slots_release(&g->places.of);
	x.whole = mem_zalloc(g->n_metrics, sizeof *x.whole);
	x.part = mem_alloc(g->n_metrics, sizeof *x.part);
	x.on_path = mem_zalloc((size_t)g->n_functions + 1, sizeof *x.on_path);
	list_arcs(&x);
	rooting_init(&rooting, &x);
	make_contexts(&x, &rooting);
	free_all(x.heap, x.root, x.root_cost, x.arcs.first, x.arcs.callee, x.arcs.cost);
	index_contexts(&x);
	make_missing(&x, &rooting);
	rings_release(&rooting.rings);
	free_all(rooting.whole, rooting.more, rooting.entered, rooting.outside, rooting.inclusive);
	callgraph_share_all(&x);
	free_all(x.whole, x.share, x.heavy, x.on_path, x.part, x.first, x.of_function);
}
