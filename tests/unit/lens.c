#include "model/lens/lens.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/lens/words.h"
#include "model/profile/profile.h"
#include "src/options.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* A lens is a value: written as a filter specification or as options of a command line, and read
 * again, it is the same lens. Messages about errors of users contain the position. */

/* ---- moments ---- */

START_TEST(test_moments)
{
	static const struct {
		const char *text;
		enum moment_kind kind;
		int64_t value;
	} moments[] = {
		{"0", MOMENT_ORDINAL, 0},
		{"12", MOMENT_ORDINAL, 12},
		{"7ns", MOMENT_NS, 7},
		{"7us", MOMENT_NS, 7000},
		{"7µs", MOMENT_NS, 7000},
		{"1.5ms", MOMENT_NS, 1500000},
		{"1.5 ms", MOMENT_NS, 1500000},
		{"2.000000001s", MOMENT_NS, 2000000001},
		{"2.0000000019s", MOMENT_NS, 2000000001}, /* rounded down */
		{".5s", MOMENT_NS, 500000000},
		{"5.s", MOMENT_NS, 5000000000},
		{"2min", MOMENT_NS, 120000000000},
		{"0.0000000000000000000000000000001min", MOMENT_NS, 0},
		{"12.5%", MOMENT_PERCENT, 125000000},
		{"100%", MOMENT_PERCENT, 1000000000},
		{"33.3333333%", MOMENT_PERCENT, 333333333},
		{"9223372036854775807ns", MOMENT_NS, INT64_MAX},
		{"9223372036854775807", MOMENT_ORDINAL, INT64_MAX},
		{"9223372036.854775807s", MOMENT_NS, INT64_MAX},
		{"-5s", MOMENT_NS, 5000000000},
		{"-12.5%", MOMENT_PERCENT, 125000000},
		{"-7", MOMENT_ORDINAL, 7},
	};
	static const char *const nonsense[] = {
		"",
		" ",
		"s",
		".",
		".s",
		"-",
		"--5s",
		"+5s",
		"1e3s",
		"5h",
		"5 sec",
		"0x10",
		"1,5s",
		"5ss",
		"5%%",
		"NaN",
		"inf",
		"9223372036854775808",
		"9223372036854775808ns",
		"9223372036.854775808s",
		"99999999999999999999999999999999999999999s",
		"153722868min",
		"five",
		"5s ",
		"1.2.3s",
	};

	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
		struct moment m;
		struct err e;
		err_init(&e);
		ck_assert_msg(moment_parse(moments[i].text, &m, &e), "%s", e.text);
		ck_assert_msg(m.kind == moments[i].kind && m.value == moments[i].value &&
				      m.back == (*moments[i].text == '-'),
			      "%s", moments[i].text);
	}
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
		struct moment m;
		struct err e;
		err_init(&e);
		ck_assert_msg(!moment_parse(nonsense[i], &m, &e), "%s", nonsense[i]);
		ck_assert_int_eq(e.class, ERR_USAGE);
	}
}
END_TEST

/* A profile of events at 1000, 1500 and 3000. */
static struct profile *
short_profile(enum unit axis)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "short", "test");
	struct err e;

	err_init(&e);
	builder_axis(b, axis);
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	struct series *s =
		builder_samples(b, builder_track(b, "main", 4, TRACK_THREAD), &m, 1);
	builder_track(b, "Worker 1", 8, TRACK_THREAD);
	for (int i = 0; i < 3; i++)
		ck_assert(builder_sample(b, s, (int64_t[]){1000, 1500, 3000}[i],
					 STACK_EMPTY, (int64_t[]){1}, 0, &e));
	builder_finish(b, &e);
	builder_free(b);
	return p;
}

static bool
range_of(const struct profile *p, const char *from, const char *to, int64_t *a,
	 int64_t *b)
{
	struct lens l;
	struct err e;
	bool whole, good;

	err_init(&e);
	lens_init(&l);
	ck_assert(!from || moment_parse(from, &l.from, &e));
	ck_assert(!to || moment_parse(to, &l.to, &e));
	good = lens_range(&l, p, a, b, &whole, &e);
	ck_assert(!good || whole == (!from && !to));
	ck_assert(good || e.class == ERR_USAGE);
	lens_release(&l);
	return good;
}

