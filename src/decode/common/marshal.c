/* CPython's marshal.c.  A value is a byte with its type, then its contents:
 *
 *	{ key value ... 0      dictionary           ( u32 values, ) u8 values, [ u32 values
 *	i i32, I i64           integers             l i32 digits of 15 bits each, sign of the count
 *	g 8 bytes, f u8 text   floats               s u t a A u32 bytes, z Z u8 bytes
 *	N T F . S              None, True, ...      r u32, R u32: a value that was there before
 *
 * Bit 7 marks values that later values may refer to.  They are numbered in the order in which
 * they begin, a list before its elements.  Python 2 numbers its interned strings (`t`) instead.
 * All numbers are little-endian.
 *
 * Each level of nested values costs a call, so the depth is bounded. */
#include "src/decode/common/marshal.h"

#include <stdlib.h>
#include <string.h>

#include "src/input/cursor.h"
#include "src/input/decimal.h"

void
marshal_release(struct marshal *m)
{
	vec_release_all(&m->node, &m->referred, &m->interned);
	buf_release(&m->text);
}

static uint32_t
fail(struct marshal *m, const char *why)
{
	if (!m->why)
		m->why = why;
	return MARSHAL_NO;
}

/* Returns the next n bytes and advances past them; valid until the next call.  NULL at the end. */
static const uint8_t *
marshal_take(struct marshal *m, size_t n)
{
	if (!input_need(m->in, n)) {
		fail(m, "a value is truncated");
		return NULL;
	}
	const uint8_t *at = input_at(m->in);
	input_skip(m->in, n);
	return at;
}

static uint32_t
take_size(struct marshal *m, bool is_short)
{
	const uint8_t *at = marshal_take(m, is_short ? 1 : 4);

	return !at ? 0 : is_short ? at[0] : bytes_u32(at, false);
}

static uint32_t read_value(struct marshal *m, unsigned depth);

/* ---- simple values ---- */

static void
read_string(struct marshal *m, uint32_t v, bool is_short)
{
	uint32_t len = take_size(m, is_short);
	const uint8_t *at = m->why ? NULL : marshal_take(m, len);

	if (!at)
		return;
	if (m->text.len + len > UINT32_MAX) {
		fail(m, "more text than pnav reads");
		return;
	}
	m->node.at[v].kind = MARSHAL_STRING;
	m->node.at[v].string.at = (uint32_t)m->text.len;
	m->node.at[v].string.len = len;
	buf_add(&m->text, at, len);
}

static void
read_long(struct marshal *m, uint32_t v)
{
	int32_t n = (int32_t)take_size(m, false);
	uint32_t digits = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
	const uint8_t *at = m->why || digits > 5 ? NULL : marshal_take(m, (size_t)digits * 2);
	uint64_t all = 0;

	if (!at) {
		fail(m, "an integer of more than 63 bits");
		return;
	}
	for (uint32_t i = digits; i-- > 0;) {
		if (all >> 48) {
			fail(m, "an integer of more than 63 bits");
			return;
		}
		all = all << 15 | (bytes_u16(at + (size_t)i * 2, false) & 0x7FFFu);
	}
	m->node.at[v].kind = MARSHAL_INTEGER;
	m->node.at[v].integer = n < 0 ? -(int64_t)all : (int64_t)all;
}

static void
read_real(struct marshal *m, uint32_t v, bool as_text)
{
	uint32_t len = as_text ? take_size(m, true) : 8;
	const uint8_t *at = m->why ? NULL : marshal_take(m, len);
	double real = 0;

	if (!at)
		return;
	if (as_text && !decimal_double((const char *)at, len, &real))
		fail(m, "a malformed number");
	if (!as_text) {
		uint64_t bits = bytes_u64(at, false);
		memcpy(&real, &bits, sizeof real);
	}
	m->node.at[v].kind = MARSHAL_REAL;
	m->node.at[v].real = real;
}

