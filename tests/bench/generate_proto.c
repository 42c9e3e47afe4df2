/* Formats of protobuf messages: Perfetto's traces, OpenTelemetry's profiles. */
#include "tests/bench/generate.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/bench/generate_stacks.h"

/* ---- perfetto ---- */

#define THREADS 4u

struct perfetto_out {
	struct paths thread[THREADS];
	bool *known[THREADS]; /* [function] its name was written */
	struct sink packet, part, inner;
	uint64_t ns;
};

static void
put_threads(struct sink *s, struct perfetto_out *x)
{
	for (unsigned i = 0; i < THREADS; i++) {
		char name[16];
		snprintf(name, sizeof name, "worker %u", i);
		put_proto_number(&x->inner, 1, 7);      /* pid */
		put_proto_number(&x->inner, 2, 70 + i); /* tid */
		put_proto_bytes(&x->inner, 5, name, strlen(name));
		put_proto_number(&x->part, 1, 100 + i); /* uuid */
		put_proto_message(&x->part, 4, &x->inner);
		put_proto_number(&x->packet, 10, i + 1);
		put_proto_number(&x->packet, 13, 1); /* the state begins */
		put_proto_message(&x->packet, 60, &x->part);
		put_proto_message(s, 1, &x->packet);
	}
}

/* Writes a begin or an end; the first begin of a function has its name. */
static void
put_slice(struct sink *s, struct perfetto_out *x, unsigned i, bool begins, uint32_t function)
{
	struct paths *p = &x->thread[i];

	put_proto_number(&x->packet, 8, x->ns);
	put_proto_number(&x->packet, 10, i + 1);
	put_proto_number(&x->packet, 13, 2); /* it needs the state */
	put_proto_number(&x->part, 9, begins ? 1 : 2);
	put_proto_number(&x->part, 11, 100 + i);
	if (begins)
		put_proto_number(&x->part, 10, function + 1);
	put_proto_message(&x->packet, 11, &x->part);
	if (begins && !x->known[i][function]) {
		const char *name = p->program.name[function];
		x->known[i][function] = true;
		put_proto_number(&x->inner, 1, function + 1);
		put_proto_bytes(&x->inner, 2, name, strlen(name));
		put_proto_message(&x->part, 2, &x->inner);
		put_proto_message(&x->packet, 12, &x->part);
	}
	put_proto_message(s, 1, &x->packet);
}

