/* json_read.h - reads a JSON document by tables into a builder, and warns about deviations.
 *
 *	json_rows_begin(&r, in, b, e, &state);
 *	good = rows_json_document(&r, document_rows, &state, "no profile");
 *	json_rows_end(&r);
 *
 * The ids of texts are those of names; rows of facts become facts of the file. */
#ifndef PNAV_SRC_DECODE_COMMON_JSON_READ_H
#define PNAV_SRC_DECODE_COMMON_JSON_READ_H

#include "model/build/builder.h"
#include "src/input/json.h"
#include "src/input/rows_json.h"

/* Begins to read `in`. Everything is borrowed; `context` is for the functions of rows. */
void json_rows_begin(struct rows_json *r, struct input *in, struct builder *b, struct err *e,
		     void *context);
/* Warns about deviations of the document that was read, and releases the reader. */
void json_rows_end(struct rows_json *r);
/* Does both, and reads the document between them; `state` is the context, and the structure for
 * the document's members. */
bool json_decode(struct input *in, struct builder *b, struct err *e, const struct json_row *rows,
		 void *state, const char *refusal);
/* For ROW_EACH_IN(): appends the id of a text to a VEC(name_id). */
rows_json_take json_name_push;
/* Warns about deviations, for readers that are not released yet. Checks whether more data follows
 * the document. */
void json_say(struct json *j, struct builder *b);

#endif