static void
read_integer(struct marshal *m, uint32_t v, size_t size)
{
	const uint8_t *at = marshal_take(m, size);

	if (!at)
		return;
	m->node.at[v].kind = MARSHAL_INTEGER;
	m->node.at[v].integer = size == 4 ? (int32_t)bytes_u32(at, false)
					  : (int64_t)bytes_u64(at, false);
}

static void
read_reference(struct marshal *m, uint32_t v, bool interned)
{
	uint32_t i = take_size(m, false);
	size_t n = interned ? m->interned.n : m->referred.n;

	if (m->why)
		return;
	if (i >= n) {
		fail(m, "a reference to an undefined value");
		return;
	}
	m->node.at[v].kind = MARSHAL_REFERENCE;
	m->node.at[v].node = interned ? m->interned.at[i] : m->referred.at[i];
}

/* ---- lists ---- */

/* Reads n values, or (for a dictionary) all values before its end. */
static void
read_list(struct marshal *m, uint32_t v, uint32_t n, bool until_end, unsigned depth)
{
	uint32_t last = MARSHAL_NO;

	m->node.at[v].kind = MARSHAL_LIST;
	m->node.at[v].first = MARSHAL_NO;
	for (uint32_t i = 0; !m->why && (until_end || i < n); i++) {
		uint32_t child = read_value(m, depth + 1);
		if (child == MARSHAL_NO || m->node.at[child].kind == MARSHAL_END) {
			if (child != MARSHAL_NO && !until_end)
				fail(m, "expected a value");
			return;
		}
		if (last == MARSHAL_NO)
			m->node.at[v].first = child;
		else
			m->node.at[last].next = child;
		m->node.at[v].n++;
		last = child;
	}
}

static void
read_contents(struct marshal *m, uint32_t v, char type, unsigned depth)
{
	switch (type) {
	case 'N': case 'T': case 'F': case '.': case 'S':
		break;
	case '0':
		m->node.at[v].kind = MARSHAL_END;
		break;
	case 's': case 'u': case 't': case 'a': case 'A':
	case 'z': case 'Z':
		read_string(m, v, type == 'z' || type == 'Z');
		break;
	case 'i':
		read_integer(m, v, 4);
		break;
	case 'I':
		read_integer(m, v, 8);
		break;
	case 'l':
		read_long(m, v);
		break;
	case 'g': case 'f':
		read_real(m, v, type == 'f');
		break;
	case 'r': case 'R':
		read_reference(m, v, type == 'R');
		break;
	case '(': case ')': case '[': {
		uint32_t n = take_size(m, type == ')');
		read_list(m, v, n, false, depth);
		break;
	}
	case '{':
		read_list(m, v, 0, true, depth);
		break;
	default:
		fail(m, "a value of an unsupported kind");
	}
	if (type == 't' && !m->why)
		*vec_push(&m->interned) = v;
}

static uint32_t
read_value(struct marshal *m, unsigned depth)
{
	const uint8_t *at = marshal_take(m, 1);

	if (!at)
		return MARSHAL_NO;
	if (depth > MARSHAL_DEPTH_MAX)
		return fail(m, "values nested too deeply");
	if (m->node.n >= MARSHAL_NO)
		return fail(m, "more values than pnav reads");
	char type = (char)(*at & 0x7F);
	uint32_t v = (uint32_t)m->node.n;
	if (*at & 0x80)
		*vec_push(&m->referred) = v;
	*vec_push(&m->node) = (struct marshal_node){
		.stays = *at & 0x80 || type == 't', .next = MARSHAL_NO, .first = MARSHAL_NO};
	read_contents(m, v, type, depth);
	return m->why ? MARSHAL_NO : v;
}

uint32_t
marshal_value(struct marshal *m)
{
	return read_value(m, 0);
}

/* ---- forgetting ---- */

