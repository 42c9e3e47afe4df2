/* Traces: every call and every return.  winIDEA's Text1 as text and as binary timeline, and
 * Harlequin's probe log.
 *
 * A call in Text1 is S(caller) and E(callee), a return X(callee) and R(caller), a few ns apart; one
 * move of the walk is two events.  A binary timeline has no names: they are in a text file beside
 * it, which `text1-names` writes for the same program.
 *
 * A probe log has one entry a call, written at its end, and sometimes a counter. */
#include "tests/bench/generate.h"

#include <inttypes.h>

#include "tests/bench/workload.h"

/* ---- Text1 ---- */

static const struct shape firmware = {.functions = 1200, .callees = 5, .depth = 7};

/* Common to both timelines: two events of `handle` at `ns`. */
enum event { EVENT_EXIT, EVENT_SUSPEND, EVENT_RESUME, EVENT_ENTRY };
typedef void event_writer(struct sink *s, uint32_t handle, enum event what, uint64_t ns);

static void
write_timeline(struct sink *s, const struct workload *w, event_writer *event)
{
	struct walk k;
	uint64_t ns = 1000;

	walk_init(&k, w, 1);
	event(s, k.stack[0], EVENT_ENTRY, ns);
	while (!sink_done(s)) {
		uint32_t left = k.stack[k.depth - 1];
		ns += 40 + walk_random(&k, 4000);
		bool called = walk_move(&k);
		event(s, left, called ? EVENT_SUSPEND : EVENT_EXIT, ns);
		ns += 4;
		event(s, k.stack[k.depth - 1], called ? EVENT_ENTRY : EVENT_RESUME, ns);
	}
}

static void
write_mapping(struct sink *s, const struct workload *w)
{
	buf_adds(&s->text, "* HANDLE(Functions) %HANDLE%,%NAME%,%VALUE%\n");
	for (uint32_t i = 0; i < w->shape.functions; i++)
		buf_addf(&s->text, "%08" PRIX32 ",%s,\n", i, w->name[i]);
}

static void
text_event(struct sink *s, uint32_t handle, enum event what, uint64_t ns)
{
	buf_addf(&s->text, "%08" PRIX32 ",%c,,%" PRIu64 "\n", handle, "XSRE"[what], ns);
}

static void
write_text1(struct sink *s)
{
	struct workload w;

	workload_init(&w, &firmware);
	write_mapping(s, &w);
	buf_adds(&s->text, "* TIMELINE %HANDLE%,%EVENT%,%VALUE%,%TIME%\n");
	write_timeline(s, &w, text_event);
	workload_release(&w);
}

static void
write_names(struct sink *s)
{
	struct workload w;

	workload_init(&w, &firmware);
	write_mapping(s, &w);
	workload_release(&w);
}

static void
bin_event(struct sink *s, uint32_t handle, enum event what, uint64_t ns)
{
	put_le(s, handle, 4);
	put_le(s, what, 4); /* core 0 */
	put_le(s, 0, 8);
	put_le(s, ns, 8);
}

static void
write_bin(struct sink *s)
{
	struct workload w;

	workload_init(&w, &firmware);
	write_timeline(s, &w, bin_event);
	workload_release(&w);
}

const struct generator generate_text1 = {
	.name = "text1",
	.title = "winIDEA Text1, a timeline as text",
	.write = write_text1,
};
const struct generator generate_text1_names = {
	.name = "text1-names",
	.title = "names for text1-bin, to lie beside it (BYTES is not used)",
	.write = write_names,
};
const struct generator generate_text1_bin = {
	.name = "text1-bin",
	.title = "winIDEA Text1, a binary timeline",
	.write = write_bin,
};

/* ---- HQNplog ---- */

#define HEADER_BYTES 80
#define ENTRY_BYTES 40
#define RENDERERS 4

static uint64_t
table_bytes(const struct workload *w, uint32_t n)
{
	uint64_t len = 8;

	for (uint32_t i = 0; i < n; i++) {
		for (const char *c = w->name[i]; *c; c++)
			len++;
		len++;
	}
	return (len + 7) / 8 * 8;
}

static void
write_table(struct sink *s, const char *const *name, uint32_t n)
{
	size_t begin = s->text.len;

	put_le(s, n, 8);
	for (uint32_t i = 0; i < n; i++) {
		buf_adds(&s->text, name[i]);
		buf_addc(&s->text, '\0');
	}
	while ((s->text.len - begin) % 8)
		buf_addc(&s->text, '\0');
}

/* Type ids of the entries. */
enum { TYPE_DURATION, TYPE_VALUE, TYPES };

struct renderer {
	struct walk walk;
	uint64_t now; /* ticks */
	uint64_t began[WALK_DEPTH_MAX];
};

static void
write_entry(struct sink *s, uint64_t at, uint64_t ticks, uint64_t thread, uint32_t name,
	    uint32_t type, uint64_t designator)
{
	put_le(s, at, 8);
	put_le(s, ticks, 8);
	put_le(s, thread, 8);
	put_le(s, name, 4);
	put_le(s, type, 4);
	put_le(s, designator, 8);
}

static void
render(struct sink *s, struct renderer *r, uint64_t thread)
{
	struct walk *k = &r->walk;
	uint32_t name = k->stack[k->depth - 1];

	r->now += 20 + walk_random(k, 300);
	if (walk_move(k))
		r->began[k->depth - 1] = r->now;
	else
		write_entry(s, r->began[k->depth], r->now - r->began[k->depth], thread,
			    name, TYPE_DURATION,
			    0x7f0000001000 + walk_random(k, 1u << 20));
	if (!sink_done(s) && walk_random(k, 20) == 0)
		write_entry(s, r->now, 0, thread, 1, TYPE_VALUE,
			    walk_random(k, 1u << 30));
}

static void
write_hqnplog(struct sink *s)
{
	static const char *const type[TYPES] = {"DURATION", "VALUE"};
	struct workload w;
	struct renderer r[RENDERERS] = {0};

	workload_init(&w, &(struct shape){.functions = 200, .callees = 4, .depth = 6});
	uint64_t names = table_bytes(&w, w.shape.functions);
	uint64_t entries = HEADER_BYTES + names + 24;
	uint64_t n = s->wanted > entries ? (s->wanted - entries) / ENTRY_BYTES : 0;
	buf_adds(&s->text, "HQNplog\n");
	const uint64_t header[] = {
		0x0807060504030201,   HEADER_BYTES, 10000000,    500, HEADER_BYTES,
		HEADER_BYTES + names, entries,      ENTRY_BYTES, n,
	};
	for (size_t i = 0; i < sizeof header / sizeof *header; i++)
		put_le(s, header[i], 8);
	write_table(s, (const char *const *)w.name, w.shape.functions);
	write_table(s, type, TYPES);
	s->wanted = entries + n * ENTRY_BYTES;
	for (uint32_t i = 0; i < RENDERERS; i++) {
		walk_init(&r[i].walk, &w, i + 1);
		r[i].now = 1000 + i;
	}
	for (uint32_t i = 0; n > 0 && !sink_done(s); i = (i + 1) % RENDERERS)
		render(s, &r[i], 0x10 + i);
	workload_release(&w);
}

const struct generator generate_hqnplog = {
	.name = "hqnplog",
	.title = "Harlequin probe log",
	.write = write_hqnplog,
};
