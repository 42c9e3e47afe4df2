/* match.h - patterns on frames: `[!][SUBJECT:]RE` or `[!][SUBJECT:]=TEXT` (pnav(1)).
 *
 * The only place that knows PCRE2.  A pattern is tested against each distinct name
 * once and the answer kept, so a million frames cost their names.  Names that are valid
 * UTF-8 are matched as UTF-8, others as bytes. */
#ifndef PNAV_MODEL_MATCH_H
#define PNAV_MODEL_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/profile/names.h"
#include "model/lens/subject.h"

struct pattern; /* compiled; reference counted, shared by copies of a lens */

/* Compiles.  On failure returns NULL and sets usage in *e: the pattern, a caret line's
 * worth of position ("at 3") and PCRE2's own words.  An empty RE matches everything. */
struct pattern *pattern_new(const char *text, size_t len, struct err *e);
/* These very bytes: no negation, no subject. */
struct pattern *pattern_new_text(const char *text, size_t len);
struct pattern *pattern_ref(struct pattern *p);
void pattern_unref(struct pattern *p);

const char *pattern_text(const struct pattern *p); /* as it was given */
enum subject pattern_subject(const struct pattern *p);
bool pattern_negated(const struct pattern *p);
/* Is it a TEXT (=TEXT)?  Then *at and *len are it. */
bool pattern_is_exact(const struct pattern *p, const char **at, size_t *len);

/* Does RE or TEXT match these bytes?  Negation is not applied.  Not kept. */
bool pattern_matches_bytes(struct pattern *p, const char *at, size_t len);
/* The same for a name, from memory when it was asked before.  Negation not applied. */
bool pattern_matches_name(struct pattern *p, const struct names *names, name_id id);
/* Where RE matches in these bytes: true and [*from, *to).  For highlighting. */
bool pattern_find(struct pattern *p, const char *at, size_t len, size_t *from, size_t *to);
/* Names for which PCRE2 gave up (its match limit): treated as not matching. */
uint64_t pattern_gave_up(const struct pattern *p);

struct buf;
/* Appends the pattern that matches exactly these bytes: `=TEXT`, or an expression where
 * TEXT would not survive a line of a file; with its subject where that is needed. */
void pattern_exact(struct buf *out, enum subject subject, const char *at, size_t len);

/* Appends a pattern so that a line of a file can hold it: as it was given where that
 * survives, else another text of the same meaning. */
void pattern_write(struct buf *out, const struct pattern *p);

struct profile;
/* Does the frame's function match, negation applied? */
bool pattern_matches_function(struct pattern *p, const struct profile *profile,
			      const struct function *f);
/* The same of a frame of it that was inlined: its kind is `inlined`, too. */
bool pattern_matches_inlined(struct pattern *p, const struct profile *profile,
			     const struct function *f);
/* The same of a function of which no more is known than its name and kind. */
bool pattern_matches_known(struct pattern *p, const char *name, enum kind kind);

#endif
