#include "model/lens/verbs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/lens/sieve.h"
#include "model/profile/profile.h"

/* Each of these is one pass over the stacks, from the roots up (sieve.h). Collapsing recursion
 * walks the stacks, since the result depends on the path. */

/* Sets hit[s] if some shown frame of s matches. */
static void
mark_paths(struct sieve *v)
{
	v->hit[0] = 0;
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			sieve_fetch(v, v->hit, 1, s);
			v->hit[s] = v->hit[v->up[s]] || (v->alive[s] && sieve_matches(v, s));
		}
}

static void
keep_paths(struct sieve *v, bool matching)
{
	mark_paths(v);
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			v->drop[s] |= (v->hit[s] != 0) != matching;
}

static void
include(struct sieve *v)
{
	keep_paths(v, true);
}

static void
exclude(struct sieve *v)
{
	keep_paths(v, false);
}

static void
keep_leaves(struct sieve *v, bool matching)
{
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			v->drop[s] |= !v->at[s] || sieve_matches(v, v->at[s]) != matching;
}

static void
include_self(struct sieve *v)
{
	keep_leaves(v, true);
}

static void
exclude_self(struct sieve *v)
{
	keep_leaves(v, false);
}

static void
keep_frames(struct sieve *v, bool matching)
{
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			v->alive[s] &= sieve_matches(v, s) == matching;
	sieve_settle(v);
}

static void
hide(struct sieve *v)
{
	keep_frames(v, false);
}

static void
show(struct sieve *v)
{
	keep_frames(v, true);
}

static void
collapse(struct sieve *v)
{
	/* hit[s]: alive before, and matching. A frame joins the nearest shown frame above it if
	 * that was alive and matching, too; `at` still describes the previous state. */
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			v->hit[s] = v->alive[s] && sieve_matches(v, s);
	v->hit[0] = 0;
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			sieve_fetch(v, v->at, sizeof *v->at, s);
			sieve_fetch(v, v->hit, 1, s);
			if (v->hit[s] && v->hit[v->at[v->up[s]]])
				v->alive[s] = 0;
		}
	sieve_settle(v);
}

/* Returns the module of a frame; NAME_EMPTY, which equals no other, if it has none. */
static name_id
module_at(const struct sieve *v, stack_id s)
{
	return profile_function(v->p, v->p->frames.frame.function[v->frame[s]]).module;
}

void
verbs_join_modules(struct sieve *v)
{
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			v->hit[s] = v->alive[s] && module_at(v, s) != NAME_EMPTY;
	v->hit[0] = 0;
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			sieve_fetch(v, v->at, sizeof *v->at, s);
			sieve_fetch(v, v->hit, 1, s);
			stack_id q = v->at[v->up[s]];
			if (v->hit[s] && v->hit[q] && module_at(v, s) == module_at(v, q))
				v->alive[s] = 0;
		}
	sieve_settle(v);
}

/* The state of a walk from the roots to the leaves: the shown frames on the current path,
 * shortened where recursion was joined. Overwritten values are restored on the way up, so a step
 * costs the same at any depth. */
struct erasure {
	stack_id *path;     /* [depth] from 1; entries behind `depth` are invalid */
	uint32_t depth;
	uint32_t *depth_of; /* [stack] its index in path */
	stack_id *open;     /* [function] the first stack entered with it, if that is still on
			     * the path; 0: none */
	stack_id *was_open; /* [stack] the previous value of `open`; if joined: its own up */
	uint32_t *was;      /* [stack] the previous entry of `path`; if joined: the previous
			     * depth */
};

static void
erasure_enter(struct sieve *v, struct erasure *x, stack_id s)
{
	function_id f = v->p->frames.frame.function[v->frame[s]];
	stack_id first = x->open[f];
	bool there = first && x->depth_of[first] <= x->depth &&
		     x->path[x->depth_of[first]] == first;

	if (there && sieve_matches(v, s)) {
		x->was_open[s] = v->up[s];
		x->was[s] = x->depth;
		x->depth = x->depth_of[first];
		sieve_own_up(v)[s] = first;
		v->alive[s] = 0;
		return;
	}
	x->depth_of[s] = ++x->depth;
	x->was[s] = x->path[x->depth];
	x->path[x->depth] = s;
	x->was_open[s] = first;
	if (!there)
		x->open[f] = s;
}

/* Returns the stack that the walk came from. */
static stack_id
erasure_leave(const struct sieve *v, struct erasure *x, stack_id s, bool entered)
{
	if (!entered)
		return v->up[s];
	if (!v->alive[s]) {
		x->depth = x->was[s];
		return x->was_open[s];
	}
	x->path[x->depth--] = x->was[s];
	x->open[v->p->frames.frame.function[v->frame[s]]] = x->was_open[s];
	return v->up[s];
}

/* Joins a frame with the same function further up the stack. The frames between them are not
 * callers of its callees. So a path has each matching function once. */
static void
collapse_recursion(struct sieve *v)
{
	stack_id *first = mem_zalloc(v->n, sizeof *first);
	stack_id *next = mem_zalloc(v->n, sizeof *next);
	struct erasure x = {
		.path = mem_zalloc((size_t)v->n + 1, sizeof *x.path),
		.depth_of = mem_zalloc(v->n, sizeof *x.depth_of),
		.open = mem_zalloc((size_t)v->p->frames.n_functions + 1, sizeof *x.open),
		.was_open = mem_zalloc(v->n, sizeof *x.was_open),
		.was = mem_zalloc(v->n, sizeof *x.was),
	};

	for (stack_id s = v->n; s-- > 1;) {
		next[s] = first[v->up[s]];
		first[v->up[s]] = s;
		v->hit[s] = v->alive[s]; /* entered */
	}
	for (stack_id s = first[0]; s && pace_on(v->pace, 1);) {
		if (v->hit[s])
			erasure_enter(v, &x, s);
		if (first[s]) {
			s = first[s];
			continue;
		}
		while (s) {
			stack_id up = erasure_leave(v, &x, s, v->hit[s]);
			if (next[s]) {
				s = next[s];
				break;
			}
			s = up;
		}
	}
	free(first);
	free(next);
	free(x.path);
	free(x.depth_of);
	free(x.open);
	free(x.was_open);
	free(x.was);
	sieve_settle(v);
}

static void
root(struct sieve *v)
{
	mark_paths(v);
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			v->alive[s] &= v->hit[s];
			v->drop[s] |= !v->hit[s];
		}
	sieve_settle(v);
}

/* ---- stacks of one frame ---- */

static bool
keeps_matching(bool matches)
{
	return matches;
}

static bool
keeps_others(bool matches)
{
	return !matches;
}

/* ---- the table ---- */

#define ROW(verb, name, sign, key, label, note, help, apply, keeps)                        \
	[VERB_##verb] = {name, sign, key, label, note, help, apply, keeps},
const struct verb_row verb_rows[VERB_COUNT] = {VERBS(ROW)};
#undef ROW

const char *
verb_name(enum verb verb)
{
	return verb_rows[verb].name;
}

bool
verb_parse(const char *text, size_t len, enum verb *out)
{
	for (unsigned i = 0; i < VERB_COUNT; i++)
		if (strlen(verb_rows[i].name) == len && !memcmp(verb_rows[i].name, text, len)) {
			*out = (enum verb)i;
			return true;
		}
	return false;
}
