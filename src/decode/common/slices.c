/* slices.c - writes slices as steps, in the order of their starts, parents first.
 *
 * Nesting is decided in ticks: ns may be coarser, and two slices that overlap by a tick would seem
 * to nest. A slice that begins inside another and ends after it goes to the first lane in which it
 * nests, a track of its own, so that no time is lost and none is counted twice. The number of lanes
 * is limited, since a file can make every slice overlap all others. The last lane takes all
 * remaining slices, and cuts those in their way; of slices side by side the one that ends first
 * is cut.
 *
 * While a file grows, a late slice may contain all earlier ones. So the preview is written from the
 * beginning each time, beside the displayed one, and then replaces it. Rejected: writing only the
 * part that cannot change any more. If slices are written when they end, that part is empty until
 * the last of them.
 *
 * Invariant of a lane: the ends of its open slices do not rise from bottom to top. */
#include "src/decode/common/slices_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/lane_queue.h"

#define LANES_MAX 256u   /* each slice tries one after the other; */
#define BESIDE_MAX 4096u /* a heap has those of slices that do not nest */
#define CACHE_BITS_MIN 6 /* of tracks with few slices; */
#define CACHE_BITS_MAX 13
#define BREATHE 65536u

struct open_slice {
	uint64_t end;
	uint64_t value;
	stack_id stack;
	uint32_t name;
	bool cut;
};

struct overlap_lane {
	track_id track;
	/* The series that is written; for kept lanes not yet the visible one */
	struct series *series;
	uint64_t events;
	VEC(struct open_slice) open;
};

struct cached {
	stack_id parent, stack;
	uint64_t name_1; /* 0: nothing is cached here */
};

struct slicer {
	struct slices_out *o;
	const struct slices_track *track;
	uint64_t factor; /* ns a tick, where that is a whole number; or 0 */
	VEC(struct overlap_lane) lane;
	bool names;          /* OVERLAP_NAMES */
	bool beside;         /* OVERLAP_BESIDE or OVERLAP_OWN: `queue` has all lanes */
	struct idmap called; /* called_key() to numbers; only with `names` */
	struct idmap lane_of; /* an owner to the lane of its last outermost slice */
	struct lane_queue queue;
	unsigned cache_bits;
	struct cached cache[]; /* [1 << cache_bits] */
};

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

/* Writes `NAME (overlap N)`, for all lanes but the first. */
static void
lane_name(const struct slicer *w, size_t i, struct buf *out)
{
	buf_add(out, w->track->name, w->track->len);
	buf_addf(out, " (overlap %zu)", i);
}

static struct overlap_lane *
lane_push(struct slicer *w, track_id track, struct series *s)
{
	*vec_push(&w->lane) = (struct overlap_lane){.track = track, .series = s};
	return &w->lane.at[w->lane.n - 1];
}

/* Returns the next lane, as it was when the track was last written. */
static struct overlap_lane *
lane_again(struct slicer *w)
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

static struct overlap_lane *
lane_new(struct slicer *w)
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

/* Shows the preview written last, and empties the lanes that it did not need. */
static void
lanes_renew(struct slicer *w)
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

/* Divisions dominate the cost of a step, so there are only two of them. */
static inline int64_t
ns_of(const struct slicer *w, uint64_t ticks)
{
	return w->factor ? (int64_t)(ticks * w->factor) : slices_ns(ticks, w->o->ticks);
}

/* Appends a step at a time: the innermost open slice, or none. */
static inline bool
lane_step(struct slicer *w, struct overlap_lane *lane, uint64_t ticks, uint32_t flags,
	  struct err *err)
{
	const struct open_slice *top = lane->open.n ? &lane->open.at[lane->open.n - 1] : NULL;
	stack_id stack = top ? top->stack : STACK_EMPTY;
	int64_t value = top ? (int64_t)top->value : 0;
	const struct slices_out *o = w->o;

