#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "model/profile/column_form.h"
#include "model/profile/pack_form.h"
#include "model/profile/prefix_make.h"
#include "tests/lib/packing.h"
#include "tests/lib/unit.h"

/* Sums that a packed profile states (series_prefix.h). */

/* Compares stated sums, too, which profile_check() does not, with those of the events. */
static void
sums_hold(const struct series *s, uint32_t n_stacks)
{
	int64_t *sum = calloc((size_t)n_stacks * (s->n_metrics + 1u), sizeof *sum);
	int64_t all[SERIES_METRICS_MAX] = {0}, value[BLOCK_EVENTS];
	uint32_t stack[BLOCK_EVENTS], next = 0;

	for (uint64_t i = 0, n; i <= s->n; i += n) {
		while (next < s->n_checkpoints && s->checkpoint[next].events == i) {
			for (unsigned m = 0; m < s->n_metrics; m++)
				for (uint32_t k = 0; k < s->checkpoint[next].n; k++) {
					int64_t says = 0;
					series_checkpoint_add(s, next, m, k, 1, 1, &says);
					ck_assert_int_eq(says, sum[s->seen[k] * s->n_metrics + m]);
				}
			next++;
		}
		if (i == s->n)
			break;
		const struct chunk *c = series_chunk(s, i);
		uint32_t at = (uint32_t)(i - c->first);
		n = BLOCK_EVENTS - i % BLOCK_EVENTS;
		n = n < c->n - at ? n : c->n - at;
		chunk_stacks(c, at, (uint32_t)n, stack);
		for (unsigned m = 0; m < s->n_metrics; m++) {
			if (i % BLOCK_EVENTS == 0)
				ck_assert_int_eq(all[m],
						 s->block_sum[i / BLOCK_EVENTS * s->n_metrics + m]);
			chunk_adds(s, c, at, (uint32_t)n, m, chunk_end(s, c), value);
			for (uint32_t k = 0; k < n; k++) {
				sum[(stack[k] & STEP_STACK) * s->n_metrics + m] += value[k];
				all[m] += stack[k] & STEP_STACK || s->role[m] != ROLE_TIME
						  ? value[k] : 0;
			}
		}
	}
	ck_assert_uint_eq(next, s->n_checkpoints);
	free(sum);
}

/* Folds a profile, and a part of it. */
static void
fold_parts(const struct profile *p)
{
	struct fold *f = fold_new();
	struct rows rows = {0};
	struct lens l;
	struct err e;

	lens_init(&l);
	err_init(&e);
	ck_assert_msg(fold_update(f, p, &l, NULL, &e), "%s", e.text);
	fold_rows(f, &rows);
	ck_assert(moment_parse("30%", &l.from, &e) &&
		  moment_parse("60%", &l.to, &e));
	ck_assert_msg(fold_update(f, p, &l, NULL, &e), "%s", e.text);
	fold_rows(f, &rows);
	rows_release(&rows);
	lens_release(&l);
	fold_free(f);
}

/* Steps and samples of few stacks: just enough for stated sums. */
static struct profile *
small_profile(void)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "small", "made");
	builder_timeline(b);
	metric_id bytes = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	struct series *steps = builder_steps(b, builder_track(b, "steps", 5, TRACK_THREAD));
	struct series *samples =
		builder_samples(b, builder_track(b, "samples", 7, TRACK_THREAD), &bytes, 1);
	function_id f = builder_function_named(b, "f", 1);
	stack_id stack = STACK_EMPTY;
	struct err e;

	err_init(&e);
	for (uint32_t i = 0; i < 5000; i++) {
		stack = builder_child(b, i % 9 ? stack : STACK_EMPTY,
				      builder_frame(b, f, line_plain(i % 9)));
		ck_assert(builder_step(b, steps, i * 3, i % 5 ? stack : STACK_EMPTY,
				       i % 5 ? STEP_CALL : 0, 0, &e));
		ck_assert(builder_sample(b, samples, i, stack, &(int64_t){i % 77 - 20}, 0, &e));
	}
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

