#include "tests/fuzz/mutate.h"

#include <string.h>

/* libFuzzer's hook for custom mutators: one change in two keeps the form (mutate.h), the others are
 * libFuzzer's.  Only libFuzzer changes the choices at the end of an input. */

size_t LLVMFuzzerMutate(uint8_t *at, size_t len, size_t cap);
size_t LLVMFuzzerCustomMutator(uint8_t *at, size_t len, size_t cap, unsigned seed);

extern const size_t fuzz_choices;

#define CHOICES_MAX 64u

size_t
LLVMFuzzerCustomMutator(uint8_t *at, size_t len, size_t cap, unsigned seed)
{
	uint64_t state = (seed + UINT64_C(1)) * 0x9E3779B97F4A7C15u;
	uint8_t kept[CHOICES_MAX];

	if (seed % 2 || len <= fuzz_choices)
		return LLVMFuzzerMutate(at, len, cap);
	len -= fuzz_choices;
	memcpy(kept, at + len, fuzz_choices);
	len = fuzz_mutate(at, len, cap - fuzz_choices, &state);
	memcpy(at + len, kept, fuzz_choices);
	return len + fuzz_choices;
}
