/* Reads the blocks of a nettrace and its events. Versions 4 and 5 are objects of .NET's old
 * serializer, version 6 is a row of plain blocks:
 *
 *	"Nettrace"  14 00 00 00  "!FastSerialization.1"     "Nettrace"  u32 0  u32 6  u32 minor
 *	object:  05 05 01  i32 version  i32 reader          block:  u24 size  u8 kind  content
 *	         i32 n  its name  06                        kind 0 ends the file
 *	         i32 size  zeros to a multiple of 4 of the file   (not Trace)
 *	         content  06
 *	byte 01 ends the file
 *
 * Events of a block differ little from each other, so most blocks have compressed ones: a byte of
 * flags says which fields follow, all others are those of the event before in the block.
 *
 *	 1 metadata   2 sequence, capture thread, CPU   4 thread   8 stack   (always: ticks)
 *	16 an id (version 6: list of labels)   32 another id   64 sorted   128 size of payload */
#include "src/decode/nettrace/nettrace_read.h"

#include <inttypes.h>
#include <string.h>

#define MAGIC "Nettrace"
#define MAGIC_LEN 8u
#define SERIAL "\x14\0\0\0!FastSerialization.1"
#define SERIAL_LEN 24u
#define TRACE_BYTES 48u /* of versions 4 and 5 */
#define GUID_BYTES 16u
#define NAME_MAX_BYTES 64u

enum { TAG_NULL = 1, TAG_BEGIN = 5, TAG_END = 6 };

const char *const nettrace_kinds[NETTRACE_KINDS + 1] = {
	"end",    "trace",   "events",  "metadata", "sequence",
	"stacks", "threads", "removed", "labels",   "other",
};

bool
nettrace_magic(struct nettrace_file *f)
{
	f->pointer = 8;
	input_need(f->in, MAGIC_LEN + SERIAL_LEN);
	const uint8_t *p = input_at(f->in);
	size_t have = input_have(f->in);

	bool serial = have >= SERIAL_LEN && !memcmp(p, SERIAL, SERIAL_LEN);
	if (serial && memmem(p, have < 64 ? have : 64, "GCHeapDump", 10))
		return err_refuse(f->e, "a heap of .NET (gcdump): dotnet-gcdump report prints it");
	if (serial)
		return err_refuse(f->e, "a trace of .NET Core 2 (netperf), which has no public "
				  "reader but PerfView");
	if (have >= MAGIC_LEN + SERIAL_LEN && !memcmp(p + MAGIC_LEN, SERIAL, SERIAL_LEN)) {
		f->version = 4;
		input_skip(f->in, MAGIC_LEN + SERIAL_LEN);
		return true;
	}
	if (have < MAGIC_LEN + 12 || memcmp(p, MAGIC, MAGIC_LEN) != 0 ||
	    bytes_u32(p + MAGIC_LEN, false))
		return err_refuse(f->e, "no nettrace, or its header is not whole");
	f->version = bytes_u32(p + MAGIC_LEN + 4, false);
	if (f->version < 6)
		return err_refuse(f->e, "version %u of nettrace with the header of version 6",
				  f->version);
	if (f->version > 6)
		return err_refuse(f->e, "version %u of nettrace, which is newer than this pnav "
				  "knows", f->version);
	input_skip(f->in, MAGIC_LEN + 12);
	return true;
}

/* ---- blocks ---- */

static bool
file_ends(struct nettrace_file *f, uint64_t offset, const char *what)
{
	return input_stopped(f->in) ? false : err_damage(f->e, offset, "%s", what);
}

static enum nettrace_kind
kind_named(const uint8_t *name, size_t len)
{
	static const struct {
		const char *name;
		enum nettrace_kind kind;
	} objects[] = {
		{"Trace", NETTRACE_TRACE},
		{"EventBlock", NETTRACE_EVENTS},
		{"MetadataBlock", NETTRACE_METADATA},
		{"StackBlock", NETTRACE_STACKS},
		{"SPBlock", NETTRACE_SEQUENCE},
	};

	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
		if (len == strlen(objects[i].name) && !memcmp(name, objects[i].name, len))
			return objects[i].kind;
	return NETTRACE_KINDS;
}

