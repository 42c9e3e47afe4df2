/* Profiles of GHC, the Haskell compiler (its users' guide, "Profiling"): the report .prof for
 * people, with `-P` exact and with `-p` in percent; the same as JSON, `-pj`; and the contents of
 * the heap over time, .hp.
 *
 * Measurements belong to cost centres. A cost centre in different places of the program is
 * different nodes of one tree, so all stacks are exact. */
#include "src/decode/ghcprof/ghcprof.h"

#include <string.h>

#include "src/decode/common/words.h"

static int
ghcprof_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	if (!head_line_filled(head, &next, &at, &end))
		return 0;
	return begins_with(at, end, "JOB \"") ||
			       text_find(at, end, "Time and Allocation Profiling Report")
		       ? 100
		       : 0;
}

/* ---- which of them it is ---- */

static bool
ghcprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct ghc_out o = {.b = b, .e = e};
	char first = input_first(in);

	if (first == '{') /* input_first() has skipped the blank lines */
		return ghc_read_json(&o, in);
	if (input_need(in, 4) && !memcmp(input_at(in), "JOB ", 4))
		return ghc_read_heap(&o, in);
	return ghc_read_text(&o, in);
}

const struct decoder decoder_ghcprof = {
	.name = "ghcprof",
	.title = "GHC's profiles of Haskell: .prof, JSON (-pj), .hp",
	.made_of = MADE_TEXT | MADE_JSON,
	.members = "rts_arguments total_ticks",
	.probe = ghcprof_probe,
	.decode = ghcprof_decode,
};
