/* rowout.h - sends rows in RowBinary to a table, a portion per insert. */
#ifndef PNAV_SRC_STORE_ROWOUT_H
#define PNAV_SRC_STORE_ROWOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/store/clickhouse.h"
#include "src/store/schema.h"

/* Appends a number of 1 to 8 bytes in little-endian order. */
static inline void
rowout_whole(struct buf *out, uint64_t v, size_t bytes)
{
	char b[8];

	for (size_t i = 0; i < bytes; i++)
		b[i] = (char)(v >> 8 * i);
	buf_add(out, b, bytes);
}

/* Appends the length of a text or of an array; its elements follow. */
static inline void
rowout_length(struct buf *out, size_t n)
{
	for (; n > 0x7F; n >>= 7)
		buf_addc(out, (char)(n | 0x80));
	buf_addc(out, (char)n);
}

static inline void
rowout_text(struct buf *out, const char *at, size_t len)
{
	rowout_length(out, len);
	if (len)
		buf_add(out, at, len);
}

/* Bytes of rows in one portion. */
#define ROWOUT_PORTION (32u << 20)

struct rowout {
	const struct store_url *url;
	struct buf rows;   /* append the columns of a row here, then call rowout_end() */
	uint64_t n;        /* rows of all portions */
	struct buf insert; /* the statement */
	struct err fault;  /* the first fault */
	bool same;         /* set it where the table may receive rows twice */
	enum clickhouse_rows rows_there; /* what the server has after a fault */
};
/* Starts rows for a table; `columns` lists the columns of each row in order. */
void rowout_open(struct rowout *x, const struct store_url *url, enum schema_table t,
		 const char *columns);
/* Completes a row. Returns false after a fault. */
bool rowout_end(struct rowout *x);
/* Sends the pending rows; for callers that count rows in n themselves. Returns false after a
 * fault. */
bool rowout_send(struct rowout *x);
/* Sends the rest if `good`, and frees everything. Returns false with a refusal in *e if any portion
 * failed. */
bool rowout_close(struct rowout *x, bool good, struct err *e);

#endif
