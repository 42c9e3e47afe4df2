/* oddpart.c - see oddpart.h.
 *
 * The run is cut into bins. Each bin's time is divided among the functions with most self and all
 * others; samples that are rarer than the bins are spread over their duration, as in the timeline.
 * A window of some bins is compared with the longer one of the times before and after it, as the
 * browser then does: by the shares of the work, times how busy the window is, and by idle time,
 * which is what a bin has less than busy bins have. How much windows of a length differ anyway is
 * their median difference, because the program alternates; and what so few samples differ by chance
 * is known. Of windows of several lengths the best one has the largest difference beyond twice
 * that, times the square root of its length; without the root a single bin would always win.
 *
 * Rejected: the longest call. It is often an outer one that includes the whole run, and samples
 * have no calls. Rejected: idle time as one more share of the work. Where samples have uneven
 * weights, a bin with heavy ones was odd although it had the same functions as the others. */
#include "model/answer/oddpart.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "model/picture/layout.h"

#define BINS 256u
#define PARTS 64u /* categories: 0 is idle time, 1 all other functions */
#define IDLE 0u
#define OTHERS 1u
#define DIFFERS 0.1
#define BY_CHANCE 0.8 /* mean distance from the mean, in standard deviations */
#define FEW 5.0 /* samples by which a part must differ at least */
#define LONGEST (BINS / 8)

enum odd_kind { ODD_WORK, ODD_IDLE, ODD_KINDS };

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
	double busy;   /* the work of a busy bin */
	double chance; /* how much the work of two samples differs by chance */
	bool sampled;  /* false: traced, so nothing differs by chance */
	/* [bin] of the bins before it: number of samples, sums of squares of their values, as if
	 * those of a bin were equal */
	double events[BINS + 1], squares[BINS + 1];
	double *usual; /* scratch: the differences of windows of one length */
	/* [length] twice their median; below 0: not known */
	double usual_of[ODD_KINDS][LONGEST + 1];
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

/* ---- bins ---- */

static void
count_samples(struct odd_search *x, const struct series *s, int64_t start, int64_t run)
{
	uint64_t before = series_find(s, start);

	for (unsigned i = 0; i < BINS; i++) {
		int64_t edge = sum_clipped(start, wide_part_up(0, run, BINS, i + 1));
		uint64_t at = series_find(s, edge);
		x->events[i + 1] += (double)(at - before);
		before = at;
	}
}

/* Adds a track whose samples are rarer than the bins; false if it is not such a track. */
static bool
spread_track(struct odd_search *x, struct layout *l, const struct slice *slice, track_id track,
	     int64_t run)
{
	const struct track *t = &x->p->track[track];
	int64_t start = x->p->group[t->group].start, end = sum_clipped(start, run);

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < t->n_series; i++) {
			struct layout_lane lane = {.series = t->series[i]};
			int m = series_metric(lane.series, slice->metric);
			if (m < 0)
				continue;
			layout_lane_look(l, x->p, &lane, slice->metric);
			if (lane.held || !layout_is_rare(&lane, start, end, BINS))
				return false;
			if (!pass)
				continue;
			struct layout_choice of = {
				x->part, x->p->stacks.n,
				(double)profile_metric_unit(x->p, lane.series, (unsigned)m), PARTS};
			layout_spread(&lane, (unsigned)m, &of, start, end, BINS,
				      &x->until[1].of[OTHERS]);
			count_samples(x, lane.series, start, run);
		}
	return true;
}

/* Spreads the rare samples of the slice. Returns the other tracks: [track] 1; the caller frees
 * it. */
static uint8_t *
spread_rare(struct odd_search *x, const struct slice *slice, int64_t run)
{
	uint8_t *others = mem_zalloc((size_t)x->p->n_tracks + 1, 1);
	struct layout l;

	layout_init(&l);
	layout_look(&l, x->p, x->f->tree);
	for (track_id i = 0; i < x->p->n_tracks && pace_on(x->pace, BINS); i++)
		if (!slice->tracks || slice->tracks[i])
			others[i] = !spread_track(x, &l, slice, i, run);
	layout_release(&l);
	return others;
}

