/* proto.h - the fields of protocol-buffer messages (protobuf.dev, "Encoding"), without their
 * schema.
 *
 *	struct proto p = proto_over(bytes, len);
 *	struct proto_field f;
 *	while (proto_next(&p, &f))
 *		switch (f.number) ...
 *	if (p.c.bad) ...                        -- malformed at p.c.at
 *
 * Fields have no order. The last value of a repeated single field counts. A writer may pack a
 * repeated number or not; proto_numbers() reads both. proto_next_of() knows the wire types of a
 * message's fields and treats other types as damage, so the length of a text is never read as a
 * number. Groups, which no current writer uses, are skipped. */
#ifndef PNAV_SRC_INPUT_PROTO_H
#define PNAV_SRC_INPUT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

enum proto_type { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
	uint32_t number;
	uint8_t type;      /* enum proto_type */
	uint64_t value;    /* 0 for bytes */
	const uint8_t *at; /* the bytes, borrowed from the message */
	size_t len;
};

struct proto {
	struct cursor c;
};

static inline struct proto
proto_over(const void *bytes, size_t len)
{
	struct proto p;

	p.c = cursor_over(bytes, len);
	return p;
}

/* proto_next() for all fields that proto_take_plain() leaves. */
bool proto_next_any(struct proto *p, struct proto_field *out);

/* Takes a complete number or run of bytes after a tag of one or two bytes, as nearly all fields
 * are. Returns false and takes nothing in all other cases. */
static inline bool
proto_take_plain(struct cursor *c, struct proto_field *out)
{
	const uint8_t *at = c->at;
	uint64_t value;

	if (cursor_left(c) < 2)
		return false;
	uint32_t tag = *at++;
	if (tag >= 0x80) {
		if (*at >= 0x80 || c->end - at < 2)
			return false;
		tag = (tag & 0x7F) | (uint32_t)*at++ << 7;
	}
	uint8_t type = tag & 7;
	if (tag < 8 || (type != PROTO_VARINT && type != PROTO_BYTES))
		return false;
	if (*at < 0x80) {
		value = *at++;
	} else if (c->end - at >= 2 && at[1] < 0x80) { /* also near the end */
		value = (at[0] & 0x7Fu) | (uint32_t)at[1] << 7;
		at += 2;
	} else {
		unsigned n = c->end - at < 8 ? 0 : bytes_varint(at, &value);
		if (!n)
			return false;
		at += n;
	}
	*out = (struct proto_field){.number = tag >> 3, .type = type, .value = value};
	if (type == PROTO_BYTES) {
		if (value > (size_t)(c->end - at))
			return false;
		out->value = 0;
		out->at = at;
		out->len = (size_t)value;
		at += value;
	}
	c->at = at;
	return true;
}

/* Takes the number after a tag of one byte, which the caller has compared. Returns false and takes
 * nothing if the number is unusual. */
static inline bool
proto_take_number(struct proto *p, uint64_t *value)
{
	const uint8_t *at = p->c.at + 1;
	size_t left = cursor_left(&p->c);
	unsigned n = 1;

	if (left < 2)
		return false;
	if (*at < 0x80) {
		*value = *at;
	} else if (left > 2 && at[1] < 0x80) {
		*value = (at[0] & 0x7Fu) | (uint32_t)at[1] << 7;
		n = 2;
	} else {
		n = left < 9 ? 0 : bytes_varint(at, value);
	}
	p->c.at += n ? n + 1 : 0;
	return n;
}

/* The same for a text or message of less than 128 bytes. */
static inline bool
proto_take_short(struct proto *p, struct proto_field *out)
{
	const uint8_t *at = p->c.at;
	size_t left = cursor_left(&p->c);

	if (left < 2 || at[1] >= 0x80 || at[1] > left - 2)
		return false;
	*out = (struct proto_field){
		.number = at[0] >> 3, .type = PROTO_BYTES, .at = at + 2, .len = at[1]};
	p->c.at += 2u + at[1];
	return true;
}
#define PROTO_TAG(number, type) ((number) << 3 | (type))

