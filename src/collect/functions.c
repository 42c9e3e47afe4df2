/* profile(1) reads the linker map and keeps one counter a function.  ELF files have the same list.
 * A stripped file has lost it, and then the map is used, as in the original document.
 *
 * A map has only starts: a function reaches to the next one.  ELF symbols have sizes, and gaps
 * belong to no function.  Aliases (several names at one address) are one function; the symbol table
 * has chosen the name. */
#include "src/collect/functions.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"

static void
functions_forget(struct functions *f)
{
	f->at.n = 0;
}

void
functions_open(struct functions *f, const char *program)
{
	struct symbol_wanted wanted = {.path = program};
	memset(f, 0, sizeof *f);
	f->has_elf = symbol_elf_open(&f->elf, &wanted);
	if (!f->has_elf)
		return;
	symbol_elf_symbols(&f->elf, &f->table);
	symbol_table_sort(&f->table);
	for (size_t i = 0; i < f->table.symbol.n; i++) {
		const struct symbol *s = &f->table.symbol.at[i];
		const char *name = symbol_table_readable(&f->table, s->name);
		*vec_push(&f->at) = (struct function_place){s->start, s->end, name, 0};
	}
}

bool
functions_read_map(struct functions *f, const char *path, struct err *e)
{
	struct input *in = input_open(path, e);
	if (!in)
		return false;
	bool good = linkmap_read(&f->map, in, NULL, NULL, e);
	input_close(in);
	if (!good)
		return false;
	functions_forget(f);
	for (size_t i = 0; i < f->map.symbols.n; i++) {
		const struct linkmap_symbol *s = &f->map.symbols.at[i];
		const char *name = linkmap_str(&f->map, s->name);
		if (s->flags & (LINKMAP_ABSOLUTE | LINKMAP_IMPORT))
			continue;
		if (f->at.n && f->at.at[f->at.n - 1].start == s->address)
			continue;
		*vec_push(&f->at) =
			(struct function_place){s->address, s->address, name, 0};
	}
	return f->at.n || err_refuse(e, "the map has no functions");
}

bool
functions_address(const struct functions *f, uint64_t offset, uint64_t *address)
{
	return f->has_elf && symbol_elf_address(&f->elf, offset, address);
}

struct function_place *
functions_find(struct functions *f, uint64_t address)
{
	size_t begun = bisect(i, f->at.n, f->at.at[i].start <= address);

	if (!begun)
		return NULL;
	struct function_place *p = &f->at.at[begun - 1];
	return p->end > p->start && address >= p->end ? NULL : p;
}

void
functions_close(struct functions *f)
{
	if (f->has_elf)
		symbol_elf_close(&f->elf);
	symbol_table_release(&f->table);
	linkmap_release(&f->map);
	vec_release(&f->at);
	memset(f, 0, sizeof *f);
}
