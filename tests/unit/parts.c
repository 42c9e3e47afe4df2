/* Files that are read in parts (src/load_parts.h): with any number of threads and any size of
 * blocks the profile is the same as that of the decoder alone, entry by entry and byte by byte, and
 * so are errors, warnings and their offsets. */
#include "src/load_parts.h"

#include <check.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/build/builder_load.h"
#include "model/profile/profile.h"
#include "src/input/source.h"
#include "src/symbol/demangle.h"
#include "tests/lib/golden_inputs.h"
#include "tests/lib/packing.h"
#include "tests/lib/part_texts.h"
#include "tests/lib/unit.h"

#define KEPT 4000u /* entries of a part that seldom begins anew */

/* ---- reading ---- */

static struct buf text; /* the file of the running test */
static char path[] = "/tmp/pnav-parts-XXXXXX";
static uint64_t joins;  /* blocks that were joined in all readings */

static void
setup(void)
{
	strcpy(path + sizeof path - 7, "XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	joins = 0;
}

static void
teardown(void)
{
	unlink(path);
	buf_release(&text);
}

static void
save(void)
{
	FILE *f = fopen(path, "w");
	ck_assert_uint_eq(fwrite(buf_str(&text), 1, text.len, f), text.len);
	ck_assert_int_eq(fclose(f), 0);
}

static void
lift(void *ctx, struct input *in)
{
	(void)ctx;
	input_limit(in, UINT64_MAX, NULL, NULL);
}

/* Reads the file into the profile. The decoder alone gets as many bytes at first. */
static void
read_one(struct profile *p, const struct decoder *d, const struct parts_plan *plan, bool label,
	 struct buf *out)
{
	struct err e, check;
	err_init(&e);
	err_init(&check);
	struct builder *b = builder_new(p, "some file", d->name);
	struct input *in = input_open(path, &e);
	ck_assert_msg(in != NULL, "%s", e.text);
	if (label)
		builder_label(b, "label");
	builder_read_names(b, symbol_demangle);
	if (!plan->threads)
		input_limit(in, d->record_end((const uint8_t *)text.at, plan->first), lift, NULL);
	bool good = plan->threads ? parts_decode(d, in, b, plan, &e) : d->decode(in, b, &e);
	builder_finish(b, &e);
	ck_assert_msg(profile_check(p, &check), "%s", check.text);
	joins += builder_carried(b)->joins;
	input_close(in);
	builder_free(b);
	buf_addf(out, "%d %d %" PRIu64 " %s\n", good, e.class, e.has_offset ? e.offset : 0,
		 e.text);
}

static void
read_files(const struct decoder *d, const struct parts_plan *plan, unsigned files,
	   struct buf *out)
{
	struct profile *p = profile_new();

	for (unsigned i = 0; i < files; i++)
		read_one(p, d, plan, files > 1, out);
	profile_written(p, out);
	if (p->n_tracks) {
		struct buf packed = packing_pack(p);
		buf_add(out, packed.at, packed.len);
		buf_release(&packed);
	}
	profile_free(p);
}

static void
same_with(const struct decoder *d, const struct parts_plan *plan, unsigned files,
	  const struct buf *want)
{
	struct buf got = BUF_INIT;
	size_t at = 0;

	read_files(d, plan, files, &got);
	while (at < want->len && at < got.len && want->at[at] == got.at[at])
		at++;
	size_t from = at < 60 ? 0 : at - 60;
	ck_assert_msg(at == want->len && at == got.len,
		      "%s, %u threads, first %" PRIu64 ", blocks of %" PRIu64 ", %zu entries: "
		      "at byte %zu: %.120s | %.120s",
		      d->name, plan->threads, plan->first, plan->block, plan->entries, at,
		      buf_str(want) + from, buf_str(&got) + from);
	buf_release(&got);
}

/* The file is the same in all of these parts; in the short check, with half of the threads. */
static void
same(const struct decoder *d, unsigned files)
{
	static const unsigned threads[] = {1, 2, 3, 8};
	struct buf want = BUF_INIT;
	struct parts_plan alone = {.first = 1 + text.len / 20};

	save();
	read_files(d, &alone, files, &want);
	for (unsigned every = unit_stride(2), i = (unsigned)text.len % every; i < 4; i += every)
		for (uint64_t block = 1 + text.len / 200; block < text.len / 2; block *= 5) {
			size_t entries = i % 2 ? 100 : KEPT;
			struct parts_plan plan = {threads[i], alone.first, block, entries, 1};
			same_with(d, &plan, files, &want);
		}
	buf_release(&want);
}

/* ---- folded stacks ---- */

static const struct folded_shape shapes[] = {
	{0},
	{.comments = 50, .crlf = true},
	{.odd = 300},
	{.odd = 9, .crlf = true},
	{.fractions = 1},
	{.fractions = 900, .negative = 3},
	{.two = true, .negative = 20},
	{.two = true, .odd = 100, .fractions = 30},
	{.mangled = true},
};

START_TEST(folded_shapes)
{
	struct chance c;

	chance_init(&c, 7 + (unsigned)_i);
	if (_i % 2)
		buf_adds(&text, "\xef\xbb\xbf");
	folded_lines(&text, &c, 1500, &shapes[_i]);
	same(&decoder_folded, 1);
	ck_assert_uint_gt(joins, 20);
}
END_TEST

START_TEST(folded_several_files)
{
	struct chance c;

	chance_init(&c, 3);
	folded_lines(&text, &c, 1000, &shapes[_i]);
	same(&decoder_folded, 3);
	ck_assert_uint_gt(joins, 20);
}
END_TEST

/* The form changes in the middle. */
START_TEST(folded_changes)
{
	struct chance c;

	chance_init(&c, 11);
	for (unsigned i = 0; i < 6; i++)
		folded_lines(&text, &c, 300, &shapes[(unsigned)_i * 3 % 9 + i % 3]);
	same(&decoder_folded, 1);
}
END_TEST

/* Damage and refusals have the same byte and text. */
START_TEST(folded_damage)
{
	static const char *const damage[] = {
		"a;b 99999999999999999999999\n", /* beyond 2^63 */
		"a;b 9223372036854775807\na;b 9223372036854775807\n",
		"a;b 9000000000000000000\na;c -9000000000000000000\nd 0.5\n",
		"a;b 0.25\n",
		"x\ny\nz\n",
		"a\0b;c 12\n",
	};
	struct chance c;

	chance_init(&c, 5);
	for (unsigned i = 0; i < 3; i++) {
		folded_lines(&text, &c, 400, &shapes[0]);
		if (i == 1)
			buf_add(&text, damage[_i], _i == 5 ? 9 : strlen(damage[_i]));
	}
	buf_adds(&text, "main;last 12"); /* without a line end */
	same(&decoder_folded, 1);
	buf_adds(&text, "4 and no num");
	same(&decoder_folded, 1);
}
END_TEST

START_TEST(folded_refused)
{
	struct chance c;

	chance_init(&c, 5);
	folded_lines(&text, &c, 300, &shapes[0]);
	for (unsigned i = 0; i < 900; i++)
		buf_addf(&text, "what is this, %u times?\n", i);
	same(&decoder_folded, 1);
	folded_lines(&text, &c, 700, &shapes[0]);
	same(&decoder_folded, 1);
}
END_TEST

/* Stacks too deep, and names too long. */
START_TEST(folded_large)
{
	struct chance c;

	chance_init(&c, 5);
	folded_lines(&text, &c, 200, &shapes[0]);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 70000; k++)
			buf_addc(&text, (char)('a' + chance_below(&c, 26)));
		buf_addf(&text, ";x %u\n", i);
	}
	folded_lines(&text, &c, 200, &shapes[0]);
	save();
	struct buf want = BUF_INIT;
	struct parts_plan plan = {2, 500, 900, KEPT, 1}, alone = {.first = 500};
	read_files(&decoder_folded, &alone, 1, &want);
	same_with(&decoder_folded, &plan, 1, &want);
	buf_release(&want);
}
END_TEST

