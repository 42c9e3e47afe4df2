/* Reads the symbols embedded in a recording.
 *
 * All parts are decoded and checked at once, into arrays with binary search.  Numbers are LEB128.
 * Names are offsets into one run of NUL-terminated strings.
 *
 * The file may be hostile: each count is compared with the remaining bytes, since an entry has at
 * least one, and rising numbers are checked to rise.
 *
 * Rejected: embedding the symbol tables and the call frame information themselves.  They are
 * larger, a hostile file would pass them to libdw, and unwinding waiting threads needs the code
 * (unwind_pointer.c), which would have to be embedded as well. */
#include "src/symbol/embedded.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/vec.h"
#include "src/symbol/embedded_inside.h"

struct embedded_module {
	enum symbols_kind kind;
	uint32_t path; /* offset in the texts */
	uint8_t id[EMBEDDED_ID_MAX];
	size_t id_len;
	size_t segment, n_segments, answer, n_answers, code, n_code;
	uint16_t machine;
	bool wide, big_endian;
};

struct embedded_routine {
	uint64_t start, end;
	uint32_t name; /* offset in the texts */
	size_t at, len; /* in the code */
};

struct embedded_answer {
	uint64_t at;
	uint32_t symbol; /* offset in the texts; 0: none */
	uint8_t n;
	bool qualified;
	size_t frame;
};

struct embedded_frame {
	uint32_t name, file, line, definition;
	bool inlined;
};

struct stack {
	uint64_t key;
	uint32_t chain;
};

struct chain {
	size_t first;
	uint32_t n;
	uint8_t end;
};

struct embedded {
	char *text;
	size_t text_len; /* including the final NUL; 0: no texts */
	VEC(struct embedded_module) module;
	VEC(struct symbol_segment) segment;
	VEC(struct embedded_answer) answer;
	VEC(struct embedded_frame) frame;
	VEC(struct stack) stack; /* sorted by key */
	VEC(struct chain) chain;
	VEC(uint64_t) address; /* of all chains */
	VEC(struct embedded_routine) function; /* by module and start */
	struct buf code;
	struct buf bytes; /* all of it, as read */
};

/* ---- numbers ---- */

struct embedded_reader {
	const uint8_t *at, *end;
	bool bad; /* a number was truncated or had more than 64 bits: all further ones are 0 */
};

static uint64_t
embedded_number(struct embedded_reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !r->bad && r->at < r->end && shift < 64; shift += 7) {
		uint8_t byte = *r->at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			r->bad = shift == 63 && byte > 1;
			return r->bad ? 0 : value;
		}
	}
	r->bad = true;
	return 0;
}

/* Reads a number of at most `max`. */
static uint64_t
number_to(struct embedded_reader *r, uint64_t max)
{
	uint64_t value = embedded_number(r);

	r->bad |= value > max;
	return r->bad ? 0 : value;
}

/* Reads a count of entries with at least one byte each. */
static uint64_t
embedded_count(struct embedded_reader *r)
{
	uint64_t n = embedded_number(r);

	r->bad |= n > (uint64_t)(r->end - r->at);
	return r->bad ? 0 : n;
}

static uint32_t
embedded_text(struct embedded_reader *r, const struct embedded *e)
{
	uint64_t at = embedded_number(r);

	r->bad |= at && at >= e->text_len;
	return r->bad ? 0 : (uint32_t)at;
}

/* ---- parts ---- */

static bool
read_texts(struct embedded *e, struct embedded_reader *r)
{
	size_t len = (size_t)(r->end - r->at);

	if (e->text || !len || r->end[-1] || r->at[0])
		return false;
	e->text = mem_alloc(len, 1);
	memcpy(e->text, r->at, len);
	e->text_len = len;
	return true;
}

static void
read_answer(struct embedded *e, struct embedded_reader *r, struct embedded_answer *a)
{
	a->symbol = embedded_text(r, e);
	uint64_t n = number_to(r, 2 * SYMBOLS_DEPTH + 1);
	a->qualified = n & 1;
	a->n = (uint8_t)(n / 2);
	a->frame = e->frame.n;
	for (unsigned i = 0; i < a->n && !r->bad; i++) {
		struct embedded_frame f = {.name = embedded_text(r, e)};
		f.file = embedded_text(r, e);
		f.line = (uint32_t)number_to(r, UINT32_MAX);
		uint64_t definition = number_to(r, 2 * (uint64_t)UINT32_MAX + 1);
		f.definition = (uint32_t)(definition / 2);
		f.inlined = definition & 1;
		*vec_push(&e->frame) = f;
	}
}

static void
read_answers(struct embedded *e, struct embedded_reader *r, struct embedded_module *m)
{
	uint64_t at = 0;

	m->answer = e->answer.n;
	m->n_answers = (size_t)embedded_count(r);
	for (size_t i = 0; i < m->n_answers && !r->bad; i++) {
		uint64_t step = embedded_number(r);
		r->bad |= (i && !step) || at + step < at;
		at += step;
		struct embedded_answer a = {.at = at};
		read_answer(e, r, &a);
		*vec_push(&e->answer) = a;
	}
}

