/* timed.c - see timed.h.
 *
 * Files with several threads or processors have the events of each in the order of time, mostly in
 * blocks. So the list is cut into runs wherever time goes back, and the runs are merged when they
 * are read. A run begins to take part only at its first event, so the heap is about as small as
 * there are processors.
 *
 * An event is a byte with the widths of what follows, two bits each, then the time since the event
 * before, and the numbers, without their leading zeros (widths.h): about seven bytes instead of
 * 24. */
#include "src/decode/common/timed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/decode/common/widths.h"

static_assert(TIMED_NUMBERS == 3, "written and read one by one: a loop costs a tenth more");

void
timed_add(struct timed_list *t, int64_t time_ns, const uint32_t *number)
{
	static const uint8_t room[1 + WIDTHS_TIME_MAX + WIDTHS_NUMBER_MAX * TIMED_NUMBERS +
				  WIDTHS_SLACK];

	if (!t->run.n || time_ns < t->last_ns) {
		*vec_push(&t->run) = (struct timed_run){.first_ns = time_ns, .at = t->bytes.len};
		t->last_ns = time_ns;
	}
	if (t->bytes.cap - t->bytes.len <= sizeof room) {
		buf_add(&t->bytes, room, sizeof room);
		t->bytes.len -= sizeof room;
	}
	unsigned widths = 0;
	uint8_t *at = (uint8_t *)t->bytes.at + t->bytes.len, *head = at++;
	at = widths_put_time(at, (uint64_t)time_ns - (uint64_t)t->last_ns, &widths);
	at = widths_put(at, number[0], 2, &widths);
	at = widths_put(at, number[1], 4, &widths);
	at = widths_put(at, number[2], 6, &widths);
	*head = (uint8_t)widths;
	t->bytes.len += (size_t)(at - head);
	t->last_ns = time_ns;
}

void
timed_release(struct timed_list *t)
{
	buf_release(&t->bytes);
	vec_release(&t->run);
}

/* ---- reading ---- */

ORDERED_BY_TWO(by_first, struct timed_run, first_ns, at)

void
timed_read(struct timed_reader *r, const struct timed_list *t)
{
	*r = (struct timed_reader){.t = t, .run = mem_copy(t->run.at, t->run.n, sizeof *r->run)};
	for (size_t i = 0; i < t->run.n; i++) {
		size_t end = i + 1 < t->run.n ? t->run.at[i + 1].at : t->bytes.len;
		r->run[i].len = end - r->run[i].at;
	}
	if (t->run.n)
		qsort(r->run, t->run.n, sizeof *r->run, by_first);
}

/* A run that begins at a lower address was added earlier. */
static bool
is_earlier(const struct timed_head *a, const struct timed_head *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->at < b->at;
}

/* Adds the next run to the heap. */
static void
run_begin(struct timed_reader *r)
{
	const struct timed_run *run = &r->run[r->begun++];
	const uint8_t *at = (const uint8_t *)r->t->bytes.at + run->at;
	struct timed_head h = {run->first_ns, at, at + run->len};
	size_t i = r->head.n;

	vec_push(&r->head);
	for (; i && is_earlier(&h, &r->head.at[(i - 1) / 2]); i = (i - 1) / 2)
		r->head.at[i] = r->head.at[(i - 1) / 2];
	r->head.at[i] = h;
}

/* Puts a run at the top of the heap, and moves it down to its place. */
static void
run_continue(struct timed_reader *r, struct timed_head h)
{
	struct timed_head *at = r->head.at;
	size_t i = 0;

	for (size_t child; (child = 2 * i + 1) < r->head.n; i = child) {
		child += child + 1 < r->head.n && is_earlier(&at[child + 1], &at[child]);
		if (!is_earlier(&at[child], &h))
			break;
		at[i] = at[child];
	}
	at[i] = h;
}

bool
timed_next(struct timed_reader *r, int64_t *time_ns, uint32_t *number)
{
	const struct timed_list *t = r->t;

	while (r->begun < t->run.n &&
	       (!r->head.n || r->run[r->begun].first_ns <= r->head.at[0].time_ns))
		run_begin(r);
	if (!r->head.n)
		return false;
	struct timed_head h = r->head.at[0];
	unsigned widths = *h.at++;
	h.at += widths_time_bytes[widths & 3];
	h.at = widths_get(h.at, widths, 2, &number[0]);
	h.at = widths_get(h.at, widths, 4, &number[1]);
	h.at = widths_get(h.at, widths, 6, &number[2]);
	*time_ns = h.time_ns;
	if (h.at < h.end)
		h.time_ns = (int64_t)((uint64_t)h.time_ns + widths_time(h.at));
	else
		h = r->head.at[--r->head.n];
	if (r->head.n)
		run_continue(r, h);
	return true;
}

void
timed_read_end(struct timed_reader *r)
{
	free(r->run);
	vec_release(&r->head);
}
