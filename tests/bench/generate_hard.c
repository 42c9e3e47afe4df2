/* Folded stacks without repetition, unlike those of the program in workload.c:
 *
 *	folded-names      20,000 random names, eight deep: nearly every stack is new
 *	folded-functions  every line has a new function
 *	perfscript-threads  30,000 threads with different names in random order
 *	folded-deep       recursion, 50,000 frames deep, each time with another last frame */
#include "tests/bench/generate.h"

#include <inttypes.h>

#define NAMES 20000u
#define DEPTH 8
#define DEEP 50000u
#define RING 7u
#define THREADS 30000u
#define THREAD_NAMES 300u

/* xorshift64*: the same numbers everywhere. */
static uint32_t
below(uint64_t *state, uint32_t n)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * UINT64_C(0x2545F4914F6CDD1D) >> 32) * n >> 32);
}

static void
write_names(struct sink *s)
{
	uint64_t state = 1;

	while (!sink_done(s)) {
		for (int i = 0; i < DEPTH; i++)
			buf_addf(&s->text, "%sserver::request_handler_%05" PRIu32,
				 i ? ";" : "", below(&state, NAMES));
		buf_addf(&s->text, " %" PRIu32 "\n", 1 + below(&state, 100));
	}
}

static void
write_functions(struct sink *s)
{
	uint64_t state = 1;

	for (uint32_t i = 0; !sink_done(s); i++)
		buf_addf(&s->text, "main;group_%03" PRIu32 ";generated::function_%08" PRIu32
				   " %" PRIu32 "\n",
			 below(&state, 500), i, 1 + below(&state, 1000));
}

static void
write_deep(struct sink *s)
{
	for (uint32_t i = 0; !sink_done(s); i++) {
		buf_adds(&s->text, "main");
		for (uint32_t f = 0; f < DEEP; f++)
			buf_addf(&s->text, ";visit_%" PRIu32, f % RING);
		buf_addf(&s->text, ";leaf_%" PRIu32 " 1\n", i);
	}
}

const struct generator generate_folded_names = {
	.name = "folded-names",
	.title = "folded stacks, 20,000 names by chance",
	.write = write_names,
};

const struct generator generate_folded_functions = {
	.name = "folded-functions",
	.title = "folded stacks, a new function a line",
	.write = write_functions,
};

const struct generator generate_folded_deep = {
	.name = "folded-deep",
	.title = "folded stacks, 50,000 deep",
	.write = write_deep,
};

static void
write_threads(struct sink *s)
{
	uint64_t state = 1, now_us = 1000000;

	while (!sink_done(s)) {
		uint32_t thread = below(&state, THREADS);
		now_us += 1 + below(&state, 5);
		buf_addf(&s->text,
			 "pool-%" PRIu32 " %5u/%" PRIu32 " [%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64
			 ":     %" PRIu32 " cycles:u: \n",
			 thread, 4000u, 5000 + thread, thread % 64, now_us / 1000000,
			 now_us % 1000000, 900000 + below(&state, 200000));
		for (int i = 0; i < 4; i++) {
			uint32_t f = below(&state, THREAD_NAMES);
			buf_addf(&s->text, "\t%16x request_%" PRIu32 "+0x%x (/usr/bin/server)\n",
				 0x401000 + f * 512 + 5, f, 5u);
		}
		buf_addc(&s->text, '\n');
	}
}

const struct generator generate_perfscript_threads = {
	.name = "perfscript-threads",
	.title = "text of perf script, 30,000 threads",
	.write = write_threads,
};
