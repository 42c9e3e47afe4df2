/* rows_json.h - JSON objects read by tables of their members.
 *
 * A row says what a member is called, what its value must be, and where it goes:
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
 * Members come in any order. The reader skips those without a row, and those whose value is of
 * another kind than their row says. The last of repeated members counts. The reader learns the
 * members of the objects that it reads, so that the next ones cost little more than their values.
 *
 * A function that returns false has set r->e, or the text has a fault. Then the reader sets r->e
 * to damage at the record that the fault is in. */
#ifndef PNAV_SRC_INPUT_ROWS_JSON_H
#define PNAV_SRC_INPUT_ROWS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/input/json_row.h"

struct json_seen;

#define JSON_NO_RECORD UINT64_MAX

struct rows_json {
	struct json j;
	struct err *e;
	void *context;  /* the caller's */
	/* Returns the id of a text, for ROW_NAME(). */
	uint32_t (*name)(void *names, const void *bytes, size_t len);
	/* Reports a member of a row ROW_FACT. */
	void (*fact)(void *names, const char *title, const void *bytes, size_t len);
	void *names;
	int scale;       /* of rows with ROW_SCALE */
	uint64_t offset; /* of the element, or the numbers, at hand */
	enum json_kind odd; /* what JSON_NO_NUMBER stands for */
	struct buf key;  /* of the member of a row "*", until the next such member */
	/* ---- private ---- */
	uint64_t record; /* JSON_NO_RECORD */
	struct buf text;
	VEC(struct json_seen *) seen; /* of each table */
};

/* Begins at the input's window; `in` and `e` are borrowed. */
void rows_json_init(struct rows_json *r, struct input *in, struct err *e);
void rows_json_release(struct rows_json *r);
/* Reads the document, an object; another one is refused, "REFUSAL: it is no object". */
bool rows_json_document(struct rows_json *r, const struct json_row *rows, void *object,
			const char *refusal);
/* Reads the list that is innermost, behind its bracket, to its end. */
bool rows_json_list(struct rows_json *r, const struct json_list *list, void *parent);
/* Reads a value whose first token is *t, as the row says. */
bool rows_json_value(struct rows_json *r, const struct json_row *row, void *object,
		     const struct json_token *t);
/* Reads what a row ROW_KEEP() has kept, as another row says, and releases it; nothing if nothing
 * was kept. */
bool rows_json_again(struct rows_json *r, struct json_kept *kept, const struct json_row *row,
		     void *object);

/* A number times 10^scale; `loose`: also one in a string. False, with *out untouched, if the value
 * is none, or does not fit. */
bool json_value_scaled(const struct json_value *v, int scale, bool loose, int64_t *out);

#endif
