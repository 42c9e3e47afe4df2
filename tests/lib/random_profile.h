/* random_profile.h - profiles and lenses by chance, for tests that compare the model with
 * naive.h.  The same seed gives the same on every machine. */
#ifndef PNAV_TESTS_LIB_RANDOM_PROFILE_H
#define PNAV_TESTS_LIB_RANDOM_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "tests/lib/chance.h"
#include "tests/lib/naive.h"

#define RANDOM_SERIES (NAIVE_TRACKS * 2)

struct random_series {
	enum naive_kind kind;
	unsigned track;
	struct series *series;
	int64_t now, end; /* of steps */
	uint8_t stack[NAIVE_DEPTH];
	unsigned depth;
	int last;           /* its last step in naive.event, or -1 */
	bool labelled;
	unsigned n_metrics; /* of samples and totals: bytes, or bytes and ops */
	unsigned way;       /* 0, or which parts of its numbers they are */
};

struct random_profile {
	char track_name[NAIVE_TRACKS][48]; /* of tracks whose names the end of a file changes */
	struct chance chance;
	struct profile *model;
	struct builder *builder[NAIVE_GROUPS];
	struct naive_profile naive; /* the same, written out */
	frame_id frame[NAIVE_FRAMES];
	metric_id metric[NAIVE_METRICS]; /* METRIC_NONE where the profile has no such */
	bool samples_shown, disorder;
	bool asks_labels; /* lenses may: set by who regroups */
	bool both_calls; /* steps count calls, but the column `calls` holds something else */
	struct random_series series[RANDOM_SERIES];
	unsigned n_series;
};

/* An empty profile with tracks, series and frames. */
struct random_profile *random_profile_new(uint64_t seed);
/* Adds up to n events. */
void random_profile_grow(struct random_profile *r, unsigned n);
/* Ends the loading; nothing may be added afterwards. */
void random_profile_finish(struct random_profile *r);
void random_profile_free(struct random_profile *r);

/* A lens that fits the profile, in both forms; *model is not initialised. */
void random_lens(struct random_profile *r, struct naive_lens *naive, struct lens *model);

#endif
