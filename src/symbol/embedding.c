/* Collects and writes the symbols to embed in a recording (embedded.h).
 *
 * Addresses are noted as they are looked up, in any order and perhaps twice, and sorted when they
 * are written.  Names and chains repeat all the time, so each is stored once, in a tree of the C
 * library.
 *
 * An upper bound of the size is updated as it grows.  Before it would exceed EMBEDDED_MAX, noting
 * stops.  Readers look up missing answers in the files, as without embedding. */
#include "src/symbol/embedded.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "src/symbol/embedded_inside.h"

#define NUMBER_MAX 10u /* maximum bytes of a LEB128 number */

struct embedding_piece { /* a name or a chain, stored once */
	size_t len;
	uint32_t number; /* offset of a name, or index of a chain */
	uint8_t bytes[];
};

struct noted_module {
	enum symbols_kind kind;
	char *path, *file;
	uint8_t id[EMBEDDED_ID_MAX];
	size_t id_len;
	uint32_t path_text;
	VEC(struct symbol_segment) segment;
	bool hit;
	uint16_t machine; /* of its code */
	uint8_t flags;
	uint32_t number; /* in the part of modules */
};

struct noted_code {
	uint32_t module, name;
	uint64_t start, end;
	size_t at, len; /* in the bytes */
};

struct noted_frame {
	uint32_t name, file, line, definition;
	bool inlined;
};

struct noted {
	uint64_t at;
	uint32_t module, symbol;
	uint8_t n;
	bool qualified;
	size_t frame;
};

struct noted_stack {
	uint64_t key;
	uint32_t chain;
};

struct embedding {
	int64_t before_ns;
	void *texts, *chains; /* trees of pieces */
	struct buf text, chain;
	uint32_t n_chains;
	VEC(struct noted_module) module;
	VEC(struct noted) noted;
	VEC(struct noted_frame) frame;
	VEC(struct noted_stack) stack;
	VEC(struct noted_code) code; /* by module and start */
	struct buf bytes;
	bool full;
};

struct embedding *
embedding_new(int64_t before_ns)
{
	struct embedding *e = mem_zalloc(1, sizeof *e);

	e->before_ns = before_ns;
	buf_addc(&e->text, '\0'); /* offset 0: no name */
	return e;
}

void
embedding_free(struct embedding *e)
{
	if (!e)
		return;
	tdestroy(e->texts, free);
	tdestroy(e->chains, free);
	buf_release(&e->text);
	buf_release(&e->chain);
	for (size_t i = 0; i < e->module.n; i++) {
		free(e->module.at[i].path);
		free(e->module.at[i].file);
		vec_release(&e->module.at[i].segment);
	}
	vec_release(&e->module);
	vec_release(&e->noted);
	vec_release(&e->frame);
	vec_release(&e->stack);
	vec_release(&e->code);
	buf_release(&e->bytes);
	free(e);
}

int64_t
embedding_before(const struct embedding *e)
{
	return e->before_ns;
}

static bool
is_full(struct embedding *e)
{
	size_t about = e->text.len + e->chain.len + e->bytes.len +
		       (e->noted.n * 3 + e->frame.n * 4 + e->stack.n * 2 + e->code.n * 4) *
			       (NUMBER_MAX / 2);

	e->full |= about > EMBEDDED_MAX / 2;
	return e->full;
}

/* ---- pieces ---- */

static int
compare_pieces(const void *a, const void *b)
{
	const struct embedding_piece *x = a, *y = b;

	return x->len != y->len ? (x->len < y->len ? -1 : 1) : memcmp(x->bytes, y->bytes, x->len);
}

/* Returns the piece with these bytes, and whether it is new. */
static struct embedding_piece *
piece_of(void **tree, const void *bytes, size_t len, bool *new)
{
	struct embedding_piece *mine = mem_alloc(sizeof *mine + len, 1);

	mine->len = len;
	memcpy(mine->bytes, bytes, len);
	struct embedding_piece **there = tsearch(mine, tree, compare_pieces);
	if (!there)
		abort(); /* out of memory, as in model/base/mem.h */
	*new = *there == mine;
	if (!*new)
		free(mine);
	return *there;
}

