/* Reads records of memray, of versions 10 to 13. */
#include "src/decode/memray/memray_inside.h"

/* Of versions 10 and 11: the type is in the low four bits, flags are in the high four.
 *
 *	0 trailer (flags 1)       5 native frame       9 pop (flags + 1 frames)
 *	1 allocation              6 list of modules   10 name of the thread
 *	2 the same, native stack  7 module            11 resident memory
 *	3 frame                   8 segment           12 thread
 *	4 push */
static const uint8_t old_kinds[16] = {
	[0] = MEMRAY_FILLER, [1] = MEMRAY_ALLOC,  [2] = MEMRAY_ALLOC,   [3] = MEMRAY_FRAME,
	[4] = MEMRAY_PUSH,   [5] = MEMRAY_NATIVE, [6] = MEMRAY_MAPS,    [7] = MEMRAY_MODULE,
	[8] = MEMRAY_SEGMENT, [9] = MEMRAY_POP,   [10] = MEMRAY_THREAD, [11] = MEMRAY_RSS,
	[12] = MEMRAY_SWITCH, [13] = MEMRAY_KINDS, [14] = MEMRAY_KINDS, [15] = MEMRAY_KINDS,
};

/* Of versions 12 and 13: the highest bit that is set decides.
 *
 *	1ppppaaa  allocation: p the recent address, a the allocator
 *	01.....e  push            001ppppc  object        0001nnnn  pop of n + 1 frames
 *	and below 16: */
static const uint8_t kinds[16] = {
	[0] = MEMRAY_FILLER,  [1] = MEMRAY_TRAILER, [2] = MEMRAY_RSS,     [3] = MEMRAY_KINDS,
	[4] = MEMRAY_KINDS,   [5] = MEMRAY_NATIVE,  [6] = MEMRAY_MAPS,    [7] = MEMRAY_MODULE,
	[8] = MEMRAY_SEGMENT, [9] = MEMRAY_KINDS,   [10] = MEMRAY_THREAD, [11] = MEMRAY_KINDS,
	[12] = MEMRAY_SWITCH, [13] = MEMRAY_KINDS,  [14] = MEMRAY_CODE,   [15] = MEMRAY_KINDS,
};

/* Of aggregated files. */
static const uint8_t aggregated_kinds[16] = {
	[0] = MEMRAY_FILLER,   [1] = MEMRAY_SNAPSHOT,  [2] = MEMRAY_SUM,    [3] = MEMRAY_NODE,
	[4] = MEMRAY_INDEXED,  [5] = MEMRAY_NATIVE,    [6] = MEMRAY_MAPS,   [7] = MEMRAY_MODULE,
	[8] = MEMRAY_SEGMENT,  [9] = MEMRAY_KINDS,     [10] = MEMRAY_THREAD, [11] = MEMRAY_KINDS,
	[12] = MEMRAY_SWITCH,  [13] = MEMRAY_SURVIVOR, [14] = MEMRAY_CODE,  [15] = MEMRAY_TRAILER,
};

static struct name
text_of(struct cursor *c)
{
	struct name n = {.at = ""};
	size_t len;
	const char *at = cursor_cstring(c, &len);

	if (at)
		n = (struct name){.at = at, .len = (uint32_t)len};
	return n;
}

/* The records that all versions share. */
static void
read_shared(struct cursor *c, struct memray_record *r)
{
	switch ((int)r->kind) {
	case MEMRAY_NATIVE:
		r->delta = cursor_zigzag(c);
		r->native = cursor_zigzag(c);
		break;
	case MEMRAY_MODULE:
		r->text = text_of(c);
		cursor_varint(c); /* the number of segments that follow */
		r->number = cursor_u64(c);
		break;
	case MEMRAY_SEGMENT:
		r->number = cursor_u64(c);
		r->size = cursor_varint(c);
		break;
	case MEMRAY_THREAD:
		r->text = text_of(c);
		break;
	case MEMRAY_RSS:
		r->size = cursor_varint(c);
		r->number = cursor_varint(c);
		break;
	case MEMRAY_SWITCH:
		r->number = cursor_u64(c);
		break;
	case MEMRAY_CODE:
		r->number = cursor_varint(c);
		r->text = text_of(c);
		r->file = text_of(c);
		r->delta = cursor_zigzag(c);
		r->size = cursor_varint(c);
		const uint8_t *table = cursor_bytes(c, r->size);
		r->table.at = (const char *)table;
		r->table.len = (uint32_t)(table ? r->size : 0);
		break;
	}
}

