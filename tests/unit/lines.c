/* Lines of a text, by both readers: input_line() and lines_next(). */
#include "src/input/lines.h"

#include <check.h>
#include <string.h>

#include "src/input/input.h"
#include "tests/lib/unit.h"

START_TEST(line_by_line)
{
	static const char text[] = "one\r\n\ntwo\rthree\nlast";
	static const char *const want[] = {"one", "", "two\rthree", "last"};
	static const uint64_t offset[] = {0, 5, 6, 16};
	struct input *in = input_open_bytes(text, sizeof text - 1, "lines");
	size_t len;
	bool ended;
	for (size_t i = 0; i < 4; i++) {
		const char *line = input_line(in, &len, &ended);
		ck_assert(line && len == strlen(want[i]) && !memcmp(line, want[i], len));
		ck_assert(ended == (i < 3));
	}
	ck_assert_ptr_null(input_line(in, &len, &ended));
	ck_assert(input_seek(in, 0));

	struct lines l;
	struct text_line line;
	lines_init(&l, in);
	for (size_t i = 0; i < 4; i++) {
		ck_assert(lines_next(&l, &line));
		ck_assert(line.len == strlen(want[i]) &&
			  !memcmp(line.at, want[i], line.len));
		ck_assert_uint_eq(line.offset, offset[i]);
		ck_assert_uint_eq(l.number, i + 1);
		ck_assert(line.ended == (i < 3) && !line.cut);
	}
	ck_assert(!lines_next(&l, &line));
	input_close(in);
}
END_TEST

UNIT(lines)
{
	Suite *s = suite_create("lines");
	TCase *t = tcase_create("lines");
	tcase_add_test(t, line_by_line);
	suite_add_tcase(s, t);
	return s;
}
