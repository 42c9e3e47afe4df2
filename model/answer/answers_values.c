/* answers_values.c - answers from memory and counters over time: growth, spikes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "model/profile/human.h"

/* ---- growth ---- */

#define PARTS 20u /* of the run; the first tenth is left out, since memory allocated there stays */
#define SKIPPED 2u
#define MOMENTS 4u /* of a part: how much is held varies less on average than at one moment */

/* Returns how much is held at moment i of n in the range; at its end if i is n. */
static double
held_at(struct answers_work *w, unsigned i, unsigned n)
{
	return answers_held(w, i == n ? sum_clipped(w->to, 1) : wide_part_up(w->from, w->to, n, i));
}

/* Memory that is held: on average in each part of the range from SKIPPED on, then where these
 * parts begin and end. */
struct held_parts {
	double part[PARTS], begin, end;
};

static struct held_parts
held_over_time(struct answers_work *w)
{
	struct held_parts h = {.begin = held_at(w, SKIPPED, PARTS)};

	for (unsigned i = SKIPPED; i < PARTS; i++)
		for (unsigned k = 1; k <= MOMENTS && pace_on(w->pace, PACE_STEPS / 16); k++) {
			h.end = held_at(w, i * MOMENTS + k, PARTS * MOMENTS);
			h.part[i] += h.end / MOMENTS;
		}
	return h;
}

/* Says which function grew most after the first tenth. */
static void
say_grower(struct answers_work *w, struct answers_item *out)
{
	struct name name = names_get(&w->p->names, w->p->metric[w->live].name);
	char *text = mem_dup(name.at, name.len);
	struct fold *f = fold_new();
	struct lens lens;
	struct err e;

	err_init(&e);
	lens_copy(&lens, &w->lens);
	lens_set_metric(&lens, text);
	lens.from = answers_moment(w, wide_part_up(w->from, w->to, PARTS, SKIPPED));
	answers_show_from(w, out, wide_part_up(w->from, w->to, PARTS, SKIPPED), false);
	answers_show_metric(w, out, w->live);
	f->pace = w->pace;
	if (fold_update(f, w->p, &lens, NULL, &e)) {
		key_id key = fold_hottest(f);
		if (key != KEY_NONE) {
			answers_say(out, ", most in ");
			answers_function(w, key, &out->text);
		}
	}
	fold_free(f);
	lens_release(&lens);
	free(text);
}

/* Adds what each function holds at a moment to now[key]. */
static void
held_by_key(struct answers_work *w, struct tally *tally, int64_t when, double *now)
{
	const struct projection *t = w->fold->tree;
	struct slice slice = w->slice;

	slice.metric = w->live;
	slice.whole = false;
	slice.from = 0;
	slice.to = when;
	tally_count(tally, w->p, &slice);
	for (stack_id s = 0; s < tally->n && s < t->n_stacks; s++) {
		node_id node = t->node_of[s];
		if (node != NODE_NONE && node != NODE_ROOT)
			now[t->key[node]] += (double)tally->cell[s].value;
	}
}

/* Says which function grew most of those that never held less than before. */
static void
say_keeper(struct answers_work *w, struct answers_item *out)
{
	size_t n = w->fold->tree->n_keys;
	double *first = mem_zalloc(n + 1, sizeof *first), *last = mem_zalloc(n + 1, sizeof *last);
	double *now = mem_zalloc(n + 1, sizeof *now), most = 0;
	bool *shrank = mem_zalloc(n + 1, sizeof *shrank);
	key_id best = KEY_NONE;
	struct tally tally;

	tally_init(&tally);
	tally.pace = w->pace;
	for (unsigned i = SKIPPED; i <= PARTS && !pace_gives_up(w->pace); i++) {
		memset(now, 0, n * sizeof *now);
		held_by_key(w, &tally,
			    i == PARTS ? sum_clipped(w->to, 1)
				       : wide_part_up(w->from, w->to, PARTS, i),
			    now);
		for (key_id key = 0; key < n; key++) {
			shrank[key] |= i > SKIPPED && now[key] < last[key];
			first[key] = i == SKIPPED ? now[key] : first[key];
			last[key] = now[key];
		}
	}
	tally_release(&tally);
	for (key_id key = 0; key < n; key++)
		if (!shrank[key] && last[key] - first[key] > most) {
			most = last[key] - first[key];
			best = key;
		}
	if (best != KEY_NONE) {
		answers_add_of(w, out, w->p->frames.function.name[best], "grown", "bytes", most);
		answers_say(out, "; ");
		answers_function(w, best, &out->text);
		answers_say(out, " never shrinks");
	}
	free(first);
	free(last);
	free(now);
	free(shrank);
}

