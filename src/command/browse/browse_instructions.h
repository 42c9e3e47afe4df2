/* browse_instructions.h - provides the instructions of functions to the browser. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_INSTRUCTIONS_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_INSTRUCTIONS_H

#include "src/command/report/instructions.h"
#include "ui/part/code.h"

struct browse_instructions {
	struct instructions *all;
	struct code_source source;
};

/* Returns the source for a profile that may still grow. */
const struct code_source *browse_instructions_init(struct browse_instructions *b,
						   const struct profile *p,
						   const struct format_options *how);
void browse_instructions_release(struct browse_instructions *b);

#endif