/* Wrong ones make wrong reports, and nothing else. */
START_TEST(wrong_sums)
{
	static const char *const kinds[] = {"bloc", "chec", "chun", "bloc", "chec", "seri"};
	struct profile *p = _i ? small_profile() : packing_made(0);
	struct buf file = packing_pack(p), all = packing_plain(&file);
	struct chance c;

	chance_init(&c, (uint64_t)_i);
	for (unsigned n = unit_rounds(_i ? 1500 : 60); n; n--) {
		struct buf b = BUF_INIT;
		buf_add(&b, all.at, all.len);
		packing_change(&b, &c, kinds[n % (sizeof kinds / sizeof *kinds)]);
		struct decoded d = packing_unpack(&b);
		fold_parts(d.p);
		decoded_free(&d);
		buf_release(&b);
	}
	buf_release_all(&file, &all);
	profile_free(p);
}
END_TEST

/* The file states the most blocks that a number of 32 bits counts, in columns with bases. If that
 * number plus the length of a group overflowed, the reader would see no bases. */
START_TEST(most_blocks)
{
	static const char none[] = {0, 0, PACK_BASES, 0, 1, 0}, counts[] = "\0\0\0\0\1\x80\x10";
	struct profile *p = packing_made(0);
	const struct series *s = p->track[0].series[0];
	struct buf file = packing_pack(p), all = packing_plain(&file), blocks = BUF_INIT;

	buf_add(&blocks, "\xfe\xff\xff\xff\x0f", 5);
	buf_add(&blocks, none, sizeof none);
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_EVENTS)
			buf_add(&blocks, counts, sizeof counts - 1);
		else
			buf_add(&blocks, none, sizeof none);
	struct buf b = packing_with(&all, "bloc", blocks.at, blocks.len);
	struct decoded d = packing_unpack(&b);
	ck_assert(!d.good);
	decoded_free(&d);
	buf_release_all(&file, &all, &blocks, &b);
	profile_free(p);
}
END_TEST

/* The last checkpoint is that of all events. */
START_TEST(whole_sums)
{
	struct profile *p = packing_made((unsigned)_i);
	struct buf file = packing_pack(p);
	struct decoded d = packing_unpack(&file);

	ck_assert_msg(d.good, "%s", d.e.text);
	for (track_id t = 0; t < 2; t++) {
		const struct series *s = d.p->track[t].series[0];
		ck_assert_uint_le(s->kind, SERIES_SAMPLES);
		ck_assert_uint_gt(s->n_checkpoints, 0);
		if (s->kind == SERIES_STEPS || !_i) /* large samples are appended one by one */
			ck_assert_uint_eq(s->checkpoint[s->n_checkpoints - 1].events, s->n);
		sums_hold(s, d.p->stacks.n);
	}
	decoded_free(&d);
	buf_release(&file);
	profile_free(p);
}
END_TEST

/* No checkpoints are taken where a stack has few events, and some where it has more. */
START_TEST(few_events)
{
	enum { EVENTS = 140000 };
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "few", "made");
	metric_id bytes = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	struct series *s = builder_samples(b, builder_track(b, "main", 4, TRACK_THREAD), &bytes, 1);
	uint32_t each = _i ? 20 : 4;
	stack_id stack = STACK_EMPTY;
	struct err e;

	err_init(&e);
	for (uint32_t i = 0; i < EVENTS; i++) {
		frame_id f = builder_frame(b, builder_function_named(b, "f", 1), line_plain(i));
		if (i < EVENTS / each)
			stack = builder_child(b, STACK_EMPTY, f);
		else
			stack = 1 + i % (EVENTS / each);
		ck_assert(builder_sample(b, s, i, stack, &(int64_t){i % 77}, 0, &e));
	}
	builder_finish(b, &e);
	builder_free(b);
	struct buf file = packing_pack(p);
	struct decoded d = packing_unpack(&file);
	ck_assert_msg(d.good, "%s", d.e.text);
	const struct series *read = d.p->track[0].series[0];
	ck_assert_uint_eq(read->n, EVENTS);
	ck_assert(_i ? read->n_checkpoints > 0 : read->n_checkpoints == 0);
	sums_hold(read, d.p->stacks.n);
	decoded_free(&d);
	buf_release(&file);
	profile_free(p);
}
END_TEST

/* No checkpoint takes more bytes than a section may have. */
START_TEST(large_checkpoints)
{
	struct profile *p = packing_made(0);
	const struct series *s = p->track[0].series[0];
	unsigned some = 0;

	for (uint64_t most = 64; most < 1 << 16; most += most / 4) {
		struct series *to = series_prefix_of(s, UINT32_MAX, most);
		for (uint32_t i = 0; i < to->n_checkpoints; i++) {
			const struct checkpoint *c = &to->checkpoint[i];
			uint64_t bytes = c->n - (i ? c[-1].n : 0); /* at least, of the ids */
			for (unsigned m = 0; m < to->n_metrics; m++)
				bytes += column_bytes(&c->sum[m], c->n);
			ck_assert_uint_le(bytes, most);
			ck_assert(!i || c->n >= c[-1].n);
		}
		some += to->n_checkpoints > 0;
		ck_assert(most > 64 || !to->n_checkpoints);
		series_prefix_free(to);
	}
	ck_assert_uint_gt(some, 0);
	profile_free(p);
}
END_TEST

