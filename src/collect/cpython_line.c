/* cpython_line.c - from a position in a code object to its line.
 *
 *	3.8, 3.9   co_lnotab, Objects/lnotab_notes.txt: pairs of bytes, step of the
 *	           position (u8), step of the line (i8).  The line begins after both steps.
 *	3.10       co_linetable, PEP 626: the same pairs, but the step of the line comes
 *	           first and holds for the bytes of the pair; -128: no line
 *	3.11 on    co_linetable, Objects/locations.md: entries that begin with a byte
 *	           1 kkkk lll, for lll+1 code units of two bytes; kind k decides what follows
 *
 * A table is what another process's memory has, so it may be anything. */
#include "src/collect/cpython.h"

struct line_table {
	const uint8_t *at, *end;
	int64_t line;
};

static int64_t
signed_byte(uint8_t b)
{
	return b < 128 ? b : (int64_t)b - 256;
}

static int64_t
line_of_lnotab(const uint8_t *table, size_t len, int64_t first, uint64_t position)
{
	int64_t line = first;
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		at += table[i];
		if (at > position)
			break;
		line += signed_byte(table[i + 1]);
	}
	return line;
}

static int64_t
line_of_pairs(const uint8_t *table, size_t len, int64_t first, uint64_t position)
{
	int64_t line = first;
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		int64_t step = signed_byte(table[i + 1]);
		if (step != -128)
			line += step;
		at += table[i];
		if (at > position)
			return step == -128 ? 0 : line;
	}
	return 0;
}

/* Six bits a byte, lowest first; bit 6: another byte follows. */
static uint64_t
line_varint(struct line_table *t)
{
	uint64_t value = 0;

	for (unsigned shift = 0; t->at < t->end && shift < 30; shift += 6) {
		uint8_t b = *t->at++;
		value |= (uint64_t)(b & 63) << shift;
		if (!(b & 64))
			break;
	}
	return value;
}

static int64_t
line_svarint(struct line_table *t)
{
	uint64_t v = line_varint(t);

	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/* Steps over what follows an entry's first byte; returns false if it has no line. */
static bool
line_entry(struct line_table *t, unsigned kind)
{
	if (kind == 15)
		return false;
	if (kind == 14) { /* line, end line, columns */
		t->line += line_svarint(t);
		for (int i = 0; i < 3; i++)
			line_varint(t);
	} else if (kind == 13) {
		t->line += line_svarint(t);
	} else { /* columns only, after steps of 0 to 2 lines */
		t->line += kind >= 10 ? kind - 10 : 0;
		t->at += kind >= 10 ? 2 : 1;
	}
	return true;
}

static int64_t
line_of_locations(const uint8_t *table, size_t len, int64_t first, uint64_t position)
{
	struct line_table t = {table, table + len, first};
	uint64_t at = 0;

	while (t.at < t.end) {
		uint8_t head = *t.at++;
		bool has = line_entry(&t, head >> 3 & 15);
		if (t.at > t.end)
			return 0;
		at += 2 * ((head & 7u) + 1);
		if (at > position)
			return has ? t.line : 0;
	}
	return 0;
}

uint32_t
cpython_line(const struct cpython *p, const struct interpreter_frame *f, uint32_t first_line,
	     const uint8_t *table, size_t len)
{
	uint64_t position = f->position;
	int64_t line;

	if (p->minor >= 11) /* a pointer; the one before the first instruction is its start too */
		position -= f->code + p->layout.start;
	else if (p->minor == 10) /* in code units */
		position *= 2;
	if (position > INT32_MAX)
		return first_line; /* it has not begun */
	if (p->minor >= 11)
		line = line_of_locations(table, len, first_line, position);
	else if (p->minor == 10)
		line = line_of_pairs(table, len, first_line, position);
	else
		line = line_of_lnotab(table, len, first_line, position);
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}