static uint32_t
embedding_text_of(struct embedding *e, const char *name)
{
	bool new;

	if (!name || !*name)
		return 0;
	struct embedding_piece *p = piece_of(&e->texts, name, strlen(name) + 1, &new);
	if (new) {
		p->number = (uint32_t)e->text.len;
		buf_add(&e->text, name, p->len);
	}
	return p->number;
}

/* ---- noting ---- */

uint32_t
embedding_module(struct embedding *e, const struct symbols_module *m, const char *file)
{
	for (uint32_t i = 0; i < e->module.n; i++) {
		const struct noted_module *have = &e->module.at[i];
		struct symbols_module other = {.kind = have->kind,
					       .path = have->path,
					       .path_len = strlen(have->path),
					       .build_id = have->id,
					       .build_id_len = have->id_len};
		if (embedded_same(m, &other))
			return i;
	}
	struct noted_module new = {.kind = m->kind,
				   .path = mem_dup(m->path, m->path_len),
				   .file = file ? mem_dup(file, strlen(file)) : NULL,
				   .id_len = embedded_id_len(m)};
	memcpy(new.id, m->build_id_len ? m->build_id : new.id, new.id_len);
	new.path_text = embedding_text_of(e, new.path);
	*vec_push(&e->module) = new;
	return (uint32_t)e->module.n - 1;
}

void
embedding_segment(struct embedding *e, uint32_t module, const struct symbol_segment *g)
{
	struct noted_module *m = &e->module.at[module];

	if (!m->hit)
		*vec_push(&m->segment) = *g;
}

void
embedding_note(struct embedding *e, uint32_t module, uint64_t at, const struct symbols_answer *a)
{
	if (is_full(e))
		return;
	struct noted n = {.at = at,
			  .module = module,
			  .symbol = embedding_text_of(e, a->symbol),
			  .n = (uint8_t)a->n,
			  .qualified = a->qualified,
			  .frame = e->frame.n};
	for (unsigned i = 0; i < a->n; i++) {
		const struct symbols_frame *f = &a->frame[i];
		*vec_push(&e->frame) = (struct noted_frame){
			embedding_text_of(e, f->name), embedding_text_of(e, f->file),
			f->line, f->definition, f->inlined};
	}
	e->module.at[module].hit = true;
	*vec_push(&e->noted) = n;
}

bool
embedding_noted(const struct embedding *e, size_t i, struct symbols_module *m, uint64_t *at)
{
	if (i >= e->noted.n)
		return false;
	const struct noted_module *of = &e->module.at[e->noted.at[i].module];
	*m = (struct symbols_module){.kind = of->kind,
				     .path = of->path,
				     .path_len = strlen(of->path),
				     .build_id = of->id,
				     .build_id_len = of->id_len};
	*at = e->noted.at[i].at;
	return true;
}

/* Counts the functions up to this address of the module, in the order of modules and addresses. */
static size_t
code_up_to(const struct embedding *e, uint32_t module, uint64_t address)
{
	const struct noted_code *c = e->code.at;

	return bisect(i, e->code.n,
		      c[i].module < module ||
			      (c[i].module == module && c[i].start <= address));
}

bool
embedding_has_code(const struct embedding *e, uint32_t module, uint64_t address)
{
	size_t n = code_up_to(e, module, address);

	return n && e->code.at[n - 1].module == module && address < e->code.at[n - 1].end;
}

