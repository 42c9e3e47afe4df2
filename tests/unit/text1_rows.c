#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "src/decode/text1/text1_format.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/read_text1.h"
#include "tests/lib/unit.h"

/* Rows of Text1, written by hand: the document's example and the decisions of pnav-formats(7). */

static const char mapping[] = "* HANDLE(Functions) %HANDLE%,%NAME%,%VALUE%\n"
			      "00000000,main,\n"
			      "10000003,CPU_Init();,54\n"
			      "10000004,TestStatic1();,59\n"
			      "00000001,\"TestStatic1.c\"#StaticFunc,\n"
			      "10000007,{,6\n";

/* The rows of the document's timeline: main was running before, 133 ns in line 59. */
START_TEST(document_example)
{
	char text[1024];
	int64_t entries;
	struct callstats c;
	struct err e;

	snprintf(text, sizeof text, "%s%s", mapping,
		 "* HANDLE(Data) %HANDLE%,%NAME%,%VALUE%\n20000000,VAR,\n30000000,,1\n"
		 "* STATISTICS(Functions) %HANDLE%,%VALUE%,%COUNT%,%T.NET%\n"
		 "00000000,,0,267\n10000004,59,1,133\n10000003,54,0,0\n"
		 "* TIMELINE %HANDLE%,%EVENT%,%VALUE%,%TIME%\n"
		 "20000000,W,00000001,4336\n00000000,R,,4469\n10000004,E,,4469\n"
		 "10000004,S,,4602\n00000000,S,,4602\n");
	struct profile *p = text1_of_text(text, &e);
	ck_assert(!err_is_set(&e));
	ck_assert_int_eq(text1_self(p, "main", 0, &entries), 133);
	ck_assert_int_eq(entries, 0);
	ck_assert_int_eq(text1_self(p, "main", 59, &entries), 133);
	ck_assert_int_eq(entries, 1);
	ck_assert_uint_eq(p->n_warnings, 1); /* 267 is not 133; the two lines agree */
	ck_assert_ptr_nonnull(strstr(p->warning[0].text, "1 row "));
	text1_calls(p, &c);
	ck_assert_uint_eq(c.n, 1);
	ck_assert_int_eq(c.at[0].calls, 0);
	callstats_release(&c);
	ck_assert_uint_eq(p->n_tracks, 2);
	ck_assert_int_eq(p->track[0].kind, TRACK_STATE);
	ck_assert_uint_eq(p->track[1].events, 4);
	profile_free(p);
}
END_TEST

/* X of a suspended function ends its call and unwinds the frames above it. */
START_TEST(unwinding)
{
	static const char rows[] = "* TIMELINE %TIME% %EVENT% %HANDLE%\n"
				   "0 E 0\n10 S 0\n10 E 1\n15 S 1\n15 E 2\n20 X 1\n"
				   "30 R 0\n40 X 0\n50 X 7\n60 R 9\n70 S 9\n";
	struct callstats c;
	struct err e;
	struct profile *p = text1_of_text(rows, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	text1_calls(p, &c);
	const struct callstats_row *r = text1_row(p, &c, "main", "handle#00000001");
	ck_assert_int_eq(r->calls, 1);
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 5);
	ck_assert_int_eq(r->value[CALL_GROSS][CALL_TOTAL], 10);
	ck_assert_int_eq(r->value[CALL_CALL][CALL_TOTAL], 10);
	r = text1_row(p, &c, "main", "handle#00000002"); /* never left: no complete call */
	ck_assert_int_eq(r->calls, 1);
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 5);
	ck_assert(!(r->has & CALLSTATS_BIT(CALL_CALL, CALL_TOTAL)));
	r = text1_row(p, &c, "main", "handle#00000000");
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 20);
	ck_assert_int_eq(r->value[CALL_GROSS][CALL_TOTAL], 30);
	ck_assert_int_eq(r->value[CALL_CALL][CALL_TOTAL], 40);
	r = text1_row(p, &c, "main", "handle#00000009");
	ck_assert_int_eq(r->calls, 0);
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 10);
	ck_assert_uint_eq(p->n_warnings, 1); /* 7 ends and never ran */
	callstats_release(&c);
	profile_free(p);
}
END_TEST

/* Statistics alone: a flat profile, and the calls as the file has them. */
START_TEST(statistics_alone)
{
	char text[1024];
	int64_t entries;
	struct callstats c;
	struct err e;

	snprintf(text, sizeof text, "%s%s", mapping,
		 "* STATISTICS(Functions) CONTEXT(TSK: a (bg)) "
		 "%HANDLE%,%COUNT%,%T.NET%,%T.GROSS%,%T. OUTSIDE.MIN%,%T.PERIOD.AVG%\n"
		 "00000000,2,100,300,7,9\n10000004,5,60,,,\n00000001,3,40,40,0,0\n");
	struct profile *p = text1_of_text(text, &e);
	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_int_eq(text1_self(p, "main", 0, &entries), 100);
	ck_assert_int_eq(entries, 2);
	ck_assert_int_eq(text1_self(p, "main", 59, &entries), 60);
	text1_calls(p, &c);
	const struct callstats_row *r = text1_row(p, &c, "TSK: a (bg)", "main");
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(r->value[CALL_OUTSIDE][CALL_MIN], 7);
	ck_assert_int_eq(r->value[CALL_PERIOD][CALL_AVG], 9);
	ck_assert(!(r->has & CALLSTATS_BIT(CALL_NET, CALL_MIN)));
	ck_assert_int_eq(r->value[CALL_GROSS][CALL_TOTAL], 300);
	callstats_release(&c);
	profile_free(p);
}
END_TEST

