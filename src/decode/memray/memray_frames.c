/* memray: functions, executing lines and stacks.
 *
 * A frame is a code object and the offset of an instruction. Python's own table of lines maps the
 * offset to a line, in a form that depends on Python's version; memray copies it. */
#include "src/decode/memray/memray_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void
memray_frames_release(struct memray_frames *f)
{
	vec_release_all(&f->code, &f->native, &f->segment, &f->path);
	buf_release(&f->tables);
	idmap_release_all(&f->code_of, &f->frame_of, &f->line_of, &f->stack_of);
}

/* ---- tables of lines ---- */

/* The numbers of co_linetable: groups of six bits, the lowest first; bit 6: more follow. */
static int64_t
table_varint(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 63; shift += 6) {
		const uint8_t *p = cursor_bytes(c, 1);
		if (!p)
			return 0;
		v |= (uint64_t)(*p & 63) << shift;
		if (!(*p & 64))
			break;
	}
	return (int64_t)v;
}

/* The same with the sign in bit 0. */
static int64_t
table_signed(struct cursor *c)
{
	int64_t v = table_varint(c);

	return v & 1 ? -(v >> 1) : v >> 1;
}

/* co_linetable of Python 3.11 and later: entries of a byte 1kkkklll for l + 1 units of two bytes.
 *
 *	k 15 no line   14 line, end line, columns   13 line
 *	10..12 the line grows by k - 10, two bytes of columns   0..9 the same line, a byte */
static int64_t
line_of_locations(struct cursor c, int64_t offset, int64_t line)
{
	int64_t unit = offset / 2, at = 0;
	const uint8_t *p;

	while ((p = cursor_bytes(&c, 1))) {
		unsigned k = *p >> 3 & 15;
		if (k == 13 || k == 14)
			line += table_signed(&c);
		if (k == 14)
			for (unsigned i = 0; i < 3; i++)
				table_varint(&c);
		if (k >= 10 && k <= 12) {
			line += k - 10;
			cursor_bytes(&c, 2);
		}
		if (k < 10)
			cursor_bytes(&c, 1);
		at += (*p & 7) + 1;
		if (unit < at)
			return k == 15 || c.bad ? 0 : line;
	}
	return 0;
}

/* co_linetable of Python 3.10: pairs of a number of bytes and of lines, -128: no line. */
static int64_t
line_of_pairs(struct cursor c, int64_t offset, int64_t line)
{
	int64_t at = 0;
	const uint8_t *p;

	while ((p = cursor_bytes(&c, 2))) {
		int8_t more = (int8_t)p[1];
		at += p[0];
		if (more != -128)
			line += more;
		if (offset * 2 < at)
			return more == -128 ? 0 : line;
	}
	return 0;
}

/* co_lnotab of Python before 3.10: pairs; the lines count from behind the bytes on. */
static int64_t
line_of_lnotab(struct cursor c, int64_t offset, int64_t line)
{
	int64_t at = 0;
	const uint8_t *p;

	while ((p = cursor_bytes(&c, 2))) {
		at += p[0];
		if (at > offset)
			break;
		line += (int8_t)p[1];
	}
	return line;
}

static int64_t
line_at(const struct memray_frames *f, const struct memray_code *code, uint32_t python,
	int64_t offset)
{
	struct cursor c = cursor_over(f->tables.at + code->table, code->table_len);
	uint32_t minor = python >> 16;

	if (!code->table_len)
		return code->first_line;
	if (offset < 0 || offset > INT32_MAX)
		return 0;
	if (minor >= 0x30B)
		return line_of_locations(c, offset, code->first_line);
	return (minor == 0x30A ? line_of_pairs : line_of_lnotab)(c, offset, code->first_line);
}

/* ---- frames ---- */

static frame_id
frame_at_line(struct builder *b, struct function fn, int64_t line)
{
	return builder_frame(b, builder_function(b, fn),
			     line > 0 && line < UINT32_MAX ? line_plain((uint32_t)line)
							   : line_unknown());
}

static frame_id
frame_missing(struct builder *b, struct memray_frames *f)
{
	f->unknown++;
	return builder_frame(b, builder_function_unknown(b), line_unknown());
}

