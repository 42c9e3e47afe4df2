/* answers_tracks.c - imbalance: threads that do the same work, some more of it than others.
 *
 * Two tracks are alike if at least 80 % of the cost of each lies in functions that the other has,
 * too. The tracks that are like the busiest one that is in no set yet form a set. */
#include <math.h>
#include <stdlib.h>

#include "model/answer/answers_inside.h"
#include "model/fold/single.h"
#include "model/profile/human.h"
#include "model/profile/running.h"

#define ALIKE 0.8
#define TRACKS_FEW 3u
#define TRACKS_MAX 256u /* the busiest ones are compared */
#define RATIO 1.5

/* A track and the functions that it has. */
struct worker {
	track_id track;
	uint32_t group; /* its file: threads of several share no work */
	double total;
	VEC(key_id) key;
	VEC(double) self;
	unsigned set; /* 0: none yet */
};

struct worker_lane {
	track_id lane, owner;
};

struct workers {
	VEC(struct worker) all;
	VEC(struct worker_lane) lane; /* overlap lanes, whose work is that of their tracks */
	double *of; /* [key] scratch, zero between uses */
};

/* Adds the functions of a track to those of a worker; their sums go to x->of. */
static void
take_functions(struct answers_work *w, struct workers *x, struct worker *worker,
	       struct single *one, track_id t)
{
	const struct projection *tree = w->fold->tree;

	single_track(one, t);
	single_count(one, w->fold->metric);
	for (size_t i = 0; i < one->node.n; i++) {
		node_id node = one->node.at[i];
		key_id key = tree->key[node];
		if (one->self[node] <= 0 || profile_function(w->p, key).kind == KIND_IDLE)
			continue;
		worker->total += (double)one->self[node];
		if (answers_nameless(w, key)) /* it may be another function in each thread */
			continue;
		if (!(x->of[key] > 0))
			*vec_push(&worker->key) = key;
		x->of[key] += (double)one->self[node];
	}
}

/* Adds a track, with its overlap lanes. */
static void
take_track(struct answers_work *w, struct workers *x, struct single *one, track_id t)
{
	struct worker worker = {.track = t, .group = w->p->track[t].group};

	take_functions(w, x, &worker, one, t);
	for (size_t i = 0; i < x->lane.n; i++)
		if (x->lane.at[i].owner == t)
			take_functions(w, x, &worker, one, x->lane.at[i].lane);
	for (size_t i = 0; i < worker.key.n; i++) {
		*vec_push(&worker.self) = x->of[worker.key.at[i]];
		x->of[worker.key.at[i]] = 0;
	}
	*vec_push(&x->all) = worker;
}

static bool
runs_over_time(const struct answers_work *w, track_id t, enum track_kind kind, metric_id base)
{
	for (uint32_t i = 0; i < w->p->track[t].n_series; i++)
		if (answers_is_lane(w, w->p->track[t].series[i], kind, base))
			return true;
	return false;
}

static int
compare_workers(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->track < y->track ? -1 : x->track > y->track;
}

static void
find_workers(struct answers_work *w, struct workers *x)
{
	enum track_kind kind;
	metric_id base;
	struct single one;

	x->of = mem_zalloc(w->fold->tree->n_keys + 1, sizeof *x->of);
	if (!answers_lanes(w, &kind, &base) || kind == TRACK_TASK)
		return;
	single_init(&one, w->p, w->fold);
	track_id *owners = running_owners(w->p);
	bool *is_lane = mem_zalloc((size_t)w->p->n_tracks + 1, sizeof *is_lane);
	for (track_id t = 0; t < w->p->n_tracks && pace_on(w->pace, 1024); t++) {
		track_id owner = runs_over_time(w, t, kind, base) ? owners[t] : t;
		is_lane[t] = owner != t;
		if (is_lane[t])
			*vec_push(&x->lane) = (struct worker_lane){t, owner};
	}
	for (track_id t = 0; t < w->p->n_tracks && pace_on(w->pace, 1024); t++)
		if (runs_over_time(w, t, kind, base) && !is_lane[t])
			take_track(w, x, &one, t);
	free_all(is_lane, owners);
	single_release(&one);
	if (x->all.n > 1)
		qsort(x->all.at, x->all.n, sizeof *x->all.at, compare_workers);
}

/* Returns the share of b's cost in functions that a has; x->of is a's. */
static double
covered(const struct workers *x, const struct worker *b)
{
	double sum = 0;

	for (size_t i = 0; i < b->key.n; i++)
		sum += x->of[b->key.at[i]] > 0 ? b->self.at[i] : 0;
	return b->total > 0 ? sum / b->total : 0;
}

