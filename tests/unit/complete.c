/* complete.c - compares the proposals of Tab with patterns written by hand, and checks that
 * each proposal, as a pattern, matches the name that it came from. */
#include "ui/part/complete.h"

#include <check.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/lens/match.h"
#include "tests/lib/unit.h"

struct made {
	struct profile *p;
	struct builder *b;
};

static name_id
name_of(struct made *m, const char *text)
{
	return builder_name(m->b, text, strlen(text));
}

static void
add(struct made *m, const char *name, const char *file, const char *module)
{
	function_id f = builder_function_named(m->b, name, strlen(name));
	struct function of = builder_function_get(m->b, f);
	of.file = name_of(m, file);
	of.module = name_of(m, module);
	builder_function(m->b, of);
}

static void
make(struct made *m)
{
	*m = (struct made){.p = profile_new()};
	m->b = builder_new(m->p, "complete", "test");
	add(m, "parse", "src/parse.c", "libtext.so.1");
	add(m, "parse_line", "src/parse.c", "libtext.so.1");
	add(m, "std::vector<int>::push_back(int&&)", "vector.h", "shop");
	add(m, "operator[]", "vector.h", "shop");
	add(m, "gr\xc3\xb6\xc3\x9f" "e", "x.c", "shop");
	add(m, "gr\xc3\xb6\xc3\xa4" "n", "x.c", "shop");
	add(m, "tab\there", "x.c", "shop");
	add(m, "bad\xff", "x.c", "shop");
	builder_track(m->b, "worker 1", 8, TRACK_THREAD);
	builder_track(m->b, "worker 2", 8, TRACK_THREAD);
	builder_track(m->b, "worker 2", 8, TRACK_THREAD);
}

static void
drop(struct made *m)
{
	builder_free(m->b);
	profile_free(m->p);
}

static const struct {
	const char *typed, *becomes;
	size_t names;
	enum complete_what what;
} cases[] = {
	{"pa", "parse", 2, COMPLETE_FRAMES},
	{"parse_", "parse_line", 1, COMPLETE_FRAMES},
	{"!pa", "!parse", 2, COMPLETE_FRAMES},
	{"^pa", "^parse", 2, COMPLETE_FRAMES},
	{"=pa", "=parse", 2, COMPLETE_FRAMES},
	{"std", "std::vector<int>::push_back\\(int&&\\)", 1, COMPLETE_FRAMES},
	{"=std", "=std::vector<int>::push_back(int&&)", 1, COMPLETE_FRAMES},
	{"std::vector<int>::push_back\\(", "std::vector<int>::push_back\\(int&&\\)", 1,
	 COMPLETE_FRAMES},
	{"op", "operator\\[\\]", 1, COMPLETE_FRAMES},
	{"gr", "gr\xc3\xb6", 2, COMPLETE_FRAMES}, /* the two differ within a character */
	{"tab", "tab", 0, COMPLETE_FRAMES},       /* cannot be typed */
	{"bad", "bad", 0, COMPLETE_FRAMES},
	{"arse", "arse", 0, COMPLETE_FRAMES}, /* names that begin so */
	{"file:src", "file:src/parse\\.c", 1, COMPLETE_FRAMES},
	{"module:l", "module:libtext\\.so\\.1", 1, COMPLETE_FRAMES},
	{"libt", "module:libtext\\.so\\.1", 1, COMPLETE_FRAMES},
	{"!libt", "!module:libtext\\.so\\.1", 1, COMPLETE_FRAMES},
	{"vec", "file:vector\\.h", 1, COMPLETE_FRAMES},
	{"fn:vec", "fn:vec", 0, COMPLETE_FRAMES}, /* asked for: no other subject */
	{"wor", "wor", 0, COMPLETE_FRAMES},
	{"wor", "worker ", 2, COMPLETE_TRACKS},
	{"worker 1", "worker 1", 1, COMPLETE_TRACKS},
	{"pa", "pa", 0, COMPLETE_TRACKS},
};

START_TEST(test_cases)
{
	struct made m;
	struct complete k = {.text = BUF_INIT};
	make(&m);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		complete_pattern(&k, m.p, cases[i].typed, strlen(cases[i].typed),
				 cases[i].what);
		ck_assert_msg(k.names.n == cases[i].names, "%s: %zu names", cases[i].typed,
			      k.names.n);
		if (k.names.n)
			ck_assert_str_eq(buf_str(&k.text), cases[i].becomes);
	}
	complete_release(&k);
	drop(&m);
}
END_TEST

/* Nothing typed: all functions that can be typed, in their order. */
START_TEST(test_order)
{
	struct made m;
	struct complete k = {.text = BUF_INIT};
	make(&m);
	complete_pattern(&k, m.p, "", 0, COMPLETE_FRAMES);
	ck_assert_uint_eq(k.names.n, 6);
	for (size_t i = 1; i < k.names.n; i++)
		ck_assert_int_lt(strcmp(names_get(&m.p->names, k.names.at[i - 1]).at,
					names_get(&m.p->names, k.names.at[i]).at),
				 0);
	complete_release(&k);
	drop(&m);
}
END_TEST

/* A name that is typed as far as it is the only one becomes a pattern that matches it. */
START_TEST(test_matches)
{
	struct made m;
	struct complete all = {.text = BUF_INIT}, one = {.text = BUF_INIT};
	struct err e;
	err_init(&e);
	make(&m);
	complete_pattern(&all, m.p, "", 0, COMPLETE_FRAMES);
	for (size_t i = 0; i < all.names.n; i++) {
		struct name n = names_get(&m.p->names, all.names.at[i]);
		struct buf typed = BUF_INIT;
		buf_addc(&typed, '=');
		buf_add(&typed, n.at, n.len);
		complete_pattern(&one, m.p, buf_str(&typed), typed.len, COMPLETE_FRAMES);
		ck_assert_uint_ge(one.names.n, 1);
		struct pattern *pattern = pattern_new(buf_str(&one.text), one.text.len, &e);
		ck_assert_ptr_nonnull(pattern);
		pattern_unref(pattern);
		buf_release(&typed);
	}
	complete_release(&all);
	complete_release(&one);
	drop(&m);
}
END_TEST

UNIT(complete)
{
	Suite *suite = suite_create("complete");
	TCase *t = tcase_create("complete");
	tcase_add_test(t, test_cases);
	tcase_add_test(t, test_order);
	tcase_add_test(t, test_matches);
	suite_add_tcase(suite, t);
	return suite;
}
