/* answers_phases.c - does the work change over the run?
 *
 * The run is cut into windows, and the cost of each is divided among the top-level functions:
 * the children of the deepest frame that has nearly all of the cost. The best cut of the
 * windows is the one with the largest chi-square between the mixes on its sides. To decide if
 * that exceeds chance, the same search runs on the windows in random order: this measures how
 * much the windows of this profile differ anyway, and needs no assumption about samples. Each
 * side is then searched again.
 *
 * Rejected: the chi-square distribution. Samples of real programs depend on each other, so it
 * calls nearly every program one of many phases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"

#define WINDOWS 40u
#define SIDE_MIN 2u /* windows: 5 % of the run */
#define CATEGORIES 9u
#define NEARLY_ALL 0.9
#define ORDERS 199u     /* random orders */
#define BY_CHANCE 0.01  /* the probability that a cut may have */
#define DIFFERS 0.2     /* the part of the work that another function does */
#define PHASES_MAX 8u

struct mix {
	double of[CATEGORIES];
};

struct phases {
	struct answers_work *w;
	key_id key[CATEGORIES]; /* of categories 1 .. n-1; 0 is all others */
	unsigned n;
	struct mix window[WINDOWS];
	unsigned cut[PHASES_MAX];
	unsigned n_cuts;
	uint64_t random;
};

/* ---- categories ---- */

/* Returns the deepest node that has nearly all of the cost. */
static node_id
trunk(const struct fold *f)
{
	node_id at = NODE_ROOT;

	for (;;) {
		node_id best = NODE_NONE;
		for (node_id c = f->tree->first_child[at]; c != NODE_NONE;
		     c = f->tree->next_sibling[c])
			if (best == NODE_NONE || f->now.total[c] > f->now.total[best])
				best = c;
		if (best == NODE_NONE ||
		    (double)f->now.total[best] <
			    NEARLY_ALL * (double)f->now.total[NODE_ROOT] ||
		    f->tree->first_child[best] == NODE_NONE)
			return at;
		at = best;
	}
}

/* Writes the category of each node, [node]. */
static uint8_t *
categories(struct phases *x)
{
	const struct fold *f = x->w->fold;
	node_id top = trunk(f), child[CATEGORIES - 1];
	uint8_t *of = mem_zalloc(f->tree->n + 1, 1);
	uint32_t n = fold_children(f, x->w->p, top, child, CATEGORIES - 1);

	n = n < CATEGORIES - 1 ? n : CATEGORIES - 1;
	x->n = n + 1;
	for (uint32_t i = 0; i < n; i++) {
		of[child[i]] = (uint8_t)(i + 1);
		x->key[i + 1] = f->tree->key[child[i]];
	}
	for (node_id i = 1; i < f->tree->n && pace_on(x->w->pace, 1); i++)
		if (!of[i] && f->tree->parent[i] != NODE_NONE)
			of[i] = of[f->tree->parent[i]];
	return of;
}

static void
read_windows(struct phases *x, const uint8_t *category)
{
	const struct answers_work *w = x->w;
	struct slice slice = w->slice;
	struct tally tally;

	tally_init(&tally);
	tally.pace = w->pace;
	slice.whole = false;
	for (unsigned i = 0; i < WINDOWS && !pace_gives_up(w->pace); i++) {
		slice.from = series_edge(w->from, w->to, WINDOWS, i);
		slice.to = series_edge(w->from, w->to, WINDOWS, i + 1);
		tally_count(&tally, w->p, &slice);
		for (stack_id s = 0; s < tally.n && s < w->fold->tree->n_stacks; s++) {
			node_id node = w->fold->tree->node_of[s];
			if (node != NODE_NONE)
				x->window[i].of[category[node]] += (double)tally.cell[s].value;
		}
	}
	tally_release(&tally);
}

/* ---- cuts ---- */