static void
answers_mark(const struct workers *x, const struct worker *a, bool on)
{
	for (size_t i = 0; i < a->key.n; i++)
		x->of[a->key.at[i]] = on ? a->self.at[i] : 0;
}

/* Gives the workers that are like a their set. */
static void
answers_gather(struct workers *x, size_t a, size_t n, unsigned set)
{
	struct worker *first = &x->all.at[a];

	first->set = set;
	for (size_t i = a + 1; i < n; i++) {
		struct worker *b = &x->all.at[i];
		if (b->set || !(b->total > 0) || b->group != first->group)
			continue;
		answers_mark(x, first, true);
		bool alike = covered(x, b) >= ALIKE;
		answers_mark(x, first, false);
		answers_mark(x, b, true);
		alike = alike && covered(x, first) >= ALIKE;
		answers_mark(x, b, false);
		b->set = alike ? set : 0;
	}
}

/* Busiest by median of a set. */
struct balance {
	double ratio, low, high, total;
	track_id busiest, middle; /* the one with the median */
	double most, median;
	unsigned n;
};

static struct balance
answers_weigh(const struct answers_work *w, const struct workers *x, size_t n, unsigned set)
{
	struct balance b = {0};
	double *total = mem_alloc(n, sizeof *total);

	for (size_t i = 0; i < n; i++) {
		const struct worker *one = &x->all.at[i];
		if (one->set != set)
			continue;
		if (!b.n)
			b.busiest = one->track;
		total[b.n++] = one->total;
		b.total += one->total;
	}
	double most = total[0], middle = answers_median(total, b.n);
	b.most = most;
	b.median = middle;
	for (size_t i = 0; i < n; i++) /* the work of the set falls: the last one is found */
		if (x->all.at[i].set == set && x->all.at[i].total >= middle)
			b.middle = x->all.at[i].track;
	b.ratio = b.low = b.high = most / middle;
	if (w->weight > 0) { /* of the logarithm of a ratio of two counts; the busiest is chosen
			      * among n, which costs about its logarithm */
		double error = sqrt(w->weight / most + w->weight / middle);
		double z = sqrt(1.96 * 1.96 + 2 * log(b.n));
		b.low = b.ratio * exp(-z * error);
		b.high = b.ratio * exp(z * error);
	}
	free(total);
	return b;
}

/* Shows the busiest thread beside the one with the median: how much each does. */
static void
show_balance(struct answers_work *w, struct answers_item *out, const struct balance *b)
{
	const struct metric *m = &w->p->metric[w->fold->metric];

	answers_show_named(w, out, VERB_TRACK, w->p->track[b->busiest].name);
	answers_show_beside(w, out, w->p->track[b->middle].name);
	answers_say(out, ", ");
	human_value(&out->text, (int64_t)b->most, m);
	answers_say(out, " to ");
	human_value(&out->text, (int64_t)b->median, m);
}

static void
say_balance(struct answers_work *w, struct answers_item *out, const struct balance *b)
{
	name_id name = w->p->track[b->busiest].name;
	struct answers_number *n = answers_add_of(w, out, name, "ratio", "ratio", b->ratio);

	n->bounded = w->has_chance;
	n->low = b->low;
	n->high = b->high;
	out->notable = answers_level(b->low, RATIO);
	answers_name(w, name, &out->text);
	answers_say(out, " does %.1f times the work of the median of %u threads alike", b->ratio,
		    b->n);
	if (n->bounded)
		answers_say(out, " (%.1f to %.1f)", b->low, b->high);
	answers_say_samples(w, out);
	show_balance(w, out, b);
}

static void
find_imbalance(struct answers_work *w, struct answers_item *out)
{
	struct workers x = {0};
	struct balance best = {0};
	unsigned set = 0;

	find_workers(w, &x);
	size_t n = x.all.n < TRACKS_MAX ? x.all.n : TRACKS_MAX;
	for (size_t i = 0; i < n && pace_on(w->pace, 1024); i++) {
		if (x.all.at[i].set || !(x.all.at[i].total > 0))
			continue;
		answers_gather(&x, i, n, ++set);
		struct balance b = answers_weigh(w, &x, n, set);
		if (b.n >= TRACKS_FEW && b.total > best.total)
			best = b;
	}
	if (best.n)
		say_balance(w, out, &best);
	else
		answers_say(out, "no three threads do the same work");
	for (size_t i = 0; i < x.all.n; i++) {
		vec_release(&x.all.at[i].key);
		vec_release(&x.all.at[i].self);
	}
	vec_release_all(&x.all, &x.lane);
	free(x.of);
}

const struct answers_row answer_imbalance = {
	.name = "imbalance",
	.question = "Which thread does the work?",
	.guide = "threads",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_TIME | ANSWERS_NEED_COSTS,
	.find = find_imbalance,
};
