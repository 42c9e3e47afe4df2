/* builder_joint.h - the ids of a part in the profile of the whole, for builder_join.c and
 * builder_joinable.c only. */
#ifndef PNAV_MODEL_BUILD_BUILDER_JOINT_H
#define PNAV_MODEL_BUILD_BUILDER_JOINT_H

#include "model/base/vec.h"
#include "model/build/builder_inside.h"

struct joined_track {
	track_id id;
	uint64_t events;             /* of the part's track, those that are joined */
	VEC(struct series *) series; /* [series of the part's track] */
};

struct joint {
	struct builder *whole, *part;
	/* [id of the part] the id of the whole, of all entries that are joined */
	VEC(name_id) name;
	VEC(function_id) function;
	VEC(frame_id) frame;
	VEC(stack_id) stack;
	VEC(metric_id) metric; /* METRIC_NONE: events counted in a hidden metric */
	VEC(struct joined_track) track;
	int64_t bound;       /* of the part's sums, what is joined */
	VEC(int64_t) weight; /* [metric] likewise, where sums are exact */
};

/* Returns true if the part can be joined. Changes nothing but j->metric. */
bool builder_joinable(struct joint *j);

#endif
