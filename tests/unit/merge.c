/* merge.c - several files in one profile: metrics that join, functions that are alike, tracks
 * with the names of their files, and files that add nothing. */
#include "src/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "model/compare/alike.h"
#include "model/fold/fold.h"
#include "tests/lib/unit.h"

static struct profile *p;
static struct builder *b;
static struct err none;

/* Ends the file before, and begins another. */
static void
file(const char *name)
{
	if (b)
		builder_finish(b, &none);
	builder_free(b);
	b = name ? builder_new(p, name, "test") : NULL;
}

static void
setup(void)
{
	err_init(&none);
	p = profile_new();
	b = NULL;
}

static void
teardown(void)
{
	struct err e;
	file(NULL);
	err_init(&e);
	ck_assert_msg(profile_check(p, &e), "%s", e.text);
	profile_free(p);
}

static function_id
function(const char *name, const char *in_file, const char *module, uint32_t line)
{
	return builder_function(b, (struct function){
					   .name = builder_name(b, name, strlen(name)),
					   .file = builder_name(b, in_file, strlen(in_file)),
					   .module = builder_name(b, module, strlen(module)),
					   .line = line,
				   });
}

static stack_id
stack(const char *name)
{
	frame_id f = builder_frame(b, builder_function_named(b, name, strlen(name)),
				   line_unknown());
	return builder_child(b, STACK_EMPTY, f);
}

/* `value` on the stack of one frame, in a file that carries numbers. */
static void
carries(metric_id m, const char *name, int64_t value)
{
	struct series *s = builder_totals(b, builder_track(b, "t", 1, TRACK_THREAD), &m, 1);
	ck_assert(builder_total(b, s, stack(name), &value, 0, &none));
}

/* As many samples as that, in a file that counts. */
static void
counts(metric_id m, const char *name, int n)
{
	struct series *s = builder_samples(b, builder_track(b, "t", 1, TRACK_THREAD), &m, 1);
	for (int i = 0; i < n; i++)
		ck_assert(builder_sample(b, s, i, stack(name), NULL, 0, &none));
}

static int64_t
total(const char *metric)
{
	struct lens l;
	struct fold *f = fold_new();
	struct err e;
	err_init(&e);
	lens_init(&l);
	lens_set_metric(&l, metric);
	ck_assert_msg(fold_update(f, p, &l, NULL, &e), "%s", e.text);
	int64_t sum = f->now.total[NODE_ROOT];
	fold_free(f);
	lens_release(&l);
	return sum;
}

START_TEST(counted_and_carried_join)
{
	for (int order = 0; order < 2; order++) {
		for (int i = 0; i < 2; i++) {
			file(i ? "two" : "one");
			if (i == order) {
				metric_id m = builder_metric(b, "samples", UNIT_SAMPLES,
							     ROLE_EVENTS);
				counts(m, "f", 3);
			} else {
				carries(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE),
					"f", 40);
			}
		}
		file(NULL);
		ck_assert_int_eq(total("samples"), 43);
		ck_assert_uint_eq(p->n_groups, 2);
		profile_free(p);
		p = profile_new();
	}
}
END_TEST

/* One file contains nearly 2^63, the next counts one more: their common metric has no sum. */
START_TEST(counts_are_weighed_with_values)
{
	struct err e;
	int64_t most = INT64_MAX;

	file("one");
	metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	err_init(&e);
	stack_id f = builder_child(
		b, STACK_EMPTY,
		builder_frame(b, builder_function_named(b, "f", 1), line_unknown()));
	ck_assert(builder_total(
		b, builder_totals(b, builder_track(b, "a", 1, TRACK_THREAD), &m, 1), f, &most,
		1, &e));
	file("two");
	ck_assert_uint_eq(m, builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS));
	struct series *s =
		builder_samples(b, builder_track(b, "b", 1, TRACK_THREAD), &m, 1);
	ck_assert(!builder_sample(b, s, 0, f, NULL, 2, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 2);
	file(NULL);
}
END_TEST

