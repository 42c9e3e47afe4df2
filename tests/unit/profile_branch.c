#include <check.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/profile/profile.h"
#include "model/profile/series.h"
#include "tests/lib/unit.h"

/* profile_branch(): a copy has the same tables and shares no memory with the original, whatever
 * members are added to struct profile. */

/* Number of times that the attachment was released. */
static unsigned released;

static void
count_release(void *at)
{
	++*(unsigned *)at;
}

/* A profile with something in every table. */
static struct profile *
full_profile(struct builder **out)
{
	struct profile *p = profile_new();
	struct builder *b = *out = builder_new(p, "file", "test");
	int64_t value = 7;
	struct err e;

	err_init(&e);
	metric_id m = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	track_id t = builder_track(b, "main", 4, TRACK_THREAD);
	track_id state = builder_track(b, "state", 5, TRACK_STATE);
	builder_track_value(b, state, 3, builder_name(b, "three", 5));
	builder_track_under(b, t, builder_process(b, "process", 7));
	builder_module_file(b, builder_name(b, "m", 1), builder_name(b, "/m", 2), NULL, 0);
	builder_module_range(b, builder_name(b, "m", 1), 0x1000, 0x2000, 0);
	builder_info(b, "key", "value");
	builder_warn(b, "odd");
	builder_incomplete(b, "because");
	builder_attach(b, "kind", &released, count_release, NULL);
	struct series *s = builder_samples(b, t, &m, 1);
	builder_labelled(b, s);
	function_id f = builder_function_named(b, "f", 1);
	frame_id frame = builder_frame_at(b, builder_frame(b, f, line_unknown()), 0x10);
	callrows_add(builder_recorded_calls(b),
		     &(struct callstats_row){.track = t, .function = f, .calls = 1});
	actor_id a = builder_actor(b, "main", 4, t);
	builder_state(b, a, 0, ACTOR_RUNNING);
	label_id label = builder_label_text(b, builder_name(b, "k", 1), builder_name(b, "v", 1));
	builder_next_labels(b, s, builder_labels(b, &label, 1));
	ck_assert(builder_sample(b, s, 1, builder_child(b, STACK_EMPTY, frame), &value, 0, &e));
	builder_finish(b, &e);
	/* the builder makes only wake-ups, which are in states */
	p->edge = mem_zalloc(1, sizeof *p->edge);
	p->n_edges = p->edges_cap = 1;
	p->edge->to = a;
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	return p;
}

/* A word that both objects have is a pointer where it is neither a number below 2^44, nor a
 * negative one, nor two small numbers of 32 bits: no count here reaches 4096. */
static void
check_shares_nothing(const char *what, const void *a, const void *b, size_t from, size_t size)
{
	for (size_t at = from; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
		uint64_t x, y;
		memcpy(&x, (const char *)a + at, sizeof x);
		memcpy(&y, (const char *)b + at, sizeof y);
		ck_assert_msg(x != y || x >> 44 == 0 || x >> 44 == UINT64_MAX >> 44,
			      "%s: both share what is at byte %zu", what, at);
	}
}

START_TEST(test_branch)
{
	struct builder *b;
	struct profile *p = full_profile(&b), *copy;
	struct err e;

	err_init(&e);
#define FILLED(type, at, n, cap) ck_assert_msg(p->n > 0, "this test fills no " #at);
	PROFILE_TABLES(FILLED)
	ck_assert(p->recorded.n && p->why);
	copy = profile_branch(p);
	/* names are the exception: the bytes of those that both have are read by both */
	ck_assert_ptr_eq(names_get(&copy->names, 1).at, names_get(&p->names, 1).at);
	check_shares_nothing("profile", p, copy, offsetof(struct profile, frames), sizeof *p);
	for (track_id t = 0; t < p->n_tracks; t++) {
		ck_assert_uint_eq(copy->track[t].n_series, p->track[t].n_series);
		check_shares_nothing("track", &p->track[t], &copy->track[t], 0, sizeof *p->track);
	}
	for (uint32_t i = 0; i < p->n_warnings; i++)
		ck_assert_ptr_ne(p->warning[i].text, copy->warning[i].text);
	ck_assert_msg(profile_check(copy, &e), "%s", e.text);
	/* additions to the copy are not visible in the original */
	name_id n = names_put(&copy->names, "new", 3);
	ck_assert_uint_ge(n, p->names.n);
	profile_free(copy);
	ck_assert_uint_eq(released, 0);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	builder_free(b);
	profile_free(p);
	ck_assert_uint_eq(released, 1);
}
END_TEST

UNIT(profile_branch)
{
	Suite *suite = suite_create("profile_branch");
	TCase *cases = tcase_create("branch");

	tcase_add_test(cases, test_branch);
	suite_add_tcase(suite, cases);
	return suite;
}
