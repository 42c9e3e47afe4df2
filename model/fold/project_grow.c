/* The nodes of a tree while it is made, and where each is found by parent and key. */
#include "model/fold/project_inside.h"

#include "model/base/mem.h"
#include "model/base/vec.h"

void
project_room(struct grower *g, uint32_t want)
{
	struct projection *t = g->t;

	vec_room(t->parent, g->cap, want);
	t->key = mem_realloc(t->key, g->cap, sizeof *t->key);
}

void
project_root(struct grower *g, uint32_t room)
{
	struct projection *t = g->t;

	project_room(g, room);
	t->parent[0] = NODE_NONE;
	t->key[0] = KEY_NONE;
	t->n = 1;
}

/* Makes more slots for the nodes so far. If the pace cancels, some are lost. */
static void
grow_slots(struct grower *g)
{
	const struct projection *t = g->t;

	slots_grow(&g->slots, t->n);
	for (node_id n = 1; n < t->n && pace_on(g->pace, 1); n++)
		if (t->parent[n] + 1 != n)
			slots_put(&g->slots, n, project_bits(t->parent[n], t->key[n]));
}

node_id
project_child(struct grower *g, node_id parent, key_id key)
{
	struct projection *t = g->t;
	node_id next = parent + 1;
	uint32_t bits, at, i;

	if (next == t->n) /* it has no child yet */
		return project_node(g, parent, key);
	if (t->parent[next] == parent && t->key[next] == key)
		return next;
	bits = at = project_bits(parent, key);
	while (slots_probe(&g->slots, &at, bits, &i))
		if (t->parent[i] == parent && t->key[i] == key)
			return i;
	while (!slots_have_room(&g->slots, t->n))
		grow_slots(g);
	slots_put(&g->slots, t->n, bits);
	return project_node(g, parent, key);
}
