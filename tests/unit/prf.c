#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/build/builder.h"
#include "model/fold/tally.h"
#include "model/profile/profile.h"
#include "src/decode/decoder.h"
#include "tests/lib/decoded.h"
#include "tests/lib/unit.h"

/* The reader of profile(1)'s reports: rows in all the ways that they are written, the map
 * beside them, and damage. */

static struct profile *
load(struct input *in, struct err *e)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "X.PRF", "prf");
	struct err check;

	err_init(e);
	ck_assert_ptr_nonnull(in);
	ck_assert_int_eq(decoder_prf.decode(in, b, e), !err_is_set(e));
	builder_finish(b, e);
	builder_free(b);
	input_close(in);
	err_init(&check);
	ck_assert_msg(profile_check(p, &check), "%s", check.text);
	return p;
}

static struct profile *
load_text(const char *text, struct err *e)
{
	return load(input_open_bytes(text, strlen(text), "no/such/folder/X.PRF"), e);
}

/* The function's hits, -1 when it is not in the profile; its function in *out. */
static int64_t
hits(const struct profile *p, const char *name, struct function *out)
{
	const struct slice all = {.metric = profile_default_metric(p), .whole = true};
	struct tally t;
	int64_t found = -1;

	tally_init(&t);
	tally_count(&t, p, &all);
	for (stack_id s = 1; s < t.n; s++) {
		struct function f = profile_function(
			p, p->frames.frame.function[p->stacks.frame[s]]);
		if (t.cell[s].hits && !strcmp(names_get(&p->names, f.name).at, name)) {
			found = t.cell[s].value;
			*out = f;
		}
	}
	tally_release(&t);
	return found;
}

static const char report[] =
	"Function name                    Addr    Total     Disp     User\r\n\r\n"
	"DOS                               400    15.34    15.34     0.00\r\n"
	"operator new(unsigned)          3a710     0.50     0.01     0.01\r\n"
	"_main                           40010    12.00     1.00     1.00\r\n"
	"__chkstk                        40100     0.25     0.25     0.00\r\n"
	"DOS                             41000     1.00     1.00     1.00\r\n"
	"...                               ...      ...      ...      ...\r\n"
	"_tzname                         40200     0/30     0/30     0.30\r\n\r\n"
	"Statistics based on 200 hits\r\n\x1A";

