#include "src/decode/common/slices.h"

#include <stdlib.h>
#include <string.h>

#include "model/buf.h"
#include "model/mem.h"
#include "model/vec.h"

/* A file may hold a hundred million slices, often in the order of their ends; steps want
 * the order of their starts, parents first.
 *
 * Room: 24 bytes a slice. The second word has the length in its 36 lowest bits, the name
 * in the 24 above, then flags; what does not fit lies in a list of its own.
 *
 * Order: a parent ends after its children, so in the order of ends it stands right
 * behind the subtree that it must go in front of. Insertion therefore moves a slice by
 * as many places as it has descendants: all together the sum of the depths, in one
 * memmove each. Where an input is ordered otherwise that could be quadratic; the moves
 * are counted, and a merge sort takes over when they are more than such a file can need.
 * Rejected: a merge sort at once (log n passes over memory), a radix sort (8 passes).
 *
 * Nesting is decided in ticks: ns may be coarser, and two slices that overlap by a tick
 * would seem to nest. One that begins inside another and ends behind it goes to the
 * first lane in which it nests, a track of its own, so that no time is lost and none is
 * counted twice. Lanes are limited, since a file can make every slice overlap all others:
 * the last one takes whatever finds no other, and cuts there what is in its way.
 *
 * While a file grows, a slice that comes late may stand around all that there was.  So what is
 * shown meanwhile is written from the beginning each time, beside what is seen, and then put
 * in its place.  Rejected: to write only what cannot change any more, which of slices that are
 * told when they end is nothing until the last of them.
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
	uint64_t value;
	stack_id stack;
	bool cut;
};

struct lane {
	track_id track;
	struct series *series; /* that is written; of lanes that are kept not yet the one seen */
	uint64_t events;
	VEC(struct open_slice) open;
};

struct cached {
	stack_id parent, stack;
	uint64_t name_1; /* 0: nothing is cached here */
};

struct writer {
	struct slices_out *o;
	const struct slices_track *track;
	uint64_t factor; /* ns a tick, where that is a whole number; or 0 */
	VEC(struct lane) lane;
	struct cached cache[1 << CACHE_BITS];
};

static uint64_t
wide_put(struct slices *s, uint64_t length, uint32_t name)
{
	vec_room(s->wide, s->wide_cap, s->n_wide + 1);
	s->wide[s->n_wide] = (struct slice_wide){.length = length, .name = name};
	return s->n_wide++ | WIDE;
}

void
slices_add(struct slices *s, uint64_t start, uint64_t length, uint32_t name,
	       uint64_t value, unsigned flags)
{
	uint64_t packed = length | (uint64_t)name << LENGTH_BITS;

	if (length >> LENGTH_BITS || name >> NAME_BITS)
		packed = wide_put(s, length, name);
	vec_room(s->at, s->cap, s->n + 1);
	s->at[s->n++] = (struct slice){
		.start = start,
		.packed = packed | (uint64_t)flags << FLAGS_AT,
		.value = value,
	};
}

void
slices_release(struct slices *s)
{
	free(s->at);
	free(s->wide);
	*s = (struct slices){0};
}

static inline struct slice_wide
unpack(const struct slices *s, uint64_t packed)
{
	if (packed & WIDE)
		return s->wide[packed & (((uint64_t)1 << FLAGS_AT) - 1)];
	return (struct slice_wide){
		.length = packed & (((uint64_t)1 << LENGTH_BITS) - 1),
		.name = (uint32_t)(packed >> LENGTH_BITS) & ((1u << NAME_BITS) - 1),
	};
}

void
slices_end(struct slices *s, size_t i, uint64_t end, unsigned flags)
{
	struct slice *x = &s->at[i];
	uint64_t length = end > x->start ? end - x->start : 0;
	uint32_t name = unpack(s, x->packed).name;
	uint64_t packed = length | (uint64_t)name << LENGTH_BITS;

	if (x->packed & WIDE) {
		packed = x->packed & (WIDE | (((uint64_t)1 << FLAGS_AT) - 1));
		s->wide[packed & ~WIDE].length = length;
	} else if (length >> LENGTH_BITS) {
		packed = wide_put(s, length, name);
	}
	x->packed = packed | (uint64_t)flags << FLAGS_AT;
}

