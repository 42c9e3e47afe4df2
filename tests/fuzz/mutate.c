#include "tests/fuzz/mutate.h"

/* Random changes of bytes nearly always break a document's form, and then only the code that
 * refuses it runs.  This mutator first finds a part: the text between its ends can be removed,
 * repeated or replaced by another part, and the whole is still JSON, a message or a table. Numbers
 * become those at which sums and comparisons go wrong.
 *
 * It does not parse completely: anything that looks like a part counts, since a mistake costs one
 * run. */

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PARTS_MAX 512u
#define DEPTH_MAX 12u
#define PART_BYTES_MAX 4096u

struct part {
	size_t from, to;
};

struct change {
	uint8_t *at;
	size_t len, cap;
	uint64_t *state;
	struct part part[PARTS_MAX];
	size_t n;
};

static uint64_t
next_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

static size_t
below(struct change *c, size_t n)
{
	return n ? (size_t)(next_random(c->state) >> 11) % n : 0;
}

/* Returns a number at which sums and comparisons go wrong. */
static uint64_t
telling(struct change *c)
{
	static const unsigned bits[] = {0, 1, 7, 8, 15, 16, 24, 29, 31, 32, 40, 53, 61, 62, 63};
	uint64_t v = UINT64_C(1) << bits[below(c, sizeof bits / sizeof *bits)];

	return v + (uint64_t)below(c, 4) - 2;
}

/* Replaces the bytes [from, to) by the n bytes of `with`, which must not overlap c->at. */
static void
put(struct change *c, size_t from, size_t to, const uint8_t *with, size_t n)
{
	if (c->len - (to - from) + n > c->cap)
		return;
	memmove(c->at + from + n, c->at + to, c->len - to);
	memcpy(c->at + from, with, n);
	c->len = c->len - (to - from) + n;
}

static void
add_part(struct change *c, size_t from, size_t to)
{
	if (to <= from || to - from > PART_BYTES_MAX)
		return;
	/* if there are too many, each is equally likely */
	size_t i = c->n < PARTS_MAX ? c->n : below(c, c->n + 1);
	if (i < PARTS_MAX)
		c->part[i] = (struct part){from, to};
	c->n++;
}

static struct part
choose_part(struct change *c)
{
	return c->part[below(c, c->n < PARTS_MAX ? c->n : PARTS_MAX)];
}

/* Removes, repeats or replaces a part; `between` (0: nothing) separates two. */
static void
change_parts(struct change *c, uint8_t between)
{
	uint8_t copy[2 * PART_BYTES_MAX + 1];
	struct part a, b;

	if (!c->n)
		return;
	a = choose_part(c);
	b = choose_part(c);
	size_t n = a.to - a.from;
	memcpy(copy, c->at + a.from, n);
	switch (below(c, 4)) {
	case 0:
		if (between && a.to < c->len && c->at[a.to] == between)
			a.to++;
		put(c, a.from, a.to, copy, 0);
		break;
	case 1:
		if (between)
			copy[n++] = between;
		memcpy(copy + n, c->at + a.from, a.to - a.from);
		put(c, a.from, a.to, copy, n + (a.to - a.from));
		break;
	default:
		put(c, b.from, b.to, copy, n);
		break;
	}
}

/* ---- texts ---- */

static bool
is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Finds written numbers: `12`, `-3`, `4.5`, `0x1f`, perhaps in quotes. */
static void
find_numbers(struct change *c)
{
	for (size_t i = 0; i < c->len; i++) {
		size_t from = i;
		if (!is_digit(c->at[i]))
			continue;
		while (i < c->len && (is_digit(c->at[i]) || c->at[i] == '.'))
			i++;
		if (from && c->at[from - 1] == '-')
			from--;
		add_part(c, from, i);
	}
}

