/* Samples and allocations of a thread.
 *
 * There may be millions of samples, so they are read back from packed columns in blocks.  The
 * stacks of most samples exist already. */
#include "src/decode/firefox/firefox_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/decode/common/live_blocks.h"

#define LABELS_UNKNOWN UINT32_MAX

/* ---- samples ---- */

struct sampler {
	struct firefox *f;
	const struct ff_thread *t;
	const struct ff_tables *tables;
	track_id track;
	struct series *series;
	bool weighs, cpu;
	labels_id *labels_of; /* [category] LABELS_UNKNOWN: not looked up yet */
	size_t n_categories;
	struct ff_clock clock;
	struct ff_block block;
	struct ff_leaf leaf[FF_BLOCK]; /* of the block's rows; FF_LOST if there is no such stack */
};

static labels_id
category_label(struct firefox *f, uint32_t profile, int32_t category)
{
	name_id name = ff_category(f, profile, category);

	if (name == NAME_EMPTY)
		return LABELS_NONE;
	label_id id = builder_label_text(f->b, builder_name(f->b, "category", 8), name);
	return builder_labels(f->b, &id, 1);
}

static inline labels_id
firefox_samples_labels_of(struct sampler *s, int32_t category)
{
	if ((uint32_t)category >= s->n_categories) /* or negative */
		return LABELS_NONE;
	labels_id known = s->labels_of[category];
	if (known == LABELS_UNKNOWN)
		known = s->labels_of[category] = category_label(s->f, s->t->profile, category);
	return known;
}

bool
ff_has_cpu(struct ff_thread *t)
{
	struct packed_reader r = {.of = &t->samples.column[SAMPLE_CPU]};

	while (r.at < r.of->n)
		if (ff_unpacked(packed_next(&r)) != FF_NULL)
			return true;
	return false;
}

/* Computes the amounts that row i of the block adds to each metric. */
static inline void
values_of(const struct sampler *s, size_t i, int64_t value[3])
{
	int64_t weight = s->block.v[SAMPLE_WEIGHT][i], cpu = s->block.v[SAMPLE_CPU][i];
	uint8_t kind = s->t->samples.weight;
	unsigned n = 1;

	value[0] = 1;
	if (kind == FF_WEIGHT_SAMPLES && weight != FF_NULL)
		value[0] = ff_amount(s->f, weight, FF_MILLION);
	if (s->weighs)
		value[n++] = weight == FF_NULL ? 0
			     : ff_amount(s->f, weight, kind == FF_WEIGHT_TIME ? 1 : FF_MILLION);
	if (s->cpu)
		value[n++] = cpu == FF_NULL ? 0 : ff_amount(s->f, cpu, s->f->is.cpu_per_ns);
}

/* Appends row i of the block. */
static bool
put_row(struct sampler *s, size_t i, int64_t time)
{
	struct firefox *f = s->f;
	int64_t row = s->block.v[SAMPLE_STACK][i], value[3];
	struct ff_leaf at = s->leaf[i];

	if (at.stack == FF_LOST && !ff_stack(f, s->tables, row, &at.stack, &at.category))
		return true;
	if (at.stack == STACK_EMPTY)
		at.stack = builder_stack_missing(f->b, 1);
	values_of(s, i, value);
	if (s->t->own.sums) {
		builder_track_event(f->b, s->track);
		return builder_total(f->b, s->series, at.stack, value, 0, f->e);
	}
	builder_next_labels(f->b, s->series, firefox_samples_labels_of(s, at.category));
	return builder_sample(f->b, s->series, time, at.stack, value, 0, f->e);
}

/* Looks up the stacks of all rows first, so that their cache misses overlap. */
static void
leaves_find(struct sampler *s)
{
	const int64_t *row = s->block.v[SAMPLE_STACK];
	const struct ff_tables *t = s->tables;

	for (size_t i = 0; i < s->block.n; i++)
		s->leaf[i] = (uint64_t)row[i] < t->leaf.n ? t->leaf.at[row[i]]
							  : (struct ff_leaf){FF_LOST, -1};
}

/* The rows of the block. */
static bool
put_block(struct sampler *s)
{
	const struct ff_block *x = &s->block;
	bool good = true;
	int64_t time = INT64_MIN;

	leaves_find(s);
	for (size_t i = 0; i < x->n && good; i++)
		if (ff_clock_next(&s->clock, x->v[SAMPLE_TIME][i], x->v[SAMPLE_DELTA][i], &time))
			good = put_row(s, i, time);
		else
			builder_warn(s->f->b, "samples without a time, left out");
	cast_reach(&s->f->cast, s->t->samples_on, time);
	return good;
}

