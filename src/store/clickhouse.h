/* clickhouse.h - sends queries to a ClickHouse server over HTTP.
 *
 *	struct rowbin a;
 *	if (!rowbin_open(&a, &url, "SELECT stack, name FROM t", watch, e)) ...
 *	while (rowbin_next(&a)) {
 *		uint64_t stack = rowbin_whole(&a, 8);
 *		rowbin_text(&a, &name);
 *	}
 *	good = rowbin_close(&a, e);
 *
 * A query whose connection fails before the answer is sent again, p->retries times, after 0.5, 1,
 * 2, ... seconds. A statement that changes tables is sent again only if the server cannot have
 * received it. A silent server gets no second query: it may still compute the first.
 *
 * The server completes an answer before it sends the first byte. So a failure is reported as an
 * error and never looks like the end of an answer. Names enter queries only through
 * clickhouse_quote(). */
#ifndef PNAV_SRC_STORE_CLICKHOUSE_H
#define PNAV_SRC_STORE_CLICKHOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/source.h"
#include "src/store/storeurl.h"

/* Appends any bytes as an SQL literal with its quotes. */
void clickhouse_quote(struct buf *out, const char *at, size_t len);
/* Appends a name of a table or column in backquotes; any bytes except NUL. */
void clickhouse_name(struct buf *out, const char *name);

/* Runs a statement without an answer. Returns false with the server's message in *e. */
bool clickhouse_do(const struct store_url *p, const char *sql, struct err *e);
/* The rows of a failed insert that the server has. */
enum clickhouse_rows {
	CLICKHOUSE_NONE,   /* nothing, or the failure is final */
	CLICKHOUSE_UNSURE, /* perhaps all or a part of them, and another attempt may succeed */
};
/* Runs `INSERT ... FORMAT ...` and sends these bytes after it. `same`: the table may receive the
 * rows twice. Sets *rows, unless it is NULL, after a failure. */
bool clickhouse_insert(const struct store_url *p, const char *sql, const void *body, size_t len,
		       bool same, enum clickhouse_rows *rows, struct err *e);
/* Sleeps before attempt i + 2, or until the watch stops, which may be NULL. Returns false if no
 * attempt remains. */
bool clickhouse_pause(const struct store_url *p, unsigned i, struct watch *w);

/* The rows of an answer in RowBinary; read the columns in order. */
struct rowbin {
	struct source *source;
	struct err fault;  /* the first fault */
	uint64_t offset;   /* bytes of the answer before held */
	size_t at, n;      /* bytes of held: consumed, and received */
	unsigned char *held;
};
/* Sends a query without a FORMAT clause. Returns false with a refusal in *e; nothing needs to be
 * closed then. */
bool rowbin_open(struct rowbin *a, const struct store_url *p, const char *sql, struct watch *w,
		 struct err *e);
/* The same for an answer that has been received; takes ownership of `source`. */
void rowbin_over(struct rowbin *a, struct source *source);
/* Advances to the next row. Returns false at the end, and after a fault. */
bool rowbin_next(struct rowbin *a);
/* Reads an integer of 1 to 8 bytes; 0 after a fault. rowbin_signed() reads an Int64. */
uint64_t rowbin_whole(struct rowbin *a, unsigned bytes);
int64_t rowbin_signed(struct rowbin *a);
/* Reads the length of an array, whose elements follow; 0 after a fault. */
size_t rowbin_count(struct rowbin *a);
/* Reads a string into *out, replacing its text; empty after a fault. */
void rowbin_text(struct rowbin *a, struct buf *out);
/* Reports that the last value is impossible. Returns false. */
bool rowbin_is_wrong(struct rowbin *a, const char *why);
/* Returns false with damage in *e if the answer was truncated or malformed. */
bool rowbin_close(struct rowbin *a, struct err *e);
/* Runs a query that returns one number of `bytes` bytes. Returns false and sets *e on failure. */
bool clickhouse_number(const struct store_url *p, const char *sql, unsigned bytes, struct watch *w,
		       uint64_t *out, struct err *e);

#endif
