/* phases.c - see phases.h.
 *
 * Two tests decide if a stretch of windows has phases at all.  Both compare it with the same
 * windows in random order: this measures how much the windows of this profile differ anyway, and
 * needs no assumption about samples.  The first is for one change: the largest chi-square
 * between the mixes on the sides of a cut.  The second is for work that comes again: how much
 * neighbours differ.  If only the second one finds something, the cuts are those that leave the
 * least differences within phases, each at a price (optimal partitioning; B. Jackson et al., IEEE
 * Signal Processing Letters 12 (2005) 105-108).  At last each cut moves to the best place within
 * the windows beside it.
 *
 * Rejected: the chi-square distribution. Samples of real programs depend on each other, so it
 * calls nearly every program one of many phases. */
#include "model/fold/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/wide.h"

#define SIDE_MIN 2u /* windows: 5 % of the run, if there are 40 */
#define NEARLY_ALL 0.9
#define ORDERS 199u    /* random orders */
#define BY_CHANCE 0.01 /* the probability that a cut may have */
#define DIFFERS 0.2    /* the part of the work that another function does */
#define CHANCES 3.0    /* how much more than by chance */
#define ALIKE 0.5
#define PRICE 4.0      /* of a cut, in differences of neighbours, per logarithm of the windows */
#define FINER 16u      /* places for a cut, within the two windows beside it */

struct phase_search {
	const struct phases_asks *asks;
	struct phases *out;
	uint8_t *work; /* [node] */
	struct phases_mix window[PHASES_WINDOWS];
	unsigned cut[PHASES_CUTS]; /* windows */
	unsigned n_cuts;
	uint64_t random;
};

/* ---- works ---- */

/* Returns the deepest node that has nearly all of the cost. */
static node_id
trunk(const struct phases_asks *a)
{
	const int64_t *total = a->numbers->total;
	node_id at = NODE_ROOT;

	for (;;) {
		node_id best = NODE_NONE;
		for (node_id c = a->tree->first_child[at]; c != NODE_NONE;
		     c = a->tree->next_sibling[c])
			if (best == NODE_NONE || total[c] > total[best])
				best = c;
		if (best == NODE_NONE ||
		    (double)total[best] < NEARLY_ALL * (double)total[NODE_ROOT] ||
		    a->tree->first_child[best] == NODE_NONE)
			return at;
		at = best;
	}
}

/* Takes a child among the largest, which are in falling order. */
static void
take_child(struct phases *out, const int64_t *total, node_id child, unsigned most)
{
	unsigned at = out->works;

	if (total[child] <= 0)
		return;
	while (at > 1 && total[out->work[at - 1]] < total[child])
		at--;
	if (at >= most)
		return;
	if (out->works < most)
		out->works++;
	memmove(&out->work[at + 1], &out->work[at], (out->works - at - 1) * sizeof *out->work);
	out->work[at] = child;
}

/* Finds the works, and that of each node. */
static void
find_works(struct phase_search *x)
{
	const struct phases_asks *a = x->asks;
	struct phases *out = x->out;
	const struct projection *t = a->tree;

	out->works = 1;
	out->work[0] = NODE_NONE;
	for (node_id c = t->first_child[trunk(a)]; c != NODE_NONE; c = t->next_sibling[c])
		take_child(out, a->numbers->total, c, PHASES_WORKS - 1);
	x->work = mem_zalloc((size_t)t->n + 1, 1);
	for (unsigned i = 1; i < out->works; i++)
		x->work[out->work[i]] = (uint8_t)i;
	for (struct piece at = piece_of(1, t->n); piece_next(&at, a->pace);)
		for (node_id i = at.from; i < at.to; i++)
			if (!x->work[i] && t->parent[i] != NODE_NONE)
				x->work[i] = x->work[t->parent[i]];
	if (a->idle)
		out->work[out->works++] = NODE_NONE;
}

