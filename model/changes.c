#include "model/changes.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/vec.h"

/* The variance of a total of samples is the sum of their squared weights.  To have it of each
 * row would mean to read all samples at each step; it is taken as the row's total times what
 * a sample weighs in its series, sum of squares by sum, which is exact where all weigh alike,
 * and they nearly always do.  Of long series some thousand samples say that.
 *
 * Of several files each is counted by itself through the same tree, and of each key and node
 * mean and squared distances are kept.  A file in which a function does not appear has 0.
 *
 * Which rows are sure is decided over all of a table, so the p of each is made once; only
 * those that can be sure are kept to be sorted. */

#define READ_MAX 65536u /* samples of a side */
#define READ_MIN 16u    /* of a series */

/* ---- what a sample weighs ---- */

struct weighing {
	double sum, squares_by_sum; /* of what was added; each series' squares / sum * its sum */
	bool exact;                 /* something that was not sampled is part of it */
};

static void
weigh_add(struct weighing *w, double sum, double weight)
{
	w->sum += sum;
	w->squares_by_sum += sum * weight;
}

static unsigned
metric_in(const struct series *s, metric_id m)
{
	unsigned i = 0;

	while (i < s->n_metrics && s->metric[i] != m)
		i++;
	return i;
}

/* Samples that are not all of one weight: some of them, evenly. */
static double
weight_read(const struct series *s, unsigned m, uint64_t budget)
{
	uint64_t step = s->n > budget ? s->n / budget : 1;
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < s->n; i += step) {
		const struct chunk *c = series_chunk(s, i);
		double v = (double)series_number(s, c, (uint32_t)(i - c->first), m);
		sum += v;
		squares += v * v;
	}
	return sum > 0 ? squares / sum : 0;
}

/* Sums of samples whose number stands beside them, or that they are. */
static double
weight_of_totals(const struct profile *p, const struct series *s, unsigned m)
{
	double one = 1;

	for (unsigned d = p->metric[s->metric[m]].decimals; d; d--)
		one *= 10;
	if (p->metric[s->metric[m]].unit == UNIT_SAMPLES)
		return one / (double)profile_metric_unit(p, s, m);
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] < p->n_metrics && s->role[i] == ROLE_VALUE && s->sum[i] > 0 &&
		    p->metric[s->metric[i]].unit == UNIT_SAMPLES)
			return (double)s->sum[m] / (double)s->sum[i];
	return 0;
}

static void
weigh_series(struct weighing *w, const struct profile *p, const struct series *s, unsigned m,
	     uint64_t budget)
{
	double unit = (double)profile_metric_unit(p, s, m), sum = (double)s->sum[m] * unit;
	double weight = 0;

	if (s->kind == SERIES_TOTALS)
		weight = weight_of_totals(p, s, m);
	else if (s->kind == SERIES_SAMPLES && s->role[m] == ROLE_EVENTS)
		weight = 1;
	else if (s->kind == SERIES_SAMPLES && s->role[m] == ROLE_VALUE)
		weight = weight_read(s, m, budget);
	if (sum > 0 && weight > 0)
		weigh_add(w, sum, weight * unit);
	else
		w->exact |= sum != 0 || (s->kind == SERIES_STEPS && s->n);
}

/* Amounts of memory and counts of operations are what happened, not samples of it. */
static bool
is_of_samples(const struct profile *p, metric_id m)
{
	return m != p->calls_metric && m != p->lines_metric && p->metric[m].unit != UNIT_BYTES;
}

/* What a sample of a slice weighs; 0: it is not all of samples. */
static double
weigh(const struct profile *p, const struct slice *of)
{
	struct weighing w = {0};
	uint64_t n = 0;

	if (!is_of_samples(p, of->metric))
		return 0;
	for (int reads = 0; reads < 2; reads++)
		for (track_id t = 0; t < p->n_tracks; t++)
			for (uint32_t i = 0; of->tracks[t] && i < p->track[t].n_series; i++) {
				const struct series *s = p->track[t].series[i];
				unsigned m = metric_in(s, of->metric);
				if (m == s->n_metrics || s->kind == SERIES_POINTS || !s->n)
					continue;
				if (reads)
					weigh_series(&w, p, s, m, READ_MIN + READ_MAX / n);
				else
					n++;
			}
	return w.exact || !(w.sum > 0) ? 0 : w.squares_by_sum / w.sum;
}

