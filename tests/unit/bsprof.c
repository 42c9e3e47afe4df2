#include <check.h>
#include <string.h>

#include "tests/lib/decoded.h"
#include "tests/lib/encode_bsprof.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* The bsprof decoder against an encoder written from the specification. */

#define RUN_START 1700000000000u

/* Module 1 `ui` (string 1): main (path 1) calls draw (2), which calls draw (3). */
static void
definitions(struct buf *out, bool lines)
{
	bsprof_string(out, 1, "ui");
	bsprof_string(out, 2, "pkg:/main.brs");
	bsprof_string(out, 3, "main");
	bsprof_string(out, 4, "draw");
	bsprof_module(out, 1, 1);
	bsprof_root(out, 1, 1, 2, 10, 3);
	bsprof_chained(out, 2, 1, lines ? 3 : 0, 2, 40, 4);
	bsprof_chained(out, 3, 2, lines ? 5 : 0, 2, 40, 4);
}

static void
measurements(struct buf *out, bool lines)
{
	uint64_t at = lines ? 2 : 0;

	bsprof_calls(out, 1, 1);
	bsprof_cpu(out, 1, at, 100, 7);
	bsprof_calls(out, 2, 3);
	bsprof_calls(out, 3, 4);
	bsprof_cpu(out, 2, at, 200, 11);
	bsprof_cpu(out, 3, at, 300, 13);
	bsprof_cpu(out, 3, at, 1, 17);
	bsprof_alloc(out, 2, at, 0x1000, 64);
	bsprof_alloc(out, 3, at, 0x1000, 32); /* the same address once more */
	bsprof_free(out, 1, at, 1, 0x1000);   /* takes the 32 of draw in draw */
	bsprof_alloc(out, 1, at, 0xFFFFFFFFFFu, 8);
	bsprof_free(out, 1, at, 2, 0xFFFFFFFFFFu);
	bsprof_free(out, 3, at, 1, 0x2000); /* matches nothing */
}

static void
check_numbers(const struct decoded *d)
{
	struct decoded_row main_row = decoded_row(d, "time", "main");
	struct decoded_row draw = decoded_row(d, "time", "draw");

	ck_assert_int_eq(main_row.self, 7000);
	ck_assert_int_eq(main_row.total, 48000);
	ck_assert_int_eq(main_row.calls, 1);
	ck_assert_int_eq(draw.self, 41000);
	ck_assert_int_eq(draw.total, 41000);
	ck_assert_int_eq(draw.calls, 7);
	ck_assert_int_eq(decoded_row(d, "cpu", "draw").self, 501);
	ck_assert_int_eq(decoded_row(d, "alloc", "draw").self, 96);
	ck_assert_int_eq(decoded_row(d, "allocs", "draw").self, 2);
	ck_assert_int_eq(decoded_row(d, "frees", "draw").self, 1);
	ck_assert_int_eq(decoded_row(d, "frees", "main").self, 2);
	ck_assert_int_eq(decoded_row(d, "live", "draw").self, 64);
	ck_assert_int_eq(decoded_row(d, "live", "main").self, 0);
	ck_assert_str_eq(decoded_info(d, "unmatched frees"), "1");
	const struct track *ui = decoded_track(d, "ui");
	ck_assert_ptr_nonnull(ui);
	ck_assert_int_eq(ui->start, 0);
	ck_assert_int_eq(ui->end, 13);
	ck_assert_uint_eq(ui->events, 13);
}

/* Backwards: every reference of the file points forward. */
static void
backwards(struct buf *out, bool lines)
{
	measurements(out, lines);
	bsprof_chained(out, 3, 2, lines ? 5 : 0, 2, 40, 4);
	bsprof_chained(out, 2, 1, lines ? 3 : 0, 2, 40, 4);
	bsprof_root(out, 1, 1, 2, 10, 3);
	bsprof_module(out, 1, 1);
	bsprof_string(out, 4, "draw");
	bsprof_string(out, 3, "main");
	bsprof_string(out, 2, "pkg:/main.brs");
	bsprof_string(out, 1, "ui");
}

