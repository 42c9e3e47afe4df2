/* gotrace_marks.c - regions, tasks, ranges of the runtime, logs and counters.
 *
 * Ranges and regions that were there before the trace begin with its first event; those that are
 * open at the end last to its last one and have the label `unfinished`. */
#include "src/decode/gotrace/gotrace_inside.h"

#include <inttypes.h>

#define NO_TIME INT64_MIN
#define WORD(b, text) builder_name((b), (text), sizeof(text) - 1)

void
gotrace_marks_init(struct gotrace *d)
{
	struct gotrace_marks *m = &d->marks;

	m->cast = (struct cast){.in = d->in, .b = d->b, .ordered = true, .labelled = true};
	m->async = METRIC_NONE;
	m->gc = GOTRACE_NONE;
	m->mark_ns = m->stop_ns = NO_TIME;
}

void
gotrace_marks_release(struct gotrace_marks *m)
{
	cast_release(&m->cast);
	vec_release(&m->beside);
	idmap_release(&m->task_of);
}

/* ---- tracks ---- */

static frame_id
mark_frame(struct gotrace *d, name_id name)
{
	struct name n = builder_name_get(d->b, name);

	return builder_frame(d->b,
			     n.len ? builder_function_named(d->b, n.at, n.len)
				   : builder_function_unknown(d->b),
			     line_unknown());
}

static struct cast_track
track_like(name_id name)
{
	return (struct cast_track){.process = CAST_NONE,
				   .thread = CAST_NONE,
				   .name = name,
				   .kind = TRACK_TASK,
				   .aside = true,
				   .prefix = PREFIX_NEVER,
				   .own = {.start = CAST_NO_TIME, .end = CAST_NO_TIME}};
}

/* Returns the track of a goroutine's regions or ranges; its name follows when it is written. */
static uint32_t
beside_goroutine(struct gotrace *d, uint32_t goroutine, bool regions)
{
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];
	uint32_t *track = regions ? &go->regions : &go->ranges;

	if (*track == GOTRACE_NONE) {
		*track = cast_add(&d->marks.cast, track_like(NAME_EMPTY));
		*vec_push(&d->marks.beside) =
			(struct gotrace_beside){*track, goroutine, regions};
	}
	return *track;
}

static uint32_t
beside_proc(struct gotrace *d, uint32_t proc)
{
	struct gotrace_proc *p = &d->actors.proc.at[proc];
	if (p->ranges == GOTRACE_NONE) {
		name_id name = builder_namef(d->b, "P %" PRIu64 " (ranges)", p->id);
		p->ranges = cast_add(&d->marks.cast, track_like(name));
	}
	return p->ranges;
}

static uint32_t
gc_track(struct gotrace *d)
{
	if (d->marks.gc == GOTRACE_NONE)
		d->marks.gc = cast_add(&d->marks.cast, track_like(WORD(d->b, "GC")));
	return d->marks.gc;
}

/* ---- ranges ---- */

/* Adds a range that began at *since, or before the trace. */
static void
range_ends(struct gotrace *d, uint32_t track, name_id name, int64_t *since, int64_t time_ns)
{
	int64_t from = *since == NO_TIME ? d->first_ns : *since;

	cast_slice(&d->marks.cast, track, from, time_ns - from, mark_frame(d, name), LABELS_NONE);
	*since = NO_TIME;
}

/* Adds a range that is open at the end. */
static void
range_open(struct gotrace *d, uint32_t track, name_id name, int64_t since)
{
	cast_begin(&d->marks.cast, track, since, name, mark_frame(d, name), LABELS_NONE);
	cast_reach(&d->marks.cast, track, d->last_ns);
}

static void
range_begins(int64_t *since, int64_t time_ns)
{
	if (*since == NO_TIME)
		*since = time_ns;
}

void
gotrace_mark_begins(struct gotrace *d, int64_t time_ns)
{
	range_begins(&d->marks.mark_ns, time_ns);
}

void
gotrace_mark_ends(struct gotrace *d, int64_t time_ns)
{
	struct gotrace_marks *m = &d->marks;

	m->collections++;
	int64_t from = m->mark_ns == NO_TIME ? d->first_ns : m->mark_ns;
	m->mark_total_ns += (uint64_t)(time_ns - from);
	range_ends(d, gc_track(d), WORD(d->b, "GC concurrent mark phase"), &m->mark_ns, time_ns);
}

