/* The functions of a module, looked up by address.
 *
 * libdw has such a look-up, but it compares every symbol (150 us each in a large program).  So all
 * symbols are read once, sorted, and found by binary search.
 *
 * An address may have several names.  The choice is that of perf, so both show the same: one with a
 * size before one without, a strong one before a weak one, a global one before a local one, fewer
 * leading underscores, the longer name, the first in the file.
 *
 * Symbols may overlap: a label within a function, a function with several entries.  The innermost
 * one wins.  After its end `outer` leads to the enclosing one, so no look-up has to walk over the
 * symbols in between.
 *
 * Names are demangled when they are first shown, since a profile shows a few hundred of a hundred
 * thousand symbols.
 *
 * Invariants after symbol_table_sort(): starts rise strictly; end > start. */
#include "src/symbol/table.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/symbol/demangle.h"

#define KEEP_BLOCK 65536u
/* The last symbol of a list without sizes needs an end. */
#define LAST_SIZE 4096u

void
symbol_table_release(struct symbol_table *t)
{
	for (size_t i = 0; i < t->kept.n; i++)
		free(t->kept.at[i]);
	vec_release(&t->kept);
	vec_release(&t->symbol);
	vec_release(&t->outer);
}

const char *
symbol_table_keep(struct symbol_table *t, const char *name, size_t len)
{
	if (!t->kept.n || len + 1 > KEEP_BLOCK - t->kept_used) {
		size_t size = len + 1 > KEEP_BLOCK ? len + 1 : KEEP_BLOCK;
		*vec_push(&t->kept) = mem_alloc(size, 1);
		t->kept_used = 0;
	}
	char *at = t->kept.at[t->kept.n - 1] + t->kept_used;
	memcpy(at, name, len);
	at[len] = 0;
	t->kept_used += len + 1;
	if (t->kept_used > KEEP_BLOCK)
		t->kept_used = KEEP_BLOCK;
	return at;
}

void
symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size, const char *name,
		 enum symbol_binding binding)
{
	uint64_t end = start + size;
	uint32_t order = (uint32_t)t->symbol.n;
	*vec_push(&t->symbol) = (struct symbol){
		.start = start,
		.end = end < start ? UINT64_MAX : end,
		.name = name,
		.order = order,
		.binding = (uint8_t)binding,
		.sized = size != 0,
	};
}

static size_t
underscores(const char *name)
{
	return strspn(name, "_");
}

/* Returns a negative number if a is the better name. */
static int
prefer(const struct symbol *a, const struct symbol *b)
{
	bool sized_a = a->end > a->start, sized_b = b->end > b->start;
	if (sized_a != sized_b)
		return sized_a ? -1 : 1;
	if (a->binding != b->binding)
		return a->binding > b->binding ? -1 : 1;
	size_t n_a = underscores(a->name), n_b = underscores(b->name);
	if (n_a != n_b)
		return n_a < n_b ? -1 : 1;
	n_a = strlen(a->name);
	n_b = strlen(b->name);
	if (n_a != n_b)
		return n_a > n_b ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int
table_compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return prefer(a, b);
}

/* Links each symbol to the nearest earlier one that reaches beyond its end. */
static void
link_outer(struct symbol_table *t)
{
	vec_reserve(&t->outer, t->symbol.n);
	t->outer.n = t->symbol.n;
	for (size_t i = 0; i < t->symbol.n; i++) {
		uint32_t at = (uint32_t)i;
		while (at && t->symbol.at[at - 1].end <= t->symbol.at[i].end)
			at = t->outer.at[at - 1];
		t->outer.at[i] = at;
	}
}

void
symbol_table_sort(struct symbol_table *t)
{
	struct symbol *s = t->symbol.at;
	size_t n = 0;
	if (!t->symbol.n)
		return;
	qsort(s, t->symbol.n, sizeof *s, table_compare);
	for (size_t i = 0; i < t->symbol.n; i++)
		if (!n || s[n - 1].start != s[i].start)
			s[n++] = s[i];
	t->symbol.n = n;
	for (size_t i = 0; i < n; i++)
		if (s[i].end == s[i].start)
			s[i].end = i + 1 < n ? s[i + 1].start : s[i].start + LAST_SIZE;
	link_outer(t);
}

const char *
symbol_table_readable(struct symbol_table *t, const char *name)
{
	struct buf text = BUF_INIT;
	static const char stub[] = "@plt";
	size_t len = strlen(name), n = sizeof stub - 1;
	size_t bare = len > n && !strcmp(name + len - n, stub) ? len - n : len;

	if (!t->raw && symbol_demangle(name, bare, &text)) {
		buf_adds(&text, name + bare);
		name = symbol_table_keep(t, buf_str(&text), text.len);
	}
	buf_release(&text);
	return name;
}

/* Returns how many symbols begin at or before an address. */
static size_t
begun_at(const struct symbol_table *t, uint64_t address)
{
	return bisect(i, t->symbol.n, t->symbol.at[i].start <= address);
}

static const struct symbol *
made_readable(struct symbol_table *t, struct symbol *s)
{
	if (!s->readable) {
		s->name = symbol_table_readable(t, s->name);
		s->readable = true;
	}
	return s;
}

const struct symbol *
symbol_table_named(struct symbol_table *t, const char *name)
{
	for (size_t i = 0; i < t->symbol.n; i++)
		if (!strcmp(made_readable(t, &t->symbol.at[i])->name, name))
			return &t->symbol.at[i];
	return NULL;
}

const struct symbol *
symbol_table_at(struct symbol_table *t, uint64_t address)
{
	size_t low = begun_at(t, address);
	while (low && t->symbol.at[low - 1].end <= address)
		low = t->outer.at[low - 1];
	if (!low)
		return NULL;
	return made_readable(t, &t->symbol.at[low - 1]);
}

bool
symbol_table_span(struct symbol_table *t, uint64_t address, struct symbols_span *out)
{
	if (!t->symbol.n)
		return false;
	size_t next = begun_at(t, address);
	const struct symbol *s = symbol_table_at(t, address);
	uint64_t end = next < t->symbol.n ? t->symbol.at[next].start : 0;
	*out = (struct symbols_span){.end = end};
	if (s) {
		out->name = s->name;
		out->start = s->start;
		out->end = !end || s->end < end ? s->end : end;
	} else if (next) { /* after all those that reach furthest there */
		out->start = t->symbol.at[next - 1].end;
	}
	return true;
}
