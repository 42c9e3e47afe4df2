/* clickhouse.h - what is asked of a server of ClickHouse, over HTTP.
 *
 *	struct rowbin a;
 *	if (!rowbin_open(&a, &url, "SELECT stack, name FROM t", watch, e)) ...
 *	while (rowbin_next(&a)) {
 *		uint64_t stack = rowbin_whole(&a, 8);
 *		rowbin_text(&a, &name);
 *	}
 *	good = rowbin_close(&a, e);
 *
 * An answer is made whole by the server before it sends a byte of it, so that what goes wrong
 * on the way there is told as an error and never as the end of an answer.  Names go into
 * queries through clickhouse_quote() alone. */
#ifndef PNAV_SRC_STORE_CLICKHOUSE_H
#define PNAV_SRC_STORE_CLICKHOUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/source.h"
#include "src/store/storeurl.h"

/* Appends a text as a literal of SQL, with its quotes; any bytes. */
void clickhouse_quote(struct buf *out, const char *at, size_t len);
/* Appends a name of a table or column in backquotes; any bytes but NUL. */
void clickhouse_name(struct buf *out, const char *name);

/* Does what has no answer.  False with refusal in *e, in the server's words. */
bool clickhouse_do(const struct store_url *p, const char *sql, struct err *e);
/* Runs `INSERT ... FORMAT ...` with these bytes behind it. */
bool clickhouse_insert(const struct store_url *p, const char *sql, const void *body, size_t len,
		       struct err *e);

/* Rows of an answer in RowBinary, read one column after the other. */
struct rowbin {
	struct source *source;
	struct err fault;  /* the first */
	uint64_t offset;   /* bytes of the answer before held */
	size_t at, n;      /* of held: read, and there */
	unsigned char *held;
};
/* `sql` has no FORMAT.  False with refusal in *e, and then there is nothing to close. */
bool rowbin_open(struct rowbin *a, const struct store_url *p, const char *sql, struct watch *w,
		 struct err *e);
/* The same for an answer that is there already, which is taken over. */
void rowbin_over(struct rowbin *a, struct source *source);
/* There is another row; false at the end, and after a fault. */
bool rowbin_next(struct rowbin *a);
/* Of 1 to 8 bytes; 0 after a fault.  rowbin_signed() is for Int8 to Int64. */
uint64_t rowbin_whole(struct rowbin *a, unsigned bytes);
int64_t rowbin_signed(struct rowbin *a, unsigned bytes);
/* The elements of an array, which follow; 0 after a fault. */
size_t rowbin_count(struct rowbin *a);
/* Replaces *out; empty after a fault. */
void rowbin_text(struct rowbin *a, struct buf *out);
/* Says that what was read cannot be; always false. */
bool rowbin_is_wrong(struct rowbin *a, const char *why);
/* False with damage in *e when the answer was cut short, or made no sense. */
bool rowbin_close(struct rowbin *a, struct err *e);
/* Runs a query that returns one number of `bytes` bytes. Returns false and sets *e on failure. */
bool clickhouse_number(const struct store_url *p, const char *sql, unsigned bytes, struct watch *w,
		       uint64_t *out, struct err *e);

#endif