static name_id
stop_name(struct gotrace *d)
{
	struct name kind = builder_name_get(d->b, d->marks.stop_kind);

	return builder_namef(d->b, "stop-the-world (%s)", kind.at);
}

void
gotrace_stop_begins(struct gotrace *d, name_id kind, int64_t time_ns)
{
	d->marks.stop_kind = kind;
	range_begins(&d->marks.stop_ns, time_ns);
}

void
gotrace_stop_ends(struct gotrace *d, int64_t time_ns)
{
	range_ends(d, gc_track(d), stop_name(d), &d->marks.stop_ns, time_ns);
}

void
gotrace_sweep(struct gotrace *d, uint32_t proc, bool begins, int64_t time_ns)
{
	struct gotrace_proc *p = &d->actors.proc.at[proc];

	if (begins)
		range_begins(&p->sweep_ns, time_ns);
	else
		range_ends(d, beside_proc(d, proc), WORD(d->b, "GC incremental sweep"),
			   &p->sweep_ns, time_ns);
}

void
gotrace_assist(struct gotrace *d, uint32_t goroutine, bool begins, int64_t time_ns)
{
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];

	if (begins)
		range_begins(&go->assist_ns, time_ns);
	else
		range_ends(d, beside_goroutine(d, goroutine, false), WORD(d->b, "GC mark assist"),
			   &go->assist_ns, time_ns);
}

static void
ranges_open(struct gotrace *d)
{
	struct gotrace_marks *m = &d->marks;

	if (m->mark_ns != NO_TIME)
		range_open(d, gc_track(d), WORD(d->b, "GC concurrent mark phase"), m->mark_ns);
	if (m->stop_ns != NO_TIME)
		range_open(d, gc_track(d), stop_name(d), m->stop_ns);
	for (uint32_t i = 0; i < d->actors.proc.n; i++)
		if (d->actors.proc.at[i].sweep_ns != NO_TIME)
			range_open(d, beside_proc(d, i), WORD(d->b, "GC incremental sweep"),
				   d->actors.proc.at[i].sweep_ns);
	for (uint32_t i = 0; i < d->actors.go.n; i++)
		if (d->actors.go.at[i].assist_ns != NO_TIME)
			range_open(d, beside_goroutine(d, i, false), WORD(d->b, "GC mark assist"),
				   d->actors.go.at[i].assist_ns);
}

/* ---- tasks and regions ---- */

/* Returns the name of a task and its id as one text; the id alone if its begin was not seen. */
static name_id
task_text(struct gotrace *d, uint64_t id)
{
	uint32_t known = idmap_get(&d->marks.task_of, id);

	return known != IDMAP_NONE ? known : builder_namef(d->b, "task %" PRIu64, id);
}

void
gotrace_task_begins(struct gotrace *d, uint64_t id, uint64_t parent, name_id name,
		    int64_t time_ns)
{
	struct gotrace_marks *m = &d->marks;
	struct name n = builder_name_get(d->b, name);
	label_id label[2];

	label[0] = builder_label_number(d->b, WORD(d->b, "task"), (int64_t)id, NAME_EMPTY);
	label[1] = builder_label_number(d->b, WORD(d->b, "parent"), (int64_t)parent, NAME_EMPTY);
	labels_id labels = builder_labels(d->b, label, parent ? 2 : 1);
	uint32_t t = cast_track(&m->cast, track_like(builder_namef(d->b, "task %s", n.at)));
	idmap_put(&m->task_of, id, builder_namef(d->b, "%s %" PRIu64, n.at, id));
	cast_reach(&m->cast, t, time_ns);
	cast_async_add(&m->cast, (struct cast_async){.time = time_ns,
						     .key = id,
						     .track = t,
						     .frame = mark_frame(d, name),
						     .labels = labels});
}

void
gotrace_task_ends(struct gotrace *d, uint64_t id, int64_t time_ns)
{
	if (idmap_get(&d->marks.task_of, id) != IDMAP_NONE)
		cast_async_add(&d->marks.cast, (struct cast_async){.time = time_ns,
								   .key = id,
								   .track = CAST_NONE});
}

static void
region_begins(struct gotrace *d, uint32_t track, uint64_t task, name_id name, int64_t time_ns)
{
	label_id label;
	labels_id labels = LABELS_NONE;

	if (task) {
		label = builder_label_text(d->b, WORD(d->b, "task"), task_text(d, task));
		labels = builder_labels(d->b, &label, 1);
	}
	cast_begin(&d->marks.cast, track, time_ns, name, mark_frame(d, name), labels);
}