START_TEST(test_range)
{
	struct profile *clock = short_profile(UNIT_NS),
		       *ordinal = short_profile(UNIT_SAMPLES);
	struct profile *timeless = profile_new();
	int64_t a, b;

	ck_assert(range_of(clock, NULL, NULL, &a, &b));
	ck_assert(range_of(timeless, NULL, NULL, &a, &b));
	ck_assert(range_of(clock, "500ns", NULL, &a, &b));
	ck_assert(a == 500 && b == INT64_MAX);
	ck_assert(range_of(clock, "25%", "50%", &a, &b));
	ck_assert(a == 500 && b == 1000);
	/* the last event lies at the very end, and all of it is all of it */
	ck_assert(range_of(clock, "0%", "100%", &a, &b));
	ck_assert(a == 0 && b == INT64_MAX);
	ck_assert(range_of(clock, "0", "1us", &a, &b));
	/* from the last event, which lies 2000 behind the first; never before the first */
	ck_assert(range_of(clock, "-600ns", NULL, &a, &b));
	ck_assert(a == 1400 && b == INT64_MAX);
	ck_assert(range_of(clock, "-1.5us", "-25%", &a, &b));
	ck_assert(a == 500 && b == 1500);
	ck_assert(range_of(clock, "-1min", "-0%", &a, &b));
	ck_assert(a == 0 && b == 2000);
	ck_assert(range_of(clock, "-100%", NULL, &a, &b) && a == 0);
	ck_assert(range_of(ordinal, "-5", NULL, &a, &b) && a == 1995);
	ck_assert(!range_of(clock, "-5", NULL, &a, &b));
	ck_assert(!range_of(timeless, "-1s", NULL, &a, &b));
	ck_assert(range_of(ordinal, "5", "10", &a, &b));
	ck_assert(a == 5 && b == 10);
	ck_assert(range_of(ordinal, "5", "50%", &a, &b));
	ck_assert(!range_of(ordinal, "5ms", NULL, &a, &b));
	ck_assert(!range_of(clock, "5", NULL, &a, &b));
	ck_assert(!range_of(clock, NULL, "5", &a, &b));
	ck_assert(!range_of(timeless, "0%", NULL, &a, &b));
	profile_free(clock);
	profile_free(ordinal);
	profile_free(timeless);
}
END_TEST

/* Checks which tracks are selected: "yn" selects the first of two and not the other. */
static void
check_tracks(const struct lens *l, const struct profile *p, const char *which)
{
	uint8_t *tracks = lens_tracks(l, p);
	for (track_id t = 0; t < p->n_tracks; t++)
		ck_assert_uint_eq(tracks[t], which[t] == 'y');
	free(tracks);
}

START_TEST(test_metric_and_tracks)
{
	struct profile *p = short_profile(UNIT_NS);
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	ck_assert_uint_eq(lens_metric(&l, p, &e), profile_default_metric(p));
	lens_set_metric(&l, "weight");
	ck_assert_uint_eq(lens_metric(&l, p, &e), METRIC_NONE);
	ck_assert_ptr_nonnull(strstr(e.text, "bytes"));
	lens_set_metric(&l, "bytes");
	ck_assert_uint_eq(lens_metric(&l, p, &e), profile_default_metric(p));
	check_tracks(&l, p, "yy");
	err_init(&e);
	ck_assert(lens_add(&l, VERB_TRACK, "work", 4, &e));
	check_tracks(&l, p, "ny");
	ck_assert(lens_add(&l, VERB_TRACK, "=main", 5, &e));
	check_tracks(&l, p, "yy");
	l.entries.at[0].off = true;
	check_tracks(&l, p, "yn");
	ck_assert(lens_add(&l, VERB_TRACK, "=nobody", 7, &e));
	check_tracks(&l, p, "yn");
	ck_assert(lens_add(&l, VERB_TRACK, "!=main", 6, &e));
	check_tracks(&l, p, "yy");
	l.entries.at[1].off = true;
	check_tracks(&l, p, "ny");
	lens_release(&l);
	profile_free(p);
}
END_TEST

/* ---- specifications ---- */

static bool
read_spec(struct lens *l, const char *text, struct err *e)
{
	err_init(e);
	return lens_read_spec(l, "my.filter", text, strlen(text), e);
}

START_TEST(test_spec)
{
	static const char text[] = "\xEF\xBB\xBF# comment\n"
				   "include ^Render\r\n"
				   "\n"
				   "   \t\n"
				   "~hide  module:libc \n"
				   "~ exclude-self\t!=a b\n"
				   "  show x # not a comment\n"
				   "track main";
	static const struct {
		enum verb verb;
		bool off;
		const char *pattern;
	} expected[] = {
		{VERB_INCLUDE, false, "^Render"},
		{VERB_HIDE, true, "module:libc "},
		{VERB_EXCLUDE_SELF, true, "!=a b"},
		{VERB_SHOW, false, "x # not a comment"},
		{VERB_TRACK, false, "main"},
	};
	struct lens l;
	struct err e;

	lens_init(&l);
	ck_assert_msg(read_spec(&l, text, &e), "%s", e.text);
	ck_assert_uint_eq(l.entries.n, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_eq(l.entries.at[i].verb, expected[i].verb);
		ck_assert_int_eq(l.entries.at[i].off, expected[i].off);
		ck_assert_str_eq(pattern_text(l.entries.at[i].pattern),
				 expected[i].pattern);
	}
	lens_release(&l);
}
END_TEST

