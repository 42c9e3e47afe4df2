#include "model/fold/order.h"

#include <assert.h>
#include <stdlib.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"

/* Lazy quicksort. The pivot of a partition becomes a sorted piece of its own, so the position of
 * an item can be found from such pieces alone.
 *
 * A heap of the first rows was rejected: the cursor may be anywhere, and users jump to the last
 * row as often as to the second page. */

#define SMALL 48u

void
order_init(struct order *o)
{
	*o = (struct order){0};
}

void
order_release(struct order *o)
{
	free(o->item);
	vec_release(&o->pieces);
	order_init(o);
}

void
order_begin(struct order *o, uint32_t n, const struct order_by *by)
{
	vec_room(o->item, o->cap, n);
	o->n = n;
	for (struct piece x = piece_of(0, n); piece_next(&x, by->pace);)
		for (uint32_t i = x.from; i < x.to; i++)
			o->item[i] = (struct order_item){by->rank(by->of, i), i};
	o->pieces.n = 0;
	if (n)
		*vec_push(&o->pieces) = (struct order_piece){0, n == 1};
}

static int
stands(const struct order_item *x, const struct order_item *y, const struct order_by *by)
{
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->thing == y->thing ? 0 : by->compare(by->of, x->thing, y->thing);
}

struct sorting {
	const struct order_by *by;
};

static int
compare_items(const void *a, const void *b, void *context)
{
	const struct sorting *s = context;

	return stands(a, b, s->by);
}

static uint32_t
piece_end(const struct order *o, size_t piece)
{
	return piece + 1 < o->pieces.n ? o->pieces.at[piece + 1].from : o->n;
}

static void
swap_items(struct order *o, uint32_t a, uint32_t b)
{
	struct order_item keep = o->item[a];

	o->item[a] = o->item[b];
	o->item[b] = keep;
}

/* Moves the median of three distant items to the end of the piece. */
static void
choose_pivot(struct order *o, uint32_t from, uint32_t last, const struct order_by *by)
{
	uint32_t mid = from + (last - from) / 2;

	if (stands(&o->item[mid], &o->item[from], by) < 0)
		swap_items(o, mid, from);
	if (stands(&o->item[last], &o->item[from], by) < 0)
		swap_items(o, last, from);
	if (stands(&o->item[mid], &o->item[last], by) < 0)
		swap_items(o, mid, last);
}

static void
insert_piece(struct order *o, size_t at, struct order_piece piece)
{
	vec_push(&o->pieces);
	for (size_t i = o->pieces.n - 1; i > at; i--)
		o->pieces.at[i] = o->pieces.at[i - 1];
	o->pieces.at[at] = piece;
}

/* Partitions a piece into three, the middle one being the pivot; returns the position of the
 * pivot. */
static uint32_t
order_cut(struct order *o, size_t piece, const struct order_by *by)
{
	uint32_t from = o->pieces.at[piece].from, last = piece_end(o, piece) - 1, to = from;

	choose_pivot(o, from, last, by);
	struct order_item pivot = o->item[last];
	for (struct piece x = piece_of(from, last); piece_next(&x, by->pace);)
		for (uint32_t i = x.from; i < x.to; i++)
			if (stands(&o->item[i], &pivot, by) < 0)
				swap_items(o, i, to++);
	swap_items(o, last, to);
	if (to < last)
		insert_piece(o, piece + 1, (struct order_piece){to + 1, to + 1 == last});
	if (to > from) {
		insert_piece(o, piece + 1, (struct order_piece){to, true});
		o->pieces.at[piece].sorted = to == from + 1;
	} else {
		o->pieces.at[piece].sorted = true;
	}
	return to;
}

static void
finish_piece(struct order *o, size_t piece, const struct order_by *by)
{
	uint32_t from = o->pieces.at[piece].from, n = piece_end(o, piece) - from;

	struct sorting s = {by};

	if (!o->pieces.at[piece].sorted)
		qsort_r(o->item + from, n, sizeof *o->item, compare_items, &s);
	o->pieces.at[piece].sorted = true;
}

/* Returns the piece that contains a position. */
static size_t
piece_at(const struct order *o, uint32_t place)
{
	return bisect(i, o->pieces.n, o->pieces.at[i].from <= place) - 1;
}

uint32_t
order_at(struct order *o, uint32_t place, const struct order_by *by)
{
	assert(place < o->n);
	for (;;) {
		size_t piece = piece_at(o, place);
		if (o->pieces.at[piece].sorted || pace_gives_up(by->pace))
			break;
		if (piece_end(o, piece) - o->pieces.at[piece].from <= SMALL)
			finish_piece(o, piece, by);
		else
			order_cut(o, piece, by);
	}
	return o->item[place].thing;
}

uint32_t
order_get(const struct order *o, uint32_t place)
{
	assert(place < o->n);
	return o->item[place].thing;
}

/* Returns the first sorted piece whose last item does not precede x, if x is not before it; else
 * the last unsorted piece before that. */
static size_t
piece_with(const struct order *o, const struct order_item *x, const struct order_by *by)
{
	size_t unsorted = o->pieces.n;

	for (size_t i = 0; i < o->pieces.n; i++) {
		if (!o->pieces.at[i].sorted) {
			unsorted = i;
			continue;
		}
		if (stands(x, &o->item[piece_end(o, i) - 1], by) > 0)
			continue;
		bool here = stands(x, &o->item[o->pieces.at[i].from], by) >= 0;
		return here ? i : unsorted;
	}
	return unsorted;
}

/* Returns the index of the first or last wanted item of a piece; `to` if there is none. */
static uint32_t
first_wanted(const struct order *o, uint32_t from, uint32_t to, int dir,
	     bool (*wanted)(const void *of, uint32_t thing), const void *of,
	     const struct order_by *by)
{
	uint32_t best = to;

	for (uint32_t i = from; i < to; i++)
		if (wanted(of, o->item[i].thing) &&
		    (best == to || stands(&o->item[i], &o->item[best], by) * dir < 0))
			best = i;
	return best;
}

uint32_t
order_seek(struct order *o, uint32_t place, int dir,
	   bool (*wanted)(const void *of, uint32_t thing), const void *of,
	   const struct order_by *by)
{
	order_at(o, place, by); /* items after it in memory are now after it in the order */
	for (size_t i = piece_at(o, place); i < o->pieces.n; i += dir < 0 ? (size_t)-1 : 1) {
		uint32_t from = o->pieces.at[i].from, to = piece_end(o, i);
		if (dir > 0 && from <= place)
			from = place + 1;
		if (dir < 0 && to > place)
			to = place;
		uint32_t found = first_wanted(o, from, to, dir, wanted, of, by);
		if (found < to)
			return order_place(o, o->item[found].thing, by);
	}
	return o->n;
}

uint32_t
order_place(struct order *o, uint32_t thing, const struct order_by *by)
{
	struct order_item x = {by->rank(by->of, thing), thing};

	assert(thing < o->n);
	size_t piece = piece_with(o, &x, by);
	while (!o->pieces.at[piece].sorted) {
		if (pace_gives_up(by->pace))
			return 0;
		if (piece_end(o, piece) - o->pieces.at[piece].from <= SMALL)
			finish_piece(o, piece, by);
		else
			order_cut(o, piece, by);
		piece = piece_with(o, &x, by);
	}
	uint32_t at = o->pieces.at[piece].from;
	while (o->item[at].thing != thing)
		at++;
	return at;
}
