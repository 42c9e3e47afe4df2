#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/calls/callstats.h"
#include "model/fold/tally.h"
#include "model/profile/profile.h"
#include "src/decode/decoder.h"
#include "tests/lib/encode_text1.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/read_text1.h"
#include "tests/lib/unit.h"

/* The Text1 decoder against runs whose numbers are known (tests/lib/encode_text1.c),
 * and against damage; text1_rows.c has the document's own rows. */

static void
check_numbers(const struct callstats_row *row, enum call_time time,
	      const struct run_numbers *want, const char *what)
{
	if (!want->n) {
		ck_assert_msg(!(row->has & CALLSTATS_BIT(time, CALL_MIN)), "%s", what);
		return;
	}
	ck_assert_msg(row->has & CALLSTATS_BIT(time, CALL_MIN), "%s", what);
	ck_assert_int_eq(row->value[time][CALL_MIN], want->min);
	ck_assert_int_eq(row->value[time][CALL_MAX], want->max);
	ck_assert_int_eq(row->value[time][CALL_AVG], want->total / want->n);
	if (time == CALL_CALL || time == CALL_OUTSIDE)
		ck_assert_int_eq(row->value[time][CALL_TOTAL], want->total);
}

/* `tracks`: how the context's track is called: by name, by core, or main. */
enum tracks { BY_NAME, BY_CORE, BY_MAIN };

static void
check_run(const struct profile *p, const struct run *r, enum tracks tracks)
{
	struct callstats c;

	text1_calls(p, &c);
	for (unsigned k = 0; k < r->contexts; k++) {
		for (unsigned f = 0; f < RUN_FUNCTIONS; f++) {
			const struct run_function *want = &r->of[k][f];
			const struct callstats_row *row;
			char track[32] = "main", name[16];
			run_function_name(f, name);
			if (tracks == BY_NAME)
				run_context_name(k, track);
			else if (tracks == BY_CORE)
				snprintf(track, sizeof track, "core %u", k);
			row = text1_row(p, &c, track, name);
			ck_assert_msg(!row == !want->entries, "%s on %s", name, track);
			if (!row)
				continue;
			ck_assert_int_eq(row->calls, want->entries);
			ck_assert_int_eq(row->value[CALL_NET][CALL_TOTAL], want->net);
			ck_assert_int_eq(row->value[CALL_GROSS][CALL_TOTAL], want->gross);
			check_numbers(row, CALL_NET, &want->nets, name);
			check_numbers(row, CALL_GROSS, &want->grosses, name);
			check_numbers(row, CALL_CALL, &want->calls, name);
			check_numbers(row, CALL_PERIOD, &want->periods, name);
			check_numbers(row, CALL_OUTSIDE, &want->outsides, name);
		}
	}
	callstats_release(&c);
	for (unsigned f = 0; f < RUN_FUNCTIONS; f++) {
		char name[16];
		int64_t entries, net = 0;
		run_function_name(f, name);
		for (unsigned k = 0; k < r->contexts; k++)
			net += r->of[k][f].net;
		ck_assert_int_eq(text1_self(p, name, 0, &entries), net);
		for (unsigned l = 0; f % 2 == 0 && l < RUN_LINES; l++) {
			ck_assert_int_eq(text1_self(p, name, 10 * (f + 1) + l, &entries),
					 r->line_net[f][l]);
			ck_assert_int_eq(entries, r->line_entries[f][l]);
		}
	}
}

/* ---- runs ---- */

START_TEST(runs_as_text)
{
	for (unsigned style = 0; style < RUN_STYLES; style++) {
		struct buf text = BUF_INIT;
		struct run r;
		struct err e;
		run_make(&r, (uint64_t)_i + 1, 1 + (unsigned)_i % RUN_CONTEXTS,
			 40 * (_i + 1));
		run_text(&r, style, true, &text);
		struct profile *p = text1_of_bytes(buf_str(&text), text.len, &e);
		ck_assert_msg(!err_is_set(&e), "style %u: %s", style, e.text);
		ck_assert_uint_eq(p->n_warnings, 0);
		check_run(p, &r, BY_NAME);
		profile_free(p);
		buf_release(&text);
		run_release(&r);
	}
}
END_TEST