START_TEST(rows)
{
	struct function f;
	struct err e;
	struct profile *p = load_text(report, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_int_eq(hits(p, "operator new(unsigned)", &f), 1);
	ck_assert_int_eq(f.kind, KIND_USER);
	ck_assert_int_eq(hits(p, "_main", &f), 24);
	ck_assert_int_eq(hits(p, "__chkstk", &f), 1); /* 0.5 is rounded up */
	ck_assert_int_eq(f.kind, KIND_INTRINSIC);
	ck_assert_int_eq(hits(p, "_tzname", &f), 1); /* 0.30 of 200 */
	ck_assert_uint_eq(p->n_warnings, 1);
	ck_assert_int_eq(p->track[0].events, 6);
	/* 30.68 hits, half up: 31; a function of that name elsewhere is the user's */
	uint32_t system = 0, user = 0;
	for (function_id i = 0; i < p->frames.n_functions; i++)
		if (!strcmp(names_get(&p->names, p->frames.function.name[i]).at, "DOS")) {
			system += profile_function(p, i).kind == KIND_SYSTEM;
			user += profile_function(p, i).kind == KIND_USER;
		}
	ck_assert_uint_eq(system, 1);
	ck_assert_uint_eq(user, 1);
	profile_free(p);
}
END_TEST

/* The part of N that the rows lack is a row of its own, unless their rounding explains it: 0.005 %
 * of N a row. */
START_TEST(not_listed)
{
	static const struct {
		const char *text;
		int64_t rest; /* -1: no row */
	} cases[] = {
		/* the hits of 3 rows are 49800 of 50000, and may be wrong by 7.5 */
		{"_a 10 50.00 1 1\n_b 20 49.60 1 1\n_c 30 0.00 1 1\n\n"
		 "Statistics based on 50000 hits\n", 200},
		/* 4999 of 5000, and 0.75 */
		{"_a 10 50.00 1 1\n_b 20 49.98 1 1\n_c 30 0.00 1 1\n\n"
		 "Statistics based on 5000 hits\n", 1},
		/* 99990 of 100000, and 10 */
		{"_a 10 50.00 1 1\n_b 20 49.99 1 1\n\nStatistics based on 100000 hits\n", -1},
		{"_a 10 50.00 1 1\n_b 20 49.98 1 1\n\nStatistics based on 100000 hits\n", 20},
		{"_a 10 90.00 1 1\n_b 20 90.00 1 1\n\nStatistics based on 100 hits\n", -1},
		{"Statistics based on 9223372036854775807 hits\n", INT64_MAX},
		{"_a 10 100.00 1 1\n\nStatistics based on 9223372036854775807 hits\n", -1},
		{"_a 10 12.34 1 1\n", -1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[512];
		struct function f = {0};
		struct err e;
		snprintf(text, sizeof text, "Function name Addr Total Disp User\n\n%s",
			 cases[i].text);
		struct profile *p = load_text(text, &e);
		ck_assert_int_eq(hits(p, "[not listed]", &f), cases[i].rest);
		if (cases[i].rest >= 0)
			ck_assert(f.kind == KIND_SYSTEM && !f.line && f.file == NAME_EMPTY);
		profile_free(p);
	}
}
END_TEST

/* N * Total / 100, beyond 64 bits, and without N. */
START_TEST(counts)
{
	struct function f;
	struct err e;
	struct profile *p = load_text("Function name Addr Total Disp User\n\n"
				      "a b 10 50.00 1 1\nc 20 .5 1.00 1.00\n\n"
				      "Statistics based on 4000000000000000000 hits\n",
				      &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_int_eq(hits(p, "a b", &f), 2000000000000000000);
	ck_assert_int_eq(hits(p, "c", &f), 20000000000000000);
	profile_free(p);
	p = load_text("Function name Addr Total Disp User\n\n_a 10 12.34 1 1\n", &e);
	ck_assert_int_eq(e.class, ERR_DAMAGED);
	ck_assert_int_eq(hits(p, "_a", &f), 1234);
	profile_free(p);
}
END_TEST

START_TEST(damage)
{
	static const char *const bad[] = {
		"_b 41 1.0",         "_b zz 1.00 1.00 1.00", "_b 41 1.0x 1.00 1.00",
		"41 1.00 1.00 1.00", "_b 41 1.00 1.00 1.",   "_b 12345678901234567 1.0 1.0 1.0"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[256];
		struct function f;
		struct err e;
		int at = snprintf(text, sizeof text,
				  "Function name Addr Total Disp User\n\n"
				  "_a 10 50.00 1.00 1.00\n");
		snprintf(text + at, sizeof text - (size_t)at,
			 "%s\nStatistics based on 10 hits\n", bad[i]);
		struct profile *p = load_text(text, &e);
		ck_assert_msg(e.class == ERR_DAMAGED && e.offset == (uint64_t)at, "%s",
			      bad[i]);
		ck_assert_int_ge(hits(p, "_a", &f), 0);
		profile_free(p);
	}
}
END_TEST

/* ---- with a map ---- */

static const char map[] =
	" Start  Stop   Length Name  Class\n 00000H 00533H 00534H _TEXT  CODE\n\n"
	"  Address         Publics by Value\n\n"
	" 0000:0010       _main\n 0010:0000       __chkstk\n"
	" 0000:0210       _tzname\n 0000:0333       _unhit\n"
	" 0000:0000  Imp  FAR   (X.1)\n\n"
	"Line numbers for a.obj(A.C) segment _TEXT\n\n    7 0000:0010\n";

static struct profile *
load_pair(const char *report_text, const char *map_text, const char *map_name, bool zero,
	  const char *option, struct err *e)
{
	char folder[] = "/tmp/pnav-prf-XXXXXX", path[128], beside[128];
	struct option_given given[2];
	struct format_options options = {.given = {.at = given}};
	struct profile *p;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/X.PRF", folder);
	snprintf(beside, sizeof beside, "%s/%s", folder, map_name);
	if (zero)
		given[options.given.n++] = (struct option_given){"zero", NULL};
	if (option)
		given[options.given.n++] =
			(struct option_given){"map", strcmp(option, "") ? option : beside};
	f = fopen(path, "wb");
	fwrite(report_text, 1, strlen(report_text), f);
	fclose(f);
	f = fopen(beside, "wb");
	fwrite(map_text, 1, strlen(map_text), f);
	fclose(f);
	p = load(input_open_with(path, &options, e), e);
	unlink(path);
	unlink(beside);
	rmdir(folder);
	return p;
}

static struct profile *
load_with_map(const char *map_name, bool zero, const char *option, struct err *e)
{
	return load_pair(report, map, map_name, zero, option, e);
}

/* Static functions of two files may share a name: either place will do. */
START_TEST(map_with_statics)
{
	static const char listed[] =
		"Function name Addr Total Disp User\n\n_a 40010 50.00 50.00 50.00\n"
		"_b 40020 25.00 25.00 25.00\n_s 40030 25.00 25.00 25.00\n\n"
		"Statistics based on 4 hits\n";
	static const char publics[] =
		" Start  Stop   Length Name  Class\n 00000H 0004FH 00050H _TEXT  CODE\n\n"
		"  Address         Publics by Value\n\n 0000:0010       _a\n"
		" 0000:0020       _b\n 0000:0030       _s\n 0000:0040       _s\n";
	struct err e;
	struct profile *p = load_pair(listed, publics, "X.MAP", false, NULL, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_uint_eq(p->n_warnings, 0);
	profile_free(p);
}
END_TEST

START_TEST(map_beside)
{
	struct function f;
	struct err e;
	struct profile *p = load_with_map("x.map", false, NULL, &e);

	ck_assert_msg(!err_is_set(&e), "%s", e.text);
	ck_assert_pstr_eq(profile_says(p, "load base"), "0x40000");
	ck_assert_int_eq(hits(p, "_unhit", &f), -1);
	/* _tzname lies 16 bytes off: the map is out of date; and the `0/30` */
	ck_assert_uint_eq(p->n_warnings, 2);
	ck_assert_int_eq(hits(p, "_main", &f), 24);
	ck_assert_uint_eq(f.line, 7);
	ck_assert_str_eq(names_get(&p->names, f.file).at, "A.C");
	profile_free(p);
	p = load_with_map("X.MAP", true, NULL, &e);
	ck_assert_int_eq(hits(p, "_unhit", &f), 0);
	ck_assert_int_eq(hits(p, "FAR", &f), -1);
	profile_free(p);
}
END_TEST

START_TEST(map_by_option)
{
	struct function f;
	struct err e;
	struct profile *p = load_with_map("other.txt", false, "", &e);

	ck_assert_int_eq(hits(p, "_main", &f), 24);
	ck_assert_uint_eq(f.line, 7);
	ck_assert_str_eq(names_get(&p->names, f.file).at, "A.C");
	profile_free(p);
	p = load_with_map("other.txt", false, "/no/such/file", &e);
	ck_assert_int_eq(e.class, ERR_REFUSED);
	profile_free(p);
}
END_TEST

/* A map alone is no profile, and says so. */
START_TEST(map_alone)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "X.MAP", "map");
	struct input *in = input_open_bytes(map, sizeof map - 1, "X.MAP");
	struct err e;

	err_init(&e);
	ck_assert(!decoder_map.decode(in, b, &e));
	ck_assert_int_eq(e.class, ERR_REFUSED);
	ck_assert_ptr_nonnull(strstr(e.text, "--map"));
	builder_free(b);
	input_close(in);
	profile_free(p);
}
END_TEST

START_TEST(damaged_files)
{
	uint64_t x = 88172645463325252u;
	char bytes[sizeof report];

	for (int i = 0; i < 10000; i++) {
		struct err e;
		memcpy(bytes, report, sizeof report);
		for (int k = i % 6; k >= 0; k--) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			bytes[x % (sizeof report - 1)] =
				x >> 40 & 1 ? (char)(x >> 48) : "0./ \n.9"[(x >> 48) % 7];
		}
		size_t len = i < (int)sizeof report ? (size_t)i : sizeof report - 1;
		struct profile *p =
			load(input_open_bytes(i < (int)sizeof report ? report : bytes,
					      len, "a/X.PRF"),
			     &e);
		ck_assert(!e.has_offset || e.offset <= len);
		profile_free(p);
	}
}
END_TEST

UNIT(prf)
{
	Suite *s = suite_create("prf");
	TCase *t = tcase_create("prf");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, rows);
	tcase_add_test(t, not_listed);
	tcase_add_test(t, counts);
	tcase_add_test(t, damage);
	tcase_add_test(t, map_with_statics);
	tcase_add_test(t, map_beside);
	tcase_add_test(t, map_by_option);
	tcase_add_test(t, map_alone);
	tcase_add_test(t, damaged_files);
	suite_add_tcase(s, t);
	return s;
}
