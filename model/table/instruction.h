/* instruction.h - an instruction of a function, as whoever can read code tells it; the model
 * knows addresses alone. */
#ifndef PNAV_MODEL_INSTRUCTION_H
#define PNAV_MODEL_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

struct instruction {
	uint64_t address;
	const char *text; /* mnemonic and operands; NULL where there is no code */
	const char *file; /* of the source; NULL where not known */
	uint32_t line;    /* 0 where not known */
	bool jumps, calls;
	uint64_t to; /* where it goes; 0 where only the program knows */
	const char *to_name; /* the function there; NULL where not known */
};

#endif
