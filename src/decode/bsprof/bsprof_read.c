#include "src/decode/bsprof/bsprof_read.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* "BrightScript Profiler file format specification", section by section.
 *
 * Nearly every field is a varint, and nearly every varint has one or two bytes.  These are read
 * inline, longer ones by cursor_varint().  The cursor spans the whole window of the input, and
 * the input advances only at the end of the window, so a record costs no call.  A record that
 * the window cuts is read again from its first byte when there are more bytes.  At the end of
 * the file the same state is the damage "the file ends inside ...", with the offset of that
 * first byte.  A growing file needs no other code: there, the request for more bytes waits.
 *
 * A string is not preceded by its length.  Reading an endless string again after each refill
 * would take quadratic time, so strings are limited.
 *
 * Rejected: a table of fields per type, walked by an interpreter: it would cost a jump for each
 * field and save twenty lines. */

#define STRING_MAX (16u << 20)
#define HEADER_READ (1u << 20) /* texts must begin within this many bytes; padding may be longer */

static const uint8_t magic[8] = {'b', 's', 'p', 'r', 'o', 'f', 0, 0};

static const char *const type_name[BSPROF_TYPES + 1] = {
	[BSPROF_STRING] = "a string entry", [BSPROF_MODULE] = "a module entry",
	[BSPROF_PATH] = "a path element",   [BSPROF_MEMORY] = "a memory entry",
	[BSPROF_CPU] = "a CPU entry",       [BSPROF_CALLS] = "a call count entry",
	[BSPROF_TYPES] = "an entry",
};

static inline uint64_t
varint(struct cursor *c)
{
	const uint8_t *p = c->at;

	if (c->end - p >= 2) {
		if (p[0] < 0x80) {
			c->at += 1;
			return p[0];
		}
		if (p[1] < 0x80) {
			c->at += 2;
			return (p[0] & 0x7Fu) | (uint32_t)p[1] << 7;
		}
	}
	return cursor_varint(c);
}

/* for ids and lines: bits beyond 32 are collected in *wide */
static inline uint32_t
varint32(struct cursor *c, uint64_t *wide)
{
	uint64_t v = varint(c);

	*wide |= v >> 32;
	return (uint32_t)v;
}

/* ---- header ----
 *	8 bytes   magic
 *	varint    major, minor, patch level; header size
 *	f32le     requested, actual sample ratio
 *	varint    line-specific data, memory operations, start of the run (ms)
 *	utf8z     name, supplemental, version, vendor, model, firmware
 *	...       padding, up to the header size */

static void
header_fields(struct cursor *c, struct bsprof_header *h)
{
	uint32_t requested = cursor_u32(c), actual = cursor_u32(c);

	memcpy(&h->requested_ratio, &requested, sizeof requested);
	memcpy(&h->actual_ratio, &actual, sizeof actual);
	h->lines = varint(c) != 0;
	h->memory = varint(c) != 0;
	h->start_ms = varint(c);
	for (int i = 0; i < BSPROF_TEXTS; i++) {
		size_t len;
		const char *text = cursor_cstring(c, &len);
		if (!text)
			break;
		h->text[i] = mem_dup(text, len);
		h->len[i] = len;
	}
}

static bool
header_ends(struct err *err)
{
	return err_damage(err, 0, "the file ends within its header");
}

bool
bsprof_header_read(struct bsprof_reader *r, struct input *in, struct bsprof_header *h,
		   struct err *err)
{
	struct cursor c;

