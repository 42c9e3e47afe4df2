/* Puts events on tracks: slices, begins and ends, asyncs, counters and marks (cast.h). */
#include "src/decode/chrome/chrome_inside.h"

#include <string.h>

#include "src/input/decimal.h"
#include "src/input/hash.h"

/* ---- slices ---- */

void
chrome_slice(struct cast *c, uint32_t thread, const struct chrome_event *e,
	     struct chrome_said said)
{
	int64_t length = e->has_dur ? e->dur : e->has_tdur ? e->tdur : 0;
	int32_t off = e->has_dur ? e->off : 0;

	/* The exact end is rounded, so that slices that end together still do */
	length += off >= 500000000 ? 1 : off < -500000000 ? -1 : 0;
	if (length < 0)
		builder_warn(c->b, "slices of negative length, counted as 0");
	cast_slice(c, thread, e->ts, length, said.function, said.labels);
}

void
chrome_async(struct chrome *d, bool ends, bool nests)
{
	const struct chrome_event *e = &d->e;
	uint64_t key[] = {e->cat, e->id.hash, e->id.scope,
			  e->id.local ? (uint64_t)e->pid : 0,
			  (uint64_t)nests << 1 | e->id.local};
	uint64_t hash = hash64(key, sizeof key);

	if (ends) {
		cast_async_add(&d->cast, (struct cast_async){.time = e->ts,
							     .key = hash,
							     .track = CAST_NONE,
							     .name = e->name});
		return;
	}
	uint32_t track = chrome_thread(d);
	if (!chrome_is_own(d, track, false))
		track = cast_async_track(&d->cast, cast_process(&d->cast, e->pid), e->cat,
					 e->name);
	struct chrome_said said = chrome_said(d);
	cast_async_add(&d->cast, (struct cast_async){.time = e->ts,
						     .key = hash,
						     .track = track,
						     .name = e->name,
						     .frame = said.function,
						     .labels = said.labels});
}

/* An end binds to the next slice of its thread unless it says `"bp": "e"`, for enclosing. */
void
chrome_flow(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	uint64_t key[] = {e->cat, e->name, e->id.hash, e->id.scope,
			  e->id.local ? (uint64_t)e->pid : 0};
	unsigned bits = e->ph == 's'	? FLOW_BEGINS
			: e->ph == 't'	? 0
			: e->s == 'e'	? FLOW_ENDS
					: FLOW_ENDS | FLOW_NEXT;

	flows_add(&d->flows, hash64(key, sizeof key), chrome_thread(d), e->ts, bits);
}

/* Version 2 of flows: slices of one `bind_id`, in the order of their begins, are a chain. Without
 * `flow_in` nothing leads to a slice, without `flow_out` it leads to nothing. */
void
chrome_bound_flow(struct chrome *d)
{
	const struct chrome_key *id = &d->e.id;
	uint64_t key[] = {id->bind};

	if (id->binds && (id->flow_in || id->flow_out))
		flows_add(&d->flows, hash64(key, sizeof key), chrome_thread(d), d->e.ts,
			  (id->flow_in ? 0 : FLOW_BEGINS) | (id->flow_out ? 0 : FLOW_ENDS));
}

/* ---- counters and marks ---- */

/* Returns the track of points of this kind: the event's thread, if pnav wrote it as one. */
static uint32_t
points_track(struct chrome *d, struct cast_track like)
{
	uint32_t thread = chrome_thread(d);
	const struct cast_own *own = &d->cast.track.at[thread].own;

	if (chrome_is_own(d, thread, true) &&
	    (own->kind == TRACK_MARKS) == (like.kind == TRACK_MARKS)) {
		like = (struct cast_track){.process = like.process, .thread = CAST_NONE,
					   .name = own->name, .kind = own->kind, .whole = true,
					   .own = *own};
		return cast_track(&d->cast, like);
	}
	return like.kind == TRACK_MARKS ? cast_marks(&d->cast, like) : cast_track(&d->cast, like);
}

static bool
arg_number(const struct chrome *d, const struct chrome_arg *a, double *out)
{
	if (a->kind == VALUE_WHOLE) {
		*out = (double)a->whole;
		return true;
	}
	return decimal_double(chrome_arg_text(d, a), a->len, out);
}

static void
chrome_add_name(struct chrome *d, name_id id)
{
	struct name n = builder_name_get(d->b, id);

	buf_add(&d->scratch, n.at, n.len);
}

/* Returns `NAME[ID].KEY`, without the parts that are missing. */
static name_id
counter_name(struct chrome *d, name_id key)
{
	const struct chrome_event *e = &d->e;

	buf_reset(&d->scratch);
	chrome_add_name(d, e->name);
	if (e->id.there) {
		buf_addc(&d->scratch, '[');
		buf_add(&d->scratch, d->text.at + e->id.at, e->id.len);
		buf_addc(&d->scratch, ']');
	}
	if (e->args.n != 1 || (key != d->is.value && key != e->name)) {
		buf_addc(&d->scratch, '.');
		chrome_add_name(d, key);
	}
	return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
}

bool
chrome_counter(struct chrome *d, struct err *err)
{
	struct chrome_event *e = &d->e;

	for (unsigned i = 0; i < e->args.n; i++) {
		double value;
		if (!arg_number(d, &e->args.at[i], &value))
			continue;
		uint32_t track = points_track(
			d,
			(struct cast_track){.process = cast_process(&d->cast, e->pid),
					    .thread = CAST_NONE,
					    .kind = TRACK_COUNTER,
					    .name = counter_name(d, e->args.at[i].key)});
		if (!builder_point_double(d->b, cast_points(&d->cast, track, true, false), e->ts,
					  value, e->offset, err))
			return false;
	}
	if (e->args.n_deeper)
		builder_warn(d->b, "counters with more than %u values, or others than numbers",
			     CHROME_ARGS_MAX);
	return true;
}

bool
chrome_mark(struct chrome *d, struct err *err)
{
	const struct chrome_event *e = &d->e;
	struct cast_track like = {
		.process = cast_process(&d->cast, e->pid),
		.thread = e->s == 't' ? chrome_thread(d) : CAST_NONE,
		.kind = TRACK_MARKS,
		.name = e->name != NAME_EMPTY ? e->name : builder_name(d->b, "(unnamed)", 9),
	};
	if (like.thread != CAST_NONE)
		cast_reach(&d->cast, like.thread, e->ts);
	struct series *points = cast_points(&d->cast, points_track(d, like), false, true);

	builder_next_labels(d->b, points, chrome_labels(d));
	return builder_point(d->b, points, e->ts, 0, e->offset, err);
}
