#include "model/calls/calllist.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/calls/callwalk.h"

/* The steps are replayed (callreplay.c). Each open call has a slot, which says whether the lens
 * shows the call and how much time its frame has so far. The running stack's time goes to the
 * open call of its node, nearly always the topmost shown one. So an event costs one comparison
 * more than in callwatch.c.
 *
 * A trace may have tens of millions of calls. A list shows the first `keep` of them in the
 * requested order; the others are only counted. A call takes 48 bytes. Up to twice `keep` calls
 * are collected, then sorted and truncated. From then on a call must precede the last one kept.
 * So a list of 10,000 costs 1 MB for any trace, and sorting costs log(keep) for the few calls
 * that qualify.
 *
 * Rejected: keeping all (1.2 GB for 30 million), and a heap (a sift for each call that
 * qualifies, and a sort to show it). Another order is another list. */

#define KEEP_FEW 256u /* initial capacity */

struct calllist_slot {
	int64_t self, value;
	labels_id labels;
	uint32_t stack; /* as entered, with CALL_VALUED once the value is known */
	bool listed;
	uint32_t shown; /* 1 + the index of the topmost listed call up to this one */
};

struct calllist {
	struct callwalk walk;
	struct projection *tree;
	struct pattern *function;
	uint8_t *matches; /* [function] 0: not tested yet, 1: no, 2: yes */
	uint32_t n_matches;
	struct calllist_asks asks; /* lens, range and function are not used after the start */
	VEC(struct calllist_slot) slots; /* parallel to walk.r.open */
	VEC(struct call) calls;
	size_t n_sorted; /* the first n_sorted calls are sorted */
	bool cut;        /* some calls were dropped: new ones must precede the last */
	uint64_t found;
	label_id label; /* of unfinished calls, which are omitted; LABEL_NONE: none are */
	uint64_t unfinished;
};

/* ---- order ---- */

int
call_compare(const struct call *a, const struct call *b)
{
	if (a->duration != b->duration)
		return a->duration > b->duration ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	/* a caller's stack id is less than those of its callees */
	if ((a->stack & CALL_STACK) != (b->stack & CALL_STACK))
		return (a->stack & CALL_STACK) < (b->stack & CALL_STACK) ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->labels != b->labels)
		return a->labels < b->labels ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static int
calllist_compare(const void *a, const void *b, void *ctx)
{
	const struct calllist_asks *asks = ctx;
	int order = asks->order ? asks->order(asks->ctx, a, b) : 0;

	return order ? order : call_compare(a, b);
}

static void
calllist_sort(struct calllist *l)
{
	if (l->n_sorted < l->calls.n && l->calls.n > 1)
		qsort_r(l->calls.at, l->calls.n, sizeof *l->calls.at, calllist_compare, &l->asks);
	if (l->calls.n > l->asks.keep) {
		l->calls.n = l->asks.keep;
		l->cut = true;
	}
	l->n_sorted = l->calls.n;
}

static void
calllist_add(struct calllist *l, const struct call *c)
{
	size_t keep = l->asks.keep;

	l->found++;
	if (l->cut && (!keep || calllist_compare(c, &l->calls.at[keep - 1], &l->asks) >= 0))
		return;
	*vec_push(&l->calls) = *c;
	if (l->calls.n >= 2 * keep + KEEP_FEW)
		calllist_sort(l);
}

/* ---- callbacks of the replay ---- */

static node_id
node_at(const struct calllist *l, const node_id *of, stack_id s)
{
	return s < l->tree->n_stacks ? of[s] : NODE_NONE;
}

static bool
matches(struct calllist *l, function_id f)
{
	if (!l->function)
		return true;
	if (f >= l->n_matches)
		return false; /* the profile has grown: a new list will have it */
	if (!l->matches[f]) {
		struct function fn = profile_function(l->walk.r.p, f);
		l->matches[f] = 1 + pattern_matches_function(l->function, l->walk.r.p, &fn);
	}
	return l->matches[f] == 2;
}

static void
calllist_opened(void *ctx)
{
	struct calllist *l = ctx;
	const struct replay_call *o = &l->walk.r.open.at[l->walk.r.open.n - 1];
	struct calllist_slot *below = l->slots.n ? &l->slots.at[l->slots.n - 1] : NULL;
	uint32_t shown = below ? below->shown : 0;
	node_id node = node_at(l, l->tree->call_of, o->stack);
	struct calllist_slot *slot = vec_push(&l->slots);

	*slot = (struct calllist_slot){.stack = o->stack, .listed = node != NODE_NONE};
	slot->shown = slot->listed ? (uint32_t)l->slots.n : shown;
	if (slot->listed && l->asks.key != KEY_NONE)
		slot->listed = l->tree->key[node] == l->asks.key;
	slot->listed = slot->listed && matches(l, o->function);
}

