/* fold_evidence.c - which changes of a fold exceed chance: asks changes.h about its rows. */
#include "model/fold/fold.h"

#include <stdlib.h>

void
fold_bars(const struct fold *f, const struct profile *p, struct pace *pace, struct changes *bars)
{
	uint8_t *tracks;
	struct slice now = fold_slice(f, p, &tracks);
	struct changes_asks asks = {
		.p = p, .tree = f->tree, .now = &now, .pace = pace, .now_numbers = &f->now};

	changes_make(bars, &asks);
	changes_weigh(bars, &asks);
	free(tracks);
}

void
fold_find_bars(struct fold *f, const struct profile *p)
{
	if (!f->compares && !f->changes.single)
		fold_bars(f, p, f->pace, &f->changes);
}

static enum change_of
fold_table_of(const struct row *r, bool total)
{
	return r->node != NODE_ROOT ? CHANGE_NODE : total ? CHANGE_TOTAL : CHANGE_SELF;
}

struct evidence
row_bar(const struct changes *bars, const struct row *r, bool total)
{
	uint32_t id = r->node != NODE_ROOT ? r->node : r->key;

	if (r->node != NODE_ROOT && !total)
		return (struct evidence){0};
	return changes_evidence(bars, fold_table_of(r, total), id,
				total ? r->exact_total : r->exact_self);
}

struct evidence
row_evidence(const struct fold *f, const struct row *r, bool total)
{
	if (!f->compares && !f->changes.single)
		return (struct evidence){0};
	return row_bar(&f->changes, r, total);
}

enum sure
row_sure(const struct fold *f, const struct row *r, bool total)
{
	return changes_judge(&f->changes, fold_table_of(r, total), row_evidence(f, r, total));
}

enum sure
fold_sure(const struct fold *f, node_id node)
{
	if (!f->compares)
		return SURE_UNKNOWN;
	struct evidence e =
		changes_evidence(&f->changes, CHANGE_NODE, node, fold_sides(f, node));
	/* the whole is judged as a single row */
	if (node == NODE_ROOT && e.known)
		return e.p <= EVIDENCE_LEVEL ? SURE_YES : SURE_NO;
	return changes_judge(&f->changes, CHANGE_NODE, e);
}

bool
fold_is_chance(const struct fold *f, node_id node)
{
	return f->compares && f->changes.chance && f->changes.chance[node];
}

bool
row_is_chance(const struct fold *f, const struct row *r)
{
	enum sure self = row_sure(f, r, false), total = row_sure(f, r, true);

	return self != SURE_YES && total != SURE_YES && (self == SURE_NO || total == SURE_NO);
}