/* The hidden counts of a file without samples do not become the samples of another. */
START_TEST(hidden_counts_stay_hidden)
{
	file("one");
	counts(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS), "f", 3);
	file("two");
	carries(builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE), "f", 1000);
	file(NULL);
	ck_assert_int_eq(total("samples"), 3);
	ck_assert_int_eq(total("bytes"), 1000);
}
END_TEST

START_TEST(another_unit_is_another_metric)
{
	file("one");
	carries(builder_metric(b, "cost", UNIT_NS, ROLE_VALUE), "f", 7);
	file("two");
	carries(builder_metric(b, "cost", UNIT_BYTES, ROLE_VALUE), "f", 9);
	file(NULL);
	ck_assert_int_eq(total("cost"), 7);
	ck_assert_int_eq(total("cost (bytes)"), 9);
}
END_TEST

/* 1.5 in one file, 10 in the next, two samples in a third: 13.5 in any order. */
START_TEST(decimals_join)
{
	static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	for (int way = 0; way < 6; way++) {
		for (int i = 0; i < 3; i++) {
			file("file");
			enum metric_role role = order[way][i] == 2 ? ROLE_EVENTS : ROLE_VALUE;
			metric_id m = builder_metric(b, "samples", UNIT_SAMPLES, role);
			if (order[way][i] == 0)
				ck_assert(builder_metric_decimals(b, m, 0, &none));
			if (order[way][i] == 2)
				counts(m, "f", 2);
			else
				carries(m, "f", order[way][i] ? 10 : 1500000);
		}
		file(NULL);
		ck_assert_int_eq(total("samples"), 13500000);
		profile_free(p);
		p = profile_new();
	}
}
END_TEST

START_TEST(the_first_file_chooses_the_metric)
{
	file("one");
	builder_default_metric(b, builder_metric(b, "a", UNIT_NS, ROLE_VALUE));
	file("two");
	builder_default_metric(b, builder_metric(b, "b", UNIT_NS, ROLE_VALUE));
	file(NULL);
	name_id name = p->metric[profile_default_metric(p)].name;
	ck_assert_str_eq(names_get(&p->names, name).at, "a");
}
END_TEST

START_TEST(a_comparison_begins_with_what_both_have)
{
	profile_compare_files(p, 1);
	file("one");
	metric_id a = builder_metric(b, "a", UNIT_NS, ROLE_VALUE);
	metric_id both = builder_metric(b, "both", UNIT_NS, ROLE_VALUE);
	builder_default_metric(b, a);
	carries(a, "f", 1);
	carries(both, "f", 1);
	file("two");
	carries(builder_metric(b, "both", UNIT_NS, ROLE_VALUE), "f", 1);
	file(NULL);
	ck_assert_uint_eq(profile_default_metric(p), both);
}
END_TEST

START_TEST(alike_functions)
{
	profile_compare_files(p, 1);
	file("old");
	function_id f = function("f", "a.c", "app", 10);
	function_id other = function("f", "b.c", "app", 10);
	function_id bare = function("bare", "", "", 0);
	function_id first = function("twice", "a.c", "app", 10);
	function_id second = function("twice", "a.c", "app", 90);
	file("new");
	ck_assert_uint_eq(function("f", "a.c", "app", 12), f); /* a line has moved */
	ck_assert_uint_eq(function("f", "b.c", "app", 99), other);
	ck_assert_uint_eq(function("bare", "x.c", "app", 3), bare); /* old knows less */
	ck_assert_uint_eq(function("f", "", "app", 0), f);         /* new knows less */
	ck_assert_uint_eq(function("twice", "a.c", "app", 15), first);
	ck_assert_uint_eq(function("twice", "a.c", "app", 95), second);
	function_id lib = function("f", "a.c", "lib", 10); /* another module */
	function_id c = function("f", "c.c", "app", 10);   /* another file */
	ck_assert(lib != f && lib != other && c != f && c != other && c != lib);
	ck_assert_uint_eq(function("fresh", "", "", 0), p->frames.n_functions - 1);
}
END_TEST

