/* Samples of 400,000 stacks, in a thread of a Firefox profile, whose columns store each stack once:
 * about twelve bytes a sample, seventeen with a weight.
 *
 *	firefox-samples  one event a sample
 *	firefox-weights  bytes, another number each
 *
 * Half of the samples lie on a thousand stacks, half anywhere. */
#include "tests/bench/generate.h"

#include <inttypes.h>
#include <stdbool.h>

#define STACKS 400000u
#define FUNCTIONS 20000u
#define HOT 1000u
#define RUN 4u /* maximum calls below a stack before the next one is extended */
#define SAMPLE_BYTES 12u
#define WEIGHT_BYTES 5u

struct chance {
	uint64_t state;
};

/* xorshift64*: the same numbers everywhere. */
static uint32_t
below(struct chance *c, uint32_t n)
{
	c->state ^= c->state >> 12;
	c->state ^= c->state << 25;
	c->state ^= c->state >> 27;
	return (uint32_t)((c->state * UINT64_C(0x2545F4914F6CDD1D) >> 32) * n >> 32);
}

static void
put_number(struct sink *s, uint32_t i, uint32_t n)
{
	buf_addf(&s->text, "%s%" PRIu32, i ? "," : "", n);
	sink_done(s);
}

static void
write_functions(struct sink *s)
{
	buf_addf(&s->text, "{\"meta\":{\"interval\":1,\"startTime\":0,\"product\":\"bench\","
			   "\"version\":30,\"preprocessedProfileVersion\":70},\n\"libs\":[],"
			   "\"shared\":{\"stringArray\":[\"(root)\"");
	for (uint32_t i = 1; i < FUNCTIONS; i++)
		buf_addf(&s->text, ",\"library::module%" PRIu32 "::function_%" PRIu32 "\"",
			 i % 97, i);
	buf_addf(&s->text, "],\n\"funcTable\":{\"length\":%u,\"name\":[", FUNCTIONS);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_number(s, i, i);
	buf_addf(&s->text, "]},\n\"frameTable\":{\"length\":%u,\"func\":[", FUNCTIONS);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_number(s, i, i);
	buf_adds(&s->text, "]},\n");
}

/* Functions call each other, a few deep below any existing stack. */
static void
write_stacks(struct sink *s)
{
	struct chance c = {1};
	uint32_t caller = 0, left = 0;

	buf_addf(&s->text, "\"stackTable\":{\"length\":%u,\"frame\":[", STACKS);
	for (uint32_t i = 0; i < STACKS; i++)
		put_number(s, i, i ? below(&c, FUNCTIONS) : 0);
	buf_adds(&s->text, "],\n\"prefix\":[null");
	for (uint32_t i = 1; i < STACKS; i++, left--) {
		if (!left) {
			caller = below(&c, i);
			left = 1 + below(&c, RUN);
		}
		put_number(s, i, caller);
		caller = i;
	}
	buf_adds(&s->text, "]}},\n");
}

static void
write_samples(struct sink *s, bool weighted)
{
	uint64_t n = s->wanted / (SAMPLE_BYTES + (weighted ? WEIGHT_BYTES : 0));
	uint32_t samples = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	struct chance stack = {2}, time = {3}, weight = {4};

	write_functions(s);
	write_stacks(s);
	buf_addf(&s->text, "\"threads\":[{\"name\":\"Main\",\"pid\":\"7\",\"tid\":70,\n"
			   "\"samples\":{\"length\":%" PRIu32 ",\"stack\":[",
		 samples);
	for (uint32_t i = 0; i < samples; i++) {
		uint32_t half = below(&stack, 2);
		put_number(s, i, below(&stack, half ? HOT : STACKS));
	}
	buf_adds(&s->text, "],\n\"timeDeltas\":[");
	for (uint32_t i = 0; i < samples; i++) {
		buf_addf(&s->text, "%s1.%" PRIu32, i ? "," : "", below(&time, 100));
		sink_done(s);
	}
	buf_adds(&s->text, "],\n\"weight\":");
	buf_adds(&s->text, weighted ? "[" : "null");
	for (uint32_t i = 0; weighted && i < samples; i++)
		put_number(s, i, 1 + below(&weight, 65536));
	buf_addf(&s->text, "%s,\"weightType\":\"%s\"}}]}\n", weighted ? "]" : "",
		 weighted ? "bytes" : "samples");
}

static void
write_plain(struct sink *s)
{
	write_samples(s, false);
}

static void
write_weighted(struct sink *s)
{
	write_samples(s, true);
}

const struct generator generate_firefox_samples = {
	.name = "firefox-samples",
	.title = "a Firefox profile, 400,000 stacks",
	.write = write_plain,
};

const struct generator generate_firefox_weights = {
	.name = "firefox-weights",
	.title = "the same, and a weight a sample",
	.write = write_weighted,
};
