/* sheet.h - rows and columns on their way out, as text, CSV or JSON.
 *
 *	struct sheet s;
 *	sheet_init(&s, columns, n);
 *	sheet_name(&s, profile, fn->name); sheet_number(&s, 12, 0); sheet_empty(&s);
 *	...                                       -- n cells a row, row after row
 *	sheet_sort(&s, 1, false);
 *	sheet_write_csv(&s, stdout, limit);
 *	sheet_release(&s);
 */
#ifndef PNAV_SRC_COMMAND_SHEET_H
#define PNAV_SRC_COMMAND_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/buf.h"
#include "model/profile.h"
#include "model/vec.h"

struct sheet_column {
	const char *name; /* as in CSV and JSON */
	bool number;      /* sorted by value, largest first; aligned right */
	bool hidden;      /* in text reports: left out where every cell is empty */
};

enum cell_kind { CELL_EMPTY, CELL_NUMBER, CELL_TEXT, CELL_DOUBLE };

struct cell {
	uint8_t kind;     /* enum cell_kind */
	uint8_t decimals; /* of a number */
	uint32_t len;     /* of a text */
	union {
		int64_t number;
		double real;
		size_t at; /* in sheet.text */
	} as;
};

struct sheet {
	const struct sheet_column *column;
	unsigned n_columns;
	VEC(struct cell) cells;
	VEC(uint32_t) order; /* of the rows, once sorted */
	struct buf text;
	bool shown; /* to people: names as on a screen; else as programs want them */
};

void sheet_init(struct sheet *s, const struct sheet_column *columns, unsigned n);
void sheet_release(struct sheet *s);
void sheet_empty(struct sheet *s);
void sheet_number(struct sheet *s, int64_t v, unsigned decimals);
void sheet_real(struct sheet *s, double v);
void sheet_text(struct sheet *s, const char *text);
void sheet_bytes(struct sheet *s, const char *at, size_t len);
/* A name as it is shown, or written for programs; empty for NAME_EMPTY. */
void sheet_name(struct sheet *s, const struct profile *p, name_id id);
/* The same name as a part of a text. */
void sheet_add_name(const struct sheet *s, const struct profile *p, name_id id,
		    struct buf *out);

/* One cell of another sheet. */
void sheet_copy(struct sheet *to, const struct sheet *from, size_t row, unsigned column);

size_t sheet_rows(const struct sheet *s);
const struct cell *sheet_cell(const struct sheet *s, size_t row, unsigned column);
/* Index of a column by name, or -1. */
int sheet_find(const struct sheet *s, const char *column);
/* Stable.  Numbers begin with the largest, text with the smallest; `reverse` turns that. */
void sheet_sort(struct sheet *s, unsigned column, bool reverse);

/* At most `limit` rows; SIZE_MAX for all. */
void sheet_write_csv(const struct sheet *s, FILE *out, size_t limit);
/* `"columns": [...], "rows": [...]` without braces around. */
void sheet_write_json(const struct sheet *s, FILE *out, size_t limit);
/* Aligned columns under a header line. */
void sheet_write_text(const struct sheet *s, FILE *out, size_t limit);
/* "text" with quotes and JSON's escapes; the bytes are valid UTF-8. */
void json_string(FILE *out, const char *at, size_t len);

#endif