	if (o->kind != SLICES_VALUED) {
		if (o->kind == SLICES_LABELLED)
			builder_next_labels(o->b, lane->series, (labels_id)value);
		value = 0;
	}
	return builder_step_valued(o->b, lane->series, ns_of(w, ticks), stack, flags, value,
				   o->offset, err);
}

static stack_id
top_stack(const struct overlap_lane *lane)
{
	return lane->open.n ? lane->open.at[lane->open.n - 1].stack : STACK_EMPTY;
}

/* The number of open slices of a name in a lane that have an owner, or have none. */
static uint64_t
called_key(const struct slicer *w, const struct overlap_lane *lane, uint32_t name, bool owned)
{
	return (uint64_t)(lane - w->lane.at) << 33 | (uint64_t)name << 1 | owned;
}

static uint32_t
called_number(const struct slicer *w, uint64_t key)
{
	uint32_t n = idmap_get(&w->called, key);

	return n == IDMAP_NONE ? 0 : n;
}

/* Returns true if a slice must not nest in the lane, for OVERLAP_NAMES. */
static bool
lane_calls(const struct slicer *w, const struct overlap_lane *lane, uint32_t name, uint64_t value)
{
	return called_number(w, called_key(w, lane, name, true)) ||
	       (value >> 32 && called_number(w, called_key(w, lane, name, false)));
}

/* Notes that one slice more, or less, is open in the lane. */
static void
lane_called(struct slicer *w, const struct overlap_lane *lane, const struct open_slice *x, int more)
{
	uint64_t key = called_key(w, lane, x->name, x->value >> 32);

	idmap_put(&w->called, key, called_number(w, key) + (uint32_t)more);
}

static inline struct open_slice
lane_pop(struct slicer *w, struct overlap_lane *lane)
{
	struct open_slice top = lane->open.at[--lane->open.n];

	if (w->names)
		lane_called(w, lane, &top, -1);
	return top;
}

/* Ends the open slices that end by this time. */
static inline bool
lane_close(struct slicer *w, struct overlap_lane *lane, uint64_t until, struct err *err)
{
	while (lane->open.n && lane->open.at[lane->open.n - 1].end <= until) {
		struct open_slice top = lane_pop(w, lane);
		if (!lane_step(w, lane, top.end, top.cut ? 0 : STEP_RETURN, err))
			return false;
	}
	return true;
}

/* Makes room for a slice that does not nest: slices that would end inside it end now. */
static bool
lane_cut(struct slicer *w, struct overlap_lane *lane, uint64_t start, uint64_t end, struct err *err)
{
	while (lane->open.n && lane->open.at[lane->open.n - 1].end < end) {
		lane_pop(w, lane);
		if (!lane_step(w, lane, start, 0, err))
			return false;
	}
	return true;
}

