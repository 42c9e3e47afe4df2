/* json_strict.h - checks that a text is one JSON document, strictly as RFC 8259 has it. json.h
 * accepts more, which suits files of profilers; a protocol must not. */
#ifndef PNAV_SRC_INPUT_JSON_STRICT_H
#define PNAV_SRC_INPUT_JSON_STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the len bytes are one value with optional blanks around it, at most
 * JSON_DEPTH_MAX levels deep; else sets *where to the offset where that ends. Does not check
 * UTF-8. */
bool json_strict(const char *text, size_t len, size_t *where);

#endif
