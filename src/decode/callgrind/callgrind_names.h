/* callgrind_names.h - names that a callgrind file abbreviates by numbers.
 *
 *	fn=(7) main      (7) is main from here on
 *	cfn=(8)          before the line that defines (8)
 *
 * A number may be used before its definition: then it has a name that is *owed*, and
 * callgrind_names_bound() returns the name once it is defined. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_NAMES_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"

enum callgrind_space { SPACE_OBJECT, SPACE_FILE, SPACE_FUNCTION, SPACES };

/* Names of the profile are below this, owed ones at or above it. */
#define CALLGRIND_OWED ((name_id)1 << 31)

struct callgrind_names {
	struct builder *b; /* borrowed */
	struct idmap of[SPACES]; /* number: the index in `name` */
	VEC(name_id) name;
	VEC(struct callgrind_owed {
		enum callgrind_space space;
		uint32_t at; /* the index in `name` */
	}) owed;
};

void callgrind_names_release(struct callgrind_names *n);
/* Returns the name that `name`, `(7) name` or `(7)` means. */
name_id callgrind_name(struct callgrind_names *n, enum callgrind_space space, const char *at,
		       const char *end);
static inline bool
callgrind_name_owed(name_id name)
{
	return name >= CALLGRIND_OWED;
}
/* Returns the name itself; if it is still owed, `[unknown]`, or NAME_EMPTY for files and
 * objects. */
name_id callgrind_names_bound(const struct callgrind_names *n, name_id name);
/* Warns about numbers that were never defined. */
void callgrind_names_report(const struct callgrind_names *n);

#endif
