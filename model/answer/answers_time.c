/* answers_time.c - answers from what runs when: stalls, periodic. */
#include <math.h>
#include <stdlib.h>

#include "model/answer/answers_inside.h"
#include "model/profile/human.h"

/* ---- stalls ---- */

#define GAPS_FEW 10u  /* with fewer gaps, the usual duration of an event is the measure */
#define GAP_TIMES 10  /* how much longer than that a gap is a stall */

/* Returns the length from which a gap is a stall. */
static double
stall_length(const struct answers_running *r, const struct answers_span *gap, size_t n)
{
	double usual = (double)r->usual, middle = usual;

	if (n >= GAPS_FEW) {
		double *length = mem_alloc(n, sizeof *length);
		for (size_t i = 0; i < n; i++)
			length[i] = (double)(gap[i].to - gap[i].from);
		middle = answers_median(length, n);
		free(length);
	}
	/* gaps shorter than the distance of samples are not seen: they would lower the median */
	if (r->sampled && middle < usual)
		middle = usual;
	return GAP_TIMES * middle;
}

static void
find_stalls(struct answers_work *w, struct answers_item *out)
{
	const struct answers_running *r = answers_run(w);
	const struct answers_span *gap = r->idle.at;
	size_t n = r->idle.n, count = 0;
	double total = 0, longest = 0, run = (double)(r->to - r->from);
	int64_t when = 0;

	/* before the first event and after the last one, nothing is known */
	if (n && gap[n - 1].to == r->to)
		n--;
	if (n && gap[0].from == r->from) {
		gap++;
		n--;
	}
	double limit = stall_length(r, gap, n);
	for (size_t i = 0; i < n; i++) {
		double length = (double)(gap[i].to - gap[i].from);
		if (length < limit)
			continue;
		count++;
		total += length;
		when = length > longest ? gap[i].from : when;
		longest = length > longest ? length : longest;
	}
	struct answers_blocks b;
	answers_find_blocks(w, limit, &b);
	double both = total + b.total, one = (double)(b.longest.to - b.longest.from);
	answers_add(out, "", "share", "%", 100 * both / run);
	answers_add(out, "", "total", "ns", both);
	answers_add(out, "", "longest", "ns", longest > one ? longest : one);
	out->notable = answers_level(100 * both / run, 5);
	if (!count && !b.count)
		answers_say(out, "nothing stops for unusually long");
	if (count) {
		answers_say(out,
			    "nothing runs for %.1f %% of the time, %zu stall%s, the longest for ",
			    100 * total / run, count, count == 1 ? "" : "s");
		answers_say_time(out, longest < 0x1p63 ? (int64_t)longest : INT64_MAX);
		answers_say(out, " at ");
		answers_say_time(out, when);
	}
	if (b.count) {
		answers_say(out, "%s", count ? "; " : "");
		answers_function(w, b.key, &out->text);
		answers_say(out, " blocks all other threads, %u time%s for %.1f %% of the time, "
				 "the longest at ", b.count, b.count == 1 ? "" : "s",
			    100 * b.total / run);
		answers_say_time(out, b.longest.from);
	}
}

const struct answers_row answer_stalls = {
	.name = "stalls",
	.question = "Does everything stop at times?",
	.guide = "beside",
	.command = "--view tracks",
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
		if (c[i] >= 0.9 * peak && c[i] >= c[i - 1] && c[i] >= c[i + 1])
			return top_between(c, i, i + i / 8); /* it may be a bump on the slope */
	return 0;
}

/* A period, in bins. */
struct answers_period {
	double length, margin; /* of 95 % */
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
	/* Peaks lie at whole bins, all of which may err to the same side. */
	double rest = fmax(0, squares - out.length * across);
	unsigned free_ones = k > 2 ? k - 2 : 1;
	out.margin = evidence_student_limit(free_ones) * sqrt(rest / free_ones / places) +
		     0.5 / fmax(1, k - 1.0);
	return out;
}

static void
find_periodic(struct answers_work *w, struct answers_item *out)
{
	const struct answers_running *r = answers_run(w);
	const struct metric time = {.unit = UNIT_NS};
	struct answers_period p = {0};
	double v[ANSWERS_BINS];

	for (unsigned i = 0; i < ANSWERS_BINS; i++)
		v[i] = r->busy[i];
	if (level(v, ANSWERS_BINS) >= VARIES)
		p = find_period(v, ANSWERS_BINS);
	if (!(p.length > 0)) {
		answers_say(out, "the activity does not repeat");
		return;
	}
	double bin = (double)(r->to - r->from) / ANSWERS_BINS, period = p.length * bin;
	struct answers_number *n = answers_add(out, "", "period", "ns", period);
	n->bounded = true;
	n->low = (p.length - p.margin) * bin;
	n->high = (p.length + p.margin) * bin;
	out->notable = 1;
	answers_say(out, "the activity repeats every ");
	human_value(&out->text, period < 0x1p63 ? (int64_t)period : INT64_MAX, &time);
	answers_say(out, ", %.0f times", (double)(r->to - r->from) / period);
}

const struct answers_row answer_periodic = {
	.name = "periodic",
	.question = "Does it repeat?",
	.guide = "ranges",
	.command = "--view tracks",
	.needs = ANSWERS_NEED_TIME,
	.find = find_periodic,
};
