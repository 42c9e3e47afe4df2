/* Finds the stacks of many items at once.
 *
 * Most items have a stack that occurred before, and a hash of their bytes finds it. The others make
 * a path of frames. Each of these look-ups waits for memory: for the slot of the hash, for each
 * frame of the tree of stacks. So items are gathered, and the memory for each step is fetched for
 * all of them.
 *
 * Neighbours share most of their callers, in sorted files above all. So a path begins with the
 * stack of the common part, which is not looked up again. Paths that leave the previous one nearer
 * to the root than all before them may lead anywhere in memory, and are followed together; the
 * others leave it where memory was just read.
 *
 * In many files each item has a stack of its own, and the cache never hits. So the queue stops
 * using it if hardly any of some thousand items hit, and tries again after sixteen times as many.
 *
 * The memory for the first missing frame of each path is fetched, too, before any is made.
 *
 * Functions and stacks are made in the order of the items, so they have the same ids as one by one.
 *
 * Rejected: a decoder that gathers by itself; folded, pprof and perf.data did, each in its own way.
 *
 * Invariant: `last` is the path that was given before, `last_each` the stacks of the path that was
 * made before; both are the same between two flushes. */
#include "src/decode/common/stack_queue.h"

#include <string.h>

#define ASK_ITEMS 4096u /* this many items show whether stacks repeat */

/* Decides from earlier items whether the cache is used for the next ones. */
static void
learn(struct stack_queue *q)
{
	if (q->asked < (q->silent ? 16 * ASK_ITEMS : ASK_ITEMS))
		return;
	q->silent = !q->silent && q->known < q->asked / 64;
	q->asked = q->known = 0;
}

/* ---- paths ---- */

void
stack_queue_path(struct stack_queue *q, size_t shared, const frame_id *frame, size_t n)
{
	/* It may share more with the previous path than its decoder knows. */
	for (; n && shared < q->last.n && q->last.at[shared] == *frame; n--, frame++)
		shared++;
	if (shared + n > STACK_DEPTH_MAX) { /* one more than fits says so */
		size_t most = STACK_DEPTH_MAX + 1 - shared;
		n = n < most ? n : most;
		q->too_deep = true;
	}
	q->way[q->n_ways - 1].shared = shared;
	q->way[q->n_ways - 1].n = n;
	q->last.n = shared;
	if (!n)
		return;
	vec_reserve(&q->last, shared + n);
	memcpy(q->last.at + shared, frame, n * sizeof *frame);
	q->last.n += n;
	vec_reserve(&q->frame, q->frame.n + n);
	memcpy(q->frame.at + q->frame.n, frame, n * sizeof *frame);
	q->frame.n += n;
}

/* Lets the decoder give the paths of all items without a stack. */
static void
take_paths(struct stack_queue *q)
{
	if (q->ops->split)
		for (uint32_t i = 0; i < q->n; i++)
			if (q->stack[i] == STACK_NONE)
				q->ops->split(q->owner, i);
	for (uint32_t i = 0; i < q->n && !q->too_deep; i++) { /* such a path is the last one */
		if (q->stack[i] != STACK_NONE)
			continue;
		q->way[q->n_ways++] = (struct stack_queue_way){.item = i, .first = q->frame.n};
		q->n_ways -= !q->ops->path(q->owner, i);
	}
	vec_reserve(&q->each, q->frame.n);
}

/* Follows the known part of the paths that leave the previous one nearer to the root than all
 * before them. */
static void
follow_ways(struct stack_queue *q)
{
	struct stacks_way way[STACK_QUEUE];
	uint32_t which[STACK_QUEUE];
	size_t n = 0, shared = SIZE_MAX; /* by all so far */

	for (uint32_t i = 0; i < q->n_ways && q->n_ways > 1; i++) {
		const struct stack_queue_way *w = &q->way[i];
		if (w->shared > shared)
			continue;
		shared = w->shared;
		which[n] = i;
		way[n++] = (struct stacks_way){
			.from = shared ? q->last_each.at[shared - 1] : STACK_EMPTY,
			.frame = q->frame.at + w->first,
			.n = w->n,
			.each = q->each.at + w->first,
		};
	}
	builder_paths_known(q->b, way, n);
	for (size_t i = 0; i < n; i++)
		q->way[which[i]].known = way[i].known;
}

