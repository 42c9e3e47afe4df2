#include "model/profile/labels.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/lens/labelterm.h"
#include "model/profile/profile.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Labels: equal ones are one id, sets do not know order or doubles; and each event of a
 * series, of whatever kind, keeps the set that it was given, through chunks and sorting. */

enum { KEYS = 5, VALUES = 40, SETS = 3000, EVENTS = 5000 };

static label_id
any_label(struct labels *t, struct chance *c)
{
	bool number = chance_one_in(c, 2);

	return labels_put(t, (struct label){
				     .key = 1 + chance_below(c, KEYS),
				     .is_number = number,
				     .text = number ? 0 : chance_below(c, VALUES),
				     .number = number ? (int64_t)chance_below(c, VALUES) - 5 : 0,
				     .unit = number ? chance_below(c, 2) : 0,
			     });
}

START_TEST(test_labels_of_one_content)
{
	struct labels t;

	labels_init(&t);
	label_id a = labels_put(&t, (struct label){.key = 1, .text = 2});
	label_id number = labels_put(&t, (struct label){.key = 1, .is_number = true, .number = 2});
	label_id bytes = labels_put(
		&t, (struct label){.key = 1, .is_number = true, .number = 2, .unit = 3});
	ck_assert(a != number && number != bytes && a != bytes);
	ck_assert_uint_eq(labels_put(&t, (struct label){.key = 1, .text = 2}), a);
	/* unread fields distinguish nothing */
	ck_assert_uint_eq(labels_put(&t, (struct label){.key = 1, .text = 2, .number = 9}), a);
	ck_assert_uint_eq(t.n_labels, 3);
	labels_release(&t);
}
END_TEST

START_TEST(test_sets_know_no_order)
{
	struct labels t;
	struct chance c;

	chance_init(&c, 71);
	labels_init(&t);
	ck_assert_uint_eq(labels_set(&t, NULL, 0), LABELS_NONE);
	for (int i = 0; i < SETS; i++) {
		label_id one[8], other[16];
		size_t n = chance_below(&c, 8);
		for (size_t k = 0; k < n; k++)
			one[k] = any_label(&t, &c);
		for (size_t k = 0; k < n; k++) /* backwards, each twice */
			other[2 * k] = other[2 * k + 1] = one[n - 1 - k];
		label_id wanted[8];
		memcpy(wanted, one, n * sizeof *one);
		labels_id set = labels_set(&t, one, n);
		ck_assert_uint_eq(labels_set(&t, other, 2 * n), set);
		uint32_t got_n;
		const label_id *got = labels_get(&t, set, &got_n);
		for (uint32_t k = 0; k + 1 < got_n; k++) {
			const struct label *x = &t.label[got[k]], *y = &t.label[got[k + 1]];
			ck_assert(x->key < y->key || (x->key == y->key && got[k] < got[k + 1]));
		}
		for (size_t k = 0; k < n; k++) { /* none is lost */
			uint32_t at = 0;
			while (at < got_n && got[at] != wanted[k])
				at++;
			ck_assert(at < got_n);
		}
		ck_assert(got_n <= n && (got_n > 0) == (n > 0));
	}
	labels_release(&t);
}
END_TEST

START_TEST(test_find)
{
	struct labels t;
	struct label found;

	labels_init(&t);
	label_id id[] = {labels_put(&t, (struct label){.key = 7, .text = 1}),
			 labels_put(&t, (struct label){.key = 2, .is_number = true, .number = -4})};
	labels_id set = labels_set(&t, id, 2);
	ck_assert(labels_find(&t, set, 2, &found) && found.is_number && found.number == -4);
	ck_assert(labels_find(&t, set, 7, &found) && found.text == 1);
	ck_assert(!labels_find(&t, set, 3, &found));
	ck_assert(!labels_find(&t, LABELS_NONE, 7, &found));
	labels_release(&t);
}
END_TEST

static struct series *
series_of(struct builder *b, track_id t, metric_id m, int kind)
{
	switch (kind) {
	case SERIES_STEPS:
		return builder_steps(b, t);
	case SERIES_SAMPLES:
		return builder_samples(b, t, &m, 1);
	case SERIES_TOTALS:
		return builder_totals(b, t, &m, 1);
	default:
		return builder_points(b, t, false);
	}
}

