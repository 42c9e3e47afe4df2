/* json_say.h - what is odd about a JSON document that was read, told once it was. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_SAY_H
#define PNAV_SRC_DECODE_COMMON_JSON_SAY_H

#include "model/builder.h"
#include "src/input/json.h"

static inline void
json_say(const struct json *j, struct builder *b)
{
	if (j->more)
		builder_warn(b, "more than one document: the first is read");
	if (j->controls + j->no_numbers + j->halves)
		builder_warn(b, "JSON: raw control characters, numbers that are none, or "
				"halves of characters");
}

#endif
