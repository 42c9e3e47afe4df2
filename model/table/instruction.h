/* instruction.h - an instruction of a function, as a disassembler returns it; the model itself
 * knows only addresses. */
#ifndef PNAV_MODEL_TABLE_INSTRUCTION_H
#define PNAV_MODEL_TABLE_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct instruction {
	uint64_t address;
	const char *text; /* mnemonic and operands; NULL if there is no code */
	const char *file; /* the source file; NULL if unknown */
	uint32_t line;    /* 0 if unknown */
	bool jumps, calls;
	uint64_t to; /* the target; 0 if only known at run time */
	const char *to_name; /* the target's function; NULL if unknown */
};

#endif
