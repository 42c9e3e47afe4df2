/* What lasts.  Begins and ends of a track may come from several sequences, and so not in the
 * order of their times: they are kept and matched when all are there.  A begin reserves its
 * slice where it stands.  An end ends the innermost that is open.
 *
 * While a trace is read, what there is so far is matched and written in the same way, of a copy:
 * what comes later may change all of it. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <stdlib.h>

#include "src/decode/common/by_time.h"

frame_id
pf_frame_named(struct perfetto *d, name_id name)
{
	uint32_t known = idmap_get(&d->function_of, name);

	if (known == IDMAP_NONE) {
		struct name n = builder_name_get(d->b, name);
		known = builder_frame(d->b, builder_function_named(d->b, n.at, n.len),
				      line_unknown());
		idmap_put(&d->function_of, name, known);
	}
	return known;
}

void
pf_reach(struct perfetto *d, uint32_t track, int64_t time)
{
	d->latest = time > d->latest ? time : d->latest;
	if (track == PF_NONE)
		return;
	struct pf_track *t = &d->track.at[track];
	t->last = time > t->last ? time : t->last;
	t->changed = true;
}

void
pf_slice_begin(struct perfetto *d, uint32_t track, int64_t time, uint32_t frame,
	       labels_id labels)
{
	pf_track_made(d, track);
	pf_reach(d, track, time);
	struct pf_track *t = &d->track.at[track];
	*vec_push(&t->edge) = (struct pf_edge){time, (uint32_t)t->slices.n};
	slices_add(&t->slices, slices_tick(time), 0, frame, labels, SLICE_CUT);
}

void
pf_slice_end(struct perfetto *d, uint32_t track, int64_t time)
{
	pf_reach(d, track, time);
	*vec_push(&d->track.at[track].edge) = (struct pf_edge){time, PF_END};
}

void
pf_slice_whole(struct perfetto *d, uint32_t track, int64_t time, int64_t length, uint32_t frame,
	       labels_id labels)
{
	pf_track_made(d, track);
	pf_reach(d, track, time + length);
	slices_add(&d->track.at[track].slices, slices_tick(time), (uint64_t)length, frame, labels,
		   0);
}

void
pf_slices_of_states(struct perfetto *d, uint32_t track)
{
	d->track.at[track].stateful = true;
}

/* ---- asyncs ---- */

void
pf_async_begin(struct perfetto *d, uint64_t key, int64_t pid, name_id cat, name_id name,
	       int64_t time, uint32_t frame, labels_id labels)
{
	uint32_t top = idmap_get(&d->async_of, key), below = top == IDMAP_NONE ? 0 : top, track;

	if (below) {
		track = d->async.at[below - 1].track;
	} else {
		struct name c = builder_name_get(d->b, cat), n = builder_name_get(d->b, name);
		buf_reset(&d->text);
		buf_add(&d->text, c.at, c.len);
		buf_adds(&d->text, c.len ? ":" : "");
		buf_add(&d->text, n.at, n.len);
		track = pf_track_named(d, PF_OTHER, pid, 0,
				       builder_name(d->b, buf_str(&d->text), d->text.len));
	}
	pf_track_made(d, track);
	pf_reach(d, track, time);
	struct pf_track *t = &d->track.at[track];
	*vec_push(&d->async) = (struct pf_async){track, (uint32_t)t->slices.n, below, true};
	slices_add(&t->slices, slices_tick(time), 0, frame, labels, SLICE_CUT);
	idmap_put(&d->async_of, key, (uint32_t)d->async.n);
}

void
pf_async_end(struct perfetto *d, uint64_t key, int64_t time)
{
	uint32_t top = idmap_get(&d->async_of, key);

	if (top == IDMAP_NONE || !top) {
		builder_warn(d->b, "asyncs that end without a begin, ignored");
		return;
	}
	struct pf_async *a = &d->async.at[top - 1];
	slices_end(&d->track.at[a->track].slices, a->slice, slices_tick(time), 0);
	pf_reach(d, a->track, time);
	a->open = false;
	idmap_put(&d->async_of, key, a->below);
}

/* ---- matching ---- */

/* The edges of a track in order, which go with the last time they are asked for; else a copy. */
static struct pf_edge *
edges_of(struct pf_track *t, bool last)
{
	struct pf_edge *edge = t->edge.at;

	if (!last)
		return rows_by_time_copy(edge, t->edge.n, sizeof *edge);
	t->edge.at = NULL;
	return rows_by_time(edge, t->edge.n, sizeof *edge);
}

static void
edges_match(struct perfetto *d, struct pf_track *t, bool last)
{
	VEC(uint32_t) open = VEC_INIT;
	struct pf_edge *edge = t->edge.n ? edges_of(t, last) : NULL;

	for (size_t i = 0; i < t->edge.n; i++) {
		const struct pf_edge *x = &edge[i];
		if (open.n && (x->slice == PF_END || t->stateful))
			slices_end(&t->slices, open.at[--open.n], slices_tick(x->time), 0);
		else if (x->slice == PF_END && !t->stateful && last)
			builder_warn(d->b, "ends without a begin, ignored");
		if (x->slice != PF_END)
			*vec_push(&open) = x->slice;
	}
	for (size_t i = 0; i < open.n; i++) {
		slices_end(&t->slices, open.at[i], slices_tick(t->last), SLICE_CUT);
		if (t->stateful || !last)
			continue;
		slices_unfinished(&t->slices, open.at[i], d->b);
		builder_warn(d->b,
			     "begins without an end, which last to the end of their track");
	}
	vec_release(&open);
	free(edge);
	if (last)
		t->edge.n = t->edge.cap = 0;
}

static void
asyncs_end(struct perfetto *d, bool last)
{
	for (size_t i = 0; i < d->async.n; i++) {
		const struct pf_async *a = &d->async.at[i];
		if (!a->open)
			continue;
		struct pf_track *t = &d->track.at[a->track];
		slices_end(&t->slices, a->slice, slices_tick(t->last), SLICE_CUT);
		if (!last)
			continue;
		slices_unfinished(&t->slices, a->slice, d->b);
		builder_warn(d->b, "asyncs without an end");
	}
}

static bool
write(struct perfetto *d, uint32_t i, bool last)
{
	struct pf_track *t = &d->track.at[i];
	struct buf name = BUF_INIT;

	pf_track_text(d, i);
	buf_add(&name, d->text.at, d->text.len);
	struct slices_track track = {.track = t->track,
				     .name = buf_str(&name),
				     .len = name.len,
				     .kind = pf_track_kind(t),
				     .kept = &t->shown};
	d->out.metric = t->form == PF_THREAD ? d->is.time : d->is.async;
	bool good = last ? slices_write(&t->slices, &d->out, &track, d->err)
			 : slices_show(&t->slices, &d->out, &track, d->err);
	buf_release(&name);
	return good;
}

bool
pf_slices_write(struct perfetto *d, bool last)
{
	bool good = true;

	asyncs_end(d, last);
	d->out = (struct slices_out){
		.in = d->in, .b = d->b, .kind = SLICES_LABELLED, .silent = !last};
	for (uint32_t i = 0; last && i < d->track.n; i++)
		d->out.all += d->track.at[i].slices.n;
	for (uint32_t i = 0; i < d->track.n; i++) {
		struct pf_track *t = &d->track.at[i];
		if (!last && !t->changed)
			continue;
		t->changed = false;
		edges_match(d, t, last);
		good = good && (!t->slices.n || write(d, i, last));
		if (last)
			slices_release(&t->slices);
	}
	return good;
}
