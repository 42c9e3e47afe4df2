/* ruby_marshal.h - a file of Ruby's marshal as a source of JSON's tokens (json_init_source()).
 *
 *	struct ruby_marshal m = {.left = VEC_INIT};
 *	if (ruby_marshal_is(in))
 *		ruby_marshal_init(&m, &j, in);
 *	while (json_next(&j, &t)) ...
 *	ruby_marshal_release(&m); */
#ifndef PNAV_SRC_DECODE_STACKPROF_RUBY_MARSHAL_H
#define PNAV_SRC_DECODE_STACKPROF_RUBY_MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/input/json.h"

/* A string that later values may refer to; len 0: an object of another kind. */
struct ruby_text {
	size_t at, len; /* in `kept` */
};

struct ruby_marshal {
	VEC(uint64_t) left;   /* values that each open list or hash still lacks; keys count */
	VEC(uint8_t) is_hash; /* for each open one; 2: a hash with a default after its pairs */
	VEC(struct ruby_text) object, symbol; /* the objects that `@` and `;` refer to */
	struct buf kept;
	char digits[24];
};

/* Returns true if the input begins as a file of version 4.8. */
bool ruby_marshal_is(struct input *in);
/* Begins to read at the window.  `in` is borrowed; *m must not move until it is released. */
void ruby_marshal_init(struct ruby_marshal *m, struct json *j, struct input *in);
void ruby_marshal_release(struct ruby_marshal *m);

#endif
