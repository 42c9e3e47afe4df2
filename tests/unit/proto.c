#include "src/input/proto.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Messages: bytes from the encoding's own documentation, random messages that a small writer
 * here makes, and every cut of them. */

static void
put_varint(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(out, (char)(v | 0x80));
	buf_addc(out, (char)v);
}

START_TEST(test_documented)
{
	/* "08 96 01": field 1 is 150; "12 07 testing": field 2; "32 06 03 8e 02 9e a7 05":
	 * field 6, packed, is 3, 270, 86942 */
	static const char bytes[] = "\x08\x96\x01\x12\x07testing\x32\x06\x03\x8e\x02\x9e\xa7\x05";
	struct proto p = proto_over(bytes, sizeof bytes - 1);
	struct proto_field f;
	uint64_t v;

	ck_assert(proto_next(&p, &f) && f.number == 1 && f.type == PROTO_VARINT && f.value == 150);
	ck_assert(proto_next(&p, &f) && f.number == 2 && f.type == PROTO_BYTES && f.len == 7);
	ck_assert(!memcmp(f.at, "testing", 7));
	ck_assert(proto_next(&p, &f) && f.number == 6);
	struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
	ck_assert(proto_number(&n, &v) && v == 3);
	ck_assert(proto_number(&n, &v) && v == 270);
	ck_assert(proto_number(&n, &v) && v == 86942);
	ck_assert(!proto_number(&n, &v) && !n.c.bad);
	ck_assert(!proto_next(&p, &f) && !p.c.bad);
}
END_TEST

START_TEST(test_malformed)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool torn;
	} bad[] = {
		{"\x00\x01", 2, false},         /* no field is 0 */
		{"\x0e\x01", 2, false},         /* type 6 */
		{"\x12\x05" "ab", 4, true},     /* five bytes, two there */
		{"\x08", 1, true},              /* a tag alone */
		{"\x09\x01\x02", 3, true},      /* a fixed64 of two bytes */
		{"\x0c", 1, false},             /* closes a group that was not opened */
		{"\x0b\x08\x01", 3, true},      /* a group without its end */
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, false},
	};
	struct proto p = proto_over(bad[_i].bytes, bad[_i].len);
	struct proto_field f;

	while (proto_next(&p, &f))
		;
	ck_assert(p.c.bad);
	ck_assert(p.c.torn == bad[_i].torn);
}
END_TEST

START_TEST(test_groups)
{
	/* 1: 5, group 2 { 1: 6, group 3 {} }, 4: 7 */
	static const char bytes[] = "\x08\x05\x13\x08\x06\x1b\x1c\x14\x20\x07";
	struct proto p = proto_over(bytes, sizeof bytes - 1);
	struct proto_field f;

	ck_assert(proto_next(&p, &f) && f.number == 1 && f.value == 5);
	ck_assert(proto_next(&p, &f) && f.number == 4 && f.value == 7);
	ck_assert(!proto_next(&p, &f) && !p.c.bad);

	struct input *in = input_open_bytes(bytes, sizeof bytes - 1, "groups");
	uint64_t offset;
	struct err e;
	err_init(&e);
	ck_assert(proto_next_of_input(in, &f, &offset, &e) && f.value == 5 && offset == 0);
	ck_assert(proto_next_of_input(in, &f, &offset, &e) && f.value == 7 && offset == 8);
	ck_assert(!proto_next_of_input(in, &f, &offset, &e) && !err_is_set(&e));
	input_close(in);
	in = input_open_bytes(bytes, 7, "groups"); /* its end is missing */
	ck_assert(proto_next_of_input(in, &f, &offset, &e));
	ck_assert(!proto_next_of_input(in, &f, &offset, &e) && e.offset == 2);
	input_close(in);
}
END_TEST

/* A field that is not written as its schema has it is malformed, and the length of a text is no
 * number. */
