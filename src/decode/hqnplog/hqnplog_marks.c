/* hqnplog_marks.c - entries of a probe log without duration.
 *
 * The name of a type says if it is an entry or an exit; all other types are points.  The points
 * of one name and type form a track.  Entries and exits are paired over the whole log,
 * innermost first within a thread and a trace.  An entry without an exit lasts until the last
 * time of its thread.
 *
 * All are packed in few bytes, sorted by time, and for equal times by their order in the file
 * (slicepack.h).  So entries and exits can be paired, and the points of a track, which has
 * those of all threads, are in order already. */
#include "src/decode/hqnplog/hqnplog_inside.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum mark_class
mark_class(const struct hqn *d, uint32_t type)
{
	static const struct {
		const char *name;
		enum mark_class class;
	} known[] = {
		{"ENTER", MARK_ENTER}, {"ENTRY", MARK_ENTER}, {"BEGIN", MARK_ENTER},
		{"EXIT", MARK_EXIT},   {"LEAVE", MARK_EXIT},  {"END", MARK_EXIT},
	};
	char text[24];
	struct name name = hqn_name_of(&d->named, HQN_TYPES, type, text);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (name.len == strlen(known[i].name) &&
		    !strncasecmp(name.at, known[i].name, name.len))
			return known[i].class;
	return MARK_POINT;
}

static uint32_t
what_of(struct hqn *d, const struct hqn_entry *e)
{
	uint64_t key = (uint64_t)e->type << 32 | e->trace;
	uint32_t i;

	if (idmap_add(&d->what_of, key, d->what.n, &i))
		*vec_push(&d->what) = (struct what){
			.first = UINT64_MAX, .trace = e->trace, .type = e->type,
			.track = TRACK_NONE};
	return i;
}

void
hqn_mark_add(struct hqn *d, uint32_t thread, const struct hqn_entry *e, uint64_t place)
{
	uint32_t i = what_of(d, e);
	struct what *w = &d->what.at[i];

	w->first = place < w->first ? place : w->first;
	slicepack_add(&d->mark, &(struct packed_slice){.of = {
		[SLICE_START] = e->time,
		[SLICE_VALUE] = e->designator,
		[SLICE_NAME] = (uint64_t)i << 32 | thread,
		[SLICE_NUMBER] = place,
	}});
}

static bool
mark_next(struct slicepack_reader *r, struct hqnplog_mark *m)
{
	struct packed_slice x;
	unsigned flags;

	if (!slicepack_next(r, &x, &flags))
		return false;
	*m = (struct hqnplog_mark){
		.time = x.of[SLICE_START],
		.designator = x.of[SLICE_VALUE],
		.place = x.of[SLICE_NUMBER],
		.thread = (uint32_t)x.of[SLICE_NAME],
		.what = (uint32_t)(x.of[SLICE_NAME] >> 32),
	};
	return true;
}

void
hqn_point_track(struct hqn *d, struct what *w)
{
	char trace_text[24], type_text[24];
	struct name trace = hqn_name_of(&d->named, HQN_TRACES, w->trace, trace_text);
	struct name type = hqn_name_of(&d->named, HQN_TYPES, w->type, type_text);

	w->track = builder_trackf(d->b, TRACK_COUNTER, "%.*s (%.*s)", (int)trace.len, trace.at,
				  (int)type.len, type.at);
	w->series = builder_points(d->b, w->track, false);
}

bool
hqn_points_write(struct hqn *d, struct err *err)
{
	struct slicepack_reader r;
	struct hqnplog_mark m;
	bool good = true;

	slicepack_read(&r, &d->mark, NULL, 0, true);
	for (size_t i = 1; good && mark_next(&r, &m); i++) {
		const struct what *w = &d->what.at[m.what];
		if (w->class == MARK_POINT)
			good = builder_point(d->b, w->series, slices_ns(m.time, d->h.ticks),
					     (int64_t)m.designator, d->h.entries, err);
		if (i % BREATHE == 0)
			input_breathe(d->in);
	}
	slicepack_read_end(&r);
	return good;
}

static void
hqnplog_marks_enter(struct hqn *d, const struct hqnplog_mark *m)
{
	struct hqn_pairing *p = &d->pairing;
	uint32_t trace = d->what.at[m->what].trace;
	uint64_t key = (uint64_t)m->thread << 32 | trace;
	uint32_t top = idmap_get(&p->top_of, key);

	*vec_push(&p->entered) = (struct entered){
		.time = m->time,
		.designator = m->designator,
		.place = m->place,
		.thread = m->thread,
		.trace = trace,
		.below = top == IDMAP_NONE ? 0 : top,
	};
	idmap_put(&p->top_of, key, (uint32_t)p->entered.n);
}

