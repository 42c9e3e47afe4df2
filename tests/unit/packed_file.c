#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/vec.h"
#include "model/build/builder_load.h"
#include "model/profile/pack_form.h"
#include "src/input/source.h"
#include "tests/lib/decoded.h"
#include "tests/lib/golden_inputs.h"
#include "tests/lib/inputs.h"
#include "tests/lib/packing.h"
#include "tests/lib/unit.h"

/* Packed profiles: what comes back event by event, and contents that pnav never packed. Random
 * damage of a file only meets its checksums (corrupt.t), so here contents are changed and their
 * checksums made again. That reports and exports of a packed file are those of the file is in
 * pack.t. */

/* ---- hostile contents ---- */

static void
survive(const struct buf *bytes, struct chance *c, unsigned times)
{
	struct buf all = packing_plain(bytes);

	for (unsigned i = 0; i < times; i++) {
		struct buf b = BUF_INIT;
		buf_add(&b, all.at, all.len);
		packing_change(&b, c, "");
		struct decoded d = packing_unpack(&b); /* fails if the model does not hold */
		decoded_free(&d);
		buf_release(&b);
	}
	buf_release(&all);
}

#define PARTS 4

START_TEST(hostile)
{
	glob_t inputs = golden_inputs();
	struct chance c;
	struct err e;

	chance_init(&c, (uint64_t)_i);
	for (size_t i = (size_t)_i; i < inputs.gl_pathc; i += PARTS * unit_stride(3)) {
		struct profile *p = golden_profile(inputs.gl_pathv[i], &e);
		if (p && p->n_groups) {
			struct buf bytes = packing_pack(p);
			survive(&bytes, &c, unit_rounds(40));
			buf_release(&bytes);
		}
		profile_free(p);
	}
	globfree(&inputs);
}
END_TEST

/* ---- sections that come again ---- */

static void
add_section(struct buf *out, const char *kind, const struct buf *contents)
{
	char head[PACK_SECTION_HEAD];

	memcpy(head, kind, 4);
	packing_seal(head, contents->at, contents->len);
	buf_add(out, head, sizeof head);
	buf_add(out, contents->at, contents->len);
}

/* A column of one number below 2^13: no widths, one number, its value in zigzag. */
static void
add_column(struct buf *out, unsigned value)
{
	unsigned zigzag = value * 2;

	buf_add(out, "\0\0\0\0\1", 5);
	if (zigzag > 127)
		buf_addc(out, (char)(zigzag | 128));
	buf_addc(out, (char)(zigzag > 127 ? zigzag >> 7 : zigzag));
}

/* Adds more sets of labels, all empty and so equal, behind the first events that have labels, and
 * an event with one of them.  Returns false if no totals have labels. */
static bool
with_later_sets(const struct buf *all, struct buf *out)
{
	static const char none[1000];
	struct buf sets = BUF_INIT, event = BUF_INIT;
	unsigned columns = 0;
	bool labelled = false, done = false;

	buf_add(out, all->at, PACK_HEAD);
	for (size_t at = PACK_HEAD; at < all->len;) {
		const char *head = all->at + at, *series = head + PACK_SECTION_HEAD;
		size_t size = PACK_SECTION_HEAD + packing_fixed(head + 8, 8);
		buf_add(out, head, size);
		at += size;
		if (!memcmp(head, "seri", 4)) {
			labelled = series[0] == SERIES_TOTALS && series[1] & PACK_LABELLED;
			for (series += 2; *series & 128; series++) /* interval */
				;
			for (series++; *series & 128; series++) /* end */
				;
			columns = (unsigned char)series[1];
		}
		if (done || !labelled || memcmp(head, "chun", 4) != 0)
			continue;
		done = true;
		buf_add(&sets, none, sizeof none);
		buf_add(&event, "\1\0", 2);
		add_column(&event, 0);
		add_column(&event, 1);
		add_column(&event, 900);
		while (columns--)
			add_column(&event, 1);
		add_section(out, "sets", &sets);
		add_section(out, "chun", &event);
	}
	buf_release_all(&sets, &event);
	return done;
}

START_TEST(later_sets)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	struct err e;

	snprintf(path, sizeof path, "%s/tests/golden/pprof-members/input.pb.gz", top ? top : ".");
	struct profile *p = golden_profile(path, &e);
	ck_assert(p);
	struct buf bytes = packing_pack(p), all = packing_plain(&bytes), more = BUF_INIT;
	ck_assert(with_later_sets(&all, &more));
	struct decoded d = packing_unpack(&more); /* fails if the model does not hold */
	decoded_free(&d);
	buf_release_all(&bytes, &all, &more);
	profile_free(p);
}
END_TEST

