#include "src/decode/hqnplog/hqnplog_slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/vec.h"

/* A log may hold a hundred million slices, in the order of their ends; steps want the
 * order of their starts, parents first.
 *
 * Room: 24 bytes a slice. The second word has the length in its 36 lowest bits, the name
 * in the 24 above, then flags; what does not fit lies in a list of its own.
 *
 * Order: a parent ends after its children, so in the order of ends it stands right
 * behind the subtree that it must go in front of. Insertion therefore moves a slice by
 * as many places as it has descendants: all together the sum of the depths, in one
 * memmove each. Where an input is ordered otherwise that could be quadratic; the moves
 * are counted, and a merge sort takes over when they are more than such a log can need.
 * Rejected: a merge sort at once (log n passes over memory), a radix sort (8 passes).
 *
 * Nesting is decided in ticks: ns may be coarser, and two slices that overlap by a tick
 * would seem to nest. One that begins inside another and ends behind it goes to the
 * first lane in which it nests, a track of its own, so that no time is lost and none is
 * counted twice. Lanes are limited: a file can make every slice overlap all others.
 *
 * Invariant of a lane: the ends of its open slices do not rise from bottom to top. */

#define LENGTH_BITS 36
#define NAME_BITS 24
#define WIDE ((uint64_t)1 << 63)
#define FLAGS_AT 60
#define MOVES_RATE 64u /* moves a slice, on average */
#define LANES_MAX 256u
#define CACHE_BITS 12
#define BREATHE 65536u

struct open_slice {
	uint64_t end;
	uint64_t designator;
	stack_id stack;
	bool never_ends;
};

struct lane {
	track_id track;
	struct series *series;
	VEC(struct open_slice) open;
};

struct cached {
	stack_id parent, stack;
	uint64_t name_1; /* 0: nothing is cached here */
};

struct writer {
	struct hqn_out *o;
	uint64_t thread;
	VEC(struct lane) lane;
	struct cached cache[1 << CACHE_BITS];
};

int64_t
hqn_ns(uint64_t ticks, uint64_t per_second)
{
	uint64_t whole = ticks / per_second, rest = ticks % per_second;

	/* rest < per_second, so the product fits 64 bits for all but absurd clocks */
	if (per_second <= UINT64_MAX / 1000000000u)
		return (int64_t)(whole * 1000000000u + rest * 1000000000u / per_second);
	return (int64_t)(whole * 1000000000u +
			 (uint64_t)((unsigned __int128)rest * 1000000000u / per_second));
}

void
hqn_slices_add(struct hqn_slices *s, uint64_t start, uint64_t length, uint32_t name,
	       uint64_t designator, unsigned flags)
{
	uint64_t packed = length | (uint64_t)name << LENGTH_BITS;

	if (length >> LENGTH_BITS || name >> NAME_BITS) {
		if (s->n_wide == s->wide_cap) {
			s->wide_cap = vec_grown(s->wide_cap, s->n_wide + 1);
			s->wide = mem_realloc(s->wide, s->wide_cap, sizeof *s->wide);
		}
		packed = s->n_wide | WIDE;
		s->wide[s->n_wide++] = (struct hqn_wide){.length = length, .name = name};
	}
	if (s->n == s->cap) {
		s->cap = vec_grown(s->cap, s->n + 1);
		s->at = mem_realloc(s->at, s->cap, sizeof *s->at);
	}
	s->at[s->n++] = (struct hqn_slice){
		.start = start,
		.packed = packed | (uint64_t)flags << FLAGS_AT,
		.designator = designator,
	};
}

void
hqn_slices_release(struct hqn_slices *s)
{
	free(s->at);
	free(s->wide);
	*s = (struct hqn_slices){0};
}

static inline struct hqn_wide
unpack(const struct hqn_slices *s, uint64_t packed)
{
	if (packed & WIDE)
		return s->wide[packed & (((uint64_t)1 << FLAGS_AT) - 1)];
	return (struct hqn_wide){
		.length = packed & (((uint64_t)1 << LENGTH_BITS) - 1),
		.name = (uint32_t)(packed >> LENGTH_BITS) & ((1u << NAME_BITS) - 1),
	};
}

/* ---- order: by start, then the longer first, then as they came ---- */

static inline bool
before(const struct hqn_slices *s, const struct hqn_slice *a, const struct hqn_slice *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return unpack(s, a->packed).length > unpack(s, b->packed).length;
}