void
embedding_code(struct embedding *e, uint32_t module, const struct embedded_code *c)
{
	struct noted_module *m = &e->module.at[module];
	size_t at = code_up_to(e, module, c->start);

	bool overlaps = (at && e->code.at[at - 1].module == module &&
			 e->code.at[at - 1].end > c->start) ||
			(at < e->code.n && e->code.at[at].module == module &&
			 e->code.at[at].start < c->end);
	if (overlaps || is_full(e))
		return;
	m->machine = c->machine;
	m->flags = (uint8_t)((c->wide ? EMBEDDED_WIDE : 0) |
			     (c->big_endian ? EMBEDDED_BIG_ENDIAN : 0));
	struct noted_code new = {.module = module,
				 .name = embedding_text_of(e, c->name),
				 .start = c->start,
				 .end = c->end,
				 .at = e->bytes.len,
				 .len = c->len};
	buf_add(&e->bytes, c->at, c->len);
	vec_push(&e->code);
	memmove(e->code.at + at + 1, e->code.at + at, (e->code.n - 1 - at) * sizeof *e->code.at);
	e->code.at[at] = new;
}

static void
embedding_add_number(struct buf *out, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		buf_addc(out, (char)(n | 0x80));
	buf_addc(out, (char)n);
}

void
embedding_stack(struct embedding *e, uint64_t key, const uint64_t *address, unsigned n,
		unsigned end)
{
	struct buf chain = BUF_INIT;
	uint64_t before = 0;
	bool new;

	if (is_full(e))
		return;
	embedding_add_number(&chain, n);
	embedding_add_number(&chain, end);
	for (unsigned i = 0; i < n; i++) {
		uint64_t step = address[i] - before;
		embedding_add_number(&chain, step << 1 ^ (0 - (step >> 63)));
		before = address[i];
	}
	struct embedding_piece *p = piece_of(&e->chains, chain.at, chain.len, &new);
	if (new) {
		p->number = e->n_chains++;
		buf_add(&e->chain, chain.at, chain.len);
	}
	*vec_push(&e->stack) = (struct noted_stack){key, p->number};
	buf_release(&chain);
}

const char *
embedding_file(const struct embedding *e, size_t i, const uint8_t **id, size_t *id_len)
{
	if (i >= e->module.n)
		return NULL;
	const struct noted_module *m = &e->module.at[i];
	bool is = m->kind == SYMBOLS_FILE && m->file && m->hit;
	*id = m->id;
	*id_len = is ? m->id_len : 0;
	return m->file ? m->file : "";
}

/* ---- writing ---- */

ORDERED_BY_TWO(compare_noted, struct noted, module, at)

ORDERED_BY(compare_stacks, struct noted_stack, key)

/* Sorts the addresses and removes duplicates. */
static void
embedding_sort(struct embedding *e)
{
	size_t kept = 0;

	if (e->noted.n)
		qsort(e->noted.at, e->noted.n, sizeof *e->noted.at, compare_noted);
	for (size_t i = 0; i < e->noted.n; i++)
		if (!kept || compare_noted(&e->noted.at[kept - 1], &e->noted.at[i]))
			e->noted.at[kept++] = e->noted.at[i];
	e->noted.n = kept;
	if (e->stack.n)
		qsort(e->stack.at, e->stack.n, sizeof *e->stack.at, compare_stacks);
	kept = 0;
	for (size_t i = 0; i < e->stack.n; i++)
		if (!kept || e->stack.at[kept - 1].key != e->stack.at[i].key)
			e->stack.at[kept++] = e->stack.at[i];
	e->stack.n = kept;
}

static void
add_answer(const struct embedding *e, const struct noted *n, uint64_t before, struct buf *out)
{
	embedding_add_number(out, n->at - before);
	embedding_add_number(out, n->symbol);
	embedding_add_number(out, 2u * n->n + n->qualified);
	for (unsigned i = 0; i < n->n; i++) {
		const struct noted_frame *f = &e->frame.at[n->frame + i];
		embedding_add_number(out, f->name);
		embedding_add_number(out, f->file);
		embedding_add_number(out, f->line);
		embedding_add_number(out, 2 * (uint64_t)f->definition + f->inlined);
	}
}

