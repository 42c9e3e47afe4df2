/* match.h - patterns on frames: `[!][SUBJECT:]RE` or `[!][SUBJECT:]=TEXT` (pnav(1)).
 *
 * The only module that uses PCRE2. Each distinct name is matched once and the result cached, so
 * a million frames cost only their distinct names. Names that are valid UTF-8 are matched as
 * UTF-8, others as bytes and in the forms that reports and screens show. */
#ifndef PNAV_MODEL_LENS_MATCH_H
#define PNAV_MODEL_LENS_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/lens/subject.h"
#include "model/profile/names.h"

struct pattern; /* compiled; reference counted, shared by copies of a lens */

/* Compiles a pattern. On failure returns NULL and sets usage in *e: the pattern, the position of
 * the error ("at 3") and PCRE2's message. An empty RE matches everything. */
struct pattern *pattern_new(const char *text, size_t len, struct err *e);
/* The same for a text that is an expression only: no negation, no subject, no =TEXT. */
struct pattern *pattern_new_plain(const char *text, size_t len, struct err *e);
/* Returns a pattern for exactly these bytes: no negation, no subject. */
struct pattern *pattern_new_text(const char *text, size_t len);
struct pattern *pattern_ref(struct pattern *p);
void pattern_unref(struct pattern *p);

const char *pattern_text(const struct pattern *p); /* as the user wrote it */
enum subject pattern_subject(const struct pattern *p);
bool pattern_negated(const struct pattern *p);
/* Returns true if the pattern is =TEXT, and sets *at and *len to TEXT. */
bool pattern_is_exact(const struct pattern *p, const char **at, size_t *len);

/* Returns true if RE or TEXT matches these bytes, before negation. Not cached. */
bool pattern_matches_bytes(struct pattern *p, const char *at, size_t len);
/* Returns the same for a text of a profile, which also matches as reports or screens show it. */
bool pattern_matches_text(struct pattern *p, const struct names *names, struct name text);
/* Returns the same for a name, cached, before negation. */
bool pattern_matches_name(struct pattern *p, const struct names *names, name_id id);
/* Finds the first match of RE in these bytes: true and [*from, *to). For highlighting. */
bool pattern_find(struct pattern *p, const char *at, size_t len, size_t *from, size_t *to);
/* Returns the number of names for which PCRE2 reached its match limit; they do not match. */
uint64_t pattern_gave_up(const struct pattern *p);

struct buf;
/* Appends the pattern that matches exactly these bytes: `=TEXT`, or an expression if a line of a
 * file cannot hold TEXT; with its subject where necessary. */
void pattern_exact(struct buf *out, enum subject subject, const char *at, size_t len);
/* Appends an expression; what a line cannot hold becomes an escape. */
void pattern_write_expression(struct buf *out, const char *at, size_t len);

/* Appends a pattern in a form that a line of a file can hold: as the user wrote it if possible,
 * else an equivalent. */
void pattern_write(struct buf *out, const struct pattern *p);

struct profile;
/* Returns true if the frame's function matches, after negation. */
bool pattern_matches_function(struct pattern *p, const struct profile *profile,
			      const struct function *f);
/* The same for an inlined frame of the function, whose kind is also `inlined`. */
bool pattern_matches_inlined(struct pattern *p, const struct profile *profile,
			     const struct function *f);
/* The same for a function that has only a name and a kind. */
bool pattern_matches_known(struct pattern *p, const char *name, enum kind kind);

#endif
