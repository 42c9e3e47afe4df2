#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "model/fold/tally.h"
#include "model/lens/match.h"
#include "model/profile/profile.h"

/* The speed of the model alone, without files and without a screen: the cost of a step of the
 * scrubber on a hundred million samples, of a filter on a million stacks, and of a search among a
 * million names.
 *
 * Prints CSV, `figure,value,unit,budget`, a line each; a figure without a budget is only for
 * comparison.  Machines are noisy, so medians and the 99th percentile of a hundred runs count. The
 * yardstick (memcpy of the columns that a range has to fill) runs interleaved.
 *
 *	model [SAMPLES [STACKS]]       100000000 and 400000 by default */

struct chance {
	uint64_t state;
};

static uint64_t
chance_bits(struct chance *c)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return c->state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint32_t
chance_below(struct chance *c, uint32_t n)
{
	return (uint32_t)((chance_bits(c) >> 32) * n >> 32);
}

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
figure(const char *name, double value, const char *unit, const char *budget)
{
	printf("%s,%.2f,%s,%s\n", name, value, unit, budget);
	fflush(stdout);
}

/* ---- a time range ---- */

/* Makes n stacks below one root: functions call each other up to 40 deep. */
static stack_id *
make_stacks(struct builder *b, struct chance *c, uint32_t n, uint32_t n_functions)
{
	stack_id *stack = mem_alloc(n, sizeof *stack);
	frame_id *frame = mem_alloc(n_functions, sizeof *frame);
	char name[64];

	for (uint32_t i = 0; i < n_functions; i++) {
		int len = snprintf(name, sizeof name, "library::module%u::function_%u",
				   i % 97, i);
		frame[i] = builder_frame(b, builder_function_named(b, name, (size_t)len),
					 line_unknown());
	}
	stack[0] = builder_child(b, STACK_EMPTY, frame[0]);
	for (uint32_t i = 1; i < n;) {
		stack_id s = stack[chance_below(c, i)];
		for (uint32_t depth = 1 + chance_below(c, 4); depth && i < n; depth--) {
			s = builder_child(b, s, frame[chance_below(c, n_functions)]);
			stack[i++] = s;
		}
	}
	free(frame);
	return stack;
}

/* Half of the samples lie on a thousand stacks, half anywhere.  Stacks are numbered in the order of
 * their occurrence, as in every decoder. */
static void
add_samples(struct builder *b, struct chance *c, uint64_t n, const stack_id *stack,
	    uint32_t n_stacks, bool weighted)
{
	metric_id weight = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = builder_samples(b, t, &weight, weighted);
	uint32_t *rank = mem_zalloc(n_stacks, sizeof *rank), ranks = 0;
	struct err e;
	int64_t time = 0;

	builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	builder_default_metric(b, weighted ? weight : (metric_id)0);
	err_init(&e);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t r = chance_bits(c);
		uint32_t below = r & 1 ? (n_stacks < 1000 ? n_stacks : 1000) : n_stacks;
		time += 900000 + (int64_t)(r >> 1 & 0x3FFFF);
		int64_t value = (int64_t)(r >> 20 & 0xFFFF);
		uint32_t *k = &rank[(r >> 32) * below >> 32];
		if (!*k)
			*k = ++ranks;
		if (!builder_sample(b, s, time, stack[*k - 1], &value, 0, &e))
			abort();
	}
	builder_finish(b, &e);
	free(rank);
}

/* Prints the bytes of the events, and of the checkpoints. */
static void
memory_figures(const struct profile *p, const char *what)
{
	const struct series *s = p->track[0].series[0];
	uint64_t events = 0, checkpoints = 0;
	char name[64];

	for (uint32_t i = 0; i < s->n_chunks; i++) {
		const struct chunk *c = &s->chunk[i];
		events +=
			sizeof *c + (uint64_t)c->cap * (c->time.width + c->stack.width);
		for (unsigned v = 0; v < s->n_columns; v++)
			events += (uint64_t)c->cap * c->value[v].width;
	}
	events += (uint64_t)s->n_blocks * (sizeof *s->block + 8u * s->n_metrics);
	checkpoints = s->checkpoint_bytes + (uint64_t)s->n_seen * sizeof *s->seen;
	snprintf(name, sizeof name, "%s: checkpoints a sample", what);
	figure(name, (double)checkpoints / (double)s->n, "bytes", "2");
	snprintf(name, sizeof name, "%s: timeline an event", what);
	figure(name, (double)(events + checkpoints) / (double)s->n, "bytes", "16");
}

