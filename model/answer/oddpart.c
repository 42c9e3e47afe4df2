/* oddpart.c - see oddpart.h.
 *
 * The run is cut into bins. Each bin's time is divided among the functions with most self, all
 * others, and idle time, which is what a bin has less than the fullest one. So a hang and a slow
 * function are found in the same way: the shares in a window of some bins differ from those in the
 * rest of the run. How much windows of a length differ anyway is their median difference, by chance
 * or because the program alternates. Of windows of several lengths the best one has the largest
 * difference beyond twice that, times the square root of its length; without the root a single bin
 * would always win.
 *
 * Rejected: the longest call. It is often an outer one that includes the whole run, and samples
 * have no calls. */
#include "model/answer/oddpart.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/mem.h"

#define BINS 256u
#define PARTS 64u /* categories: 0 is idle time, 1 all other functions */
#define IDLE 0u
#define OTHERS 1u
#define DIFFERS 0.1
#define LONGEST (BINS / 8)

struct odd_mix {
	double of[PARTS];
};

struct odd_search {
	const struct profile *p;
	const struct fold *f;
	struct pace *pace;
	uint8_t *part; /* [stack] its category */
	key_id key[PARTS];
	unsigned n;    /* categories */
	struct odd_mix *until; /* [bin] sums of the bins before it, BINS + 1 */
	double *usual; /* scratch: the differences of windows of one length */
	double usual_of[LONGEST + 1]; /* [length] twice their median; below 0: not known */
	uint8_t taken[BINS];
};

/* ---- categories ---- */

/* Returns the function that runs on a stack; KEY_NONE if it is not shown. */
static key_id
runs_on(const struct fold *f, stack_id s)
{
	const struct projection *t = f->tree;
	node_id n = s < t->n_stacks ? t->node_of[s] : NODE_NONE;

	if (n == NODE_NONE || n == NODE_ROOT)
		return KEY_NONE;
	while (t->inverted && t->parent[n] != NODE_ROOT)
		n = t->parent[n];
	return t->key[n];
}

/* Puts a key into the list of the largest ones, by falling self. */
static void
insert_key(struct odd_search *x, double *self, key_id key, double v)
{
	unsigned at = x->n;

	if (at == PARTS) {
		if (v <= self[at - 1])
			return;
		at--;
	} else {
		x->n++;
	}
	for (; at > OTHERS + 1 && self[at - 1] < v; at--) {
		self[at] = self[at - 1];
		x->key[at] = x->key[at - 1];
	}
	self[at] = v;
	x->key[at] = key;
}

static void
find_categories(struct odd_search *x, const struct slice *slice)
{
	double *of = mem_zalloc((size_t)x->f->tree->n_keys + 1, sizeof *of), self[PARTS];
	uint8_t *category = mem_zalloc((size_t)x->f->tree->n_keys + 1, 1);
	struct tally t;

	tally_init(&t);
	t.pace = x->pace;
	tally_count(&t, x->p, slice);
	x->n = OTHERS + 1;
	x->key[IDLE] = x->key[OTHERS] = KEY_NONE;
	for (stack_id s = 0; s < t.n && pace_on(x->pace, 1); s++) {
		key_id key = t.cell[s].value > 0 ? runs_on(x->f, s) : KEY_NONE;
		if (key != KEY_NONE)
			of[key] += (double)t.cell[s].value;
	}
	for (key_id k = 0; k < x->f->tree->n_keys && pace_on(x->pace, 1); k++)
		if (of[k] > 0)
			insert_key(x, self, k, of[k]);
	for (unsigned c = OTHERS + 1; c < x->n; c++)
		category[x->key[c]] = (uint8_t)c;
	x->part = mem_zalloc((size_t)t.n + 1, 1);
	for (stack_id s = 0; s < t.n && pace_on(x->pace, 1); s++) {
		key_id key = runs_on(x->f, s);
		if (key != KEY_NONE)
			x->part[s] = category[key] ? category[key] : OTHERS;
	}
	tally_release(&t);
	free(category);
	free(of);
}

/* Reads the bins, with idle time, and adds them up. */
static void
read_bins(struct odd_search *x, struct slice *slice, int64_t run)
{
	double *sum = mem_zalloc(BINS, sizeof *sum), most = 0;
	struct tally t;
	uint32_t n_stacks = x->p->stacks.n;

	tally_init(&t);
	t.pace = x->pace;
	slice->whole = false;
	for (unsigned i = 0; i < BINS && !pace_gives_up(x->pace); i++) {
		struct odd_mix *bin = &x->until[i + 1];
		slice->from = series_edge(0, run, BINS, i);
		slice->to = series_edge(0, run, BINS, i + 1);
		tally_count(&t, x->p, slice);
		for (stack_id s = 0; s < t.n && s < n_stacks; s++)
			if (t.cell[s].value > 0 && x->part[s]) {
				bin->of[x->part[s]] += (double)t.cell[s].value;
				sum[i] += (double)t.cell[s].value;
			}
		most = sum[i] > most ? sum[i] : most;
	}
	for (unsigned i = 0; i < BINS; i++) {
		x->until[i + 1].of[IDLE] = most - sum[i];
		for (unsigned c = 0; c < x->n; c++)
			x->until[i + 1].of[c] += x->until[i].of[c];
	}
	tally_release(&t);
	free(sum);
}

/* ---- windows ---- */

static double
sum_between(const struct odd_search *x, unsigned c, unsigned from, unsigned to)
{
	return x->until[to].of[c] - x->until[from].of[c];
}

