/* gotrace_order.c - which event comes next.
 *
 * The lanes whose events may be next are in a heap, the earliest first. An event that may not
 * happen yet leaves the heap and waits in the list of its goroutine, P or collection. When that
 * changes, the lanes of its list return to the heap. So an event costs O(log lanes), no matter how
 * many lanes wait. */
#include "src/decode/gotrace/gotrace_inside.h"

void
gotrace_order_release(struct gotrace_order *o)
{
	vec_release_all(&o->lane, &o->batch, &o->heap);
	idmap_release(&o->lane_of);
}

uint32_t
gotrace_lane(struct gotrace_order *o, uint64_t id)
{
	uint32_t i;

	if (!idmap_add(&o->lane_of, id, o->lane.n, &i))
		return i;
	*vec_push(&o->lane) = (struct gotrace_lane){
		.id = id,
		.batch = GOTRACE_NONE,
		.last_batch = GOTRACE_NONE,
		.goroutine = GOTRACE_NONE,
		.proc = GOTRACE_NONE,
		.syscall_ns = INT64_MIN,
	};
	return i;
}

void
gotrace_batch_add(struct gotrace_order *o, struct gotrace_batch batch)
{
	uint32_t i = gotrace_lane(o, batch.lane), n = (uint32_t)o->batch.n;
	struct gotrace_lane *lane = &o->lane.at[i];

	batch.next = GOTRACE_NONE;
	if (lane->last_batch == GOTRACE_NONE)
		lane->batch = n;
	else
		o->batch.at[lane->last_batch].next = n;
	lane->last_batch = n;
	*vec_push(&o->batch) = batch;
}

void
gotrace_order_reset(struct gotrace_order *o)
{
	for (size_t i = 0; i < o->lane.n; i++) {
		o->lane.at[i].batch = o->lane.at[i].last_batch = GOTRACE_NONE;
		o->lane.at[i].c = cursor_over(NULL, 0);
		o->lane.at[i].waits = false;
	}
	o->batch.n = o->heap.n = 0;
}

/* Equal times: the lane that appeared first. */
static bool
earlier(const struct gotrace_order *o, uint32_t a, uint32_t b)
{
	uint64_t x = o->lane.at[a].event.ticks, y = o->lane.at[b].event.ticks;

	return x != y ? x < y : a < b;
}

void
gotrace_order_put(struct gotrace_order *o, uint32_t lane)
{
	size_t i = o->heap.n, up;

	vec_push(&o->heap);
	for (; i && earlier(o, lane, o->heap.at[up = (i - 1) / 2]); i = up)
		o->heap.at[i] = o->heap.at[up];
	o->heap.at[i] = lane;
}

uint32_t
gotrace_order_take(struct gotrace_order *o)
{
	size_t i = 0, down;
	uint32_t first, last;

	if (!o->heap.n)
		return GOTRACE_NONE;
	first = o->heap.at[0];
	last = o->heap.at[--o->heap.n];
	while ((down = 2 * i + 1) < o->heap.n) {
		if (down + 1 < o->heap.n && earlier(o, o->heap.at[down + 1], o->heap.at[down]))
			down++;
		if (!earlier(o, o->heap.at[down], last))
			break;
		o->heap.at[i] = o->heap.at[down];
		i = down;
	}
	if (o->heap.n)
		o->heap.at[i] = last;
	return first;
}

void
gotrace_order_wait(struct gotrace_order *o, uint32_t lane, struct gotrace_turn *turn)
{
	o->lane.at[lane].next_waiting = turn->waiting;
	turn->waiting = lane;
	o->lane.at[lane].waits = true;
}

void
gotrace_turn_set(struct gotrace *d, struct gotrace_turn *turn, uint8_t status, uint64_t seq)
{
	turn->status = status;
	turn->seq = seq;
	turn->generation = d->generation;
	while (turn->waiting != GOTRACE_NONE) {
		uint32_t lane = turn->waiting;
		turn->waiting = d->order.lane.at[lane].next_waiting;
		d->order.lane.at[lane].waits = false;
		gotrace_order_put(&d->order, lane);
	}
}

const struct gotrace_lane *
gotrace_order_stuck(const struct gotrace_order *o)
{
	const struct gotrace_lane *first = NULL;

	for (size_t i = 0; i < o->lane.n; i++) {
		const struct gotrace_lane *lane = &o->lane.at[i];
		if (lane->waits && (!first || lane->event.ticks < first->event.ticks))
			first = lane;
	}
	return first;
}