static struct sampler *
sampler_new(struct firefox *f, struct ff_thread *t)
{
	struct sampler *s = mem_zalloc(1, sizeof *s);

	s->f = f;
	s->t = t;
	s->cpu = ff_has_cpu(t);
	s->weighs = t->samples.weight != FF_WEIGHT_SAMPLES;
	s->tables = ff_tables_of(f, t);
	s->clock.shift = ff_shift(f, t->profile);
	s->n_categories = f->profile.at[t->profile].category.n;
	s->labels_of = mem_alloc(s->n_categories, sizeof *s->labels_of);
	for (size_t i = 0; i < s->n_categories; i++)
		s->labels_of[i] = LABELS_UNKNOWN;
	ff_block_begin(&s->block, &t->samples);
	return s;
}

static bool
rows_write(struct firefox *f, struct ff_thread *t, track_id track)
{
	struct sampler *s = sampler_new(f, t);
	metric_id metric[3] = {f->is.samples};
	int64_t interval = f->profile.at[t->profile].interval;
	bool good = true;

	s->track = track;
	unsigned n = 1;
	if (s->weighs)
		metric[n++] = t->samples.weight == FF_WEIGHT_TIME ? f->is.time : f->is.bytes;
	if (s->cpu)
		metric[n++] = f->is.cpu;
	s->series = (t->own.sums ? builder_totals : builder_samples)(f->b, track, metric, n);
	if (!t->own.sums)
		builder_labelled(f->b, s->series);
	if (interval > 0 && !t->own.sums)
		builder_sample_interval(s->series, interval);
	while (good && ff_block_next(&s->block))
		good = put_block(s);
	free_all(s->labels_of, s);
	return good;
}

bool
ff_samples_write(struct firefox *f, struct ff_thread *t)
{
	if (t->own.track != NAME_EMPTY && t->own.kind == TRACK_MARKS)
		return true;
	t->samples_on = ff_thread_track(f, t, "", TRACK_THREAD);
	track_id track = cast_made(&f->cast, t->samples_on);
	bool good = !ff_samples_n(&t->samples) || rows_write(f, t, track);
	ff_samples_release(&t->samples);
	return good;
}

/* ---- allocations ---- */

struct allocations {
	struct firefox *f;
	track_id track;
	struct series *series;
	struct live_blocks live;
	struct ff_block block;
};

static bool
allocation(struct allocations *a, int64_t time, stack_id stack, int64_t bytes, int64_t address)
{
	int64_t value[4] = {bytes > 0 ? bytes : 0, bytes > 0, 0, 0};
	struct live_block block = {.address = (uint64_t)address, .size = (uint64_t)bytes,
				   .stack = stack};

	if (bytes > 0 && address != FF_NULL) {
		value[2] = bytes;
		value[3] = 1;
		live_blocks_alloc(&a->live, &block);
	} else if (bytes <= 0) {
		/* a free is subtracted from the stack of its allocation */
		if (address == FF_NULL ||
		    !live_blocks_free(&a->live, (uint64_t)address, &block)) {
			a->f->counts.unmatched++;
			builder_track_event(a->f->b, a->track);
			return true;
		}
		stack = block.stack;
		value[2] = -(int64_t)block.size;
		value[3] = -1;
	}
	return builder_sample(a->f->b, a->series, time, stack, value, 0, a->f->e);
}

static bool
allocations_of(struct allocations *a, struct ff_thread *t, struct ff_samples *table)
{
	struct ff_clock clock = {.shift = ff_shift(a->f, t->profile)};
	const struct ff_tables *tables = ff_tables_of(a->f, t);
	struct ff_block *x = &a->block;
	bool good = true;

	ff_block_begin(x, table);
	while (good && ff_block_next(x))
		for (size_t i = 0; good && i < x->n; i++) {
			int64_t weight = x->v[SAMPLE_WEIGHT][i], time;
			int32_t category;
			stack_id stack;
			if (weight == FF_NULL ||
			    !ff_clock_next(&clock, x->v[SAMPLE_TIME][i], x->v[SAMPLE_DELTA][i],
					   &time) ||
			    !ff_stack(a->f, tables, x->v[SAMPLE_STACK][i], &stack, &category))
				continue;
			good = allocation(a, time, stack, ff_amount(a->f, weight, FF_MILLION),
					  x->v[SAMPLE_ADDRESS][i]);
		}
	return good;
}

bool
ff_allocations_write(struct firefox *f, struct ff_thread *t)
{
	metric_id metric[] = {f->is.alloc, f->is.allocs, f->is.live, f->is.lives};

	if (!ff_samples_n(&t->js) && !ff_samples_n(&t->native))
		return true;
	struct allocations *a = mem_zalloc(1, sizeof *a);
	a->f = f;
	a->track = cast_made(&f->cast,
			     ff_thread_track(f, t, "(allocations)", TRACK_THREAD));
	a->series = builder_samples(f->b, a->track, metric, f->is.live == METRIC_NONE ? 2 : 4);
	bool good = allocations_of(a, t, &t->js) && allocations_of(a, t, &t->native);
	live_blocks_release(&a->live);
	free(a);
	return good;
}
