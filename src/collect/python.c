/* python.c - CPython as an interpreter, with the functions of cpython.h. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "src/collect/cpython.h"
#include "src/collect/farmem.h"

#define TABLE_MAX (1u << 20)

static void *
open_python(struct farmem *m, const struct interpreter_binary *b, uint32_t *version)
{
	struct cpython *p = mem_zalloc(1, sizeof *p);

	*version = cpython_version(m, b->symbol[0]);
	if (!*version && b->symbol[1])
		*version = farmem_u32(m, b->symbol[1]);
	if (!*version)
		*version = b->stated;
	if (b->symbol[0] && cpython_open(p, m, b->symbol[0], *version))
		return p;
	free(p);
	return NULL;
}

static void
walk_python(const void *p, struct farmem *m, const struct interpreter_thread *t,
	    struct interpreter_frames *out)
{
	if (cpython_thread(p, m, t->tid, t->state))
		cpython_walk(p, m, *t->state, out);
}

static bool
code_of_python(const void *p, struct farmem *m, const struct interpreter_frame *f,
	       struct interpreter_code *out)
{
	return cpython_code(p, m, f->code, out);
}

static bool
text_of_python(const void *p, struct farmem *m, const struct interpreter_code *c,
	       struct buf *name, struct buf *file)
{
	return cpython_text(p, m, c->name, name) && cpython_text(p, m, c->file, file);
}

/* PyBytesObject: refcount, type, u64 size at 16, hash, bytes at 32. */
static void
lines_of_python(const void *p, struct farmem *m, const struct interpreter_code *c, struct buf *out)
{
	uint64_t len = farmem_u64(m, c->lines + 16);
	uint8_t part[1024];

	(void)p;
	for (uint64_t at = 0; len <= TABLE_MAX && at < len;) {
		size_t n = len - at < sizeof part ? (size_t)(len - at) : sizeof part;
		if (!farmem_read(m, c->lines + 32 + at, part, n))
			return;
		buf_add(out, part, n);
		at += n;
	}
}

static uint32_t
line_of_python(const void *p, const struct interpreter_frame *f, const struct interpreter_code *c,
	       const uint8_t *table, size_t len)
{
	return cpython_line(p, f, c->first_line, table, len);
}

const struct interpreter interpreter_python = {
	.name = "python",
	.title = "Python",
	.versions = "3.8 to 3.15",
	.advice = "; python -X perf makes it write names",
	.symbol = {"_PyRuntime", "Py_Version"},
	.open = open_python,
	.walk = walk_python,
	.code = code_of_python,
	.text = text_of_python,
	.lines = lines_of_python,
	.line = line_of_python,
};