/* Reads the beginning of an object, up to its content. */
static bool
object_begin(struct nettrace_file *f, struct nettrace_block *b)
{
	static const uint8_t tags[] = {TAG_BEGIN, TAG_BEGIN, TAG_NULL};
	uint64_t offset = input_offset(f->in);

	if (*input_at(f->in) == TAG_NULL) {
		b->kind = NETTRACE_END;
		return true;
	}
	if (!input_need(f->in, 15))
		return file_ends(f, offset, "the file ends within the header of a block");
	const uint8_t *p = input_at(f->in);
	uint32_t version = bytes_u32(p + 3, false), n = bytes_u32(p + 11, false);
	if (memcmp(p, tags, sizeof tags) != 0 || n > NAME_MAX_BYTES)
		return err_damage(f->e, offset, "a block without its tag");
	if (!input_need(f->in, 16 + n))
		return file_ends(f, offset, "the file ends within the header of a block");
	p = input_at(f->in);
	if (p[15 + n] != TAG_END)
		return err_damage(f->e, offset + 15 + n, "a block without its tag");
	b->kind = kind_named(p + 15, n);
	input_skip(f->in, 16 + n);
	b->size = TRACE_BYTES;
	if (b->kind == NETTRACE_TRACE) {
		if (version < 4 || version > 5)
			return err_refuse(f->e, "version %" PRIu32 " of nettrace", version);
		f->version = version;
		return true;
	}
	if (!input_need(f->in, 4))
		return file_ends(f, offset, "the file ends within the header of a block");
	b->size = bytes_u32(input_at(f->in), false);
	input_skip(f->in, 4);
	unsigned pad = -(unsigned)input_offset(f->in) & 3;
	if (!input_need(f->in, pad))
		return file_ends(f, offset, "the file ends within the header of a block");
	input_skip(f->in, pad);
	return true;
}

static bool
block_begin(struct nettrace_file *f, struct nettrace_block *b)
{
	if (f->version < 6)
		return object_begin(f, b);
	if (!input_need(f->in, 4))
		return file_ends(f, input_offset(f->in),
				 "the file ends within the header of a block");
	uint32_t word = bytes_u32(input_at(f->in), false);
	unsigned kind = word >> 24;
	b->kind = kind < NETTRACE_KINDS ? (enum nettrace_kind)kind : NETTRACE_KINDS;
	b->size = b->kind == NETTRACE_END ? 0 : word & 0xFFFFFF;
	input_skip(f->in, 4);
	return true;
}

/* Passes the content of a block on, and steps over it. */
static bool
block_take(struct nettrace_file *f, struct nettrace_block *b,
	   bool (*take)(void *ctx, const struct nettrace_block *block), void *ctx)
{
	if (b->size > INPUT_WINDOW_MAX)
		return err_damage(f->e, b->offset, "a block of %zu bytes", b->size);
	bool whole = input_need(f->in, b->size);
	b->at = input_at(f->in);
	b->len = whole ? b->size : input_have(f->in);
	if (!take(ctx, b))
		return false;
	if (!whole)
		return file_ends(f, b->offset + b->len, "the file ends within a block");
	input_skip(f->in, b->size);
	if (f->version >= 6)
		return true;
	if (!input_need(f->in, 1))
		return file_ends(f, input_offset(f->in), "the file ends without its end tag");
	if (*input_at(f->in) != TAG_END)
		return err_damage(f->e, input_offset(f->in), "a block without its tag");
	input_skip(f->in, 1);
	return true;
}

bool
nettrace_blocks(struct nettrace_file *f,
		bool (*take)(void *ctx, const struct nettrace_block *block), void *ctx)
{
	for (;;) {
		struct nettrace_block b = {.kind = NETTRACE_END};
		if (!input_need(f->in, 1))
			return file_ends(f, input_offset(f->in),
					 "the file ends without its end tag");
		if (!block_begin(f, &b))
			return false;
		b.offset = input_offset(f->in);
		if (b.kind == NETTRACE_END)
			return take(ctx, &b);
		if (!block_take(f, &b, take, ctx))
			return false;
	}
}

bool
nettrace_bad(struct nettrace_file *f, const struct nettrace_block *block, uint64_t offset,
	     const char *what)
{
	if (block->len < block->size)
		return file_ends(f, offset, "the file ends within a block");
	return err_damage(f->e, offset, "%s", what);
}

/* ---- events ---- */

/* Reads the header of a compressed event over that of the event before. */
static void
event_compressed(const struct nettrace_file *f, struct cursor *c, bool counts,
		 struct nettrace_event *ev)
{
	unsigned flags = cursor_u8(c);

	if (flags & 1)
		ev->metadata = (uint32_t)cursor_varint(c);
	if (flags & 2) {
		ev->sequence += (uint32_t)cursor_varint(c);
		ev->capture = cursor_varint(c);
		ev->cpu = (uint32_t)cursor_varint(c);
		ev->fresh = true;
	}
	ev->sequence += counts;
	if (flags & 4)
		ev->thread = cursor_varint(c);
	if (flags & 8)
		ev->stack = (uint32_t)cursor_varint(c);
	ev->ticks += cursor_varint(c);
	if (f->version >= 6) {
		if (flags & 16)
			ev->labels = (uint32_t)cursor_varint(c);
	} else if (flags & 48) {
		cursor_bytes(c, GUID_BYTES * ((flags >> 4 & 1) + (flags >> 5 & 1)));
	}
	ev->sorted = flags & 64;
	if (flags & 128)
		ev->size = (uint32_t)cursor_varint(c);
}

