/* proto.h - the fields of protocol-buffer messages (protobuf.dev, "Encoding"), without their
 * schema.
 *
 *	struct proto p = proto_over(bytes, len);
 *	struct proto_field f;
 *	while (proto_next(&p, &f))
 *		switch (f.number) ...
 *	if (p.c.bad) ...                        -- malformed at p.c.at
 *
 * Fields come in any order, and again: the last of a single one counts.  A repeated number is
 * packed or not as its writer likes: proto_numbers() walks either.  Groups, which nobody
 * writes any more, are stepped over. */
#ifndef PNAV_SRC_INPUT_PROTO_H
#define PNAV_SRC_INPUT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/err.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

enum proto_type { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_field {
	uint32_t number;
	uint8_t type;      /* enum proto_type */
	uint64_t value;    /* of all but bytes */
	const uint8_t *at; /* of bytes: borrowed from the message */
	size_t len;
};

struct proto {
	struct cursor c;
};

struct proto proto_over(const void *bytes, size_t len);
/* The next field; false at the end, and where the message is malformed (p->c.bad). */
bool proto_next(struct proto *p, struct proto_field *out);

static inline struct proto
proto_inside(const struct proto_field *f)
{
	return proto_over(f->type == PROTO_BYTES ? f->at : NULL,
			  f->type == PROTO_BYTES ? f->len : 0);
}

static inline int64_t
proto_zigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* The numbers of a repeated field, one field's worth of them: those that are packed in it, or
 * the one that it is. */
struct proto_numbers {
	struct cursor c;
	uint8_t type; /* how each is written */
	bool one;
	uint64_t value;
};

/* `type` is how the schema writes such a number when it is packed. */
struct proto_numbers proto_numbers(const struct proto_field *f, enum proto_type type);
/* The next; false behind the last, and where it is malformed (n->c.bad). */
bool proto_number(struct proto_numbers *n, uint64_t *out);

/* The next field of a message that is a whole input, which may be larger than memory; its
 * bytes lie in the window until the next call.  *offset is that of its tag.  False at the
 * end, with *e untouched; and at a field that is malformed, or not whole (damage). */
bool proto_next_of_input(struct input *in, struct proto_field *out, uint64_t *offset,
			 struct err *e);

#endif