/* Another folder, another version, another checkout: the same function. */
START_TEST(functions_elsewhere)
{
	profile_compare_files(p, 1);
	file("old");
	function_id f = function("f", "/home/a/src/x.c", "/opt/v1/app", 10);
	function_id z = function("inflate", "inflate.c", "/usr/lib/libz.so.1.2.11", 5);
	function_id c = function("read", "", "/lib/libc-2.31.so", 0);
	function_id j = function("run", "Run.java", "lib/tool-1.2.jar", 3);
	function_id net = function("init", "/home/a/src/net/setup.c", "/opt/v1/app", 10);
	function_id disk = function("init", "/home/a/src/disk/setup.c", "/opt/v1/app", 10);
	function_id one = function("main", "/home/a/one/main.c", "/opt/v1/app", 10);
	file("new");
	ck_assert_uint_eq(function("f", "/build/src/x.c", "/opt/v2/app", 11), f);
	ck_assert_uint_eq(function("inflate", "inflate.c", "/usr/lib64/libz.so.1.3", 5), z);
	ck_assert_uint_eq(function("read", "", "/lib/libc.so.6", 0), c);
	ck_assert_uint_eq(function("run", "Run.java", "lib/tool-1.10.0.jar", 3), j);
	/* the longest common tail decides between namesakes */
	ck_assert_uint_eq(function("init", "/build/src/disk/setup.c", "/opt/v2/app", 10), disk);
	ck_assert_uint_eq(function("init", "/build/src/net/setup.c", "/opt/v2/app", 10), net);
	/* two namesakes of one file stay two, and one that was found once is found again */
	ck_assert_uint_eq(function("main", "/build/one/main.c", "/opt/v2/app", 10), one);
	ck_assert(function("main", "/build/two/main.c", "/opt/v2/app", 10) != one);
	ck_assert_uint_eq(function("main", "/build/one/main.c", "/opt/v2/app", 10), one);
	/* another name of a file or of a module is another function */
	ck_assert(function("f", "/build/src/y.c", "/opt/v2/app", 10) != f);
	ck_assert(function("f", "/build/src/x.c", "/opt/v2/app-tool", 10) != f);
	ck_assert(function("f", "/build/src/ax.c", "/opt/v2/app", 10) != f);
}
END_TEST

START_TEST(functions_by_path)
{
	profile_compare_files(p, 1);
	p->match_paths = true;
	file("old");
	function_id f = function("f", "src/x.c", "/opt/v1/app", 10);
	file("new");
	ck_assert(function("f", "src/x.c", "/opt/v2/app", 10) != f);
	ck_assert(function("f", "/src/x.c", "/opt/v1/app", 10) != f);
	ck_assert_uint_eq(function("f", "src/x.c", "/opt/v1/app", 11), f);
}
END_TEST

/* Files that are merged are of one build, perhaps in two folders. */
START_TEST(merged_functions_elsewhere)
{
	file("one");
	function_id f = function("f", "/a/x.c", "/opt/v1/app", 10);
	file("two");
	ck_assert_uint_eq(function("f", "/b/x.c", "/opt/v2/app", 10), f);
	ck_assert(function("f", "", "/opt/v2/app", 10) != f);
	ck_assert(function("f", "/b/x.c", "", 10) != f);
}
END_TEST

/* Files that are merged, not compared, keep all their attributes. */
START_TEST(merged_functions_are_not_guessed)
{
	file("one");
	function_id f = function("f", "a.c", "app", 10);
	file("two");
	ck_assert(function("f", "a.c", "app", 12) != f);
	ck_assert_uint_eq(function("f", "a.c", "app", 10), f);
}
END_TEST

START_TEST(a_refused_file_leaves_nothing)
{
	file("good");
	carries(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE), "f", 3);
	builder_track_event(b, 0);
	file("bad");
	carries(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE), "g", 5);
	builder_track_event(b, 1);
	builder_warn(b, "something");
	builder_info(b, "key", "value");
	builder_discard(b);
	builder_free(b);
	b = NULL;
	ck_assert_int_eq(total("samples"), 3);
	ck_assert_uint_eq(p->n_groups, 1);
	ck_assert_uint_eq(p->n_tracks, 1);
	ck_assert_uint_eq(p->n_warnings, 0);
	ck_assert_uint_eq(p->n_info, 0);
	ck_assert_uint_eq(p->events, 1);
	ck_assert(p->complete);
}
END_TEST

