#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/base/wide.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "src/decode/common/slices.h"
#include "src/input/source.h"
#include "tests/lib/decoded.h"
#include "tests/lib/encode_hqnplog.h"
#include "tests/lib/unit.h"

/* The hqnplog decoder against an encoder written from the document, and against call
 * trees by chance, whose numbers are added up while they are made. */

static const char *const traces[] = {"", "Job", "Page", "Band", "Heap", NULL};
static const char *const types[] = {"", "DURATION", "Enter", "EXIT", "VALUE", NULL};
enum { JOB = 1, PAGE, BAND, HEAP };
enum { DURATION = 1, ENTER, EXIT, VALUE };

/* Thread 7: Job 1000..1800 as ENTER and EXIT, in it Page 1100..1500, in that Band
 * 1100..1200 and Band 1300..1500; Page entered at 1600 and never left.  A point. */
static const struct hqn_record records[] = {
	{1000, 0, 7, JOB, ENTER, 0},
	{1100, 100, 7, BAND, DURATION, 1},
	{1300, 200, 7, BAND, DURATION, 2},
	{1100, 400, 7, PAGE, DURATION, 3},
	{1550, 0, 7, HEAP, VALUE, (uint64_t)-12},
	{1600, 0, 7, PAGE, ENTER, 0},
	{1800, 0, 7, JOB, EXIT, 0},
};

static struct hqn_log
small(void)
{
	return (struct hqn_log){
		.traces = traces,
		.types = types,
		.records = records,
		.n = sizeof records / sizeof *records,
		.ticks = 1000000,
	};
}

static void
check_small(const struct decoded *d)
{
	ck_assert_msg(d->good, "%s", d->e.text);
	struct decoded_row job = decoded_row(d, "time", "Job");
	struct decoded_row page = decoded_row(d, "time", "Page");
	struct decoded_row band = decoded_row(d, "time", "Band");
	ck_assert_int_eq(job.self, 200000);
	ck_assert_int_eq(job.total, 800000);
	ck_assert_int_eq(job.calls, 1);
	ck_assert_int_eq(page.self, 100000 + 200000);
	ck_assert_int_eq(page.total, 600000);
	ck_assert_int_eq(page.calls, 2);
	ck_assert_int_eq(band.self, 300000);
	ck_assert_int_eq(band.calls, 2);
	const struct track *t = decoded_track(d, "thread 0x7");
	ck_assert_int_eq(t->end - t->start, 800000);
	ck_assert_uint_eq(t->events, 6);
	const struct track *heap = decoded_track(d, "Heap (VALUE)");
	struct event point;
	ck_assert_ptr_nonnull(heap);
	ck_assert(series_event(heap->series[0], 0, &point));
	ck_assert_int_eq(point.value, -12);
	ck_assert_int_eq(point.time - t->start, 550000);
}

/* Every reading of the tables, both byte orders, before and after the entries, from a pipe. */
START_TEST(layouts)
{
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.form = (enum hqn_form)(_i % FORMS);
	log.big_endian = _i / FORMS & 1;
	log.names_behind = _i / FORMS & 2;
	log.header_more = _i / FORMS & 4 ? 16 : 0;
	log.entry_more = _i / FORMS & 4 ? 8 : 0;
	hqn_write(&out, &log);
	for (int way = FROM_BYTES; way <= FROM_PIPE; way++) {
		struct decoded d =
			decoded(&decoder_hqnplog, &out, (enum decoded_way)way, NULL);
		check_small(&d);
		ck_assert_uint_eq(d.p->n_warnings, 0);
		decoded_free(&d);
	}
	buf_release(&out);
}
END_TEST