/* Counts n parts of a range. */
static void
read_mixes(struct phase_search *x, int64_t from, int64_t to, unsigned n, struct phases_mix *mix)
{
	const struct phases_asks *a = x->asks;
	struct slice slice = a->slice;
	struct tally tally;

	tally_init(&tally);
	tally.pace = a->pace;
	slice.whole = false;
	memset(mix, 0, n * sizeof *mix);
	for (unsigned i = 0; i < n && !pace_gives_up(a->pace); i++) {
		slice.from = wide_part_up(from, to, n, i);
		slice.to = wide_part_up(from, to, n, i + 1);
		tally_count(&tally, a->p, &slice);
		for (stack_id s = 0; s < tally.n && s < a->tree->n_stacks; s++) {
			node_id node = a->tree->node_of[s];
			if (node != NODE_NONE && tally.cell[s].value > 0)
				mix[i].of[x->work[node]] += (double)tally.cell[s].value;
		}
	}
	tally_release(&tally);
}

/* Makes what is missing to `most` in each of n mixes idle. */
static void
add_idle(const struct phase_search *x, struct phases_mix *mix, unsigned n, double most)
{
	for (unsigned i = 0; i < n && x->asks->idle; i++)
		mix[i].of[x->out->works - 1] = fmax(0, most - mix_sum(&mix[i]));
}

static double
most_of(const struct phases_mix *mix, unsigned n)
{
	double most = 0;

	for (unsigned i = 0; i < n; i++)
		most = fmax(most, mix_sum(&mix[i]));
	return most;
}

/* ---- differences ---- */

static struct phases_mix
mix_of(const struct phase_search *x, unsigned from, unsigned to)
{
	struct phases_mix m = {{0}};

	for (unsigned i = from; i < to; i++)
		mix_add(&m, &x->window[i], 1);
	return m;
}

/* ---- tests ---- */

/* Returns the largest chi-square of the cuts of order[from .. to), and which cut has it. */
static double
best_cut(const struct phase_search *x, const unsigned *order, unsigned from, unsigned to,
	 unsigned *cut)
{
	struct phases_mix left = {{0}}, right = {{0}};
	double best = -1;

	for (unsigned i = from; i < to; i++)
		mix_add(i < from + SIDE_MIN ? &left : &right, &x->window[order[i]], 1);
	for (unsigned k = from + SIDE_MIN; k + SIDE_MIN <= to; k++) {
		double chi = mix_chi_square(&left, &right);
		if (chi > best) {
			best = chi;
			*cut = k;
		}
		mix_add(&left, &x->window[order[k]], 1);
		mix_add(&right, &x->window[order[k]], -1);
	}
	return best;
}

/* Returns how much neighbours of order[from .. to) are alike: less is more. */
static double
alike(const double between[PHASES_WINDOWS][PHASES_WINDOWS], const unsigned *order, unsigned from,
      unsigned to)
{
	double sum = 0;

	for (unsigned i = from + 1; i < to; i++)
		sum -= between[order[i - 1]][order[i]];
	return sum;
}

static unsigned
random_below(struct phase_search *x, unsigned n)
{
	x->random ^= x->random << 13;
	x->random ^= x->random >> 7;
	x->random ^= x->random << 17;
	return (unsigned)(x->random >> 33) % n;
}

static void
shuffle(struct phase_search *x, unsigned *order, unsigned from, unsigned to)
{
	for (unsigned i = to - 1; i > from; i--) {
		unsigned other = from + random_below(x, i - from + 1), was = order[i];
		order[i] = order[other];
		order[other] = was;
	}
}

/* The windows of a stretch, and how likely their order is by chance: by the two tests. */
struct verdict {
	unsigned cut;
	bool one, again;
};