static void
range_figures(const struct profile *p, struct chance *c, const char *what)
{
	enum { RANGES = 400 };
	int64_t length = p->group[0].end - p->group[0].start;
	double tallies[RANGES], folds[RANGES], copies[RANGES], sum = 0;
	struct fold *fold = fold_new();
	struct lens lens;
	struct tally tally;
	struct err e;
	char name[64];
	void *from = mem_zalloc(p->stacks.n, 16), *to = mem_zalloc(p->stacks.n, 16);

	err_init(&e);
	lens_init(&lens);
	tally_init(&tally);
	fold_update(fold, p, &lens, NULL, &e);
	for (int i = 0; i < RANGES; i++) {
		int64_t a = (int64_t)(chance_bits(c) % (uint64_t)length);
		int64_t b = (int64_t)(chance_bits(c) % (uint64_t)length);
		struct slice slice = {profile_default_metric(p), false, a < b ? a : b,
				      a < b ? b : a, NULL};
		double start = now_ms();
		memcpy(to, from, (size_t)p->stacks.n * 16);
		copies[i] = now_ms() - start;
		start = now_ms();
		tally_count(&tally, p, &slice);
		tallies[i] = now_ms() - start;
		sum += (double)tally.events;
		lens.from = (struct moment){.kind = MOMENT_NS, .value = slice.from};
		lens.to = (struct moment){.kind = MOMENT_NS, .value = slice.to};
		start = now_ms();
		fold_update(fold, p, &lens, NULL, &e);
		folds[i] = now_ms() - start;
	}
	qsort(tallies, RANGES, sizeof *tallies, compare_doubles);
	qsort(folds, RANGES, sizeof *folds, compare_doubles);
	qsort(copies, RANGES, sizeof *copies, compare_doubles);
	snprintf(name, sizeof name, "%s: range median", what);
	figure(name, tallies[RANGES / 2], "ms", "5");
	snprintf(name, sizeof name, "%s: range p99", what);
	figure(name, tallies[RANGES * 99 / 100], "ms", "16");
	snprintf(name, sizeof name, "%s: range and fold median", what);
	figure(name, folds[RANGES / 2], "ms", "");
	snprintf(name, sizeof name, "%s: range and fold p99", what);
	figure(name, folds[RANGES * 99 / 100], "ms", "");
	snprintf(name, sizeof name, "%s: memcpy of the columns median", what);
	figure(name, copies[RANGES / 2], "ms", "");
	snprintf(name, sizeof name, "%s: events read a range", what);
	figure(name, sum / RANGES, "events", "");
	free(from);
	free(to);
	tally_release(&tally);
	lens_release(&lens);
	fold_free(fold);
}

static void
bench_range(uint64_t n, uint32_t n_stacks, bool weighted, const char *what)
{
	struct chance c = {88172645463325252};
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "bench", "bench");
	stack_id *stack = make_stacks(b, &c, n_stacks, 20000);
	double start = now_ms();
	char name[64];

	add_samples(b, &c, n, stack, n_stacks, weighted);
	snprintf(name, sizeof name, "%s: append", what);
	figure(name, (double)n / 1e3 / (now_ms() - start), "million/s", "");
	memory_figures(p, what);
	range_figures(p, &c, what);
	free(stack);
	builder_free(b);
	profile_free(p);
}

/* ---- filters, names, children ---- */

static void
time_fold(struct fold *f, const struct profile *p, struct lens *l, const char *name,
	  const char *budget)
{
	double times[7], start;
	struct lens none;
	struct err e;

	err_init(&e);
	lens_init(&none);
	none.by = BY_MODULE;
	for (int i = 0; i < 7; i++) {
		fold_update(f, p, &none, NULL, &e); /* so that the shape changes */
		start = now_ms();
		if (!fold_update(f, p, l, NULL, &e))
			abort();
		times[i] = now_ms() - start;
	}
	qsort(times, 7, sizeof *times, compare_doubles);
	figure(name, times[3], "ms", budget);
	lens_release(&none);
}

static void
bench_filter(struct fold *f, const struct profile *p, enum verb verb, const char *pattern)
{
	struct lens l;
	struct err e;
	char name[64];

	err_init(&e);
	lens_init(&l);
	if (!lens_add(&l, verb, pattern, strlen(pattern), &e))
		abort();
	snprintf(name, sizeof name, "million stacks: fold after %s %s", verb_name(verb),
		 pattern);
	time_fold(f, p, &l, name, "100");
	lens_release(&l);
}

static void
bench_filters(void)
{
	struct chance c = {88172645463325252};
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "bench", "bench");
	stack_id *stack = make_stacks(b, &c, 1000000, 50000);
	struct fold *f = fold_new();
	struct lens l;
	struct rows rows = {0};
	double start;

	add_samples(b, &c, 2000000, stack, 1000000, true);
	lens_init(&l);
	time_fold(f, p, &l, "million stacks: fold without a filter", "100");
	bench_filter(f, p, VERB_INCLUDE, "module7:");
	bench_filter(f, p, VERB_EXCLUDE, "function_.*9$");
	bench_filter(f, p, VERB_HIDE, "module[0-4]");
	bench_filter(f, p, VERB_COLLAPSE, "module[0-4]");
	bench_filter(f, p, VERB_ROOT, "=library::module1::function_1");
	l.invert = true;
	time_fold(f, p, &l, "million stacks: inverted", "");
	start = now_ms();
	fold_rows(f, &rows);
	figure("million stacks: rows", now_ms() - start, "ms", "");
	rows_release(&rows);
	lens_release(&l);
	fold_free(f);
	free(stack);
	builder_free(b);
	profile_free(p);
}

