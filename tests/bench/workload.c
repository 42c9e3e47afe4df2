/* An invented program that runs.
 *
 * Decoders profit from repetition: neighbours in time share most of their stack, few stacks are hot
 * and many are rare, and few names fill the file.  Random bytes lack this, and recorded profiles do
 * not exist in every size.  So this file has a program and a walk through it.  A hash of its number
 * chooses the few callees of each function, and calls the first far more often than the last.  The
 * stack moves up and down about its usual depth. Cycles in that graph are recursion.
 *
 * Rejected: a call tree made beforehand (its memory bounds the file's size), libc's random()
 * (another sequence on another system).
 *
 * Invariant: only the arguments determine the output. */
#include "tests/bench/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

static uint64_t
mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Names as C and C++ have them, 12 to 60 bytes. */
static char *
invent_name(uint32_t function)
{
	static const char *const place[] = {
		"net::http",   "render",      "std",        "db::btree", "json",
		"core::sched", "media::h264", "ui::layout", "crypto",    "fs::journal",
	};
	static const char *const verb[] = {
		"read",   "parse",    "update",  "find_or_insert", "compute", "flush",
		"decode", "dispatch", "acquire", "visit",          "resolve", "copy",
	};
	static const char *const noun[] = {
		"header",       "node",      "frame",      "page",
		"request",      "glyph_run", "macroblock", "transaction",
		"string_table", "index",     "session",    "buffer",
	};
	uint64_t h = mix(function);
	const char *v = verb[(h >> 8 & 0xff) % (sizeof verb / sizeof *verb)];
	const char *n = noun[(h >> 16 & 0xff) % (sizeof noun / sizeof *noun)];
	const char *p = place[(h >> 32) % (sizeof place / sizeof *place)];
	char text[96];

	switch (h & 3) {
	case 0:
		snprintf(text, sizeof text, "%s::%s_%s_%u(char const*, int)", p, v, n,
			 function);
		break;
	case 1:
		snprintf(text, sizeof text, "%s::%s<%s_%u>::operator()", p, v, n,
			 function);
		break;
	default:
		snprintf(text, sizeof text, "%s_%s_%u", v, n, function);
		break;
	}
	return mem_dup(text, strlen(text));
}

void
workload_init(struct workload *w, const struct shape *shape)
{
	w->shape = *shape;
	w->name = mem_alloc(shape->functions, sizeof *w->name);
	w->name[0] = mem_dup("main", 4);
	for (uint32_t i = 1; i < shape->functions; i++)
		w->name[i] = invent_name(i);
}

void
workload_release(struct workload *w)
{
	for (uint32_t i = 0; i < w->shape.functions; i++)
		free(w->name[i]);
	free(w->name);
}

void
walk_init(struct walk *k, const struct workload *w, uint32_t seed)
{
	*k = (struct walk){.of = w, .random = mix(seed), .depth = 1};
}

uint32_t
walk_random(struct walk *k, uint32_t n)
{
	k->random ^= k->random << 13;
	k->random ^= k->random >> 7;
	k->random ^= k->random << 17;
	return (uint32_t)((k->random >> 32) * n >> 32);
}

bool
walk_move(struct walk *k)
{
	const struct shape *shape = &k->of->shape;
	uint32_t at = k->depth, wide = 2 * shape->depth;

	/* The deeper, the likelier a return; at twice the usual depth it is certain. */
	if (at > 1 && walk_random(k, wide) < at) {
		k->depth--;
		return false;
	}
	/* The eighth power of a number in [0, 1): the first callee gets three of four. */
	uint64_t u = walk_random(k, 1u << 16);
	u = u * u >> 16;
	u = u * u >> 16;
	u = u * u >> 16;
	uint32_t site = (uint32_t)(u * shape->callees >> 16);
	uint64_t callee = mix((uint64_t)k->stack[at - 1] << 8 | site);
	k->site[at] = site;
	k->stack[at] = 1 + (uint32_t)(callee % (shape->functions - 1));
	k->depth++;
	return true;
}

void
walk_sample(struct walk *k)
{
	for (uint32_t n = 1 + walk_random(k, 8); n > 0; n--)
		walk_move(k);
}
