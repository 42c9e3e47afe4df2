/* instructions.h - the instructions of functions, with what each cost.
 *
 * Hits come from a fold by address, code from the files of the modules (src/symbol/disasm.h)
 * whose build ids were recorded. */
#ifndef PNAV_SRC_COMMAND_REPORT_INSTRUCTIONS_H
#define PNAV_SRC_COMMAND_REPORT_INSTRUCTIONS_H

#include <stddef.h>

#include "model/fold/fold.h"
#include "model/table/instruction.h"

struct format_options;
struct instructions;

struct instruction_hit {
	struct instruction is;
	key_id key; /* of the fold: a frame of the function that it belongs to */
	int64_t self;
};

/* Of a profile as it was read. */
/* `how` files are looked for; borrowed for the call, NULL: in the usual places. */
struct instructions *instructions_new(const struct profile *p, const struct format_options *how);
void instructions_free(struct instructions *x);
/* Which functions: those that match (NULL: all), or one, or what lies in that one's module at
 * an address, whether the profile knows it or not. */
struct instructions_of {
	struct pattern *pattern;
	bool one, visits;
	function_id function;
	uint64_t address;
};
/* Finds the instructions of functions that were hit in the fold, which is by address and of
 * `seen`: that profile, or what its labels make of it.  They stand by module and address; of
 * code that was inlined only what was hit, of all other functions what was not, too.  Behind
 * them those of functions that are asked for and were on stacks, but not hit themselves.  False
 * when the pace (NULL: none) gave up: there are none then. */
bool instructions_make(struct instructions *x, const struct fold *f, const struct profile *seen,
		       const struct instructions_of *of, struct pace *pace);
size_t instructions_count(const struct instructions *x);
/* Valid until the next are made. */
const struct instruction_hit *instructions_at(const struct instructions *x, size_t i);
/* What there is no code of, and why: the next of them is appended; false when all were told. */
bool instructions_say(struct instructions *x, struct buf *out);
/* The next instructions_say() begins anew, with what those lack that were made last. */
void instructions_tell_again(struct instructions *x);

#endif
