/* The binary formats of samples: Roku's .bsprof and the BR profiler log.
 *
 * A .bsprof names every call path once, at its first occurrence, and refers to it by number. The
 * numbers of a path's callees lie in a table, as wide as a function has callees: no hashing, and 4
 * bytes a callee.  Allocations go through a ring of reused addresses; those that drop out of the
 * ring are leaks.
 *
 * A BR log spells every stack out. */
#include "tests/bench/generate.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "tests/bench/workload.h"

/* ---- bsprof ---- */

#define MODULES 3
#define RING 4096
#define CALLEES 4

enum { TAG_STRING, TAG_MODULE, TAG_PATH, TAG_MEMORY, TAG_CPU, TAG_CALLS };
enum { OP_ALLOC, OP_FREE };

struct component {
	struct walk walk;
	uint32_t path[WALK_DEPTH_MAX]; /* of the current stack */
};

struct channel {
	struct workload program;
	struct component component[MODULES];
	VEC(uint32_t) child; /* [path * CALLEES + site] 0: not seen yet */
	uint32_t paths;
	uint64_t live[RING];
	uint32_t n_live;
};

static void
put_text(struct sink *s, const char *text)
{
	buf_add(&s->text, text, strlen(text) + 1);
}

/* Function names have the string ids 1 to `functions`; the file and modules follow. */
static void
write_header(struct sink *s, const struct workload *w)
{
	static const unsigned char ratio[4] = {0, 0, 0x80, 0x3f}; /* 1.0 */
	static const char *const text[] = {"Bench", "", "1.0", "Roku", "4802X", "12.5.0"};
	size_t size_at;

	buf_add(&s->text, "bsprof\0\0", 8);
	put_varint(s, 1);
	put_varint(s, 0);
	put_varint(s, 0);
	size_at = s->text.len;
	put_varint(s, 0); /* the header's size, below 128 */
	buf_add(&s->text, ratio, 4);
	buf_add(&s->text, ratio, 4);
	put_varint(s, 1); /* line data */
	put_varint(s, 1); /* memory operations */
	put_varint(s, 1700000000000);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		put_text(s, text[i]);
	s->text.at[size_at] = (char)s->text.len;

	uint32_t n = w->shape.functions;
	for (uint32_t i = 0; i < n; i++) {
		put_varint(s, (uint64_t)(i + 1) << 3 | TAG_STRING);
		put_text(s, w->name[i]);
	}
	put_varint(s, (uint64_t)(n + 1) << 3 | TAG_STRING);
	put_text(s, "pkg:/components/Scene.brs");
	for (uint32_t i = 1; i <= MODULES; i++) {
		put_varint(s, (uint64_t)(n + 1 + i) << 3 | TAG_STRING);
		buf_addf(&s->text, "Component%u", (unsigned)i);
		buf_addc(&s->text, '\0');
		put_varint(s, (uint64_t)i << 3 | TAG_MODULE);
		put_varint(s, n + 1 + i);
	}
}

static uint32_t
write_path(struct sink *s, struct channel *c, uint32_t caller, uint32_t site_or_module,
	   uint32_t function)
{
	uint32_t path = ++c->paths;

	put_varint(s, (uint64_t)path << 3 | TAG_PATH);
	put_varint(s, caller);
	put_varint(s, caller ? site_or_module * 3 + 2 : site_or_module);
	put_varint(s, c->program.shape.functions + 1);
	put_varint(s, 10 + function * 20);
	put_varint(s, function + 1);
	for (uint32_t i = 0; i < CALLEES; i++)
		*vec_push(&c->child) = 0;
	return path;
}

static void
call(struct sink *s, struct channel *c, struct component *m)
{
	uint32_t at = m->walk.depth - 1, caller = m->path[at - 1];
	uint32_t slot = caller * CALLEES + m->walk.site[at];

	if (!c->child.at[slot]) {
		uint32_t path =
			write_path(s, c, caller, m->walk.site[at], m->walk.stack[at]);
		c->child.at[slot] = path;
	}
	m->path[at] = c->child.at[slot];
	put_varint(s, (uint64_t)m->path[at] << 3 | TAG_CALLS);
	put_varint(s, 1);
}

static void
memory(struct sink *s, struct channel *c, struct component *m)
{
	struct walk *k = &m->walk;
	uint64_t path = m->path[k->depth - 1];
	bool frees = c->n_live > 0 && walk_random(k, RING) < c->n_live;
	uint32_t at = frees ? walk_random(k, c->n_live) : c->n_live;

	if (!frees) {
		c->live[c->n_live++] = 0x10000 + (uint64_t)walk_random(k, 1u << 24) * 16;
		if (c->n_live == RING)
			c->n_live = RING / 2;
	}
	put_varint(s, path << 5 | (frees ? OP_FREE : OP_ALLOC) << 3 | TAG_MEMORY);
	put_varint(s, 1 + walk_random(k, 6));
	put_varint(s, c->live[at]);
	if (frees)
		c->live[at] = c->live[--c->n_live];
	else
		put_varint(s, 16 + walk_random(k, 500));
}

