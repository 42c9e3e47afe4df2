/* hints.h - files that pnav knows and does not read, and the command that helps. */
#ifndef PNAV_SRC_DECODE_HINTS_H
#define PNAV_SRC_DECODE_HINTS_H

#include "src/decode/decoder.h"

struct hint {
	const char *what; /* "a .NET trace (nettrace)" */
	const char *way;  /* what to do instead */
};

/* What the file is; NULL: nothing that is known here.  `sure`: only what no decoder could
 * rightly take for its own, so that this may be asked before the decoders are. */
const struct hint *hint_for(struct head head, bool sure);

#endif
