/* code_span.c - see code_span.h. */
#include "src/command/report/code_span.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/symbol/symbols.h"

void
code_span_release(struct code_span *s)
{
	vec_release(&s->all);
	free(s->called);
	buf_release(&s->words);
}

void
code_span_ask(struct code_span *s, struct disasm *d, const struct profile *p,
	      const struct module_file *file, uint64_t address)
{
	s->disasm = d;
	s->of_path = file->path;
	s->of_build = file->build_id;
	s->path = names_get(&p->names, file->path);
	struct name id = names_get(&p->names, file->build_id);
	s->id_len = symbols_build_id(id.at, id.len, s->id);
	s->address = address;
	free(s->called);
	s->called = NULL;
}

void
code_span_ask_named(struct code_span *s, struct disasm *d, const struct profile *p,
		    const struct module_file *file, name_id name)
{
	struct name called = names_get(&p->names, name);

	code_span_ask(s, d, p, file, ADDRESS_NONE);
	s->called = mem_dup(called.at, called.len);
}

bool
code_span_has(const struct code_span *s, const struct module_file *file, uint64_t address)
{
	return s->read && s->of_path == file->path && s->of_build == file->build_id &&
	       address >= s->start && address < s->end;
}

/* The word at offset 0 means none. */
static size_t
code_span_add_word(struct code_span *s, const char *word)
{
	size_t at = s->words.len;

	if (!word)
		return 0;
	buf_add(&s->words, word, strlen(word) + 1);
	return at;
}

static void
code_span_add(void *ctx, const struct disasm_instruction *i)
{
	struct code_span *s = ctx;
	const char *before = code_span_word(s, s->file);

	if (!i->file || !before || strcmp(before, i->file) != 0)
		s->file = code_span_add_word(s, i->file);
	*vec_push(&s->all) = (struct code_at){
		.address = i->address,
		.to = i->to,
		.text = code_span_add_word(s, i->text),
		.to_name = code_span_add_word(s, i->to_name),
		.file = s->file,
		.line = i->line,
		.jumps = i->jumps,
		.calls = i->calls,
	};
}

static uint32_t
code_span_module_of(struct disasm *d, const struct code_span *s)
{
	return disasm_module(d, s->path.at, s->path.len, s->id, s->id_len);
}

void
code_span_read(void *span)
{
	struct code_span *s = span;
	uint32_t module = code_span_module_of(s->disasm, s);

	s->all.n = 0;
	s->file = 0;
	buf_reset(&s->words);
	buf_addc(&s->words, '\0');
	s->known = (!s->called || disasm_named(s->disasm, module, s->called, &s->address)) &&
		   disasm_span(s->disasm, module, s->address, &s->start, &s->end);
	s->read = s->known && disasm_run(s->disasm, module, s->start, s->end, code_span_add, s);
}

const char *
code_span_word(const struct code_span *s, size_t at)
{
	return at ? buf_str(&s->words) + at : NULL;
}

void
code_span_say(struct disasm *d, const struct profile *p, const struct module_file *file,
	      struct buf *out)
{
	struct code_span s = {.known = false};

	code_span_ask(&s, d, p, file, 0);
	disasm_say(d, code_span_module_of(d, &s), out);
}