/* Merges two ordered runs; of equals, those of the first come first. */
static void
merge(const struct hqn_slices *s, const struct hqn_slice *a, size_t n_a,
      const struct hqn_slice *b, size_t n_b, struct hqn_slice *out)
{
	while (n_a && n_b) {
		if (before(s, b, a)) {
			*out++ = *b++;
			n_b--;
		} else {
			*out++ = *a++;
			n_a--;
		}
	}
	if (n_a)
		memcpy(out, a, n_a * sizeof *a);
	if (n_b)
		memcpy(out + n_a, b, n_b * sizeof *b);
}

static void
merge_sort(struct hqn_slices *s)
{
	struct hqn_slice *from = s->at, *to = mem_alloc(s->n, sizeof *to);

	for (size_t run = 1; run < s->n; run *= 2) {
		for (size_t i = 0; i < s->n; i += 2 * run) {
			size_t left = s->n - i, n_a = run < left ? run : left;
			size_t n_b = left - n_a < run ? left - n_a : run;
			merge(s, from + i, n_a, from + i + n_a, n_b, to + i);
		}
		struct hqn_slice *swap = from;
		from = to;
		to = swap;
	}
	free(to);
	s->at = from;
	s->cap = s->n;
}

/* The place in the first n of one that comes before the last of them. */
static size_t
insertion_place(const struct hqn_slices *s, size_t n, const struct hqn_slice *x)
{
	size_t low = 0, high = n - 1, step = 1;

	while (step < n && before(s, x, &s->at[n - 1 - step])) {
		high = n - 1 - step;
		step *= 2;
	}
	low = step < n ? n - step : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (before(s, x, &s->at[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void
sort(struct hqn_slices *s)
{
	uint64_t moves = 0, most = MOVES_RATE * (uint64_t)s->n;

	for (size_t i = 1; i < s->n; i++) {
		struct hqn_slice x = s->at[i];
		if (!before(s, &x, &s->at[i - 1]))
			continue;
		size_t place = insertion_place(s, i, &x);
		moves += i - place;
		if (moves > most) {
			merge_sort(s);
			return;
		}
		memmove(&s->at[place + 1], &s->at[place], (i - place) * sizeof x);
		s->at[place] = x;
	}
}

static int
compare_places(const void *a, const void *b)
{
	const struct hqn_pair *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Puts the pairs between the slices, each where its entry stands in the file, before
 * anything is sorted: so ties are decided by the place, whatever an interval is made of. */
static void
join(struct hqn_slices *s, struct hqn_pair *pair, size_t n)
{
	struct hqn_slices all = {
		.cap = s->n + n, .wide = s->wide, .n_wide = s->n_wide, .wide_cap = s->wide_cap};
	size_t next = 0;

	qsort(pair, n, sizeof *pair, compare_places);
	all.at = mem_alloc(all.cap, sizeof *all.at);
	for (size_t i = 0; i <= s->n; i++) {
		for (; next < n && (pair[next].slices <= i || i == s->n); next++) {
			const struct hqn_pair *x = &pair[next];
			hqn_slices_add(&all, x->start, x->length, x->name, x->designator,
				       x->flags);
		}
		if (i < s->n)
			all.at[all.n++] = s->at[i];
	}
	free(s->at);
	*s = all;
}

/* ---- lanes ---- */

static struct lane *
lane_new(struct writer *w, track_id main)
{
	char text[64];
	struct lane lane = {.track = main};

	if (w->lane.n) {
		int n = snprintf(text, sizeof text, "thread 0x%" PRIx64 " (overlap %zu)",
				 w->thread, w->lane.n);
		lane.track = builder_track(w->o->b, text, (size_t)n, TRACK_THREAD);
	}
	lane.series = builder_steps_valued(w->o->b, lane.track);
	*vec_push(&w->lane) = lane;
	return &w->lane.at[w->lane.n - 1];
}

static stack_id
top_stack(const struct lane *lane)
{
	return lane->open.n ? lane->open.at[lane->open.n - 1].stack : STACK_EMPTY;
}

static int64_t
top_designator(const struct lane *lane)
{
	return lane->open.n ? (int64_t)lane->open.at[lane->open.n - 1].designator : 0;
}

/* Ends the open slices that end until then. */
static bool
lane_close(struct writer *w, struct lane *lane, uint64_t until, struct err *err)
{
	while (lane->open.n && lane->open.at[lane->open.n - 1].end <= until) {
		struct open_slice top = lane->open.at[--lane->open.n];
		if (!builder_step_valued(w->o->b, lane->series,
					 hqn_ns(top.end, w->o->ticks), top_stack(lane),
					 top.never_ends ? 0 : STEP_RETURN,
					 top_designator(lane), w->o->offset, err))
			return false;
	}
	return true;
}

static stack_id
child(struct writer *w, stack_id parent, uint32_t name)
{
	uint32_t hash = (parent * 0x9E3779B1u) ^ (name * 0x85EBCA6Bu);
	struct cached *c = &w->cache[hash >> (32 - CACHE_BITS)];

	if (c->parent != parent || c->name_1 != (uint64_t)name + 1) {
		frame_id frame = w->o->frame(w->o->context, name);
		*c = (struct cached){
			.parent = parent,
			.stack = builder_child(w->o->b, parent, frame),
			.name_1 = (uint64_t)name + 1,
		};
	}
	return c->stack;
}

/* The lane in which a slice nests, all that ended before it closed there; *lane is NULL
 * where there are too many. */
static bool
lane_find(struct writer *w, uint64_t start, uint64_t end, struct lane **lane,
	  struct err *err)
{
	*lane = NULL;
	for (size_t i = 0; i < w->lane.n && !*lane; i++) {
		struct lane *l = &w->lane.at[i];
		if (!lane_close(w, l, start, err))
			return false;
		if (!l->open.n || l->open.at[l->open.n - 1].end >= end)
			*lane = l;
	}
	if (!*lane && w->lane.n < LANES_MAX)
		*lane = lane_new(w, TRACK_NONE);
	return true;
}

/* The times of all threads are added up somewhere: their sum must fit. */
static bool
spend(struct hqn_out *o, uint64_t start, uint64_t end, struct err *err)
{
	int64_t ns = hqn_ns(end, o->ticks) - hqn_ns(start, o->ticks);

	if (ns > INT64_MAX - o->spent)
		return err_damage(err, o->offset,
				  "the times of all threads together pass 2^63 ns");
	o->spent += ns;
	return true;
}

static bool
slice_write(struct writer *w, const struct hqn_slice *slice, struct hqn_wide x,
	    struct err *err)
{
	unsigned flags = (unsigned)(slice->packed >> FLAGS_AT) & 3;
	uint64_t start = slice->start;
	uint64_t end = start + x.length;
	struct lane *lane;

	if (!lane_find(w, start, end, &lane, err))
		return false;
	if (!lane) {
		builder_warn(w->o->b,
			     "thread 0x%" PRIx64
			     ": more than %u slices overlap each other; "
			     "the others are left out",
			     w->thread, LANES_MAX);
		return true;
	}
	if (!lane->open.n && !spend(w->o, start, end, err))
		return false;
	stack_id stack = child(w, top_stack(lane), x.name);
	if (!builder_step_valued(w->o->b, lane->series, hqn_ns(start, w->o->ticks), stack,
				 STEP_CALL, (int64_t)slice->designator, w->o->offset, err))
		return false;
	*vec_push(&lane->open) = (struct open_slice){
		.end = end,
		.designator = slice->designator,
		.stack = stack,
		.never_ends = flags & HQN_OPEN,
	};
	builder_track_event(w->o->b, lane->track);
	if (flags & HQN_PAIR)
		builder_track_event(w->o->b, lane->track);
	return true;
}

bool
hqn_slices_write(struct hqn_slices *s, struct hqn_pair *pair, size_t n_pairs,
		 struct hqn_out *o, track_id main, uint64_t thread, struct err *err)
{
	struct writer *w = mem_zalloc(1, sizeof *w);
	bool good = true;

	w->o = o;
	w->thread = thread;
	if (n_pairs)
		join(s, pair, n_pairs);
	sort(s);
	lane_new(w, main);
	for (size_t i = 0; i < s->n && good; i++) {
		const struct hqn_slice *x = &s->at[i];
		good = slice_write(w, x, unpack(s, x->packed), err);
		if (i % BREATHE == BREATHE - 1)
			input_breathe(o->in);
	}
	for (size_t i = 0; i < w->lane.n; i++) {
		good = good && lane_close(w, &w->lane.at[i], UINT64_MAX, err);
		vec_release(&w->lane.at[i].open);
	}
	vec_release(&w->lane);
	free(w);
	hqn_slices_release(s);
	return good;
}
