#include "src/command/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "src/command/report/instructions.h"

/* The view `instructions`: the hits of each requested function by address, and the instructions
 * without hits between them. */

static bool
instructions_fill(struct report *r)
{
	r->instructions = instructions_new(r->loaded, r->how);
	instructions_make(r->instructions, r->fold, r->profile,
			  &(struct instructions_of){.pattern = r->function}, NULL);
	for (size_t i = 0; i < instructions_count(r->instructions); i++) {
		const struct instruction_hit *hit = instructions_at(r->instructions, i);
		struct row *row = rows_add(&r->rows);
		*row = (struct row){
			.key = hit->key,
			.self = hit->self,
			.calls = -1,
			.lines = -1,
			.track = TRACK_NONE,
			.of.instruction = &hit->is,
		};
	}
	return true;
}

const struct report_view view_instructions = {
	.name = "instructions",
	.rows = ROWS_INSTRUCTIONS,
	.columns = "function,address,instruction,file,line,self",
	.text = "self,share=Total,address,instruction,line,file,function",
	.folds = true,
	.by_address = true,
	.functions = true,
	.fill = instructions_fill,
};
