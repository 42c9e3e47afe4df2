#include "src/decode/br/br_read.h"

/* "Profiler File Layout": each record begins with its type, which determines the length, or the
 * record contains its length.  Numbers are big-endian.
 *
 *	1 MAP        u16 module, u16 length, file name
 *	3 CURRENT    u16 module, u32 line, u8 clause
 *	4 TIME       u64 ns
 *	5 BACKTRACE  as CURRENT
 *	6 END
 *	7 FUNCTION   u8 length, function name
 *	8 GOSUB
 *	9 MAIN
 *
 * The document lists no type 2: its length is unknown, so nothing after it can be read. Grammar
 * (pnav-formats(7)), where a routine is FUNCTION, GOSUB or MAIN:
 *	(MAP | CURRENT routine? (TIME | BACKTRACE routine?)* END)*
 *
 * There are no magic bytes and no checksums, so only the grammar distinguishes a log from
 * noise.  It is enforced strictly, and the probe counts how many records obey it.  It has three
 * states and a table of transitions; a message is composed only after a violation. */

const uint8_t br_next_state[3][16] = {
	[BR_OUTSIDE] = {BR_FAULT, BR_OUTSIDE, BR_FAULT, BR_PLACE, BR_FAULT, BR_FAULT,
			BR_FAULT, BR_FAULT, BR_FAULT, BR_FAULT},
	[BR_INSIDE] = {BR_FAULT, BR_FAULT, BR_FAULT, BR_FAULT, BR_INSIDE, BR_PLACE,
		       BR_OUTSIDE, BR_FAULT, BR_FAULT, BR_FAULT},
	[BR_PLACE] = {BR_FAULT, BR_FAULT, BR_FAULT, BR_FAULT, BR_INSIDE, BR_PLACE,
		      BR_OUTSIDE, BR_INSIDE, BR_INSIDE, BR_INSIDE},
};

const char *
br_fault(enum br_state state, const struct br_record *r)
{
	switch (r->tag) {
	case BR_MAP:
		return state == BR_OUTSIDE ? "a file name of length 0"
					   : "a MAP record before the END of the group";
	case BR_CURRENT:
		return "a CURRENT record before the END of the group";
	case BR_TIME:
		return "a TIME record outside of a group";
	case BR_BACKTRACE:
		return "a BACKTRACE record outside of a group";
	case BR_END:
		return "an END record outside of a group";
	case BR_FUNCTION:
		if (state == BR_PLACE)
			return "a function name of length 0";
		return "a FUNCTION record that follows neither CURRENT nor BACKTRACE";
	case BR_GOSUB:
		return "a GOSUB record that follows neither CURRENT nor BACKTRACE";
	case BR_MAIN:
		return "a MAIN record that follows neither CURRENT nor BACKTRACE";
	}
	return "a record of a type that is not documented, so its length is not known";
}

const char *
br_tag_name(uint8_t tag)
{
	static const char *const name[] = {
		[0] = "a record",
		[BR_MAP] = "a MAP record",
		[BR_CURRENT] = "a CURRENT record",
		[BR_TIME] = "a TIME record",
		[BR_BACKTRACE] = "a BACKTRACE record",
		[BR_END] = "an END record",
		[BR_FUNCTION] = "a FUNCTION record",
		[BR_GOSUB] = "a GOSUB record",
		[BR_MAIN] = "a MAIN record",
	};

	return tag < sizeof name / sizeof *name && name[tag] ? name[tag] : name[0];
}
