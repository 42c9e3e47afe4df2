#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/builder.h"
#include "model/callstats.h"
#include "model/profile.h"
#include "model/tally.h"
#include "src/decode/decoder.h"
#include "src/decode/text1/text1_format.h"
#include "tests/lib/encode_text1.h"
#include "tests/lib/random_profile.h"

/* The Text1 decoder against runs whose numbers are known (tests/lib/encode_text1.c),
 * against the rows of the document's examples, and against damage. */

/* ---- loading ---- */

static struct profile *
load(struct input *in, struct err *e)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "x.txt", "text1");
	struct err check;
	bool good;

	err_init(e);
	ck_assert_ptr_nonnull(in);
	good = decoder_text1.decode(in, b, e);
	ck_assert_int_eq(good, !err_is_set(e));
	builder_finish(b, e);
	builder_free(b);
	input_close(in);
	err_init(&check);
	ck_assert_msg(profile_check(p, &check), "%s", check.text);
	return p;
}

static struct profile *
load_bytes(const void *at, size_t len, struct err *e)
{
	return load(input_open_bytes(at, len, "no/such/folder/x.txt"), e);
}

static struct profile *
load_text(const char *text, struct err *e)
{
	return load_bytes(text, strlen(text), e);
}

/* Loads bytes as a file called `name` in a folder of its own, with a second file beside
 * it when `bin` is given. */
static struct profile *
load_file(const char *name, const struct buf *text, const char *bin_name,
	  const struct buf *bin, const char *version, struct err *e)
{
	struct option_given given = {"bin-version", version};
	const struct format_options options = {.given = {&given, version != NULL, 0}};
	char folder[] = "/tmp/pnav-text1-XXXXXX", path[128], beside[128];
	struct profile *p;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(beside, sizeof beside, "%s/%s", folder, bin_name ? bin_name : "none");
	f = fopen(path, "w");
	fwrite(buf_str(text), 1, text->len, f);
	fclose(f);
	if (bin) {
		f = fopen(beside, "w");
		fwrite(buf_str(bin), 1, bin->len, f);
		fclose(f);
	}
	p = load(input_open_with(path, &options, e), e);
	unlink(path);
	unlink(beside);
	rmdir(folder);
	return p;
}

/* ---- looking ---- */

static bool
is_name(const struct profile *p, name_id id, const char *text)
{
	struct name n = names_get(&p->names, id);

	return n.len == strlen(text) && !memcmp(n.at, text, n.len);
}

static const struct callstats_row *
row_of(const struct profile *p, const struct callstats *c, const char *track,
       const char *function)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (is_name(p, p->track[c->at[i].track].name, track) &&
		    is_name(p, p->frames.function[c->at[i].function].name, function))
			return &c->at[i];
	return NULL;
}

static void
compute(const struct profile *p, struct callstats *out)
{
	const struct slice all = {.whole = true};

	*out = (struct callstats){0};
	callstats_compute(p, &all, out);
}