/* Offsets from the file, read as offsets from the table, must not begin within a long name. */
START_TEST(long_name)
{
	static const char longest[] =
		"a name so long that an offset that is wrong by the place of its table, which "
		"follows the header and the table of the other names, is still within it, as in "
		"this one of 200 bytes";
	static const char *const names[] = {"", "Job", "Page", "Band", "Heap", longest, NULL};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.traces = names;
	log.form = (enum hqn_form)_i;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	check_small(&d);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* Never closed: count 0, and unused space after the last entry. */
START_TEST(never_closed)
{
	struct hqn_log log = small();
	struct buf out = BUF_INIT;
	static const char room[80];

	log.never_closed = true;
	hqn_write(&out, &log);
	buf_add(&out, room, sizeof room);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	check_small(&d);
	ck_assert_uint_eq(d.p->n_warnings, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A log of nothing: the names begin where entries would. */
START_TEST(no_entries)
{
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.n = 0;
	log.names_behind = _i & 1;
	log.form = (enum hqn_form)(_i >> 1);
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert_msg(d.good, "%s", d.e.text);
	ck_assert_uint_eq(d.p->n_tracks, 0);
	for (size_t i = 0; i < d.p->n_warnings; i++) /* one says that the profile is empty */
		ck_assert_ptr_null(strstr(d.p->warning[i].text, "closed"));
	ck_assert_ptr_null(decoded_info(&d, "trace names"));
	ck_assert_ptr_null(decoded_info(&d, "type names"));
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A log that begins within a call: the exit is its first event, and its time the thread's begin. */
START_TEST(begins_with_exit)
{
	static const struct hqn_record late[] = {
		{200, 0, 7, JOB, EXIT, 0},
		{300, 0, 7, PAGE, EXIT, 0},
		{400, 100, 7, BAND, DURATION, 0},
	};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.records = late;
	log.n = (size_t)_i;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	const struct track *t = decoded_track(&d, "thread 0x7");
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->start, 200000);
	ck_assert_int_eq(t->end, _i == 3 ? 500000 : 100000 * (_i + 1));
	ck_assert_uint_eq(t->events, (uint64_t)_i);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A cut entry is damage at its start; all before it counts. */
START_TEST(cut)
{
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	hqn_write(&out, &log);
	uint64_t last = out.len - 40;
	out.len -= _i;
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert(!d.good && d.e.class == ERR_DAMAGED);
	ck_assert_uint_eq(d.e.offset, last);
	ck_assert_int_eq(decoded_row(&d, "time", "Band").self, 300000);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* No name for id 4: the table does not fit, and wrong names would be worse than none. */
START_TEST(unnamed)
{
	static const char *const few[] = {"", "Job", "Page", NULL};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.traces = few;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_int_eq(decoded_row(&d, "time", "trace#3").self, 300000);
	/* names of other ids stay, with a warning */
	ck_assert_ptr_null(decoded_info(&d, "trace names"));
	ck_assert_int_gt(decoded_row(&d, "time", "Page").total, 0);
	ck_assert_str_eq(d.p->warning[0].text,
			 "trace names: a table of 3, but an entry has the id 4");
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

START_TEST(timestamp_is_end)
{
	static const struct hqn_record two[] = {
		{200, 100, 1, BAND, DURATION, 0},
		{300, 300, 1, PAGE, DURATION, 0},
	};
	struct option_given given = {"hqn-timestamp", "end"};
	struct format_options options = {.given = {&given, 1, 0}};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.records = two;
	log.n = 2;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, &options);
	ck_assert(d.good);
	ck_assert_int_eq(decoded_row(&d, "time", "Page").total, 300000);
	ck_assert_int_eq(decoded_row(&d, "time", "Page").self, 200000);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A slice that begins inside another and ends after it has a lane of its own. */
START_TEST(overlap)
{
	static const struct hqn_record three[] = {
		{100, 100, 1, JOB, DURATION, 0},
		{150, 110, 1, PAGE, DURATION, 0},
		{190, 100, 1, BAND, DURATION, 0},
	};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.records = three;
	log.n = 3;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_int_eq(decoded_row(&d, "time", "Job").self, 100000);
	ck_assert_int_eq(decoded_row(&d, "time", "Page").self, 110000);
	ck_assert_int_eq(decoded_row(&d, "time", "Band").self, 100000);
	ck_assert_uint_eq(decoded_track(&d, "thread 0x1 (overlap 1)")->events, 1);
	ck_assert_uint_eq(decoded_track(&d, "thread 0x1 (overlap 2)")->events, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* ---- previews while a log is read ---- */

#define LOOKED_RECORDS 20000u

struct looker {
	struct watch watch; /* first */
	struct builder *b;
	struct profile *p;
	uint64_t most; /* slices that were seen in between */
};

static void
look(struct watch *w)
{
	struct looker *l = (struct looker *)w;
	struct err e;

	err_init(&e);
	builder_settle(l->b);
	ck_assert_msg(profile_check(l->p, &e), "%s", e.text);
	for (uint32_t t = 0; t < l->p->n_tracks; t++)
		if (l->p->track[t].n_series && l->p->track[t].series[0]->n > l->most)
			l->most = l->p->track[t].series[0]->n;
}

/* As decoded(), from a file; two slices in four are Bands in a Page; at the end a Job is around
 * all of it, some records are points, and some exits of nothing. */
static struct decoded
looked_at(const struct buf *bytes, bool looks, uint64_t *seen)
{
	struct decoded d = {.p = profile_new()};
	struct looker l = {.watch = {.wake_fd = -1, .looked = looks}, .p = d.p};
	char path[] = "/tmp/pnav-hqnplog-XXXXXX";
	int fd = mkstemp(path);
	struct err check;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, buf_str(bytes), bytes->len), (ssize_t)bytes->len);
	close(fd);
	l.b = builder_new(d.p, "test", "hqnplog");
	l.watch.breathe = look;
	err_init(&d.e);
	err_init(&check);
	struct input *in = input_open_watched(path, -1, NULL, &l.watch, &d.e);
	ck_assert_msg(in != NULL, "%s", d.e.text);
	d.good = decoder_hqnplog.decode(in, l.b, &d.e);
	input_close(in);
	unlink(path);
	builder_finish(l.b, &d.e);
	builder_free(l.b);
	ck_assert_msg(profile_check(d.p, &check), "%s", check.text);
	*seen = l.most;
	return d;
}

static struct hqn_record *
records_by_place(void)
{
	struct hqn_record *r = mem_zalloc(LOOKED_RECORDS, sizeof *r);

	for (uint64_t i = 0; i < LOOKED_RECORDS; i++) {
		uint64_t at = 1000 + i / 4 * 100, thread = 7 + i / 4 % 2;
		r[i] = (struct hqn_record){at + 10, 20, thread, BAND, DURATION, i};
		if (i % 4 == 1)
			r[i] = (struct hqn_record){at + 40, 30, thread, BAND, DURATION, i};
		else if (i % 4 == 2)
			r[i] = (struct hqn_record){at, 90, thread, PAGE, DURATION, i};
		else if (i % 4 == 3)
			r[i] = (struct hqn_record){at + 95, 0, thread, HEAP,
						   i % 64 == 3 ? EXIT : VALUE, i};
	}
	r[LOOKED_RECORDS - 1] = (struct hqn_record){900, LOOKED_RECORDS * 100, 7, JOB, DURATION, 0};
	return r;
}

/* Slices are shown before the end, and the final profile equals one without previews. */
START_TEST(looked_at_while_read)
{
	struct hqn_log log = small();
	struct hqn_record *many = records_by_place();
	struct buf out = BUF_INIT;
	uint64_t none, seen;

	log.records = many;
	log.n = LOOKED_RECORDS;
	log.names_behind = _i % 2;
	hqn_write(&out, &log);
	struct decoded alone = looked_at(&out, false, &none);
	struct decoded d = looked_at(&out, true, &seen);
	ck_assert(alone.good && d.good);
	ck_assert_uint_gt(seen, 1000);
	ck_assert_uint_eq(d.p->n_tracks, alone.p->n_tracks);
	for (uint32_t t = 0; t < d.p->n_tracks; t++) {
		const struct track *x = &d.p->track[t], *y = &alone.p->track[t];
		ck_assert_uint_eq(x->events, y->events);
		ck_assert_uint_eq(x->n_series, y->n_series);
		ck_assert_uint_eq(x->series[0]->n, y->series[0]->n);
		ck_assert_int_eq(x->start, y->start);
		ck_assert_int_eq(x->end, y->end);
	}
	for (int i = JOB; i <= BAND; i++) {
		struct decoded_row x = decoded_row(&d, "time", traces[i]);
		struct decoded_row y = decoded_row(&alone, "time", traces[i]);
		ck_assert_int_eq(x.self, y.self);
		ck_assert_int_eq(x.total, y.total);
		ck_assert_int_eq(x.calls, y.calls);
		ck_assert_int_gt(x.total, 0);
	}
	ck_assert_int_eq(decoded_row(&d, "time", "Band").self,
			 (LOOKED_RECORDS / 4) * 50 * INT64_C(1000));
	decoded_free(&alone);
	decoded_free(&d);
	buf_release(&out);
	free(many);
}
END_TEST

START_TEST(ticks_to_ns)
{
	static const uint64_t clocks[] = {
		1,         3, 1000, 3579545, 1000000000, 2999999999u, UINT64_C(1) << 40,
		UINT64_MAX};

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		for (unsigned shift = 0; shift < 33; shift++) {
			uint64_t t = (UINT64_C(0x1D3C5A7F91) << 24) >> shift;
			wide ns = wide_div(wide_mul(wide_of_unsigned(t), wide_of(1000000000)),
					   wide_of_unsigned(clocks[i]));
			if (wide_cmp(ns, wide_of(INT64_MAX)) <= 0)
				ck_assert_int_eq(slices_ns(t, clocks[i]), (int64_t)wide_low(ns));
		}
}
END_TEST

START_TEST(too_far)
{
	static const struct hqn_record far[] = {
		{100, 100, 1, JOB, DURATION, 0},
		{INT64_MAX / 1000, 1, 1, JOB, DURATION, 0},
	};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	log.records = far;
	log.n = 2;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert(!d.good);
	ck_assert_uint_eq(d.e.offset, out.len - 40);
	ck_assert_int_eq(decoded_row(&d, "time", "Job").self, 100000);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* ---- call trees by chance ---- */

#define NAMES 6

struct tree {
	VEC(struct hqn_record) records;
	uint64_t now, state, thread;
	int64_t self[NAMES], total[NAMES], calls[NAMES];
	int open[NAMES];
};

static uint32_t
chance(struct tree *t, uint32_t below)
{
	t->state ^= t->state << 13;
	t->state ^= t->state >> 7;
	t->state ^= t->state << 17;
	return (uint32_t)(t->state >> 33) % below;
}

/* A slice and all below it; a slice is written when it ends. */
static void
grow(struct tree *t, unsigned depth)
{
	uint32_t name = chance(t, NAMES);
	uint64_t start = t->now, own = 0, step;
	bool outermost = !t->open[name]++;

	for (uint32_t children = chance(t, depth ? 4 : 1); children; children--) {
		own += step = chance(t, 3);
		t->now += step;
		grow(t, depth - 1);
	}
	own += step = 1 + chance(t, 5);
	t->now += step;
	t->open[name]--;
	t->self[name] += (int64_t)own;
	t->total[name] += outermost ? (int64_t)(t->now - start) : 0;
	t->calls[name]++;
	*vec_push(&t->records) = (struct hqn_record){
		.time = start,
		.duration = t->now - start,
		.thread = t->thread,
		.trace = name,
		.type = DURATION,
	};
}

/* Orders: as they end, reversed, shuffled. */
static void
reorder(struct tree *t, int order)
{
	for (size_t i = 0; order && i < t->records.n / (order == 1 ? 2 : 1); i++) {
		size_t k = t->records.n - 1 - i;
		if (order == 2)
			k = chance(t, (uint32_t)t->records.n);
		struct hqn_record swap = t->records.at[i];
		t->records.at[i] = t->records.at[k];
		t->records.at[k] = swap;
	}
}

START_TEST(trees)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", NULL};
	struct tree t = {.state = (uint64_t)_i * 7919 + 1, .now = 1000000};
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	for (int i = 0; i < 40; i++) {
		t.thread = chance(&t, 3) + 1;
		t.now += chance(&t, 100);
		grow(&t, 5);
	}
	reorder(&t, _i % 3);
	log.traces = names;
	log.records = t.records.at;
	log.n = t.records.n;
	log.ticks = 1000000000;
	log.big_endian = _i & 1;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert_msg(d.good, "%s", d.e.text);
	for (int i = 0; i < NAMES; i++) {
		struct decoded_row row = decoded_row(&d, "time", names[i]);
		ck_assert_int_eq(row.self, t.self[i]);
		ck_assert_int_eq(row.total, t.total[i]);
		ck_assert_int_eq(row.calls, t.calls[i]);
	}
	for (uint32_t i = 0; i < d.p->n_tracks; i++)
		ck_assert_ptr_null(
			strstr(names_get(&d.p->names, d.p->track[i].name).at, "overlap"));
	decoded_free(&d);
	buf_release(&out);
	vec_release(&t.records);
}
END_TEST

/* More overlapping slices than there are lanes; the decoder stays fast and correct. */
START_TEST(all_overlap)
{
	enum { N = 100000 };
	struct hqn_record *r = mem_zalloc(N, sizeof *r);
	struct hqn_log log = small();
	struct buf out = BUF_INIT;

	for (uint64_t i = 0; i < N; i++)
		r[i] = (struct hqn_record){i + 1, N + i, 1, JOB, DURATION, 0};
	log.records = r;
	log.n = N;
	hqn_write(&out, &log);
	struct decoded d = decoded(&decoder_hqnplog, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_uint_eq(d.p->n_warnings, 1);
	decoded_free(&d);
	buf_release(&out);
	free(r);
}
END_TEST

START_TEST(survives)
{
	struct hqn_log log = small();
	struct buf out = BUF_INIT;
	unsigned shape = (unsigned)_i / DECODED_PARTS;

	log.big_endian = shape & 1;
	log.names_behind = shape & 2;
	log.form = shape & 4 ? FORM_OFFSETS : FORM_U64;
	hqn_write(&out, &log);
	decoded_survives(&decoder_hqnplog, &out, unit_rounds(1500), (unsigned)_i % DECODED_PARTS);
	buf_release(&out);
}
END_TEST

UNIT(hqnplog)
{
	Suite *s = suite_create("hqnplog");
	TCase *c = tcase_create("hqnplog");

	tcase_add_loop_test(c, layouts, 0, FORMS * 8);
	tcase_add_loop_test(c, long_name, 0, FORMS);
	tcase_add_test(c, never_closed);
	tcase_add_loop_test(c, no_entries, 0, FORMS * 2);
	tcase_add_loop_test(c, begins_with_exit, 1, 4);
	tcase_add_loop_test(c, cut, 1, 40);
	tcase_add_test(c, unnamed);
	tcase_add_test(c, timestamp_is_end);
	tcase_add_test(c, overlap);
	tcase_add_loop_test(c, looked_at_while_read, 0, 2);
	tcase_add_test(c, ticks_to_ns);
	tcase_add_test(c, too_far);
	tcase_add_loop_test(c, trees, 0, 60);
	tcase_add_test(c, all_overlap);
	tcase_add_loop_test(c, survives, 0, 8 * DECODED_PARTS);
	suite_add_tcase(s, c);
	return s;
}