static double
sum_of(const struct mix *m, unsigned n)
{
	double sum = 0;

	for (unsigned c = 0; c < n; c++)
		sum += m->of[c];
	return sum;
}

static void
add_mix(struct mix *to, const struct mix *m, double sign)
{
	for (unsigned c = 0; c < CATEGORIES; c++)
		to->of[c] += sign * m->of[c];
}

/* Returns the chi-square between two mixes, up to a factor. */
static double
chi_square(const struct mix *a, const struct mix *b, unsigned n)
{
	double sum_a = sum_of(a, n), sum_b = sum_of(b, n), chi = 0;

	if (!(sum_a > 0 && sum_b > 0))
		return 0;
	for (unsigned c = 0; c < n; c++) {
		double both = a->of[c] + b->of[c];
		double off = a->of[c] - both * sum_a / (sum_a + sum_b);
		chi += both > 0 ? off * off / both : 0;
	}
	return chi * (sum_a + sum_b) / sum_a / sum_b * (sum_a + sum_b);
}

/* Returns how much of the work differs between two mixes, 0 to 1. */
static double
answers_difference(const struct mix *a, const struct mix *b, unsigned n)
{
	double sum_a = sum_of(a, n), sum_b = sum_of(b, n), differs = 0;

	for (unsigned c = 0; c < n && sum_a > 0 && sum_b > 0; c++)
		differs += fabs(a->of[c] / sum_a - b->of[c] / sum_b) / 2;
	return differs;
}

static void
sides(const struct phases *x, const unsigned *order, unsigned from, unsigned cut, unsigned to,
      struct mix *left, struct mix *right)
{
	*left = *right = (struct mix){{0}};
	for (unsigned i = from; i < to; i++)
		add_mix(i < cut ? left : right, &x->window[order[i]], 1);
}

/* Returns the largest chi-square of the cuts of order[from .. to), and which cut has it. */
static double
best_cut(const struct phases *x, const unsigned *order, unsigned from, unsigned to, unsigned *cut)
{
	struct mix left, right;
	double best = -1;

	sides(x, order, from, from + SIDE_MIN, to, &left, &right);
	for (unsigned k = from + SIDE_MIN; k + SIDE_MIN <= to; k++) {
		double chi = chi_square(&left, &right, x->n);
		if (chi > best) {
			best = chi;
			*cut = k;
		}
		add_mix(&left, &x->window[order[k]], 1);
		add_mix(&right, &x->window[order[k]], -1);
	}
	return best;
}

static unsigned
random_below(struct phases *x, unsigned n)
{
	x->random ^= x->random << 13;
	x->random ^= x->random >> 7;
	x->random ^= x->random << 17;
	return (unsigned)(x->random >> 33) % n;
}

/* Returns how likely a cut as good as this one is if the windows come in random order. */
static double
probability(struct phases *x, unsigned from, unsigned to, double chi)
{
	unsigned order[WINDOWS], cut, as_good = 1;

	for (unsigned i = 0; i < WINDOWS; i++)
		order[i] = i;
	for (unsigned k = 0; k < ORDERS && pace_on(x->w->pace, 1000); k++) {
		for (unsigned i = to - 1; i > from; i--) {
			unsigned other = from + random_below(x, i - from + 1), was = order[i];
			order[i] = order[other];
			order[other] = was;
		}
		as_good += best_cut(x, order, from, to, &cut) >= chi;
	}
	return as_good / (ORDERS + 1.0);
}

