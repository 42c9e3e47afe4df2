#include "src/input/rows_proto.h"

#include <assert.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* A field's number selects its row, and the row's kind what to store: two loads and a jump for a
 * field. The wire type is compared first, so the length of a text is never read as a number.
 *
 * Messages nest in the C stack, as deep as the tables do.
 *
 * Rejected: upb and nanopb, which build whole messages in memory, know no offsets, and treat fields
 * of another wire type as unknown ones. */

/* Records the first fault. Returns false. */
static bool
fault_at(struct rows_proto *r, const struct proto_table *t, const uint8_t *at,
	 const struct proto_row *wrong)
{
	if (!r->fault) {
		r->fault = at;
		r->of = t;
		r->wrong = wrong;
	}
	return false;
}

/* Appends an element to a VEC() of any type, whose members are those of `v`. */
static bool
vec_read(struct rows_proto *r, const struct proto_row *row, const struct proto_field *f, void *vec)
{
	VEC(char) v;

	memcpy(&v, vec, sizeof v);
	if (v.n == v.cap) {
		v.cap = vec_grown(v.cap, v.n + 1);
		v.at = mem_realloc(v.at, v.cap, row->size);
		memcpy(vec, &v, sizeof v);
	}
	void *element = memset(v.at + v.n * row->size, 0, row->size);
	bool good = rows_proto_read(r, row->by.table, f, element);
	v.n += good || row->keep;
	memcpy(vec, &v, sizeof v);
	return good;
}

static bool
element_read(struct rows_proto *r, const struct proto_list *list, const struct proto_field *f,
	     void *parent)
{
	_Alignas(max_align_t) char element[PROTO_ELEMENT_MAX];

	assert(list->size <= sizeof element);
	memset(element, 0, list->size);
	return rows_proto_read(r, list->table, f, element) && list->end(r, parent, element);
}

static bool
numbers_read(struct rows_proto *r, const struct proto_table *t, const struct proto_row *row,
	     const struct proto_field *f, const uint8_t *at, void *object)
{
	struct proto_numbers n = proto_numbers(f, (enum proto_type)row->type);
	uint64_t value;

	while (proto_number(&n, &value))
		if (!row->by.number(r, object, value))
			return false;
	return !n.c.bad || fault_at(r, t, at, NULL);
}

/* Stores a field that has a row and its wire type; it began at `at`. Inline, since a call for each
 * field costs simpleperf 11 % of its instructions. */
static inline __attribute__((always_inline)) bool
rows_field_take(struct rows_proto *r, const struct proto_table *t, const struct proto_field *f,
		const uint8_t *at, void *object)
{
	const struct proto_row *row = &t->row[f->number];
	void *to = row->at ? (char *)object + row->at : object;

	switch ((enum proto_row_kind)row->kind) {
	case PROTO_ROW_WORD:
		*(uint64_t *)to = f->value;
		return true;
	case PROTO_ROW_INT32:
		*(int64_t *)to = (int32_t)(uint32_t)f->value;
		return true;
	case PROTO_ROW_BOOL:
		*(bool *)to = f->value != 0;
		return true;
	case PROTO_ROW_NAME:
		*(uint32_t *)to = r->name(r->b, f->len ? (const void *)f->at : "", f->len);
		return true;
	case PROTO_ROW_INDEX:
		*(uint32_t *)to = r->text(r->context, f->value);
		return true;
	case PROTO_ROW_BYTES:
		*(struct proto_field *)to = *f;
		return true;
	case PROTO_ROW_MESSAGE:
		return rows_proto_read(r, row->by.table, f, to);
	case PROTO_ROW_VEC:
		return vec_read(r, row, f, to);
	case PROTO_ROW_LIST:
		return element_read(r, row->by.list, f, object);
	case PROTO_ROW_NUMBERS:
		return numbers_read(r, t, row, f, at, object);
	case PROTO_ROW_TAKE:
		return row->by.take(r, object, f);
	case PROTO_ROW_NONE:
	case PROTO_ROW_UNREAD:
		break;
	}
	return true;
}

static inline __attribute__((always_inline)) bool
rows_field(struct rows_proto *r, const struct proto_table *t, const struct proto_field *f,
	   const uint8_t *at, void *object)
{
	if (f->number >= t->n)
		return true;
	if (!rows_proto_fits(t, f))
		return fault_at(r, t, at, &t->row[f->number]);
	return rows_field_take(r, t, f, at, object);
}

bool
rows_proto_field(struct rows_proto *r, const struct proto_table *t, const struct proto_field *f,
		 const uint8_t *at, void *object)
{
	return rows_field(r, t, f, at, object);
}

bool
rows_proto_read(struct rows_proto *r, const struct proto_table *t,
		const struct proto_field *message, void *object)
{
	struct proto p = proto_inside(message);
	const uint8_t *at = p.c.at;
	struct proto_field f;

	for (; proto_next(&p, &f); at = p.c.at)
		if (!rows_field(r, t, &f, at, object))
			return false;
	return !p.c.bad || fault_at(r, t, at, NULL);
}

/* Reads the fields that are whole in the window. Returns false after a fault. */
static bool
window_read(struct rows_proto *r, struct input *in, const struct proto_table *t, void *object)
{
	size_t have;
	uint64_t offset;
	struct proto_field f;
	const uint8_t *start = input_window(in, &have, &offset), *at = start;
	struct cursor c = cursor_over(start, have);
	bool good = true;

	for (; good && proto_take_plain(&c, &f); at = c.at) {
		r->offset = offset + (uint64_t)(at - start);
		good = rows_field(r, t, &f, f.at, object);
	}
	input_skip(in, (size_t)(at - start));
	return good;
}

bool
rows_proto_input(struct rows_proto *r, struct input *in, const struct proto_table *t, void *object,
		 struct err *e)
{
	struct proto_field f;

	r->e = e;
	r->of = NULL;
	while (window_read(r, in, t, object)) {
		if (!proto_next_of_input(in, &f, &r->offset, e))
			return !err_is_set(e);
		if (!rows_proto_field(r, t, &f, f.at, object))
			break;
	}
	return r->of && rows_proto_damage(r, r->offset, e);
}

bool
rows_proto_damage(const struct rows_proto *r, uint64_t offset, struct err *e)
{
	if (!r->wrong)
		return err_damage(e, offset, "%s has a malformed field", r->of->name);
	return err_damage(e, offset, "%s: %s is written as another type", r->of->name,
			  r->wrong->name);
}