static void
change_number(struct change *c)
{
	char text[32];

	find_numbers(c);
	if (!c->n)
		return;
	if (below(c, 4) == 0) { /* another number of the file: the id of another object */
		change_parts(c, 0);
		return;
	}
	struct part p = choose_part(c);
	int64_t v = (int64_t)telling(c);
	size_t form = below(c, 6);
	int n = form == 0   ? snprintf(text, sizeof text, "%" PRIu64, (uint64_t)v)
		: form == 1 ? snprintf(text, sizeof text, "%" PRId64 ".%06u", v,
				       (unsigned)below(c, 1000000))
		: form == 2 ? snprintf(text, sizeof text, "1e%u", (unsigned)below(c, 400))
		: form == 3 ? snprintf(text, sizeof text, "%" PRId64 ".999999999", v / 1000000000)
			    : snprintf(text, sizeof text, "%" PRId64, v);
	put(c, p.from, p.to, (const uint8_t *)text, (size_t)n);
}

/* Finds JSON values: text between brackets, strings and numbers, with the key before them. */
static void
find_values(struct change *c)
{
	size_t open[DEPTH_MAX], depth = 0, from = 0;
	bool quoted = false, begun = false;

	for (size_t i = 0; i < c->len; i++) {
		uint8_t b = c->at[i];
		if (quoted) {
			i += b == '\\';
			quoted = b != '"';
			continue;
		}
		quoted = b == '"';
		bool opens = b == '{' || b == '[', ends = b == '}' || b == ']' || b == ',';
		if (begun && ends)
			add_part(c, from, i);
		if (b == '}' || b == ']') {
			if (depth && --depth < DEPTH_MAX)
				add_part(c, open[depth], i + 1);
			begun = false;
		} else if (opens) {
			if (depth < DEPTH_MAX)
				open[depth] = i;
			depth++;
		}
		if (opens || b == ',') {
			from = i + 1;
			begun = true;
		}
	}
}

/* Elements and attributes of XML. */
static void
find_elements(struct change *c)
{
	for (size_t i = 0; i < c->len; i++) {
		const uint8_t *end;
		if (c->at[i] == '<' && (end = memchr(c->at + i, '>', c->len - i)))
			add_part(c, i, (size_t)(end - c->at) + 1);
		if (c->at[i] == '"' && (end = memchr(c->at + i + 1, '"', c->len - i - 1))) {
			add_part(c, i + 1, (size_t)(end - c->at));
			i = (size_t)(end - c->at);
		}
	}
}

/* Finds parts between two of these characters. */
static void
find_between(struct change *c, const char *ends)
{
	size_t from = 0;

	for (size_t i = 0; i <= c->len; i++)
		if (i == c->len || strchr(ends, c->at[i] ? c->at[i] : 1)) {
			add_part(c, from, i);
			from = i + 1;
		}
}

/* ---- messages ---- */

/* Reads a varint at *i; returns false if it is invalid. */
static bool
varint(const uint8_t *at, size_t end, size_t *i, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; *i < end && shift < 64; shift += 7) {
		uint8_t b = at[(*i)++];
		*out |= (uint64_t)(b & 0x7F) << shift;
		if (b < 0x80)
			return true;
	}
	return false;
}

static size_t
write_varint(uint8_t *out, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (uint8_t)(v | 0x80);
	out[n++] = (uint8_t)v;
	return n;
}

struct field {
	size_t from, value, to; /* its tag, the end of tag and length, its end */
	unsigned type;
};

static bool
field_at(const struct change *c, size_t i, size_t end, struct field *out)
{
	uint64_t tag, v;

	*out = (struct field){.from = i};
	if (!varint(c->at, end, &i, &tag) || !(tag >> 3))
		return false;
	out->type = tag & 7;
	out->value = i;
	switch (out->type) {
	case 0:
		out->to = i;
		return varint(c->at, end, &out->to, &v);
	case 1:
		out->to = i + 8;
		break;
	case 2:
		if (!varint(c->at, end, &i, &v) || v > end - i)
			return false;
		out->value = i;
		out->to = i + (size_t)v;
		break;
	case 5:
		out->to = i + 4;
		break;
	default:
		return false;
	}
	return out->to <= end;
}

/* Returns how many fields fill [from, to) exactly; 0: it is not a message. */
static size_t
fields_of(const struct change *c, size_t from, size_t to)
{
	struct field f;
	size_t n = 0;

	for (; from < to; from = f.to, n++)
		if (!field_at(c, from, to, &f))
			return 0;
	return n;
}

