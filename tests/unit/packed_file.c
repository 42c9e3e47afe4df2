#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/vec.h"
#include "model/build/builder_load.h"
#include "model/lens/lens.h"
#include "model/profile/pack_form.h"
#include "src/encode/encoder.h"
#include "src/input/unzstd.h"
#include "tests/lib/decoded.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Packed profiles: what comes back event by event, and contents that pnav never packed. Random
 * damage of a file only meets its checksums (corrupt.t), so here contents are changed and their
 * checksums made again. That reports and exports of a packed file are those of the file is in
 * pack.t. */

static struct buf
packed(const struct profile *p)
{
	struct buf out = BUF_INIT;
	char *bytes = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&bytes, &len);
	struct encode_job job = {.profile = p, .out = stream};
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	job.lens = &l;
	ck_assert_msg(encoder_named("pnav")->write(&job, &e), "%s", e.text);
	fclose(stream);
	buf_add(&out, bytes, len);
	free(bytes);
	lens_release(&l);
	return out;
}

static struct decoded
unpacked(const struct buf *bytes)
{
	return decoded(decoder_named("pnav"), bytes, FROM_BYTES, NULL);
}

/* ---- hostile contents ---- */

static uint64_t
fixed(const char *at, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | (uint8_t)at[n];
	return v;
}

static void
put_fixed(char *at, uint64_t v, unsigned n)
{
	for (; n--; v >>= 8)
		*at++ = (char)v;
}

static void
seal(char *head, const char *contents, size_t len)
{
	put_fixed(head + 4, 0, 4);
	put_fixed(head + 8, len, 8);
	put_fixed(head + 16, len, 8);
	put_fixed(head + 24, XXH3_64bits(contents, len), 8);
}

/* The same file with no section compressed. */
static struct buf
plain(const struct buf *from)
{
	struct buf out = BUF_INIT;
	size_t at = PACK_HEAD;

	buf_add(&out, from->at, PACK_HEAD);
	while (at < from->len) {
		char head[PACK_SECTION_HEAD];
		memcpy(head, from->at + at, sizeof head);
		size_t stored = fixed(head + 8, 8), size = fixed(head + 16, 8);
		char *text = malloc(size + 1);
		bool bad = false;
		if (fixed(head + 4, 4) & PACK_ZSTD) {
			struct unzstd *z = unzstd_new();
			unzstd_feed(z, from->at + at + sizeof head, stored);
			ck_assert_uint_eq(unzstd_read(z, text, size, &bad), size);
			unzstd_free(z);
		} else {
			memcpy(text, from->at + at + sizeof head, size);
		}
		at += sizeof head + stored;
		seal(head, text, size);
		buf_add(&out, head, sizeof head);
		buf_add(&out, text, size);
		free(text);
	}
	return out;
}

/* Changes one to four bytes of the contents of some section, of this kind or of any (""). */
static void
change(struct buf *b, struct chance *c, const char *kind)
{
	VEC(size_t) section = VEC_INIT;

	for (size_t at = PACK_HEAD; at < b->len;) {
		size_t size = fixed(b->at + at + 8, 8);
		if (size && !strncmp(b->at + at, kind, strlen(kind)))
			*vec_push(&section) = at;
		at += PACK_SECTION_HEAD + size;
	}
	char *head = b->at + section.at[chance_below(c, (unsigned)section.n)];
	size_t size = fixed(head + 8, 8);
	char *contents = head + PACK_SECTION_HEAD;
	for (unsigned n = 1 + chance_below(c, 4); n; n--) {
		char *at = contents + chance_below(c, (unsigned)size);
		static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff, 8, 64};
		if (chance_one_in(c, 2))
			*at = (char)edges[chance_below(c, sizeof edges)];
		else
			*at ^= (char)(1u << chance_below(c, 8));
	}
	seal(head, contents, size);
	vec_release(&section);
}

static void
survive(const struct buf *bytes, struct chance *c, unsigned times)
{
	struct buf all = plain(bytes);

	for (unsigned i = 0; i < times; i++) {
		struct buf b = BUF_INIT;
		buf_add(&b, all.at, all.len);
		change(&b, c, "");
		struct decoded d = unpacked(&b); /* fails if the model does not hold */
		decoded_free(&d);
		buf_release(&b);
	}
	buf_release(&all);
}