/* ---- many events ---- */

static void
same_totals(const struct series *a, const struct series *b)
{
	ck_assert_uint_eq(a->n_pages, b->n_pages);
	for (uint32_t i = 0; i < a->n_pages * a->n_metrics; i++)
		for (uint32_t k = 0; k < TOTALS_PAGE; k++)
			ck_assert_int_eq(totals_get(&a->page[i], k), totals_get(&b->page[i], k));
	for (uint64_t i = 0; a->labelled && i < a->n; i++) {
		const struct chunk *x = series_chunk(a, i), *y = series_chunk(b, i);
		uint32_t n = (uint32_t)(i - x->first), k = (uint32_t)(i - y->first);
		ck_assert(chunk_stack(x, n) == chunk_stack(y, k) &&
			  column_get(&x->labels, n) == column_get(&y->labels, k) &&
			  column_get(&x->value[0], n) == column_get(&y->value[0], k));
	}
}

static void
same_series(const struct series *a, const struct series *b)
{
	ck_assert_uint_eq(a->n, b->n);
	ck_assert_uint_eq(a->n_blocks, b->n_blocks);
	ck_assert_int_eq(a->end_time, b->end_time);
	if (a->kind == SERIES_TOTALS)
		same_totals(a, b);
	for (uint64_t i = 0; a->kind != SERIES_TOTALS && i < a->n; i++) {
		struct event x, y;
		ck_assert(series_event(a, i, &x) && series_event(b, i, &y));
		ck_assert(x.time == y.time && x.end == y.end && x.stack == y.stack &&
			  x.value == y.value && x.labels == y.labels && x.place == y.place);
	}
	for (uint32_t i = 0; i < a->n_blocks; i++)
		ck_assert(a->block[i].time == b->block[i].time &&
			  a->block[i].dominant == b->block[i].dominant &&
			  a->block[i].min == b->block[i].min &&
			  a->block[i].max == b->block[i].max);
	for (unsigned m = 0; m < a->n_metrics; m++)
		ck_assert_int_eq(a->sum[m], b->sum[m]);
}

START_TEST(events)
{
	struct profile *p = packing_made((unsigned)_i);
	struct buf file = packing_pack(p);
	struct decoded d = packing_unpack(&file);
	ck_assert_msg(d.good, "%s", d.e.text);
	ck_assert_uint_eq(d.p->n_tracks, p->n_tracks);
	ck_assert_uint_gt(p->track[0].series[0]->n_checkpoints, 0);
	for (track_id t = 0; t < p->n_tracks; t++) {
		same_series(p->track[t].series[0], d.p->track[t].series[0]);
		ck_assert_int_eq(p->track[t].start, d.p->track[t].start);
		ck_assert_int_eq(p->track[t].end, d.p->track[t].end);
		ck_assert_uint_eq(p->track[t].events, d.p->track[t].events);
	}
	ck_assert_uint_eq(p->events, d.p->events);
	decoded_free(&d);
	buf_release(&file);
	profile_free(p);
}
END_TEST

/* ---- chunks on other threads ---- */

static struct decoded
unpacked_beside(const struct buf *bytes, bool beside)
{
	struct decoded d = {.p = profile_new()};
	struct input *in = input_open_bytes(bytes->at, bytes->len, "packed");
	struct builder *b = builder_new(d.p, "packed", "pnav");
	struct err fault;

	cpu_set_t cores, one;

	err_init(&d.e);
	err_init(&fault);
	ck_assert_int_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (beside)
		builder_beside(b, 1);
	else
		ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
	d.good = decoder_named("pnav")->decode(in, b, &d.e);
	ck_assert_int_eq(sched_setaffinity(0, sizeof cores, &cores), 0);
	builder_finish(b, &d.e);
	builder_free(b);
	input_close(in);
	ck_assert_msg(profile_check(d.p, &fault), "%s", fault.text);
	return d;
}