static void
run_component(struct sink *s, struct channel *c, struct component *m)
{
	struct walk *k = &m->walk;

	if (walk_move(k))
		call(s, c, m);
	if (walk_random(k, 2)) {
		put_varint(s, (uint64_t)m->path[k->depth - 1] << 3 | TAG_CPU);
		put_varint(s, 1 + walk_random(k, 6));
		put_varint(s, walk_random(k, 300));
		put_varint(s, walk_random(k, 2000));
	}
	if (walk_random(k, 2))
		memory(s, c, m);
}

static void
write_channel(struct sink *s, const struct shape *shape)
{
	struct channel *c = mem_zalloc(1, sizeof *c);

	workload_init(&c->program, shape);
	write_header(s, &c->program);
	for (uint32_t i = 0; i < CALLEES; i++)
		*vec_push(&c->child) = 0;
	for (uint32_t i = 0; i < MODULES; i++) {
		struct component *m = &c->component[i];
		walk_init(&m->walk, &c->program, i + 1);
		m->path[0] = write_path(s, c, 0, i + 1, m->walk.stack[0]);
	}
	for (uint32_t i = 0; !sink_done(s); i++)
		run_component(s, c, &c->component[i / 100 % MODULES]);
	put_varint(s, 0);
	put_varint(s, 1700000100000);
	vec_release(&c->child);
	workload_release(&c->program);
	free(c);
}

static void
write_bsprof(struct sink *s)
{
	write_channel(s, &(struct shape){.functions = 300, .callees = CALLEES, .depth = 5});
}

static void
write_bsprof_paths(struct sink *s)
{
	write_channel(s, &(struct shape){.functions = 3000, .callees = CALLEES, .depth = 8});
}

const struct generator generate_bsprof_paths = {
	.name = "bsprof-paths",
	.title = "the same with hundreds of thousands of paths, of samples with weights",
	.write = write_bsprof_paths,
};

const struct generator generate_bsprof = {
	.name = "bsprof",
	.title = "Roku BrightScript, lines and memory",
	.write = write_bsprof,
};

/* ---- BR ---- */

#define BR_MODULES 40

enum {
	BR_MAP = 1,
	BR_CURRENT = 3,
	BR_TIME,
	BR_BACKTRACE,
	BR_END,
	BR_NAME,
	BR_GOSUB,
	BR_MAIN
};

static void
write_place(struct sink *s, const struct walk *k, uint32_t at, uint32_t line)
{
	uint32_t f = k->stack[at];
	const char *name = k->of->name[f];
	size_t len = strlen(name);

	put_be(s, at == k->depth - 1 ? BR_CURRENT : BR_BACKTRACE, 1);
	put_be(s, f % BR_MODULES, 2);
	put_be(s, 100 + f * 50 + line, 4);
	put_be(s, 1, 1);
	if (f == 0) {
		put_be(s, BR_MAIN, 1);
	} else if (f % 5 == 0) {
		put_be(s, BR_GOSUB, 1);
	} else {
		put_be(s, BR_NAME, 1);
		put_be(s, len, 1);
		buf_add(&s->text, name, len);
	}
}

static void
write_br(struct sink *s)
{
	struct workload w;
	struct walk k;

	workload_init(&w, &(struct shape){.functions = 400, .callees = 4, .depth = 6});
	walk_init(&k, &w, 1);
	for (uint32_t i = 0; i < BR_MODULES; i++) {
		put_be(s, BR_MAP, 1);
		put_be(s, i, 2);
		put_be(s, 14, 2);
		buf_addf(&s->text, "LIB\\MODULE.B%02u", (unsigned)i % 100);
	}
	while (!sink_done(s)) {
		walk_sample(&k);
		write_place(s, &k, k.depth - 1, walk_random(&k, 10));
		put_be(s, BR_TIME, 1);
		put_be(s, 500 + walk_random(&k, 20000), 8);
		for (uint32_t i = k.depth - 1; i > 0; i--)
			write_place(s, &k, i - 1, k.site[i] * 2);
		put_be(s, BR_END, 1);
	}
	workload_release(&w);
}

const struct generator generate_br = {
	.name = "br",
	.title = "BR profiler log, timed, with backtraces",
	.write = write_br,
};