/* Rows of all lengths, split at the first separators before the name and the last ones after
 * it: short rows are read by words, long ones by bytes. */
START_TEST(separators)
{
	struct chance c;
	struct text1_format f;
	const char *why;

	chance_init(&c, 5);
	ck_assert(text1_format_parse(&f, "%HANDLE%,%EVENT%,%NAME%,%TIME%", 30, &why));
	for (int round = 0; round < 20000; round++) {
		struct text_slice row[TEXT1_FIELDS_MAX];
		char at[96];
		size_t len = chance_below(&c, sizeof at), comma[96], n = 0;
		for (size_t i = 0; i < len; i++) {
			at[i] = (char)(chance_below(&c, 6) ? 1 + chance_below(&c, 255) : ',');
			if (at[i] == ',')
				comma[n++] = i;
		}
		ck_assert_int_eq(text1_format_match(&f, at, len, row), n >= 3);
		if (n < 3)
			continue;
		size_t end[] = {comma[0], comma[1], comma[n - 1], len}, from = 0;
		for (int i = 0; i < 4; from = end[i++] + 1)
			if (row[i].at != at + from || row[i].len != end[i] - from)
				ck_abort_msg("round %d: field %d of %.*s", round, i, (int)len, at);
	}
	text1_format_release(&f);
}
END_TEST

/* Numbers of eight digits are read by words: any byte in any place of one. */
START_TEST(numbers_of_eight)
{
	for (int c = 0; c < 256; c++)
		for (int place = 0; place < 8; place++) {
			char hex[] = "12aF90Ee", dec[] = "98765432", *end;
			uint64_t h = 0;
			int64_t d = 0;
			hex[place] = dec[place] = (char)c;
			if ((place && place < 7) || (c != ' ' && c != '\t')) /* trimmed */
				ck_assert_int_eq(text1_hex((struct text_slice){hex, 8}, &h),
						 isxdigit(c) != 0);
			if (isxdigit(c))
				ck_assert_uint_eq(h, strtoul(hex, &end, 16));
			bool minus = !place && c == '-';
			if ((place && place < 7) || (c != ' ' && c != '\t'))
				ck_assert_int_eq(text1_decimal((struct text_slice){dec, 8}, &d),
						 (isdigit(c) || minus));
			if (isdigit(c) || minus)
				ck_assert_int_eq(d, strtol(dec, &end, 10));
		}
}
END_TEST