/* Threads leave the same profile and the same fault as one core, also of damaged files. */
START_TEST(beside)
{
	struct profile *p = packing_made((unsigned)_i);
	struct buf file = packing_pack(p), all = packing_plain(&file);
	struct chance c;

	chance_init(&c, 5 + (uint64_t)_i);
	for (unsigned n = unit_rounds(96); n; n--) {
		struct buf b = BUF_INIT;
		buf_add(&b, all.at, all.len);
		if (n > 1)
			packing_change(&b, &c, n % 4 == 0 ? "" : n % 4 == 1 ? "bloc" : "chun");
		struct decoded x = unpacked_beside(&b, false), y = unpacked_beside(&b, true);
		ck_assert_int_eq(x.good, y.good);
		ck_assert_int_eq(x.e.class, y.e.class);
		ck_assert_uint_eq(x.e.offset, y.e.offset);
		ck_assert_str_eq(x.e.text, y.e.text);
		ck_assert_uint_eq(x.p->n_tracks, y.p->n_tracks);
		ck_assert_uint_eq(x.p->events, y.p->events);
		for (track_id t = 0; t < x.p->n_tracks; t++) {
			ck_assert_uint_eq(x.p->track[t].n_series, y.p->track[t].n_series);
			for (uint32_t i = 0; i < x.p->track[t].n_series; i++)
				same_series(x.p->track[t].series[i], y.p->track[t].series[i]);
			for (uint32_t i = 0; i < x.p->track[t].n_series; i++)
				ck_assert_uint_eq(x.p->track[t].series[i]->n_checkpoints,
						  y.p->track[t].series[i]->n_checkpoints);
		}
		decoded_free(&x);
		decoded_free(&y);
		buf_release(&b);
	}
	buf_release_all(&file, &all);
	profile_free(p);
}
END_TEST

/* ---- many chunks ---- */

struct stopping {
	struct watch w; /* first */
	const struct profile *p;
	bool stops;
};

/* Stops once there are events. */
static void
stop_early(struct watch *w)
{
	struct stopping *x = (struct stopping *)w;
	const struct track *t = x->p->n_tracks ? &x->p->track[0] : NULL;

	if (x->stops && t && t->n_series && t->series[0]->n)
		atomic_store(&w->stop, true);
}

static struct profile *
three_samples(void)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "three", "made");
	metric_id bytes = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	struct series *s = builder_samples(b, builder_track(b, "main", 4, TRACK_THREAD), &bytes, 1);
	struct err e;

	err_init(&e);
	for (int i = 0; i < 3; i++)
		ck_assert(builder_sample(b, s, i, STACK_EMPTY, &(int64_t){1}, 0, &e));
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

/* Chunks of 100 equal events take 20 bytes. A user can stop the reading between them, in a section
 * that is read at once and in one that goes to another thread. */
START_TEST(many_chunks)
{
	static const unsigned counts[] = {1000, 4000};
	static const char chunk[] = "\x64\0" /* three columns */
				    "\0\0\0\0\0\0" "\0\0\0\0\0\0" "\0\0\0\0\0\2";
	uint64_t n = counts[_i / 2];
	struct profile *p = three_samples();
	struct buf file = packing_pack(p), all = packing_plain(&file), chunks = BUF_INIT;
	struct stopping x = {.w = {.wake_fd = -1, .breathe = stop_early}, .stops = _i % 2};
	struct decoded d = {.p = profile_new()};

	for (unsigned i = 0; i < n; i++)
		buf_add(&chunks, chunk, sizeof chunk - 1);
	struct buf many = packing_with(&all, "chun", chunks.at, chunks.len);
	err_init(&d.e);
	x.p = d.p;
	struct input *in = input_open_watched(inputs_write("many", many.at, many.len), -1, NULL,
					      &x.w, &d.e);
	struct builder *b = builder_new(d.p, "many", "pnav");
	d.good = decoder_named("pnav")->decode(in, b, &d.e);
	builder_finish(b, &d.e);
	builder_free(b);
	input_close(in);
	const struct series *s = d.p->track[0].series[0];
	ck_assert(d.good == !x.stops && err_is_set(&d.e) == x.stops);
	ck_assert_msg(x.stops ? s->n > 0 && s->n < n * 100 : s->n == n * 100, "%lu", s->n);
	ck_assert_int_eq(s->sum[0], (int64_t)s->n);
	decoded_free(&d);
	buf_release_all(&file, &all, &chunks, &many);
	profile_free(p);
}
END_TEST

UNIT(packed_file)
{
	Suite *s = suite_create("packed_file");
	TCase *t = tcase_create("packed_file");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, hostile, 0, PARTS);
	tcase_add_test(t, later_sets);
	tcase_add_loop_test(t, events, 0, PACKING_SIZES);
	tcase_add_loop_test(t, beside, 0, PACKING_SIZES);
	tcase_add_loop_test(t, many_chunks, 0, 4);
	suite_add_tcase(s, t);
	return s;
}
