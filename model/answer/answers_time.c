/* answers_time.c - answers from what runs when: stalls, periodic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/base/sum.h"
#include "model/profile/human.h"

/* ---- stalls ---- */

#define GAPS_FEW 10u  /* with fewer gaps, the usual duration of an event is the measure */
#define GAP_TIMES 10  /* how much longer than that a gap is a stall */

#define LENGTH_BITS 16u

/* Returns the median of the lengths of n > 0 gaps: its digits one after the other, from the highest
 * one. So it needs no copy of the lengths, which may be as many as there are samples. */
static int64_t
median_length(const struct answers_span *gap, size_t n)
{
	size_t *count = mem_alloc((size_t)1 << LENGTH_BITS, sizeof *count), place = n / 2;
	uint64_t median = 0, known = 0, digit;

	for (unsigned shift = 64; shift; known |= (((uint64_t)1 << LENGTH_BITS) - 1) << shift) {
		shift -= LENGTH_BITS;
		memset(count, 0, sizeof *count << LENGTH_BITS);
		for (size_t i = 0; i < n; i++) {
			uint64_t length = (uint64_t)(gap[i].to - gap[i].from);
			count[length >> shift & ((1u << LENGTH_BITS) - 1)] +=
				(length & known) == median;
		}
		for (digit = 0; place >= count[digit]; digit++)
			place -= count[digit];
		median |= digit << shift;
	}
	free(count);
	return (int64_t)median;
}

/* Returns the length from which a gap is a stall. */
static double
stall_length(const struct answers_running *r, const struct answers_span *gap, size_t n)
{
	double usual = (double)r->usual, middle = usual;

	if (n >= GAPS_FEW)
		middle = (double)median_length(gap, n);
	/* gaps shorter than the distance of samples are not seen: they would lower the median */
	if (r->sampled && middle < usual)
		middle = usual;
	return GAP_TIMES * middle;
}

/* Stalls of all files. */
struct stalls {
	size_t count;
	double total, longest, run;
	int64_t when;
	uint32_t file;
	struct answers_blocks blocks;
	uint32_t blocks_file; /* of the longest one */
	bool sampled; /* what runs between two samples is not known */
};

static void
add_stalls(struct answers_work *w, const struct answers_running *r, struct stalls *x)
{
	const struct answers_span *gap = r->idle.at;
	size_t n = r->idle.n;
	struct answers_blocks b;

	/* before the first event and after the last one, nothing is known */
	if (n && gap[n - 1].to == r->to)
		n--;
	if (n && gap[0].from == r->from) {
		gap++;
		n--;
	}
	double limit = stall_length(r, gap, n);
	answers_spans stall = answers_gaps(w, r, gap, n, limit);
	for (size_t i = 0; i < stall.n; i++) {
		double length = (double)(stall.at[i].to - stall.at[i].from);
		x->count++;
		x->total += length;
		if (length <= x->longest)
			continue;
		x->longest = length;
		x->when = stall.at[i].from;
		x->file = r->group;
	}
	vec_release(&stall);
	answers_find_blocks(w, r, limit, &b);
	x->sampled |= r->sampled;
	x->run += (double)(r->to - r->from);
	x->blocks.count += b.count;
	x->blocks.total += b.total;
	const struct answers_span *most = &x->blocks.longest;
	if (b.longest.to - b.longest.from > most->to - most->from) {
		x->blocks.longest = b.longest;
		x->blocks.key = b.key;
		x->blocks_file = r->group;
	}
}

static void
find_stalls(struct answers_work *w, struct answers_item *out)
{
	struct stalls x = {0};

	if (!answers_run(w)) {
		answers_say(out, "nothing runs in the range");
		return;
	}
	for (size_t i = 0; i < w->running.n; i++)
		add_stalls(w, &w->running.at[i], &x);
	const struct answers_blocks *b = &x.blocks;
	double both = x.total + b->total, one = (double)(b->longest.to - b->longest.from);
	answers_add(out, "", "share", "%", 100 * both / x.run);
	answers_add(out, "", "total", "ns", both);
	answers_add(out, "", "longest", "ns", x.longest > one ? x.longest : one);
	out->notable = answers_level(100 * both / x.run, 5);
	if (!x.count && !b->count)
		answers_say(out, "nothing stops for unusually long");
	if (x.count) {
		answers_say(out,
			    "nothing %s for %.1f %% of the time, %zu stall%s, the longest for ",
			    x.sampled ? "is sampled" : "runs", 100 * x.total / x.run, x.count,
			    x.count == 1 ? "" : "s");
		answers_say_time(out, x.longest < 0x1p63 ? (int64_t)x.longest : INT64_MAX);
		answers_say(out, " at ");
		answers_say_time(out, x.when);
		answers_say_file(w, out, x.file);
		answers_show_range(w, out, x.when, sum_clipped(x.when, (int64_t)x.longest));
	}
	if (b->count) {
		answers_say(out, "%s", x.count ? "; " : "");
		answers_function(w, b->key, &out->text);
		answers_say(out, " blocks all other threads, %u time%s for %.1f %% of the time, "
				 "the longest for ", b->count, b->count == 1 ? "" : "s",
			    100 * b->total / x.run);
		answers_say_time(out, b->longest.to - b->longest.from);
		answers_say(out, " at ");
		answers_say_time(out, b->longest.from);
		answers_say_file(w, out, x.blocks_file);
		if (!x.count)
			answers_show_range(w, out, b->longest.from, b->longest.to);
	}
}

const struct answers_row answer_stalls = {
	.name = "stalls",
	.question = "Does everything stop at times?",
	.guide = "beside",
	.view = "info",
	.needs = ANSWERS_NEED_TIME,
	.find = find_stalls,
};