START_TEST(test_spec_errors)
{
	static const struct {
		const char *text, *where;
	} bad[] = {
		{"inclde x\n", "my.filter:1:1: "},
		{"# ok\n\n  Include x\n", "my.filter:3:3: "},
		{"include x\n~ hidee x", "my.filter:2:3: "},
		{"include\n", "my.filter:1:8: "},
		{"hide   ", "my.filter:1:8: "},
		{"~", "my.filter:1:2: "},
		{"include a(b\n", "my.filter:1:9: "},
		{"include-selfx\n", "my.filter:1:1: "},
	};
	struct lens l;
	struct err e;

	lens_init(&l);
	ck_assert(read_spec(&l, "hide kept\n", &e));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(!read_spec(&l, bad[i].text, &e), "%s", bad[i].text);
		ck_assert_int_eq(e.class, ERR_USAGE);
		ck_assert_msg(!strncmp(e.text, bad[i].where, strlen(bad[i].where)), "%s",
			      e.text);
		ck_assert_uint_eq(l.entries.n, 1); /* nothing is added then */
	}
	lens_release(&l);
}
END_TEST

/* Patterns that a line of a file, a shell or a reader might take for something else. */
static const char *const awkward[] = {
	"",        " ",       "  leading",   "trailing  ",   "a\nb",
	"a\r",     "\r",      "\t",          "#x",           "~x",
	"=",       "= x",     "!",           "!=",           "-x",
	"--hide",  "it's",    "'",           "\"",           "$(ls)",
	"`ls`",    "a;b|c&d", "*?[x]",       "\\",           "\\\\",
	"fn:=",    "file: x", "=with\nline", "!module:=a\r", "na\xC3\xAFve",
	"caf\xE9", "\\n",     "[\n]",        "\\Q \n\\E",    "%s%n",
	"~/x",     "=ls",
};

static void
random_entries(struct chance *c, struct lens *l)
{
	for (uint32_t n = chance_below(c, 5); n > 0; n--) {
		const char *text =
			awkward[chance_below(c, sizeof awkward / sizeof *awkward)];
		struct err e;
		err_init(&e);
		if (lens_add(l, (enum verb)chance_below(c, VERB_COUNT), text, strlen(text),
			     &e))
			l->entries.at[l->entries.n - 1].off = chance_one_in(c, 4);
	}
}

/* Returns true if two patterns match the same subjects. */
static void
compare_patterns(struct pattern *a, struct pattern *b)
{
	ck_assert_int_eq(pattern_subject(a), pattern_subject(b));
	ck_assert_int_eq(pattern_negated(a), pattern_negated(b));
	for (size_t i = 0; i < sizeof awkward / sizeof *awkward; i++) {
		const char *name = awkward[i] + (awkward[i][0] == '=');
		ck_assert_msg(pattern_matches_bytes(a, name, strlen(name)) ==
				      pattern_matches_bytes(b, name, strlen(name)),
			      "'%s' became '%s'", pattern_text(a), pattern_text(b));
	}
}

START_TEST(test_spec_round_trip)
{
	struct chance c;

	chance_init(&c, 9);
	for (int round = 0; round < 3000; round++) {
		struct buf text = BUF_INIT, again = BUF_INIT;
		struct lens a, b;
		struct err e;
		lens_init(&a);
		lens_init(&b);
		random_entries(&c, &a);
		lens_write_spec(&a, &text);
		ck_assert_msg(read_spec(&b, buf_str(&text), &e), "%s", e.text);
		ck_assert_uint_eq(a.entries.n, b.entries.n);
		for (size_t i = 0; i < a.entries.n; i++) {
			ck_assert_int_eq(a.entries.at[i].verb, b.entries.at[i].verb);
			ck_assert_int_eq(a.entries.at[i].off, b.entries.at[i].off);
			compare_patterns(a.entries.at[i].pattern,
					 b.entries.at[i].pattern);
		}
		lens_write_spec(&b, &again);
		ck_assert_str_eq(buf_str(&text), buf_str(&again));
		lens_release(&a);
		lens_release(&b);
		buf_release(&text);
		buf_release(&again);
	}
}
END_TEST

/* ---- options ---- */

/* One character of $'...': of its escapes those that are written, \\ \' and \NNN. */
static char
dollar_char(char **text)
{
	char *s = *text;
	unsigned value = 0;

	if (*s != '\\') {
		*text = s + 1;
		return *s;
	}
	if (s[1] == '\\' || s[1] == '\'') {
		*text = s + 2;
		return s[1];
	}
	ck_assert_int_eq(sscanf(s + 1, "%3o", &value), 1);
	*text = s + 4;
	return (char)value;
}

