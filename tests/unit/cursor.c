/* Reads that fit, reads that do not, and varints at their limits. */
#include "src/input/cursor.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/unit.h"

START_TEST(numbers)
{
	static const uint8_t bytes[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF};
	struct cursor c = cursor_over(bytes, 8);
	ck_assert_uint_eq(cursor_u64(&c), 0xEFCDAB8967452301u);
	c = cursor_over(bytes, 8);
	c.big_endian = true;
	ck_assert_uint_eq(cursor_u64(&c), 0x0123456789ABCDEFu);
	c.at = c.start;
	ck_assert_uint_eq(cursor_u16(&c), 0x0123);
	ck_assert_uint_eq(cursor_u32(&c), 0x456789ABu);
	c.big_endian = false;
	c.at = c.start + 1;
	ck_assert_uint_eq(cursor_u16(&c), 0x4523);
	ck_assert_uint_eq(cursor_u32(&c), 0xCDAB8967u);
	ck_assert_uint_eq(cursor_left(&c), 1);
	ck_assert(!c.bad);
	ck_assert_uint_eq(cursor_u16(&c), 0);
	ck_assert(c.bad && c.torn);
	/* It stays where the fault was, and gives nothing more. */
	ck_assert_uint_eq(cursor_left(&c), 1);
	ck_assert_uint_eq(cursor_u16(&c), 0);
	c = cursor_over(NULL, 0);
	ck_assert_uint_eq(cursor_u32(&c), 0);
	ck_assert(c.bad);
}
END_TEST

static uint64_t
varint(const char *bytes, size_t len, bool *bad, bool *torn, size_t *used)
{
	struct cursor c = cursor_over(bytes, len);
	uint64_t v = cursor_varint(&c);
	*bad = c.bad;
	*torn = c.torn;
	*used = len - cursor_left(&c);
	return v;
}

START_TEST(varints)
{
	bool bad, torn;
	size_t used;
	ck_assert_uint_eq(varint("\x00", 1, &bad, &torn, &used), 0);
	ck_assert_uint_eq(varint("\xAC\x02", 2, &bad, &torn, &used), 300);
	ck_assert_uint_eq(used, 2);
	ck_assert_uint_eq(varint("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10, &bad,
				 &torn, &used),
			  UINT64_MAX);
	ck_assert(!bad);
	/* over-long but of the right value is a varint all the same */
	ck_assert_uint_eq(varint("\x85\x80\x00", 3, &bad, &torn, &used), 5);
	ck_assert(!bad);
	/* 65 bits; eleven bytes: malformed, more bytes would not help */
	varint("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 10, &bad, &torn, &used);
	ck_assert(bad && !torn && used == 0);
	varint("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, &bad, &torn, &used);
	ck_assert(bad && !torn);
	/* the bytes end inside */
	varint("\x80\x80", 2, &bad, &torn, &used);
	ck_assert(bad && torn && used == 0);
	varint("", 0, &bad, &torn, &used);
	ck_assert(bad && torn);
}
END_TEST

/* A varint that lies completely in eight bytes is read at once, with the same result as byte by
 * byte, whatever follows. */
START_TEST(varints_at_once)
{
	uint64_t x = 88172645463325252u;
	for (int round = 0; round < 20000; round++) {
		uint8_t bytes[16];
		for (int i = 0; i < 16; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			bytes[i] = (uint8_t)(x >> 40) | (round % 9 > i ? 0x80 : 0);
		}
		struct cursor c = cursor_over(bytes, sizeof bytes);
		uint64_t want = cursor_varint(&c), got = 0;
		unsigned n = bytes_varint(bytes, &got);
		if (!c.bad && c.at - c.start <= 8) {
			ck_assert_uint_eq(n, (unsigned)(c.at - c.start));
			ck_assert_uint_eq(got, want);
		} else {
			ck_assert_uint_eq(n, 0);
		}
	}
}
END_TEST

START_TEST(text)
{
	size_t len;
	struct cursor c = cursor_over("ab\0\0cd", 6);
	const char *s = cursor_cstring(&c, &len);
	ck_assert(s && len == 2 && !memcmp(s, "ab", 3));
	s = cursor_cstring(&c, &len);
	ck_assert(s && len == 0);
	ck_assert_ptr_null(cursor_cstring(&c, &len));
	ck_assert(c.bad && c.torn && cursor_left(&c) == 2);

	c = cursor_over("abc", 3);
	ck_assert_ptr_nonnull(cursor_bytes(&c, 3));
	ck_assert_ptr_nonnull(cursor_bytes(&c, 0));
	ck_assert_ptr_null(cursor_bytes(&c, SIZE_MAX));
	ck_assert(c.bad);

	/* the end of the bytes ends a text too */
	c = cursor_over("ab\0cd", 5);
	s = cursor_text(&c, &len);
	ck_assert(len == 2 && !memcmp(s, "ab", 3) && cursor_left(&c) == 2);
	s = cursor_text(&c, &len);
	ck_assert(len == 2 && !memcmp(s, "cd", 2) && cursor_left(&c) == 0);
	cursor_text(&c, &len);
	ck_assert(len == 0 && !c.bad);
	cursor_u16(&c);
	cursor_text(&c, &len);
	ck_assert(len == 0 && c.bad);
}
END_TEST

UNIT(cursor)
{
	Suite *s = suite_create("cursor");
	TCase *t = tcase_create("reads");
	tcase_add_test(t, numbers);
	tcase_add_test(t, varints);
	tcase_add_test(t, varints_at_once);
	tcase_add_test(t, text);
	suite_add_tcase(s, t);
	return s;
}