/* ---- several files ---- */

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

/* The numbers of one file more of a side. */
static void
add_file(struct changes *c, int side, const struct changes_asks *asks,
	 const struct fold_numbers *x, double by)
{
	const struct projection *t = asks->tree;
	int64_t *self = mem_zalloc((size_t)t->n_keys + 1, sizeof *self);
	int64_t *total = mem_zalloc((size_t)t->n_keys + 1, sizeof *total);

	for (struct piece at = piece_of(1, t->n); piece_next(&at, asks->pace);)
		for (node_id i = at.from; i < at.to; i++) {
			numbers_add(x, t, i, &self[t->key[i]], &total[t->key[i]]);
			evidence_add(&c->sums[side][CHANGE_NODE][i], (double)x->total[i] * by);
		}
	evidence_add(&c->sums[side][CHANGE_NODE][NODE_ROOT], (double)x->total[NODE_ROOT] * by);
	for (struct piece at = piece_of(0, t->n_keys); piece_next(&at, asks->pace);)
		for (key_id k = at.from; k < at.to; k++) {
			evidence_add(&c->sums[side][CHANGE_SELF][k], (double)self[k] * by);
			evidence_add(&c->sums[side][CHANGE_TOTAL][k], (double)total[k] * by);
		}
	free(self);
	free(total);
}

/* Of each file through the same tree; `whole`: what each is scaled to, or 0. */
static void
count_files(struct changes *c, int side, const struct changes_asks *asks,
	    const struct slice *of, double whole)
{
	const struct profile *p = asks->p;
	uint8_t *tracks = mem_zalloc((size_t)p->n_tracks + 1, 1);
	struct fold_numbers x = {0};
	struct slice one = *of;
	struct tally tally;

	tally_init(&tally);
	tally.pace = asks->pace;
	one.tracks = tracks;
	for (uint32_t g = 0; g < p->n_groups && !pace_gives_up(asks->pace); g++) {
		if ((g < p->n_base) != (side == 1))
			continue;
		for (track_id t = 0; t < p->n_tracks; t++)
			tracks[t] = of->tracks[t] && p->track[t].group == g;
		tally_count(&tally, p, &one);
		numbers_make(&x, asks->tree, &tally, of->metric == p->calls_metric, asks->pace);
		double by = whole > 0 && x.everything > 0 ? whole / (double)x.everything : 1;
		add_file(c, side, asks, &x, by);
	}
	numbers_release(&x);
	tally_release(&tally);
	free(tracks);
}

void
changes_make(struct changes *c, const struct changes_asks *asks, uint32_t now_files,
	     uint32_t base_files)
{
	double now = (double)asks->now_numbers->everything;
	double base = (double)asks->base_numbers->everything;

	forget_sums(c);
	free(c->chance);
	*c = (struct changes){.scale = 1, .whole = {now, base}};
	c->n_keys = asks->tree->n_keys;
	c->n_nodes = asks->tree->n;
	c->shares = asks->p->normalize && now > 0 && base > 0;
	if (c->shares)
		c->scale = now / now_files / (base / base_files);
	c->weight[0] = weigh(asks->p, asks->now);
	c->weight[1] = weigh(asks->p, asks->base);
	evidence_limits_init(&c->limits);
	if (now_files == 1 && base_files == 1) {
		c->sampled = c->weight[0] > 0 && c->weight[1] > 0;
		return;
	}
	c->files = now_files > 1 && base_files > 1;
	if (!c->files)
		return;
	for (int side = 0; side < 2; side++)
		for (int of = 0; of < CHANGES_OF; of++)
			c->sums[side][of] = mem_zalloc(
				(size_t)(of == CHANGE_NODE ? c->n_nodes : c->n_keys) + 1,
				sizeof *c->sums[side][of]);
	double whole = c->shares ? now / now_files : 0;
	count_files(c, 0, asks, asks->now, whole);
	count_files(c, 1, asks, asks->base, whole);
}