/* ---- perf script ---- */

static const unsigned perf_shapes[] = {
	0, PIDS, NO_CPU | CRLF, HEADER | PIDS, SOURCES, ODD, HEADER | EVENTS | PIDS, SCHED,
	SCHED | PIDS | EVENTS, NO_TIME, BARE, BARE | ODD | CRLF | EVENTS | SOURCES | HEADER | PIDS,
};
#define PERF_SHAPES (sizeof perf_shapes / sizeof *perf_shapes)

START_TEST(perf_script)
{
	struct chance c;

	chance_init(&c, 100 + (unsigned)_i);
	perf_samples(&text, &c, 600, perf_shapes[_i]);
	same(&decoder_perfscript, 1);
	ck_assert_uint_gt(joins, 20);
}
END_TEST

START_TEST(perf_script_several_files)
{
	struct chance c;

	chance_init(&c, 100 + (unsigned)_i);
	perf_samples(&text, &c, 300, perf_shapes[_i]);
	same(&decoder_perfscript, 2);
}
END_TEST

START_TEST(perf_script_changes)
{
	struct chance c;

	chance_init(&c, 9);
	for (unsigned i = 0; i < 5; i++)
		perf_samples(&text, &c, 90, perf_shapes[(i * 5 + (unsigned)_i) % PERF_SHAPES]);
	text.len -= 30; /* truncated in a sample */
	same(&decoder_perfscript, 1);
}
END_TEST

