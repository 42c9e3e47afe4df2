/* second_json.h - the tokens that another reader, jansson, finds in a document, for comparison
 * with ours.  It is a separate file, because its names of kinds are those of json.h. */
#ifndef PNAV_TESTS_LIB_SECOND_JSON_H
#define PNAV_TESTS_LIB_SECOND_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"

/* This build has it. */
bool second_json_is_there(void);
/* Appends the document's tokens, each followed by a blank: brackets, keys and strings in
 * quotes, numbers as %.17g, words.  Returns false if jansson refuses the document or is not
 * installed. */
bool second_json(const char *text, size_t len, struct buf *out);

#endif
