#include "src/input/rows_proto.h"

#include <check.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Random messages, whose values are known, in any order of their fields, some with fields of other
 * wire types, unknown fields, or cut. */

struct inner {
	int64_t n;
};

struct message {
	uint64_t u, fixed, sum;
	int64_t i, small;
	bool truth;
	uint32_t name;
	struct proto_field bytes;
	struct inner in;
	unsigned n_numbers, n_each, n_list;
};

static uint32_t
name_of(struct builder *none, const void *bytes, size_t len)
{
	(void)none;
	(void)bytes;
	return (uint32_t)len + 100;
}

static bool
number_take(struct rows_proto *r, void *object, uint64_t v)
{
	struct message *m = object;

	(void)r;
	m->n_numbers++;
	m->sum = m->sum * 31 + v;
	return true;
}

static bool
each_take(struct rows_proto *r, void *object, const struct proto_field *f)
{
	(void)r;
	((struct message *)object)->n_each += (unsigned)f->len;
	return true;
}

static bool
list_take(struct rows_proto *r, void *parent, void *element)
{
	struct message *m = parent;

	(void)r;
	m->n_list += (unsigned)((struct inner *)element)->n;
	return true;
}

static const struct proto_row inner_rows[] = {
	[1] = {"n", FIELD_INT(struct inner, n)},
};
static const struct proto_table inner_table = PROTO_TABLE("Inner", inner_rows);
static const struct proto_list inner_list = {
	.table = &inner_table, .size = sizeof(struct inner), .end = list_take};

enum { U = 1, I, SMALL, FIXED, TRUTH, NAME, BYTES, IN, NUMBERS, EACH, LIST, FIELDS };
static const struct proto_row rows[] = {
	[U] = {"u", FIELD_UINT(struct message, u)},
	[I] = {"i", FIELD_INT(struct message, i)},
	[SMALL] = {"small", FIELD_INT32(struct message, small)},
	[FIXED] = {"fixed", FIELD_FIXED64(struct message, fixed)},
	[TRUTH] = {"truth", FIELD_BOOL(struct message, truth)},
	[NAME] = {"name", FIELD_NAME(struct message, name)},
	[BYTES] = {"bytes", FIELD_BYTES(struct message, bytes)},
	[IN] = {"in", FIELD_IN(struct message, in, &inner_table)},
	[NUMBERS] = {"numbers", FIELD_NUMBERS(PROTO_VARINT, number_take)},
	[EACH] = {"each", FIELD_EACH(PROTO_BYTES, each_take)},
	[LIST] = {"list", FIELD_LIST(&inner_list)},
};
static const struct proto_table table = PROTO_TABLE("Message", rows);

/* ---- writing ---- */

static void
put_varint(struct buf *out, uint64_t v)
{
	for (; v > 127; v >>= 7)
		buf_addc(out, (char)(v | 128));
	buf_addc(out, (char)v);
}

static void
put_number(struct buf *out, unsigned number, uint64_t v)
{
	put_varint(out, number << 3 | PROTO_VARINT);
	put_varint(out, v);
}

static void
put_bytes(struct buf *out, unsigned number, const void *at, size_t len)
{
	put_varint(out, number << 3 | PROTO_BYTES);
	put_varint(out, len);
	buf_add(out, at, len);
}

static void
put_fixed(struct buf *out, unsigned number, uint64_t v)
{
	put_varint(out, number << 3 | PROTO_FIXED64);
	for (int k = 0; k < 8; k++)
		buf_addc(out, (char)(v >> 8 * k));
}

static uint64_t
any_number(struct chance *c)
{
	return ((uint64_t)chance_below(c, UINT32_MAX) << 32 | chance_below(c, UINT32_MAX)) >>
	       chance_below(c, 64);
}

/* A field, and its effect on the message. */
static void
put_field(struct chance *c, struct buf *out, unsigned number, struct message *m)
{
	struct buf inside = BUF_INIT;
	uint64_t v = any_number(c);
	size_t len = chance_below(c, 300);

	switch (number) {
	case U: put_number(out, number, m->u = v); break;
	case I: put_number(out, number, v); m->i = (int64_t)v; break;
	case SMALL: put_number(out, number, v); m->small = (int32_t)(uint32_t)v; break;
	case FIXED: put_fixed(out, number, m->fixed = v); break;
	case TRUTH: put_number(out, number, v); m->truth = v != 0; break;
	case IN:
	case LIST:
		put_number(&inside, 7, v); /* unknown there */
		put_number(&inside, 1, v & 0xFF);
		put_bytes(out, number, inside.at, inside.len);
		if (number == IN)
			m->in.n = (int64_t)(v & 0xFF);
		else
			m->n_list += (unsigned)(v & 0xFF);
		break;
	case NUMBERS:
		for (unsigned k = chance_below(c, 5); k; k--, v = any_number(c)) {
			put_varint(&inside, v);
			number_take(NULL, m, v);
		}
		put_bytes(out, number, buf_str(&inside), inside.len);
		put_number(out, number, v); /* not packed */
		number_take(NULL, m, v);
		break;
	default:
		for (size_t k = 0; k < len; k++)
			buf_addc(&inside, (char)k);
		put_bytes(out, number, buf_str(&inside), len);
		m->name = number == NAME ? (uint32_t)len + 100 : m->name;
		m->bytes.len = number == BYTES ? len : m->bytes.len;
		m->n_each += number == EACH ? (unsigned)len : 0;
	}
	buf_release(&inside);
}

