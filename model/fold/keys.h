/* keys.h - how what a row of a fold stands for is called, by its key.  All append. */
#ifndef PNAV_MODEL_KEYS_H
#define PNAV_MODEL_KEYS_H

#include "model/fold/project.h"

#define INLINED " (inlined)" /* behind the name of what was inlined into its callers */

/* What is said of its function; NULL where no function is behind the key. */
const struct function *key_function(const struct projection *t, const struct profile *p,
				    key_id key);
/* The name with the line where lines are told apart; "all" for KEY_NONE, "(no file)" and so
 * on where there is none. */
void key_name(const struct projection *t, const struct profile *p, key_id key,
	      struct buf *out);
/* "components/Poster.brs:88", the file alone, or nothing. */
void key_place(const struct projection *t, const struct profile *p, key_id key,
	       struct buf *out);
/* The module of its function, or nothing. */
void key_module(const struct projection *t, const struct profile *p, key_id key,
		struct buf *out);
/* The kind of its function; KIND_USER where there is none. */
enum kind key_kind(const struct projection *t, const struct profile *p, key_id key);

#endif