/* Reads the header of an uncompressed event. */
static void
event_plain(const struct nettrace_file *f, struct cursor *c, struct nettrace_event *ev)
{
	cursor_u32(c); /* its size, which the size of the payload repeats */
	ev->metadata = cursor_u32(c);
	ev->sorted = ev->metadata >> 31;
	ev->metadata &= INT32_MAX;
	ev->sequence = cursor_u32(c);
	ev->thread = cursor_u64(c);
	ev->capture = cursor_u64(c);
	ev->cpu = cursor_u32(c);
	ev->stack = cursor_u32(c);
	ev->ticks = cursor_u64(c);
	if (f->version >= 6)
		ev->labels = cursor_u32(c);
	else
		cursor_bytes(c, (uint64_t)2 * GUID_BYTES);
	ev->size = cursor_u32(c);
	ev->fresh = true;
}

bool
nettrace_events(struct nettrace_file *f, const struct nettrace_block *block,
		bool (*take)(void *ctx, const struct nettrace_event *event), void *ctx)
{
	struct cursor c = cursor_over(block->at, block->len);
	struct nettrace_event ev = {.fresh = true};
	bool counts = f->version >= 6 || block->kind != NETTRACE_METADATA;
	unsigned header = cursor_u16(&c), flags = cursor_u16(&c);

	if (header >= 4)
		cursor_bytes(&c, header - 4);
	if (c.bad || header < 4)
		return nettrace_bad(f, block, block->offset, "a block with a malformed header");
	while (c.at < c.end) {
		ev.offset = block->offset + (uint64_t)(c.at - c.start);
		if (flags & 1)
			event_compressed(f, &c, counts, &ev);
		else
			event_plain(f, &c, &ev);
		ev.payload = cursor_bytes(&c, ev.size);
		if (c.bad)
			return nettrace_bad(f, block, ev.offset,
					    "an event that is longer than its block");
		if (!take(ctx, &ev))
			return false;
		ev.fresh = false;
		if (!(flags & 1) && f->version < 6) {
			size_t pad = -(block->offset + (size_t)(c.at - c.start)) & 3;
			cursor_bytes(&c, pad < cursor_left(&c) ? pad : cursor_left(&c));
		}
	}
	return true;
}

/* ---- stacks, sequence points ---- */

bool
nettrace_stacks(struct nettrace_file *f, const struct nettrace_block *block,
		bool (*take)(void *ctx, uint64_t offset, uint32_t id, const uint8_t *at,
			     uint32_t n),
		void *ctx)
{
	struct cursor c = cursor_over(block->at, block->len);
	uint32_t id = cursor_u32(&c), n = cursor_u32(&c);

	for (uint32_t i = 0; i < n && !c.bad; i++) {
		uint64_t offset = block->offset + (uint64_t)(c.at - c.start);
		uint32_t size = cursor_u32(&c);
		const uint8_t *at = cursor_bytes(&c, size);
		if (c.bad)
			return nettrace_bad(f, block, offset,
					    "a stack that is longer than its block");
		if (!take(ctx, offset, id + i, at, size / f->pointer))
			return false;
	}
	return c.bad ? nettrace_bad(f, block, block->offset, "a block with a malformed header")
		     : true;
}

bool
nettrace_sequence(struct nettrace_file *f, const struct nettrace_block *block, uint32_t *flags,
		  bool (*take)(void *ctx, uint64_t offset, uint64_t thread, uint32_t number),
		  void *ctx)
{
	struct cursor c = cursor_over(block->at, block->len);
	uint32_t n = UINT32_MAX;

	*flags = 0;
	if (block->kind == NETTRACE_SEQUENCE) {
		cursor_u64(&c);
		*flags = f->version >= 6 ? cursor_u32(&c) : 0;
		n = cursor_u32(&c);
	}
	for (uint32_t i = 0; i < n && !c.bad && c.at < c.end; i++) {
		uint64_t offset = block->offset + (uint64_t)(c.at - c.start);
		uint64_t thread = f->version >= 6 ? cursor_varint(&c) : cursor_u64(&c);
		uint32_t number = f->version >= 6 ? (uint32_t)cursor_varint(&c) : cursor_u32(&c);
		if (c.bad)
			return nettrace_bad(f, block, offset, "a malformed sequence point");
		if (!take(ctx, offset, thread, number))
			return false;
	}
	return c.bad ? nettrace_bad(f, block, block->offset, "a malformed sequence point") : true;
}
