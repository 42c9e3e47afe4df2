/* hints.h - files that pnav recognises but cannot read, with the command that helps. */
#ifndef PNAV_SRC_DECODE_HINTS_H
#define PNAV_SRC_DECODE_HINTS_H

#include "src/decode/decoder.h"

struct hint {
	const char *what; /* "a .NET trace (nettrace)" */
	const char *way;  /* what to do instead */
};

/* Returns what the file is; NULL if it is not recognised. `sure`: only files that no decoder could
 * claim, so that the caller may ask before the decoders. */
const struct hint *hint_for(struct head head, bool sure);

/* Returns the hint for a source or script, or NULL. */
const struct hint *hint_for_code(struct head head);
/* Returns true if the name of a file ends with this, in any case, and has more in front. */
bool hints_named(struct head head, const char *end);

#endif
