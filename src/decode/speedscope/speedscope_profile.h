/* speedscope_profile.h - one profile of a speedscope file, evented or sampled. */
#ifndef PNAV_SRC_DECODE_SPEEDSCOPE_PROFILE_H
#define PNAV_SRC_DECODE_SPEEDSCOPE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/input/rows_json.h"

enum scope_measure { SCOPE_TIME, SCOPE_BYTES, SCOPE_VALUE };
#define SCOPE_MEASURES 3

struct scope_profile;

/* Data shared by all profiles of a file. */
struct scope_file {
	struct builder *b;
	struct err *e;
	VEC(frame_id) frame; /* by the file's index */
	metric_id metric[SCOPE_MEASURES];
	bool declared[SCOPE_MEASURES];
	bool decimals; /* SCOPE_VALUE is counted in millionths */
	struct scope_profile *at; /* whose events are read */
	uint64_t frames_missing, ends_outer, ends_of_nothing, never_ended;
};

enum scope_kind { SCOPE_UNKNOWN, SCOPE_EVENTED, SCOPE_SAMPLED };
enum scope_array { SCOPE_EVENTS, SCOPE_SAMPLES, SCOPE_WEIGHTS };
#define SCOPE_ARRAYS 3

struct scope_open {
	uint64_t frame;
	stack_id stack;
};

struct scope_profile {
	uint8_t kind; /* enum scope_kind */
	bool has_unit;
	enum scope_measure measure;
	int scale; /* of the unit: powers of ten */
	struct buf name;
	struct json_digits start, end; /* the unit may come later */
	uint64_t array[SCOPE_ARRAYS]; /* position of an array that could not be read yet; 0: none */

	/* while it is read */
	bool begun;
	bool torn; /* damage ended it */
	track_id track;
	struct series *series;
	int64_t clock;
	VEC(struct scope_open) open; /* evented: the running stack; sampled: the last one */
	VEC(stack_id) sample;
	uint64_t samples_end; /* where their array ends */
};

void scope_profile_release(struct scope_profile *p);
/* Returns true if everything is known that reading an array needs. */
bool scope_profile_ready(const struct scope_profile *p);
/* Makes the track, once. */
bool scope_profile_begin(struct scope_file *x, struct scope_profile *p, uint64_t offset);
/* Reads one array, after its bracket; r->context is the file.  Returns false with r->e set. */
bool scope_profile_array(struct rows_json *r, struct scope_profile *p, enum scope_array which);
/* Ends the profile: open frames end. */
bool scope_profile_end(struct scope_file *x, struct scope_profile *p);

#endif
