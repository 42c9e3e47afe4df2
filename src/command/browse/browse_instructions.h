/* browse_instructions.h - who tells the browser the instructions of a function. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_INSTRUCTIONS_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_INSTRUCTIONS_H

#include "src/command/report/instructions.h"
#include "ui/part/code.h"

struct browse_instructions {
	struct instructions *all;
	struct code_source source;
};

/* Of a profile that may still grow, as it is read. */
const struct code_source *browse_instructions_init(struct browse_instructions *b,
						   const struct profile *p,
						   const struct format_options *how);
void browse_instructions_release(struct browse_instructions *b);

#endif