/* Writes the module with its answers, which begin at *next. */
static void
add_module(const struct embedding *e, uint32_t module, size_t *next, struct buf *out)
{
	const struct noted_module *m = &e->module.at[module];
	size_t end = *next;
	uint64_t before = 0;

	while (end < e->noted.n && e->noted.at[end].module == module)
		end++;
	if (end == *next)
		return;
	embedding_add_number(out, (uint64_t)m->kind);
	embedding_add_number(out, m->path_text);
	embedding_add_number(out, m->id_len);
	buf_add(out, m->id, m->id_len);
	embedding_add_number(out, m->segment.n);
	for (size_t i = 0; i < m->segment.n; i++) {
		embedding_add_number(out, m->segment.at[i].offset);
		embedding_add_number(out, m->segment.at[i].size);
		embedding_add_number(out, m->segment.at[i].address);
	}
	embedding_add_number(out, end - *next);
	for (; *next < end; ++*next) {
		add_answer(e, &e->noted.at[*next], before, out);
		before = e->noted.at[*next].at;
	}
}

static void
add_stacks(const struct embedding *e, struct buf *out)
{
	uint64_t before = 0;

	embedding_add_number(out, e->n_chains);
	buf_add(out, e->chain.at, e->chain.len);
	embedding_add_number(out, e->stack.n);
	for (size_t i = 0; i < e->stack.n; i++) {
		embedding_add_number(out, e->stack.at[i].key - before);
		embedding_add_number(out, e->stack.at[i].chain);
		before = e->stack.at[i].key;
	}
}

/* The functions from *next on that are of its module. */
static void
add_code(const struct embedding *e, size_t *next, struct buf *out)
{
	const uint32_t module = e->code.at[*next].module;
	const struct noted_module *m = &e->module.at[module];
	uint64_t before = 0;
	size_t end = *next;

	while (end < e->code.n && e->code.at[end].module == module)
		end++;
	embedding_add_number(out, m->number);
	embedding_add_number(out, m->machine);
	embedding_add_number(out, m->flags);
	embedding_add_number(out, end - *next);
	for (; *next < end; ++*next) {
		const struct noted_code *c = &e->code.at[*next];
		embedding_add_number(out, c->start - before);
		embedding_add_number(out, c->end - c->start);
		embedding_add_number(out, c->name);
		embedding_add_number(out, c->len);
		buf_add(out, e->bytes.at + c->at, c->len);
		before = c->end;
	}
}

static void
embedding_add_part(struct buf *out, uint32_t tag, const struct buf *body)
{
	const uint32_t head[2] = {tag, (uint32_t)body->len};

	for (unsigned i = 0; i < EMBEDDED_PART; i++)
		buf_addc(out, (char)(head[i / 4] >> i % 4 * 8));
	buf_add(out, body->at, body->len);
}

bool
embedding_write(struct embedding *e, struct buf *out, bool *whole)
{
	struct buf part = BUF_INIT;
	size_t next = 0, code = 0;
	uint32_t written = 0;

	*whole = !e->full;
	embedding_sort(e);
	if (!e->noted.n && !e->stack.n)
		return false;
	embedding_add_part(out, EMBEDDED_TEXTS, &e->text);
	for (uint32_t i = 0; i < e->module.n; i++) {
		size_t before = part.len;
		e->module.at[i].number = written;
		add_module(e, i, &next, &part);
		written += part.len > before;
	}
	embedding_add_part(out, EMBEDDED_MODULES, &part);
	buf_reset(&part);
	if (e->stack.n) {
		add_stacks(e, &part);
		embedding_add_part(out, EMBEDDED_STACKS, &part);
	}
	buf_reset(&part);
	while (code < e->code.n)
		add_code(e, &code, &part);
	if (part.len)
		embedding_add_part(out, EMBEDDED_CODE, &part);
	buf_release(&part);
	return true;
}
