/* Handles begins and ends. Those of one track may come from several sequences, and so out of the
 * order of their times (cast.h). */
#include "src/decode/perfetto/perfetto_inside.h"

frame_id
pf_frame_named(struct perfetto *d, name_id name)
{
	uint32_t known = idmap_get(&d->names.function_of, name);

	if (known == IDMAP_NONE) {
		known = builder_frame_named(d->b, name);
		idmap_put(&d->names.function_of, name, known);
	}
	return known;
}

void
pf_reach(struct perfetto *d, uint32_t track, int64_t time)
{
	d->latest = time > d->latest ? time : d->latest;
	if (track != PF_NONE)
		cast_reach(&d->cast, pf_cast(d, track), time);
}

void
pf_slice_begin(struct perfetto *d, uint32_t track, int64_t time, uint32_t frame, labels_id labels)
{
	pf_reach(d, PF_NONE, time);
	cast_begin(&d->cast, pf_cast(d, track), time, NAME_EMPTY, frame, labels);
}

void
pf_single(struct perfetto *d, uint32_t track)
{
	uint32_t x = pf_cast(d, track);

	d->cast.track.at[x].nesting = CAST_SINGLE;
}

void
pf_singles_reach(struct perfetto *d)
{
	for (uint32_t i = 0; i < d->cast.track.n; i++)
		if (d->cast.track.at[i].nesting == CAST_SINGLE)
			cast_reach(&d->cast, i, d->latest);
}

void
pf_slice_end(struct perfetto *d, uint32_t track, int64_t time)
{
	pf_reach(d, PF_NONE, time);
	cast_end(&d->cast, pf_cast(d, track), time, NAME_EMPTY);
}

void
pf_slice_whole(struct perfetto *d, uint32_t track, int64_t time, int64_t length, uint32_t frame,
	       labels_id labels)
{
	pf_reach(d, PF_NONE, time + length);
	cast_slice(&d->cast, pf_cast(d, track), time, length, frame, labels);
}

void
pf_async_begin(struct perfetto *d, uint64_t key, int64_t pid, name_id cat, name_id name,
	       int64_t time, uint32_t frame, labels_id labels)
{
	uint32_t process = pid < 0 ? CAST_NONE : cast_process(&d->cast, pid);

	uint32_t track = cast_async_track(&d->cast, process, cat, name);
	pf_reach(d, PF_NONE, time);
	cast_async_add(&d->cast, (struct cast_async){.time = time,
						     .key = key,
						     .track = track,
						     .frame = frame,
						     .labels = labels});
}

void
pf_async_end(struct perfetto *d, uint64_t key, int64_t time)
{
	pf_reach(d, PF_NONE, time);
	cast_async_add(&d->cast,
		       (struct cast_async){.time = time, .key = key, .track = CAST_NONE});
}
