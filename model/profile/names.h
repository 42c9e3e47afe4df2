/* names.h - interned text.
 *
 * Every distinct run of bytes gets one name_id; equal names are equal ids.  Names
 * are bytes, of any value and length, NUL included.  The bytes lie in arenas that
 * never move, so a pointer from names_get() holds as long as the table does. */
#ifndef PNAV_MODEL_NAMES_H
#define PNAV_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/slots.h"

typedef uint32_t name_id;
#define NAME_EMPTY ((name_id)0) /* "" : exists from the start */

/* The longest name of a profile, in bytes.  Names of C++ templates pass 100,000, and each name is
 * matched, sorted and shown as a whole. */
#define NAME_LEN_MAX 65535u

struct name {
	const char *at; /* followed by a NUL that is not part of the name */
	uint32_t len;
	uint32_t hash;
};

struct names {
	struct name *at;
	uint32_t n, cap;
	struct slots slots; /* a name's place is its id + 1 */
	char **arena;
	size_t n_arenas, arena_used, arena_size;
	size_t bytes; /* of all names, for statistics */
	uint32_t n_cut; /* names that names_put_cut() has cut */
	uint64_t serial; /* no other table of this process has it: what is remembered of a
			  * table outlives its memory */
};

void names_init(struct names *t);
void names_release(struct names *t);
/* *to, which is not initialised, has the names of `from` under their ids and takes further
 * ones.  The bytes stay where they are: `to` may not outlive `from`. */
void names_branch(struct names *to, const struct names *from);
/* The id of these bytes, new or known. */
name_id names_put(struct names *t, const void *bytes, size_t len);
/* The same of a name that a profile says: one longer than NAME_LEN_MAX is cut to that, and ends
 * in a `…` and eight hex digits of a hash of all its bytes, so that different names stay
 * different.  t->n_cut counts those that are new. */
name_id names_put_cut(struct names *t, const void *bytes, size_t len);
/* Begins to fetch what names_put() will look at, for who has several names at hand. */
void names_fetch(const struct names *t, const void *bytes, size_t len);
/* The id of these bytes, or UINT32_MAX when they were never put. */
name_id names_find(const struct names *t, const void *bytes, size_t len);

static inline struct name
names_get(const struct names *t, name_id id)
{
	return t->at[id];
}

#endif