/* Blocks with sums that pass the limits by themselves. */
START_TEST(large_sums)
{
	struct chance c;

	chance_init(&c, 2);
	if (_i < 2)
		folded_sums(&text, &c, _i == 1);
	else
		perf_sums(&text, &c);
	same(_i < 2 ? &decoder_folded : &decoder_perfscript, 1);
}
END_TEST

/* Parts end soon where most blocks are odd, since those are decoded twice. */
START_TEST(often_odd)
{
	struct chance c;

	chance_init(&c, 4);
	for (unsigned i = 0; i < 60; i++) {
		buf_addf(&text, "# key %u : value\n", i);
		perf_samples(&text, &c, 10, PIDS);
	}
	save();
	struct parts_plan plan = {2, 2000, text.len / 96, KEPT, 1}, alone = {.first = 2000};
	struct buf want = BUF_INIT;
	read_files(&decoder_perfscript, &alone, 1, &want);
	same_with(&decoder_perfscript, &plan, 1, &want);
	ck_assert_uint_lt(joins, 15);
	buf_release(&want);
}
END_TEST

/* ---- the loader's side ---- */

/* Checks that the profile's lock is held where it must be, and stops after some breaths, or empties
 * the file. */
struct observed {
	struct watch watch; /* first: callbacks get a pointer to it */
	atomic_bool held;
	atomic_uint wrong, breaths;
	unsigned stop_at, empty_at; /* 0: never */
};

static void
observed_breathe(struct watch *w)
{
	struct observed *o = (struct observed *)w;

	o->wrong += !o->held;
	if (++o->breaths == o->stop_at)
		o->watch.stop = true;
	if (o->breaths == o->empty_at)
		ck_assert_int_eq(truncate(path, 0), 0);
}

static void
observed_give(struct watch *w)
{
	struct observed *o = (struct observed *)w;

	o->wrong += !atomic_exchange(&o->held, false);
}

static void
observed_take(struct watch *w)
{
	struct observed *o = (struct observed *)w;

	while (atomic_exchange(&o->held, true))
		sched_yield();
}

/* Reads the file until it is stopped or emptied; returns the number of events. */
static uint64_t
observe(struct observed *o, const struct decoder *d, uint64_t block)
{
	struct parts_plan plan = {3, 1000, block, KEPT, 1};
	struct profile *p = profile_new();
	struct err e;

	err_init(&e);
	o->watch = (struct watch){.wake_fd = -1, .breathe = observed_breathe,
				  .give = observed_give, .take = observed_take};
	o->held = true;
	struct builder *b = builder_new(p, "some file", d->name);
	struct input *in = input_open_watched(path, -1, NULL, &o->watch, &e);
	parts_decode(d, in, b, &plan, &e);
	builder_finish(b, &e);
	joins += builder_carried(b)->joins;
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	uint64_t events = p->events;
	ck_assert(o->held);
	ck_assert_uint_eq(o->wrong, 0);
	builder_free(b);
	input_close(in);
	profile_free(p);
	return events;
}

