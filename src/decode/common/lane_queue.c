#include "src/decode/common/lane_queue.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

static bool
turn_before(const struct lane_turn *a, const struct lane_turn *b)
{
	return a->key != b->key ? a->key < b->key : a->lane < b->lane;
}

/* Puts x into the heap of n places whose last one is vacant. */
static void
turn_put(struct lane_turn *heap, size_t n, struct lane_turn x)
{
	size_t i = n - 1;

	for (; i && turn_before(&x, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = x;
}

/* Takes the first of n; n - 1 remain. */
static struct lane_turn
turn_take(struct lane_turn *heap, size_t n)
{
	struct lane_turn first = heap[0], x = heap[n - 1];
	size_t i = 0, child;

	for (n--; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && turn_before(&heap[child + 1], &heap[child]);
		if (!turn_before(&heap[child], &x))
			break;
		heap[i] = heap[child];
	}
	if (n)
		heap[i] = x;
	return first;
}

bool
lane_queue_free(struct lane_queue *q, uint64_t start)
{
	while (q->busy.n && q->busy.at[0].key <= start) {
		uint32_t lane = turn_take(q->busy.at, q->busy.n--).lane;
		(void)vec_push(&q->idle);
		turn_put(q->idle.at, q->idle.n, (struct lane_turn){.lane = lane});
	}
	return q->idle.n;
}

uint32_t
lane_queue_take(struct lane_queue *q, uint64_t end, uint32_t most)
{
	uint32_t lane = q->n;

	if (q->idle.n)
		lane = turn_take(q->idle.at, q->idle.n--).lane;
	else if (q->n < most)
		q->n++;
	else
		lane = turn_take(q->busy.at, q->busy.n--).lane;
	(void)vec_push(&q->busy);
	turn_put(q->busy.at, q->busy.n, (struct lane_turn){end, lane});
	return lane;
}

void
lane_queue_release(struct lane_queue *q)
{
	vec_release_all(&q->busy, &q->idle);
}