/* ---- a row ---- */

struct evidence
changes_evidence(const struct changes *c, enum change_of of, uint32_t id, int64_t now,
		 int64_t base)
{
	if (c->files && (now || base) && id < (of == CHANGE_NODE ? c->n_nodes : c->n_keys))
		return evidence_files(&c->limits, &c->sums[0][of][id], &c->sums[1][of][id],
				      c->weight[0], c->weight[1] * c->scale);
	if (!c->sampled || (!now && !base))
		return (struct evidence){0};
	struct evidence_total a = {(double)now, c->weight[0], c->whole[0]};
	struct evidence_total b = {(double)base / c->scale, c->weight[1], c->whole[1]};
	/* a base that was scaled and rounded may be a little more than all of it */
	b.value = c->shares && b.value > b.whole ? b.whole : b.value;
	return c->shares ? evidence_shares(a, b) : evidence_totals(&c->limits, a, b);
}

enum sure
changes_judge(const struct changes *c, enum change_of of, struct evidence e)
{
	if (!e.known)
		return SURE_UNKNOWN;
	return e.p <= c->limit[of] ? SURE_YES : SURE_NO;
}

/* ---- all rows ---- */

struct family {
	VEC(double) p;
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
test(struct changes *c, struct family *family, enum change_of of, uint32_t id, int64_t now,
     int64_t base)
{
	struct evidence e = changes_evidence(c, of, id, now, base);
	c->tested[of] += e.known;
	if (e.known && e.p <= EVIDENCE_LEVEL)
		*vec_push(&family[of].p) = e.p;
	return e.known ? e.p : 1;
}

/* [key] what it has now and had. */
struct by_key {
	int64_t self[2], total[2];
};

static void
test_nodes(struct changes *c, struct family *family, const struct changes_asks *asks,
	   struct by_key *keys, struct suspects *nodes)
{
	const struct fold_numbers *now = asks->now_numbers, *base = asks->base_numbers;
	const struct projection *t = asks->tree;

	for (struct piece at = piece_of(1, t->n); piece_next(&at, asks->pace);)
		for (node_id i = at.from; i < at.to; i++) {
			struct by_key *k = &keys[t->key[i]];
			numbers_add(now, t, i, &k->self[0], &k->total[0]);
			numbers_add(base, t, i, &k->self[1], &k->total[1]);
			double p = test(c, family, CHANGE_NODE, i, now->total[i],
					base->total[i]);
			if (p <= EVIDENCE_LEVEL)
				*vec_push(&nodes->all) = (struct suspect){i, p};
		}
	for (struct piece at = piece_of(0, t->n_keys); piece_next(&at, asks->pace);)
		for (key_id k = at.from; k < at.to; k++) {
			test(c, family, CHANGE_SELF, k, keys[k].self[0], keys[k].self[1]);
			test(c, family, CHANGE_TOTAL, k, keys[k].total[0], keys[k].total[1]);
		}
}

/* What is above a node that is sure is no chance either, so that there is a way to it. */
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

void
changes_weigh(struct changes *c, const struct changes_asks *asks)
{
	struct family family[CHANGES_OF] = {0};
	struct suspects nodes = {0};

	for (int of = 0; of < CHANGES_OF; of++)
		c->limit[of] = -1;
	if (!c->sampled && !c->files)
		return;
	struct by_key *keys = mem_zalloc((size_t)asks->tree->n_keys + 1, sizeof *keys);
	test_nodes(c, family, asks, keys, &nodes);
	free(keys);
	for (int of = 0; of < CHANGES_OF; of++) {
		double *p = family[of].p.at;
		size_t n = family[of].p.n;
		c->limit[of] = n ? evidence_sure(p, n, c->tested[of]) : -1;
		for (size_t i = 0; i < n && p[i] <= c->limit[of]; i++)
			c->found[of]++;
		vec_release(&family[of].p);
	}
	find_chance(c, &nodes, asks);
	vec_release(&nodes.all);
}