/* Writes a changed field to out; returns its length. */
static size_t
changed_field(struct change *c, const struct field *f, uint8_t *out, size_t room)
{
	size_t n = f->to - f->from, head = f->value - f->from;

	memcpy(out, c->at + f->from, n);
	switch (below(c, f->type == 2 ? 3 : 6)) {
	case 0:
		return 0;
	case 1:
		if (2 * n > room)
			return n;
		memcpy(out + n, c->at + f->from, n);
		return 2 * n;
	case 2:
		if (f->type == 2) { /* empty */
			uint64_t tag;
			size_t i = f->from;
			varint(c->at, f->to, &i, &tag);
			n = i - f->from;
			out[n++] = 0;
			return n;
		} /* fall through */
	default:
		break;
	}
	uint64_t v = telling(c);
	if (f->type == 0)
		return head + write_varint(out + head, v);
	memcpy(out + head, &v, f->to - f->value);
	return n;
}

/* Changes a field anywhere below [0, len), and updates the lengths of the enclosing messages. */
static void
change_message(struct change *c)
{
	uint8_t out[2 * PART_BYTES_MAX + 16];
	struct field way[DEPTH_MAX], f = {0};
	size_t from = 0, to = c->len, depth = 0;

	for (;;) {
		size_t n = fields_of(c, from, to);
		if (!n)
			break;
		for (size_t pick = below(c, n) + 1; pick; pick--, from = f.to)
			field_at(c, from, to, &f);
		if (depth == DEPTH_MAX)
			break;
		way[depth++] = f;
		if (f.type != 2 || below(c, 4) == 0)
			break;
		from = f.value;
		to = f.to;
	}
	if (!depth)
		return;
	f = way[--depth];
	if (f.to - f.from > PART_BYTES_MAX)
		return;
	size_t before = c->len, n = changed_field(c, &f, out, sizeof out - 16);
	put(c, f.from, f.to, out, n);
	while (depth-- && c->len != before) {
		const struct field *up = &way[depth];
		size_t tag_end = up->from, size = up->to - up->value + c->len - before;
		uint64_t tag;
		varint(c->at, up->value, &tag_end, &tag);
		put(c, tag_end, up->value, out, write_varint(out, size));
	}
}

/* ---- bytes ---- */

static void
change_binary(struct change *c)
{
	size_t size = (size_t)1 << below(c, 4), i;
	uint64_t v = telling(c);

	if (c->len < size)
		return;
	i = below(c, (c->len - size) / size + 1) * size + (below(c, 4) ? 0 : below(c, size));
	if (i + size > c->len)
		return;
	bool big = below(c, 4) == 0;
	if (below(c, 3) == 0) { /* another field's */
		memmove(c->at + i, c->at + below(c, c->len - size + 1), size);
		return;
	}
	for (size_t k = 0; k < size; k++)
		c->at[i + k] = (uint8_t)(v >> 8 * (big ? size - 1 - k : k));
}

static bool
is_text(const struct change *c)
{
	size_t odd = 0, n = c->len < 1024 ? c->len : 1024;

	for (size_t i = 0; i < n; i++)
		odd += c->at[i] < 0x20 && c->at[i] != '\n' && c->at[i] != '\r' && c->at[i] != '\t';
	return odd * 16 < n;
}

static void
change_text(struct change *c)
{
	uint8_t first = c->at[0];
	size_t which = below(c, 8);

	if (which < 4) {
		change_number(c);
	} else if (first == '{' || first == '[') {
		find_values(c);
		change_parts(c, ',');
	} else if (first == '<') {
		find_elements(c);
		change_parts(c, 0);
	} else if (which < 6) {
		find_between(c, "\n");
		change_parts(c, '\n');
	} else {
		find_between(c, "\n\t ,;:|");
		change_parts(c, 0);
	}
}

size_t
fuzz_mutate(uint8_t *at, size_t len, size_t cap, uint64_t *state)
{
	struct change c = {.at = at, .len = len, .cap = cap, .state = state};

	if (!len)
		return 0;
	if (is_text(&c))
		change_text(&c);
	else if (below(&c, 4) && fields_of(&c, 0, len))
		change_message(&c);
	else
		change_binary(&c);
	return c.len;
}