START_TEST(runs_as_binary_beside_the_text)
{
	static const char *const names[] = {"x.txt.BIN", "x.TXT.bin", "x.bin", "X.Bin"};
	int version = _i % 2 ? 10 : 11;
	struct buf text = BUF_INIT, bin = BUF_INIT;
	struct run r;
	struct err e;

	run_make(&r, (uint64_t)_i + 100, version == 10 ? 1 : RUN_CONTEXTS, 300);
	run_text(&r, 0, false, &text);
	run_bin(&r, version, &bin);
	struct profile *p = text1_of_file("x.txt", &text, names[_i % 4], &bin, NULL, &e);
	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	check_run(p, &r, version == 10 ? BY_MAIN : BY_CORE);
	profile_free(p);
	buf_release(&text);
	buf_release(&bin);
	run_release(&r);
}
END_TEST

/* The sums of two halves of the time equal the sum of the whole. */
START_TEST(ranges_add_up)
{
	struct buf text = BUF_INIT;
	struct callstats all;
	struct run r;
	struct err e;

	run_make(&r, 77, 3, 500);
	run_text(&r, 0, true, &text);
	struct profile *p = text1_of_bytes(buf_str(&text), text.len, &e);
	text1_calls(p, &all);
	for (int64_t middle = 0; middle < r.now + 1000;
	     middle += (r.now + 1000) / 37 + 1) {
		const struct slice first = {.from = 0, .to = middle};
		const struct slice second = {.from = middle, .to = INT64_MAX};
		struct callstats a = {0}, b = {0};
		callstats_compute(p, &first, &a, NULL);
		callstats_compute(p, &second, &b, NULL);
		for (uint32_t i = 0; i < all.n; i++) {
			int64_t calls = 0, net = 0, gross = 0;
			for (uint32_t k = 0; k < a.n + b.n; k++) {
				const struct callstats_row *x =
					k < a.n ? &a.at[k] : &b.at[k - a.n];
				if (x->track != all.at[i].track ||
				    x->function != all.at[i].function)
					continue;
				calls += x->calls;
				net += x->value[CALL_NET][CALL_TOTAL];
				gross += x->value[CALL_GROSS][CALL_TOTAL];
			}
			ck_assert_int_eq(calls, all.at[i].calls);
			ck_assert_int_eq(net, all.at[i].value[CALL_NET][CALL_TOTAL]);
			/* a caller that is suspended at `middle` is not known */
			ck_assert_int_le(gross, all.at[i].value[CALL_GROSS][CALL_TOTAL]);
		}
		callstats_release(&a);
		callstats_release(&b);
	}
	callstats_release(&all);
	profile_free(p);
	buf_release(&text);
	run_release(&r);
}
END_TEST

/* ---- damage ---- */

START_TEST(damage_has_the_offset_of_its_row)
{
	static const struct {
		const char *rows;
		const char *bad; /* where the damage is; NULL: none */
	} cases[] = {
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,1\n0,Q,2\n", "0,Q"},
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,1\n0,X,99999999999999999999\n",
		 "0,X"},
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,10\n0,X,9\n", "0,X"},
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,10\n70000000,X,11\n", "7000"},
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,10\n0,X,1", "0,X"},
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,10\n0,X,11", NULL},
		{"* TIMELINE %HANDLE%,%EVENT%,%TIME%\n0,E,10\n0,X", "0,X"},
		{"* TIMELINE %HANDLE%,%TIME%,%EVENT%,%CONTEXT%\n0,10,E,a b\n0,12,X,a",
		 "0,12"},
		{"* TIMELINE %HANDLE%,%TIME%,%EVENT%,%CONTEXT%\n0,10,E,a b\n0,12,X,a b",
		 NULL},
		{"* TIMELINE %HANDLE%,%TIME%\n0,10\n", "* TIME"},
		{"* HANDLE(Functions) %HANDLE%,%NAME%\n0,f\nx\n", "x\n"},
		{"* STATISTICS(Functions) %HANDLE%,%COUNT%\n0,1\n0,-1\n", "0,-1"},
		{"* STATISTICS(Functions) %HANDLE%,%T.NET%\n0,9223372036854775807\n"
		 "00,9223372036854775807\n",
		 "00,9"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e;
		struct profile *p = text1_of_text(cases[i].rows, &e);
		if (!cases[i].bad) {
			ck_assert_msg(!err_is_set(&e), "%s: %s", cases[i].rows, e.text);
		} else {
			size_t at = (size_t)(strstr(cases[i].rows, cases[i].bad) -
					     cases[i].rows);
			ck_assert_msg(e.class == ERR_DAMAGED, "%s", cases[i].rows);
			ck_assert_msg(e.offset == at, "%s: %llu: %s", cases[i].rows,
				      (unsigned long long)e.offset, e.text);
		}
		profile_free(p);
	}
}
END_TEST