static void
write_perfetto(struct sink *s)
{
	struct perfetto_out x = {.ns = 1000000};
	bool made;

	for (unsigned i = 0; i < THREADS; i++) {
		paths_init(&x.thread[i]);
		walk_init(&x.thread[i].walk, &x.thread[i].program, i + 1);
		x.known[i] = mem_zalloc(x.thread[i].program.shape.functions, 1);
	}
	put_threads(s, &x);
	for (unsigned i = 0; i < THREADS; i++)
		put_slice(s, &x, i, true, 0);
	while (!sink_done(s)) {
		unsigned i = walk_random(&x.thread[0].walk, THREADS);
		struct walk *k = &x.thread[i].walk;
		x.ns += 50 + walk_random(k, 900);
		bool calls = paths_move(&x.thread[i], &made);
		put_slice(s, &x, i, calls, k->stack[k->depth - 1]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		paths_release(&x.thread[i]);
		free(x.known[i]);
	}
	buf_release(&x.packet.text);
	buf_release(&x.part.text);
	buf_release(&x.inner.text);
}

const struct generator generate_perfetto = {
	.name = "perfetto",
	.title = "Perfetto's trace, slices of four threads",
	.write = write_perfetto,
};

/* ---- otlp ---- */

#define PATHS 20000u
#define BATCH_BYTES (1u << 20)
enum { TEXT_CPU = 1, TEXT_NS, TEXT_FILE, TEXT_MODULE, TEXT_THREAD, TEXT_NAMES };

static void
put_frames(struct sink *s, const struct paths *p, struct sink *m, struct sink *inner)
{
	uint32_t n = p->program.shape.functions;

	put_proto_message(s, 2, m); /* number 0 of each table is nothing */
	for (uint32_t f = 0; f < n; f++) {
		put_proto_number(inner, 1, f + 1);
		put_proto_number(inner, 2, f * 10 + 3);
		put_proto_number(m, 1, 1);
		put_proto_number(m, 2, 0x1000 + f * 64);
		put_proto_message(m, 3, inner);
		put_proto_message(s, 2, m);
	}
	put_proto_message(s, 3, m);
	for (uint32_t f = 0; f < n; f++) {
		put_proto_number(m, 1, TEXT_NAMES + f);
		put_proto_number(m, 3, TEXT_FILE);
		put_proto_number(m, 4, f * 10 + 1);
		put_proto_message(s, 3, m);
	}
}

static void
put_stacks(struct sink *s, const struct paths *p, uint32_t n_paths, struct sink *m,
	   struct sink *inner)
{
	put_proto_message(s, 7, m);
	for (uint32_t i = 0; i < n_paths; i++) {
		for (uint32_t at = i;; at = p->path.at[at].parent) {
			put_varint(inner, p->path.at[at].function + 1);
			if (!at)
				break;
		}
		put_proto_message(m, 1, inner);
		put_proto_message(s, 7, m);
	}
}

static void
put_dictionary(struct sink *to, const struct paths *p, uint32_t n_paths)
{
	static const char *const words[] = {"", "cpu", "nanoseconds", "program.c", "/bin/program",
					    "thread.name"};
	struct sink s = {0}, m = {0}, inner = {0};

	put_proto_message(&s, 1, &m);
	put_proto_number(&m, 2, UINT64_C(1) << 40);
	put_proto_number(&m, 4, TEXT_MODULE);
	put_proto_message(&s, 1, &m);
	put_frames(&s, p, &m, &inner);
	for (unsigned i = 0; i < TEXT_NAMES; i++)
		put_proto_bytes(&s, 5, words[i], strlen(words[i]));
	for (uint32_t f = 0; f < p->program.shape.functions; f++)
		put_proto_bytes(&s, 5, p->program.name[f], strlen(p->program.name[f]));
	put_proto_message(&s, 6, &m);
	for (unsigned i = 0; i < THREADS; i++) {
		char name[16];
		snprintf(name, sizeof name, "worker %u", i);
		put_proto_bytes(&inner, 1, name, strlen(name));
		put_proto_number(&m, 1, TEXT_THREAD);
		put_proto_message(&m, 2, &inner);
		put_proto_message(&s, 6, &m);
	}
	put_stacks(&s, p, n_paths, &m, &inner);
	put_proto_message(to, 2, &s);
	buf_release(&s.text);
	buf_release(&m.text);
	buf_release(&inner.text);
}

/* Writes some samples of one profile, as a collector sends them. */
static void
put_batch(struct sink *to, struct paths *p, uint32_t n_paths, uint64_t *ns, size_t bytes)
{
	struct sink profile = {0}, resource = {0}, m = {0}, list = {0};

	put_proto_number(&m, 1, TEXT_CPU);
	put_proto_number(&m, 2, TEXT_NS);
	put_proto_message(&profile, 1, &m);
	while (profile.text.len < bytes) {
		*ns += 1000 + walk_random(&p->walk, 90000);
		put_proto_number(&m, 1, paths_sample(p) % n_paths + 1);
		put_varint(&list, 1 + walk_random(&p->walk, THREADS));
		put_proto_message(&m, 2, &list);
		put_varint(&list, 10000000);
		put_proto_message(&m, 4, &list);
		put_le(&list, *ns, 8);
		put_proto_message(&m, 5, &list);
		put_proto_message(&profile, 2, &m);
	}
	put_proto_bytes(&m, 1, "service.name", 12);
	put_proto_message(&resource, 1, &m); /* an attribute */
	put_proto_message(&list, 1, &resource);
	put_proto_message(&m, 2, &profile); /* scope */
	put_proto_message(&list, 2, &m);    /* of this resource */
	put_proto_message(to, 1, &list);
	buf_release(&profile.text);
	buf_release(&resource.text);
	buf_release(&m.text);
	buf_release(&list.text);
}

static void
write_otlp(struct sink *s)
{
	struct paths p;
	uint64_t ns = UINT64_C(1700000000000000000);
	uint32_t n_paths;

	paths_init(&p);
	paths_make(&p, PATHS);
	n_paths = (uint32_t)p.path.n;
	while (!sink_done(s))
		put_batch(s, &p, n_paths, &ns, BATCH_BYTES);
	put_dictionary(s, &p, n_paths);
	paths_release(&p);
}

const struct generator generate_otlp = {
	.name = "otlp",
	.title = "OpenTelemetry's profiles, batches and a dictionary",
	.write = write_otlp,
};
