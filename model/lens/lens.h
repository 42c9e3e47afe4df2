/* lens.h - which part of a profile is displayed, and how: a plain value.
 *
 * Copies of a lens are the undo history. Printed, it is the command line of the same view;
 * parsed, it restores a session. It does not refer to a profile: names and times are resolved
 * when a fold is made. */
#ifndef PNAV_MODEL_LENS_LENS_H
#define PNAV_MODEL_LENS_LENS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/lens/match.h"
#include "model/lens/verbs.h"
#include "model/profile/metrics.h"
#include "model/profile/moment.h"

struct profile;

/* Columns: enum suffix, name, key in the menu, subject of a pattern for it, name of a key
 * without a name, function from a function to its key (lens.c), whether keys are names. */
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
	/* Returns the key of a function's frames (key_id in project.h); NULL: a function has
	 * several keys. */
	uint32_t (*key_of)(const struct function *f, function_id id);
	bool keys_are_names; /* else they are functions or frames */
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
	char *metric; /* NULL: the profile's default metric */
	struct moment from, to;
	struct pattern *why; /* the thread whose critical path is shown (path.h); NULL: none */
	VEC(struct entry) entries;
	enum granularity by;
	bool merged; /* with BY_LINE: one key for the lines of all functions of one name and file,
		      * as in the view lines. Users cannot set it. */
	bool invert;
};

void lens_init(struct lens *l);
void lens_copy(struct lens *to, const struct lens *from); /* `to` is uninitialised */
void lens_release(struct lens *l);
bool lens_equal(const struct lens *a, const struct lens *b);
/* Returns true if both are equal in everything that decides the shape of the fold: everything
 * but time, metric and tracks. */
bool lens_same_shape(const struct lens *a, const struct lens *b);

/* Shows the critical path of the thread that the pattern matches; NULL: of none. Returns false with
 * usage in *e if the pattern does not compile. */
bool lens_set_why(struct lens *l, const char *pattern, struct err *e);
void lens_set_metric(struct lens *l, const char *name); /* NULL: the default */
/* Appends an entry. Returns false with usage in *e if the pattern does not compile. */
bool lens_add(struct lens *l, enum verb verb, const char *pattern, size_t len, struct err *e);
void lens_remove(struct lens *l, size_t i);
void lens_move(struct lens *l, size_t from, size_t to);

/* For a comparison of two ranges or of tracks: makes *out the base of a fold of l, which is l
 * with the range and tracks of `kept`. The caller releases *out. */
void lens_base(const struct lens *kept, const struct lens *l, struct lens *out);
/* Gives `kept` the tracks of l. */
void lens_base_tracks(struct lens *kept, const struct lens *l);

/* Returns the chosen metric. If the profile does not have it, returns METRIC_NONE with usage in
 * *e. */
metric_id lens_metric(const struct lens *l, const struct profile *p, struct err *e);
/* Resolves the range [*from, *to) to axis units from each group's first event. Sets *whole if
 * neither end was given. Returns false with usage in *e if a unit does not fit the axis. */
bool lens_range(const struct lens *l, const struct profile *p, int64_t *from, int64_t *to,
		bool *whole, struct err *e);
/* Returns the length of the run in axis units: from the first to the last event of the longest
 * group. It grows while the file is read, even if the picture is held; drawing uses fold->run. */
int64_t lens_run(const struct profile *p);
/* Converts a length of time to axis units. Fails as lens_range() does. */
bool lens_length(struct moment m, const struct profile *p, int64_t *out, struct err *e);
/* Returns true if the lens names tracks. */
bool lens_has_tracks(const struct lens *l);
/* Returns true if entry i names tracks, and the profile has neither a track nor an actor of that
 * name. */
bool lens_track_unmatched(const struct lens *l, size_t i, const struct profile *p);
/* Returns which tracks the lens includes: [track] 1, at least one element; the caller frees it.
 * Without `track` entries, processes that were recorded beside the command are left out. Several
 * `track` entries include every track that any of them matches. A selection by hand makes
 * thousands of exact names (=NAME): their cost is their number, not their number times the
 * tracks. */
uint8_t *lens_tracks(const struct lens *l, const struct profile *p);
/* The same for actors (actors.h), by the names of their tracks or their own: [actor] 1. */
uint8_t *lens_actors(const struct lens *l, const struct profile *p);

#endif