/* Finds the cuts of the windows, the best one first, then those on its sides. */
static void
find_cuts(struct phases *x)
{
	struct part {
		unsigned from, to;
	} part[PHASES_MAX * 2 + 1] = {{0, WINDOWS}};
	unsigned n = 1, order[WINDOWS];

	for (unsigned i = 0; i < WINDOWS; i++)
		order[i] = i;
	for (unsigned i = 0; i < n && x->n_cuts < PHASES_MAX; i++) {
		struct part now = part[i];
		struct mix left, right;
		unsigned cut = 0;
		if (now.to - now.from < 2 * SIDE_MIN)
			continue;
		double chi = best_cut(x, order, now.from, now.to, &cut);
		sides(x, order, now.from, cut, now.to, &left, &right);
		if (answers_difference(&left, &right, x->n) < DIFFERS ||
		    probability(x, now.from, now.to, chi) > BY_CHANCE)
			continue;
		x->cut[x->n_cuts++] = cut;
		part[n++] = (struct part){now.from, cut};
		part[n++] = (struct part){cut, now.to};
	}
}

static int
compare_cuts(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Returns the category that has the largest part more on one side than on the other. */
static unsigned
gains_most(const struct mix *on, const struct mix *than, unsigned n)
{
	double sum_on = sum_of(on, n), sum_than = sum_of(than, n), most = -1;
	unsigned best = 0;

	for (unsigned c = 0; c < n; c++) {
		double gain = on->of[c] / (sum_on + 1e-9) - than->of[c] / (sum_than + 1e-9);
		if (gain > most) {
			most = gain;
			best = c;
		}
	}
	return best;
}

static void
say_category(const struct phases *x, unsigned c, struct answers_item *out)
{
	if (c && answers_nameless(x->w, x->key[c]))
		answers_say(out, "code without a name");
	else if (c)
		answers_function(x->w, x->key[c], &out->text);
	else
		answers_say(out, "other work");
}

static void
say_phases(struct phases *x, struct answers_item *out)
{
	struct mix left, right;
	unsigned order[WINDOWS], first = x->cut[0];

	for (unsigned i = 0; i < WINDOWS; i++)
		order[i] = i;
	sides(x, order, 0, first, x->n_cuts > 1 ? x->cut[1] : WINDOWS, &left, &right);
	answers_say(out, "the work changes at ");
	answers_say_time(out, series_edge(x->w->from, x->w->to, WINDOWS, first));
	answers_say(out, " from ");
	unsigned was = gains_most(&left, &right, x->n), is = gains_most(&right, &left, x->n);
	say_category(x, was, out);
	answers_say(out, " to ");
	say_category(x, is, out);
	out->from = answers_moment(x->w, series_edge(x->w->from, x->w->to, WINDOWS, first));
	out->compares = true;
	if (out->notable > 1 && ((was && answers_nameless(x->w, x->key[was])) ||
				 (is && answers_nameless(x->w, x->key[is]))))
		out->notable = 1; /* `trust` reports missing names, and comes first */
	if (x->n_cuts > 1)
		answers_say(out, ", and %u time%s more", x->n_cuts - 1,
			    x->n_cuts == 2 ? "" : "s");
}

static void
find_phases(struct answers_work *w, struct answers_item *out)
{
	struct phases x = {.w = w, .random = UINT64_C(0x9E3779B97F4A7C15)};
	uint8_t *category = categories(&x);

	if (x.n > 1)
		read_windows(&x, category);
	free(category);
	if (x.n > 1)
		find_cuts(&x);
	if (x.n_cuts > 1)
		qsort(x.cut, x.n_cuts, sizeof *x.cut, compare_cuts);
	answers_add(out, "", "count", "count", x.n_cuts);
	for (unsigned i = 0; i < x.n_cuts; i++)
		answers_add(out, "", "boundary", "ns",
			    (double)series_edge(w->from, w->to, WINDOWS, x.cut[i]));
	out->notable = answers_level(x.n_cuts, 1);
	if (x.n_cuts)
		say_phases(&x, out);
	else
		answers_say(out, "the mix of the work does not change");
}

const struct answers_row answer_phases = {
	.name = "phases",
	.question = "Does the work change over the run?",
	.guide = "ranges",
	.command = "--limit 10",
	.needs = ANSWERS_NEED_TIME | ANSWERS_NEED_COSTS,
	.find = find_phases,
};