/* A file that ends early keeps the sums of the events that it keeps. */
START_TEST(cut_sums)
{
	struct profile *p = packing_made((unsigned)_i);
	struct buf file = packing_pack(p);
	uint64_t kept = 0;

	for (unsigned n = 1; n < 12; n++) {
		struct buf b = BUF_INIT;
		buf_add(&b, file.at, file.len * n / 12);
		struct decoded d = packing_unpack(&b);
		ck_assert(!d.good);
		for (track_id t = 0; t < d.p->n_tracks; t++)
			for (uint32_t i = 0; i < d.p->track[t].n_series; i++) {
				const struct series *s = d.p->track[t].series[i];
				if (s->kind <= SERIES_SAMPLES)
					sums_hold(s, d.p->stacks.n);
				kept += s->n;
			}
		decoded_free(&d);
		buf_release(&b);
	}
	ck_assert_uint_gt(kept, 0);
	buf_release(&file);
	profile_free(p);
}
END_TEST

/* Steps that take several sections. */
static struct profile *
many_steps(void)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "many", "made");
	builder_timeline(b);
	track_id t = builder_track(b, "steps", 5, TRACK_THREAD);
	struct series *s = builder_steps(b, t);
	frame_id f = builder_frame(b, builder_function_named(b, "f", 1), line_plain(1));
	stack_id stack = builder_child(b, STACK_EMPTY, f);
	int64_t now = -1000;
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, 1);
	for (unsigned i = 0; i < 400000; i++) {
		now += chance_below(&c, 1u << 24);
		ck_assert(builder_step(b, s, now, i % 2 ? STACK_EMPTY : stack,
				       i % 2 ? STEP_RETURN : STEP_CALL, 0, &e));
		builder_track_event(b, t);
	}
	builder_track_end(b, t, now + 77);
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

/* Where a file ends early, the last step that was read takes no time of those that are missing. */
START_TEST(cut_steps)
{
	enum { CUTS = 16 };
	struct profile *p = many_steps();
	const struct track *all = &p->track[0];
	struct buf file = packing_pack(p);
	unsigned cuts = 0;

	for (unsigned n = 1; n < CUTS; n++) {
		struct buf b = BUF_INIT;
		struct event last, same;
		buf_add(&b, file.at, file.len * n / CUTS);
		struct decoded d = packing_unpack(&b);
		ck_assert(!d.good);
		const struct track *t = d.p->n_tracks ? &d.p->track[0] : NULL;
		const struct series *s = t && t->n_series ? t->series[0] : NULL;
		if (s && s->n && s->n < all->series[0]->n) {
			ck_assert(series_event(s, s->n - 1, &last) &&
				  series_event(all->series[0], s->n - 1, &same));
			ck_assert_int_eq(last.time, same.time);
			ck_assert_int_eq(last.end, same.time);
			ck_assert_int_eq(s->end_time, same.time);
			ck_assert_int_eq(t->start, all->start);
			ck_assert_int_eq(t->end, same.time);
			ck_assert_uint_eq(t->events, s->n);
			cuts++;
		} else if (s && s->n) {
			ck_assert_int_eq(s->end_time, all->series[0]->end_time);
			ck_assert_int_eq(t->end, all->end);
		}
		decoded_free(&d);
		buf_release(&b);
	}
	ck_assert_uint_gt(cuts, 0);
	buf_release(&file);
	profile_free(p);
}
END_TEST

UNIT(packed_sums)
{
	Suite *s = suite_create("packed_sums");
	TCase *t = tcase_create("packed_sums");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, wrong_sums, 0, 4);
	tcase_add_test(t, most_blocks);
	tcase_add_loop_test(t, whole_sums, 0, PACKING_SIZES);
	tcase_add_loop_test(t, few_events, 0, 2);
	tcase_add_test(t, large_checkpoints);
	tcase_add_loop_test(t, cut_sums, 0, PACKING_SIZES);
	tcase_add_test(t, cut_steps);
	suite_add_tcase(s, t);
	return s;
}
