#include "model/profile/tracks.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "tests/lib/unit.h"

/* Attributes of tracks besides their events: names of values, and processes. */

struct made {
	struct profile *p;
	struct builder *b;
	struct err e;
};

static void
made_init(struct made *m)
{
	m->p = profile_new();
	m->b = builder_new(m->p, "file", "test");
	err_init(&m->e);
}

static void
made_release(struct made *m)
{
	builder_finish(m->b, &m->e);
	ck_assert_msg(profile_check(m->p, &m->e), "%s", m->e.text);
	builder_free(m->b);
	profile_free(m->p);
}

static name_id
named(struct made *m, const char *text)
{
	return builder_name(m->b, text, strlen(text));
}

static bool
is_called(const struct made *m, name_id id, const char *text)
{
	struct name n = names_get(&m->p->names, id);
	return n.len == strlen(text) && !memcmp(n.at, text, n.len);
}

START_TEST(test_values_have_names)
{
	static const int64_t value[] = {7, -3, 0, INT64_MAX, INT64_MIN, 2};
	struct made m;
	made_init(&m);
	track_id t = builder_track(m.b, "link", 4, TRACK_STATE);
	ck_assert_uint_eq(track_value_name(&m.p->track[t], 0), NAME_EMPTY);
	for (size_t i = 0; i < 6; i++) {
		char text[] = {(char)('a' + i), 0};
		builder_track_value(m.b, t, value[i], named(&m, text));
	}
	builder_track_value(m.b, t, 0, named(&m, "again")); /* the first name stays */
	builder_track_value(m.b, t, 1, NAME_EMPTY);         /* that is none */
	for (size_t i = 0; i < 6; i++) {
		char text[] = {(char)('a' + i), 0};
		ck_assert(is_called(&m, track_value_name(&m.p->track[t], value[i]), text));
	}
	ck_assert_uint_eq(track_value_name(&m.p->track[t], 1), NAME_EMPTY);
	ck_assert_uint_eq(track_value_name(&m.p->track[t], INT64_MAX - 1), NAME_EMPTY);
	made_release(&m);
}
END_TEST

START_TEST(test_not_more_values_than_are_allowed)
{
	struct made m;
	made_init(&m);
	track_id t = builder_track(m.b, "link", 4, TRACK_STATE);
	name_id name = named(&m, "on");
	for (int64_t i = 0; i < VALUE_NAMES_MAX + 10; i++)
		builder_track_value(m.b, t, -i, name);
	ck_assert_uint_eq(m.p->track[t].n_value_names, VALUE_NAMES_MAX);
	ck_assert_uint_eq(track_value_name(&m.p->track[t], -(int64_t)VALUE_NAMES_MAX + 1),
			  name);
	ck_assert_uint_eq(track_value_name(&m.p->track[t], -(int64_t)VALUE_NAMES_MAX),
			  NAME_EMPTY);
	made_release(&m);
}
END_TEST

static void
check_tracks(const struct made *m, const char *pattern, const char *which)
{
	struct lens l;
	struct err e;
	err_init(&e);
	lens_init(&l);
	ck_assert(lens_add(&l, VERB_TRACK, pattern, strlen(pattern), &e));
	uint8_t *tracks = lens_tracks(&l, m->p);
	for (track_id t = 0; t < m->p->n_tracks; t++)
		ck_assert_msg(tracks[t] == (which[t] == 'y'), "track %u of %s", t, pattern);
	free(tracks);
	lens_release(&l);
}

