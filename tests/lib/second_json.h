/* second_json.h - what another reader, jansson, finds in a document: for tests that compare
 * ours with it.  On its own, since its names of kinds are those of json.h. */
#ifndef PNAV_TESTS_LIB_SECOND_JSON_H
#define PNAV_TESTS_LIB_SECOND_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"

/* This build has it. */
bool second_json_is_there(void);
/* Appends the document's tokens, each with a blank behind it: brackets, keys and strings in
 * quotes, numbers as %.17g, words.  False where it is refused, or there is no jansson. */
bool second_json(const char *text, size_t len, struct buf *out);

#endif