static bool
read_old(struct cursor *c, struct memray_record *r)
{
	uint8_t token = cursor_u8(c);
	unsigned type = token & 15, flags = token >> 4;

	*r = (struct memray_record){.kind = old_kinds[type], .recent = MEMRAY_NOT_RECENT};
	r->flag = flags;
	if (r->kind == MEMRAY_KINDS)
		return false;
	if (r->kind == MEMRAY_FILLER && flags)
		r->kind = MEMRAY_TRAILER;
	if (r->kind == MEMRAY_ALLOC) {
		r->allocator = flags;
		r->delta = cursor_zigzag(c);
		r->size = memray_is_free(flags) ? 0 : cursor_varint(c);
		r->flag = type == 2;
		r->native = r->flag ? cursor_zigzag(c) : 0;
	} else if (r->kind == MEMRAY_FRAME) {
		r->native = cursor_zigzag(c); /* the id */
		r->text = text_of(c);
		r->file = text_of(c);
		r->delta = cursor_zigzag(c);
	} else if (r->kind == MEMRAY_PUSH) {
		r->delta = cursor_zigzag(c);
	} else {
		read_shared(c, r);
	}
	return r->kind != MEMRAY_ALLOC || flags;
}

bool
memray_read(const struct memray_header *h, struct cursor *c, struct memray_record *r)
{
	if (h->version < MEMRAY_TOKENS)
		return read_old(c, r);
	uint8_t token = cursor_u8(c);
	*r = (struct memray_record){.kind = MEMRAY_FILLER};
	if (token & 0x80) {
		r->kind = MEMRAY_ALLOC;
		r->recent = token >> 3 & 15;
		if (r->recent == MEMRAY_NOT_RECENT)
			r->delta = cursor_zigzag(c);
		r->allocator = token & 7 ? token & 7 : cursor_u8(c);
		if (!r->allocator || r->allocator >= MEMRAY_ALLOCATORS)
			return c->bad;
		bool frees = memray_is_free(r->allocator);
		r->flag = h->native && !frees;
		r->native = r->flag ? cursor_zigzag(c) : 0;
		r->size = frees ? 0 : cursor_varint(c);
	} else if (token & 0x40) {
		r->kind = MEMRAY_PUSH;
		r->number = cursor_varint(c);
		r->delta = cursor_zigzag(c);
	} else if (token & 0x20) {
		r->kind = MEMRAY_OBJECT;
		r->flag = token & 1;
		r->recent = token >> 1 & 15;
		if (r->recent == MEMRAY_NOT_RECENT)
			r->delta = cursor_zigzag(c);
		r->native = h->native && r->flag ? cursor_zigzag(c) : 0;
	} else if (token & 0x10) {
		r->kind = MEMRAY_POP;
		r->flag = token & 15;
	} else {
		r->kind = kinds[token];
		read_shared(c, r);
	}
	return r->kind != MEMRAY_KINDS;
}

/* A sum: u64 thread, u8 allocator, 7 bytes of padding, u64 native frame, u64 node, u64 list of
 * modules, u64 blocks at the peak, u64 blocks left, u64 bytes at the peak, u64 bytes left. */
static bool
read_sum(struct cursor *c, struct memray_record *r)
{
	r->size = cursor_u64(c);
	r->allocator = cursor_u8(c);
	cursor_bytes(c, 7);
	r->native = (int64_t)cursor_u64(c);
	r->number = cursor_u64(c);
	cursor_u64(c);
	for (unsigned i = 0; i < 4; i++)
		r->sum[i] = cursor_u64(c);
	return c->bad || (r->allocator && r->allocator < MEMRAY_ALLOCATORS);
}

bool
memray_read_aggregated(const struct memray_header *h, struct cursor *c, struct memray_record *r)
{
	uint8_t token = cursor_u8(c);
	bool old = h->version < MEMRAY_TOKENS;

	*r = (struct memray_record){.kind = token < 16 ? aggregated_kinds[token] : MEMRAY_KINDS};
	switch ((int)r->kind) {
	case MEMRAY_SNAPSHOT:
		r->number = cursor_u64(c);
		r->size = cursor_u64(c);
		r->sum[0] = cursor_u64(c);
		return true;
	case MEMRAY_SUM:
		return read_sum(c, r);
	case MEMRAY_NODE:
		r->number = old ? cursor_u64(c) : cursor_varint(c);
		r->size = old ? cursor_u64(c) : cursor_varint(c);
		return true;
	case MEMRAY_INDEXED:
		r->number = old ? cursor_u64(c) : cursor_varint(c);
		if (old) {
			r->kind = MEMRAY_FRAME;
			r->text = text_of(c);
			r->file = text_of(c);
			r->delta = (int32_t)cursor_u32(c);
		} else {
			r->size = cursor_varint(c);
			r->delta = cursor_zigzag(c);
		}
		r->flag = cursor_u8(c);
		return true;
	case MEMRAY_SURVIVOR:
		cursor_varint(c);
		if (h->native)
			cursor_varint(c);
		return true;
	}
	read_shared(c, r);
	return r->kind != MEMRAY_KINDS;
}