/* Takes a command line apart as a shell does, quotes and backslashes alone. */
static int
shell_words(char *text, char **argv, int max)
{
	int n = 0;
	char *out = text;

	while (*text) {
		while (*text == ' ')
			text++;
		if (!*text)
			break;
		ck_assert_int_lt(n, max);
		argv[n++] = out;
		while (*text && *text != ' ') {
			if (text[0] == '$' && text[1] == '\'') {
				for (text += 2; *text != '\'';) {
					ck_assert(*text != '\0');
					*out++ = dollar_char(&text);
				}
				text++;
			} else if (*text == '\'') {
				for (text++; *text != '\''; text++) {
					ck_assert(*text != '\0');
					*out++ = *text;
				}
				text++;
			} else {
				text += *text == '\\';
				*out++ = *text++;
			}
		}
		text += *text == ' ';
		*out++ = '\0';
	}
	return n;
}

static struct moment
random_moment(struct chance *c)
{
	struct moment m = {.kind = (enum moment_kind)chance_below(c, 4)};

	if (m.kind == MOMENT_PERCENT)
		m.value = chance_below(c, 1000000001);
	else if (m.kind != MOMENT_OPEN)
		m.value = (int64_t)(chance_bits(c) >> (1 + chance_below(c, 60)));
	m.back = m.kind != MOMENT_OPEN && chance_one_in(c, 3);
	return m;
}

START_TEST(test_options_round_trip)
{
	struct chance c;

	chance_init(&c, 10);
	for (int round = 0; round < 3000; round++) {
		static char program[] = "pnav";
		char *argv[64] = {program};
		struct buf text = BUF_INIT;
		struct options o;
		struct lens l;
		struct err e;
		err_init(&e);
		lens_init(&l);
		random_entries(&c, &l);
		for (size_t i = 0; i < l.entries.n; i++)
			l.entries.at[i].off = false;
		l.from = random_moment(&c);
		l.to = random_moment(&c);
		l.by = (enum granularity)chance_below(&c, 4);
		l.invert = chance_one_in(&c, 2);
		if (chance_one_in(&c, 2))
			lens_set_metric(&l, awkward[chance_below(&c, 20)]);
		lens_write_options(&l, &text);
		ck_assert(!text.len || buf_str(&text)[0] == ' ');
		char *line = strdup(buf_str(&text));
		int argc = 1 + shell_words(line, argv + 1, 62);
		options_init(&o, NULL);
		ck_assert_msg(options_read(&o, argc, argv, NULL, true, &e), "%s: %s",
			      buf_str(&text), e.text);
		ck_assert_msg(lens_equal(&o.lens, &l), "%s", buf_str(&text));
		options_release(&o);
		lens_release(&l);
		free(line);
		buf_release(&text);
	}
}
END_TEST

/* ---- a value ---- */

START_TEST(test_value)
{
	struct lens a, b;
	struct err e;

	err_init(&e);
	lens_init(&a);
	ck_assert(read_spec(&a, "hide one\ninclude two\ntrack main\nshow three\n", &e));
	lens_set_metric(&a, "bytes");
	lens_copy(&b, &a);
	ck_assert(lens_equal(&a, &b) && lens_same_shape(&a, &b));
	b.to = (struct moment){.kind = MOMENT_NS, .value = 5};
	lens_set_metric(&b, NULL);
	lens_remove(&b, 2);
	ck_assert(!lens_equal(&a, &b));
	ck_assert(lens_same_shape(&a, &b)); /* time, metric and tracks are no shape */
	lens_move(&b, 0, 2);
	ck_assert(!lens_same_shape(&a, &b));
	ck_assert_str_eq(pattern_text(b.entries.at[0].pattern), "two");
	ck_assert_str_eq(pattern_text(b.entries.at[2].pattern), "one");
	lens_move(&b, 2, 0);
	ck_assert(lens_same_shape(&a, &b));
	b.entries.at[0].off = true;
	ck_assert(!lens_same_shape(&a, &b));
	b.entries.at[0].off = false;
	b.by = BY_LINE;
	ck_assert(!lens_same_shape(&a, &b));
	lens_release(&a); /* the copy keeps its patterns */
	ck_assert(pattern_matches_bytes(b.entries.at[0].pattern, "one", 3));
	lens_release(&b);
}
END_TEST

UNIT(lens)
{
	Suite *suite = suite_create("lens");
	TCase *cases = tcase_create("lens");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_moments);
	tcase_add_test(cases, test_range);
	tcase_add_test(cases, test_metric_and_tracks);
	tcase_add_test(cases, test_spec);
	tcase_add_test(cases, test_spec_errors);
	tcase_add_test(cases, test_spec_round_trip);
	tcase_add_test(cases, test_options_round_trip);
	tcase_add_test(cases, test_value);
	suite_add_tcase(suite, cases);
	return suite;
}
