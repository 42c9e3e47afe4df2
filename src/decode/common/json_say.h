/* json_say.h - reads a JSON document by tables into a builder, and warns about deviations. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_SAY_H
#define PNAV_SRC_DECODE_COMMON_JSON_SAY_H

#include "model/build/builder.h"
#include "src/input/json.h"
#include "src/input/rows_json.h"

static inline uint32_t
json_builder_name(void *b, const void *bytes, size_t len)
{
	return builder_name(b, bytes, len);
}

static inline void
json_builder_fact(void *b, const char *title, const void *bytes, size_t len)
{
	builder_info_bytes(b, title, bytes, len);
}

/* Adds the text of a string as a fact of the file. */
static inline void
json_info(struct builder *b, struct json *j, const char *key, const struct json_token *t)
{
	struct buf text = BUF_INIT;

	json_text(j, t, &text);
	builder_info_bytes(b, key, buf_str(&text), text.len);
	buf_release(&text);
}

/* Begins to read `in` by tables; the ids of texts are those of names. */
static inline void
json_rows_begin(struct rows_json *r, struct input *in, struct builder *b, struct err *e,
		void *context)
{
	rows_json_init(r, in, e);
	r->name = json_builder_name;
	r->fact = json_builder_fact;
	r->names = b;
	r->context = context;
}

/* Warns about deviations, after the document was read.  Checks whether more data follows the
 * document. */
static inline void
json_say(struct json *j, struct builder *b)
{
	struct json_token t;

	if (!j->failed && !j->depth && !j->source)
		json_next(j, &t);
	if (j->more)
		builder_warn(b, "more than one document: the first is read");
	if (j->controls + j->no_numbers + j->halves)
		builder_warn(b, "JSON: raw control characters, invalid numbers, or incomplete "
				"characters");
}

#endif