static struct verdict
judge_order(struct phase_search *x, unsigned from, unsigned to)
{
	double between[PHASES_WINDOWS][PHASES_WINDOWS];
	unsigned order[PHASES_WINDOWS], other, as_good = 1, as_alike = 1;
	struct verdict v = {0};

	for (unsigned i = from; i < to; i++) {
		order[i] = i;
		for (unsigned k = from; k < to; k++)
			between[i][k] = mix_difference(&x->window[i], &x->window[k]);
	}
	double chi = best_cut(x, order, from, to, &v.cut);
	double likeness = alike(between, order, from, to);
	for (unsigned k = 0; k < ORDERS && pace_on(x->asks->pace, 1000); k++) {
		shuffle(x, order, from, to);
		as_good += best_cut(x, order, from, to, &other) >= chi;
		as_alike += alike(between, order, from, to) >= likeness;
	}
	struct phases_mix left = mix_of(x, from, v.cut), right = mix_of(x, v.cut, to);
	v.one = as_good <= BY_CHANCE * (ORDERS + 1) &&
		mix_difference(&left, &right) >= DIFFERS;
	v.again = as_alike <= BY_CHANCE * (ORDERS + 1);
	return v;
}

/* ---- cuts ---- */

ORDERED_NUMBERS(compare_doubles, double)

/* Returns what two neighbours differ by; below 0 if one has no work, which says nothing. */
static double
noise_at(const struct phase_search *x, unsigned i)
{
	const struct phases_mix *a = &x->window[i - 1], *b = &x->window[i];

	return mix_sum(a) > 0 && mix_sum(b) > 0 ? mix_distance(a, b) / 2 : -1;
}

/* Returns what neighbours differ by within phases: the mean of the smaller three quarters. */
static double
noise_of(const struct phase_search *x, unsigned from, unsigned to)
{
	double d[PHASES_WINDOWS], sum = 0;
	unsigned n = 0;

	for (unsigned i = from + 1; i < to; i++)
		if ((d[n] = noise_at(x, i)) >= 0)
			n++;
	qsort(d, n, sizeof *d, compare_doubles);
	n = n * 3 / 4;
	for (unsigned i = 0; i < n; i++)
		sum += d[i];
	return n ? sum / n : 0;
}

/* Returns the squared distances of the windows of a phase from its mix. */
static double
spread_of(const struct phase_search *x, unsigned from, unsigned to)
{
	struct phases_mix all = mix_of(x, from, to);
	double sum = 0;

	for (unsigned i = from; i < to; i++)
		sum += mix_distance(&x->window[i], &all);
	return sum;
}

/* Cuts a stretch where that leaves the least spread within phases, each cut at a price. */
static void
partition(struct phase_search *x, unsigned from, unsigned to)
{
	double best[PHASES_WINDOWS + 1] = {0}; /* [end] */
	unsigned last[PHASES_WINDOWS + 1];     /* [end] where the last phase begins */
	double price = PRICE * log(to - from) * noise_of(x, from, to);
	/* work that never varies has no noise; a cut is not free even then */
	struct phases_mix all = mix_of(x, from, to);
	price = fmax(price, DIFFERS * DIFFERS * mix_sum(&all) / (to - from));

	for (unsigned end = from + SIDE_MIN; end <= to; end++) {
		best[end] = INFINITY;
		for (unsigned begin = from; begin + SIDE_MIN <= end; begin++) {
			if (begin > from && begin < from + SIDE_MIN)
				continue;
			double cost = spread_of(x, begin, end) +
				      (begin > from ? best[begin] + price : 0);
			if (cost < best[end]) {
				best[end] = cost;
				last[end] = begin;
			}
		}
	}
	for (unsigned end = to; last[end] > from && x->n_cuts < PHASES_CUTS; end = last[end])
		x->cut[x->n_cuts++] = last[end];
}

/* Finds the cuts of the windows, the best one first, then those on its sides. */
static void
find_cuts(struct phase_search *x)
{
	struct part {
		unsigned from, to;
	} part[PHASES_CUTS * 2 + 1] = {{0, x->asks->windows}};
	unsigned n = 1;

	for (unsigned i = 0; i < n && x->n_cuts < PHASES_CUTS; i++) {
		struct part now = part[i];
		if (now.to - now.from < 2 * SIDE_MIN)
			continue;
		struct verdict v = judge_order(x, now.from, now.to);
		if (v.one) {
			x->cut[x->n_cuts++] = v.cut;
			part[n++] = (struct part){now.from, v.cut};
			part[n++] = (struct part){v.cut, now.to};
		} else if (v.again) {
			partition(x, now.from, now.to);
		}
	}
}

