#include "src/encode/shown_stacks.h"

#include <stdlib.h>

#include "model/base/mem.h"

/* A projection by address, which separates all frames that differ, gives the recorded stacks as the
 * lens changes them.  Its nodes are the stacks, and each gets the number of the first recorded
 * stack that ends in its frame. */

static bool
reshapes(enum verb verb)
{
	switch (verb) {
	case VERB_HIDE:
	case VERB_SHOW:
	case VERB_COLLAPSE:
	case VERB_COLLAPSE_RECURSION:
	case VERB_ROOT:
		return true;
	case VERB_INCLUDE:
	case VERB_EXCLUDE:
	case VERB_INCLUDE_SELF:
	case VERB_EXCLUDE_SELF:
	case VERB_TRACK:
	case VERB_WHERE:
	case VERB_LABEL: /* the regrouped profile has its frames as recorded ones */
		return false;
	}
	return false;
}

bool
shown_stacks_kept(const struct lens *l)
{
	if (granularity_rows[l->by].keys_are_names)
		return false;
	for (size_t i = 0; i < l->entries.n; i++)
		if (!l->entries.at[i].off && reshapes(l->entries.at[i].verb))
			return false;
	return true;
}

/* True if a frame or function may be invisible everywhere.  Tracks and ranges leave the tables
 * complete. */
static bool
leaves_out(const struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (!l->entries.at[i].off && l->entries.at[i].verb != VERB_TRACK)
			return true;
	return !shown_stacks_kept(l);
}

static struct projection *
make_tree(const struct shown *s)
{
	struct lens l;

	if (shown_stacks_kept(&s->lens) || granularity_rows[s->lens.by].keys_are_names)
		return projection_ref(s->fold->tree);
	lens_copy(&l, &s->lens);
	l.by = BY_ADDRESS;
	struct projection *t = projection_paced(s->p, &l, NULL, 0, NULL, s->job->pace);
	lens_release(&l);
	return t;
}

static void
number_nodes(struct shown_stacks *x)
{
	const struct projection *t = x->tree;

	x->of = mem_zalloc((size_t)t->n + 1, sizeof *x->of);
	for (stack_id s = 1; s < t->n_stacks; s++) {
		node_id n = t->leaf_of[s];
		if (n != NODE_NONE && x->of[n] == STACK_EMPTY)
			x->of[n] = s;
	}
}

/* Finds the first frame of each file or module. */
static void
number_keys(struct shown_stacks *x)
{
	const struct granularity_row *by = &granularity_rows[x->tree->by];
	const struct frames *f = &x->p->frames;

	x->frame_of = mem_alloc((size_t)x->tree->n_keys + 1, sizeof *x->frame_of);
	for (key_id key = 0; key < x->tree->n_keys; key++)
		x->frame_of[key] = UINT32_MAX;
	for (frame_id i = f->n; i-- > 0;) {
		function_id id = f->frame.function[i];
		struct function fn = frames_get_function(f, id);
		x->frame_of[by->key_of(&fn, id)] = i;
	}
}

static void
mark_shown(struct shown_stacks *x)
{
	const struct frames *f = &x->p->frames;

	x->frame = mem_zalloc((size_t)f->n + 1, 1);
	x->function = mem_zalloc((size_t)f->n_functions + 1, 1);
	for (stack_id s = 1; s < x->tree->n_stacks; s++) {
		if (!shown_stacks_has(x, s))
			continue;
		frame_id frame = shown_stacks_frame(x, s);
		x->frame[frame] = 1;
		x->function[f->frame.function[frame]] = 1;
	}
}

bool
shown_stacks_open(struct shown_stacks *x, const struct shown *s)
{
	*x = (struct shown_stacks){.p = s->p, .tree = make_tree(s)};
	if (!x->tree)
		return false;
	x->whole = granularity_rows[x->tree->by].keys_are_names;
	if (!shown_stacks_kept(&s->lens))
		number_nodes(x);
	if (x->whole)
		number_keys(x);
	if (leaves_out(&s->lens))
		mark_shown(x);
	return true;
}

void
shown_stacks_release(struct shown_stacks *x)
{
	projection_free(x->tree);
	free(x->of);
	free(x->frame_of);
	free(x->frame);
	free(x->function);
	*x = (struct shown_stacks){0};
}

/* ---- stacks ---- */

stack_id
shown_stacks_leaf(const struct shown_stacks *x, stack_id stack)
{
	node_id n = stack < x->tree->n_stacks ? x->tree->leaf_of[stack] : NODE_NONE;

	return n == NODE_NONE ? STACK_EMPTY : shown_stacks_at(x, n, stack);
}

bool
shown_stacks_has(const struct shown_stacks *x, stack_id stack)
{
	return stack != STACK_EMPTY && shown_stacks_leaf(x, stack) == stack;
}

stack_id
shown_stacks_parent(const struct shown_stacks *x, stack_id stack)
{
	const struct projection *t = x->tree;

	return x->of ? x->of[t->parent[t->leaf_of[stack]]] : x->p->stacks.parent[stack];
}

frame_id
shown_stacks_frame(const struct shown_stacks *x, stack_id stack)
{
	const struct projection *t = x->tree;

	if (!x->of)
		return x->p->stacks.frame[stack];
	key_id key = t->key[t->leaf_of[stack]];
	return x->whole ? x->frame_of[key] : key;
}

function_id
shown_stacks_function(const struct shown_stacks *x, stack_id stack)
{
	return x->p->frames.frame.function[shown_stacks_frame(x, stack)];
}

/* ---- frames and functions ---- */

bool
shown_stacks_has_frame(const struct shown_stacks *x, frame_id frame)
{
	return !x->frame || x->frame[frame];
}

bool
shown_stacks_has_function(const struct shown_stacks *x, function_id function)
{
	return !x->function || x->function[function];
}

struct shown_stacks_frame
shown_stacks_frame_of(const struct shown_stacks *x, frame_id frame)
{
	struct frame f = profile_frame(x->p, frame);
	struct shown_stacks_frame out = {.function = f.function, .address = ADDRESS_NONE};

	if (x->whole)
		return out;
	out.line = f.line;
	out.address = frames_address(&x->p->frames, frame);
	out.inlined = f.inlined;
	return out;
}

struct shown_stacks_function
shown_stacks_function_of(const struct shown_stacks *x, function_id function)
{
	struct function f = profile_function(x->p, function);

	if (x->whole && x->tree->by == BY_FILE)
		return (struct shown_stacks_function){.name = f.file, .file = f.file};
	if (x->whole)
		return (struct shown_stacks_function){.name = f.module, .module = f.module};
	return (struct shown_stacks_function){f.name, f.file, f.module, f.line,
					      kind_name((enum kind)f.kind)};
}
