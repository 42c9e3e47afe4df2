/* Formats that name a call path once: V8's CPU profiles, heaptrack's logs, Java's recordings. */
#include "tests/bench/generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/bench/generate_stacks.h"

#define PATHS 30000u

/* ---- cpuprofile ---- */

static void
put_children(struct sink *s, const struct paths *p, uint32_t path)
{
	uint32_t callees = p->program.shape.callees;
	const char *comma = "";

	buf_adds(&s->text, ",\"children\":[");
	for (uint32_t i = 0; i < callees; i++) {
		uint32_t child = p->child.at[path * callees + i];
		if (!child)
			continue;
		buf_addf(&s->text, "%s%" PRIu32, comma, child + 2);
		comma = ",";
	}
	buf_addc(&s->text, ']');
}

/* The root is node 1, path i is node i + 2. */
static void
write_cpuprofile(struct sink *s)
{
	struct paths p;
	uint32_t n_paths;
	uint64_t n = 0, us = 0;

	paths_init(&p);
	paths_make(&p, PATHS);
	n_paths = (uint32_t)p.path.n;
	buf_adds(&s->text, "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\","
			   "\"scriptId\":\"0\",\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1},"
			   "\"hitCount\":0,\"children\":[2]}");
	for (uint32_t i = 0; i < n_paths; i++) {
		uint32_t f = p.path.at[i].function;
		buf_addf(&s->text,
			 ",\n{\"id\":%" PRIu32 ",\"callFrame\":{\"functionName\":\"%s\","
			 "\"scriptId\":\"%" PRIu32 "\",\"url\":\"file:///srv/app/m%" PRIu32 ".js\","
			 "\"lineNumber\":%" PRIu32 ",\"columnNumber\":9},\"hitCount\":1",
			 i + 2, p.program.name[f], f % 97, f % 97, f / 97 * 8);
		put_children(s, &p, i);
		buf_addc(&s->text, '}');
		sink_done(s);
	}
	/* samples and their times take about the same space */
	uint64_t all = s->wanted, nodes = s->written + s->text.len;
	s->wanted = nodes + (all > nodes ? (all - nodes) * 6 / 10 : 1);
	buf_adds(&s->text, "],\"startTime\":0,\"samples\":[2");
	for (n = 1; !sink_done(s); n++)
		buf_addf(&s->text, ",%" PRIu32, paths_sample(&p) % n_paths + 2);
	s->wanted = UINT64_MAX;
	buf_adds(&s->text, "],\"timeDeltas\":[0");
	for (uint64_t i = 1; i < n; i++) {
		uint32_t delta = 80 + walk_random(&p.walk, 90);
		us += delta;
		buf_addf(&s->text, ",%" PRIu32, delta);
		sink_done(s);
	}
	buf_addf(&s->text, "],\"endTime\":%" PRIu64 "}\n", us + 100);
	paths_release(&p);
}

const struct generator generate_cpuprofile = {
	.name = "cpuprofile",
	.title = "CPU profile of V8",
	.write = write_cpuprofile,
};

/* ---- heaptrack ---- */

#define SIZES 8u
#define RING 4096u

static void
put_strings(struct sink *s, const struct paths *p)
{
	buf_adds(&s->text, "v 10400 3\nX program --run\nI 1000 5e298d\ns c /bin/program\n"
			   "s 9 program.c\n");
	for (uint32_t f = 0; f < p->program.shape.functions; f++)
		buf_addf(&s->text, "s %zx %s\n", strlen(p->program.name[f]), p->program.name[f]);
	for (uint32_t f = 0; f < p->program.shape.functions; f++)
		buf_addf(&s->text, "i %" PRIx32 " 1 %" PRIx32 " 2 %" PRIx32 "\n", 0x1000 + f * 64,
			 f + 3, f * 10 + 1);
}

/* Returns the info of a path and a size, a new one at their first occurrence; *next counts them. */
static uint32_t
info_of(struct sink *s, uint32_t **info, size_t *cap, uint32_t path, uint32_t size,
	uint32_t *next)
{
	size_t slot = (size_t)path * SIZES + size;

	if (slot >= *cap) {
		size_t cap_now = slot * 2 + 1024;
		*info = mem_realloc(*info, cap_now, sizeof **info);
		memset(*info + *cap, 0, (cap_now - *cap) * sizeof **info);
		*cap = cap_now;
	}
	if (!(*info)[slot]) {
		buf_addf(&s->text, "a %" PRIx32 " %" PRIx32 "\n", 16u << size, path + 1);
		(*info)[slot] = ++*next;
	}
	return (*info)[slot] - 1;
}