START_TEST(test_types)
{
	static const struct proto_types types = {
		.numbers = PROTO_BIT(1) | PROTO_BIT(40),
		.lists = PROTO_BIT(2),
		.bytes = PROTO_BIT(3),
		.fixed64 = PROTO_BIT(5),
		.fixed_lists = PROTO_BIT(6),
	};
	static const struct {
		const char *bytes;
		size_t len;
		bool good;
	} fields[] = {
		{"\x08\x05", 2, true},      {"\x0a\x01x", 3, false}, {"\x09" "12345678", 9, false},
		{"\x10\x05", 2, true},      {"\x12\x01\x05", 3, true}, {"\x15" "1234", 5, false},
		{"\x18\x05", 2, false},     {"\x1a\x01x", 3, true},  {"\x1d" "1234", 5, false},
		{"\x20\x05", 2, true},      {"\x22\x01x", 3, true},  {"\x25" "1234", 5, true},
		{"\x28\x05", 2, false},     {"\x2a\x01x", 3, false}, {"\x2d" "1234", 5, false},
		{"\x29" "12345678", 9, true},
		{"\x30\x05", 2, false},     {"\x32\x01x", 3, true},  {"\x35" "1234", 5, false},
		{"\x31" "12345678", 9, true},
		{"\xc0\x02\x05", 3, true},  {"\xc2\x02\x01x", 4, false},
		{"\x82\x02\x01x", 4, true}, {"\x80\x02\x05", 3, true},
	};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		struct proto p = proto_over(fields[i].bytes, fields[i].len);
		struct proto_field f;
		ck_assert(proto_next_of(&p, &types, &f) == fields[i].good);
		ck_assert(p.c.bad == !fields[i].good);
		ck_assert(f.type != PROTO_BYTES || !f.value);
	}
}
END_TEST

enum { FIELDS = 40 };

struct written {
	uint32_t number;
	uint8_t type;
	uint64_t value;
	size_t len, at; /* of its tag */
};

static void
any_message(struct chance *c, struct buf *out, struct written *w)
{
	static const uint8_t types[] = {PROTO_VARINT, PROTO_FIXED64, PROTO_BYTES, PROTO_FIXED32};

	for (int i = 0; i < FIELDS; i++) {
		w[i] = (struct written){
			.number = 1 + (uint32_t)(chance_bits(c) >> (36 + chance_below(c, 27))),
			.type = types[chance_below(c, 4)],
			.value = chance_bits(c) >> chance_below(c, 64),
			.at = out->len,
		};
		put_varint(out, (uint64_t)w[i].number << 3 | w[i].type);
		if (w[i].type == PROTO_VARINT)
			put_varint(out, w[i].value);
		if (w[i].type == PROTO_FIXED32)
			w[i].value = (uint32_t)w[i].value;
		for (unsigned k = 0; w[i].type == PROTO_FIXED64 && k < 8; k++)
			buf_addc(out, (char)(w[i].value >> 8 * k));
		for (unsigned k = 0; w[i].type == PROTO_FIXED32 && k < 4; k++)
			buf_addc(out, (char)(w[i].value >> 8 * k));
		if (w[i].type != PROTO_BYTES)
			continue;
		w[i].len = chance_below(c, 300);
		put_varint(out, w[i].len);
		for (size_t k = 0; k < w[i].len; k++)
			buf_addc(out, (char)(w[i].number + k));
	}
}

static bool
same(const struct proto_field *f, const struct written *w)
{
	if (f->number != w->number || f->type != w->type)
		return false;
	if (f->type != PROTO_BYTES)
		return f->value == w->value;
	for (size_t k = 0; k < f->len; k++)
		if (f->at[k] != (uint8_t)(w->number + k))
			return false;
	return f->len == w->len;
}

/* From memory and as an input, whole and cut anywhere: the fields before the cut come, and
 * the damage is where the first begins that is not whole. */
START_TEST(test_by_chance)
{
	struct chance c;
	struct written w[FIELDS];
	struct buf message = BUF_INIT;

	chance_init(&c, 33 + (uint64_t)_i);
	any_message(&c, &message, w);
	for (size_t len = 0; len <= message.len; len += len < message.len - 400 ? 7 : 1) {
		struct proto p = proto_over(message.at, len);
		struct input *in = input_open_bytes(message.at, len, "message");
		struct proto_field f;
		uint64_t offset = 0;
		struct err e;
		int n = 0, m = 0;
		err_init(&e);
		while (proto_next(&p, &f))
			ck_assert(same(&f, &w[n++]));
		while (proto_next_of_input(in, &f, &offset, &e))
			ck_assert(same(&f, &w[m++]));
		ck_assert_int_eq(n, m);
		ck_assert(p.c.bad == err_is_set(&e));
		bool between = n == FIELDS || w[n].at == len;
		ck_assert(between != err_is_set(&e));
		if (err_is_set(&e))
			ck_assert_uint_eq(e.offset, w[n].at);
		input_close(in);
	}
	buf_release(&message);
}
END_TEST

UNIT(proto)
{
	Suite *suite = suite_create("proto");
	TCase *cases = tcase_create("proto");

	tcase_set_timeout(cases, 120);
	tcase_add_test(cases, test_documented);
	tcase_add_loop_test(cases, test_malformed, 0, 8);
	tcase_add_test(cases, test_groups);
	tcase_add_test(cases, test_types);
	tcase_add_loop_test(cases, test_by_chance, 0, 10);
	suite_add_tcase(suite, cases);
	return suite;
}