	*h = (struct bsprof_header){0};
	*r = (struct bsprof_reader){.in = in};
	bool whole = input_need(in, sizeof magic + 4);
	size_t have = input_have(in) < sizeof magic ? input_have(in) : sizeof magic;
	if (!have || memcmp(input_at(in), magic, have) != 0)
		return err_refuse(err, "does not begin as a BrightScript profile does");
	if (!whole)
		return header_ends(err);
	for (;;) { /* the four numbers before the size of the header is known */
		c = cursor_over(input_at(in), input_have(in));
		cursor_bytes(&c, sizeof magic);
		h->major = varint(&c);
		h->minor = varint(&c);
		h->patch = varint(&c);
		h->size = varint(&c);
		if (!c.bad)
			break;
		if (!c.torn)
			return err_damage(err, 0, "a number in the header is malformed");
		if (!input_more(in))
			return header_ends(err);
	}
	size_t first = (size_t)(c.at - c.start);
	if (h->size < first || h->size > UINT32_MAX)
		return err_damage(err, 0, "the header cannot be %llu bytes long",
				  (unsigned long long)h->size);
	size_t want = h->size < HEADER_READ ? (size_t)h->size : HEADER_READ;
	whole = input_need(in, want);
	have = input_have(in) < want ? input_have(in) : want;
	c = cursor_over(input_at(in), have);
	cursor_bytes(&c, first);
	header_fields(&c, h);
	h->cut = c.bad;
	if (!whole || !input_discard(in, h->size))
		return header_ends(err);
	r->lines = h->lines;
	r->c = cursor_over(input_at(in), input_have(in));
	r->base = input_offset(in);
	return true;
}

void
bsprof_header_release(struct bsprof_header *h)
{
	for (int i = 0; i < BSPROF_TEXTS; i++)
		free(h->text[i]);
	*h = (struct bsprof_header){0};
}

/* ---- body ----
 * An entry begins with a varint, its tag: the id above, the type in the three lowest bits
 * (memory: the operation in bits 3 and 4, the id above).  Line offsets, in brackets, are
 * there when the header says so.
 *	0 string   utf8z
 *	1 module   string id
 *	2 root     0, module id, file, line, function
 *	2 chained  caller, [line offset in the caller], file, line, function
 *	3 memory   [line offset], address, size (of op 0 alone)
 *	4 CPU      [line offset], cpu, time
 *	5 calls    count
 * Tag 0 ends the body. */

static inline void
path_fields(struct cursor *c, bool lines, struct bsprof_entry *e, uint64_t *wide)
{
	e->caller = varint32(c, wide);
	e->line = 0;
	e->module = 0;
	if (!e->caller)
		e->module = varint32(c, wide);
	else if (lines)
		e->line = varint32(c, wide);
	e->file = varint32(c, wide);
	e->definition = varint32(c, wide);
	e->function = varint32(c, wide);
}

/* Reads the fields after the tag.  Returns false at the end marker.  *wide is not 0 if an id or
 * a line exceeds 32 bits; it is undefined after the cursor went bad. */
static inline bool
entry_fields(struct cursor *c, bool lines, struct bsprof_entry *e, uint64_t *wide)
{
	e->type = BSPROF_TYPES;
	uint64_t tag = varint(c);
	if (c->bad)
		return true;
	if (!tag)
		return false;
	e->type = tag & 7;
	uint64_t id = e->type == BSPROF_MEMORY ? tag >> 5 : tag >> 3;
	*wide = id >> 32;
	e->id = (uint32_t)id;
	switch (e->type) {
	case BSPROF_STRING:
		e->text = cursor_cstring(c, &e->len);
		break;
	case BSPROF_MODULE:
		e->string = varint32(c, wide);
		break;
	case BSPROF_PATH:
		path_fields(c, lines, e, wide);
		break;
	case BSPROF_MEMORY:
		e->op = tag >> 3 & 3;
		e->line = lines ? varint32(c, wide) : 0;
		e->value[0] = varint(c);
		e->value[1] = e->op == BSPROF_ALLOC ? varint(c) : 0;
		break;
	case BSPROF_CPU:
		e->line = lines ? varint32(c, wide) : 0;
		e->value[0] = varint(c);
		e->value[1] = varint(c);
		break;
	case BSPROF_CALLS:
		e->line = 0;
		e->value[0] = varint(c);
		break;
	}
	return true;
}

