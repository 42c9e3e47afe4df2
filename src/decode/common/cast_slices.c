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
	if (edgelog_any(&t->edges.log))
		cast_edges_unpack(t);
	t->slices.parents_first |= !t->slices.n;
	slices_add(&t->slices, slices_tick(start_ns), (uint64_t)length_ns, frame,
		   slices_owned(t->nesting == CAST_NAMES, labels), 0);
}

void
cast_edge_wait(struct cast_track *t, struct cast_edge x)
{
	timed_add(&t->edges.waiting, x.time, (uint32_t[TIMED_NUMBERS]){x.slice + 1, x.name});
}

/* Adds a slice whose end comes later in the file. */
static uint32_t
slice_begin(struct cast_track *t, int64_t time_ns, uint32_t frame, labels_id labels)
{
	uint32_t slice = (uint32_t)t->slices.n;

	t->slices.parents_first |= !slice;
	slices_add(&t->slices, slices_tick(time_ns), 0, frame, labels, SLICE_CUT);
	return slice;
}

void
cast_edges_unpack(struct cast_track *t)
{
	struct edgelog log = t->edges.log;
	struct edgelog_reader r;
	struct logged_edge x;
	VEC(name_id) open = VEC_INIT;

	t->edges.log = (struct edgelog){0};
	edgelog_read(&r, &log, true);
	while (edgelog_next(&r, &x)) {
		struct cast_edge to = {x.time_ns, CAST_NONE, NAME_EMPTY};
		if (x.kind == LOGGED_BEGIN) {
			to.slice = slice_begin(t, x.time_ns, x.number, x.labels);
			to.name = *vec_push(&open) = x.name;
		} else if (x.kind == LOGGED_END) {
			name_id name = open.at[--open.n];
			to.name = x.named ? name : NAME_EMPTY;
		}
		cast_edge_wait(t, to);
	}
	vec_release(&open);
	edgelog_release(&log);
}

int64_t *
cast_starts(struct cast *c, uint32_t track)
{
	struct cast_track *t = &c->track.at[track];
	int64_t *start = mem_alloc(cast_track_slices(t) + 1, sizeof *start);
	struct edgelog_reader r;
	struct logged_edge x;
	size_t n = 0;

	for (size_t i = 0; i < t->slices.n; i++)
		start[n++] = slices_ns(t->slices.at[i].start, 0);
	edgelog_read(&r, &t->edges.log, false);
	while (edgelog_next(&r, &x))
		if (x.kind == LOGGED_BEGIN)
			start[n++] = x.time_ns;
	return start;
}

/* Returns true if the edges of the track go to its log. */
static bool
logs(const struct cast *c, const struct cast_track *t)
{
	return !c->ordered && !t->slices.n && !t->edges.waiting.run.n;
}

void
cast_begin(struct cast *c, uint32_t track, int64_t time_ns, name_id name, uint32_t frame,
	   labels_id labels)
{
	struct logged_edge edge = {.time_ns = time_ns, .number = frame, .labels = labels,
				   .name = name};

	cast_want(c, track);
	cast_reach(c, track, time_ns);
	struct cast_track *t = &c->track.at[track];
	if (logs(c, t) && edgelog_begin(&t->edges.log, &edge))
		return;
	if (edgelog_any(&t->edges.log))
		cast_edges_unpack(t);
	struct cast_edge x = {time_ns, slice_begin(t, time_ns, frame, labels), name};
	if (c->ordered)
		*vec_push(&t->edges.open) = x;
	else
		cast_edge_wait(t, x);
}

bool
cast_end(struct cast *c, uint32_t track, int64_t time_ns, name_id name)
{
	struct cast_track *t = &c->track.at[track];

	cast_reach(c, track, time_ns);
	if (!c->ordered) {
		if (logs(c, t) && edgelog_end(&t->edges.log, time_ns, name))
			return true;
		if (edgelog_any(&t->edges.log))
			cast_edges_unpack(t);
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
		n += c->track.at[i].aside == aside ? cast_track_slices(&c->track.at[i]) : 0;
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
