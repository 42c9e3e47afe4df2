#include "model/fold/sample_weight.h"

#include "model/profile/running.h"

/* The variance of a total of independent samples is the sum of their squared weights. Reading
 * all samples of each row at each step would cost too much, so it is derived: the row's total
 * times the weight of a sample in its series (sum of squares divided by sum). That is exact if
 * all samples weigh the same, as they nearly always do. Some thousand samples of a long series
 * suffice to estimate that weight. */

#define READ_MAX 65536u /* samples of a side */
#define READ_MIN 16u    /* of a series */

struct weighing {
	double sum, squares_by_sum; /* of the series added so far; for each series: squares / sum
				     * * its sum */
	bool exact;                 /* it includes something that was not sampled */
	bool untimed;               /* it includes something without time */
};

static void
weigh_add(struct weighing *w, double sum, double weight)
{
	w->sum += sum;
	w->squares_by_sum += sum * weight;
}

static unsigned
sample_weight_metric_in(const struct series *s, metric_id m)
{
	unsigned i = 0;

	while (i < s->n_metrics && s->metric[i] != m)
		i++;
	return i;
}

/* Estimates the weight from evenly spaced samples, if they differ in weight. */
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

/* Returns the weight for sums of samples, if their number is stored beside them or is the metric
 * itself. */
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

/* Returns the weight for rows that are sums of many samples: those of a store, whose number is
 * known for the track as a whole. */
static double
weight_of_sums(const struct profile *p, const struct track *t, metric_id metric)
{
	double sum = 0;

	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		unsigned m = sample_weight_metric_in(s, metric);
		if (m < s->n_metrics && s->kind != SERIES_POINTS)
			sum += (double)s->sum[m] * (double)profile_metric_unit(p, s, m);
	}
	return t->events ? sum / (double)t->events : 0;
}

static void
weigh_series(struct weighing *w, const struct profile *p, const struct track *t,
	     const struct series *s, unsigned m, uint64_t budget)
{
	bool of_sums = t->recorded_ns && p->group[t->group].step > 1;
	double unit = (double)profile_metric_unit(p, s, m), sum = (double)s->sum[m] * unit;
	double weight = 0;

	/* entries of a file are sums of several measurements */
	bool totals = s->kind == SERIES_TOTALS || t->recorded_ns == RECORDED_UNKNOWN ||
		      t->unit == UNIT_ENTRIES;
	w->untimed |= totals && sum != 0;
	if (totals)
		weight = weight_of_totals(p, s, m);
	else if (s->kind == SERIES_SAMPLES && s->role[m] == ROLE_EVENTS)
		weight = 1;
	else if (s->kind == SERIES_SAMPLES && s->role[m] == ROLE_VALUE)
		weight = of_sums ? weight_of_sums(p, t, s->metric[m]) / unit
				 : weight_read(s, m, budget);
	if (sum > 0 && weight > 0)
		weigh_add(w, sum, weight * unit);
	else
		w->exact |= sum != 0 || (s->kind == SERIES_STEPS && s->n);
}

/* Returns false for amounts of memory, counts of operations and measured waits, which are complete
 * and not samples. */
static bool
is_of_samples(const struct profile *p, metric_id m)
{
	return m != p->calls_metric && m != p->lines_metric && p->metric[m].unit != UNIT_BYTES &&
	       !running_is_wait(p, m);
}

double
sample_weight(const struct profile *p, const struct slice *of, bool *untimed)
{
	struct weighing w = {0};
	uint64_t n = 0;

	if (!is_of_samples(p, of->metric))
		return 0;
	for (int reads = 0; reads < 2; reads++)
		for (track_id t = 0; t < p->n_tracks; t++)
			for (uint32_t i = 0; of->tracks[t] && i < p->track[t].n_series; i++) {
				const struct track *track = &p->track[t];
				const struct series *s = track->series[i];
				unsigned m = sample_weight_metric_in(s, of->metric);
				if (m == s->n_metrics || s->kind == SERIES_POINTS || !s->n)
					continue;
				if (reads)
					weigh_series(&w, p, track, s, m,
						     READ_MIN + READ_MAX / n);
				else
					n++;
			}
	*untimed |= w.untimed;
	return w.exact || !(w.sum > 0) ? 0 : w.squares_by_sum / w.sum;
}
