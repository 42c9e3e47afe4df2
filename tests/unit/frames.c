#include "model/profile/frames.h"

#include <check.h>
#include <string.h>

#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Functions and frames: every field distinguishes two of them; profile(1)'s rule for their
 * kind. */

START_TEST(test_functions)
{
	static const struct function base = {1, 2, 3, 4, KIND_USER, false};
	struct function other[6] = {base, base, base, base, base, base};
	struct frames t;

	other[0].name = 9;
	other[1].file = 9;
	other[2].module = 9;
	other[3].line = 9;
	other[4].kind = KIND_SYSTEM;
	other[5].last = true;
	frames_init(&t);
	function_id id = frames_function(&t, base);
	for (int i = 0; i < 6; i++) {
		function_id o = frames_function(&t, other[i]);
		ck_assert_uint_ne(o, id);
		ck_assert_uint_eq(frames_function(&t, other[i]), o);
		struct function is = frames_get_function(&t, o);
		ck_assert_uint_eq(is.name, other[i].name);
		ck_assert_uint_eq(is.file, other[i].file);
		ck_assert_uint_eq(is.module, other[i].module);
		ck_assert_uint_eq(is.line, other[i].line);
		ck_assert_uint_eq(is.kind, other[i].kind);
		ck_assert_uint_eq(is.last, other[i].last);
	}
	ck_assert_uint_eq(frames_function(&t, base), id);
	ck_assert_uint_eq(t.n_functions, 7);
	frames_release(&t);
}
END_TEST

/* Names in order need no array; others, before, between and after them, make one. */
START_TEST(test_names_out_of_order)
{
	static const name_id names[] = {5, 6, 7, 9, 8, 2, 20, 10};
	enum { N = sizeof names / sizeof *names };
	struct frames t, copy;

	frames_init(&t);
	for (uint32_t i = 0; i < N; i++) {
		ck_assert_uint_eq(frames_function(&t, (struct function){.name = names[i]}), i);
		ck_assert_int_eq(t.bare.at != NULL, i > 2);
		frames_copy(&copy, &t);
		for (uint32_t k = 0; k <= i; k++)
			ck_assert_uint_eq(
				frames_function(&copy, (struct function){.name = names[k]}), k);
		ck_assert_uint_eq(frames_function(&copy, (struct function){.name = 3}), i + 1);
		frames_release(&copy);
	}
	frames_release(&t);
}
END_TEST

START_TEST(test_frames)
{
	static const struct line lines[] = {
		{0, 0, LINE_UNKNOWN}, {0, 0, LINE_PLAIN},  {7, 0, LINE_PLAIN},
		{7, 0, LINE_CLAUSE},  {7, 1, LINE_CLAUSE}, {UINT32_MAX, 255, LINE_CLAUSE},
	};
	struct frames t;
	frame_id id[2][6];

	frames_init(&t);
	for (uint32_t f = 0; f < 2; f++)
		frames_function(&t, (struct function){.name = f});
	for (uint32_t f = 0; f < 2; f++)
		for (int i = 0; i < 6; i++)
			id[f][i] = frames_put(&t, f, lines[i]);
	ck_assert_uint_eq(t.n, 12);
	for (uint32_t f = 0; f < 2; f++)
		for (int i = 0; i < 6; i++) {
			ck_assert_uint_eq(frames_put(&t, f, lines[i]), id[f][i]);
			ck_assert_uint_eq(frames_get(&t, id[f][i]).function, f);
			ck_assert_uint_eq(frames_get(&t, id[f][i]).line.number, lines[i].number);
		}
	frames_release(&t);
}
END_TEST

/* An address and the flag for inlined frames distinguish frames, and no frame is made twice;
 * the column of addresses grows with the table. */
START_TEST(test_variants)
{
	const struct frame plain = {.line = line_plain(7)},
			   inlined = {.line = line_plain(7), .inlined = true};
	struct frames t, copy;

	frames_init(&t);
	frames_function(&t, (struct function){.name = 1});
	ck_assert_uint_eq(frames_put_at(&t, plain, ADDRESS_NONE), 0);
	ck_assert(!t.address && !t.any_inlined && !t.n_variants);
	ck_assert_uint_eq(frames_put(&t, 0, line_plain(7)), 0);
	for (uint64_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 1000; i++) {
			uint64_t at = (uint64_t)i << (i % 2 ? 32 : 0);
			const struct frame *f = i % 3 ? &plain : &inlined;
			ck_assert_uint_eq(frames_put_at(&t, *f, at), i);
			ck_assert_uint_eq(frames_address(&t, i), at);
		}
	ck_assert_uint_eq(frames_put_at(&t, inlined, ADDRESS_NONE), 1001);
	ck_assert(t.any_inlined && frames_get(&t, 1001).inlined && !frames_get(&t, 0).inlined);
	ck_assert_uint_eq(frames_address(&t, 0), ADDRESS_NONE);
	ck_assert_uint_eq(t.n_variants, 1001);
	frames_copy(&copy, &t);
	ck_assert_uint_eq(frames_put_at(&copy, plain, UINT64_C(1) << 32), 1);
	ck_assert_uint_eq(frames_put_at(&copy, plain, 5000), 1002);
	ck_assert_uint_eq(frames_address(&copy, 1002), 5000);
	frames_release(&copy);
	frames_release(&t);
}
END_TEST