/* Allocations go through a ring; those that drop out are leaks.  `most` is about the number of
 * traces. */
static void
put_heaptrack(struct sink *s, uint32_t most)
{
	struct paths p;
	uint32_t *info = NULL, next = 0, live[RING], n_live = 0;
	size_t cap = 0;
	bool made;

	paths_init(&p);
	put_strings(s, &p);
	buf_adds(&s->text, "t 1 0\n");
	for (uint64_t i = 0; !sink_done(s); i++) {
		if (i % 512 == 0)
			buf_addf(&s->text, "c %" PRIx64 "\n", i / 512);
		for (uint32_t n = 1 + walk_random(&p.walk, 4); n > 0; n--) {
			paths_move(&p, &made);
			while (paths_now(&p) >= most)
				p.walk.depth--;
			const struct path *path = &p.path.at[paths_now(&p)];
			if (made && p.path.n <= most)
				buf_addf(&s->text, "t %" PRIx32 " %" PRIx32 "\n",
					 path->function + 1, path->parent + 1);
		}
		if (n_live && walk_random(&p.walk, 100) < 48) {
			uint32_t k = walk_random(&p.walk, n_live);
			buf_addf(&s->text, "- %" PRIx32 "\n", live[k]);
			live[k] = live[--n_live];
			continue;
		}
		uint32_t x = info_of(s, &info, &cap, paths_now(&p), walk_random(&p.walk, SIZES),
				     &next);
		buf_addf(&s->text, "+ %" PRIx32 "\n", x);
		live[n_live < RING ? n_live++ : walk_random(&p.walk, RING)] = x;
	}
	free(info);
	paths_release(&p);
}

static void
write_heaptrack(struct sink *s)
{
	put_heaptrack(s, PATHS);
}

static void
write_heaptrack_new(struct sink *s)
{
	put_heaptrack(s, UINT32_MAX);
}

const struct generator generate_heaptrack = {
	.name = "heaptrack",
	.title = "heaptrack's log, interpreted, 30,000 traces",
	.write = write_heaptrack,
};

const struct generator generate_heaptrack_new = {
	.name = "heaptrack-new",
	.title = "heaptrack's log of ever new traces",
	.write = write_heaptrack_new,
};

/* ---- jfr ---- */

#define CHUNK_BYTES (12u << 20)
#define CHUNK_PATHS 6000u
enum { LONG = 11, STRING = 20, CLASS, THREAD, SYMBOL, METHOD, KIND, FRAME, TRACE, STATE, INT };
enum { SAMPLE = 101, ALLOC };

/* A chunk is collected before it is written: its header has its length. */
struct chunk_out {
	struct sink body, names, tree; /* sinks that are not written themselves */
	uint32_t n_names;
};

/* Size, type, content; the size counts itself. */
static void
put_record(struct sink *to, uint64_t type, const struct buf *content)
{
	struct sink head = {0};
	uint64_t size;
	size_t digits = 1;

	put_varint(&head, type);
	size = head.text.len + content->len;
	while ((size + digits) >> 7 * digits)
		digits++;
	put_varint(to, size + digits);
	buf_add(&to->text, head.text.at, head.text.len);
	buf_add(&to->text, content->at, content->len);
	buf_release(&head.text);
}

static void
put_utf8(struct sink *s, const char *text)
{
	put_varint(s, 3);
	put_varint(s, strlen(text));
	buf_adds(&s->text, text);
}

/* Writes a string of the metadata; returns its number. */
static void
put_word(struct chunk_out *c, const char *text)
{
	put_utf8(&c->names, text);
	put_varint(&c->tree, c->n_names++);
}

static void
put_attribute(struct chunk_out *c, const char *key, const char *value)
{
	put_word(c, key);
	put_word(c, value);
}

static void
put_number_attribute(struct chunk_out *c, const char *key, unsigned value)
{
	char text[12];

	snprintf(text, sizeof text, "%u", value);
	put_attribute(c, key, text);
}

struct field {
	const char *name;
	unsigned type;
	char form; /* p: in a pool, l: a list, or 0 */
};

