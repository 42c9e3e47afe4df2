/* rowout.h - rows in RowBinary on their way to a table, a portion an insert. */
#ifndef PNAV_SRC_STORE_ROWOUT_H
#define PNAV_SRC_STORE_ROWOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/store/schema.h"

/* Appends a number of 1 to 8 bytes, the little end first, whatever the machine. */
static inline void
rowout_whole(struct buf *out, uint64_t v, size_t bytes)
{
	char b[8];

	for (size_t i = 0; i < bytes; i++)
		b[i] = (char)(v >> 8 * i);
	buf_add(out, b, bytes);
}

/* A length, of a text or of an array whose elements follow. */
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

/* Bytes of rows that are sent together. */
#define ROWOUT_PORTION (32u << 20)

struct rowout {
	const struct store_url *url;
	struct buf rows;   /* who writes a row appends its columns here, */
	uint64_t n, bytes; /* then calls rowout_end(); of all portions */
	struct buf insert; /* the statement */
	struct err fault;  /* the first */
};
/* Rows for a table; `columns` are those that each row has, in their order. */
void rowout_open(struct rowout *x, const struct store_url *url, enum schema_table t,
		 const char *columns);
/* A row is complete.  False after a fault. */
bool rowout_end(struct rowout *x);
/* Sends what is there; for who counts rows in n by himself.  False after a fault. */
bool rowout_send(struct rowout *x);
/* Sends what is left, if `good`, and frees.  False when that or an earlier portion did not get
 * there, with refusal in *e. */
bool rowout_close(struct rowout *x, bool good, struct err *e);

#endif