/* ---- order: by start, then the longer first, then as they came ---- */

static inline bool
before(const struct slices *s, const struct slice *a, const struct slice *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return unpack(s, a->packed).length > unpack(s, b->packed).length;
}

/* Merges two ordered runs; of equals, those of the first come first. */
static void
merge(const struct slices *s, const struct slice *a, size_t n_a,
      const struct slice *b, size_t n_b, struct slice *out)
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
merge_sort(struct slices *s)
{
	struct slice *from = s->at, *to = mem_alloc(s->n, sizeof *to);

	for (size_t run = 1; run < s->n; run *= 2) {
		for (size_t i = 0; i < s->n; i += 2 * run) {
			size_t left = s->n - i, n_a = run < left ? run : left;
			size_t n_b = left - n_a < run ? left - n_a : run;
			merge(s, from + i, n_a, from + i + n_a, n_b, to + i);
		}
		struct slice *swap = from;
		from = to;
		to = swap;
	}
	free(to);
	s->at = from;
	s->cap = s->n;
}

/* The place in the first n of one that comes before the last of them. */
static size_t
insertion_place(const struct slices *s, size_t n, const struct slice *x)
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
sort(struct slices *s)
{
	uint64_t moves = 0, most = MOVES_RATE * (uint64_t)s->n;

	for (size_t i = 1; i < s->n; i++) {
		struct slice x = s->at[i];
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

/* ---- lanes ---- */

static struct series *
lane_series(const struct slices_out *o, track_id track)
{
	metric_id metric = o->metric;
	struct series *s = o->kind == SLICES_VALUED ? builder_steps_valued(o->b, track)
						    : builder_steps_of(o->b, track, metric);

	if (o->kind == SLICES_LABELLED)
		builder_labelled(o->b, s);
	return s;
}

/* `NAME (overlap N)`, of lanes behind the first. */
static void
lane_name(const struct writer *w, size_t i, struct buf *out)
{
	buf_add(out, w->track->name, w->track->len);
	buf_addf(out, " (overlap %zu)", i);
}

static struct lane *
lane_push(struct writer *w, track_id track, struct series *s)
{
	*vec_push(&w->lane) = (struct lane){.track = track, .series = s};
	return &w->lane.at[w->lane.n - 1];
}

/* The next lane, as it was when the track was written before. */
static struct lane *
lane_again(struct writer *w)
{
	const struct slices_lane *l = &w->track->kept->at[w->lane.n];
	struct buf text = BUF_INIT;

	if (w->lane.n) {
		lane_name(w, w->lane.n, &text);
		builder_track_rename(w->o->b, l->track, buf_str(&text), text.len);
		buf_release(&text);
	}
	return lane_push(w, l->track, builder_anew(w->o->b, l->series));
}

static struct lane *
lane_new(struct writer *w)
{
	const struct slices_track *t = w->track;
	struct slices_kept *kept = t->kept;
	struct buf text = BUF_INIT;
	track_id track = t->track;

	if (kept && w->lane.n < kept->n)
		return lane_again(w);
	if (w->lane.n) {
		lane_name(w, w->lane.n, &text);
		track = builder_track(w->o->b, buf_str(&text), text.len, t->kind);
		builder_track_beside(w->o->b, track, t->track);
		buf_release(&text);
	}
	struct series *s = lane_series(w->o, track);
	if (kept) {
		vec_room(kept->at, kept->cap, kept->n + 1);
		kept->at[kept->n++] = (struct slices_lane){.track = track, .series = s};
	}
	return lane_push(w, track, s);
}

/* What was written anew is seen from here on; lanes that it did not need are empty. */
static void
lanes_renew(struct writer *w)
{
	struct slices_kept *kept = w->track->kept;
	struct builder *b = w->o->b;

	for (size_t i = 0; kept && i < kept->n; i++) {
		struct slices_lane *l = &kept->at[i];
		uint64_t events = i < w->lane.n ? w->lane.at[i].events : 0;
		if (i >= w->lane.n)
			builder_renew(b, l->series, builder_anew(b, l->series));
		else if (w->lane.at[i].series != l->series)
			builder_renew(b, l->series, w->lane.at[i].series);
		builder_track_events(b, l->track, (int64_t)(events - l->events));
		l->events = events;
	}
}

void
slices_kept_release(struct slices_kept *kept)
{
	free(kept->at);
	*kept = (struct slices_kept){0};
}

/* Two divisions a step are most of what a step costs here. */
static inline int64_t
ns_of(const struct writer *w, uint64_t ticks)
{
	return w->factor ? (int64_t)(ticks * w->factor) : slices_ns(ticks, w->o->ticks);
}

/* What holds from a time on: the innermost slice that is open, or nothing. */
static bool
lane_step(struct writer *w, struct lane *lane, uint64_t time, uint32_t flags, struct err *err)
{
	struct slices_out *o = w->o;
	const struct open_slice *top = lane->open.n ? &lane->open.at[lane->open.n - 1] : NULL;
	uint64_t value = top ? top->value : 0;
	stack_id stack = top ? top->stack : STACK_EMPTY;

	if (o->kind == SLICES_LABELLED)
		builder_next_labels(o->b, lane->series, (labels_id)value);
	return builder_step_valued(o->b, lane->series, ns_of(w, time), stack, flags,
				   o->kind == SLICES_VALUED ? (int64_t)value : 0, o->offset,
				   err);
}

static stack_id
top_stack(const struct lane *lane)
{
	return lane->open.n ? lane->open.at[lane->open.n - 1].stack : STACK_EMPTY;
}

/* Ends the open slices that end until then. */
static bool
lane_close(struct writer *w, struct lane *lane, uint64_t until, struct err *err)
{
	while (lane->open.n && lane->open.at[lane->open.n - 1].end <= until) {
		struct open_slice top = lane->open.at[--lane->open.n];
		if (!lane_step(w, lane, top.end, top.cut ? 0 : STEP_RETURN, err))
			return false;
	}
	return true;
}

/* Makes room for a slice where it does not nest: what would end inside it ends now. */
static bool
lane_cut(struct writer *w, struct lane *lane, uint64_t start, uint64_t end, struct err *err)
{
	while (lane->open.n && lane->open.at[lane->open.n - 1].end < end) {
		lane->open.n--;
		if (!lane_step(w, lane, start, 0, err))
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
		frame_id frame = w->o->frame ? w->o->frame(w->o->context, name) : name;
		*c = (struct cached){
			.parent = parent,
			.stack = builder_child(w->o->b, parent, frame),
			.name_1 = (uint64_t)name + 1,
		};
	}
	return c->stack;
}

/* The lane in which a slice nests, all that ended before it closed there; the last one
 * where there are too many. */
static struct lane *
lane_find(struct writer *w, uint64_t start, uint64_t end, struct err *err)
{
	struct lane *l = NULL;

	for (size_t i = 0; i < w->lane.n; i++) {
		l = &w->lane.at[i];
		if (!lane_close(w, l, start, err))
			return NULL;
		if (!l->open.n || l->open.at[l->open.n - 1].end >= end)
			return l;
	}
	if (w->lane.n < LANES_MAX)
		return lane_new(w);
	if (!w->o->silent)
		builder_warn(w->o->b,
			     "%.*s: more than %u slices overlap each other; some are cut short",
			     (int)w->track->len, w->track->name, LANES_MAX);
	return lane_cut(w, l, start, end, err) ? l : NULL;
}

/* The times of all tracks are added up somewhere: their sum must fit. */
static bool
spend(struct writer *w, uint64_t start, uint64_t end, struct err *err)
{
	struct slices_out *o = w->o;
	int64_t ns = ns_of(w, end) - ns_of(w, start);

	if (ns > INT64_MAX - o->spent)
		return err_damage(err, o->offset,
				  "the times of all threads together pass 2^63 ns");
	o->spent += ns;
	return true;
}

static inline bool
slice_write(struct writer *w, uint64_t start, struct slice_wide x, uint64_t value, unsigned flags,
	    struct err *err)
{
	uint64_t end = start + x.length;
	struct lane *lane = lane_find(w, start, end, err);

	if (!lane || (!lane->open.n && !spend(w, start, end, err)))
		return false;
	stack_id stack = lane->open.n < STACK_DEPTH_MAX ? child(w, top_stack(lane), x.name)
							: builder_too_deep(w->o->b);
	*vec_push(&lane->open) = (struct open_slice){
		.end = end,
		.value = value,
		.stack = stack,
		.cut = flags & SLICE_CUT,
	};
	lane->events += flags & SLICE_PAIR ? 2 : 1;
	return lane_step(w, lane, start, STEP_CALL, err);
}

static struct writer *
writer_new(struct slices_out *o, const struct slices_track *track)
{
	struct writer *w = mem_zalloc(1, sizeof *w);

	w->o = o;
	w->track = track;
	if (o->ticks && 1000000000u % o->ticks == 0)
		w->factor = 1000000000u / o->ticks;
	lane_new(w);
	return w;
}

/* Ends what is open, if all is well, and the writer. */
static bool
writer_end(struct writer *w, bool good, struct err *err)
{
	for (size_t i = 0; i < w->lane.n; i++) {
		good = good && lane_close(w, &w->lane.at[i], UINT64_MAX, err);
		vec_release(&w->lane.at[i].open);
		if (!w->track->kept)
			builder_track_events(w->o->b, w->lane.at[i].track,
					     (int64_t)w->lane.at[i].events);
	}
	lanes_renew(w);
	vec_release(&w->lane);
	free(w);
	return good;
}

bool
slices_write(struct slices *s, struct slices_out *o, const struct slices_track *track,
	     struct err *err)
{
	bool good = true;

	sort(s);
	struct writer *w = writer_new(o, track);
	for (size_t i = 0; i < s->n && good; i++) {
		const struct slice *x = &s->at[i];
		good = slice_write(w, x->start, unpack(s, x->packed), x->value,
				   (unsigned)(x->packed >> FLAGS_AT) & 3, err);
		if (i % BREATHE == BREATHE - 1)
			input_breathe(o->in);
	}
	good = writer_end(w, good, err);
	slices_release(s);
	return good;
}

bool
slices_write_packed(struct slicepack_reader *r, struct slices_out *o,
		    const struct slices_track *track, struct err *err)
{
	struct writer *w = writer_new(o, track);
	struct packed_slice x;
	unsigned flags;
	bool good = true;

	for (size_t i = 1; good && slicepack_next(r, &x, &flags); i++) {
		good = slice_write(w, x.of[SLICE_START],
				   (struct slice_wide){.length = x.of[SLICE_LENGTH],
						       .name = (uint32_t)x.of[SLICE_NAME]},
				   x.of[SLICE_VALUE], flags, err);
		if (i % BREATHE == 0)
			input_breathe(o->in);
	}
	return writer_end(w, good, err);
}

bool
slices_show(const struct slices *s, struct slices_out *o, const struct slices_track *track,
	    struct err *err)
{
	struct slices copy = {.n = s->n, .cap = s->n, .n_wide = s->n_wide, .wide_cap = s->n_wide};

	if (s->n) {
		copy.at = mem_alloc(s->n, sizeof *s->at);
		memcpy(copy.at, s->at, s->n * sizeof *s->at);
	}
	if (s->n_wide) {
		copy.wide = mem_alloc(s->n_wide, sizeof *s->wide);
		memcpy(copy.wide, s->wide, s->n_wide * sizeof *s->wide);
	}
	return slices_write(&copy, o, track, err);
}