static const struct type {
	unsigned id;
	const char *name;
	struct field field[4];
} types[] = {
	{LONG, "long", {{0}}},
	{INT, "int", {{0}}},
	{STRING, "java.lang.String", {{0}}},
	{CLASS, "java.lang.Class", {{"name", SYMBOL, 'p'}}},
	{THREAD, "java.lang.Thread",
	 {{"osName", STRING, 0}, {"osThreadId", LONG, 0}, {"javaName", STRING, 0},
	  {"javaThreadId", LONG, 0}}},
	{SYMBOL, "jdk.types.Symbol", {{"string", STRING, 0}}},
	{METHOD, "jdk.types.Method", {{"type", CLASS, 'p'}, {"name", SYMBOL, 'p'}}},
	{KIND, "jdk.types.FrameType", {{"description", STRING, 0}}},
	{FRAME, "jdk.types.StackFrame",
	 {{"method", METHOD, 'p'}, {"lineNumber", INT, 0}, {"bytecodeIndex", INT, 0},
	  {"type", KIND, 'p'}}},
	{TRACE, "jdk.types.StackTrace", {{"truncated", INT, 0}, {"frames", FRAME, 'l'}}},
	{STATE, "jdk.types.ThreadState", {{"name", STRING, 0}}},
	{SAMPLE, "jdk.ExecutionSample",
	 {{"startTime", LONG, 0}, {"sampledThread", THREAD, 'p'}, {"stackTrace", TRACE, 'p'},
	  {"state", STATE, 'p'}}},
	{ALLOC, "jdk.ObjectAllocationSample",
	 {{"startTime", LONG, 0}, {"eventThread", THREAD, 'p'}, {"stackTrace", TRACE, 'p'},
	  {"weight", LONG, 0}}},
};
#define TYPES (sizeof types / sizeof *types)

static void
put_type(struct chunk_out *c, const struct type *t)
{
	unsigned n = 0;

	while (n < 4 && t->field[n].name)
		n++;
	put_word(c, "class");
	put_varint(&c->tree, 2);
	put_number_attribute(c, "id", t->id);
	put_attribute(c, "name", t->name);
	put_varint(&c->tree, n);
	for (unsigned i = 0; i < n; i++) {
		const struct field *f = &t->field[i];
		put_word(c, "field");
		put_varint(&c->tree, f->form ? 3 : 2);
		put_attribute(c, "name", f->name);
		put_number_attribute(c, "class", f->type);
		if (f->form == 'p')
			put_attribute(c, "constantPool", "true");
		else if (f->form)
			put_attribute(c, "dimension", "1");
		put_varint(&c->tree, 0);
	}
}

static void
put_metadata(struct chunk_out *c)
{
	struct sink all = {0};

	c->names.text.len = c->tree.text.len = 0;
	c->n_names = 0;
	put_word(c, "root");
	put_varint(&c->tree, 0);
	put_varint(&c->tree, 1);
	put_word(c, "metadata");
	put_varint(&c->tree, 0);
	put_varint(&c->tree, TYPES);
	for (size_t i = 0; i < TYPES; i++)
		put_type(c, &types[i]);
	for (unsigned i = 0; i < 3; i++)
		put_varint(&all, i); /* start, duration, number */
	put_varint(&all, c->n_names);
	buf_add(&all.text, c->names.text.at, c->names.text.len);
	buf_add(&all.text, c->tree.text.at, c->tree.text.len);
	put_record(&c->body, 0, &all.text);
	buf_release(&all.text);
}

static void
put_trace(struct sink *s, const struct paths *p, uint32_t path)
{
	uint32_t depth = 1;

	for (uint32_t i = path; i; i = p->path.at[i].parent)
		depth++;
	put_varint(s, 0);
	put_varint(s, depth);
	for (uint32_t i = path;; i = p->path.at[i].parent) {
		put_varint(s, p->path.at[i].function + 1);
		put_varint(s, p->path.at[i].function % 400 + i % 16);
		put_varint(s, 7);
		put_varint(s, 1 + i % 2);
		if (!i)
			break;
	}
}

static void
put_small_pools(struct sink *s)
{
	put_varint(s, THREAD);
	put_varint(s, 4);
	for (unsigned i = 1; i <= 4; i++) {
		char name[24];
		snprintf(name, sizeof name, "pool-1-thread-%u", i);
		put_varint(s, i);
		put_utf8(s, name);
		put_varint(s, 100 + i);
		put_utf8(s, name);
		put_varint(s, i);
	}
	put_varint(s, KIND);
	put_varint(s, 2);
	put_varint(s, 1);
	put_utf8(s, "JIT compiled");
	put_varint(s, 2);
	put_utf8(s, "Inlined");
	put_varint(s, STATE);
	put_varint(s, 1);
	put_varint(s, 1);
	put_utf8(s, "STATE_RUNNABLE");
}