static int
value_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Finds the work of a busy bin: an eighth of those in which anything runs have more. */
static double
busy_bin(const double *sum)
{
	double sorted[BINS];
	unsigned n = 0;

	for (unsigned i = 0; i < BINS; i++)
		if (sum[i] > 0)
			sorted[n++] = sum[i];
	qsort(sorted, n, sizeof *sorted, value_order);
	return n ? sorted[n - 1 - n / 8] : 0;
}

/* Adds the bins up, with their idle time. */
static void
sum_bins(struct odd_search *x)
{
	double sum[BINS] = {0}, all = 0;

	for (unsigned i = 0; i < BINS; i++)
		for (unsigned c = OTHERS; c < x->n; c++)
			sum[i] += x->until[i + 1].of[c];
	x->busy = busy_bin(sum);
	for (unsigned i = 0; i < BINS; i++) {
		x->until[i + 1].of[IDLE] = sum[i] < x->busy ? x->busy - sum[i] : 0;
		x->squares[i + 1] = x->squares[i] + sum[i] * sum[i] / fmax(x->events[i + 1], 1);
		x->events[i + 1] += x->events[i];
		all += sum[i];
		for (unsigned c = 0; c < x->n; c++)
			x->until[i + 1].of[c] += x->until[i].of[c];
	}
	for (unsigned c = OTHERS; c < x->n && all > 0; c++) {
		double share = x->until[BINS].of[c] / all;
		x->chance += BY_CHANCE / 2 * sqrt(share * (1 - share));
	}
}

static void
read_bins(struct odd_search *x, struct slice *slice, int64_t run)
{
	struct slice few = *slice;
	struct tally t;
	uint32_t n_stacks = x->p->stacks.n;
	uint8_t *others = spread_rare(x, slice, run);

	tally_init(&t);
	t.pace = x->pace;
	few.whole = false;
	few.tracks = others;
	for (unsigned i = 0; i < BINS && !pace_gives_up(x->pace); i++) {
		struct odd_mix *bin = &x->until[i + 1];
		few.from = wide_part_up(0, run, BINS, i);
		few.to = wide_part_up(0, run, BINS, i + 1);
		tally_count(&t, x->p, &few);
		for (stack_id s = 0; s < t.n && s < n_stacks; s++)
			if (t.cell[s].value > 0 && x->part[s]) {
				bin->of[x->part[s]] += (double)t.cell[s].value;
				x->events[i + 1] += t.cell[s].hits;
			}
	}
	tally_release(&t);
	free(others);
	sum_bins(x);
}

/* ---- windows ---- */

static double
sum_between(const struct odd_search *x, unsigned c, unsigned from, unsigned to)
{
	return x->until[to].of[c] - x->until[from].of[c];
}

static double
work_between(const struct odd_search *x, unsigned from, unsigned to)
{
	double work = 0;

	for (unsigned c = OTHERS; c < x->n; c++)
		work += sum_between(x, c, from, to);
	return work;
}

/* Returns how many samples of equal values would be as sure as those in [from, to): a heavy one
 * among light ones counts for most of the work, but is one. One that began earlier and is spread
 * over many bins is one, too. */
static double
samples_between(const struct odd_search *x, unsigned from, unsigned to)
{
	double work = work_between(x, from, to), squares = x->squares[to] - x->squares[from];
	double most = x->events[to] - x->events[from] + 1;

	return squares > 0 ? fmin(work * work / squares, most) : 0;
}

/* Returns the share of a category in [from, to): of what runs there; of idle time, of all. */
static double
share_between(const struct odd_search *x, unsigned c, unsigned from, unsigned to)
{
	double all = work_between(x, from, to);

	all += c == IDLE ? sum_between(x, IDLE, from, to) : 0;
	return all > 0 ? sum_between(x, c, from, to) / all : 0;
}

/* A window, what it is compared with, and how odd it is: its difference beyond the usual one, times
 * the square root of its length; 0 if it is not odd, or not free. */
struct odd_window {
	unsigned from, to, gains;
	unsigned base_from, base_to;
	double differs, oddness;
};

static struct odd_window
span_of(unsigned from, unsigned to)
{
	bool before = from >= BINS - to;

	return (struct odd_window){.from = from,
				   .to = to,
				   .gains = OTHERS,
				   .base_from = before ? 0 : to,
				   .base_to = before ? from : BINS};
}

static double
busyness(const struct odd_search *x, const struct odd_window *w)
{
	double all = x->busy * (w->to - w->from), work = work_between(x, w->from, w->to);

	return all > work ? work / all : all > 0;
}