ORDERED_NUMBERS(compare_cuts, unsigned)

/* Returns the cost of a stretch of one work within phases, between the cuts.  The shares of windows
 * of cost T that consist of stretches of cost S vary S / T times as much as those of single
 * works. */
static double
stretch_of(const struct phase_search *x)
{
	struct phases_mix all = mix_of(x, 0, x->asks->windows);
	double sum = mix_sum(&all), apart = 1, noise = 0;
	unsigned n = 0, cut = 0;

	for (unsigned i = 1; i < x->asks->windows; i++) {
		double d = noise_at(x, i);
		if (cut < x->n_cuts && x->cut[cut] == i)
			cut++;
		else if (d >= 0)
			noise += d, n++;
	}
	for (unsigned c = 0; c < PHASES_WORKS && sum > 0; c++)
		apart -= all.of[c] / sum * (all.of[c] / sum);
	return apart > 0 && n ? noise / n / apart : 0;
}

/* Returns true if two phases are long enough, and differ. */
static bool
are_phases(const struct phase_search *x, const struct phases_mix *a, const struct phases_mix *b)
{
	double stretch = stretch_of(x), least = stretch * x->asks->stretches;
	double differs = fmax(DIFFERS, CHANCES * mix_chance(a, b, stretch));

	return mix_sum(a) >= least && mix_sum(b) >= least && mix_difference(a, b) >= differs;
}

/* Drops cuts between phases that hardly differ, or are short. */
static void
merge(struct phase_search *x)
{
	for (unsigned i = 0; i < x->n_cuts;) {
		unsigned from = i ? x->cut[i - 1] : 0;
		unsigned to = i + 1 < x->n_cuts ? x->cut[i + 1] : x->asks->windows;
		struct phases_mix left = mix_of(x, from, x->cut[i]);
		struct phases_mix right = mix_of(x, x->cut[i], to);
		if (are_phases(x, &left, &right)) {
			i++;
			continue;
		}
		memmove(&x->cut[i], &x->cut[i + 1], (x->n_cuts - i - 1) * sizeof *x->cut);
		x->n_cuts--;
		i = 0; /* stretches are longer now */
	}
}

/* ---- times ---- */

static int64_t
edge(const struct phase_search *x, unsigned i)
{
	return wide_part_up(x->asks->from, x->asks->to, x->asks->windows, i);
}

/* Returns the best cut of [from, to): what is before it is like `left`, and what is after it like
 * `right`. `most` is the largest cost of a window. */
static unsigned
place_in(struct phase_search *x, int64_t from, int64_t to, double most,
	 const struct phases_mix *left, const struct phases_mix *right)
{
	struct phases_mix part[FINER];
	double cost = 0, best = 0;
	unsigned at = 0;

	read_mixes(x, from, to, FINER, part);
	most *= (double)(to - from) / FINER;
	most /= (double)(x->asks->to - x->asks->from) / x->asks->windows;
	add_idle(x, part, FINER, most);
	for (unsigned k = 0; k < FINER; k++) {
		cost += mix_distance(&part[k], left) - mix_distance(&part[k], right);
		if (cost < best) {
			best = cost;
			at = k + 1;
		}
	}
	return at;
}

/* Returns the best time for a cut within the two windows beside it, without which the phases on its
 * sides are compared. */