/* Writes the objects that events refer to: function f is method f + 1 of its class, path i trace i
 * + 1. */
static void
put_pools(struct chunk_out *c, const struct paths *p, uint32_t n_paths)
{
	struct sink s = {0};
	uint32_t n = p->program.shape.functions;
	char name[40];

	for (unsigned i = 0; i < 3; i++)
		put_varint(&s, 0); /* start, duration, no pools before */
	put_varint(&s, 1);
	put_varint(&s, 7);
	put_small_pools(&s);
	put_varint(&s, SYMBOL);
	put_varint(&s, n * 2);
	for (uint32_t f = 0; f < n; f++) {
		put_varint(&s, f + 1);
		put_utf8(&s, p->program.name[f]);
		put_varint(&s, n + f + 1);
		snprintf(name, sizeof name, "org/example/shop/Class%" PRIu32, f / 9);
		put_utf8(&s, name);
	}
	put_varint(&s, CLASS);
	put_varint(&s, n);
	for (uint32_t f = 0; f < n; f++) {
		put_varint(&s, f + 1);
		put_varint(&s, n + f + 1);
	}
	put_varint(&s, METHOD);
	put_varint(&s, n);
	for (uint32_t f = 0; f < n; f++)
		for (unsigned i = 0; i < 3; i++)
			put_varint(&s, f + 1); /* number, class, name */
	put_varint(&s, TRACE);
	put_varint(&s, n_paths);
	for (uint32_t i = 0; i < n_paths; i++) {
		put_varint(&s, i + 1);
		put_trace(&s, p, i);
	}
	put_record(&c->body, 1, &s.text);
	buf_release(&s.text);
}

/* Writes header, tables, and as many events as fit. */
static void
put_chunk(struct sink *s, struct chunk_out *c, struct paths *p, uint64_t *ticks, uint64_t room)
{
	struct sink event = {0};
	uint64_t first = *ticks, pools_at;
	uint32_t n_paths = (uint32_t)p->path.n;

	c->body.text.len = 0;
	put_metadata(c);
	pools_at = 68 + c->body.text.len;
	put_pools(c, p, n_paths);
	while (c->body.text.len + 68 < room) {
		uint32_t path = paths_sample(p) % n_paths;
		bool samples = walk_random(&p->walk, 4) != 0;
		*ticks += 1 + walk_random(&p->walk, 5000);
		event.text.len = 0;
		put_varint(&event, *ticks);
		put_varint(&event, 1 + walk_random(&p->walk, 4));
		put_varint(&event, path + 1);
		put_varint(&event, samples ? 1 : 16u << walk_random(&p->walk, 12));
		put_record(&c->body, samples ? SAMPLE : ALLOC, &event.text);
	}
	buf_add(&s->text, "FLR\0\0\2\0\1", 8);
	put_be(s, 68 + c->body.text.len, 8);
	put_be(s, pools_at, 8);
	put_be(s, 68, 8); /* metadata */
	put_be(s, UINT64_C(1700000000000000000) + first, 8);
	put_be(s, *ticks - first, 8);
	put_be(s, first, 8);
	put_be(s, 1000000000, 8);
	put_be(s, 1, 4); /* numbers are LEB128 */
	buf_add(&s->text, c->body.text.at, c->body.text.len);
	buf_release(&event.text);
}

static void
write_jfr(struct sink *s)
{
	struct chunk_out c = {0};
	struct paths p;
	uint64_t ticks = 1;

	paths_init(&p);
	paths_make(&p, CHUNK_PATHS);
	while (!sink_done(s)) {
		uint64_t left = s->wanted - s->written - s->text.len;
		put_chunk(s, &c, &p, &ticks, left < CHUNK_BYTES ? left : CHUNK_BYTES);
	}
	buf_release(&c.body.text);
	buf_release(&c.names.text);
	buf_release(&c.tree.text);
	paths_release(&p);
}

const struct generator generate_jfr = {
	.name = "jfr",
	.title = "Java Flight Recorder, samples and allocations",
	.write = write_jfr,
};