static struct profile *
loaded(const char *path)
{
	struct profile *p = profile_new();
	struct err e;

	err_init(&e);
	struct input *in = input_open(path, &e);
	const struct decoder *d = in ? decoder_of(in, &e) : NULL;
	if (d) {
		struct builder *b = builder_new(p, path, d->name);
		d->decode(in, b, &e);
		builder_finish(b, &e);
		builder_free(b);
	}
	input_close(in);
	if (d)
		return p;
	profile_free(p);
	return NULL;
}

#define PARTS 4

START_TEST(hostile)
{
	const char *top = getenv("top_srcdir");
	char pattern[4096], path[6000];
	struct dirent **cases;
	struct chance c;

	chance_init(&c, (uint64_t)_i);
	snprintf(pattern, sizeof pattern, "%s/tests/golden", top ? top : ".");
	int n = scandir(pattern, &cases, NULL, alphasort);
	ck_assert_int_gt(n, 100);
	for (int i = 0; i < n; free(cases[i++])) {
		if (i % PARTS != _i || cases[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", pattern, cases[i]->d_name);
		DIR *files = opendir(path);
		for (struct dirent *f; files && (f = readdir(files));) {
			if (strncmp(f->d_name, "input.", 6) != 0)
				continue;
			snprintf(path, sizeof path, "%s/%s/%s", pattern, cases[i]->d_name,
				 f->d_name);
			struct profile *p = loaded(path);
			if (!p || !p->n_groups)
				continue;
			struct buf bytes = packed(p);
			survive(&bytes, &c, unit_rounds(40));
			buf_release(&bytes);
			profile_free(p);
		}
		if (files)
			closedir(files);
	}
	free(cases);
}
END_TEST

/* ---- sections that come again ---- */

static void
add_section(struct buf *out, const char *kind, const struct buf *contents)
{
	char head[PACK_SECTION_HEAD];

	memcpy(head, kind, 4);
	seal(head, contents->at, contents->len);
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
		size_t size = PACK_SECTION_HEAD + fixed(head + 8, 8);
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

	snprintf(path, sizeof path, "%s/tests/golden/pprof-members/input.pb.gz", top ? top : ".");
	struct profile *p = loaded(path);
	ck_assert(p);
	struct buf bytes = packed(p), all = plain(&bytes), more = BUF_INIT;
	ck_assert(with_later_sets(&all, &more));
	struct decoded d = unpacked(&more); /* fails if the model does not hold */
	decoded_free(&d);
	buf_release_all(&bytes, &all, &more);
	profile_free(p);
}
END_TEST

/* ---- many events ---- */

/* Steps have checkpoints only where they are many; samples and points take a third. */
enum { STEPS = 200000, EVENTS = 60000 };

struct making {
	struct builder *b;
	struct chance c;
	stack_id stack[200];
	struct err e;
};

static void
make_stacks(struct making *m)
{
	for (unsigned i = 0; i < 200; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%u", i);
		function_id f = builder_function_named(m->b, name, strlen(name));
		stack_id up = i ? m->stack[chance_below(&m->c, i)] : STACK_EMPTY;
		m->stack[i] = builder_child(m->b, up,
					    builder_frame(m->b, f, line_plain(i)));
	}
}

static void
make_steps(struct making *m, metric_id time)
{
	track_id t = builder_track(m->b, "steps", 5, TRACK_THREAD);
	struct series *s = builder_steps_valued(m->b, t);
	int64_t now = -1000;

	(void)time;
	for (unsigned i = 0; i < STEPS; i++) {
		now += chance_below(&m->c, 1000);
		ck_assert(builder_step_valued(m->b, s, now, m->stack[chance_below(&m->c, 200)],
					      i % 3 ? STEP_CALL : STEP_RETURN,
					      i % 3 ? chance_below(&m->c, 9) : 0, 0, &m->e));
	}
	builder_track_end(m->b, t, now + 77);
}

static void
next_label(struct making *m, struct series *s, name_id key)
{
	label_id label = builder_label_number(m->b, key, chance_below(&m->c, 50), NAME_EMPTY);

	builder_next_labels(m->b, s, builder_labels(m->b, &label, 1));
}

static void
make_samples(struct making *m, metric_id metric, int64_t most)
{
	track_id t = builder_track(m->b, "samples", 7, TRACK_THREAD);
	struct series *s = builder_samples(m->b, t, &metric, 1);
	name_id key = builder_name(m->b, "key", 3);

	builder_labelled(m->b, s);
	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t value = (int64_t)(chance_bits(&m->c) % (uint64_t)most) - 3;
		next_label(m, s, key);
		ck_assert(builder_sample(m->b, s, i * INT64_C(37) % 4096,
					 m->stack[chance_below(&m->c, 200)], &value, 0, &m->e));
	}
}

static void
make_totals(struct making *m, metric_id metric, int64_t most)
{
	track_id t = builder_track(m->b, "totals", 6, TRACK_THREAD);
	struct series *s = builder_totals(m->b, t, &metric, 1);
	name_id key = builder_name(m->b, "key", 3);

	builder_labelled(m->b, s);
	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t value = (int64_t)(chance_bits(&m->c) % (uint64_t)most) - 3;
		next_label(m, s, key);
		ck_assert(builder_total(m->b, s, m->stack[chance_below(&m->c, 200)], &value, 0,
					&m->e));
	}
}

