#include "tests/lib/encode_bsprof.h"

#include <string.h>

/* "BrightScript Profiler file format specification", and pnav-formats(7) for the types of
 * operations and the footer.  Line offsets are written if they are not 0, so one encoder serves
 * files with and without line data. */

void
bsprof_varint(struct buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(out, (char)(v | 0x80));
	buf_addc(out, (char)v);
}

static void
ratio(struct buf *out)
{
	buf_add(out, "\0\0\x80\x3F", 4); /* 1.0 as float32le */
}

void
bsprof_header(struct buf *out, bool lines, bool memory, unsigned padding)
{
	struct buf rest = BUF_INIT;

	ratio(&rest);
	ratio(&rest);
	bsprof_varint(&rest, lines);
	bsprof_varint(&rest, memory);
	bsprof_varint(&rest, 1700000000000u);
	for (int i = 0; i < 6; i++)
		buf_add(&rest, "app", 4);
	for (unsigned i = 0; i < padding; i++)
		buf_addc(&rest, 0);
	buf_add(out, "bsprof\0\0\1\0\0", 11);
	/* the size counts itself: one byte below 128, two above */
	size_t size = 11 + rest.len;
	bsprof_varint(out, size + 1 < 128 ? size + 1 : size + 2);
	buf_add(out, rest.at, rest.len);
	buf_release(&rest);
}

void
bsprof_string(struct buf *out, uint64_t id, const char *text)
{
	bsprof_varint(out, id << 3 | 0);
	buf_add(out, text, strlen(text) + 1);
}

void
bsprof_module(struct buf *out, uint64_t id, uint64_t string)
{
	bsprof_varint(out, id << 3 | 1);
	bsprof_varint(out, string);
}

void
bsprof_root(struct buf *out, uint64_t id, uint64_t module, uint64_t file, uint64_t line,
	    uint64_t function)
{
	bsprof_varint(out, id << 3 | 2);
	bsprof_varint(out, 0);
	bsprof_varint(out, module);
	bsprof_varint(out, file);
	bsprof_varint(out, line);
	bsprof_varint(out, function);
}

static void
line_offset(struct buf *out, uint64_t at)
{
	if (at)
		bsprof_varint(out, at);
}

void
bsprof_chained(struct buf *out, uint64_t id, uint64_t caller, uint64_t at, uint64_t file,
	       uint64_t line, uint64_t function)
{
	bsprof_varint(out, id << 3 | 2);
	bsprof_varint(out, caller);
	line_offset(out, at);
	bsprof_varint(out, file);
	bsprof_varint(out, line);
	bsprof_varint(out, function);
}

void
bsprof_cpu(struct buf *out, uint64_t path, uint64_t at, uint64_t cpu, uint64_t time)
{
	bsprof_varint(out, path << 3 | 4);
	line_offset(out, at);
	bsprof_varint(out, cpu);
	bsprof_varint(out, time);
}

void
bsprof_calls(struct buf *out, uint64_t path, uint64_t count)
{
	bsprof_varint(out, path << 3 | 5);
	bsprof_varint(out, count);
}

void
bsprof_alloc(struct buf *out, uint64_t path, uint64_t at, uint64_t address, uint64_t size)
{
	bsprof_varint(out, path << 5 | 0 << 3 | 3);
	line_offset(out, at);
	bsprof_varint(out, address);
	bsprof_varint(out, size);
}

void
bsprof_free(struct buf *out, uint64_t path, uint64_t at, unsigned op, uint64_t address)
{
	bsprof_varint(out, path << 5 | op << 3 | 3);
	line_offset(out, at);
	bsprof_varint(out, address);
}

void
bsprof_end(struct buf *out, uint64_t end_ms)
{
	bsprof_varint(out, 0);
	bsprof_varint(out, end_ms);
}
