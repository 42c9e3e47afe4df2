#include "tests/fuzz/fuzz_decode.h"

/* libFuzzer's entry.  One binary for all formats: PNAV_FUZZ_FORMAT names the decoder, so it also
 * gets mutations that no probe accepts.  Without it, the bytes choose, and the probes are fuzzed
 * too.
 *
 *	./configure CC=clang --enable-fuzzing --enable-sanitizers && make tests/fuzz/fuzzer
 *	PNAV_FUZZ_FORMAT=br tests/fuzz/fuzzer -max_len=4096 corpus/ ../tests/golden/br-* */

#include <stdio.h>
#include <stdlib.h>

#include "src/decode/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* The input has no choices. */
extern const size_t fuzz_choices;
const size_t fuzz_choices = 0;

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *format = getenv("PNAV_FUZZ_FORMAT");
	const struct decoder *decoder = format ? decoder_named(format) : NULL;

	if (format && !decoder) {
		fprintf(stderr, "PNAV_FUZZ_FORMAT=%s: no such format\n", format);
		abort();
	}
	fuzz_decode(decoder, bytes, len, "fuzz");
	return 0;
}
