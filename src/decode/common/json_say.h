/* json_say.h - what is odd about a JSON document that was read. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_SAY_H
#define PNAV_SRC_DECODE_COMMON_JSON_SAY_H

#include "model/build/builder.h"
#include "src/input/json.h"

/* What a string says, as a fact of the file. */
static inline void
json_info(struct builder *b, struct json *j, const char *key, const struct json_token *t)
{
	struct buf text = BUF_INIT;

	json_text(j, t, &text);
	builder_info_bytes(b, key, buf_str(&text), text.len);
	buf_release(&text);
}

/* Warns of it, once the document was read; looks what stands behind its end. */
static inline void
json_say(struct json *j, struct builder *b)
{
	struct json_token t;

	if (!j->failed && !j->depth)
		json_next(j, &t);
	if (j->more)
		builder_warn(b, "more than one document: the first is read");
	if (j->controls + j->no_numbers + j->halves)
		builder_warn(b, "JSON: raw control characters, numbers that are none, or "
				"halves of characters");
}

#endif
