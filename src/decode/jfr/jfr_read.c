/* Values in the encoding of JFR.  Integers are LEB128 of at most nine bytes, the ninth with
 * eight bits, or big-endian with fixed sizes; the chunk's header says which.  The chunk's
 * metadata defines the fields of a value, so nothing depends on their order. */
#include "model/base/chars.h"
#include "src/decode/jfr/jfr_inside.h"

#include <string.h>

bool
jfr_pooled(const struct jfr_chunk *k, uint32_t type, uint64_t key, size_t *at)
{
	if (type == JFR_NONE)
		return false;
	uint32_t found = idmap_get(&k->type.at[type].pool, key);
	*at = found;
	return found != IDMAP_NONE;
}

struct cursor
jfr_at(const struct jfr_chunk *k, size_t at)
{
	struct cursor c = cursor_over(k->at, k->len);

	c.big_endian = true;
	if (at > k->len)
		c.bad = true;
	else
		c.at += at;
	return c;
}

static uint64_t
leb_bytewise(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 9; i++) {
		const uint8_t *p = cursor_bytes(c, 1);
		if (!p)
			return 0;
		if (i == 8)
			return v | (uint64_t)*p << 56;
		v |= (uint64_t)(*p & 0x7F) << 7 * i;
		if (!(*p & 0x80))
			break;
	}
	return v;
}

static inline uint64_t
leb(struct cursor *c)
{
	uint64_t v;
	unsigned n = !c->bad && cursor_left(c) >= 8 ? bytes_varint(c->at, &v) : 0;

	if (!n)
		return leb_bytewise(c);
	c->at += n;
	return v;
}

/* Skips n packed numbers. A word of eight bytes that begins with a number contains the ends of
 * all of its numbers except the last one; if it contains no end, the number has nine bytes. */
static void
leb_skip(struct cursor *c, uint64_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	while (n && !c->bad && cursor_left(c) >= 9) {
		uint64_t ends = ~bytes_u64(c->at, false) >> 7 & ones;
		uint64_t there = ends * ones >> 56;
		if (there > n)
			break;
		c->at += ends ? 8 - (size_t)__builtin_clzll(ends) / 8 : 9;
		n -= ends ? there : 1;
	}
	for (; n && !c->bad; n--)
		leb(c);
}

uint64_t
jfr_whole(const struct jfr_chunk *k, struct cursor *c, unsigned bytes)
{
	const uint8_t *p;

	if (bytes == 1)
		return (p = cursor_bytes(c, 1)) ? *p : 0;
	if (k->packed)
		return leb(c);
	return bytes == 2 ? cursor_u16(c) : bytes == 4 ? cursor_u32(c) : cursor_u64(c);
}

uint64_t
jfr_long(const struct jfr_chunk *k, struct cursor *c)
{
	return jfr_whole(k, c, 8);
}

/* ---- strings ---- */

enum { STRING_NULL, STRING_EMPTY, STRING_POOLED, STRING_UTF8, STRING_CHARS, STRING_LATIN1 };

static void
add_chars(const struct jfr_chunk *k, struct cursor *c, struct buf *out)
{
	uint32_t n = jfr_int(k, c), high = 0;

	for (uint32_t i = 0; i < n && !c->bad; i++)
		buf_add_utf16(out, (uint32_t)jfr_whole(k, c, 2) & 0xFFFF, &high);
}

static name_id
bytes_name(struct jfr *d, struct cursor *c, bool latin1)
{
	uint32_t n = jfr_int(&d->chunk, c);
	const uint8_t *p = cursor_bytes(c, n);

	if (!p || !n)
		return NAME_EMPTY;
	if (!latin1)
		return builder_name(d->b, p, n);
	buf_reset(&d->text);
	for (uint32_t i = 0; i < n; i++)
		buf_add_utf8(&d->text, p[i]);
	return builder_name(d->b, buf_str(&d->text), d->text.len);
}

name_id
jfr_string(struct jfr *d, struct cursor *c)
{
	const uint8_t *tag = cursor_bytes(c, 1);
	size_t at;

	switch (tag ? *tag : STRING_NULL) {
	case STRING_POOLED:
		if (!jfr_pooled(&d->chunk, d->chunk.string_type, jfr_long(&d->chunk, c),
				&at) ||
		    at >= d->chunk.len || d->chunk.at[at] == STRING_POOLED)
			return NAME_EMPTY;
		struct cursor there = jfr_at(&d->chunk, at);
		return jfr_string(d, &there);
	case STRING_UTF8:
		return bytes_name(d, c, false);
	case STRING_LATIN1:
		return bytes_name(d, c, true);
	case STRING_CHARS:
		buf_reset(&d->text);
		add_chars(&d->chunk, c, &d->text);
		return builder_name(d->b, buf_str(&d->text), d->text.len);
	default:
		c->bad |= tag && *tag > STRING_LATIN1;
		return NAME_EMPTY;
	}
}