/* Prefetches what is read for the first frame that each path lacks.  Paths that are not made yet
 * get the ids that new stacks will have: a wrong one only prefetches in vain. */
static void
fetch_branches(struct stack_queue *q)
{
	stack_id next = builder_stack_next(q->b);
	size_t before = q->n_ways ? q->way[0].shared : 0; /* depth, of stacks that exist */

	vec_reserve(&q->ahead, before);
	if (before)
		memcpy(q->ahead.at, q->last_each.at, before * sizeof *q->ahead.at);
	for (uint32_t i = 0; i < q->n_ways; i++) {
		const struct stack_queue_way *w = &q->way[i];
		size_t depth = w->shared;
		vec_reserve(&q->ahead, depth + w->n);
		for (size_t k = 0; k < w->known; k++)
			q->ahead.at[depth++] = q->each.at[w->first + k];
		if (w->known < w->n)
			builder_path_soon(q->b, depth ? q->ahead.at[depth - 1] : STACK_EMPTY,
					  q->frame.at[w->first + w->known]);
		for (size_t k = w->known; k < w->n; k++)
			q->ahead.at[depth++] = next++;
	}
}

/* Returns the stack of a path, and makes what is missing. */
static stack_id
make(struct stack_queue *q, const struct stack_queue_way *w)
{
	size_t depth = w->shared, known = w->known;

	if (depth + w->n > STACK_DEPTH_MAX)
		return builder_too_deep(q->b);
	vec_reserve(&q->last_each, depth + w->n);
	if (known)
		memcpy(q->last_each.at + depth, q->each.at + w->first, known * sizeof *q->each.at);
	depth += known;
	return builder_path(q->b, depth ? q->last_each.at[depth - 1] : STACK_EMPTY,
			    q->frame.at + w->first + known, w->n - known,
			    q->last_each.at + depth);
}

static void
make_stacks(struct stack_queue *q)
{
	take_paths(q);
	if (!q->failed) {
		follow_ways(q);
		fetch_branches(q);
	}
	for (uint32_t i = 0; i < q->n_ways && !q->failed; i++) {
		uint32_t item = q->way[i].item;
		stack_id stack = make(q, &q->way[i]);
		q->stack[item] = stack;
		q->failed = stack == STACK_NONE;
		if (q->hashed[item] && !q->failed)
			text_cache_put_late(&q->cache, q->hash[item], stack + 1);
	}
	q->n_ways = 0;
	q->frame.n = 0;
}

bool
stack_queue_flush(struct stack_queue *q)
{
	uint32_t n = q->n, new = 0;
	bool ok = true;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t known = q->hashed[i] ? *text_cache_find(&q->cache, q->hash[i]) : 0;
		q->stack[i] = known - 1; /* STACK_NONE without one */
		new += !known;
		q->asked += q->hashed[i] || q->silent;
	}
	if (new)
		make_stacks(q);
	q->n = 0;
	q->known += n - new;
	learn(q);
	for (uint32_t i = 0; i < n && q->ops->soon; i++)
		if (q->stack[i] != STACK_NONE)
			q->ops->soon(q->owner, i, q->stack[i]);
	for (uint32_t i = 0; i < n && ok; i++)
		ok = q->ops->take(q->owner, i, q->stack[i]);
	return ok;
}

void
stack_queue_release(struct stack_queue *q)
{
	text_cache_release(&q->cache);
	vec_release_all(&q->frame, &q->each, &q->last, &q->last_each,
			&q->ahead);
}
