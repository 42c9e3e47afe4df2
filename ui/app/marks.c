/* marks.c - see marks.h.
 *
 * pnav follows a path from the root by the displayed names.  Names are not unique (two files may
 * both have a function `init`), so it takes the heaviest child of that name, in the order of the
 * outline, which is the order on the screen.
 *
 * Ids were rejected although they would be exact: they differ between recordings, and a session
 * must outlive a recording. */
#include "ui/app/marks.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/show.h"

void
place_release(struct place *p)
{
	for (size_t i = 0; i < p->names.n; i++)
		free(p->names.at[i]);
	vec_release(&p->names);
}

void
place_add(struct place *p, const char *name)
{
	*vec_push(&p->names) = mem_dup(name, strlen(name));
}

void
place_copy(struct place *to, const struct place *from)
{
	*to = (struct place){0};
	for (size_t i = 0; i < from->names.n; i++)
		place_add(to, from->names.at[i]);
}

void
place_of(const struct scene *s, node_id node, struct place *out)
{
	const struct projection *t = s->fold->tree;
	VEC(node_id) path = VEC_INIT;
	struct buf name = BUF_INIT;
	for (node_id i = node; i != NODE_ROOT; i = t->parent[i])
		*vec_push(&path) = i;
	for (size_t i = path.n; i-- > 0;) {
		buf_reset(&name);
		show_key(s, t->key[path.at[i]], &name);
		place_add(out, buf_str(&name));
	}
	buf_release(&name);
	vec_release(&path);
}

/* Returns the first of c and its next siblings with this name; NODE_NONE: there is none. */
static node_id
place_named(const struct scene *s, node_id c, const char *wanted)
{
	struct buf name = BUF_INIT;
	for (; c != NODE_NONE; c = outline_next(s->outline, c)) {
		buf_reset(&name);
		show_key(s, s->fold->tree->key[c], &name);
		if (!strcmp(buf_str(&name), wanted))
			break;
	}
	buf_release(&name);
	return c;
}

/* Siblings may have one name, such as functions of two files: where the path ends below one of
 * them, it goes on with the next. */
node_id
place_find(const struct scene *s, const struct place *p, bool *whole)
{
	node_id at = NODE_ROOT, deepest = NODE_ROOT;
	size_t depth = 0, most = 0;
	node_id c = outline_first(s->outline, at);
	while (depth < p->names.n) {
		c = place_named(s, c, p->names.at[depth]);
		if (c != NODE_NONE) {
			at = c;
			depth++;
			c = outline_first(s->outline, at);
			deepest = depth > most ? at : deepest;
			most = depth > most ? depth : most;
			continue;
		}
		if (at == NODE_ROOT)
			break;
		c = outline_next(s->outline, at);
		at = s->fold->tree->parent[at];
		depth--;
	}
	*whole = depth == p->names.n;
	return deepest;
}

static void
release_mark(struct mark *m)
{
	free(m->name);
	place_release(&m->place);
}

void
marks_release(struct marks *m)
{
	for (size_t i = 0; i < m->list.n; i++)
		release_mark(&m->list.at[i]);
	vec_release(&m->list);
}

void
marks_put(struct marks *m, const char *name, struct moment from, struct moment to,
	  struct place *place)
{
	struct mark new = {mem_dup(name, strlen(name)), from, to, *place};
	*place = (struct place){0};
	for (size_t i = 0; i < m->list.n; i++)
		if (!strcmp(m->list.at[i].name, name)) {
			release_mark(&m->list.at[i]);
			m->list.at[i] = new;
			return;
		}
	*vec_push(&m->list) = new;
}

void
marks_remove(struct marks *m, size_t i)
{
	release_mark(&m->list.at[i]);
	memmove(&m->list.at[i], &m->list.at[i + 1],
		(m->list.n - i - 1) * sizeof *m->list.at);
	m->list.n--;
}