static inline stack_id
child(struct slicer *w, stack_id parent, uint32_t name)
{
	uint32_t hash = (parent * 0x9E3779B1u) ^ (name * 0x85EBCA6Bu);
	struct cached *c = &w->cache[hash >> (32 - w->cache_bits)];

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

static void
warn_shortened(const struct slicer *w, unsigned most)
{
	if (!w->o->silent)
		builder_warn(w->o->b,
			     "%.*s: more than %u slices overlap each other; some are shortened",
			     (int)w->track->len, w->track->name, most);
}

/* Returns the lane in which a slice nests, after closing what ended before it; or the last lane. */
static struct overlap_lane *
lane_nest(struct slicer *w, uint64_t start, struct slice_wide x, uint64_t value, struct err *err)
{
	uint64_t end = start + x.length;
	struct overlap_lane *l = NULL;

	for (size_t i = 0; i < w->lane.n; i++) {
		l = &w->lane.at[i];
		if (!lane_close(w, l, start, err))
			return NULL;
		if (!l->open.n || (l->open.at[l->open.n - 1].end >= end &&
				   !(w->names && lane_calls(w, l, x.name, value))))
			return l;
		if (w->track->overlap == OVERLAP_CUT)
			return lane_cut(w, l, start, end, err) ? l : NULL;
	}
	if (w->lane.n < LANES_MAX) {
		lane_new(w);
		return &w->lane.at[w->lane.n - 1];
	}
	warn_shortened(w, LANES_MAX);
	return lane_cut(w, l, start, end, err) ? l : NULL;
}

/* Returns the lane in which a slice nests below those of its owner, or that is free. */
static struct overlap_lane *
lane_beside(struct slicer *w, uint64_t start, uint64_t end, uint64_t value, struct err *err)
{
	bool owned = w->track->overlap == OVERLAP_OWN;
	uint32_t i = owned ? idmap_get(&w->lane_of, value >> 32) : IDMAP_NONE;
	struct overlap_lane *l = w->lane.at;

	if (i != IDMAP_NONE) {
		l = &w->lane.at[i];
		if (!lane_close(w, l, start, err))
			return NULL;
		const struct open_slice *top = l->open.n ? &l->open.at[l->open.n - 1] : NULL;
		if (top && top->value >> 32 == value >> 32 && top->end >= end)
			return l;
	}
	bool idle = lane_queue_free(&w->queue, start);
	if (start == end && w->queue.n && !idle) /* no lane for what takes no time */
		return lane_close(w, w->lane.at, start, err) ? w->lane.at : NULL;
	i = lane_queue_take(&w->queue, end, BESIDE_MAX);
	if (owned)
		idmap_put(&w->lane_of, value >> 32, i);
	if (i >= w->lane.n)
		lane_new(w);
	l = &w->lane.at[i];
	if (!lane_close(w, l, start, err))
		return NULL;
	if (l->open.n)
		warn_shortened(w, BESIDE_MAX);
	return lane_cut(w, l, start, UINT64_MAX, err) ? l : NULL;
}

/* Views add up the times of all tracks, so their sum must fit. */
static bool
spend(struct slicer *w, uint64_t start, uint64_t end, struct err *err)
{
	struct slices_out *o = w->o;
	int64_t ns = ns_of(w, end) - ns_of(w, start);

	if (ns > INT64_MAX - o->spent)
		return err_damage(err, o->offset,
				  "the times of all threads together exceed 2^63 ns");
	o->spent += ns;
	return true;
}

/* Opens a slice below the innermost one of the lane. */
static inline __attribute__((always_inline)) void
lane_open(struct slicer *w, struct overlap_lane *lane, uint64_t end, uint64_t value, uint32_t name,
	  bool cut)
{
	stack_id stack = lane->open.n >= STACK_DEPTH_MAX ? builder_too_deep(w->o->b)
							 : child(w, top_stack(lane), name);

	*vec_push(&lane->open) = (struct open_slice){
		.end = end,
		.value = value,
		.stack = stack,
		.name = name,
		.cut = cut,
	};
}

static inline bool
slice_write(struct slicer *w, uint64_t start, struct slice_wide x, uint64_t value, unsigned flags,
	    struct err *err)
{
	uint64_t end = start + x.length;
	struct overlap_lane *lane = w->beside ? lane_beside(w, start, end, value, err)
					      : lane_nest(w, start, x, value, err);

	if (!lane || (!lane->open.n && !spend(w, start, end, err)))
		return false;
	lane_open(w, lane, end, value, x.name, flags & SLICE_CUT);
	if (w->names)
		lane_called(w, lane, &lane->open.at[lane->open.n - 1], 1);
	lane->events += flags & SLICE_PAIR ? 2 : 1;
	return lane_step(w, lane, start, STEP_CALL, err);
}

/* Of a track with n slices. */
static struct slicer *
writer_new(struct slices_out *o, const struct slices_track *track, uint64_t n)
{
	unsigned bits = CACHE_BITS_MIN;

	while (bits < CACHE_BITS_MAX && n >> bits)
		bits++;
	struct slicer *w =
		mem_zalloc(1, sizeof *w + sizeof *w->cache * ((size_t)1 << bits));
	w->cache_bits = bits;
	w->o = o;
	w->track = track;
	w->names = track->overlap == OVERLAP_NAMES;
	w->beside = track->overlap == OVERLAP_BESIDE || track->overlap == OVERLAP_OWN;
	if (o->ticks && 1000000000u % o->ticks == 0)
		w->factor = 1000000000u / o->ticks;
	lane_new(w);
	return w;
}

/* Ends the open slices if there was no error, and then the writer. */
static bool
writer_end(struct slicer *w, bool good, struct err *err)
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
	idmap_release_all(&w->called, &w->lane_of);
	lane_queue_release(&w->queue);
	free(w);
	return good;
}

