/* instructions.h - the instructions of functions with their costs.
 *
 * Hits come from a fold by address; code from the files of modules with the recorded build ids
 * (src/symbol/disasm.h). */
#ifndef PNAV_SRC_COMMAND_REPORT_INSTRUCTIONS_H
#define PNAV_SRC_COMMAND_REPORT_INSTRUCTIONS_H

#include <stddef.h>

#include "model/fold/fold.h"
#include "model/table/instruction.h"

struct format_options;
struct instructions;

struct instruction_hit {
	struct instruction is;
	key_id key; /* of the fold: a frame of the function that contains it */
	int64_t self;
};

/* For a profile as loaded. */
/* `how`: where to search files; borrowed for the call, NULL: the usual places. */
struct instructions *instructions_new(const struct profile *p, const struct format_options *how);
void instructions_free(struct instructions *x);
/* Selects functions: those that match (NULL: all), or one, or the code at an address in the module
 * of that one, in the profile or not. */
struct instructions_of {
	struct pattern *pattern;
	bool one, visits;
	function_id function;
	uint64_t address;
};
/* Finds the instructions of functions with hits in the fold, which is by address and of `seen`:
 * that profile, or the one derived by labels. Sorted by module and address. Inlined functions
 * contribute only instructions with hits, others all. After them follow requested functions that
 * were on stacks but have no hits. Returns false without instructions if the pace (NULL: none)
 * cancelled. */
bool instructions_make(struct instructions *x, const struct fold *f, const struct profile *seen,
		       const struct instructions_of *of, struct pace *pace);
size_t instructions_count(const struct instructions *x);
/* Valid until the next instructions_make(). */
const struct instruction_hit *instructions_at(const struct instructions *x, size_t i);
/* Appends the next reason why code is missing; returns false after the last one. */
bool instructions_say(struct instructions *x, struct buf *out);
/* Restarts instructions_say() for the result of the last instructions_make(). */
void instructions_report_again(struct instructions *x);

#endif
