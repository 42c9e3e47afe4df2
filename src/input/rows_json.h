/* rows_json.h - reads JSON objects by tables of their members.
 *
 * A row states the name of a member, the kind of its value, and its destination:
 *
 *	struct point { int64_t at_ns; name_id name; bool timed; };
 *	static const struct json_row point_rows[] = {
 *		{"at", ROW_NUMBER(struct point, at_ns), .scale = 6},
 *		{"name", ROW_NAME(struct point, name)},
 *		{0},
 *	};
 *	static const struct json_list points = {
 *		.rows = point_rows, .size = sizeof(struct point), .end = point_take};
 *	static const struct json_row document_rows[] = {
 *		{"points", ROW_LIST(&points)},
 *		{0},
 *	};
 *
 *	rows_json_init(&r, in, e);
 *	good = rows_json_document(&r, document_rows, NULL, "no profile");
 *	rows_json_release(&r);
 *
 * Members come in any order. The reader skips members without a row, and members whose value is of
 * another kind than their row states. The last of repeated members counts. The reader learns the
 * members of the objects that it reads, so that the next ones cost little more than their values.
 *
 * A callback that returns false has set r->e, or the text has a fault. In the latter case the
 * reader sets r->e to damage at the record with the fault. */
#ifndef PNAV_SRC_INPUT_ROWS_JSON_H
#define PNAV_SRC_INPUT_ROWS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/input/json_row.h"

struct builder;
struct json_seen;

#define JSON_NO_RECORD UINT64_MAX

struct rows_json {
	struct json j;
	struct err *e;
	void *context;  /* the caller's */
	struct builder *b; /* the caller's, passed to the next two functions */
	/* Returns the id of a text, for ROW_NAME(). */
	uint32_t (*name)(struct builder *b, const void *bytes, size_t len);
	/* Reports a member of a row ROW_FACT. */
	void (*fact)(struct builder *b, const char *title, const void *bytes, size_t len);
	int scale;       /* of rows with ROW_SCALE */
	uint64_t offset; /* of the current element, or of the numbers */
	uint64_t record; /* of the current record; JSON_NO_RECORD if no list has records */
	enum json_kind odd; /* the kind of value that JSON_NO_NUMBER replaces */
	const struct json_row *row; /* of the value that a function of ROW_INSIDE() reads */
	struct buf key;  /* of the member of a row "*", until the next such member */
	/* ---- private ---- */
	struct buf text;
	VEC(struct json_seen *) seen; /* of each table */
};

/* Starts at the input's window. `in` and `e` are borrowed. */
void rows_json_init(struct rows_json *r, struct input *in, struct err *e);
void rows_json_release(struct rows_json *r);
/* Reads the document, an object. Refuses other documents with "REFUSAL: it is not an object". */
bool rows_json_document(struct rows_json *r, const struct json_row *rows, void *object,
			const char *refusal);
/* Reads the innermost list to its end, after its bracket. */
bool rows_json_list(struct rows_json *r, const struct json_list *list, void *parent);
/* Reads a value whose first token is *t according to the row. */
bool rows_json_value(struct rows_json *r, const struct json_row *row, void *object,
		     const struct json_token *t);
/* Reads a value that json_keep() kept, according to a row, and releases it. Does nothing if
 * nothing was kept. */
bool rows_json_again(struct rows_json *r, struct json_kept *kept, const struct json_row *row,
		     void *object);

/* Reads a string that is a JSON document, as a row says; nothing if it does not begin as an object
 * or array does. A fault is damage at the string. */
bool rows_json_text(struct rows_json *r, const struct json_token *t, const struct json_row *row,
		    void *object);
/* Returns the id of a string or number, as ROW_NAME() does; 0 for another value. */
uint32_t json_row_name(struct rows_json *r, const struct json_token *t);
/* Converts to a number times 10^scale; `loose` accepts a number in a string. Returns false, with
 * *out unchanged, if the value is not a number, or does not fit. */
bool json_value_scaled(const struct json_value *v, int scale, bool loose, int64_t *out);

#endif