static bool
append(struct builder *b, struct series *s, int kind, int64_t time, stack_id stack,
       int64_t value, struct err *e)
{
	switch (kind) {
	case SERIES_STEPS:
		return builder_step(b, s, time, stack, 0, 0, e);
	case SERIES_SAMPLES:
		return builder_sample(b, s, time, stack, &value, 0, e);
	case SERIES_TOTALS:
		return builder_total(b, s, stack, &value, 0, e);
	default:
		return builder_point(b, s, time, value, 0, e);
	}
}

/* Samples and points come in falling order of time, so that they have to be sorted. */
START_TEST(test_each_event_keeps_its_set)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "labels", "test");
	struct chance c;
	struct err e;

	err_init(&e);
	chance_init(&c, 72 + (uint64_t)_i);
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	struct series *s = series_of(b, t, m, _i);
	builder_labelled(b, s);
	stack_id stack = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "f", 1), line_unknown()));
	labels_id *set = mem_alloc(EVENTS, sizeof *set);
	bool falls = _i == SERIES_SAMPLES || _i == SERIES_POINTS;
	for (int i = 0; i < EVENTS; i++) {
		label_id id[] = {
			builder_label_text(b, builder_name(b, "k", 1),
					   (name_id)chance_below(&c, 3)),
			builder_label_number(b, builder_name(b, "n", 1),
					     chance_below(&c, (uint32_t)i + 1), NAME_EMPTY),
		};
		set[i] = builder_labels(b, id, chance_below(&c, 3));
		if (set[i]) /* else nothing is said */
			builder_next_labels(b, s, set[i]);
		ck_assert(append(b, s, _i, falls ? EVENTS - i : i, stack, i, &e));
	}
	builder_finish(b, &e);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	for (int i = 0; i < EVENTS; i++) {
		const struct chunk *chunk = series_chunk(s, (uint64_t)i);
		labels_id got = (labels_id)column_get(&chunk->labels,
						      (uint32_t)((uint64_t)i - chunk->first));
		ck_assert_uint_eq(got, set[falls ? EVENTS - 1 - i : i]);
		struct event event;
		if (_i != SERIES_TOTALS)
			ck_assert(series_event(s, (uint64_t)i, &event) && event.labels == got);
	}
	free(set);
	builder_free(b);
	profile_free(p);
}
END_TEST

/* ---- labels of a lens ---- */