/* ---- periodic ---- */

#define PEAK 0.5        /* of the autocorrelation */
#define REPETITIONS 5u
#define STILL 0.7       /* of the first peak, that of a multiple */
#define LAG_MIN 4u      /* bins: a shorter period is not resolved */
#define VARIES 0.05     /* standard deviation by mean: below, the activity is even */

/* Takes the mean and the trend off; returns the standard deviation divided by the mean. */
static double
level(double *v, unsigned n)
{
	struct answers_line l = answers_fit(v, n);

	for (unsigned i = 0; i < n; i++)
		v[i] -= answers_line_at(&l, i, n);
	return l.mean > 0 ? sqrt(l.rest / n) / l.mean : 0;
}

static double
correlation(const double *v, unsigned n, unsigned lag)
{
	double product = 0, a = 0, b = 0;

	for (unsigned i = 0; i + lag < n; i++) {
		product += v[i] * v[i + lag];
		a += v[i] * v[i];
		b += v[i + lag] * v[i + lag];
	}
	return a > 0 && b > 0 ? product / sqrt(a * b) : 0;
}

/* Returns the lag of the highest value of c[from..to]. */
static unsigned
top_between(const double *c, unsigned from, unsigned to)
{
	unsigned top = from;

	for (unsigned i = from + 1; i <= to; i++)
		top = c[i] > c[top] ? i : top;
	return top;
}

/* Returns the height of the peak around lag i, which is between two lags in general: that of the
 * triangle with the slope of the steeper side. */
static double
peak_height(const double *c, unsigned i)
{
	double left = c[i - 1], right = c[i + 1], near = fmax(left, right);

	return (c[i] + near + (c[i] - fmin(left, right))) / 2;
}

/* Returns the lag of the first peak that is nearly the highest, in bins; 0 if there is none. A
 * multiple of a period correlates as well as the period itself. */
static unsigned
first_peak(const double *c, unsigned most)
{
	unsigned lag = 1;

	while (lag <= most && c[lag] > 0)
		lag++;
	lag = lag > LAG_MIN ? lag : LAG_MIN;
	if (lag > most)
		return 0;
	double peak = c[top_between(c, lag, most)];
	for (unsigned i = lag; i <= most && peak >= PEAK; i++)
		if (c[i] >= c[i - 1] && c[i] >= c[i + 1] && peak_height(c, i) >= 0.9 * peak)
			return top_between(c, i, i + i / 8); /* it may be a bump on the slope */
	return 0;
}

/* A period, in bins. */
struct answers_period {
	double length, margin; /* of 95 % */
	bool resolved; /* half of it would be seen, too */
};

/* Finds the period; its length is 0 if there is none. The multiples that correlate, too, tell its
 * length the better the higher they are: it is the slope of the line through their peaks. */
static struct answers_period
find_period(const double *v, unsigned n)
{
	unsigned most = n / REPETITIONS + 1, last = n - n / REPETITIONS, k = 1;
	double *c = mem_zalloc(last + 2, sizeof *c), across = 0, places = 0, squares = 0;
	struct answers_period out = {0};

	for (unsigned i = 1; i <= last + 1; i++)
		c[i] = correlation(v, n, i);
	unsigned top = first_peak(c, most), first = top;
	for (; top && c[top] >= STILL * c[first]; k++) {
		across += (double)k * top;
		places += (double)k * k;
		squares += (double)top * top;
		out.length = across / places;
		double next = (k + 1) * out.length, near = fmax(2, out.length / 8);
		if (next + near > last)
			break;
		top = top_between(c, (unsigned)(next - near), (unsigned)(next + near));
	}
	free(c);
	if (!first)
		return out;
	/* A peak is at a whole bin, so all of them may be off in the same direction. */
	double rest = fmax(0, squares - out.length * across);
	unsigned free_ones = k > 2 ? k - 2 : 1;
	out.resolved = first >= 2 * LAG_MIN;
	out.margin = evidence_student_limit(free_ones) * sqrt(rest / free_ones / places) +
		     0.5 / fmax(1, k - 1.0);
	return out;
}

static void
find_periodic(struct answers_work *w, struct answers_item *out)
{
	const struct answers_running *r = NULL;
	const struct metric time = {.unit = UNIT_NS};
	struct answers_period p = {0};

	answers_run(w);
	for (size_t k = 0; k < w->running.n && !(p.length > 0); k++) {
		double v[ANSWERS_BINS];
		r = &w->running.at[k];
		memcpy(v, r->busy, sizeof v);
		if (level(v, ANSWERS_BINS) >= VARIES)
			p = find_period(v, ANSWERS_BINS);
	}
	if (!(p.length > 0)) {
		answers_say(out, "no period shows in the activity");
		return;
	}
	double bin = (double)(r->to - r->from) / ANSWERS_BINS, period = p.length * bin;
	struct answers_number *n = answers_add(out, "", "period", "ns", period);
	n->bounded = p.resolved;
	n->low = (p.length - p.margin) * bin;
	n->high = (p.length + p.margin) * bin;
	out->notable = 1;
	answers_say(out, "the activity repeats every ");
	human_value(&out->text, period < 0x1p63 ? (int64_t)period : INT64_MAX, &time);
	answers_say(out, ", %.0f times", (double)(r->to - r->from) / period);
	answers_say_file(w, out, r->group);
	answers_show_range(w, out, r->from, r->from + (int64_t)period);
}

const struct answers_row answer_periodic = {
	.name = "periodic",
	.question = "Does it repeat?",
	.guide = "ranges",
	.view = "info",
	.needs = ANSWERS_NEED_TIME,
	.find = find_periodic,
};
