/* answer.h - SQL queries and their result tables.
 *
 * A *source* runs queries (the browser knows no SQL): it fills a result, row by row.
 *
 *	answer_reset(&a);
 *	answer_column(&a, "name");                  -- all columns first
 *	answer_whole(&a, 7); answer_text(&a, at, len); ...    -- then cells, row after row */
#ifndef PNAV_UI_PART_ANSWER_H
#define PNAV_UI_PART_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/lens/lens.h"

enum answer_kind { ANSWER_NOTHING, ANSWER_WHOLE, ANSWER_REAL, ANSWER_TEXT };
struct answer_cell {
	uint8_t kind; /* enum answer_kind */
	uint32_t len;
	size_t at; /* offset of the displayed text in words */
	union {
		int64_t whole;
		double real;
	} as;
};

/* Longer results are truncated: they are too long to be read on a screen. */
#define ANSWER_ROWS_MAX 100000u

struct answer {
	VEC(char *) columns; /* as displayed */
	VEC(struct answer_cell) cells;
	struct buf words;
	bool cut; /* there were more rows */
};

void answer_release(struct answer *a);
void answer_reset(struct answer *a);
void answer_column(struct answer *a, const char *name);
void answer_nothing(struct answer *a);
void answer_whole(struct answer *a, int64_t v);
void answer_real(struct answer *a, double v);
/* Adds any bytes, shown as by escape_shown(). */
void answer_text(struct answer *a, const char *at, size_t len);

size_t answer_rows(const struct answer *a);
const struct answer_cell *answer_cell(const struct answer *a, size_t row, size_t column);
/* Returns the displayed text of a cell; *len bytes, not terminated. */
const char *answer_shown(const struct answer *a, const struct answer_cell *c, size_t *len);
/* Returns the column of this name; SIZE_MAX if there is none. */
size_t answer_find(const struct answer *a, const char *name);

struct answer_source {
	void *ctx;
	/* Runs a query, or the stored query of this name, on the profile through l; takes rests.
	 * Returns false with usage in *e, or without it if the pace cancelled. */
	bool (*ask)(void *ctx, const struct lens *l, const char *text, struct pace *pace,
		    struct answer *out, struct err *e);
	/* Lists the words for queries: tables, columns, functions. */
	void (*words)(void *ctx, const struct lens *l,
		      void (*add)(void *to, const char *word, const char *what), void *to);
	size_t n_stored;
	const char *(*name)(void *ctx, size_t i);
	const char *(*about)(void *ctx, size_t i);
};

/* The last query. */
struct answer_request {
	const struct answer_source *source; /* NULL: SQL is not available */
	char *text;                         /* NULL: no query yet */
	uint64_t n;                         /* counts the queries */
};
void question_ask(struct answer_request *q, const char *text);
void question_release(struct answer_request *q);

#endif
