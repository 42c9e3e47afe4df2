/* rows_proto.h - reads messages of protocol buffers by tables of their fields.
 *
 * The index of a row is its field's number. It states the field's name in the schema, its wire
 * type, and its destination:
 *
 *	struct point { int64_t at; name_id name; };
 *	static const struct proto_row point_rows[] = {
 *		[1] = {"at", FIELD_INT(struct point, at)},
 *		[2] = {"name", FIELD_NAME(struct point, name)},
 *	};
 *	static const struct proto_table point_table = PROTO_TABLE("Point", point_rows);
 *
 *	good = rows_proto_read(&r, &point_table, &field, &point);
 *
 * Fields come in any order; those without a row are skipped. The last of a repeated field
 * counts, unless its row takes each of them. A malformed field, or one of another wire type
 * than its row states, is a fault: the functions return false, and rows_proto_damage()
 * describes the fault. */
#ifndef PNAV_SRC_INPUT_ROWS_PROTO_H
#define PNAV_SRC_INPUT_ROWS_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/proto.h"

struct builder;
struct rows_proto;
struct proto_row;

#define PROTO_ELEMENT_MAX 256u

/* Takes a field of the wire type that its row states. */
typedef bool rows_proto_take(struct rows_proto *r, void *object, const struct proto_field *f);
/* Takes one of repeated numbers, packed or not. */
typedef bool rows_proto_number(struct rows_proto *r, void *object, uint64_t value);

enum proto_row_kind {
	PROTO_ROW_NONE, /* the table has no such field */
	PROTO_ROW_UNREAD,
	PROTO_ROW_WORD, /* 8 bytes: a number of any kind except the next three */
	PROTO_ROW_INT32,
	PROTO_ROW_BOOL,
	PROTO_ROW_NAME,
	PROTO_ROW_INDEX,
	PROTO_ROW_BYTES,
	PROTO_ROW_MESSAGE,
	PROTO_ROW_VEC,
	PROTO_ROW_LIST,
	PROTO_ROW_NUMBERS,
	PROTO_ROW_TAKE,
};

struct proto_table {
	const char *name; /* of the message in its schema */
	const struct proto_row *row; /* [number] */
	uint32_t n;
};
#define PROTO_TABLE(name, rows) {(name), (rows), sizeof(rows) / sizeof *(rows)}

/* Messages that may occur repeatedly: one element each. */
struct proto_list {
	const struct proto_table *table;
	uint16_t size; /* of an element's structure, initially zeros; at most PROTO_ELEMENT_MAX */
	bool (*end)(struct rows_proto *r, void *parent, void *element);
};

struct proto_row {
	const char *name; /* of the field in its schema */
	uint8_t kind;     /* enum proto_row_kind; the macros below set it and what belongs to it */
	uint8_t type;     /* enum proto_type: the wire type */
	uint16_t at;      /* offset in the message's structure */
	uint16_t size;    /* of FIELD_VEC()'s elements */
	bool real;        /* of 8 bytes: a double, for dumps */
	bool keep;        /* of FIELD_VEC(): an element with a fault stays, since others count it */
	const struct proto_table *inner; /* of FIELD_EACH(): the message in the bytes, for dumps */
	union {
		const struct proto_table *table;
		const struct proto_list *list;
		rows_proto_take *take;
		rows_proto_number *number;
	} by;
};

#define FIELD_AT(s, m, type) _Generic(((s *)NULL)->m, type: offsetof(s, m))