void
memray_code_add(struct builder *b, struct memray_frames *f, const struct memray_record *r,
		int64_t line)
{
	if (f->code.n >= IDMAP_NONE - 1)
		return;
	idmap_put(&f->code_of, r->number, (uint32_t)f->code.n);
	*vec_push(&f->code) = (struct memray_code){
		.function = builder_name(b, r->text.at, r->text.len),
		.file = builder_name(b, r->file.at, r->file.len),
		.first_line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0,
		.table = f->tables.len,
		.table_len = r->table.len,
	};
	buf_add(&f->tables, r->table.at, r->table.len);
}

frame_id
memray_code_frame(struct builder *b, struct memray_frames *f, uint32_t python, uint64_t code,
		  int64_t offset)
{
	uint32_t at = idmap_get(&f->code_of, code);

	if (at == IDMAP_NONE)
		return frame_missing(b, f);
	if (offset < 0 || offset > INT32_MAX)
		offset = UINT32_MAX;
	uint64_t key = (uint64_t)at << 32 | (uint32_t)offset;
	uint32_t frame = idmap_get(&f->line_of, key);
	if (frame == IDMAP_NONE) {
		const struct memray_code *c = &f->code.at[at];
		frame = frame_at_line(b,
				      (struct function){.name = c->function,
							.file = c->file,
							.line = c->first_line},
				      line_at(f, c, python, offset));
		idmap_put(&f->line_of, key, frame);
	}
	return frame;
}

void
memray_frame_add(struct builder *b, struct memray_frames *f, const struct memray_record *r,
		 uint64_t id, int64_t line)
{
	struct function fn = {.name = builder_name(b, r->text.at, r->text.len),
			      .file = builder_name(b, r->file.at, r->file.len)};

	idmap_put(&f->frame_of, id, frame_at_line(b, fn, line));
}

frame_id
memray_frame_named(struct builder *b, struct memray_frames *f, uint64_t id)
{
	uint32_t frame = idmap_get(&f->frame_of, id);

	return frame == IDMAP_NONE ? frame_missing(b, f) : frame;
}

/* ---- native frames ---- */

void
memray_module_add(struct builder *b, struct memray_frames *f, const struct memray_record *r)
{
	if (r->kind == MEMRAY_MAPS) {
		f->segment.n = 0;
	} else if (r->kind == MEMRAY_MODULE) {
		const char *slash = memrchr(r->text.at, '/', r->text.len);
		const char *base = slash ? slash + 1 : r->text.at;
		f->module.base = r->number;
		f->module.module =
			builder_name(b, base, (size_t)(r->text.at + r->text.len - base));
	} else {
		struct memray_segment s = f->module;
		s.start = s.base + r->number;
		s.end = s.start + r->size;
		*vec_push(&f->segment) = s;
	}
}

/* Native code has no symbols in the file, and no build ids that would identify others. So a frame
 * is its address relative to its module. */
static frame_id
native_frame_at(struct builder *b, struct memray_frames *f, uint64_t ip)
{
	struct function fn = {.kind = KIND_SYSTEM};
	char text[32];

	for (size_t i = f->segment.n; i-- > 0 && fn.module == NAME_EMPTY;) {
		const struct memray_segment *s = &f->segment.at[i];
		if (ip < s->start || ip >= s->end)
			continue;
		fn.module = s->module;
		ip -= s->base;
	}
	int n = snprintf(text, sizeof text, "0x%" PRIx64, ip);
	fn.name = builder_name(b, text, (size_t)n);
	return builder_frame(b, builder_function(b, fn), line_unknown());
}

stack_id
memray_stack(struct builder *b, struct memray_frames *f, stack_id python, uint64_t native)
{
	uint64_t key = (uint64_t)python << 32 | native;

	if (!native || native > f->native.n || python == STACK_NONE)
		return python;
	uint32_t stack = idmap_get(&f->stack_of, key);
	if (stack != IDMAP_NONE)
		return stack;
	f->path.n = 0;
	for (uint32_t i = (uint32_t)native; i; i = f->native.at[i - 1].parent) {
		struct memray_native *x = &f->native.at[i - 1];
		if (x->frame == MEMRAY_NO_FRAME)
			x->frame = native_frame_at(b, f, x->ip);
		*vec_push(&f->path) = x->frame;
		if (f->path.n > STACK_DEPTH_MAX)
			return builder_too_deep(b);
	}
	stack = python;
	for (size_t i = f->path.n; i-- > 0 && stack != STACK_NONE;)
		stack = builder_child(b, stack, f->path.at[i]);
	if (stack != STACK_NONE)
		idmap_put(&f->stack_of, key, stack);
	return stack;
}