static void
make_points(struct making *m, bool floating)
{
	track_id t = builder_track(m->b, "points", 6, TRACK_COUNTER);
	struct series *s = builder_points(m->b, t, floating);

	for (unsigned i = 0; i < EVENTS; i++) {
		int64_t v = (int64_t)chance_bits(&m->c);
		ck_assert(floating ? builder_point_double(m->b, s, i, (double)v / 7, 0, &m->e)
				   : builder_point(m->b, s, i, v, 0, &m->e));
	}
}

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
	ck_assert_uint_eq(a->n_checkpoints, b->n_checkpoints);
	for (unsigned m = 0; m < a->n_metrics; m++)
		ck_assert_int_eq(a->sum[m], b->sum[m]);
}

/* The values are small, too large to be summed without a look at each, and near the limit. */
static const int64_t mosts[] = {1000, INT64_C(1) << 43, INT64_C(1) << 47};

static struct profile *
made(unsigned i)
{
	struct profile *p = profile_new();
	struct making m = {.b = builder_new(p, "made", "made")};

	err_init(&m.e);
	chance_init(&m.c, i);
	metric_id time = builder_timeline(m.b);
	metric_id bytes = builder_metric(m.b, "bytes", UNIT_BYTES, ROLE_VALUE);
	make_stacks(&m);
	make_steps(&m, time);
	make_samples(&m, bytes, mosts[i]);
	make_totals(&m, bytes, mosts[i]);
	make_points(&m, false);
	make_points(&m, true);
	builder_finish(m.b, &m.e);
	builder_free(m.b);
	return p;
}

START_TEST(events)
{
	struct profile *p = made((unsigned)_i);
	struct buf file = packed(p);
	struct decoded d = unpacked(&file);
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

/* ---- chunks on a separate thread ---- */

static struct decoded
unpacked_beside(const struct buf *bytes, bool beside)
{
	struct decoded d = {.p = profile_new()};
	struct input *in = input_open_bytes(bytes->at, bytes->len, "packed");
	struct builder *b = builder_new(d.p, "packed", "pnav");
	struct err fault;

	err_init(&d.e);
	err_init(&fault);
	if (beside)
		builder_beside(b, 1);
	d.good = decoder_named("pnav")->decode(in, b, &d.e);
	builder_finish(b, &d.e);
	builder_free(b);
	input_close(in);
	ck_assert_msg(profile_check(d.p, &fault), "%s", fault.text);
	return d;
}

/* The thread leaves the same profile and the same fault, also of damaged files. */
START_TEST(beside)
{
	struct profile *p = made((unsigned)_i);
	struct buf file = packed(p), all = plain(&file);
	struct chance c;

	chance_init(&c, 5 + (uint64_t)_i);
	for (unsigned n = unit_rounds(15); n; n--) {
		struct buf b = BUF_INIT;
		buf_add(&b, all.at, all.len);
		if (n > 1)
			change(&b, &c, n % 4 ? "chun" : "");
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
		}
		decoded_free(&x);
		decoded_free(&y);
		buf_release(&b);
	}
	buf_release_all(&file, &all);
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
	tcase_add_loop_test(t, events, 0, sizeof mosts / sizeof *mosts);
	tcase_add_loop_test(t, beside, 0, sizeof mosts / sizeof *mosts);
	suite_add_tcase(s, t);
	return s;
}
