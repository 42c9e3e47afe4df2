#include "tests/lib/chance.h"

#include <math.h>

void
chance_init(struct chance *c, uint64_t seed)
{
	c->state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
	for (int i = 0; i < 4; i++)
		chance_bits(c);
}

uint64_t
chance_bits(struct chance *c)
{
	uint64_t x = c->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	c->state = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}

uint32_t
chance_below(struct chance *c, uint32_t n)
{
	return (uint32_t)((chance_bits(c) >> 32) * n >> 32);
}

bool
chance_one_in(struct chance *c, uint32_t n)
{
	return chance_below(c, n) == 0;
}

/* Above 0 and below 1. */
static double
unit(struct chance *c)
{
	return ((double)(chance_bits(c) >> 11) + 0.5) / 9007199254740992.0;
}

double
chance_between(struct chance *c, double low, double high)
{
	return low + (high - low) * unit(c);
}

double
chance_wait(struct chance *c, double mean)
{
	return -mean * log(unit(c));
}

double
chance_bell(struct chance *c)
{
	return sqrt(-2 * log(unit(c))) * cos(6.283185307179586 * unit(c));
}