static void
find_growth(struct answers_work *w, struct answers_item *out)
{
	struct held_parts held = held_over_time(w);
	double mean = 0, squares = 0, before = 0;
	unsigned n = PARTS - SKIPPED - 1;
	double second = 1e9 * PARTS / (double)(w->to - w->from);

	/* The sum of steps that depend on chance: only the steps show how much. Where a step is
	 * followed by one in the other direction, the sum varies less (W. K. Newey, K. D. West,
	 * Econometrica 55 (1987) 703-708, with one lag). */
	for (unsigned i = SKIPPED + 1; i < PARTS; i++)
		mean += (held.part[i] - held.part[i - 1]) / n;
	for (unsigned i = SKIPPED + 1; i < PARTS; i++) {
		double off = held.part[i] - held.part[i - 1] - mean;
		squares += off * (off + before);
		before = off;
	}
	squares = squares > 0 ? squares : 0;
	double margin = evidence_student_limit(n - 1) * sqrt(squares / (n - 1) / n);
	double grown = held.end - held.begin;
	if (w->p->n_groups && w->p->group[0].axis == UNIT_NS) {
		struct answers_number *slope =
			answers_add(out, "", "slope", "bytes/s", mean * second);
		slope->bounded = true;
		slope->low = (mean - margin) * second;
		slope->high = (mean + margin) * second;
	}
	answers_add(out, "", "grown", "bytes", grown);
	if (mean - margin > 0 && grown > 0 && held.end > 0)
		out->notable = answers_level(100 * grown / held.end, 10);
	if (w->live == METRIC_NONE)
		answers_show_view(out, "values");
	if (!out->notable) {
		answers_say(out, "memory does not surely grow after the first tenth");
		return;
	}
	const struct metric bytes = {.unit = UNIT_BYTES};
	answers_say(out, "memory grows by ");
	human_value(&out->text, fabs(grown) < 0x1p63 ? (int64_t)grown : INT64_MAX, &bytes);
	answers_say(out, " after the first tenth, %.0f %% of what is held at the end",
		    100 * grown / held.end);
	if (w->live == METRIC_NONE)
		return;
	say_grower(w, out);
	say_keeper(w, out);
}

const struct answers_row answer_growth = {
	.name = "growth",
	.question = "Does memory grow?",
	.guide = "leak",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_LIVE,
	.find = find_growth,
};

/* ---- spikes ---- */

#define VALUES_MAX 65536u /* values read for the quartiles of a counter */
#define VALUES_FEW 20u
#define RANGES 5         /* how many interquartile ranges from the quartiles a spike is */
#define OFTEN 0.05       /* the part of the values from which on they are no spikes */

struct spikes {
	uint64_t count;
	double largest, how_far; /* in interquartile ranges; if they are 0, in usual values */
	bool constant;		 /* the interquartile range is 0 */
	int64_t when;
	track_id track;
};

static uint64_t
first_in_range(const struct answers_work *w, const struct series *s, int64_t origin)
{
	return w->fold->whole ? 0 : series_find(s, sum_clipped(origin, w->from));
}

static uint64_t
end_of_range(const struct answers_work *w, const struct series *s, int64_t origin)
{
	return w->fold->whole ? s->n : series_find(s, sum_clipped(origin, w->to));
}

static void
add_spikes(struct spikes *to, const struct spikes *more)
{
	uint64_t count = to->count + more->count;

	if (more->count && (!to->count || more->how_far > to->how_far))
		*to = *more;
	to->count = count;
}

/* Counts the values of a counter outside of the limits. One that only rises or only falls
 * accumulates, and has no spikes. */
static void
count_spikes(const struct answers_work *w, const struct series *s, const double *quartile,
	     struct spikes *out)
{
	int64_t origin = w->p->group[w->p->track[s->track].group].start;
	double range = quartile[1] - quartile[0], last = NAN;
	bool rises = false, falls = false;
	struct event e;

	for (uint64_t i = first_in_range(w, s, origin), n = end_of_range(w, s, origin);
	     i < n && pace_on(w->pace, 1) && series_event(s, i, &e); i++) {
		double v = answers_value(s, &e), off = v > quartile[1] ? v - quartile[1]
								  : quartile[0] - v;
		struct spikes one = {.count = 1, .track = s->track, .largest = v};
		rises |= v > last;
		falls |= v < last;
		last = v;
		if (!(off > RANGES * range))
			continue;
		one.how_far = off / range;
		one.when = difference_clipped(e.time, origin);
		add_spikes(out, &one);
	}
	if (!rises || !falls)
		out->count = 0;
}