/* Functions of which the name alone is known, and frames without lines, are found without
 * slots: also where several differ in their kind, among others, and in a copy. */
START_TEST(test_bare)
{
	struct frames t, copy;
	enum { NAMES = 3000 };

	frames_init(&t);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < NAMES; i++) {
			uint32_t name = i * 7 % NAMES;
			struct function f = {.name = name};
			ck_assert_uint_eq(frames_function(&t, f), i * 3);
			f.kind = KIND_SYSTEM;
			ck_assert_uint_eq(frames_function(&t, f), i * 3 + 1);
			f.file = 1;
			ck_assert_uint_eq(frames_function(&t, f), i * 3 + 2);
			for (uint32_t k = 0; k < 3; k++) {
				uint32_t at = i * 6 + k * 2;
				ck_assert_uint_eq(frames_put(&t, i * 3 + k, line_plain(1)), at);
				ck_assert_uint_eq(frames_put(&t, i * 3 + k, line_unknown()),
						  at + 1);
			}
		}
	ck_assert_uint_eq(t.n_functions, 3 * NAMES);
	ck_assert_uint_eq(t.n, 6 * NAMES);
	ck_assert_uint_eq(t.function_slots.used, 2 * NAMES);
	ck_assert_uint_eq(t.frame_slots.used, 3 * NAMES);
	frames_copy(&copy, &t);
	ck_assert_uint_eq(frames_function(&copy, (struct function){.name = 7}), 3);
	ck_assert_uint_eq(frames_function(&copy, (struct function){.name = NAMES}), 3 * NAMES);
	ck_assert_uint_eq(frames_put(&copy, 3 * NAMES, line_unknown()), 6 * NAMES);
	ck_assert_uint_eq(frames_put(&copy, 3, line_unknown()), 7);
	frames_release(&copy);
	frames_release(&t);
}
END_TEST

START_TEST(test_kinds)
{
	static const struct {
		const char *name;
		enum kind kind, dos;
	} kinds[] = {
		{"main", KIND_USER, KIND_USER},
		{"__main", KIND_INTRINSIC, KIND_INTRINSIC},
		{"__memset_avx2", KIND_INTRINSIC, KIND_INTRINSIC},
		{"__init__", KIND_USER, KIND_INTRINSIC},
		{"__x_", KIND_INTRINSIC, KIND_INTRINSIC},
		{"_main", KIND_USER, KIND_USER},
		{"a@b", KIND_USER, KIND_INTRINSIC},
		{"@", KIND_USER, KIND_INTRINSIC},
		{"FNSORT$", KIND_USER, KIND_INTRINSIC},
		{"Map$Node", KIND_USER, KIND_INTRINSIC},
		{"a__b", KIND_USER, KIND_USER},
		{"a__", KIND_USER, KIND_USER},
		{"_", KIND_USER, KIND_USER},
		{"__", KIND_USER, KIND_INTRINSIC},
		{"___", KIND_USER, KIND_INTRINSIC},
		{"", KIND_USER, KIND_USER},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t len = strlen(kinds[i].name);
		ck_assert_int_eq(kind_of_name(kinds[i].name, len), kinds[i].kind);
		ck_assert_int_eq(kind_of_dos_name(kinds[i].name, len), kinds[i].dos);
	}
	ck_assert_str_eq(kind_name(KIND_USER), "user");
	ck_assert_str_eq(kind_name(KIND_INTRINSIC), "intrinsic");
	ck_assert_str_eq(kind_name(KIND_SYSTEM), "system");
}
END_TEST

UNIT(frames)
{
	Suite *suite = suite_create("frames");
	TCase *cases = tcase_create("frames");

	tcase_add_test(cases, test_functions);
	tcase_add_test(cases, test_names_out_of_order);
	tcase_add_test(cases, test_frames);
	tcase_add_test(cases, test_variants);
	tcase_add_test(cases, test_bare);
	tcase_add_test(cases, test_kinds);
	suite_add_tcase(suite, cases);
	return suite;
}
