/* chance.h - numbers by chance: xorshift64*.  The same seed gives the same on every machine. */
#ifndef PNAV_TESTS_LIB_CHANCE_H
#define PNAV_TESTS_LIB_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
	uint64_t state;
};
void chance_init(struct chance *c, uint64_t seed);
uint64_t chance_bits(struct chance *c);
/* 0 .. n-1 */
uint32_t chance_below(struct chance *c, uint32_t n);
/* True once in n times. */
bool chance_one_in(struct chance *c, uint32_t n);

/* Real numbers: evenly between two limits; waiting times of this mean; of the standard normal
 * distribution. */
double chance_between(struct chance *c, double low, double high);
double chance_wait(struct chance *c, double mean);
double chance_bell(struct chance *c);

#endif