/* The same of a counter whose quartiles are one value: those that differ from it by itself or
 * more. Others before it first has that value, or after it last has, are its begin and end. */
static void
count_peaks(const struct answers_work *w, const struct series *s, double usual, struct spikes *out)
{
	int64_t origin = w->p->group[w->p->track[s->track].group].start;
	double scale = usual < 0 || usual > 0 ? fabs(usual) : 1;
	struct spikes since = {0};
	bool begun = false;
	struct event e;

	for (uint64_t i = first_in_range(w, s, origin), n = end_of_range(w, s, origin);
	     i < n && pace_on(w->pace, 1) && series_event(s, i, &e); i++) {
		double v = answers_value(s, &e), off = fabs(v - usual);
		struct spikes one = {
			.count = 1, .track = s->track, .largest = v, .constant = true};
		if (!(off > 0)) {
			add_spikes(out, &since);
			since.count = 0;
			begun = true;
		} else if (begun && (off >= scale || !(usual < 0 || usual > 0))) {
			one.how_far = off / scale;
			one.when = difference_clipped(e.time, origin);
			add_spikes(&since, &one);
		}
	}
}

static struct spikes
spikes_of(const struct answers_work *w, const struct series *s)
{
	int64_t origin = w->p->group[w->p->track[s->track].group].start;
	uint64_t from = first_in_range(w, s, origin), to = end_of_range(w, s, origin);
	struct spikes out = {.track = s->track};
	size_t n = 0;

	if (to <= from || to - from < VALUES_FEW)
		return out;
	double *v = mem_alloc(VALUES_MAX, sizeof *v);
	struct event e;
	for (uint64_t i = from; i < to && n < VALUES_MAX; i += (to - from) / VALUES_MAX + 1) {
		series_event(s, i, &e);
		v[n++] = answers_value(s, &e);
	}
	answers_median(v, n);
	double quartile[2] = {v[n / 4], v[n - 1 - n / 4]};
	free(v);
	if (quartile[1] > quartile[0])
		count_spikes(w, s, quartile, &out);
	else
		count_peaks(w, s, quartile[0], &out);
	if ((double)out.count > OFTEN * (double)(to - from))
		out.count = 0;
	return out;
}

/* Says which function had the most around the moment, and shows the values then. */
static void
say_beside(struct answers_work *w, struct answers_item *out, const struct spikes *x)
{
	struct fold *f = fold_new();
	struct lens lens;
	struct err e;
	int64_t around = (w->to - w->from) / 200 + 1;

	answers_show_range(w, out, x->when > around ? x->when - around : 0,
			   sum_clipped(x->when, around));
	err_init(&e);
	lens_copy(&lens, &w->lens);
	lens.from = out->shown.lens.from;
	lens.to = out->shown.lens.to;
	f->pace = w->pace;
	if (fold_update(f, w->p, &lens, NULL, &e)) {
		key_id key = fold_hottest(f);
		if (key != KEY_NONE) {
			answers_say(out, ", when ");
			answers_function(w, key, &out->text);
			answers_say(out, " ran");
		}
	}
	fold_free(f);
	lens_release(&lens);
}

static void
find_spikes(struct answers_work *w, struct answers_item *out)
{
	struct spikes best = {0};

	for (track_id t = 0; t < w->p->n_tracks; t++)
		for (uint32_t i = 0; i < w->p->track[t].n_series; i++) {
			const struct series *s = w->p->track[t].series[i];
			if (!w->tracks[t] || w->p->track[t].kind != TRACK_COUNTER ||
			    s->kind != SERIES_POINTS || !s->sorted)
				continue;
			struct spikes now = spikes_of(w, s);
			add_spikes(&best, &now);
		}
	answers_add(out, "", "count", "count", (double)best.count);
	if (!best.count) {
		answers_say(out, "no counter has a value far from its others");
		return;
	}
	name_id name = w->p->track[best.track].name;
	answers_add_of(w, out, name, "largest", "count", best.largest);
	out->notable = best.constant ? 1 : answers_level((double)best.count, 1);
	answers_name(w, name, &out->text);
	answers_say(out, " is ");
	answers_say_value(w, out, best.track, best.largest);
	answers_say(out, " at ");
	answers_say_time(out, best.when);
	say_beside(w, out, &best);
	if (best.count > 1)
		answers_say(out, "; %llu such values", (unsigned long long)best.count);
	answers_show_named(w, out, VERB_TRACK, name);
}

const struct answers_row answer_spikes = {
	.name = "spikes",
	.question = "Does a counter have spikes?",
	.guide = "values",
	.view = "values",
	.needs = ANSWERS_NEED_COUNTERS,
	.find = find_spikes,
};