/* Shows readers all steps so far, n more than the last time. */
static void
writer_breathe(struct slicer *w, size_t n)
{
	w->o->done += n;
	if (w->o->all)
		input_later_done(w->o->in, w->o->done, w->o->all);
	input_breathe(w->o->in);
}

bool
slices_write(struct slices *s, struct slices_out *o, const struct slices_track *track,
	     struct err *err)
{
	bool good = true;

	slices_sort(s);
	struct slicer *w = writer_new(o, track, s->n);
	for (size_t i = 0; i < s->n && good; i++) {
		const struct slices_one *x = &s->at[i];
		good = slice_write(w, x->start, slices_unpack(s, x->packed), x->value,
				   (unsigned)(x->packed >> SLICE_FLAGS_AT) & 3, err);
		if (i % BREATHE == BREATHE - 1)
			writer_breathe(w, BREATHE);
	}
	o->done += s->n % BREATHE;
	good = writer_end(w, good, err);
	slices_release(s);
	return good;
}

static inline bool
packed_write(struct slicer *w, const struct packed_slice *x, unsigned flags, struct err *err)
{
	return slice_write(w, x->of[SLICE_START],
			   (struct slice_wide){.length = x->of[SLICE_LENGTH],
					       .name = (uint32_t)x->of[SLICE_NAME]},
			   x->of[SLICE_VALUE], flags, err);
}

bool
slices_write_packed(struct slicepack_reader *r, struct slices_out *o,
		    const struct slices_track *track, struct err *err)
{
	struct slicer *w = writer_new(o, track, r->p->n + r->n_pairs);
	const struct packed_slice *at;
	struct packed_slice one;
	bool good = true;

	for (size_t since = 0, n; good; since += n) {
		unsigned flags = 0;
		n = slicepack_some(r, &at);
		if (!n && !slicepack_next(r, &one, &flags))
			break;
		at = n ? at : &one;
		n += !n;
		for (size_t i = 0; good && i < n; i++)
			good = packed_write(w, &at[i], flags, err);
		if (since + n < BREATHE)
			continue;
		writer_breathe(w, since + n);
		since = 0;
		n = 0;
	}
	return writer_end(w, good, err);
}

struct slicer *
slices_inorder(struct slices_out *o, const struct slices_track *track, uint64_t n)
{
	return writer_new(o, track, n);
}

bool
slices_inorder_begin(struct slicer *w, uint64_t start, uint32_t name, uint64_t value,
		     struct err *err)
{
	struct overlap_lane *lane = w->lane.at;

	lane_open(w, lane, UINT64_MAX, value, name, false);
	bool good = lane_step(w, lane, start, STEP_CALL, err);
	if (++lane->events % BREATHE == 0)
		writer_breathe(w, BREATHE);
	return good;
}

bool
slices_inorder_end(struct slicer *w, uint64_t end, bool cut, struct err *err)
{
	w->lane.at->open.n--;
	return lane_step(w, w->lane.at, end, cut ? 0 : STEP_RETURN, err);
}

void
slices_inorder_free(struct slicer *w)
{
	w->o->done += w->lane.at->events % BREATHE;
	writer_end(w, false, NULL);
}

bool
slices_show(const struct slices *s, struct slices_out *o, const struct slices_track *track,
	    struct err *err)
{
	struct slices copy = {.parents_first = s->parents_first, .n = s->n, .cap = s->n,
			      .n_wide = s->n_wide, .wide_cap = s->n_wide};

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