/* A view that has drawn its series may keep them until the next fold; later ids reuse those of the
 * removed series. */
START_TEST(series_of_a_refused_file_stay_readable)
{
	file("good");
	carries(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE), "f", 3);
	file("bad");
	carries(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE), "g", 5);
	const struct series *held = p->track[1].series[0];
	builder_discard(b);
	builder_free(b);
	b = NULL;
	ck_assert_uint_eq(held->n, 1);
	file("better");
	carries(builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE), "h", 7);
	ck_assert_uint_eq(held->n, 1);
	ck_assert_ptr_ne(p->track[1].series[0], held);
	ck_assert_int_eq(total("samples"), 10);
}
END_TEST

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static const char *
track_name(uint32_t t)
{
	ck_assert_uint_lt(t, p->n_tracks);
	return names_get(&p->names, p->track[t].name).at;
}

START_TEST(loading_files)
{
	char dir[] = "/tmp/pnav-merge-XXXXXX", path[4][64];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path[0], sizeof path[0], "%s/one.folded", dir);
	snprintf(path[1], sizeof path[1], "%s/none", dir);
	snprintf(path[2], sizeof path[2], "%s/text", dir);
	snprintf(path[3], sizeof path[3], "%s/two.folded", dir);
	write_file(path[0], "a 1\n");
	/* begins like folded stacks and is none: refused when some is in already */
	struct buf text = BUF_INIT;
	buf_adds(&text, "a;b 1\na;c 2\n");
	for (int i = 0; i < 20000; i++)
		buf_adds(&text, i < 1000 ? "a;b 1\n" : "no stack at all:\n");
	write_file(path[2], buf_str(&text));
	write_file(path[3], "a 2\nb 9223372036854775808\n");
	const char *paths[] = {path[0], path[1], path[2], path[3]};
	struct load *l = load_start_files(p, paths, 4, NULL);
	ck_assert(load_wait(l, -1));
	ck_assert(!load_refused(l));
	ck_assert_int_eq(load_file_error(l, 0).class, ERR_NONE);
	ck_assert_int_eq(load_file_error(l, 1).class, ERR_REFUSED);
	ck_assert_int_eq(load_file_error(l, 2).class, ERR_REFUSED);
	struct err damage = load_file_error(l, 3);
	ck_assert_int_eq(damage.class, ERR_DAMAGED);
	ck_assert_uint_eq(damage.offset, 4);
	struct load_state s = load_state(l);
	ck_assert_uint_eq(s.size, 4 + text.len + 26);
	ck_assert_str_eq(s.format, "folded");
	ck_assert_uint_eq(p->n_groups, 2);
	ck_assert_str_eq(track_name(0), "one.folded");
	ck_assert_str_eq(track_name(1), "two.folded");
	ck_assert_int_eq(total("samples"), 3);
	ck_assert(!p->complete);
	ck_assert_ptr_nonnull(strstr(p->why, "none: ")); /* the first that is missing or damaged */
	load_free(l);
	buf_release(&text);
	unlink(path[0]);
	unlink(path[2]);
	unlink(path[3]);
	rmdir(dir);
}
END_TEST

UNIT(merge)
{
	Suite *suite = suite_create("merge");
	TCase *t = tcase_create("merge");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, counted_and_carried_join);
	tcase_add_test(t, hidden_counts_stay_hidden);
	tcase_add_test(t, counts_are_weighed_with_values);
	tcase_add_test(t, another_unit_is_another_metric);
	tcase_add_test(t, decimals_join);
	tcase_add_test(t, the_first_file_chooses_the_metric);
	tcase_add_test(t, a_comparison_begins_with_what_both_have);
	tcase_add_test(t, alike_functions);
	tcase_add_test(t, functions_elsewhere);
	tcase_add_test(t, functions_by_path);
	tcase_add_test(t, merged_functions_elsewhere);
	tcase_add_test(t, merged_functions_are_not_guessed);
	tcase_add_test(t, a_refused_file_leaves_nothing);
	tcase_add_test(t, series_of_a_refused_file_stay_readable);
	tcase_add_test(t, loading_files);
	suite_add_tcase(suite, t);
	return suite;
}