/* Returns the difference between [from, to) and the rest, and the category that gains most. */
static double
difference(const struct odd_search *x, unsigned from, unsigned to, unsigned *gains)
{
	double all = 0, in = 0, differs = 0, most = -1;

	for (unsigned c = 0; c < x->n; c++) {
		all += x->until[BINS].of[c];
		in += sum_between(x, c, from, to);
	}
	if (!(in > 0 && all > in))
		return 0;
	for (unsigned c = 0; c < x->n; c++) {
		double part = sum_between(x, c, from, to);
		double now = part / in, rest = (x->until[BINS].of[c] - part) / (all - in);
		differs += fabs(now - rest) / 2;
		if (now - rest > most) {
			most = now - rest;
			*gains = c;
		}
	}
	return differs;
}

/* Returns true if no bin is part of an earlier result. Idle ends of a run are not odd. */
static bool
is_free(const struct odd_search *x, unsigned from, unsigned to, unsigned gains)
{
	if (gains == IDLE && (!from || to == BINS))
		return false;
	for (unsigned i = from; i < to; i++)
		if (x->taken[i])
			return false;
	return true;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns twice the median difference of the windows of a length. */
static double
usual_difference(struct odd_search *x, unsigned length)
{
	unsigned n = BINS - length + 1;

	if (x->usual_of[length] >= 0)
		return x->usual_of[length];
	for (unsigned i = 0; i < n; i++) {
		unsigned gains;
		x->usual[i] = difference(x, i, i + length, &gains);
	}
	qsort(x->usual, n, sizeof *x->usual, by_value);
	return x->usual_of[length] = 2 * x->usual[n / 2];
}

/* A window, and how odd it is: its difference beyond the usual one, times the square root of its
 * length; 0 if it is not odd, or not free. */
struct odd_window {
	unsigned from, to, gains;
	double differs, oddness;
};

static struct odd_window
window_of(struct odd_search *x, unsigned from, unsigned to)
{
	struct odd_window w = {.from = from, .to = to, .gains = OTHERS};

	w.differs = difference(x, from, to, &w.gains);
	double beyond = w.differs - usual_difference(x, to - from);
	if (beyond >= DIFFERS && is_free(x, from, to, w.gains))
		w.oddness = beyond * sqrt(to - from);
	return w;
}

/* Moves the ends of a window bin by bin while it gets odder. */
static struct odd_window
refine(struct odd_search *x, struct odd_window best)
{
	for (bool better = true; better && pace_on(x->pace, PARTS * 4);) {
		struct odd_window was = best;
		for (unsigned k = 0; k < 4; k++) {
			unsigned from = was.from - (k == 0) + (k == 1);
			unsigned to = was.to - (k == 2) + (k == 3);
			if (from < to && to <= BINS && to - from <= LONGEST) {
				struct odd_window w = window_of(x, from, to);
				best = w.oddness > best.oddness ? w : best;
			}
		}
		better = best.oddness > was.oddness;
	}
	return best;
}

/* Returns the share of a category in [from, to). */
static double
share_between(const struct odd_search *x, unsigned c, unsigned from, unsigned to)
{
	double all = 0;

	for (unsigned i = c == IDLE ? IDLE : OTHERS; i < x->n; i++)
		all += sum_between(x, i, from, to);
	return all > 0 ? sum_between(x, c, from, to) / all : 0;
}

/* Finds the best window that is still free; false if none differs enough. */
static bool
take_best(struct odd_search *x, int64_t run, struct oddpart *best)
{
	static const unsigned lengths[] = {1, 2, 3, 4, 6, 8, 11, 16, 22, LONGEST};
	struct odd_window w = {0};

	for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
		for (unsigned i = 0; i + lengths[k] <= BINS && pace_on(x->pace, PARTS); i++) {
			struct odd_window one = window_of(x, i, i + lengths[k]);
			w = one.oddness > w.oddness ? one : w;
		}
	if (!(w.oddness > 0))
		return false;
	w = refine(x, w);
	bool before = w.from >= BINS - w.to;
	*best = (struct oddpart){
		.from = series_edge(0, run, BINS, w.from),
		.to = series_edge(0, run, BINS, w.to),
		.differs = w.differs,
		.key = x->key[w.gains],
		.idle = w.gains == IDLE,
		.before = before,
		.now = share_between(x, w.gains, w.from, w.to),
		.beside = before ? share_between(x, w.gains, 0, w.from)
				 : share_between(x, w.gains, w.to, BINS),
	};
	for (unsigned i = w.from ? w.from - 1 : 0; i < w.to + 1 && i < BINS; i++)
		x->taken[i] = 1; /* a neighbour of a part is no other part */
	return true;
}

void
oddparts_find(struct oddparts *out, const struct profile *p, const struct fold *f,
	      struct pace *pace)
{
	struct odd_search x = {.p = p, .f = f, .pace = pace};
	uint8_t *tracks;
	struct slice slice = fold_slice(f, p, &tracks);

	*out = (struct oddparts){.n = 0};
	slice.whole = true;
	if (f->metric != METRIC_NONE && f->run >= BINS) {
		x.until = mem_zalloc(BINS + 1, sizeof *x.until);
		x.usual = mem_alloc(BINS, sizeof *x.usual);
		for (unsigned i = 0; i <= LONGEST; i++)
			x.usual_of[i] = -1;
		find_categories(&x, &slice);
		read_bins(&x, &slice, f->run);
		while (!pace_gives_up(pace) && out->n < ODDPARTS_MAX &&
		       take_best(&x, f->run, &out->at[out->n]))
			out->n++;
	}
	out->complete = !pace_gives_up(pace);
	free(x.part);
	free(x.until);
	free(x.usual);
	free(tracks);
}
