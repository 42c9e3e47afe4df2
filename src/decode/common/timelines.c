#include "src/decode/common/timelines.h"

#include <stdlib.h>

/* Frames are the names of slices, so nothing is looked up when they are written. */

uint32_t
timelines_find(const struct timelines *t, uint64_t key)
{
	return idmap_get(&t->of, key);
}

uint32_t
timelines_add(struct timelines *t, uint64_t key, const char *name, size_t len,
	      enum track_kind kind)
{
	uint32_t lane = (uint32_t)t->lane.n;

	idmap_put(&t->of, key, lane);
	*vec_push(&t->lane) = (struct timeline){
		.track = builder_track(t->b, name, len, kind),
		.name = mem_dup(name, len),
		.name_len = len,
		.kind = kind,
	};
	return lane;
}

void
timelines_rename(struct timelines *t, uint32_t lane, const char *name, size_t len)
{
	struct timeline *l = &t->lane.at[lane];

	free(l->name);
	l->name = mem_dup(name, len);
	l->name_len = len;
	builder_track_rename(t->b, l->track, name, len);
}

void
timelines_seen(struct timelines *t, uint32_t lane, int64_t time_ns)
{
	struct timeline *l = &t->lane.at[lane];

	if (!l->any || time_ns > l->last_ns)
		l->last_ns = time_ns;
	l->any = l->changed = true;
}

void
timelines_begin(struct timelines *t, uint32_t lane, int64_t time_ns, frame_id frame)
{
	struct timeline *l = &t->lane.at[lane];

	timelines_seen(t, lane, time_ns);
	*vec_push(&l->open) = l->slices.n;
	slices_add(&l->slices, slices_tick(time_ns), 0, frame, LABELS_NONE, SLICE_CUT);
}

bool
timelines_end(struct timelines *t, uint32_t lane, int64_t time_ns)
{
	struct timeline *l = &t->lane.at[lane];

	timelines_seen(t, lane, time_ns);
	if (!l->open.n)
		return false;
	slices_end(&l->slices, l->open.at[--l->open.n], slices_tick(time_ns), 0);
	return true;
}

void
timelines_slice(struct timelines *t, uint32_t lane, int64_t start_ns, int64_t length_ns,
		frame_id frame, labels_id labels)
{
	struct timeline *l = &t->lane.at[lane];
	int64_t end;

	if (length_ns < 0)
		length_ns = 0;
	if (__builtin_add_overflow(start_ns, length_ns, &end)) {
		length_ns = INT64_MAX - start_ns;
		end = INT64_MAX;
	}
	timelines_seen(t, lane, start_ns);
	timelines_seen(t, lane, end);
	slices_add(&l->slices, slices_tick(start_ns), (uint64_t)length_ns, frame, labels, 0);
}

bool
timelines_any(const struct timelines *t)
{
	for (size_t i = 0; i < t->lane.n; i++)
		if (t->lane.at[i].slices.n)
			return true;
	return false;
}

static struct slices_out
slices_out(const struct timelines *t, metric_id metric, uint64_t offset)
{
	return (struct slices_out){
		.in = t->in,
		.b = t->b,
		.offset = offset,
		.kind = t->labelled ? SLICES_LABELLED : SLICES_PLAIN,
		.metric = metric,
	};
}

/* Where the slices of a lane go, which may have been shown before.  Those that are open last
 * as long as anything is known of it. */
static struct slices_track
lane_close(struct timeline *l)
{
	for (size_t i = 0; i < l->open.n; i++)
		slices_end(&l->slices, l->open.at[i], slices_tick(l->last_ns), SLICE_CUT);
	return (struct slices_track){l->track, l->name, l->name_len, l->kind, &l->shown};
}

void
timelines_show(struct timelines *t, metric_id metric)
{
	struct slices_out out = slices_out(t, metric, 0);
	struct err e;

	err_init(&e);
	out.silent = true;
	for (size_t i = 0; i < t->lane.n; i++) {
		struct timeline *l = &t->lane.at[i];
		if (!l->changed)
			continue;
		l->changed = false;
		struct slices_track track = lane_close(l);
		if (l->slices.n)
			slices_show(&l->slices, &out, &track, &e);
		builder_track_end(t->b, l->track, l->last_ns);
	}
}

bool
timelines_write(struct timelines *t, metric_id metric, uint64_t offset, struct err *e)
{
	struct slices_out out = slices_out(t, metric, offset);

	for (size_t i = 0; i < t->lane.n; i++) {
		struct timeline *l = &t->lane.at[i];
		struct slices_track track = lane_close(l);
		l->open.n = 0;
		if (l->slices.n && !slices_write(&l->slices, &out, &track, e))
			return false;
		if (l->any)
			builder_track_end(t->b, l->track, l->last_ns);
	}
	return true;
}

void
timelines_release(struct timelines *t)
{
	for (size_t i = 0; i < t->lane.n; i++) {
		slices_release(&t->lane.at[i].slices);
		vec_release(&t->lane.at[i].open);
		slices_kept_release(&t->lane.at[i].shown);
		free(t->lane.at[i].name);
	}
	vec_release(&t->lane);
	idmap_release(&t->of);
}