START_TEST(test_terms)
{
	static const struct {
		const char *term, *text; /* text NULL: the number and its unit */
		int64_t number;
		const char *unit;
		bool matches;
	} cases[] = {
		{"k:wait", "waiting", 0, "", true},
		{"k:Wait", "waiting", 0, "", false},
		{"k:=wait", "waiting", 0, "", false},
		{"k:=waiting", "waiting", 0, "", true},
		{"k:", "", 0, "", true},
		{"k:=", "", 0, "", true},
		{"k:!x", "a!x", 0, "", true},
		{"k:file:x", "file:x", 0, "", true},
		{"k:file:x", "x", 0, "", false},
		{"k:^1..$", "100", 0, "", true},
		{"k:=4096", NULL, 4096, "bytes", true},
		{"k:=4096 bytes", NULL, 4096, "bytes", true},
		{"k:=4096 byte", NULL, 4096, "bytes", false},
		{"k:^40", NULL, 4096, "bytes", true},
		{"k:4kB..64kB", NULL, 4096, "bytes", true},
		{"k:4kB..64kB", NULL, 65536, "bytes", true},
		{"k:4kB..64kB", NULL, 65537, "bytes", false},
		{"k:4kB..64kB", NULL, 64, "kilobytes", true},
		{"k:4kB..64kB", NULL, 5000, "", true},
		{"k:4kB..64kB", NULL, 5000, "widgets", true},
		{"k:1.5ms..", NULL, 1500000, "nanoseconds", true},
		{"k:1.5ms..", NULL, 1499, "us", false},
		{"k:1.5ms..", NULL, 2, "seconds", true},
		{"k:..-3", NULL, -3, "", true},
		{"k:..-3", NULL, -2, "", false},
		{"k:0..9223372036854775807", NULL, INT64_MAX, "", true},
		{"k:3", NULL, 3, "", true},
		{"k:2", "2.5", 0, "", false},
		{"k:2.5", "2.50", 0, "", true},
		{"k:5.3", "5.3", 0, "", true},
		{"k:5.3", "5.30001", 0, "", false},
		{"k:0.1..0.7", "0.1", 0, "", true},
		{"k:0.1..0.7", "0.7", 0, "", true},
		{"k:9007199254740993", NULL, 9007199254740993, "", true},
		{"k:9007199254740993", NULL, 9007199254740992, "", false},
		{"k:2..3", "2.5", 0, "", true},
		{"k:2..3", "25", 0, "", false},
		{"k:..0", "-1e-3", 0, "", true},
		{"k:2..3", "2.5.1", 0, "", false},
		{"k:2.5", "2.5.1", 0, "", true},
	};
	static const char *const bad[] = {"", "k", ":x", "!:x", "k:(", " k:x", "k:a\nb"};
	struct names names;
	struct err e;

	names_init(&names);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct label_term t;
		struct label l = {
			.is_number = !cases[i].text,
			.text = names_put(&names, cases[i].text ? cases[i].text : "",
					  cases[i].text ? strlen(cases[i].text) : 0),
			.number = cases[i].number,
			.unit = names_put(&names, cases[i].unit, strlen(cases[i].unit)),
		};
		err_init(&e);
		ck_assert_msg(label_term_read(&t, cases[i].term, strlen(cases[i].term), &e),
			      "%s: %s", cases[i].term, e.text);
		ck_assert(!t.negated && t.key_at == 0 && t.key_len == 1);
		ck_assert_msg(label_term_matches(&t, &names, &l) == cases[i].matches, "%zu: %s",
			      i, cases[i].term);
		label_term_release(&t);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err_init(&e);
		ck_assert_msg(!label_term_check(bad[i], strlen(bad[i]), &e), "%s", bad[i]);
		ck_assert_int_eq(e.class, ERR_USAGE);
	}
	names_release(&names);
}
END_TEST

/* Finds the label of unfinished slices only where there is one, and only in sets that have it. */
START_TEST(test_unfinished)
{
	struct names names;
	struct labels t;

	names_init(&names);
	labels_init(&t);
	ck_assert_uint_eq(labels_unfinished(&t, &names), LABEL_NONE);
	ck_assert(!labels_have(&t, LABELS_NONE, LABEL_NONE));
	struct label l = {.key = names_put(&names, "unfinished", 10),
			  .text = names_put(&names, "no", 2)};
	label_id no = labels_put(&t, l);
	ck_assert_uint_eq(labels_unfinished(&t, &names), LABEL_NONE);
	l.text = names_put(&names, "yes", 3);
	label_id yes = labels_put(&t, l), both[] = {no, yes};
	ck_assert_uint_eq(labels_unfinished(&t, &names), yes);
	labels_id one = labels_set(&t, &no, 1), two = labels_set(&t, both, 2);
	ck_assert(!labels_have(&t, one, yes) && labels_have(&t, two, yes));
	ck_assert(!labels_have(&t, LABELS_NONE, yes) && !labels_have(&t, two, LABEL_NONE));
	labels_release(&t);
	names_release(&names);
}
END_TEST

UNIT(labels)
{
	Suite *suite = suite_create("labels");
	TCase *cases = tcase_create("labels");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_labels_of_one_content);
	tcase_add_test(cases, test_terms);
	tcase_add_test(cases, test_sets_know_no_order);
	tcase_add_test(cases, test_find);
	tcase_add_test(cases, test_unfinished);
	tcase_add_loop_test(cases, test_each_event_keeps_its_set, SERIES_STEPS,
			    SERIES_POINTS + 1);
	suite_add_tcase(suite, cases);
	return suite;
}