/* Nothing in a binary timeline says which of its layouts it has. */
START_TEST(versions_of_the_binary_timeline)
{
	struct buf bin = BUF_INIT;
	struct run r;
	struct err e;
	struct profile *p;

	run_make(&r, 5, 1, 20);
	run_bin(&r, 10, &bin);
	p = text1_of_bytes(buf_str(&bin), bin.len, &e);
	ck_assert(!err_is_set(&e));
	ck_assert(text1_is_name(p, p->track[0].name, "main"));
	uint32_t before = p->n_warnings; /* lines, whose functions the text names */
	profile_free(p);
	buf_addf(&bin, "1234567"); /* a rest is dropped, with a warning */
	p = text1_of_bytes(buf_str(&bin), bin.len, &e);
	ck_assert(!err_is_set(&e));
	ck_assert_uint_eq(p->n_warnings, before + 1);
	profile_free(p);
	bin.at[24 + 4] = 3; /* flags of both */
	p = text1_of_bytes(buf_str(&bin), bin.len, &e);
	ck_assert_int_eq(e.class, ERR_REFUSED);
	ck_assert_ptr_nonnull(strstr(e.text, "--bin-version"));
	profile_free(p);
	p = text1_of_file("a.BIN", &bin, NULL, NULL, "1.0", &e);
	ck_assert(!err_is_set(&e));
	profile_free(p);
	p = text1_of_file("a.BIN", &bin, NULL, NULL, "2", &e);
	ck_assert_int_eq(e.class, ERR_USAGE);
	profile_free(p);
	buf_release(&bin);
	run_release(&r);
}
END_TEST

/* Whatever the bytes are: a whole profile, and statistics of calls for any range. */
static void
load_damaged(const char *at, size_t len)
{
	static const struct slice slices[] = {
		{.whole = true}, {.from = 0, .to = 500}, {.from = 100, .to = INT64_MAX}};
	struct err e;
	struct profile *p = text1_of_bytes(at, len, &e);

	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
		struct callstats c = {0};
		callstats_compute(p, &slices[i], &c, NULL);
		callstats_release(&c);
	}
	ck_assert(!e.has_offset || e.offset <= len);
	profile_free(p);
}

static void
damage(const struct buf *whole, uint64_t seed)
{
	uint64_t x = seed * 0x9E3779B97F4A7C15u + 1;
	char *bytes = malloc(whole->len + 1);

	for (size_t len = 0; len <= whole->len; len++)
		load_damaged(buf_str(whole), len);
	for (unsigned i = 0; i < unit_rounds(10000); i++) {
		memcpy(bytes, buf_str(whole), whole->len);
		for (unsigned k = i % 5 + 1; k; k--) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			bytes[x % whole->len] =
				x >> 40 & 1 ? (char)(x >> 48) : "0FESRX,\n"[x >> 48 & 7];
		}
		load_damaged(bytes, whole->len);
	}
	free(bytes);
}

START_TEST(damaged_files)
{
	struct buf file = BUF_INIT;
	struct run r;

	run_make(&r, 9, 2, 8);
	if (_i < RUN_STYLES)
		run_text(&r, (unsigned)_i, true, &file);
	else
		run_bin(&r, _i == RUN_STYLES ? 10 : 11, &file);
	damage(&file, (uint64_t)_i);
	buf_release(&file);
	run_release(&r);
}
END_TEST

UNIT(text1)
{
	Suite *s = suite_create("text1");
	TCase *t = tcase_create("text1");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, runs_as_text, 0, 12);
	tcase_add_loop_test(t, runs_as_binary_beside_the_text, 0, 8);
	tcase_add_test(t, ranges_add_up);
	tcase_add_test(t, damage_has_the_offset_of_its_row);
	tcase_add_test(t, versions_of_the_binary_timeline);
	tcase_add_loop_test(t, damaged_files, 0, RUN_STYLES + 2);
	suite_add_tcase(s, t);
	return s;
}