/* Returns what is wrong with an entry that fits the window. */
static enum bsprof_got
entry_fault(const struct bsprof_entry *e, bool bad, uint64_t wide, struct err *err)
{
	if (e->type >= BSPROF_TYPES && !bad)
		err_damage(err, e->offset, "entry type %u is not known", e->type);
	else if (bad)
		err_damage(err, e->offset, "a number in %s is malformed", type_name[e->type]);
	else if (wide)
		err_damage(err, e->offset, "an id or line in %s exceeds 32 bits",
			   type_name[e->type]);
	else
		err_damage(err, e->offset, "%s has the id 0", type_name[e->type]);
	return BSPROF_FAULT;
}

/* The window cuts the entry at `start`: moves the window so that it begins there, and enlarges
 * it. */
static enum bsprof_got
bsprof_read_refill(struct bsprof_reader *r, const uint8_t *start,
		   const struct bsprof_entry *e, struct err *err)
{
	size_t left = (size_t)(r->c.end - start);

	input_skip(r->in, (size_t)(start - r->c.start));
	if (left > STRING_MAX) {
		err_damage(err, e->offset, "a string longer than %u bytes", STRING_MAX);
		return BSPROF_FAULT;
	}
	if (!input_more(r->in)) {
		r->c = cursor_over(input_at(r->in), 0);
		if (input_stopped(r->in))
			return BSPROF_STOPPED;
		if (left)
			err_damage(err, e->offset, "the file ends within %s", type_name[e->type]);
		else
			err_damage(err, e->offset, "the file ends before the end marker");
		return BSPROF_FAULT;
	}
	r->c = cursor_over(input_at(r->in), input_have(r->in));
	r->base = input_offset(r->in);
	return BSPROF_ENTRY;
}

enum bsprof_got
bsprof_here(struct bsprof_reader *r, struct bsprof_entry *e, struct err *err)
{
	const uint8_t *start = r->c.at;
	uint64_t wide = 0;

	e->offset = r->base + (uint64_t)(start - r->c.start);
	if (!entry_fields(&r->c, r->lines, e, &wide))
		return BSPROF_END;
	if (!r->c.bad && !wide && e->id && e->type < BSPROF_TYPES)
		return BSPROF_ENTRY;
	if (!r->c.torn)
		return entry_fault(e, r->c.bad, wide, err);
	r->c.at = start;
	return BSPROF_MORE;
}

enum bsprof_got
bsprof_more(struct bsprof_reader *r, const struct bsprof_entry *e, struct err *err)
{
	return bsprof_read_refill(r, r->c.at, e, err);
}

enum bsprof_got
bsprof_next(struct bsprof_reader *r, struct bsprof_entry *e, struct err *err)
{
	for (;;) {
		enum bsprof_got got = bsprof_here(r, e, err);
		if (got != BSPROF_MORE || (got = bsprof_more(r, e, err)) != BSPROF_ENTRY)
			return got;
	}
}

/* ---- footer: one varint, the end of the run in ms (pnav-formats(7)) ---- */

bool
bsprof_footer_read(struct bsprof_reader *r, uint64_t *offset, uint64_t *end_ms,
		   bool *there, struct err *err)
{
	struct bsprof_entry e = {.type = BSPROF_TYPES};

	for (;;) {
		const uint8_t *start = r->c.at;
		e.offset = *offset = r->base + (uint64_t)(start - r->c.start);
		*end_ms = varint(&r->c);
		*there = !r->c.bad;
		if (*there)
			return true;
		if (!r->c.torn)
			return err_damage(err, e.offset, "the number in the footer is malformed");
		bool nothing = start == r->c.end;
		struct err ends = {0};
		enum bsprof_got got = bsprof_read_refill(r, start, &e, &ends);
		if (got == BSPROF_ENTRY)
			continue;
		if (got == BSPROF_STOPPED || nothing)
			return true;
		return err_damage(err, e.offset, "the file ends within its footer");
	}
}