/* Its position in the file is that of its entry. */
static void
pair_add(struct hqnplog_thread *t, const struct entered *e, uint64_t end, unsigned flags)
{
	*vec_push(&t->pairs) = (struct slice_pair){
		.start = e->time,
		.length = end - e->time,
		.value = e->designator,
		.place = e->place,
		.name = e->trace,
		.flags = flags,
	};
}

/* An exit ends the innermost open entry of its trace and thread; top_of has index + 1. */
static void
hqnplog_marks_leave(struct hqn *d, const struct hqnplog_mark *m)
{
	struct hqn_pairing *p = &d->pairing;
	uint64_t key = (uint64_t)m->thread << 32 | d->what.at[m->what].trace;
	uint32_t top = idmap_get(&p->top_of, key);
	struct hqnplog_thread *t = &d->thread.at[m->thread];

	if (top == IDMAP_NONE || !top) {
		if (!p->lone_exits || m->place < p->first_lone.place)
			p->first_lone = *m;
		if (!p->lone_exits++)
			p->early_lone = *m;
		if (!t->lone_exits++ || m->time < t->early_exit)
			t->early_exit = m->time;
		return;
	}
	struct entered *e = &p->entered.at[top - 1];
	pair_add(t, e, m->time, SLICE_PAIR);
	e->thread = UINT32_MAX;
	idmap_put(&p->top_of, key, e->below);
}

/* A warning keeps its first text: the first in the file, or, if entries and exits of a thread
 * are not in the order of time, the first in that order. */
static void
warn_of_exits(struct hqn *d)
{
	const struct hqn_pairing *p = &d->pairing;
	const struct hqnplog_mark *m = p->by_time ? &p->early_lone : &p->first_lone;

	for (uint64_t n = p->lone_exits; n; n--)
		builder_warn(d->b, "an exit without an entry, on thread 0x%" PRIx64,
			     d->thread.at[m->thread].id);
}

/* Adds an entry or an exit. */
static void
thread_marked(struct hqn *d, const struct hqnplog_mark *m)
{
	struct hqnplog_thread *t = &d->thread.at[m->thread];

	thread_runs(t, m->place);
	d->pairing.by_time |= m->place < t->last_mark;
	t->last_mark = m->place;
}

/* Returns true if there is anything but points. */
static bool
marks_class(struct hqn *d)
{
	bool any = false;

	for (size_t i = 0; i < d->what.n; i++) {
		d->what.at[i].class = mark_class(d, d->what.at[i].type);
		any |= d->what.at[i].class != MARK_POINT;
	}
	return any;
}

void
hqn_marks_look(struct hqn *d)
{
	struct slicepack_reader r;
	struct hqnplog_mark m;

	if (!marks_class(d))
		return;
	slicepack_read(&r, &d->mark, NULL, 0, false);
	while (mark_next(&r, &m))
		if (d->what.at[m.what].class != MARK_POINT)
			thread_runs(&d->thread.at[m.thread], m.place);
	slicepack_read_end(&r);
}

void
hqn_marks_pair(struct hqn *d)
{
	struct slicepack_reader r;
	struct hqnplog_mark m;

	if (!marks_class(d))
		return;
	slicepack_read(&r, &d->mark, NULL, 0, false);
	for (size_t i = 1; mark_next(&r, &m); i++) {
		enum mark_class class = d->what.at[m.what].class;
		if (class != MARK_POINT)
			thread_marked(d, &m);
		if (class == MARK_ENTER)
			hqnplog_marks_enter(d, &m);
		else if (class == MARK_EXIT)
			hqnplog_marks_leave(d, &m);
		if (i % BREATHE == 0)
			input_breathe(d->in);
	}
	slicepack_read_end(&r);
	warn_of_exits(d);
	for (size_t i = 0; i < d->pairing.entered.n; i++) {
		const struct entered *e = &d->pairing.entered.at[i];
		if (e->thread == UINT32_MAX)
			continue;
		struct hqnplog_thread *t = &d->thread.at[e->thread];
		pair_add(t, e, t->last, SLICE_CUT);
	}
	vec_release(&d->pairing.entered);
	idmap_release(&d->pairing.top_of);
}
