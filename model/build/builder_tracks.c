/* builder_tracks.c - attributes of tracks beside their events: their processes, and names of
 * their values. Also replaces series that are computed again.
 *
 * A process is a name in a table of its own, not a track: it has no events, so as a track it
 * would be an empty row in every list of tracks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder_inside.h"

track_id
builder_trackf(struct builder *b, enum track_kind kind, const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	track_id t = builder_track(b, buf_str(&text), text.len, kind);
	buf_release(&text);
	return t;
}

process_id
builder_process(struct builder *b, const void *name, size_t len)
{
	return builder_process_with(b, builder_track_name(b, name, len));
}

process_id
builder_process_with(struct builder *b, name_id name)
{
	struct profile *p = b->p;

	vec_room(p->process, p->processes_cap, p->n_processes + 1);
	p->process[p->n_processes] = (struct process){.name = name};
	return p->n_processes++;
}

void
builder_process_rename(struct builder *b, process_id process, const void *name, size_t len)
{
	assert(process >= b->first_process && process < b->p->n_processes);
	b->p->process[process].name = builder_track_name(b, name, len);
	b->p->generation++;
}

void
builder_process_outside(struct builder *b, process_id process, bool outside)
{
	assert(process >= b->first_process && process < b->p->n_processes);
	b->p->process[process].outside = outside;
}

void
builder_track_under(struct builder *b, track_id t, process_id process)
{
	assert(t >= b->first_track && t < b->p->n_tracks);
	assert(process >= b->first_process && process < b->p->n_processes);
	b->p->track[t].under = process;
	b->pairs_settled = 0;
	b->p->generation++;
}

void
builder_track_beside(struct builder *b, track_id t, track_id other)
{
	assert(t >= b->first_track && t < b->p->n_tracks);
	assert(other >= b->first_track && other < b->p->n_tracks);
	vec_room(b->pair, b->pairs_cap, b->n_pairs + 1);
	b->pair[b->n_pairs++] = (struct track_pair){t, other};
}

void
builder_track_events(struct builder *b, track_id t, int64_t more)
{
	assert(t < b->p->n_tracks);
	b->p->track[t].events += (uint64_t)more;
	b->p->events += (uint64_t)more;
}

void
builder_track_recorded(struct builder *b, track_id t, int64_t ns)
{
	assert(t < b->p->n_tracks);
	b->p->track[t].recorded_ns = ns > 0 || ns == RECORDED_UNKNOWN ? ns : 0;
}

/* ---- series that are computed again ---- */

struct series *
builder_anew(struct builder *b UNUSED, const struct series *s)
{
	struct series *anew = series_like(s);

	assert(s->kind == SERIES_STEPS);
	anew->track = s->track;
	return anew;
}

/* Sets begin and end of a track whose only series is this one. */
static void
track_as_series(struct track *t, const struct series *s)
{
	struct event first;

	if (t->n_series != 1)
		return;
	t->has_time = series_event(s, 0, &first);
	t->start = t->has_time ? first.time : 0;
	t->end = t->has_time ? s->end_time : 0;
}

void
builder_renew(struct builder *b, struct series *s, struct series *anew)
{
	struct profile *p = b->p;
	struct series old;

	builder_settle(b); /* so that none of their events is buffered */
	old = *s;
	*s = *anew;
	*anew = old;
	series_free(anew);
	track_as_series(&p->track[s->track], s);
	/* the old values no longer count; the bound only grows, and exact sums are made again
	 * when needed */
	free(p->weight);
	p->weight = NULL;
	p->generation++;
}

/* ---- names of values ---- */

/* Returns the index after all values up to this one. */
static uint32_t
value_place(const struct track *t, int64_t value)
{
	return (uint32_t)bisect(i, t->n_value_names, t->value_name[i].value <= value);
}

void
builder_track_value(struct builder *b, track_id t, int64_t value, name_id name)
{
	struct track *track = &b->p->track[t];
	uint32_t at;

	assert(t < b->p->n_tracks);
	at = value_place(track, value);
	if (track->n_value_names == VALUE_NAMES_MAX || name == NAME_EMPTY ||
	    (at && track->value_name[at - 1].value == value))
		return;
	vec_room(track->value_name, track->value_names_cap, track->n_value_names + 1);
	memmove(track->value_name + at + 1, track->value_name + at,
		(track->n_value_names - at) * sizeof *track->value_name);
	track->value_name[at] = (struct value_name){value, name};
	track->n_value_names++;
	b->p->generation++;
}

void
builder_comparison(struct builder *b)
{
	if (!b->group && b->p->comparison == COMPARE_NOTHING)
		b->p->comparison = COMPARE_TRACKS;
}
