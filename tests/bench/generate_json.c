/* Formats that are read in one go: Chrome traces, speedscope's evented profiles, Callgrind.
 *
 * Those in JSON are the moves of one thread of the program in workload.c, a call or a return an
 * event.  Callgrind's are its functions with the calls between them, repeated as in concatenated
 * dumps. */
#include "tests/bench/generate.h"

#include <inttypes.h>

#include "tests/bench/workload.h"

static const struct shape shape = {.functions = 6000, .callees = 6, .depth = 24};

static void
begin(struct workload *w, struct walk *k)
{
	workload_init(w, &shape);
	walk_init(k, w, 1);
}

/* One move: the function that is called, or that returns. */
static bool
move(struct walk *k, uint32_t *function)
{
	uint32_t before = k->stack[k->depth - 1];
	bool calls = walk_move(k);

	*function = calls ? k->stack[k->depth - 1] : before;
	return calls;
}

static void
write_chrome(struct sink *s)
{
	struct workload w;
	struct walk k;
	uint64_t ns = 1000;

	begin(&w, &k);
	buf_addf(&s->text, "{\"traceEvents\":[\n"
			   "{\"name\":\"%s\",\"ph\":\"B\",\"ts\":0,\"pid\":1,\"tid\":1}",
		 w.name[k.stack[0]]);
	while (!sink_done(s)) {
		uint32_t f;
		bool calls = move(&k, &f);
		ns += 100 + walk_random(&k, 4000);
		buf_addf(&s->text,
			 ",\n{\"name\":\"%s\",\"cat\":\"call\",\"ph\":\"%s\",\"ts\":%" PRIu64
			 ".%03" PRIu64 ",\"pid\":1,\"tid\":1}",
			 w.name[f], calls ? "B" : "E", ns / 1000, ns % 1000);
	}
	for (; k.depth; k.depth--)
		buf_addf(&s->text, ",\n{\"ph\":\"E\",\"ts\":%" PRIu64 ",\"pid\":1,\"tid\":1}",
			 ns / 1000 + 1);
	buf_adds(&s->text, "\n]}\n");
	workload_release(&w);
}

const struct generator generate_chrome = {
	.name = "chrome",
	.title = "Chrome trace, begins and ends",
	.write = write_chrome,
};

static void
write_speedscope(struct sink *s)
{
	struct workload w;
	struct walk k;
	uint64_t at = 0;

	begin(&w, &k);
	buf_adds(&s->text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			   "\"shared\":{\"frames\":[");
	for (uint32_t f = 0; f < shape.functions; f++)
		buf_addf(&s->text, "%s{\"name\":\"%s\"}", f ? "," : "", w.name[f]);
	buf_addf(&s->text,
		 "]},\"profiles\":[{\"type\":\"evented\",\"name\":\"main\","
		 "\"unit\":\"microseconds\",\"startValue\":0,\"events\":[\n"
		 "{\"type\":\"O\",\"frame\":%" PRIu32 ",\"at\":0}",
		 k.stack[0]);
	while (!sink_done(s)) {
		uint32_t f;
		bool calls = move(&k, &f);
		at += 1 + walk_random(&k, 40);
		buf_addf(&s->text, ",\n{\"type\":\"%s\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
			 calls ? "O" : "C", f, at);
	}
	while (k.depth)
		buf_addf(&s->text, ",\n{\"type\":\"C\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
			 k.stack[--k.depth], at);
	buf_addf(&s->text, "],\"endValue\":%" PRIu64 "}]}\n", at);
	workload_release(&w);
}

const struct generator generate_speedscope = {
	.name = "speedscope",
	.title = "speedscope, evented",
	.write = write_speedscope,
};

static void
write_callgrind(struct sink *s)
{
	struct workload w;
	struct walk k;

	begin(&w, &k);
	buf_adds(&s->text, "# callgrind format\nversion: 1\ncreator: bench\n"
			   "positions: line\nevents: Ir\n\nfl=(1) program.c\n");
	for (uint32_t f = 0; f < shape.functions; f++)
		buf_addf(&s->text, "fn=(%" PRIu32 ") %s\n%" PRIu32 " 1\n", f + 1, w.name[f],
			 f * 10 + 1);
	while (!sink_done(s)) {
		uint32_t f;
		if (!move(&k, &f) || k.depth < 2)
			continue;
		uint32_t caller = k.stack[k.depth - 2];
		buf_addf(&s->text, "fn=(%" PRIu32 ")\n", caller + 1);
		for (uint32_t i = 0; i < 4; i++)
			buf_addf(&s->text, "%" PRIu32 " %" PRIu32 "\n", caller * 10 + 2 + i,
				 10 + walk_random(&k, 900));
		buf_addf(&s->text,
			 "cfn=(%" PRIu32 ")\ncalls=1 %" PRIu32 "\n%" PRIu32 " %" PRIu32 "\n", f + 1,
			 f * 10 + 1, caller * 10 + 6, 1000 + walk_random(&k, 9000));
	}
	workload_release(&w);
}

const struct generator generate_callgrind = {
	.name = "callgrind",
	.title = "Callgrind, a profile of few functions with very many calls",
	.write = write_callgrind,
};