/* Reads the next field. Returns false at the end, and if the message is malformed (p->c.bad). */
static inline bool
proto_next(struct proto *p, struct proto_field *out)
{
	struct proto_field any; /* so that *out may stay in registers */

	if (!p->c.bad && proto_take_plain(&p->c, out))
		return true;
	if (!cursor_left(&p->c) || !proto_next_any(p, &any))
		return false;
	*out = any;
	return true;
}

/* The wire types of the fields of a message, from its schema: one bit for each number below 64.
 * Fields in none of these sets may have any type. */
struct proto_types {
	uint64_t numbers;     /* one varint, or several fields of it */
	uint64_t lists;       /* numbers, packed or not */
	uint64_t bytes;       /* texts and messages */
	uint64_t fixed64;     /* one number of 8 bytes, or several fields of it */
	uint64_t fixed_lists; /* numbers of 8 bytes, packed or not */
};
#define PROTO_BIT(number) (UINT64_C(1) << (number))
#define PROTO_BITS(first, last) ((PROTO_BIT(last) << 1) - PROTO_BIT(first))

/* Returns true if the field has the wire type of its schema. Without a branch for numbers and
 * bytes, whose order no processor predicts. */
static inline bool
proto_fits(const struct proto_field *f, const struct proto_types *t)
{
	uint64_t no_varint = t->bytes | t->fixed64 | t->fixed_lists;
	uint64_t no_bytes = t->numbers | t->fixed64;
	uint64_t no_fixed = t->numbers | t->lists | t->bytes;
	uint64_t wrong = no_varint ^ ((no_varint ^ no_bytes) & -(uint64_t)(f->type >> 1 & 1));

	if (__builtin_expect(f->type & 1, 0))
		wrong = f->type == PROTO_FIXED64 ? no_fixed : no_fixed | no_varint;
	return __builtin_expect(!(wrong >> (f->number & 63) & 1), 1) || f->number > 63;
}

/* proto_next() with a check of the wire types: another type is malformed. */
static inline bool
proto_next_of(struct proto *p, const struct proto_types *t, struct proto_field *out)
{
	if (!proto_next(p, out))
		return false;
	p->c.bad = !proto_fits(out, t);
	return !p->c.bad;
}

static inline struct proto
proto_inside(const struct proto_field *f)
{
	return proto_over(f->type == PROTO_BYTES ? f->at : NULL,
			  f->type == PROTO_BYTES ? f->len : 0);
}

/* The numbers in one field of a repeated number: all packed ones, or a single one. */
struct proto_numbers {
	struct cursor c;
	uint8_t type; /* the wire type of each number */
	bool one;
	uint64_t value;
};

/* `type` is the wire type of a single number of the schema. */
static inline struct proto_numbers
proto_numbers(const struct proto_field *f, enum proto_type type)
{
	bool packed = f->type == PROTO_BYTES;

	return (struct proto_numbers){.c = cursor_over(packed ? f->at : NULL, packed ? f->len : 0),
				      .type = (uint8_t)type,
				      .one = !packed,
				      .value = f->value};
}

/* Reads the next number. Returns false after the last, and if it is malformed (n->c.bad). */
static inline bool
proto_number(struct proto_numbers *n, uint64_t *out)
{
	if (n->one) {
		n->one = false;
		*out = n->value;
		return true;
	}
	if (!cursor_left(&n->c) || n->c.bad)
		return false;
	*out = n->type == PROTO_FIXED64 ? cursor_u64(&n->c)
	       : n->type == PROTO_FIXED32 ? cursor_u32(&n->c)
					  : cursor_varint(&n->c);
	return !n->c.bad;
}

/* Reads the next field of a message that is a whole input and may exceed memory. Its bytes lie in
 * the window until the next call; *offset is that of its tag. Returns false at the end, with *e
 * unchanged, and at a malformed or incomplete field, with damage in *e. */
bool proto_next_of_input(struct input *in, struct proto_field *out, uint64_t *offset,
			 struct err *e);

#endif
