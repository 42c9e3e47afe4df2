/* javascript.h - functions of JavaScript, named as all its profilers name them, and numbers in
 * their JSON. */
#ifndef PNAV_SRC_DECODE_COMMON_JAVASCRIPT_H
#define PNAV_SRC_DECODE_COMMON_JAVASCRIPT_H

#include <stdint.h>

#include "model/build/builder.h"
#include "src/input/json.h"

/* Returns `(anonymous FILE:LINE:COL)`, the name of a function without one. In a minified file only
 * the column identifies it. FILE is the last part of the url; lines and columns count from 1,
 * smaller ones are unknown. */
name_id js_anonymous(struct builder *b, name_id url, int64_t line, int64_t column);
/* Returns system for functions of the engine and its embedder, idle for V8's `(idle)`, else
 * user. */
enum kind js_kind(struct name function, struct name url);

/* Returns a whole number, rounded if it has a fraction; 0 if it is not a number or does not fit. */
int64_t json_integer(const struct json_token *t);

#endif