START_TEST(stopped)
{
	const struct decoder *d = _i ? &decoder_perfscript : &decoder_folded;
	struct observed o = {.stop_at = 0};
	struct chance c;
	uint64_t before = 0;

	chance_init(&c, 1);
	if (_i)
		perf_samples(&text, &c, 500, ODD | EVENTS);
	else
		folded_lines(&text, &c, 3000, &shapes[2]);
	save();
	uint64_t all = observe(&o, d, 700);
	ck_assert_uint_eq(o.watch.bytes, text.len); /* each byte is counted once */
	ck_assert_uint_gt(joins, 20);
	for (unsigned stop_at = 1; stop_at < o.breaths + 3; stop_at += 7) {
		struct observed part = {.stop_at = stop_at};
		uint64_t events = observe(&part, d, 700);
		ck_assert_uint_le(events, all);
		ck_assert_uint_ge(events, before);
		before = events;
	}
	ck_assert_uint_gt(before, all / 2);
}
END_TEST

/* The file is emptied by another program, also just before a sample of the scheduler, for which the
 * file is read again. */
START_TEST(emptied)
{
	const unsigned shape = _i ? ODD | EVENTS : SCHED;
	struct observed o = {.stop_at = 0};
	struct chance c;

	chance_init(&c, 1);
	perf_samples(&text, &c, 500, shape);
	save();
	uint64_t all = observe(&o, &decoder_perfscript, 700);
	for (unsigned at = 1; at < o.breaths; at += 3) {
		struct observed part = {.empty_at = at};
		save();
		ck_assert_uint_le(observe(&part, &decoder_perfscript, 700), all);
	}
}
END_TEST

/* Before the first sample of the scheduler, the file is read again, and readers need not wait. */
START_TEST(again)
{
	struct observed o = {.stop_at = 0};
	struct chance c;

	chance_init(&c, 1);
	for (unsigned i = 0; i < 10; i++)
		perf_samples(&text, &c, 400, 0);
	perf_samples(&text, &c, 450, SCHED);
	save();
	observe(&o, &decoder_perfscript, 100000);
	ck_assert_uint_ge(o.breaths, joins + 2 * text.len / (256u << 10));
}
END_TEST

/* ---- every golden input ---- */

static void
golden_file(const char *name, unsigned *compared)
{
	struct err e;
	char bytes[4096];
	size_t n;

	err_init(&e);
	struct input *in = input_open(name, &e);
	const struct decoder *d = in ? decoder_of(in, &e) : NULL;
	input_close(in);
	FILE *f = d && d->record_end ? fopen(name, "r") : NULL;
	if (!f)
		return;
	buf_reset(&text);
	while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
		buf_add(&text, bytes, n);
	fclose(f);
	if (text.len > 100000)
		return;
	same(d, 1);
	++*compared;
}

START_TEST(golden)
{
	unsigned compared = 0;
	glob_t inputs = golden_inputs();

	for (size_t i = 0; i < inputs.gl_pathc; i++)
		golden_file(inputs.gl_pathv[i], &compared);
	globfree(&inputs);
	ck_assert_uint_gt(compared, 5);
}
END_TEST

UNIT(parts)
{
	Suite *s = suite_create("parts");
	TCase *t = tcase_create("parts");

	tcase_set_timeout(t, 240);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, folded_shapes, 0, 9);
	tcase_add_loop_test(t, folded_several_files, 0, 9);
	tcase_add_loop_test(t, folded_changes, 0, 3);
	tcase_add_loop_test(t, folded_damage, 0, 6);
	tcase_add_test(t, folded_refused);
	tcase_add_test(t, folded_large);
	tcase_add_loop_test(t, perf_script, 0, PERF_SHAPES);
	tcase_add_loop_test(t, perf_script_several_files, 0, PERF_SHAPES);
	tcase_add_loop_test(t, perf_script_changes, 0, PERF_SHAPES);
	tcase_add_loop_test(t, large_sums, 0, 3);
	tcase_add_test(t, often_odd);
	tcase_add_loop_test(t, stopped, 0, 2);
	tcase_add_loop_test(t, emptied, 0, 2);
	tcase_add_test(t, again);
	tcase_add_test(t, golden);
	suite_add_tcase(s, t);
	return s;
}
