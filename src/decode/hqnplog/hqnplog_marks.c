/* hqnplog_marks.c - entries of a probe log without duration.
 *
 * A type whose name says so enters or leaves; any other is a point.  The points of a name
 * and a type are one track.  Entries and exits are paired over the whole log, innermost
 * first within a thread and a trace, and what is never left reaches to the last time that
 * its thread shows. */
#include "src/decode/hqnplog/hqnplog_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/buf.h"

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
	struct name name = hqn_name_of(d, HQN_TYPES, type, text);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (name.len == strlen(known[i].name) &&
		    !strncasecmp(name.at, known[i].name, name.len))
			return known[i].class;
	return MARK_POINT;
}

/* The points of a name and a type are one track. */
static struct point_track *
point_of(struct hqn *d, const struct mark *m)
{
	uint64_t key = (uint64_t)m->type << 32 | m->trace;
	uint32_t i = idmap_get(&d->point_of, key);

	if (i == IDMAP_NONE) {
		i = (uint32_t)d->point.n;
		*vec_push(&d->point) = (struct point_track){
			.first = UINT64_MAX, .trace = m->trace, .type = m->type};
		idmap_put(&d->point_of, key, i);
	}
	return &d->point.at[i];
}

void
hqn_point_track(struct hqn *d, struct point_track *p)
{
	struct buf text = BUF_INIT;
	char trace_text[24], type_text[24];
	struct name trace = hqn_name_of(d, HQN_TRACES, p->trace, trace_text);
	struct name type = hqn_name_of(d, HQN_TYPES, p->type, type_text);

	buf_add(&text, trace.at, trace.len);
	buf_adds(&text, " (");
	buf_add(&text, type.at, type.len);
	buf_addc(&text, ')');
	p->track = builder_track(d->b, text.at, text.len, TRACK_COUNTER);
	p->series = builder_points(d->b, p->track, false);
	buf_release(&text);
}

bool
hqn_point_write(struct hqn *d, const struct mark *m, struct err *err)
{
	const struct point_track *p = point_of(d, m);

	builder_track_event(d->b, p->track);
	return builder_point(d->b, p->series, slices_ns(m->time, d->h.ticks),
			     (int64_t)m->designator, d->h.entries, err);
}

static void
enter(struct hqn *d, const struct mark *m)
{
	uint64_t key = (uint64_t)m->thread << 32 | m->trace;
	uint32_t top = idmap_get(&d->top_of, key);

	*vec_push(&d->entered) = (struct entered){
		.time = m->time,
		.designator = m->designator,
		.place = m->place,
		.thread = m->thread,
		.trace = m->trace,
		.slices = m->slices,
		.below = top == IDMAP_NONE ? 0 : top,
	};
	idmap_put(&d->top_of, key, (uint32_t)d->entered.n);
}

/* It lies in the file where its entry does. */
static void
pair_add(struct thread *t, const struct entered *e, uint64_t end, unsigned flags)
{
	*vec_push(&t->pairs) = (struct slice_pair){
		.start = e->time,
		.length = end - e->time,
		.value = e->designator,
		.place = e->place,
		.slices = e->slices,
		.name = e->trace,
		.flags = flags,
	};
}

/* An exit ends the innermost entry of its trace and thread; top_of keeps index + 1. */
static void
leave(struct hqn *d, const struct mark *m)
{
	uint64_t key = (uint64_t)m->thread << 32 | m->trace;
	uint32_t top = idmap_get(&d->top_of, key);
	struct thread *t = &d->thread.at[m->thread];

	if (top == IDMAP_NONE || !top) {
		builder_warn(d->b, "an exit without an entry, on thread 0x%" PRIx64,
			     t->id);
		t->lone_exits++;
		return;
	}
	struct entered *e = &d->entered.at[top - 1];
	pair_add(t, e, m->time, SLICE_PAIR);
	e->thread = UINT32_MAX;
	idmap_put(&d->top_of, key, e->below);
}

static int
mark_order(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Classes by type; types are few, marks many. */
enum mark_class
hqn_class_of(const struct hqn *d, struct idmap *known, uint32_t type)
{
	uint32_t class = idmap_get(known, type);

	if (class == IDMAP_NONE) {
		class = mark_class(d, type);
		idmap_put(known, type, class);
	}
	return (enum mark_class) class;
}

/* By time, then as they stand in the file, where a thread's entries and exits are not in
 * that order; they nearly always are, and points need none. */
void
hqn_marks_sort(struct hqn *d, struct idmap *classes)
{
	for (size_t i = 0; i < d->mark.n; i++) {
		const struct mark *m = &d->mark.at[i];
		struct thread *t = &d->thread.at[m->thread];
		if (hqn_class_of(d, classes, m->type) == MARK_POINT)
			continue;
		if (m->time < t->last_mark) {
			qsort(d->mark.at, d->mark.n, sizeof *d->mark.at, mark_order);
			return;
		}
		t->last_mark = m->time;
	}
}

void
hqn_marks_pair(struct hqn *d, struct idmap *classes)
{
	for (size_t i = 0; i < d->mark.n; i++) {
		const struct mark *m = &d->mark.at[i];
		enum mark_class class = hqn_class_of(d, classes, m->type);
		if (class == MARK_POINT) {
			struct point_track *p = point_of(d, m);
			p->first = m->place < p->first ? m->place : p->first;
			continue;
		}
		thread_runs(&d->thread.at[m->thread], m->place);
		if (class == MARK_ENTER)
			enter(d, m);
		else
			leave(d, m);
		if (i % BREATHE == BREATHE - 1)
			input_breathe(d->in);
	}
	for (size_t i = 0; i < d->entered.n; i++) {
		const struct entered *e = &d->entered.at[i];
		if (e->thread == UINT32_MAX)
			continue;
		struct thread *t = &d->thread.at[e->thread];
		pair_add(t, e, t->last, SLICE_CUT);
	}
}