static bool
read_modules(struct embedded *e, struct embedded_reader *r)
{
	while (r->at < r->end && !r->bad) {
		struct embedded_module m = {.kind = (enum symbols_kind)number_to(r, SYMBOLS_JIT)};
		m.path = embedded_text(r, e);
		m.id_len = (size_t)number_to(r, EMBEDDED_ID_MAX);
		if (r->bad || (size_t)(r->end - r->at) < m.id_len)
			return false;
		memcpy(m.id, r->at, m.id_len);
		r->at += m.id_len;
		m.segment = e->segment.n;
		m.n_segments = (size_t)embedded_count(r);
		for (size_t i = 0; i < m.n_segments && !r->bad; i++) {
			struct symbol_segment s = {.offset = embedded_number(r)};
			s.size = embedded_number(r);
			s.address = embedded_number(r);
			*vec_push(&e->segment) = s;
		}
		read_answers(e, r, &m);
		*vec_push(&e->module) = m;
	}
	return !r->bad;
}

static uint64_t
zigzag(uint64_t n)
{
	return n >> 1 ^ (0 - (n & 1));
}

static bool
read_stacks(struct embedded *e, struct embedded_reader *r)
{
	uint64_t n = embedded_count(r), key = 0;

	for (uint64_t i = 0; i < n && !r->bad; i++) {
		struct chain c = {.first = e->address.n};
		uint64_t at = 0;
		c.n = (uint32_t)embedded_count(r);
		c.end = (uint8_t)number_to(r, EMBEDDED_ENDS - 1);
		r->bad |= !c.n;
		for (uint32_t k = 0; k < c.n && !r->bad; k++)
			*vec_push(&e->address) = at += zigzag(embedded_number(r));
		*vec_push(&e->chain) = c;
	}
	n = embedded_count(r);
	for (uint64_t i = 0; i < n && !r->bad; i++) {
		uint64_t step = embedded_number(r);
		r->bad |= (i && !step) || key + step < key;
		key += step;
		uint64_t chain = embedded_number(r);
		r->bad |= chain >= e->chain.n;
		*vec_push(&e->stack) = (struct stack){key, (uint32_t)chain};
	}
	return !r->bad;
}

static void
read_function(struct embedded *e, struct embedded_reader *r, uint64_t before)
{
	uint64_t step = embedded_number(r), size;
	struct embedded_routine f = {.start = before + step, .at = e->code.len};

	size = embedded_number(r);
	f.end = f.start + size;
	f.name = embedded_text(r, e);
	f.len = (size_t)embedded_count(r);
	r->bad |= f.start < before || f.end <= f.start || f.len > size;
	if (r->bad)
		return;
	buf_add(&e->code, r->at, f.len);
	r->at += f.len;
	*vec_push(&e->function) = f;
}

/* Reads the code of modules. It refers to the modules of another part by number, to each once. */
static bool
read_code(struct embedded *e, struct embedded_reader *r)
{
	while (r->at < r->end && !r->bad) {
		uint64_t module = embedded_number(r), before = 0;
		if (r->bad || module >= e->module.n || e->module.at[module].n_code)
			return false;
		struct embedded_module *m = &e->module.at[module];
		m->machine = (uint16_t)number_to(r, UINT16_MAX);
		uint64_t flags = number_to(r, EMBEDDED_FLAGS - 1);
		m->wide = flags & EMBEDDED_WIDE;
		m->big_endian = flags & EMBEDDED_BIG_ENDIAN;
		m->code = e->function.n;
		for (uint64_t n = embedded_count(r); n && !r->bad; n--) {
			read_function(e, r, before);
			before = r->bad ? 0 : e->function.at[e->function.n - 1].end;
		}
		m->n_code = e->function.n - m->code;
	}
	return !r->bad;
}