/* Surplus separators go to the name; typed fields are anchored at both ends. */
START_TEST(formats)
{
	static const struct {
		const char *format, *row;
		bool fits;
		const char *name, *handle;
	} cases[] = {
		{"%HANDLE%,%NAME%,%VALUE%", "00000001,f(a, b), \"x\",,", true,
		 "f(a, b), \"x\",", "00000001"},
		{"%NAME%,%HANDLE%", "a,b,c,1", true, "a,b,c", "1"},
		{"%FILE%;%NAME%;%HANDLE%", "x.c;a;b;2", true, "a;b", "2"},
		{"%EVENT%%HANDLE% %NAME%", "E0000000A rest of it", true, "rest of it",
		 "0000000A"},
		{"<%HANDLE%> '%NAME%'", "<3> 'it's'", true, "it's", "3"},
		{"100%% %NAME%: %HANDLE%", "100%% x: 4", true, "x", "4"},
		{"%HANDLE%,%NAME%,%VALUE%", "00000001", false, "", ""},
		{"(%HANDLE%) %NAME%", "(1 x", false, "", ""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct text_slice row[TEXT1_FIELDS_MAX];
		struct text1_format f;
		const char *why;
		ck_assert(text1_format_parse(&f, cases[i].format, strlen(cases[i].format),
					     &why));
		bool fits =
			text1_format_match(&f, cases[i].row, strlen(cases[i].row), row);
		ck_assert_msg(fits == cases[i].fits, "%s: %s", cases[i].format,
			      cases[i].row);
		if (fits) {
			struct text_slice n = text1_slice_of(&f, row, MACRO_NAME);
			struct text_slice h = text1_slice_of(&f, row, MACRO_HANDLE);
			ck_assert_uint_eq(n.len, strlen(cases[i].name));
			ck_assert(!memcmp(n.at, cases[i].name, n.len));
			ck_assert_uint_eq(h.len, strlen(cases[i].handle));
			ck_assert(!memcmp(h.at, cases[i].handle, h.len));
		}
		text1_format_release(&f);
	}
	struct text1_format f;
	const char *why;
	ck_assert(!text1_format_parse(&f, "%TIME%%COUNT%", 13, &why));
	ck_assert_ptr_nonnull(why);
	text1_format_release(&f);
}
END_TEST

/* Values: hexadecimal in a timeline, floats where the type is F64, or they look so. */
START_TEST(values)
{
	static const char text[] =
		"* HANDLE(AUX) %HANDLE%,%NAME%,%VALUE.TYPE%,%VALUE.UNIT%\n"
		"40000000,VBAT,F64,V\n40000001,KL15,I64,\n"
		"* TIMELINE %HANDLE%,%EVENT%,%VALUE%,%TIME%\n"
		"40000000,W,12.5,-5\n40000001,W,FF,0\n40000002,W,1.25,1\n"
		"50000001,E,3,2\n50000001,X,3,3\n";
	struct event ev;
	struct err e;
	double d;
	struct profile *p = text1_of_text(text, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_uint_eq(p->n_tracks, 3);
	ck_assert(text1_is_name(p, p->track[0].value_unit, "V"));
	ck_assert(series_event(p->track[0].series[0], 0, &ev));
	memcpy(&d, &ev.value, sizeof d);
	ck_assert(p->track[0].series[0]->floating && d == 12.5);
	ck_assert_int_eq(ev.time, -5);
	ck_assert(series_event(p->track[1].series[0], 0, &ev));
	ck_assert_int_eq(ev.value, 255);
	ck_assert_uint_eq(p->track[1].events, 3);
	ck_assert_uint_eq(p->track[1].series[0]->n, 2); /* X is no point */
	ck_assert_int_eq(p->track[1].end, 3);
	ck_assert(text1_is_name(p, p->track[2].name, "handle#40000002"));
	profile_free(p);
}
END_TEST

/* ---- rows as nearly all are, and the same written otherwise ---- */

#define WALK_ROWS 600

/* A timeline of calls by chance whose sums are known: self[f] and calls[f] of 5 functions. */
static void
walk_rows(struct buf *out, struct chance *c, bool usual, bool has_context, int64_t *self,
	  int64_t *calls)
{
	uint32_t stack[40], depth = 0;
	int64_t now = 99999000;

	buf_adds(out, "* HANDLE(F) %HANDLE%,%NAME%\n00000000,f0\n00000001,f1\n00000002,f2\n"
		      "00000003,f3\n00000004,f4\n* TIMELINE %HANDLE%,%EVENT%,%VALUE%,%TIME%");
	buf_adds(out, has_context ? ",%CONTEXT%\n" : "\n");
	for (int i = 0; i < WALK_ROWS; i++) {
		int64_t lasts = chance_below(c, 3) ? chance_below(c, 5000) : 0;
		bool calls_on = !depth || (depth < 40 && chance_below(c, 2));
		uint32_t f[2], n = 0;
		char event[2];
		if (depth)
			self[stack[depth - 1]] += lasts;
		now += lasts;
		if (depth) {
			f[n] = stack[depth - 1];
			event[n++] = calls_on ? 'S' : 'X';
		}
		if (calls_on) {
			stack[depth++] = chance_below(c, 5);
			calls[stack[depth - 1]]++;
		} else {
			depth--;
		}
		if (depth) {
			f[n] = stack[depth - 1];
			event[n++] = calls_on ? 'E' : 'R';
		}
		for (uint32_t k = 0; k < n; k++)
			buf_addf(out, "%s%08X,%c,,%lld%s%s", usual ? "" : "0x", (unsigned)f[k],
				 event[k], (long long)now, has_context ? ",Task: 1" : "",
				 chance_one_in(c, 50) ? "\r\n" : "\n");
	}
}

START_TEST(usual_rows)
{
	int64_t self[5] = {0}, calls[5] = {0}, entries;
	struct buf text = BUF_INIT;
	struct callstats stats;
	struct chance c;
	struct err e;
	char name[] = "f0";

	chance_init(&c, (uint64_t)_i / 4 + 1);
	walk_rows(&text, &c, _i & 1, _i & 2, self, calls);
	struct profile *p = text1_of_bytes(buf_str(&text), text.len, &e);
	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	text1_calls(p, &stats);
	for (unsigned f = 0; f < 5; f++) {
		name[1] = (char)('0' + f);
		ck_assert_int_eq(text1_self(p, name, 0, &entries), self[f]);
		const struct callstats_row *row =
			text1_row(p, &stats, _i & 2 ? "Task: 1" : "main", name);
		ck_assert_int_eq(row ? row->calls : 0, calls[f]);
	}
	callstats_release(&stats);
	profile_free(p);
	buf_release(&text);
}
END_TEST

UNIT(text1_rows)
{
	Suite *s = suite_create("text1_rows");
	TCase *t = tcase_create("text1_rows");

	tcase_add_test(t, document_example);
	tcase_add_test(t, unwinding);
	tcase_add_test(t, statistics_alone);
	tcase_add_test(t, separators);
	tcase_add_test(t, numbers_of_eight);
	tcase_add_test(t, formats);
	tcase_add_test(t, values);
	tcase_add_loop_test(t, usual_rows, 0, 16);
	suite_add_tcase(s, t);
	return s;
}
