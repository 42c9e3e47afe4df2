/* protobuf.h - appends fields of a protocol buffers message to a buf. */
#ifndef PNAV_SRC_ENCODE_PROTOBUF_H
#define PNAV_SRC_ENCODE_PROTOBUF_H

#include <stdint.h>

#include "model/base/buf.h"

static inline void
protobuf_varint(struct buf *out, uint64_t v)
{
	char at[10];
	size_t n = 0;

	do {
		at[n++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	buf_add(out, at, n);
}

/* Appends a number, also 0. */
static inline void
protobuf_present(struct buf *out, unsigned field, uint64_t v)
{
	protobuf_varint(out, (uint64_t)field << 3);
	protobuf_varint(out, v);
}

/* Appends a number. 0 is omitted, since readers use 0 for a missing field. */
static inline void
protobuf_number(struct buf *out, unsigned field, uint64_t v)
{
	if (v)
		protobuf_present(out, field, v);
}

/* Appends bytes: a text, a message, packed numbers. */
static inline void
protobuf_bytes(struct buf *out, unsigned field, const char *at, size_t len)
{
	protobuf_varint(out, (uint64_t)field << 3 | 2);
	protobuf_varint(out, len);
	buf_add(out, at, len);
}

static inline void
protobuf_message(struct buf *out, unsigned field, const struct buf *message)
{
	protobuf_bytes(out, field, buf_str(message), message->len);
}

#endif