START_TEST(test_a_pattern_of_tracks_matches_processes)
{
	struct made m;
	made_init(&m);
	process_id shop = builder_process(m.b, "shop", 4);
	process_id later = builder_process(m.b, "", 0);
	track_id t[] = {builder_track(m.b, "main", 4, TRACK_THREAD),
			builder_track(m.b, "io", 2, TRACK_THREAD),
			builder_track(m.b, "memory", 6, TRACK_COUNTER),
			builder_track(m.b, "main", 4, TRACK_THREAD)};
	builder_track_under(m.b, t[1], shop);
	builder_track_under(m.b, t[2], shop);
	builder_track_under(m.b, t[3], later);
	builder_process_rename(m.b, later, "bank", 4);
	check_tracks(&m, "shop", "nyyn");
	check_tracks(&m, "bank", "nnny");
	check_tracks(&m, "=main", "ynny");
	check_tracks(&m, "memory", "nnyn");
	check_tracks(&m, "!shop", "ynny");
	/* a track beside another follows it to its process */
	track_id lane = builder_track(m.b, "main (overlap 1)", 16, TRACK_THREAD);
	builder_track_beside(m.b, lane, t[0]);
	builder_settle(m.b);
	check_tracks(&m, "shop", "nyynn");
	builder_track_under(m.b, t[0], shop);
	builder_settle(m.b);
	check_tracks(&m, "shop", "yyyny");
	made_release(&m);
}
END_TEST

/* Names that the file gives stay, also those that look like ours. */
START_TEST(test_tracks_of_one_name)
{
	static const char *const given[] = {"a", "a", "a (2)", "a", "a (2)", "b (3)", "b", "b"};
	static const char *const wanted[] = {"a",	  "a (3)", "a (2)", "a (4)",
					     "a (2) (2)", "b (3)", "b",	    "b (2)"};
	struct made m;
	made_init(&m);
	for (size_t i = 0; i < 8; i++)
		builder_track(m.b, given[i], strlen(given[i]), TRACK_THREAD);
	builder_finish(m.b, &m.e);
	for (track_id t = 0; t < 8; t++)
		ck_assert_msg(is_called(&m, m.p->track[t].name, wanted[t]), "%u is %s", t,
			      names_get(&m.p->names, m.p->track[t].name).at);
	builder_free(m.b);
	/* the next file finds them all */
	m.b = builder_new(m.p, "file", "test");
	track_id t = builder_track(m.b, "a (2)", 5, TRACK_THREAD);
	track_id fifth = builder_track(m.b, "a", 1, TRACK_THREAD);
	builder_finish(m.b, &m.e);
	ck_assert(is_called(&m, m.p->track[t].name, "a (2) (3)"));
	ck_assert(is_called(&m, m.p->track[fifth].name, "a (5)"));
	builder_free(m.b);
	profile_free(m.p);
}
END_TEST

START_TEST(test_processes_of_several_files)
{
	struct made m;
	made_init(&m);
	builder_label(m.b, "one");
	builder_track_under(m.b, builder_track(m.b, "io", 2, TRACK_THREAD),
			    builder_process(m.b, "shop", 4));
	builder_finish(m.b, &m.e);
	builder_free(m.b);

	m.b = builder_new(m.p, "two", "test");
	builder_label(m.b, "two");
	process_id gone = builder_process(m.b, "shop", 4);
	builder_track_under(m.b, builder_track(m.b, "io", 2, TRACK_THREAD), gone);
	ck_assert(is_called(&m, m.p->process[gone].name, "two: shop"));
	builder_discard(m.b); /* it was refused */
	builder_free(m.b);

	m.b = builder_new(m.p, "three", "test");
	builder_label(m.b, "three");
	process_id last = builder_process(m.b, "shop", 4);
	builder_track_under(m.b, builder_track(m.b, "io", 2, TRACK_THREAD), last);
	ck_assert_uint_eq(m.p->n_processes, 2);
	check_tracks(&m, "three: shop", "ny");
	check_tracks(&m, "shop", "yy");
	made_release(&m);
}
END_TEST

UNIT(tracks)
{
	Suite *suite = suite_create("tracks");
	TCase *cases = tcase_create("tracks");
	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_values_have_names);
	tcase_add_test(cases, test_not_more_values_than_are_allowed);
	tcase_add_test(cases, test_a_pattern_of_tracks_matches_processes);
	tcase_add_test(cases, test_tracks_of_one_name);
	tcase_add_test(cases, test_processes_of_several_files);
	suite_add_tcase(suite, cases);
	return suite;
}