static void
ran(void *ctx, int64_t lasted)
{
	struct calllist *l = ctx;
	const struct replay_call *open = l->walk.r.open.at;
	size_t n = l->slots.n;
	node_id node = node_at(l, l->tree->node_of, open[n - 1].stack);

	if (node == NODE_NONE)
		return;
	for (uint32_t i = l->slots.at[n - 1].shown; i;
	     i = i > 1 ? l->slots.at[i - 2].shown : 0)
		if (node_at(l, l->tree->call_of, open[i - 1].stack) == node) {
			l->slots.at[i - 1].self += lasted;
			return;
		}
}

/* While a call is topmost, the value of the steps belongs to it. */
static void
valued(void *ctx, int64_t value)
{
	struct calllist_slot *slot =
		&((struct calllist *)ctx)->slots.at[((struct calllist *)ctx)->slots.n - 1];

	slot->value = value;
	slot->stack |= CALL_VALUED;
}

static void
calllist_labelled(void *ctx, labels_id set)
{
	struct calllist *l = ctx;

	l->slots.at[l->slots.n - 1].labels = set;
}

/* Returns true if the labels exclude the call itself, and it only shows because something below
 * it does; or if the call is on another lane. */
static bool
is_frame_only(const struct calllist *l, const struct replay_call *o)
{
	const struct replay *r = &l->walk.r;

	return replay_elsewhere(r, o) || (r->p->left_out != UINT32_MAX && !o->entered &&
					  (r->whole || o->entry != r->from));
}

static void
closed(void *ctx, const struct replay_call *o, bool returned)
{
	struct calllist *l = ctx;
	struct calllist_slot slot = l->slots.at[--l->slots.n];
	struct call c = {
		.start = replay_between(callwalk_start(&l->walk), o->entry),
		.duration = replay_between(o->entry, l->walk.r.now),
		.self = slot.self,
		.value = slot.value,
		.labels = slot.labels,
		.stack = slot.stack | (o->entered ? 0 : CALL_CUT_BEGIN) |
			 (returned ? 0 : CALL_CUT_END),
		.track = l->walk.track,
	};

	/* a call that ended before the range began is not part of it */
	if (!slot.listed || is_frame_only(l, o) || c.duration <= l->asks.over ||
	    (!o->entered && !c.duration))
		return;
	if (l->label != LABEL_NONE && labels_have(&l->walk.r.p->labels, c.labels, l->label))
		l->unfinished++;
	else
		calllist_add(l, &c);
}

/* ---- begin and end ---- */

struct calllist *
calllist_new(const struct profile *p, const struct calllist_asks *asks)
{
	struct calllist *l = mem_zalloc(1, sizeof *l);
	struct lens upright;

	lens_copy(&upright, asks->lens);
	upright.invert = false;
	l->tree = projection_paced(p, &upright, NULL, 0, NULL, NULL);
	lens_release(&upright);
	l->asks = *asks;
	l->asks.lens = NULL;
	l->asks.range = NULL;
	l->label = asks->finished ? labels_unfinished(&p->labels, &p->names) : LABEL_NONE;
	callwalk_init(&l->walk, p, asks->range, true);
	l->walk.r.ctx = l;
	l->walk.r.opened = calllist_opened;
	l->walk.r.ran = ran;
	l->walk.r.valued = valued;
	l->walk.r.labelled = calllist_labelled;
	l->walk.r.closed = closed;
	if (!asks->function)
		return l;
	l->function = pattern_ref(asks->function);
	l->n_matches = p->frames.n_functions;
	l->matches = mem_zalloc((size_t)l->n_matches + 1, 1);
	return l;
}

void
calllist_free(struct calllist *l)
{
	if (!l)
		return;
	callwalk_release(&l->walk);
	projection_free(l->tree);
	pattern_unref(l->function);
	free(l->matches);
	vec_release(&l->slots);
	vec_release(&l->calls);
	free(l);
}

bool
calllist_run(struct calllist *l, uint64_t events)
{
	return callwalk_run(&l->walk, events);
}

void
calllist_progress(const struct calllist *l, uint64_t *read, uint64_t *all)
{
	callwalk_progress(&l->walk, read, all);
}

uint64_t
calllist_found(const struct calllist *l)
{
	return l->found;
}

uint64_t
calllist_unfinished(const struct calllist *l)
{
	return l->unfinished;
}

const struct call *
calllist_sorted(struct calllist *l, uint32_t *n)
{
	calllist_sort(l);
	*n = (uint32_t)l->calls.n;
	return l->calls.at;
}

const struct projection *
calllist_tree(const struct calllist *l)
{
	return l->tree;
}

/* ---- rows ---- */

struct row
call_row(const struct projection *t, const struct call *c)
{
	node_id node = t->call_of[c->stack & CALL_STACK];

	return (struct row){
		.key = t->key[node],
		.calls = -1,
		.lines = -1,
		.track = c->track,
		.of.one = c,
	};
}

key_id
call_caller(const struct projection *t, const struct call *c)
{
	return t->key[t->parent[t->call_of[c->stack & CALL_STACK]]];
}
