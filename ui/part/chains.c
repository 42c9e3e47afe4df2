/* chains.c - see chains.h.
 *
 * A chain derives from the tree and its numbers when it is read: a table of all links would have to
 * be rebuilt at every step of the scrubber.  In a comparison the base counts as well: a frame that
 * had a cost of its own, or called another function, is not a link. */
#include "ui/part/chains.h"

#include "ui/part/show.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

static const char between[] = " › ";

bool
chain_is_link(const struct scene *s, node_id n)
{
	const struct fold *f = s->fold;
	if (!s->chains || n == NODE_ROOT || f->now.recorded.self[n] ||
	    (f->compares && f->base.recorded.self[n]))
		return false;
	node_id shown = NODE_NONE;
	for (node_id c = f->tree->first_child[n]; c != NODE_NONE;
	     c = f->tree->next_sibling[c]) {
		if (!fold_shows(f, c))
			continue;
		if (shown != NODE_NONE)
			return false;
		shown = c;
	}
	return shown != NODE_NONE && outline_shows(s->outline, shown);
}

node_id
chain_end(const struct scene *s, node_id n)
{
	while (chain_is_link(s, n))
		n = outline_first(s->outline, n);
	return n;
}

node_id
chain_head(const struct scene *s, node_id n)
{
	const node_id *parent = s->fold->tree->parent;
	while (n != NODE_ROOT && chain_is_link(s, parent[n]))
		n = parent[n];
	return n;
}

bool
chain_hits(const struct scene *s, node_id head, node_id end)
{
	for (node_id i = end; i != NODE_ROOT; i = s->fold->tree->parent[i]) {
		if (search_hits_key(s->search, s->fold->tree->key[i]))
			return true;
		if (i == head)
			break;
	}
	return false;
}

enum { NEAR_NAMES = 3 };

/* Appends the name of frame `end` of a line that begins with `head`, beside those of its caller
 * and its neighbours. */
static void
chain_last_name(const struct scene *s, node_id head, node_id end, int cols, struct buf *out)
{
	const node_id *parent = s->fold->tree->parent;
	struct buf name = BUF_INIT, near[NEAR_NAMES] = {BUF_INIT, BUF_INIT, BUF_INIT};
	const char *beside[NEAR_NAMES] = {NULL};
	show_frame(s, s->fold->tree->key[end], &name);
	bool cut = text_cols(buf_str(&name)) > cols && end != NODE_ROOT;
	const node_id node[NEAR_NAMES] = {
		cut ? parent[end] : NODE_ROOT,
		cut && head == end ? outline_prev(s->outline, end) : NODE_NONE,
		cut && head == end ? outline_next(s->outline, end) : NODE_NONE,
	};
	for (int i = 0; i < NEAR_NAMES; i++) {
		if (node[i] == NODE_NONE || node[i] == NODE_ROOT)
			continue;
		show_frame(s, s->fold->tree->key[node[i]], &near[i]);
		beside[i] = buf_str(&near[i]);
	}
	shorten_name_beside(buf_str(&name), beside, NEAR_NAMES, cols, out);
	for (int i = 0; i < NEAR_NAMES; i++)
		buf_release(&near[i]);
	buf_release(&name);
}

void
chain_name(const struct scene *s, node_id head, node_id end, int cols, struct buf *out)
{
	struct buf name = BUF_INIT, text = BUF_INIT, longer = BUF_INIT;
	int gap = text_cols(between);
	chain_last_name(s, head, end, cols, &text);
	for (node_id i = end; i != head;) {
		i = s->fold->tree->parent[i];
		int room = cols - text_cols(buf_str(&text)) - gap;
		/* leave room for a sign of the rest of the chain */
		int own = i == head ? room : room - gap - 1;
		buf_reset(&name);
		buf_reset(&longer);
		show_frame(s, s->fold->tree->key[i], &name);
		bool whole = text_cols(buf_str(&name)) <= own;
		if (whole)
			buf_adds(&longer, buf_str(&name));
		else if (room >= 1)
			buf_adds(&longer, "…");
		else
			break;
		buf_adds(&longer, between);
		buf_adds(&longer, buf_str(&text));
		buf_reset(&text);
		buf_adds(&text, buf_str(&longer));
		if (!whole)
			break;
	}
	buf_adds(out, buf_str(&text));
	buf_release(&name);
	buf_release(&text);
	buf_release(&longer);
}
