/* cast_slices.c - collects slices, begins and ends.  A begin reserves the position of its
 * slice, so that the file's order decides ties, no matter how a slice was recorded. */
#include "src/decode/common/cast.h"

void
cast_slice(struct cast *c, uint32_t track, int64_t start_ns, int64_t length_ns, uint32_t frame,
	   labels_id labels)
{
	cast_slice_next(c, track, start_ns, length_ns, frame, labels);
	c->track.at[track].slices.parents_first = false;
}

void
cast_slice_next(struct cast *c, uint32_t track, int64_t start_ns, int64_t length_ns,
		uint32_t frame, labels_id labels)
{
	int64_t end;

	if (length_ns < 0)
		length_ns = 0;
	if (__builtin_add_overflow(start_ns, length_ns, &end)) {
		end = INT64_MAX;
		length_ns = end - start_ns;
	}
	cast_want(c, track);
	cast_reach(c, track, end);
	struct cast_track *t = &c->track.at[track];
	t->slices.parents_first |= !t->slices.n;
	slices_add(&t->slices, slices_tick(start_ns), (uint64_t)length_ns, frame,
		   slices_owned(t->nesting == CAST_NAMES, labels), 0);
}

void
cast_edge_wait(struct cast_track *t, struct cast_edge x)
{
	timed_add(&t->edges.waiting, x.time, (uint32_t[TIMED_NUMBERS]){x.slice + 1, x.name});
}

void
cast_begin(struct cast *c, uint32_t track, int64_t time_ns, name_id name, uint32_t frame,
	   labels_id labels)
{
	cast_want(c, track);
	cast_reach(c, track, time_ns);
	struct cast_track *t = &c->track.at[track];
	struct cast_edge x = {time_ns, (uint32_t)t->slices.n, name};
	if (c->ordered)
		*vec_push(&t->edges.open) = x;
	else
		cast_edge_wait(t, x);
	t->slices.parents_first |= !t->slices.n;
	slices_add(&t->slices, slices_tick(time_ns), 0, frame, labels, SLICE_CUT);
}

bool
cast_end(struct cast *c, uint32_t track, int64_t time_ns, name_id name)
{
	struct cast_track *t = &c->track.at[track];

	cast_reach(c, track, time_ns);
	if (!c->ordered) {
		cast_edge_wait(t, (struct cast_edge){time_ns, CAST_NONE, name});
		return true;
	}
	if (!t->edges.open.n)
		return false;
	slices_end(&t->slices, t->edges.open.at[--t->edges.open.n].slice, slices_tick(time_ns), 0);
	return true;
}

void
cast_async_add(struct cast *c, struct cast_async x)
{
	*vec_push(&c->async.at) = x;
}

static uint64_t
count(const struct cast *c, bool aside)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->track.n; i++)
		n += c->track.at[i].aside == aside ? c->track.at[i].slices.n : 0;
	return n;
}

uint64_t
cast_slices(const struct cast *c)
{
	return count(c, false);
}

uint64_t
cast_asyncs(const struct cast *c)
{
	return count(c, true) + c->async.at.n;
}
