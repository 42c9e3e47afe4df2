/* keys.h - the texts of a key, the object of a fold's row. All functions append to `out`. */
#ifndef PNAV_MODEL_FOLD_KEYS_H
#define PNAV_MODEL_FOLD_KEYS_H

#include "model/fold/project.h"

#define INLINED " (inlined)" /* suffix of the name of a function that was inlined into its
			      * callers */

/* Sets *f to the function of a key, unless f is NULL; returns false if the key is not part of a
 * function. */
bool key_function(const struct projection *t, const struct profile *p, key_id key,
		  struct function *f);
/* Appends the name, with the line if the granularity has lines; "all" for KEY_NONE; "(no file)"
 * etc. if there is no name. */
void key_name(const struct projection *t, const struct profile *p, key_id key,
	      struct buf *out);
/* Appends "components/Poster.brs:88", only the file, or nothing. */
void key_place(const struct projection *t, const struct profile *p, key_id key,
	       struct buf *out);
/* Appends the module of its function, or nothing. */
void key_module(const struct projection *t, const struct profile *p, key_id key,
		struct buf *out);
/* Returns the kind of its function; KIND_USER if there is none. */
enum kind key_kind(const struct projection *t, const struct profile *p, key_id key);

#endif
