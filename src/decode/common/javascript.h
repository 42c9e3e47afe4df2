/* javascript.h - functions of JavaScript, and their values in JSON, as all profilers of it name
 * them. */
#ifndef PNAV_SRC_DECODE_COMMON_JAVASCRIPT_H
#define PNAV_SRC_DECODE_COMMON_JAVASCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder.h"
#include "src/input/json.h"

/* `(anonymous FILE:LINE:COL)`, what a function without a name is told apart by: where a
 * minifier wrote the file, by the column alone.  FILE is the last part of the url; lines and
 * columns count from 1, others are not known. */
name_id js_anonymous(struct builder *b, name_id url, int64_t line, int64_t column);
/* Returns system for functions of the engine and of what runs it, idle for V8's `(idle)`, else
 * user. */
enum kind js_kind(struct name function, struct name url);

/* A whole number, rounded where it has a fraction; 0 of all that is none or does not fit. */
int64_t json_integer(const struct json_token *t);

#endif
