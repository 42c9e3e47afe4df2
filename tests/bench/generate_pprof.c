/* pprof's messages, of any size: what pnav exports from other samples only measures the start.
 * Samples come before the tables, as programs write them. */
#include "tests/bench/generate.h"

#include <stdio.h>
#include <string.h>

#include "tests/bench/generate_stacks.h"

#define PATHS 20000u
#define THREADS 16u
enum { TEXT_SAMPLES = 1, TEXT_COUNT, TEXT_CPU, TEXT_NS, TEXT_MODULE, TEXT_FILE, TEXT_THREAD,
       TEXT_BYTES, TEXT_WORKERS, TEXT_NAMES = TEXT_WORKERS + THREADS };

struct writer {
	struct paths paths;
	struct sink m, list; /* messages under construction */
};

static void
put_string(struct sink *s, const char *text)
{
	put_proto_bytes(s, 6, text, strlen(text));
}

static void
put_types(struct sink *s, struct sink *m)
{
	put_proto_number(m, 1, TEXT_SAMPLES);
	put_proto_number(m, 2, TEXT_COUNT);
	put_proto_message(s, 1, m);
	put_proto_number(m, 1, TEXT_CPU);
	put_proto_number(m, 2, TEXT_NS);
	put_proto_message(s, 1, m);
}

/* Locations have the numbers of their functions: one line each. */
static void
put_sample(struct sink *s, struct writer *w, uint32_t path, bool labelled)
{
	struct sink *m = &w->m, *list = &w->list;
	struct paths *p = &w->paths;
	uint64_t count = 1 + walk_random(&p->walk, 6);

	for (uint32_t at = path;; at = p->path.at[at].parent) {
		put_varint(list, p->path.at[at].function + 1);
		if (!at)
			break;
	}
	put_proto_message(m, 1, list);
	put_varint(list, count);
	put_varint(list, count * 10000000);
	put_proto_message(m, 2, list);
	if (labelled) {
		put_proto_number(list, 1, TEXT_THREAD);
		put_proto_number(list, 2, TEXT_WORKERS + walk_random(&p->walk, THREADS));
		put_proto_message(m, 3, list);
	}
	put_proto_message(s, 2, m);
}

static void
put_tables(struct sink *s, struct writer *w)
{
	static const char *const words[] = {"", "samples", "count", "cpu", "nanoseconds",
					    "/bin/program", "program.c", "thread", "bytes"};
	const struct paths *p = &w->paths;
	struct sink *m = &w->m, *line = &w->list;
	char name[16];

	put_proto_number(m, 1, 1);
	put_proto_number(m, 2, 0x400000);
	put_proto_number(m, 3, 0x800000);
	put_proto_number(m, 5, TEXT_MODULE);
	put_proto_message(s, 3, m);
	for (uint32_t f = 0; f < p->program.shape.functions; f++) {
		put_proto_number(line, 1, f + 1);
		put_proto_number(line, 2, f * 10 + 3);
		put_proto_number(m, 1, f + 1);
		put_proto_number(m, 2, 1);
		put_proto_number(m, 3, 0x400000 + f * 64);
		put_proto_message(m, 4, line);
		put_proto_message(s, 4, m);
		put_proto_number(m, 1, f + 1);
		put_proto_number(m, 2, TEXT_NAMES + f);
		put_proto_number(m, 4, TEXT_FILE);
		put_proto_number(m, 5, f * 10 + 1);
		put_proto_message(s, 5, m);
	}
	for (unsigned i = 0; i < TEXT_WORKERS; i++)
		put_string(s, words[i]);
	for (unsigned i = 0; i < THREADS; i++) {
		snprintf(name, sizeof name, "worker %u", i);
		put_string(s, name);
	}
	for (uint32_t f = 0; f < p->program.shape.functions; f++)
		put_string(s, p->program.name[f]);
}

static void
begin(struct sink *s, struct writer *w)
{
	*w = (struct writer){0};
	paths_init(&w->paths);
	put_types(s, &w->m);
}

static void
end(struct sink *s, struct writer *w)
{
	put_tables(s, w);
	paths_release(&w->paths);
	buf_release(&w->m.text);
	buf_release(&w->list.text);
}

static void
write_pprof(struct sink *s)
{
	struct writer w;
	uint32_t n_paths, path;

	begin(s, &w);
	paths_make(&w.paths, PATHS);
	n_paths = (uint32_t)w.paths.path.n;
	while (!sink_done(s)) {
		do {
			path = paths_sample(&w.paths);
		} while (path >= n_paths);
		put_sample(s, &w, path, true);
	}
	end(s, &w);
}

/* Writes a new stack for each sample. */
static void
write_pprof_new(struct sink *s)
{
	struct writer w;
	bool made;

	begin(s, &w);
	while (!sink_done(s)) {
		paths_move(&w.paths, &made);
		if (made)
			put_sample(s, &w, paths_now(&w.paths), false);
	}
	end(s, &w);
}

const struct generator generate_pprof = {
	.name = "pprof",
	.title = "pprof's message, samples of 20,000 stacks with labels",
	.write = write_pprof,
};

const struct generator generate_pprof_new = {
	.name = "pprof-new",
	.title = "pprof's message, a stack a sample",
	.write = write_pprof_new,
};