static uint32_t
embedded_word(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Parts with unknown tags come from a later version. */
static bool
embedded_read_part(struct embedded *e, uint32_t tag, struct embedded_reader r)
{
	switch (tag) {
	case EMBEDDED_TEXTS:
		return read_texts(e, &r);
	case EMBEDDED_MODULES:
		return !e->module.n && read_modules(e, &r);
	case EMBEDDED_STACKS:
		return !e->chain.n && read_stacks(e, &r) && r.at == r.end;
	case EMBEDDED_CODE:
		return !e->function.n && read_code(e, &r);
	default:
		return true;
	}
}

struct embedded *
embedded_read(const uint8_t *at, size_t len, struct err *err)
{
	struct embedded *e = mem_zalloc(1, sizeof *e);
	size_t part = 0;
	bool good = len <= EMBEDDED_MAX;

	while (good && part < len) {
		good = len - part >= EMBEDDED_PART &&
		       embedded_word(at + part + 4) <= len - part - EMBEDDED_PART;
		if (!good)
			break;
		size_t size = embedded_word(at + part + 4);
		const uint8_t *body = at + part + EMBEDDED_PART;
		good = embedded_read_part(e, embedded_word(at + part),
					  (struct embedded_reader){body, body + size, false});
		part += good ? EMBEDDED_PART + size : 0;
	}
	if (good) {
		buf_add(&e->bytes, at, len);
		return e;
	}
	embedded_free(e);
	err_damage(err, part, "the embedded names are damaged");
	return NULL;
}

void
embedded_free(struct embedded *e)
{
	if (!e)
		return;
	free(e->text);
	vec_release(&e->module);
	vec_release(&e->segment);
	vec_release(&e->answer);
	vec_release(&e->frame);
	vec_release(&e->stack);
	vec_release(&e->chain);
	vec_release(&e->address);
	vec_release(&e->function);
	buf_release(&e->code);
	buf_release(&e->bytes);
	free(e);
}

void
embedded_release(void *embedded)
{
	embedded_free(embedded);
}

const void *
embedded_bytes(const void *embedded, size_t *len)
{
	const struct embedded *e = embedded;

	*len = e->bytes.len;
	return buf_str(&e->bytes);
}

/* ---- looking up ---- */

struct embedded_sizes
embedded_sizes(const struct embedded *e)
{
	return (struct embedded_sizes){e->module.n, e->answer.n, e->stack.n, e->function.n};
}

static const char *
text_at(const struct embedded *e, uint32_t at)
{
	return at ? e->text + at : NULL;
}

unsigned
embedded_stack(const struct embedded *e, uint64_t key, uint64_t *out, unsigned max, unsigned *end)
{
	size_t low = bisect(i, e->stack.n, e->stack.at[i].key < key);

	if (low == e->stack.n || e->stack.at[low].key != key)
		return 0;
	const struct chain *c = &e->chain.at[e->stack.at[low].chain];
	unsigned n = c->n < max ? c->n : max;
	memcpy(out, e->address.at + c->first, n * sizeof *out);
	*end = n < c->n ? EMBEDDED_DEEP : c->end;
	return n;
}

const struct embedded_module *
embedded_module(const struct embedded *e, const struct symbols_module *m)
{
	for (size_t i = 0; i < e->module.n; i++) {
		const struct embedded_module *have = &e->module.at[i];
		const char *path = have->path ? e->text + have->path : "";
		struct symbols_module other = {.kind = have->kind,
					       .path = path,
					       .path_len = strlen(path),
					       .build_id = have->id,
					       .build_id_len = have->id_len};
		if (embedded_same(m, &other))
			return have;
	}
	return NULL;
}

bool
embedded_at(const struct embedded *e, const struct embedded_module *m, uint64_t at,
	    struct symbols_answer *out)
{
	const struct embedded_answer *all = e->answer.at + m->answer;
	size_t low = bisect(i, m->n_answers, all[i].at < at);

	if (low == m->n_answers || all[low].at != at)
		return false;
	*out = (struct symbols_answer){.symbol = text_at(e, all[low].symbol),
				       .n = all[low].n,
				       .qualified = all[low].qualified};
	for (unsigned i = 0; i < out->n; i++) {
		const struct embedded_frame *f = &e->frame.at[all[low].frame + i];
		out->frame[i] = (struct symbols_frame){.name = text_at(e, f->name),
						       .file = text_at(e, f->file),
						       .line = f->line,
						       .definition = f->definition,
						       .inlined = f->inlined};
	}
	return true;
}

bool
embedded_segment(const struct embedded *e, const struct embedded_module *m, size_t i,
		 struct symbol_segment *out)
{
	if (i < m->n_segments)
		*out = e->segment.at[m->segment + i];
	return i < m->n_segments;
}

bool
embedded_address(const struct embedded *e, const struct embedded_module *m, uint64_t offset,
		 uint64_t *address)
{
	for (size_t i = 0; i < m->n_segments; i++) {
		const struct symbol_segment *s = &e->segment.at[m->segment + i];
		if (offset >= s->offset && offset - s->offset < s->size) {
			*address = offset - s->offset + s->address;
			return true;
		}
	}
	return false;
}

bool
embedded_offset(const struct embedded *e, const struct embedded_module *m, uint64_t address,
		uint64_t *offset)
{
	for (size_t i = 0; i < m->n_segments; i++) {
		const struct symbol_segment *s = &e->segment.at[m->segment + i];
		if (address >= s->address && address - s->address < s->size) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

bool
embedded_code(const struct embedded *e, const struct embedded_module *m, size_t i,
	      struct embedded_code *out)
{
	if (i >= m->n_code)
		return false;
	const struct embedded_routine *f = &e->function.at[m->code + i];
	*out = (struct embedded_code){.start = f->start,
				      .end = f->end,
				      .name = text_at(e, f->name),
				      .machine = m->machine,
				      .wide = m->wide,
				      .big_endian = m->big_endian,
				      .at = (const uint8_t *)e->code.at + f->at,
				      .len = f->len};
	return true;
}

bool
embedded_code_at(const struct embedded *e, const struct embedded_module *m, uint64_t address,
		 struct embedded_code *out)
{
	const struct embedded_routine *all = e->function.at + m->code;
	size_t low = bisect(i, m->n_code, all[i].start <= address);

	return low && address < all[low - 1].end && embedded_code(e, m, low - 1, out);
}
