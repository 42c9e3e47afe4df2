/* builder_join.h - joins what was read from a part of a file to the profile of the whole file.
 *
 *	struct twin twin;
 *	builder_twin(whole, &twin);
 *	struct builder *part = builder_part(&twin, profile_new());  -- for another thread
 *	struct joint *j = joint_new(whole, part);
 *	if (!builder_join(j)) ...                   -- again after further records
 *
 * Parts are joined in the order of the file. The whole then has the same ids, in the same order, as
 * if one decoder had read all of it: whatever is new in a part gets its id in the order of its
 * first appearance there. */
#ifndef PNAV_MODEL_BUILD_BUILDER_JOIN_H
#define PNAV_MODEL_BUILD_BUILDER_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build/builder.h"

struct joint;

/* Attributes that the builder of a part shares with that of the whole; borrows its texts. */
struct twin {
	const char *file, *format, *label;
	builder_reads *reads;
	uint32_t flags; /* struct carried */
	bool exact;     /* the whole counts the exact sum of each metric */
};

/* Writes what parts that begin now share with this file. */
void builder_twin(const struct builder *whole, struct twin *out);
/* Returns a builder that writes a part of the file into an empty profile. */
struct builder *builder_part(const struct twin *twin, struct profile *p);

/* Returns the empty table of ids of a part; both builders are borrowed. */
struct joint *joint_new(struct builder *whole, struct builder *part);
void joint_free(struct joint *j);
/* Adds what was read into the part since the last call, and removes its events there; tables stay,
 * as the part's decoder knows their ids. Returns false, without a change, if the part has something
 * that only a decoder of the whole file can place (a warning, a new metric, a sum that may exceed
 * 2^63): that decoder must then read the bytes. */
bool builder_join(struct joint *j);
/* Returns false if parts of this file cannot be joined, because functions with modules are unified
 * with those of files before: that makes names in an order of its own. */
bool builder_takes_parts(const struct builder *b);
/* Returns the size of a builder's tables: names, frames, stacks, and tracks, which count more. */
size_t builder_entries(const struct builder *b);

#endif
