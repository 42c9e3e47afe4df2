#include "model/fold/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/fold/changes_inside.h"
#include "model/fold/sample_weight.h"

/* A profile without time has no blocks, and nothing shows whether its samples depend on each
 * other. So nothing is known of a change unless the user declares them independent.
 *
 * Rows are judged over all of a table, so the p of each is computed once, and only those that
 * can be sure are sorted. */

#define COMMON_SAMPLES 60 /* rows with fewer are ignored in the common dispersion */

static void
forget_sums(struct changes *c)
{
	for (int side = 0; side < 2; side++)
		for (int of = 0; of < CHANGES_OF; of++) {
			free(c->sums[side][of]);
			c->sums[side][of] = NULL;
		}
}

void
changes_release(struct changes *c)
{
	forget_sums(c);
	free(c->chance);
	*c = (struct changes){0};
}

/* Returns the length of the part of a range that lies in the run. */
static double
length_of(const struct profile *p, const struct slice *s)
{
	int64_t run = lens_run(p), from = s->whole || s->from < 0 ? 0 : s->from;
	int64_t to = s->whole || s->to > run ? run : s->to;

	return to > from ? (double)(to - from) : 0;
}

/* Returns 1 if the times differ by less than a thousandth, or one is 0. */
static double
ratio_of(double now, double base)
{
	return now > 0 && base > 0 && fabs(now / base - 1) >= 0.001 ? now / base : 1;
}

/* Returns how many times as long as the base the other side is, if both are ranges of one
 * profile. */
static double
longer(const struct changes_asks *asks)
{
	return ratio_of(length_of(asks->p, asks->now), length_of(asks->p, asks->base));
}

/* Finds the factor of the base's numbers: to the same whole, or the same length.  Hosts without
 * times are as long as each other, but not as those with times. */
static void
find_scale(struct changes *c, const struct changes_asks *asks, const struct side_runs *run)
{
	double now = c->whole[0], base = c->whole[1], times = 1;

	c->shares = asks->p->normalize && now > 0 && base > 0;
	if (c->shares)
		c->scale = now / c->averaged[0] / (base / c->averaged[1]);
	else if (asks->base && asks->p->comparison == COMPARE_NOTHING)
		times = longer(asks);
	else if (run[0].timeless == run[1].timeless)
		times = ratio_of(run[0].all, run[1].all);
	if (times != 1)
		c->scale = times;
	c->rates = times != 1;
}

/* Counts runs where both sides have several, or else blocks of time. */
static void
count_sides(struct changes *c, const struct changes_asks *asks, const struct side_runs *run)
{
	bool untimed = false;

	c->weight[0] = sample_weight(asks->p, asks->now, &untimed);
	c->weight[1] = asks->base ? sample_weight(asks->p, asks->base, &untimed) : c->weight[0];
	c->files = run[0].n > 1 && run[1].n > 1;
	for (int side = 0; side < 2 && c->files; side++)
		changes_count_runs(c, side, asks, &run[side]);
	if (run[0].n > 1 || run[1].n > 1 || !(c->weight[0] > 0 && c->weight[1] > 0))
		return;
	c->untimed = untimed;
	c->sampled = !untimed || asks->p->independent;
	if (!untimed)
		changes_count_blocks(c, asks);
}

void
changes_make(struct changes *c, const struct changes_asks *asks)
{
	struct side_runs run[2] = {{.n = 1}, {.n = 1}};

	forget_sums(c);
	free(c->chance);
	*c = (struct changes){.scale = 1, .single = !asks->base};
	c->whole[0] = (double)asks->now_numbers->everything;
	c->whole[1] = asks->base ? (double)asks->base_numbers->everything : 0;
	c->n_keys = asks->tree->n_keys;
	c->n_nodes = asks->tree->n;
	for (int side = 0; side < 2 && asks->base; side++)
		runs_make(&run[side], asks->p, side ? asks->base : asks->now, side == 1);
	for (int side = 0; side < 2; side++)
		c->averaged[side] = run[side].recorded ? 1 : run[side].n;
	c->hosts = run[0].recorded && run[1].recorded;
	find_scale(c, asks, run);
	evidence_limits_init(&c->limits);
	count_sides(c, asks, run);
	for (int side = 0; side < 2; side++)
		runs_release(&run[side]);
}

/* ---- a row ---- */

static double
samples_of(struct evidence_total t)
{
	return t.value / t.weight;
}

/* Returns the variance of a share of independent samples, times the square of its whole. */
static double
share_variance(struct evidence_total t)
{
	return t.whole > 0 ? t.weight * t.value * (1 - t.value / t.whole) : 0;
}