/* A varint: unsigned, or signed but not zigzag. */
#define FIELD_UINT(s, m) PROTO_ROW_WORD, PROTO_VARINT, .at = FIELD_AT(s, m, uint64_t)
#define FIELD_INT(s, m) PROTO_ROW_WORD, PROTO_VARINT, .at = FIELD_AT(s, m, int64_t)
/* A signed varint of 32 bits, also if its writer extended it to 64; in an int64_t. */
#define FIELD_INT32(s, m) PROTO_ROW_INT32, PROTO_VARINT, .at = FIELD_AT(s, m, int64_t)
#define FIELD_BOOL(s, m) PROTO_ROW_BOOL, PROTO_VARINT, .at = FIELD_AT(s, m, bool)
#define FIELD_FIXED64(s, m) PROTO_ROW_WORD, PROTO_FIXED64, .at = FIELD_AT(s, m, uint64_t)
/* A text as an id, which r->name() returns, in a uint32_t. */
#define FIELD_NAME(s, m) PROTO_ROW_NAME, PROTO_BYTES, .at = FIELD_AT(s, m, uint32_t)
/* The index of a text as an id, which r->text() returns, in a uint32_t. */
#define FIELD_INDEX(s, m) PROTO_ROW_INDEX, PROTO_VARINT, .at = FIELD_AT(s, m, uint32_t)
/* Bytes as they are in the message, in a struct proto_field. */
#define FIELD_BYTES(s, m) PROTO_ROW_BYTES, PROTO_BYTES, .at = FIELD_AT(s, m, struct proto_field)
/* A message, whose fields go into the same structure, or into one within it. */
#define FIELD_HERE(t) PROTO_ROW_MESSAGE, PROTO_BYTES, .by.table = (t)
#define FIELD_IN(s, m, t) PROTO_ROW_MESSAGE, PROTO_BYTES, .at = offsetof(s, m), .by.table = (t)
/* Repeated messages, each a new element of a VEC(), initially zeros. */
#define FIELD_VEC(s, m, t)                                                                         \
	PROTO_ROW_VEC, PROTO_BYTES, .at = offsetof(s, m), .size = sizeof *((s *)NULL)->m.at,       \
				    .by.table = (t)
/* Each of repeated messages, numbers (which may be packed), or fields. */
#define FIELD_LIST(l) PROTO_ROW_LIST, PROTO_BYTES, .by.list = (l)
#define FIELD_LIST_OF(s, t, fn) FIELD_LIST((&(const struct proto_list){(t), sizeof(s), (fn)}))
#define FIELD_NUMBERS(type, fn) PROTO_ROW_NUMBERS, (type), .by.number = (fn)
#define FIELD_EACH(type, fn) PROTO_ROW_TAKE, (type), .by.take = (fn)
/* A field with a name and a type that is not read. */
#define FIELD_UNREAD(type) PROTO_ROW_UNREAD, (type)

struct rows_proto {
	void *context; /* the caller's */
	struct builder *b; /* the caller's, passed to name() */
	/* Returns the id of a text, for FIELD_NAME(). */
	uint32_t (*name)(struct builder *b, const void *bytes, size_t len);
	uint32_t (*text)(void *context, uint64_t index); /* for FIELD_INDEX() */
	/* While rows_proto_input() reads: the offset of the current field, and its error. */
	uint64_t offset;
	struct err *e;
	/* ---- the fault ---- */
	/* the beginning of the field with the fault, in the bytes of the message; NULL */
	const uint8_t *fault;
	const struct proto_table *of; /* the message with the fault */
	const struct proto_row *wrong; /* the field, if it has the wrong wire type; else NULL */
};

/* Returns true if the field has the wire type of its row. */
static inline bool
rows_proto_fits(const struct proto_table *t, const struct proto_field *f)
{
	if (f->number >= t->n || t->row[f->number].kind == PROTO_ROW_NONE)
		return true;
	const struct proto_row *row = &t->row[f->number];
	return f->type == row->type || (f->type == PROTO_BYTES && row->kind == PROTO_ROW_NUMBERS);
}

/* Returns the table of the message in a field; NULL if it has no such message. */
static inline const struct proto_table *
proto_row_table(const struct proto_row *row)
{
	if (row->kind == PROTO_ROW_MESSAGE || row->kind == PROTO_ROW_VEC)
		return row->by.table;
	return row->kind == PROTO_ROW_LIST ? row->by.list->table : row->inner;
}

/* Reads the message in a field of bytes into `object`. Returns false at a fault, and if a callback
 * returns false; earlier fields are set then. */
bool rows_proto_read(struct rows_proto *r, const struct proto_table *t,
		     const struct proto_field *message, void *object);
/* The same for one field of a message that the caller splits, such as one that exceeds memory. `at`
 * is where the field begins. */
bool rows_proto_field(struct rows_proto *r, const struct proto_table *t,
		      const struct proto_field *f, const uint8_t *at, void *object);
/* Reads an input that is such a message, of any size, field by field. Returns false with *e set,
 * at a fault and if a callback returns false. */
bool rows_proto_input(struct rows_proto *r, struct input *in, const struct proto_table *t,
		      void *object, struct err *e);
/* Sets the fault of the last message as damage at `offset`. Returns false. */
bool rows_proto_damage(const struct rows_proto *r, uint64_t offset, struct err *e);

#endif
