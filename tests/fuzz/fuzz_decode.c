#include "tests/fuzz/fuzz_decode.h"

/* The promises of every decoder for any bytes (HACKING.md: bad input never crashes, hangs or eats
 * memory), checked after one load:
 *
 *  - it returns: false with a fault, true without one;
 *  - a fault lies inside the input: an offset past its end was never read;
 *  - the profile is valid (profile_check walks it), damaged or not: the part before the damage
 *    can be shown, so it is folded, both ways up;
 *  - the dump of the same bytes ends too, with the same result and fault.
 *
 * Sanitizers check crashes and memory, the driver checks time.  One process makes all loads, so
 * state kept between two files would show here as well. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "src/decode/decoder.h"
#include "src/input/input.h"

static void
broken(const char *what, const char *detail)
{
	fprintf(stderr, "broken promise: %s: %s\n", what, detail);
	abort();
}

static void
check_result(const char *what, bool good, const struct err *e, size_t len)
{
	if (good && err_is_set(e))
		broken(what, "true, but a fault is set");
	if (!good && !err_is_set(e))
		broken(what, "false without a fault");
	if (e->has_offset && e->offset > len)
		broken(what, "the fault lies past the end of the input");
}

static void
fold_both_ways(const struct profile *p)
{
	struct fold *f = fold_new();
	struct lens l;
	struct err e;

	lens_init(&l);
	for (int i = 0; i < 2; i++) {
		struct rows rows = {0};

		l.invert = i == 1;
		err_init(&e);
		if (!fold_update(f, p, &l, NULL, &e)) {
			if (e.class != ERR_USAGE)
				broken("fold", e.text);
			continue;
		}
		fold_rows(f, &rows);
		rows_release(&rows);
	}
	lens_release(&l);
	fold_free(f);
}

static void
decode(const struct decoder *decoder, const void *bytes, size_t len, const char *name)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, name, decoder->name);
	struct input *in = input_open_bytes(bytes, len, name);
	struct err e, check;
	bool good;

	err_init(&e);
	good = decoder->decode(in, b, &e);
	check_result("decode", good, &e, len);
	builder_finish(b, &e);
	builder_free(b);
	input_close(in);
	err_init(&check);
	if (!profile_check(p, &check))
		broken("profile_check", check.text);
	fold_both_ways(p);
	profile_free(p);
}

static void
dump(const struct decoder *decoder, const void *bytes, size_t len, const char *name)
{
	struct input *in = input_open_bytes(bytes, len, name);
	struct dump d = {.out = fopen("/dev/null", "w")};
	struct err e;
	bool good;

	if (!d.out)
		broken("dump", "/dev/null cannot be opened");
	err_init(&e);
	good = decoder_dump(decoder, in, &d, &e);
	check_result("dump", good, &e, len);
	fclose(d.out);
	input_close(in);
}

void
fuzz_decode(const struct decoder *decoder, const void *bytes, size_t len,
	    const char *name)
{
	struct json_outline o;
	struct head head = head_of(bytes, len, name, &o);
	struct err e;

	/* All probes see all bytes, whichever decoder takes them. */
	for (size_t i = 0; decoders[i]; i++) {
		int sure = decoder_sure(decoders[i], head);

		if (sure < 0 || sure > 100)
			broken(decoders[i]->name, "a probe outside 0..100");
	}
	err_init(&e);
	if (!decoder)
		decoder = decoder_for(head, &e);
	json_outline_release(&o);
	if (!decoder) {
		if (!err_is_set(&e))
			broken("decoder_for", "no decoder and no refusal");
		return;
	}
	decode(decoder, bytes, len, name);
	if (decoder->dump)
		dump(decoder, bytes, len, name);
}