START_TEST(numbers)
{
	bool lines = _i & 1, forward = _i & 2;
	enum decoded_way way = _i & 4 ? FROM_PIPE : FROM_BYTES;
	struct buf out = BUF_INIT;

	bsprof_header(&out, lines, true, _i & 8 ? 100 : 0);
	if (forward) {
		backwards(&out, lines);
	} else {
		definitions(&out, lines);
		measurements(&out, lines);
	}
	bsprof_end(&out, RUN_START + 1);
	struct decoded d = decoded(&decoder_bsprof, &out, way, NULL);
	ck_assert_msg(d.good, "%s", d.e.text);
	check_numbers(&d);
	ck_assert_str_eq(decoded_info(&d, "run start"),
			 "2023-11-14T22:13:20.000Z (1700000000000 ms)");
	ck_assert_str_eq(decoded_info(&d, "run duration"), "1 ms");
	ck_assert_int_eq(d.p->has_lines, lines);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* The leaf executes definition + offset - 1, the caller the line in the chained element. */
START_TEST(lines)
{
	struct buf out = BUF_INIT;
	bool caller = false, leaf = false;

	bsprof_header(&out, true, false, 0);
	definitions(&out, true);
	bsprof_cpu(&out, 2, 6, 1, 1);
	bsprof_end(&out, RUN_START);
	struct decoded d = decoded(&decoder_bsprof, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	for (uint32_t i = 0; i < d.p->frames.n; i++) {
		struct frame f = profile_frame(d.p, i);
		caller |= f.line.form == LINE_PLAIN && f.line.number == 12;
		leaf |= f.line.form == LINE_PLAIN && f.line.number == 45;
	}
	ck_assert(caller && leaf);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

START_TEST(time_units)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {{"ms", 7000000}, {"us", 7000}, {"ns", 7}};
	struct option_given given = {"bsprof-time-unit", units[_i].unit};
	struct format_options options = {.given = {&given, 1, 0}};
	struct buf out = BUF_INIT;

	bsprof_header(&out, false, false, 0);
	definitions(&out, false);
	bsprof_cpu(&out, 1, 0, 1, 7);
	bsprof_end(&out, RUN_START);
	struct decoded d = decoded(&decoder_bsprof, &out, FROM_BYTES, &options);
	ck_assert_int_eq(decoded_row(&d, "time", "main").self, units[_i].ns);
	ck_assert_ptr_null(decoded_info(&d, "assumed"));
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A run of 7 s whose times sum to 7000: milliseconds. */
START_TEST(unit_that_fits)
{
	struct buf out = BUF_INIT;

	bsprof_header(&out, false, false, 0);
	definitions(&out, false);
	bsprof_cpu(&out, 1, 0, 1, 7000);
	bsprof_end(&out, RUN_START + 7000);
	struct decoded d = decoded(&decoder_bsprof, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_str_eq(decoded_info(&d, "time unit that fits"), "ms");
	ck_assert_uint_eq(d.p->n_warnings, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* A free moves no other track's end, and takes from the track that allocated. */
START_TEST(free_by_another_module)
{
	struct buf out = BUF_INIT;

	bsprof_header(&out, false, true, 0);
	definitions(&out, false);
	bsprof_string(&out, 5, "task");
	bsprof_module(&out, 2, 5);
	bsprof_root(&out, 4, 2, 2, 80, 5);
	bsprof_alloc(&out, 1, 0, 16, 100);
	bsprof_calls(&out, 4, 1);
	bsprof_free(&out, 4, 0, 1, 16);
	bsprof_end(&out, RUN_START);
	struct decoded d = decoded(&decoder_bsprof, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_int_eq(decoded_track(&d, "ui")->end, 1);
	ck_assert_int_eq(decoded_track(&d, "task")->end, 3);
	ck_assert_int_eq(decoded_row(&d, "live", "main").self, 0);
	ck_assert_int_eq(decoded_row(&d, "alloc", "main").self, 100);
	ck_assert_int_eq(decoded_row(&d, "frees", "task").self, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* Thousands, so that they are read and written many at once, added up here by hand: small
 * numbers and large ones, two modules, addresses that are used again and again. */
enum { MANY = 11000, FUNCTIONS = 3, ADDRESSES = 40, BLOCKS = 100 };

struct expected {
	int64_t cpu, time, calls, alloc, allocs, frees, live;
};

struct allocated {
	int n, of[BLOCKS];
	int64_t size[BLOCKS];
};

static int64_t
some_number(struct chance *c)
{
	return chance_bits(c) >> (chance_one_in(c, 300) ? 20 : 48 + chance_below(c, 14));
}

static void
memory_by_chance(struct buf *out, struct chance *c, int f, uint64_t at, struct expected *sum,
		 struct allocated *block)
{
	uint32_t address = chance_below(c, ADDRESSES);
	struct allocated *b = &block[address];
	int64_t size = some_number(c);

	if (b->n < BLOCKS && chance_one_in(c, 2)) {
		bsprof_alloc(out, (uint64_t)f + 5, at, (uint64_t)address << address,
			     (uint64_t)size);
		b->of[b->n] = f;
		b->size[b->n++] = size;
		sum[f].alloc += size;
		sum[f].allocs++;
		sum[f].live += size;
		return;
	}
	bsprof_free(out, (uint64_t)f + 5, at, 1 + chance_below(c, 2), (uint64_t)address << address);
	sum[f].frees++;
	if (b->n) {
		b->n--;
		sum[b->of[b->n]].live -= b->size[b->n];
	}
}

static void
entry_by_chance(struct buf *out, struct chance *c, bool with_lines, struct expected *sum,
		struct allocated *block)
{
	int f = (int)chance_below(c, FUNCTIONS);
	uint64_t at = with_lines ? 1 + chance_below(c, 300) : 0, path = (uint64_t)f + 5;
	int64_t cpu = some_number(c), time = some_number(c);

	switch (chance_below(c, 3)) {
	case 0:
		bsprof_cpu(out, path, at, (uint64_t)cpu, (uint64_t)time);
		sum[f].cpu += cpu;
		sum[f].time += 1000 * time;
		break;
	case 1:
		bsprof_calls(out, path, (uint64_t)cpu);
		sum[f].calls += cpu;
		break;
	default:
		memory_by_chance(out, c, f, at, sum, block);
	}
}

static void
check_many(const struct decoded *d, const struct expected *sum)
{
	static const char *const name[FUNCTIONS] = {"draw", "parse", "work"};

	for (int f = 0; f < FUNCTIONS; f++) {
		const struct expected *x = &sum[f];
		ck_assert_int_eq(decoded_row(d, "time", name[f]).self, x->time);
		ck_assert_int_eq(decoded_row(d, "time", name[f]).calls, x->calls);
		ck_assert_int_eq(decoded_row(d, "cpu", name[f]).self, x->cpu);
		ck_assert_int_eq(decoded_row(d, "alloc", name[f]).self, x->alloc);
		ck_assert_int_eq(decoded_row(d, "allocs", name[f]).self, x->allocs);
		ck_assert_int_eq(decoded_row(d, "frees", name[f]).self, x->frees);
		ck_assert_int_eq(decoded_row(d, "live", name[f]).self, x->live);
	}
}

START_TEST(many)
{
	struct buf out = BUF_INIT;
	struct expected sum[FUNCTIONS] = {{0}};
	struct allocated block[ADDRESSES] = {{.n = 0}};
	struct chance c;
	bool with_lines = _i & 1, damaged = _i & 2;

	chance_init(&c, 5 + (uint64_t)_i);
	bsprof_header(&out, with_lines, true, 0);
	definitions(&out, with_lines);
	bsprof_string(&out, 5, "parse");
	bsprof_string(&out, 6, "work");
	bsprof_string(&out, 7, "task");
	bsprof_module(&out, 2, 7);
	bsprof_chained(&out, 5, 1, with_lines ? 3 : 0, 2, 40, 4);
	bsprof_chained(&out, 6, 1, with_lines ? 5 : 0, 2, 60, 5);
	bsprof_root(&out, 7, 2, 2, 80, 6);
	for (int i = 0; i < MANY; i++) {
		entry_by_chance(&out, &c, with_lines, sum, block);
		if (i == MANY / 2)
			bsprof_string(&out, 8, "in between");
	}
	uint64_t at = out.len;
	if (damaged) { /* with this the times exceed 2^63 */
		bsprof_cpu(&out, 5, with_lines, 1, INT64_MAX / 1000);
		for (int i = 0; i < 100; i++)
			bsprof_calls(&out, 2, 1);
	}
	bsprof_end(&out, RUN_START + 1);
	struct decoded d = decoded(&decoder_bsprof, &out, _i & 4 ? FROM_PIPE : FROM_BYTES, NULL);
	ck_assert_msg(d.good == !damaged, "%s", d.e.text);
	if (damaged)
		ck_assert_uint_eq(d.e.offset, at);
	check_many(&d, sum);
	ck_assert_uint_eq(d.p->events, MANY);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

/* ---- damage: keeps everything before it, at the offset of the record ---- */

static void
check_damage(struct buf *out, uint64_t offset)
{
	struct decoded d = decoded(&decoder_bsprof, out, FROM_BYTES, NULL);

	ck_assert(!d.good && d.e.class == ERR_DAMAGED && d.e.has_offset);
	ck_assert_msg(d.e.offset == offset, "%s: at %llu, expected %llu", d.e.text,
		      (unsigned long long)d.e.offset, (unsigned long long)offset);
	ck_assert_int_eq(decoded_row(&d, "time", "main").self, 5000);
	decoded_free(&d);
	buf_release(out);
}

static struct buf
good_start(void)
{
	struct buf out = BUF_INIT;

	bsprof_header(&out, false, false, 0);
	definitions(&out, false);
	bsprof_cpu(&out, 1, 0, 1, 5);
	return out;
}

START_TEST(damage)
{
	struct buf out = good_start();
	uint64_t at = out.len;

	switch (_i) {
	case 0: /* a cycle of three, closed by its last element */
		bsprof_chained(&out, 20, 21, 0, 2, 1, 3);
		bsprof_chained(&out, 21, 22, 0, 2, 1, 3);
		at = out.len;
		bsprof_chained(&out, 22, 20, 0, 2, 1, 3);
		break;
	case 1: /* its own caller */
		bsprof_chained(&out, 20, 20, 0, 2, 1, 3);
		break;
	case 2: /* an id of 33 bits */
		bsprof_cpu(&out, (uint64_t)1 << 32, 0, 1, 1);
		break;
	case 3: /* a varint of eleven bytes */
		bsprof_varint(&out, 1 << 3 | 5);
		buf_add(&out, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11);
		break;
	case 4: /* types 6 and 7 are not assigned */
		bsprof_varint(&out, 1 << 3 | 6);
		break;
	case 5: /* the sum of the times exceeds 2^63 ns */
		bsprof_cpu(&out, 2, 0, 1, INT64_MAX / 1000);
		break;
	case 6: /* no path element 77, to the end */
		bsprof_cpu(&out, 77, 0, 1, 1);
		bsprof_end(&out, RUN_START);
		break;
	case 7: /* cut inside a string */
		bsprof_varint(&out, 9 << 3);
		buf_adds(&out, "never ends");
		break;
	case 8: /* no end marker */
		break;
	case 9: /* path element 0 */
		bsprof_cpu(&out, 0, 0, 1, 1);
		break;
	}
	check_damage(&out, at);
}
END_TEST

/* A footer that is missing is a warning. */
START_TEST(no_footer)
{
	struct buf out = good_start();

	bsprof_varint(&out, 0);
	struct decoded d = decoded(&decoder_bsprof, &out, FROM_BYTES, NULL);
	ck_assert(d.good);
	ck_assert_uint_eq(d.p->n_warnings, 1);
	decoded_free(&d);
	buf_release(&out);
}
END_TEST

START_TEST(survives)
{
	struct buf out = BUF_INIT;
	unsigned shape = (unsigned)_i / DECODED_PARTS;

	bsprof_header(&out, shape & 1, true, 3);
	if (shape & 2) {
		backwards(&out, shape & 1);
	} else {
		definitions(&out, shape & 1);
		measurements(&out, shape & 1);
	}
	bsprof_end(&out, RUN_START + 99);
	decoded_survives(&decoder_bsprof, &out, unit_rounds(2500), (unsigned)_i % DECODED_PARTS);
	buf_release(&out);
}
END_TEST

UNIT(bsprof)
{
	Suite *s = suite_create("bsprof");
	TCase *c = tcase_create("bsprof");

	tcase_add_loop_test(c, numbers, 0, 16);
	tcase_add_test(c, lines);
	tcase_add_loop_test(c, time_units, 0, 3);
	tcase_add_test(c, unit_that_fits);
	tcase_add_test(c, free_by_another_module);
	tcase_add_loop_test(c, many, 0, 8);
	tcase_add_loop_test(c, damage, 0, 10);
	tcase_add_test(c, no_footer);
	tcase_add_loop_test(c, survives, 0, 4 * DECODED_PARTS);
	suite_add_tcase(s, c);
	return s;
}
