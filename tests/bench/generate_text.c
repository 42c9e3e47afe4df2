/* The text formats: folded stacks and `perf script`.
 *
 * Folded stacks come from a collapser, which merges equal stacks and sorts them.  So a file
 * consists of blocks, each the sorted and merged samples of one part of the run, like the
 * concatenated output of many short recordings.  `perf script` prints the samples in order: four
 * threads take turns, each with its own stack. */
#include "tests/bench/generate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "tests/bench/workload.h"

/* ---- folded ---- */

#define BLOCK_SAMPLES 20000

struct sampled {
	uint32_t depth;
	uint32_t stack[WALK_DEPTH_MAX];
};

static int
by_frames(const void *left, const void *right)
{
	const struct sampled *a = left, *b = right;

	for (uint32_t i = 0; i < a->depth && i < b->depth; i++) {
		if (a->stack[i] != b->stack[i])
			return a->stack[i] < b->stack[i] ? -1 : 1;
	}
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static void
write_block(struct sink *s, const struct workload *w, struct sampled *block)
{
	qsort(block, BLOCK_SAMPLES, sizeof *block, by_frames);
	for (uint32_t i = 0, next; i < BLOCK_SAMPLES && !sink_done(s); i = next) {
		for (next = i + 1; next < BLOCK_SAMPLES; next++) {
			if (by_frames(&block[i], &block[next]))
				break;
		}
		for (uint32_t f = 0; f < block[i].depth; f++) {
			buf_adds(&s->text, f ? ";" : "");
			buf_adds(&s->text, w->name[block[i].stack[f]]);
		}
		buf_addf(&s->text, " %" PRIu32 "\n", next - i);
	}
}

static void
write_folded(struct sink *s)
{
	struct sampled *block = mem_alloc(BLOCK_SAMPLES, sizeof *block);
	struct workload w;
	struct walk k;

	workload_init(&w, &(struct shape){.functions = 6000, .callees = 6, .depth = 12});
	walk_init(&k, &w, 1);
	while (!sink_done(s)) {
		for (uint32_t i = 0; i < BLOCK_SAMPLES; i++) {
			walk_sample(&k);
			block[i].depth = k.depth;
			for (uint32_t f = 0; f < k.depth; f++)
				block[i].stack[f] = k.stack[f];
		}
		write_block(s, &w, block);
	}
	workload_release(&w);
	free(block);
}

const struct generator generate_folded = {
	.name = "folded",
	.title = "folded stacks",
	.write = write_folded,
};

/* ---- perf script ---- */

#define THREADS 4
#define PERIOD_NS 250000

static void
write_sample(struct sink *s, struct walk *k, uint32_t thread, uint64_t now_ns)
{
	static const char *const object[] = {
		"/usr/bin/shop-server",
		"/usr/bin/shop-server",
		"/usr/bin/shop-server",
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
	};

	buf_addf(&s->text,
		 "worker-%" PRIu32 " %5u/%u [%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64
		 ":     %u cycles:u: \n",
		 thread, 4000u, 4000u + thread, thread, now_ns / 1000000000,
		 now_ns % 1000000000 / 1000, 900000 + walk_random(k, 200000));
	for (uint32_t i = k->depth; i > 0; i--) {
		uint32_t f = k->stack[i - 1], offset = k->site[i - 1] * 36 + 5;
		if (i == k->depth)
			offset += walk_random(k, 16) * 4;
		buf_addf(&s->text, "\t%16x %s+0x%x (%s)\n", 0x401000 + f * 512 + offset,
			 k->of->name[f], offset,
			 object[f % (sizeof object / sizeof *object)]);
	}
	buf_addc(&s->text, '\n');
}

static void
write_perfscript(struct sink *s)
{
	struct workload w;
	struct walk k[THREADS];
	uint64_t now_ns = 5196208602000;

	workload_init(&w, &(struct shape){.functions = 6000, .callees = 6, .depth = 16});
	for (uint32_t i = 0; i < THREADS; i++)
		walk_init(&k[i], &w, i + 1);
	for (uint32_t i = 0; !sink_done(s); i = (i + 1) % THREADS) {
		walk_sample(&k[i]);
		now_ns += PERIOD_NS + walk_random(&k[i], 1000);
		write_sample(s, &k[i], i, now_ns);
	}
	workload_release(&w);
}

const struct generator generate_perfscript = {
	.name = "perfscript",
	.title = "text of perf script",
	.write = write_perfscript,
};
