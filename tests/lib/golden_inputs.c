#include "tests/lib/golden_inputs.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/build/builder.h"
#include "src/decode/decoder.h"
#include "tests/lib/unit.h"

glob_t
golden_inputs(void)
{
	const char *top = getenv("top_srcdir");
	char pattern[4096];
	glob_t g;

	snprintf(pattern, sizeof pattern, "%s/tests/golden/*/input.*", top ? top : ".");
	ck_assert_int_eq(glob(pattern, 0, NULL, &g), 0);
	ck_assert_uint_gt(g.gl_pathc, 100);
	return g;
}

struct profile *
golden_profile(const char *path, struct err *e)
{
	struct profile *p = profile_new();

	err_init(e);
	struct input *in = input_open(path, e);
	const struct decoder *d = in ? decoder_of(in, e) : NULL;
	if (d) {
		struct builder *b = builder_new(p, path, d->name);
		d->decode(in, b, e);
		builder_finish(b, e);
		builder_free(b);
	}
	input_close(in);
	if (d && e->class != ERR_REFUSED)
		return p;
	profile_free(p);
	return NULL;
}