/* Returns the variance of a change of independent samples. */
static double
independent_variance(const struct changes *c, struct evidence_total a, struct evidence_total b)
{
	if (c->shares)
		return share_variance(a) + share_variance(b) * c->scale * c->scale;
	return a.value * a.weight + b.value * b.weight;
}

static bool
has_part_in_common(struct evidence_total a, struct evidence_total b)
{
	return samples_of(a) + samples_of(b) >= COMMON_SAMPLES;
}

static struct evidence_dispersion
row_dispersion(const struct changes *c, enum change_of of, uint32_t id, double independent)
{
	if (!c->sums[0][of])
		return (struct evidence_dispersion){0};
	return evidence_blocks(&c->sums[0][of][id],
			       c->single ? NULL : &c->sums[1][of][id], independent);
}

/* Returns the totals of a row, one against one. For a base that is scaled to another whole they
 * are as recorded. For one scaled to another length, the weight of a sample is scaled. */
static void
row_totals(const struct changes *c, struct sides x, struct evidence_total *a,
	   struct evidence_total *b)
{
	*a = (struct evidence_total){x.now, c->weight[0], c->whole[0]};
	*b = (struct evidence_total){x.base, c->weight[1] * c->scale, c->whole[1]};
	if (!c->shares)
		return;
	b->weight = c->weight[1];
	/* the quotient may exceed its whole by the last bit */
	b->value = fmin(x.base / c->scale, b->whole);
}

struct evidence
changes_evidence(const struct changes *c, enum change_of of, uint32_t id, struct sides x)
{
	bool counted = id < (of == CHANGE_NODE ? c->n_nodes : c->n_keys);
	struct evidence_total a, b;
	struct evidence e;

	if (x.now == 0 && x.base == 0)
		return (struct evidence){0};
	if (c->files && counted)
		return evidence_files(&c->limits, &c->sums[0][of][id], &c->sums[1][of][id],
				      c->run_weight[0], c->run_weight[1]);
	if (!c->sampled)
		return (struct evidence){0};
	row_totals(c, x, &a, &b);
	if (c->single)
		e = evidence_single(&c->limits, a);
	else
		e = c->shares ? evidence_shares(a, b) : evidence_totals(&c->limits, a, b);
	if (!counted)
		return e;
	double independent = independent_variance(c, a, b);
	struct evidence_dispersion d = row_dispersion(c, of, id, independent);
	if (has_part_in_common(a, b))
		d = evidence_moderate(d, c->common[of]);
	e = evidence_disperse(e, sides_change(x), independent, d);
	if (c->single && x.now >= 0) { /* no part is less than nothing, or more than everything */
		e.low = fmax(e.low, 0);
		e.high = fmin(e.high, fmax(c->whole[0], x.now));
	}
	return e;
}

enum sure
changes_judge(const struct changes *c, enum change_of of, struct evidence e)
{
	if (!e.known || c->single)
		return SURE_UNKNOWN;
	return e.p <= c->limit[of] ? SURE_YES : SURE_NO;
}

/* ---- all rows ---- */

struct family {
	VEC(double) p;
	VEC(struct evidence_dispersion) dispersion; /* of rows with enough samples */
};

/* A node that may be sure. */
struct suspect {
	node_id node;
	double p;
};

struct suspects {
	VEC(struct suspect) all;
};

static double
test(struct changes *c, struct family *family, enum change_of of, uint32_t id, struct sides x)
{
	struct evidence e = changes_evidence(c, of, id, x);
	c->tested[of] += e.known;
	if (e.known && e.p <= EVIDENCE_LEVEL)
		*vec_push(&family[of].p) = e.p;
	return e.known ? e.p : 1;
}

/* Adds the evidence of a row's blocks to the common dispersion of its table. */
static void
disperse(const struct changes *c, struct family *family, enum change_of of, uint32_t id,
	 struct sides x)
{
	struct evidence_total a, b;

	row_totals(c, x, &a, &b);
	if (!has_part_in_common(a, b))
		return;
	*vec_push(&family[of].dispersion) =
		row_dispersion(c, of, id, independent_variance(c, a, b));
}

/* The numbers of all rows. */
struct all_rows {
	const struct changes_asks *asks;
	const struct changes_key *now, *base; /* base NULL: no comparison */
};

static struct sides
node_sides(const struct all_rows *r, node_id i)
{
	const struct fold_numbers *base = r->base ? r->asks->base_numbers : NULL;

	return (struct sides){numbers_exact_total(r->asks->now_numbers, i),
			      base ? numbers_exact_total(base, i) : 0};
}

