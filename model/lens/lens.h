/* lens.h - what of a profile is looked at, and how: a plain value.
 *
 * Copying a lens is the undo history, printing it is the command line that gives the
 * same view, reading it is the session file.  Nothing in it refers to a profile: names
 * and times are resolved when a fold is made. */
#ifndef PNAV_MODEL_LENS_H
#define PNAV_MODEL_LENS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/lens/match.h"
#include "model/profile/metrics.h"
#include "model/profile/moment.h"
#include "model/base/vec.h"
#include "model/lens/verbs.h"

struct profile;

/* by, name, key in the menu, subject of a pattern for it, what one without a name is called,
 * the key of a function's frames (lens.c), are keys names? */
#define GRANULARITIES(X)                                                                   \
	X(FUNCTION, "function", 'f', FN, "(no name)", itself, false)                       \
	X(LINE, "line", 'l', FN, "(no name)", NULL, false)                                 \
	X(ADDRESS, "address", 'a', FN, "(no name)", NULL, false)                           \
	X(FILE, "file", 'i', FILE, "(no file)", its_file, true)                            \
	X(MODULE, "module", 'm', MODULE, "(no module)", its_module, true)

#define GRANULARITY_ENUM(by, ...) BY_##by,
#define GRANULARITY_ONE(...) +1
enum granularity { GRANULARITIES(GRANULARITY_ENUM) };
enum { GRANULARITY_COUNT = 0 GRANULARITIES(GRANULARITY_ONE) };
#undef GRANULARITY_ENUM
#undef GRANULARITY_ONE

struct granularity_row {
	const char *name;
	char key;
	enum subject subject;
	const char *nameless;
	/* What the frames of a function count as (key_id in project.h); NULL: a function has
	 * several keys. */
	uint32_t (*key_of)(const struct function *f, function_id id);
	bool keys_are_names; /* else something of a function */
};

extern const struct granularity_row granularity_rows[GRANULARITY_COUNT];

const char *granularity_name(enum granularity by);
bool granularity_parse(const char *text, enum granularity *out);

struct entry {
	enum verb verb;
	struct pattern *pattern;
	bool off; /* kept, but not applied */
};

struct lens {
	char *metric; /* NULL: the profile's default */
	struct moment from, to;
	VEC(struct entry) entries;
	enum granularity by;
	bool exact; /* BY_LINE: functions that differ in module or definition alone stay apart, for
		     * formats that carry both.  Never said by users */
	bool invert;
};

void lens_init(struct lens *l);
void lens_copy(struct lens *to, const struct lens *from); /* `to` is uninitialised */
void lens_release(struct lens *l);
bool lens_equal(const struct lens *a, const struct lens *b);
/* Equal in all that decides the shape of the fold (everything but time, metric, tracks). */
bool lens_same_shape(const struct lens *a, const struct lens *b);

void lens_set_metric(struct lens *l, const char *name); /* NULL: default */
/* Adds an entry at the end; false with usage in *e when the pattern does not compile. */
bool lens_add(struct lens *l, enum verb verb, const char *pattern, size_t len, struct err *e);
void lens_remove(struct lens *l, size_t i);
void lens_move(struct lens *l, size_t from, size_t to);

/* A comparison of two ranges or of tracks: what l shows through the range and the tracks
 * of `kept`, the base of a fold of l.  The caller releases *out. */
void lens_base(const struct lens *kept, const struct lens *l, struct lens *out);
/* The tracks of l become those of `kept`. */
void lens_base_tracks(struct lens *kept, const struct lens *l);

/* The metric looked at.  Usage in *e (and METRIC_NONE) when the profile has no such. */
metric_id lens_metric(const struct lens *l, const struct profile *p, struct err *e);
/* The range in axis units from each group's first event: [*from, *to); *whole is set
 * when neither end was given.  Usage in *e when a unit does not fit the axis. */
bool lens_range(const struct lens *l, const struct profile *p, int64_t *from, int64_t *to,
		bool *whole, struct err *e);
/* How long the run is, in axis units: from the first event to the last of its longest group. */
int64_t lens_run(const struct profile *p);
/* A length of time in axis units.  Usage in *e as of lens_range(). */
bool lens_length(struct moment m, const struct profile *p, int64_t *out, struct err *e);
/* Which tracks are looked at: [track] 1, at least one place, to be freed.  With several
 * `track` entries those that any of them matches.  Of entries that are names (=NAME), as a
 * choice by hand makes them by the thousand, it costs their number, not that times tracks. */
uint8_t *lens_tracks(const struct lens *l, const struct profile *p);

#endif