void
gotrace_region(struct gotrace *d, uint32_t goroutine, uint64_t task, name_id name, bool begins,
	       int64_t time_ns)
{
	uint32_t track = beside_goroutine(d, goroutine, true);
	struct cast *c = &d->marks.cast;
	size_t i = c->track.at[track].edges.open.n;

	if (begins) {
		region_begins(d, track, task, name, time_ns);
		return;
	}
	while (i && c->track.at[track].edges.open.at[i - 1].name != name)
		i--;
	if (!i) { /* it began before the trace, so it is around all others */
		int64_t from = d->first_ns;
		cast_slice(c, track, from, time_ns - from, mark_frame(d, name), LABELS_NONE);
		return;
	}
	if (i < c->track.at[track].edges.open.n)
		builder_warn(d->b, "regions that end after the region around them");
	while (c->track.at[track].edges.open.n >= i)
		cast_end(c, track, time_ns, name);
}

/* ---- logs and counters ---- */

void
gotrace_log(struct gotrace *d, uint32_t goroutine, name_id key, name_id message, int64_t time_ns,
	    uint64_t offset)
{
	struct cast *c = &d->marks.cast;
	label_id label[2];
	size_t n = 0;

	if (goroutine != GOTRACE_NONE)
		label[n++] = builder_label_number(d->b, WORD(d->b, "goroutine"),
						  (int64_t)d->actors.go.at[goroutine].id,
						  NAME_EMPTY);
	if (message != NAME_EMPTY)
		label[n++] = builder_label_text(d->b, WORD(d->b, "message"), message);
	uint32_t track = cast_marks(c, track_like(key == NAME_EMPTY ? WORD(d->b, "log") : key));
	struct series *points = cast_points(c, track, false, true);
	builder_next_labels(d->b, points, builder_labels(d->b, label, n));
	builder_point(d->b, points, time_ns, 0, offset, d->e);
}

void
gotrace_count(struct gotrace *d, enum gotrace_counter counter, uint64_t value, int64_t time_ns,
	      uint64_t offset)
{
	static const char *const names[] = {
		[GO_HEAP] = "heap", [GO_HEAP_GOAL] = "heap goal", [GO_MAXPROCS] = "gomaxprocs"};
	struct series **s = &d->marks.counter[counter];

	if (!*s) {
		const char *name = names[counter];
		track_id t = builder_track(d->b, name, strlen(name), TRACK_COUNTER);
		if (counter != GO_MAXPROCS)
			builder_track_unit(d->b, t, "bytes", 5);
		*s = builder_points(d->b, t, false);
	}
	builder_point(d->b, *s, time_ns, value < INT64_MAX ? (int64_t)value : INT64_MAX, offset,
		      d->e);
}

/* ---- writing ---- */

void
gotrace_marks_write(struct gotrace *d, bool last)
{
	struct gotrace_marks *m = &d->marks;
	struct buf text = BUF_INIT;

	if (last)
		ranges_open(d);
	for (size_t i = 0; last && i < m->cast.async.at.n; i++) /* tasks that are open last */
		if (m->cast.async.at.at[i].track != CAST_NONE)
			cast_reach(&m->cast, m->cast.async.at.at[i].track, d->last_ns);
	for (uint32_t i = 0; i < m->cast.track.n; i++)
		if (last && m->cast.track.at[i].edges.open.n)
			cast_reach(&m->cast, i, d->last_ns);
	for (size_t i = 0; i < m->beside.n; i++) {
		buf_reset(&text);
		gotrace_goroutine_text(d, m->beside.at[i].goroutine, &text);
		buf_adds(&text, m->beside.at[i].regions ? " (regions)" : " (ranges)");
		m->cast.track.at[m->beside.at[i].track].name =
			builder_name(d->b, buf_str(&text), text.len);
	}
	buf_release(&text);
	if (m->async == METRIC_NONE && cast_asyncs(&m->cast))
		m->async = builder_metric(d->b, "async", UNIT_NS, ROLE_TIME);
	if (m->async == METRIC_NONE)
		return;
	cast_write(&m->cast, METRIC_NONE, m->async, last, 0, d->e);
	cast_rename(&m->cast);
	for (size_t i = 0; i < m->beside.n; i++) {
		const struct gotrace_goroutine *go = &d->actors.go.at[m->beside.at[i].goroutine];
		if (go->track != TRACK_NONE)
			builder_track_beside(d->b, cast_made(&m->cast, m->beside.at[i].track),
					     go->track);
	}
}