static void
jfr_string_skip(const struct jfr_chunk *k, struct cursor *c)
{
	const uint8_t *tag = cursor_bytes(c, 1);

	if (!tag)
		return;
	if (*tag == STRING_POOLED)
		jfr_long(k, c);
	else if (*tag == STRING_UTF8 || *tag == STRING_LATIN1)
		cursor_bytes(c, jfr_int(k, c));
	else if (*tag == STRING_CHARS)
		for (uint32_t n = jfr_int(k, c); n && !c->bad; n--)
			jfr_whole(k, c, 2);
	else
		c->bad |= *tag > STRING_LATIN1;
}

/* ---- values ---- */

static const uint8_t bytes_of[] = {[JFR_BOOL] = 1,  [JFR_BYTE] = 1, [JFR_CHAR] = 2,
				   [JFR_SHORT] = 2, [JFR_INT] = 4,  [JFR_LONG] = 8};

/* Skips n values of a field. */
static void
skip_values(const struct jfr_chunk *k, const struct jfr_field *f, uint32_t n,
	    struct cursor *c, unsigned depth)
{
	if (f->pooled && k->packed) {
		leb_skip(c, n);
		return;
	}
	if (!f->pooled && f->type != JFR_NONE && k->type.at[f->type].numbers &&
	    depth <= JFR_DEEP) {
		leb_skip(c, (uint64_t)n * k->type.at[f->type].numbers);
		return;
	}
	for (; n && !c->bad; n--) {
		size_t before = cursor_left(c);
		if (f->pooled)
			jfr_long(k, c);
		else if (f->type == JFR_NONE)
			c->bad = true;
		else
			jfr_skip(k, f->type, c, depth);
		/* values without bytes, no matter how many */
		if (before == cursor_left(c))
			break;
	}
}

void
jfr_skip(const struct jfr_chunk *k, uint32_t type, struct cursor *c, unsigned depth)
{
	const struct jfr_type *t = &k->type.at[type];

	if (depth > JFR_DEEP) {
		c->bad = true;
		return;
	}
	switch ((enum jfr_kind)t->kind) {
	case JFR_STRING:
		jfr_string_skip(k, c);
		return;
	case JFR_FLOAT:
		cursor_bytes(c, 4);
		return;
	case JFR_DOUBLE:
		cursor_bytes(c, 8);
		return;
	case JFR_STRUCT:
		break;
	case JFR_BOOL:
	case JFR_BYTE:
	case JFR_CHAR:
	case JFR_SHORT:
	case JFR_INT:
	case JFR_LONG:
		jfr_whole(k, c, bytes_of[t->kind]);
		return;
	}
	for (uint32_t i = 0; i < t->n && !c->bad; i++) {
		const struct jfr_field *f = &k->field.at[t->first + i];
		skip_values(k, f, f->array ? jfr_int(k, c) : 1, c, depth + 1);
	}
}

void
jfr_count_numbers(struct jfr_chunk *k)
{
	for (size_t i = 0; i < k->type.n; i++) {
		struct jfr_type *t = &k->type.at[i];
		t->numbers = k->packed && t->kind == JFR_STRUCT ? t->n : 0;
		for (uint32_t m = 0; m < t->n && t->numbers; m++) {
			const struct jfr_field *f = &k->field.at[t->first + m];
			uint8_t kind = f->pooled             ? JFR_LONG
				       : f->type == JFR_NONE ? JFR_STRUCT
							     : k->type.at[f->type].kind;
			if (f->array || kind < JFR_CHAR || kind > JFR_LONG)
				t->numbers = 0;
		}
	}
}

static void
field_read(const struct jfr_chunk *k, const struct jfr_field *f, struct cursor *c,
	   struct jfr_got *got)
{
	union { uint32_t u; float f; } single;
	union {
		uint64_t u;
		double d;
	} double_of;
	uint8_t kind = f->type == JFR_NONE ? JFR_STRUCT : k->type.at[f->type].kind;

	got->type = f->type;
	got->pooled = f->pooled;
	got->at = (size_t)(c->at - c->start);
	if (f->pooled) {
		got->number = jfr_long(k, c);
	} else if (f->type == JFR_NONE) {
		c->bad = true;
	} else if (kind == JFR_FLOAT) {
		single.u = cursor_u32(c);
		got->real = single.f;
	} else if (kind == JFR_DOUBLE) {
		double_of.u = cursor_u64(c);
		got->real = double_of.d;
	} else if (kind >= JFR_BOOL && kind <= JFR_LONG) {
		got->number = jfr_whole(k, c, bytes_of[kind]);
	} else {
		jfr_skip(k, f->type, c, 0);
	}
}

void
jfr_fields(const struct jfr_chunk *k, uint32_t type, struct cursor *c,
	   struct jfr_set *out)
{
	const struct jfr_type *t = &k->type.at[type];
	struct jfr_got none;

	out->when++;
	for (uint32_t i = 0; i < t->n && !c->bad; i++) {
		const struct jfr_field *f = &k->field.at[t->first + i];
		struct jfr_got *got = f->atom ? &out->got[f->atom] : &none;
		if (f->array) {
			*got = (struct jfr_got){.type = f->type, .pooled = f->pooled};
			got->number = jfr_int(k, c);
			got->at = (size_t)(c->at - c->start);
			skip_values(k, f, (uint32_t)got->number, c, 0);
		} else {
			field_read(k, f, c, got);
		}
		if (f->atom)
			got->when = out->when;
	}
}