/* Sets by how much the window and its base differ, and the category that gains most. */
static void
compare_window(const struct odd_search *x, struct odd_window *w, enum odd_kind kind)
{
	double in = work_between(x, w->from, w->to), most = -1;
	double beside = work_between(x, w->base_from, w->base_to);

	if (kind == ODD_IDLE) {
		w->gains = IDLE;
		w->differs = share_between(x, IDLE, w->from, w->to) -
			     share_between(x, IDLE, w->base_from, w->base_to);
		return;
	}
	for (unsigned c = OTHERS; c < x->n && in > 0 && beside > 0; c++) {
		double more = sum_between(x, c, w->from, w->to) / in -
			      sum_between(x, c, w->base_from, w->base_to) / beside;
		w->differs += fabs(more) / 2;
		if (more > most) {
			most = more;
			w->gains = c;
		}
	}
}

/* Returns true if no bin is part of an earlier result. Idle ends of a run are not odd. */
static bool
is_free(const struct odd_search *x, const struct odd_window *w)
{
	if (w->gains == IDLE && (!w->from || w->to == BINS))
		return false;
	for (unsigned i = w->from; i < w->to; i++)
		if (x->taken[i])
			return false;
	return true;
}

/* Returns twice the median difference of the windows of a length. */
static double
usual_difference(struct odd_search *x, unsigned length, enum odd_kind kind)
{
	unsigned n = BINS - length + 1;

	if (x->usual_of[kind][length] >= 0)
		return x->usual_of[kind][length];
	for (unsigned i = 0; i < n; i++) {
		struct odd_window w = span_of(i, i + length);
		compare_window(x, &w, kind);
		x->usual[i] = fabs(w.differs) * (kind == ODD_WORK ? busyness(x, &w) : 1);
	}
	qsort(x->usual, n, sizeof *x->usual, value_order);
	return x->usual_of[kind][length] = 2 * x->usual[n / 2];
}

static struct odd_window
window_of_kind(struct odd_search *x, unsigned from, unsigned to, enum odd_kind kind)
{
	struct odd_window w = span_of(from, to);
	bool work = kind == ODD_WORK;
	double usual = usual_difference(x, to - from, kind), chance = 0;
	double load = work ? busyness(x, &w) : 1, all = x->events[BINS];
	double n = work ? samples_between(x, from, to) : all * (to - from) / BINS;

	compare_window(x, &w, kind);
	all = work ? samples_between(x, w.base_from, w.base_to) : all;
	if (x->sampled && n > 0 && all > 0)
		chance = 2 * (work ? x->chance : BY_CHANCE) * sqrt(1 / n + 1 / all);
	double beyond = w.differs * load - fmax(usual, chance * load);
	if (beyond >= DIFFERS && (!x->sampled || beyond * n >= FEW) && is_free(x, &w))
		w.oddness = beyond * sqrt(to - from);
	return w;
}

static struct odd_window
window_of(struct odd_search *x, unsigned from, unsigned to)
{
	struct odd_window work = window_of_kind(x, from, to, ODD_WORK);
	struct odd_window idle = window_of_kind(x, from, to, ODD_IDLE);

	return idle.oddness > work.oddness ? idle : work;
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
	*best = (struct oddpart){
		.from = wide_part_up(0, run, BINS, w.from),
		.to = wide_part_up(0, run, BINS, w.to),
		.differs = w.differs,
		.key = x->key[w.gains],
		.idle = w.gains == IDLE,
		.before = !w.base_from,
		.now = share_between(x, w.gains, w.from, w.to),
		.beside = share_between(x, w.gains, w.base_from, w.base_to),
	};
	for (unsigned i = w.from ? w.from - 1 : 0; i < w.to + 1 && i < BINS; i++)
		x->taken[i] = 1; /* a neighbour of a part is no other part */
	return true;
}

/* Returns true unless steps have the metric. */
static bool
all_sampled(const struct profile *p, const struct slice *slice)
{
	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if ((!slice->tracks || slice->tracks[t]) &&
			    p->track[t].series[i]->kind == SERIES_STEPS &&
			    series_metric(p->track[t].series[i], slice->metric) >= 0)
				return false;
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
			x.usual_of[ODD_WORK][i] = x.usual_of[ODD_IDLE][i] = -1;
		x.sampled = all_sampled(p, &slice);
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