static struct sides
key_sides(const struct all_rows *r, key_id k, bool total)
{
	double by = r->asks->now_numbers->by, base_by = r->base ? r->asks->base_numbers->by : 1;
	int64_t now = total ? r->now[k].total : r->now[k].self;
	int64_t base = !r->base ? 0 : total ? r->base[k].total : r->base[k].self;

	return (struct sides){(double)now * by, (double)base * base_by};
}

/* Computes the common dispersion of each table. */
static void
find_common(struct changes *c, struct family *family, const struct all_rows *r)
{
	const struct projection *t = r->asks->tree;

	if (!c->sampled || !c->sums[0][CHANGE_NODE])
		return;
	for (struct piece at = piece_of(1, t->n); piece_next(&at, r->asks->pace);)
		for (node_id i = at.from; i < at.to; i++)
			disperse(c, family, CHANGE_NODE, i, node_sides(r, i));
	for (struct piece at = piece_of(0, t->n_keys); piece_next(&at, r->asks->pace);)
		for (key_id k = at.from; k < at.to; k++) {
			disperse(c, family, CHANGE_SELF, k, key_sides(r, k, false));
			disperse(c, family, CHANGE_TOTAL, k, key_sides(r, k, true));
		}
	for (int of = 0; of < CHANGES_OF; of++)
		c->common[of] = evidence_common(family[of].dispersion.at,
						family[of].dispersion.n);
}

static void
test_rows(struct changes *c, struct family *family, const struct all_rows *r,
	  struct suspects *nodes)
{
	const struct projection *t = r->asks->tree;

	for (struct piece at = piece_of(1, t->n); piece_next(&at, r->asks->pace);)
		for (node_id i = at.from; i < at.to; i++) {
			double p = test(c, family, CHANGE_NODE, i, node_sides(r, i));
			if (p <= EVIDENCE_LEVEL)
				*vec_push(&nodes->all) = (struct suspect){i, p};
		}
	for (struct piece at = piece_of(0, t->n_keys); piece_next(&at, r->asks->pace);)
		for (key_id k = at.from; k < at.to; k++) {
			test(c, family, CHANGE_SELF, k, key_sides(r, k, false));
			test(c, family, CHANGE_TOTAL, k, key_sides(r, k, true));
		}
}

/* Clears `chance` of everything above a sure node, so that users can find the way to it. */
static void
find_chance(struct changes *c, const struct suspects *nodes, const struct changes_asks *asks)
{
	const struct projection *t = asks->tree;
	const struct fold_numbers *now = asks->now_numbers, *base = asks->base_numbers;

	if (!c->tested[CHANGE_NODE])
		return;
	c->chance = mem_alloc((size_t)t->n + 1, 1);
	memset(c->chance, 1, (size_t)t->n + 1);
	for (size_t i = 0; i < nodes->all.n; i++)
		if (nodes->all.at[i].p <= c->limit[CHANGE_NODE])
			c->chance[nodes->all.at[i].node] = 0;
	for (struct piece at = piece_back(1, t->n); piece_prev(&at, asks->pace);)
		for (node_id i = at.to; i-- > at.from;) {
			c->chance[t->parent[i]] &= c->chance[i];
			c->n_chance += c->chance[i] && (now->present[i] || base->present[i]);
		}
}

/* Finds the largest sure p of each table. */
static void
find_sure(struct changes *c, struct family *family)
{
	for (int of = 0; of < CHANGES_OF; of++) {
		double *p = family[of].p.at;
		size_t n = family[of].p.n;
		c->limit[of] = n ? evidence_sure(p, n, c->tested[of]) : -1;
		for (size_t i = 0; i < n && p[i] <= c->limit[of]; i++)
			c->found[of]++;
	}
}

void
changes_weigh(struct changes *c, const struct changes_asks *asks)
{
	struct family family[CHANGES_OF] = {0};
	struct suspects nodes = {0};

	for (int of = 0; of < CHANGES_OF; of++)
		c->limit[of] = -1;
	if (!c->sampled && !c->files)
		return;
	struct changes_key *now = mem_zalloc((size_t)asks->tree->n_keys + 1, sizeof *now);
	struct changes_key *base = mem_zalloc((size_t)asks->tree->n_keys + 1, sizeof *base);
	changes_sum_keys(now, asks->tree, asks->now_numbers, asks->pace);
	if (!c->single)
		changes_sum_keys(base, asks->tree, asks->base_numbers, asks->pace);
	struct all_rows all = {asks, now, c->single ? NULL : base};
	find_common(c, family, &all);
	if (!c->single) {
		test_rows(c, family, &all, &nodes);
		find_sure(c, family);
		find_chance(c, &nodes, asks);
	}
	free(now);
	free(base);
	for (int of = 0; of < CHANGES_OF; of++) {
		vec_release(&family[of].p);
		vec_release(&family[of].dispersion);
	}
	vec_release(&nodes.all);
}