static void
time_search(struct names *names, const char *what, const char *text, const char *budget)
{
	double times[7];
	char name[64];
	uint32_t hits = 0;

	for (int i = 0; i < 7; i++) {
		struct err e;
		double start = now_ms();
		err_init(&e);
		struct pattern *p = pattern_new(text, strlen(text), &e);
		if (!p)
			abort();
		hits = 0;
		for (name_id n = 0; n < names->n; n++)
			hits += pattern_matches_name(p, names, n);
		times[i] = now_ms() - start;
		pattern_unref(p);
	}
	qsort(times, 7, sizeof *times, compare_doubles);
	snprintf(name, sizeof name, "million names: %s (%u hits)", what, hits);
	figure(name, times[3], "ms", budget);
}

static void
bench_names(void)
{
	struct names names;
	char name[96];
	double start = now_ms();

	names_init(&names);
	for (uint32_t i = 0; i < 1000000; i++) {
		int len = snprintf(name, sizeof name,
				   "std::vector<Thing%u>::method_%u(int, char)", i % 5003,
				   i);
		names_put(&names, name, (size_t)len);
	}
	figure("million names: intern", now_ms() - start, "ms", "");
	time_search(&names, "whole name", "=std::vector<Thing7>::method_7(int, char)",
		    "20");
	time_search(&names, "plain text", "method_77", "20");
	time_search(&names, "plain text with case", "Thing12", "20");
	time_search(&names, "anchored expression", "^std::.*99\\(int", "100");
	time_search(&names, "expression with choices", "(thing1|method_2).*[02468]\\(",
		    "100");
	names_release(&names);
}

/* One frame with n children. */
static void
bench_children(uint32_t n)
{
	struct chance c = {88172645463325252};
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "bench", "bench");
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	struct series *s =
		builder_totals(b, builder_track(b, "main", 4, TRACK_THREAD), &m, 1);
	struct fold *f = fold_new();
	struct rows rows = {0};
	struct lens l;
	struct err e;
	char name[64];
	node_id *out = mem_alloc(n, sizeof *out);

	err_init(&e);
	lens_init(&l);
	for (uint32_t i = 0; i < n; i++) {
		int64_t value = chance_below(&c, 1000);
		int len = snprintf(name, sizeof name, "function_%u", i);
		stack_id stack = builder_child(
			b, STACK_EMPTY,
			builder_frame(b, builder_function_named(b, name, (size_t)len),
				      line_unknown()));
		builder_total(b, s, stack, &value, 0, &e);
	}
	builder_finish(b, &e);
	fold_update(f, p, &l, NULL, &e);
	double start = now_ms();
	fold_children(f, p, NODE_ROOT, out, n);
	snprintf(name, sizeof name, "%u children: all in order", n);
	figure(name, now_ms() - start, "ms", "");
	start = now_ms();
	fold_children(f, p, NODE_ROOT, out, 60);
	snprintf(name, sizeof name, "%u children: the first 60", n);
	figure(name, now_ms() - start, "ms", "");
	start = now_ms();
	fold_rows(f, &rows);
	snprintf(name, sizeof name, "%u functions: rows", n);
	figure(name, now_ms() - start, "ms", "");
	rows_release(&rows);
	lens_release(&l);
	fold_free(f);
	builder_free(b);
	profile_free(p);
	free(out);
}

/* Returns the resident bytes, or 0 if they are unknown. */
static double
resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Measures the cost of a new function on its own stack without the bytes of its name.  Call it
 * first, since freed memory is reused. */
static void
bench_new_names(uint32_t n)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "bench", "bench");
	metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	struct series *s = builder_totals(b, builder_track(b, "t", 1, TRACK_THREAD), &m, 1);
	const int64_t value = 1;
	struct err e;
	char name[96];
	double before = resident();

	err_init(&e);
	for (uint32_t i = 0; i < n; i++) {
		int len = snprintf(name, sizeof name, "generated::function_%08" PRIu32, i);
		function_id f = builder_function_named(b, name, (size_t)len);
		builder_total(b, s,
			      builder_child(b, STACK_EMPTY, builder_frame(b, f, line_unknown())),
			      &value, 0, &e);
	}
	snprintf(name, sizeof name, "%u functions: a new name beside its bytes", n);
	if (before > 0)
		figure(name, (resident() - before - (double)p->names.bytes) / n, "B", "<=120");
	builder_free(b);
	profile_free(p);
}

int
main(int argc, char **argv)
{
	uint64_t samples = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
	uint32_t stacks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 400000;

	if (!samples || !stacks) {
		fprintf(stderr, "usage: %s [SAMPLES [STACKS]]\n", argv[0]);
		return 2;
	}
	printf("figure,value,unit,budget\n");
	bench_new_names(2300000);
	bench_children(100000);
	bench_children(1000000);
	bench_names();
	bench_filters();
	bench_range(samples, stacks, false, "samples");
	bench_range(samples, stacks, true, "weighted samples");
	return 0;
}