static void
check_same(const struct message *is, const struct message *should)
{
	ck_assert_uint_eq(is->u, should->u);
	ck_assert_int_eq(is->i, should->i);
	ck_assert_int_eq(is->small, should->small);
	ck_assert_uint_eq(is->fixed, should->fixed);
	ck_assert_uint_eq(is->sum, should->sum);
	ck_assert(is->truth == should->truth && is->name == should->name);
	ck_assert(is->bytes.len == should->bytes.len && is->in.n == should->in.n);
	ck_assert(is->n_numbers == should->n_numbers && is->n_each == should->n_each);
	ck_assert_uint_eq(is->n_list, should->n_list);
}

static bool
read_all(const struct buf *b, size_t len, struct rows_proto *r, struct message *m)
{
	struct proto_field whole = {
		.type = PROTO_BYTES, .at = (const uint8_t *)buf_str(b), .len = len};

	*m = (struct message){0};
	*r = (struct rows_proto){.name = name_of};
	return rows_proto_read(r, &table, &whole, m);
}

START_TEST(test_messages)
{
	struct chance c;

	chance_init(&c, 5 + (uint64_t)_i);
	for (int round = 0; round < 3000; round++) {
		struct message should = {0}, is;
		struct buf b = BUF_INIT;
		struct rows_proto r;
		size_t before = 0;
		for (unsigned n = chance_below(&c, 20); n; n--) {
			before = b.len;
			if (chance_one_in(&c, 10))
				put_fixed(&b, FIELDS + chance_below(&c, 5000), 7);
			else
				put_field(&c, &b, 1 + chance_below(&c, FIELDS - 1), &should);
		}
		ck_assert(read_all(&b, b.len, &r, &is) && !r.fault);
		check_same(&is, &should);
		if (b.len > before + 1) { /* within the last field, if it is not a sum of several */
			bool whole = read_all(&b, b.len - 1, &r, &is);
			ck_assert(whole || (r.fault && !r.wrong));
		}
		buf_release(&b);
	}
}
END_TEST

START_TEST(test_wrong_types)
{
	for (unsigned number = 1; number < FIELDS; number++) {
		struct buf b = BUF_INIT;
		struct rows_proto r;
		struct message m;
		struct err e;
		put_number(&b, U, 42);
		size_t at = b.len;
		if (rows[number].type == PROTO_BYTES || number == NUMBERS)
			put_fixed(&b, number, 9);
		else
			put_bytes(&b, number, "ninebytes", 9);
		put_number(&b, U, 43);
		ck_assert(!read_all(&b, b.len, &r, &m));
		ck_assert_uint_eq(m.u, 42);
		ck_assert(r.wrong == &rows[number] && r.of == &table);
		ck_assert_uint_eq((size_t)(r.fault - (const uint8_t *)b.at), at);
		err_init(&e);
		ck_assert(!rows_proto_damage(&r, 7, &e) && e.offset == 7);
		ck_assert(strstr(e.text, rows[number].name) != NULL);
		buf_release(&b);
	}
}
END_TEST

/* Elements of arrays: each is new, and one with a fault stays only where its row says so. */
struct arrays {
	VEC(struct element {
		int64_t n;
		uint32_t text;
	}) kept, other;
};

static uint32_t
text_of(void *context, uint64_t index)
{
	return *(uint32_t *)context + (uint32_t)index;
}

static const struct proto_row element_rows[] = {
	[1] = {"n", FIELD_INT(struct element, n)},
	[2] = {"text", FIELD_INDEX(struct element, text)},
};
static const struct proto_table element_table = PROTO_TABLE("Element", element_rows);
static const struct proto_row arrays_rows[] = {
	[1] = {"kept", FIELD_VEC(struct arrays, kept, &element_table), .keep = true},
	[2] = {"other", FIELD_VEC(struct arrays, other, &element_table)},
};
static const struct proto_table arrays_table = PROTO_TABLE("Arrays", arrays_rows);

START_TEST(test_arrays)
{
	uint32_t first_text = 500;
	struct rows_proto r = {.context = &first_text, .text = text_of};
	struct arrays a = {.kept = VEC_INIT};

	for (unsigned i = 0; i < 100; i++) {
		struct buf b = BUF_INIT;
		bool faulty = i % 3 == 2;
		put_number(&b, 1, i);
		if (faulty)
			put_fixed(&b, 2, 9);
		else if (i % 2)
			put_number(&b, 2, i);
		struct proto_field f = {.number = 1 + i % 2,
					.type = PROTO_BYTES,
					.at = (const uint8_t *)b.at,
					.len = b.len};
		ck_assert(rows_proto_field(&r, &arrays_table, &f, f.at, &a) == !faulty);
		buf_release(&b);
	}
	ck_assert(r.fault && r.of == &element_table && r.wrong == &element_rows[2]);
	ck_assert_uint_eq(a.kept.n, 50);
	ck_assert_uint_eq(a.other.n, 34);
	for (size_t k = 0, i = 1; k < a.other.n; k++, i += i % 3 == 0 ? 4 : 2) {
		ck_assert_int_eq(a.other.at[k].n, (int64_t)i);
		ck_assert_uint_eq(a.other.at[k].text, 500 + (uint32_t)i);
	}
	for (size_t k = 0; k < a.kept.n; k++) {
		ck_assert_int_eq(a.kept.at[k].n, 2 * (int64_t)k);
		ck_assert_uint_eq(a.kept.at[k].text, 0);
	}
	vec_release(&a.kept);
	vec_release(&a.other);
}
END_TEST

UNIT(rows_proto)
{
	Suite *suite = suite_create("rows_proto");
	TCase *cases = tcase_create("rows_proto");

	tcase_add_loop_test(cases, test_messages, 0, 3);
	tcase_add_test(cases, test_wrong_types);
	tcase_add_test(cases, test_arrays);
	suite_add_tcase(suite, cases);
	return suite;
}