static int64_t
place_cut(struct phase_search *x, unsigned i)
{
	unsigned cut = x->cut[i], before = i ? x->cut[i - 1] : 0;
	unsigned after = i + 1 < x->n_cuts ? x->cut[i + 1] : x->asks->windows;
	struct phases_mix left = mix_of(x, before, cut - 1), right = mix_of(x, cut + 1, after);
	double most = most_of(x->window, x->asks->windows);
	int64_t from = edge(x, cut - 1), to = edge(x, cut + 1), low = from;

	unsigned at = place_in(x, from, to, most, &left, &right);
	if (at)
		from = wide_part_up(low, to, FINER, at - 1);
	if (at < FINER)
		to = wide_part_up(low, to, FINER, at + 1);
	return wide_part_up(from, to, FINER, place_in(x, from, to, most, &left, &right));
}

static void
place_cuts(struct phase_search *x)
{
	struct phases *out = x->out;

	out->n = x->n_cuts;
	for (unsigned i = 0; i <= out->n; i++) {
		unsigned to = i < out->n ? x->cut[i] : x->asks->windows;
		out->mix[i] = mix_of(x, i ? x->cut[i - 1] : 0, to);
		if (i < out->n)
			out->cut[i] = place_cut(x, i);
	}
}

/* Drops a cut beside a stretch that turned out to be shorter than a phase when its cuts were
 * placed: the cut to the stretch that is more like it. Returns false if there is none. */
static bool
drop_short(struct phase_search *x)
{
	const struct phases *out = x->out;
	double least = (double)(x->asks->to - x->asks->from) / x->asks->windows * SIDE_MIN;

	for (unsigned i = 0; i <= out->n && out->n; i++) {
		int64_t from = i ? out->cut[i - 1] : x->asks->from;
		int64_t to = i < out->n ? out->cut[i] : x->asks->to;
		if ((double)(to - from) >= NEARLY_ALL * least)
			continue;
		bool first = i && (i == out->n ||
				   mix_difference(&out->mix[i - 1], &out->mix[i]) <
					   mix_difference(&out->mix[i], &out->mix[i + 1]));
		unsigned k = first ? i - 1 : i;
		x->n_cuts--;
		memmove(&x->cut[k], &x->cut[k + 1], (x->n_cuts - k) * sizeof *x->cut);
		return true;
	}
	return false;
}

void
phases_find(struct phases *out, const struct phases_asks *asks)
{
	struct phase_search x = {.asks = asks, .out = out, .random = UINT64_C(0x9E3779B97F4A7C15)};

	*out = (struct phases){0};
	find_works(&x);
	if (out->works > 1 && asks->windows >= 2 * SIDE_MIN) {
		read_mixes(&x, asks->from, asks->to, asks->windows, x.window);
		add_idle(&x, x.window, asks->windows, most_of(x.window, asks->windows));
		find_cuts(&x);
	}
	if (x.n_cuts > 1)
		qsort(x.cut, x.n_cuts, sizeof *x.cut, compare_cuts);
	merge(&x);
	do
		place_cuts(&x);
	while (drop_short(&x));
	free(x.work);
}

/* Returns the cost of a work of another side in a phase. */
static double
cost_of_work(const struct phases *x, unsigned phase, node_id work)
{
	for (unsigned c = 1; c < x->works; c++)
		if (x->work[c] == work)
			return x->mix[phase].of[c];
	return 0;
}

bool
phases_same(const struct phases *a, const struct phases *b)
{
	for (unsigned i = 0; i <= a->n && a->n == b->n; i++) {
		struct phases_mix as_a = {{b->mix[i].of[0]}};
		double left = mix_sum(&b->mix[i]) - as_a.of[0];
		for (unsigned c = 1; c < a->works; c++)
			left -= as_a.of[c] = cost_of_work(b, i, a->work[c]);
		as_a.of[0] += fmax(0, left);
		if (mix_difference(&a->mix[i], &as_a) >= ALIKE)
			return false;
	}
	return a->n == b->n;
}

bool
phases_come_again(const struct phases *x)
{
	for (unsigned i = 0; i <= x->n; i++)
		for (unsigned k = i + 1; k <= x->n; k++)
			if (mix_difference(&x->mix[i], &x->mix[k]) < ALIKE)
				return true;
	return false;
}