/* Self time of a function, at one line or (0) at any. */
static int64_t
self_of(const struct profile *p, const char *function, uint32_t line, int64_t *entries)
{
	const struct slice all = {.metric = profile_default_metric(p), .whole = true};
	struct tally t;
	int64_t sum = 0;

	tally_init(&t);
	tally_count(&t, p, &all);
	*entries = 0;
	for (stack_id s = 1; s < t.n; s++) {
		const struct frame *f = profile_frame(p, p->stacks.frame[s]);
		if (!is_name(p, p->frames.function[f->function].name, function) ||
		    (line && f->line.number != line))
			continue;
		sum += t.value[s];
		*entries +=
			line ? (t.lines ? t.lines[s] : 0) : (t.calls ? t.calls[s] : 0);
	}
	tally_release(&t);
	return sum;
}

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

	compute(p, &c);
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
			row = row_of(p, &c, track, name);
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
		ck_assert_int_eq(self_of(p, name, 0, &entries), net);
		for (unsigned l = 0; f % 2 == 0 && l < RUN_LINES; l++) {
			ck_assert_int_eq(self_of(p, name, 10 * (f + 1) + l, &entries),
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
		struct profile *p = load_bytes(buf_str(&text), text.len, &e);
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
	struct profile *p = load_file("x.txt", &text, names[_i % 4], &bin, NULL, &e);
	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	check_run(p, &r, version == 10 ? BY_MAIN : BY_CORE);
	profile_free(p);
	buf_release(&text);
	buf_release(&bin);
	run_release(&r);
}
END_TEST

/* Two halves of the time have together what the whole has. */
START_TEST(ranges_add_up)
{
	struct buf text = BUF_INIT;
	struct callstats all;
	struct run r;
	struct err e;

	run_make(&r, 77, 3, 500);
	run_text(&r, 0, true, &text);
	struct profile *p = load_bytes(buf_str(&text), text.len, &e);
	compute(p, &all);
	for (int64_t middle = 0; middle < r.now + 1000;
	     middle += (r.now + 1000) / 37 + 1) {
		const struct slice first = {.from = 0, .to = middle};
		const struct slice second = {.from = middle, .to = INT64_MAX};
		struct callstats a = {0}, b = {0};
		callstats_compute(p, &first, &a);
		callstats_compute(p, &second, &b);
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
			/* a caller that stands still at `middle` is not known */
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

/* ---- the document's example and what pnav-formats(7) decides ---- */

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
	struct profile *p = load_text(text, &e);
	ck_assert(!err_is_set(&e));
	ck_assert_int_eq(self_of(p, "main", 0, &entries), 133);
	ck_assert_int_eq(entries, 0);
	ck_assert_int_eq(self_of(p, "main", 59, &entries), 133);
	ck_assert_int_eq(entries, 1);
	ck_assert_uint_eq(p->n_warnings, 1); /* 267 is not 133; the two lines agree */
	ck_assert_ptr_nonnull(strstr(p->warning[0].text, "1 rows"));
	compute(p, &c);
	ck_assert_uint_eq(c.n, 1);
	ck_assert_int_eq(c.at[0].calls, 0);
	callstats_release(&c);
	ck_assert_uint_eq(p->n_tracks, 2);
	ck_assert_int_eq(p->track[0].kind, TRACK_STATE);
	ck_assert_uint_eq(p->track[1].events, 4);
	profile_free(p);
}
END_TEST

/* X of a function that stands still closes its call; what lies above is unwound. */
START_TEST(unwinding)
{
	static const char rows[] = "* TIMELINE %TIME% %EVENT% %HANDLE%\n"
				   "0 E 0\n10 S 0\n10 E 1\n15 S 1\n15 E 2\n20 X 1\n"
				   "30 R 0\n40 X 0\n50 X 7\n60 R 9\n70 S 9\n";
	struct callstats c;
	struct err e;
	struct profile *p = load_text(rows, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	compute(p, &c);
	const struct callstats_row *r = row_of(p, &c, "main", "handle#00000001");
	ck_assert_int_eq(r->calls, 1);
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 5);
	ck_assert_int_eq(r->value[CALL_GROSS][CALL_TOTAL], 10);
	ck_assert_int_eq(r->value[CALL_CALL][CALL_TOTAL], 10);
	r = row_of(p, &c, "main", "handle#00000002"); /* never left: no complete call */
	ck_assert_int_eq(r->calls, 1);
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 5);
	ck_assert(!(r->has & CALLSTATS_BIT(CALL_CALL, CALL_TOTAL)));
	r = row_of(p, &c, "main", "handle#00000000");
	ck_assert_int_eq(r->value[CALL_NET][CALL_TOTAL], 20);
	ck_assert_int_eq(r->value[CALL_GROSS][CALL_TOTAL], 30);
	ck_assert_int_eq(r->value[CALL_CALL][CALL_TOTAL], 40);
	r = row_of(p, &c, "main", "handle#00000009");
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
	struct profile *p = load_text(text, &e);
	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_int_eq(self_of(p, "main", 0, &entries), 100);
	ck_assert_int_eq(entries, 2);
	ck_assert_int_eq(self_of(p, "main", 59, &entries), 60);
	compute(p, &c);
	const struct callstats_row *r = row_of(p, &c, "TSK: a (bg)", "main");
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(r->value[CALL_OUTSIDE][CALL_MIN], 7);
	ck_assert_int_eq(r->value[CALL_PERIOD][CALL_AVG], 9);
	ck_assert(!(r->has & CALLSTATS_BIT(CALL_NET, CALL_MIN)));
	ck_assert_int_eq(r->value[CALL_GROSS][CALL_TOTAL], 300);
	callstats_release(&c);
	profile_free(p);
}
END_TEST

/* Rows of all lengths, split at the first separators before the name and the last behind it:
 * short ones are read by words, long ones by bytes. */
START_TEST(separators)
{
	struct chance c;
	struct text1_format f;
	const char *why;

	chance_init(&c, 5);
	ck_assert(text1_format_parse(&f, "%HANDLE%,%EVENT%,%NAME%,%TIME%", 30, &why));
	for (int round = 0; round < 20000; round++) {
		struct text1_slice row[TEXT1_FIELDS_MAX];
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
				ck_assert_int_eq(text1_hex((struct text1_slice){hex, 8}, &h),
						 isxdigit(c) != 0);
			if (isxdigit(c))
				ck_assert_uint_eq(h, strtoul(hex, &end, 16));
			bool minus = !place && c == '-';
			if ((place && place < 7) || (c != ' ' && c != '\t'))
				ck_assert_int_eq(text1_decimal((struct text1_slice){dec, 8}, &d),
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
		struct text1_slice row[TEXT1_FIELDS_MAX];
		struct text1_format f;
		const char *why;
		ck_assert(text1_format_parse(&f, cases[i].format, strlen(cases[i].format),
					     &why));
		bool fits =
			text1_format_match(&f, cases[i].row, strlen(cases[i].row), row);
		ck_assert_msg(fits == cases[i].fits, "%s: %s", cases[i].format,
			      cases[i].row);
		if (fits) {
			struct text1_slice n = text1_slice_of(&f, row, MACRO_NAME);
			struct text1_slice h = text1_slice_of(&f, row, MACRO_HANDLE);
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
	struct profile *p = load_text(text, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_uint_eq(p->n_tracks, 3);
	ck_assert(is_name(p, p->track[0].value_unit, "V"));
	ck_assert(series_event(p->track[0].series[0], 0, &ev));
	memcpy(&d, &ev.value, sizeof d);
	ck_assert(p->track[0].series[0]->floating && d == 12.5);
	ck_assert_int_eq(ev.time, -5);
	ck_assert(series_event(p->track[1].series[0], 0, &ev));
	ck_assert_int_eq(ev.value, 255);
	ck_assert_uint_eq(p->track[1].events, 3);
	ck_assert_uint_eq(p->track[1].series[0]->n, 2); /* X is no point */
	ck_assert_int_eq(p->track[1].end, 3);
	ck_assert(is_name(p, p->track[2].name, "handle#40000002"));
	profile_free(p);
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
		struct profile *p = load_text(cases[i].rows, &e);
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
	p = load_bytes(buf_str(&bin), bin.len, &e);
	ck_assert(!err_is_set(&e));
	ck_assert(is_name(p, p->track[0].name, "main"));
	uint32_t before = p->n_warnings; /* lines, whose functions are told by the text */
	profile_free(p);
	buf_addf(&bin, "1234567"); /* a rest is dropped, with a warning */
	p = load_bytes(buf_str(&bin), bin.len, &e);
	ck_assert(!err_is_set(&e));
	ck_assert_uint_eq(p->n_warnings, before + 1);
	profile_free(p);
	bin.at[24 + 4] = 3; /* flags of both */
	p = load_bytes(buf_str(&bin), bin.len, &e);
	ck_assert_int_eq(e.class, ERR_REFUSED);
	ck_assert_ptr_nonnull(strstr(e.text, "--bin-version"));
	profile_free(p);
	p = load_file("a.BIN", &bin, NULL, NULL, "1.0", &e);
	ck_assert(!err_is_set(&e));
	profile_free(p);
	p = load_file("a.BIN", &bin, NULL, NULL, "2", &e);
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
	struct profile *p = load_bytes(at, len, &e);

	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
		struct callstats c = {0};
		callstats_compute(p, &slices[i], &c);
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
	for (int i = 0; i < 10000; i++) {
		memcpy(bytes, buf_str(whole), whole->len);
		for (int k = i % 5; k >= 0; k--) {
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

int
main(void)
{
	Suite *s = suite_create("text1");
	TCase *t = tcase_create("text1");
	SRunner *sr;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, runs_as_text, 0, 12);
	tcase_add_loop_test(t, runs_as_binary_beside_the_text, 0, 8);
	tcase_add_test(t, ranges_add_up);
	tcase_add_test(t, document_example);
	tcase_add_test(t, unwinding);
	tcase_add_test(t, statistics_alone);
	tcase_add_test(t, formats);
	tcase_add_test(t, values);
	tcase_add_test(t, separators);
	tcase_add_test(t, numbers_of_eight);
	tcase_add_test(t, damage_has_the_offset_of_its_row);
	tcase_add_test(t, versions_of_the_binary_timeline);
	tcase_add_loop_test(t, damaged_files, 0, RUN_STYLES + 2);
	suite_add_tcase(s, t);
	sr = srunner_create(s);
	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
