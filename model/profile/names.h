/* names.h - interned text.
 *
 * Every distinct sequence of bytes has one name_id; equal names have equal ids. Names are bytes
 * of any value and length, NUL included. The bytes lie in arenas that never move, so a pointer
 * from names_get() is valid as long as the table. */
#ifndef PNAV_MODEL_PROFILE_NAMES_H
#define PNAV_MODEL_PROFILE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/slots.h"

typedef uint32_t name_id;
#define NAME_EMPTY ((name_id)0) /* ""; always exists */

/* The longest name of a profile, in bytes. Names of C++ templates exceed 100,000, and each name
 * is matched, sorted and displayed as a whole. */
#define NAME_LEN_MAX 65535u

struct name {
	const char *at; /* followed by a NUL that is not part of the name */
	uint32_t len;
};

struct names {
	uint32_t *place; /* [name] where its bytes are: names.c */
	uint32_t n, cap;
	struct slots slots; /* a name's place is its id + 1 */
	char **arena;
	uint32_t n_arenas, n_borrowed; /* the first ones belong to another table */
	size_t arena_used, arena_size; /* of the last one, in bytes */
	size_t bytes; /* length of all names, for statistics */
	uint32_t n_cut; /* names that names_put_cut() truncated */
	uint64_t serial; /* unique among the tables of this process; identifies a table in caches
			  * that outlive its memory */
	bool cp437; /* names that are not UTF-8 are shown as CP437, not as Latin-1 */
};

void names_init(struct names *t);
void names_release(struct names *t);
/* Initialises *to with the names of `from` under their ids; it accepts further names. The bytes
 * stay where they are, so `to` must not outlive `from`. */
void names_branch(struct names *to, const struct names *from);
/* Returns the id of these bytes, new or existing. */
name_id names_put(struct names *t, const void *bytes, size_t len);
/* The same for a name from a profile. A name longer than NAME_LEN_MAX is truncated to that
 * length, and ends in a `…` and eight hex digits of a hash of all its bytes, so that different
 * names stay different. t->n_cut counts new truncated names. */
name_id names_put_cut(struct names *t, const void *bytes, size_t len);
/* Prefetches the memory that names_put() will read. Use it if several names are known in
 * advance. */
void names_fetch(const struct names *t, const void *bytes, size_t len);
/* Returns a hash of the bytes of a name, the same in all profiles. */
uint32_t name_hash(struct name name);
/* Returns the id of these bytes, or UINT32_MAX if the table does not have them. */
name_id names_find(const struct names *t, const void *bytes, size_t len);

/* Returns a name. */
struct name names_get(const struct names *t, name_id id);

#endif
