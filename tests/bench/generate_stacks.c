#include "tests/bench/generate_stacks.h"

/* Paths are found by the site of each call, in a table with an entry for each callee of a path: no
 * hashing, and 4 bytes a callee. */

static const struct shape shape = {.functions = 6000, .callees = 4, .depth = 20};

static uint32_t
path_put(struct paths *p, uint32_t parent, uint32_t function)
{
	*vec_push(&p->path) = (struct path){parent, function};
	for (uint32_t i = 0; i < shape.callees; i++)
		*vec_push(&p->child) = 0;
	return (uint32_t)p->path.n - 1;
}

void
paths_init(struct paths *p)
{
	*p = (struct paths){0};
	workload_init(&p->program, &shape);
	walk_init(&p->walk, &p->program, 1);
	path_put(p, 0, 0);
}

void
paths_release(struct paths *p)
{
	workload_release(&p->program);
	vec_release(&p->child);
	vec_release(&p->path);
}

bool
paths_move(struct paths *p, bool *made)
{
	bool calls = walk_move(&p->walk);
	uint32_t depth = p->walk.depth, parent;

	*made = false;
	if (!calls)
		return false;
	parent = p->at[depth - 2];
	uint32_t slot = parent * shape.callees + p->walk.site[depth - 1];
	if (!p->child.at[slot]) {
		uint32_t path = path_put(p, parent, p->walk.stack[depth - 1]);
		p->child.at[slot] = path;
		*made = true;
	}
	p->at[depth - 1] = p->child.at[slot];
	return true;
}

uint32_t
paths_now(const struct paths *p)
{
	return p->at[p->walk.depth - 1];
}

void
paths_make(struct paths *p, uint32_t n)
{
	bool made;

	for (uint64_t i = 0; p->path.n < n && i < 400u * (uint64_t)n; i++)
		paths_move(p, &made);
}

uint32_t
paths_sample(struct paths *p)
{
	/* a new path is near the next calls, so return to known ones first */
	uint32_t known = (uint32_t)p->path.n;
	bool made;

	for (uint32_t n = 1 + walk_random(&p->walk, 8); n > 0; n--)
		paths_move(p, &made);
	while (paths_now(p) >= known)
		p->walk.depth--;
	return paths_now(p);
}