/* Marks all values of lists that stay. A list precedes its values. */
static void
mark_staying(struct marshal *m)
{
	for (uint32_t i = m->n_kept; i < m->node.n; i++) {
		struct marshal_node *v = &m->node.at[i];
		uint32_t c = v->stays && v->kind == MARSHAL_LIST ? v->first : MARSHAL_NO;
		for (; c != MARSHAL_NO; c = m->node.at[c].next)
			m->node.at[c].stays = true;
	}
}

/* Moves the text of a string to the end of the texts that stay. */
static void
keep_text(struct marshal *m, struct marshal_node *v)
{
	if (v->string.len)
		memmove(m->text.at + m->text_kept, m->text.at + v->string.at, v->string.len);
	v->string.at = (uint32_t)m->text_kept;
	m->text_kept += v->string.len;
}

void
marshal_forget(struct marshal *m)
{
	uint32_t from = m->n_kept, n = (uint32_t)m->node.n - from;
	uint32_t *to = mem_alloc(n, sizeof *to); /* [node - from] its new number */

	mark_staying(m);
	for (uint32_t i = 0; i < n; i++)
		to[i] = m->node.at[from + i].stays ? m->n_kept++ : MARSHAL_NO;
#define MOVED(node) ((node) == MARSHAL_NO || (node) < from ? (node) : to[(node) - from])
	for (uint32_t i = 0; i < n; i++) {
		struct marshal_node v = m->node.at[from + i];
		if (!v.stays)
			continue;
		v.next = MOVED(v.next);
		if (v.kind == MARSHAL_LIST)
			v.first = MOVED(v.first);
		if (v.kind == MARSHAL_REFERENCE)
			v.node = MOVED(v.node);
		if (v.kind == MARSHAL_STRING)
			keep_text(m, &v);
		m->node.at[to[i]] = v;
	}
	for (size_t i = m->n_kept_referred; i < m->referred.n; i++)
		m->referred.at[i] = MOVED(m->referred.at[i]);
	for (size_t i = m->n_kept_interned; i < m->interned.n; i++)
		m->interned.at[i] = MOVED(m->interned.at[i]);
#undef MOVED
	m->node.n = m->n_kept;
	m->text.len = m->text_kept;
	m->n_kept_referred = m->referred.n;
	m->n_kept_interned = m->interned.n;
	free(to);
}

bool
marshal_begin(struct marshal *m)
{
	const uint8_t *at = marshal_take(m, 1);

	if (!at || (*at & 0x7F) != '{')
		return false;
	/* a value with the bit gets its number first; no value inside it can refer to it */
	if (*at & 0x80) {
		*vec_push(&m->referred) = (uint32_t)m->node.n;
		*vec_push(&m->node) = (struct marshal_node){
			.stays = true, .next = MARSHAL_NO, .first = MARSHAL_NO};
	}
	return true;
}

/* ---- access to nodes ---- */

const struct marshal_node *
marshal_get(const struct marshal *m, uint32_t node)
{
	const struct marshal_node *n = &m->node.at[node];

	/* a reference only leads to values that began before it, so following references ends */
	for (unsigned i = 0; n->kind == MARSHAL_REFERENCE && i < MARSHAL_DEPTH_MAX; i++)
		n = &m->node.at[n->node];
	return n;
}

bool
marshal_real(const struct marshal *m, uint32_t node, double *out)
{
	const struct marshal_node *n = node == MARSHAL_NO ? NULL : marshal_get(m, node);

	if (!n || (n->kind != MARSHAL_REAL && n->kind != MARSHAL_INTEGER))
		return false;
	*out = n->kind == MARSHAL_REAL ? n->real : (double)n->integer;
	return true;
}

bool
marshal_integer(const struct marshal *m, uint32_t node, int64_t *out)
{
	const struct marshal_node *n = node == MARSHAL_NO ? NULL : marshal_get(m, node);

	if (!n || n->kind != MARSHAL_INTEGER)
		return false;
	*out = n->integer;
	return true;
}
