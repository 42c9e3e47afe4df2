/* The events that are read, by their types in rts/include/rts/EventLogFormat.h. Other types are
 * counted by name. Numbers are big-endian:
 *
 *	  1 RUN_THREAD    u32 thread          161 cost centre  u32 id, label, module, place, u8
 *	  2 STOP_THREAD   u32 thread u16 why  162 heap sample  u64 era           (166: u64 time)
 *	  8 WAKEUP        u32 thread u16 cap  163 a band       u8 u64 bytes u8 depth, u32 ids
 *	  9, 10 GC begins, ends               164 a band       u8 u64 bytes, text
 *	 19, 58 message, marker: text         165 its end      u64 era
 *	 44 LABEL         u32 thread, text    167 sample       u32 cap u64 tick u8 depth, u32 ids
 *	 49, 50, 51, 91   u32 capset u64      168 PROF_BEGIN   u64 ns a tick
 *
 * Lists of cost centres begin with the innermost. */
#include <string.h>

#include "src/decode/common/words.h"
#include "src/decode/ghcprof/eventlog.h"

/* ---- capabilities ---- */

static struct eventlog_cap *
eventlog_cap(struct eventlog *l, uint32_t number)
{
	uint32_t i;

	if (number == EVENTLOG_NO_CAP)
		number = 0;
	if (idmap_add(&l->cap_of, number, l->cap.n, &i))
		*vec_push(&l->cap) = (struct eventlog_cap){.number = number};
	return &l->cap.at[i];
}

/* Notes what the capability does from this moment on. */
static void
cap_turn(struct eventlog_cap *c, int64_t time_ns)
{
	uint32_t what = c->collects ? EVENTLOG_GC : c->running;

	if (what == c->what)
		return;
	c->turn_ns = !c->turn.run.n || time_ns > c->turn_ns ? time_ns : c->turn_ns;
	c->what = what;
	timed_add(&c->turn, c->turn_ns, (uint32_t[TIMED_NUMBERS]){what});
}

/* Counts an event that lacks a field. */
static bool
malformed(struct eventlog *l)
{
	l->malformed++;
	return true;
}

static bool
take_run(struct eventlog *l, struct eventlog_event *v)
{
	struct eventlog_cap *c = eventlog_cap(l, v->cap);
	uint32_t thread = cursor_u32(&v->payload);

	if (v->payload.bad)
		return malformed(l);
	c->running = thread;
	cap_turn(c, v->time_ns);
	sched_switch(&l->sched, c->number, 0, SCHED_RUNNABLE, thread, v->time_ns);
	return true;
}

/* Returns the state after a stop: the heap, the stack or the time were used up; finished. */
static enum sched_left
stop_left(uint16_t why)
{
	if (why >= 1 && why <= 3)
		return SCHED_RUNNABLE;
	return why == 5 ? SCHED_ENDS : SCHED_WAITS;
}

static bool
take_stop(struct eventlog *l, struct eventlog_event *v)
{
	struct eventlog_cap *c = eventlog_cap(l, v->cap);
	uint32_t thread = cursor_u32(&v->payload);
	uint16_t why = cursor_u16(&v->payload);

	if (v->payload.bad)
		return malformed(l);
	c->running = 0;
	cap_turn(c, v->time_ns);
	sched_switch(&l->sched, c->number, thread, stop_left(why), 0, v->time_ns);
	return true;
}

static bool
take_wakeup(struct eventlog *l, struct eventlog_event *v)
{
	struct eventlog_cap *c = eventlog_cap(l, v->cap);
	uint32_t thread = cursor_u32(&v->payload);

	if (v->payload.bad)
		return malformed(l);
	sched_wake(&l->sched, c->number, thread, c->running ? (int64_t)c->running : SCHED_NOBODY,
		   SCHED_WAKEUP, v->time_ns);
	return true;
}

static bool
take_gc(struct eventlog *l, struct eventlog_event *v)
{
	enum { GC_BEGIN = 9 };
	struct eventlog_cap *c = eventlog_cap(l, v->cap);

	c->collects = v->type == GC_BEGIN;
	cap_turn(c, v->time_ns);
	return true;
}

/* ---- texts ---- */

/* Returns the rest of the payload without NUL bytes at its end. */
static struct text_cell
rest_text(struct eventlog_event *v)
{
	struct text_cell c = {(const char *)v->payload.at, (const char *)v->payload.end};

	while (c.end > c.at && !c.end[-1])
		c.end--;
	return c;
}

static bool
take_label(struct eventlog *l, struct eventlog_event *v)
{
	uint32_t thread = cursor_u32(&v->payload);
	struct text_cell text = rest_text(v);

	if (v->payload.bad)
		return malformed(l);
	if (text.end > text.at)
		idmap_put(&l->label_of, thread,
			  builder_name(l->out.b, text.at, (size_t)(text.end - text.at)));
	return true;
}

/* Facts: the runtime; the program and its arguments, with a NUL after each. */
static bool
take_fact(struct eventlog *l, struct eventlog_event *v)
{
	enum { RUNTIME = 29 };
	char text[1024];
	size_t n = 0;

	cursor_u32(&v->payload);
	struct text_cell rest = rest_text(v);
	for (; rest.at < rest.end && n < sizeof text; rest.at++)
		text[n++] = *rest.at ? *rest.at : ' ';
	if (!v->payload.bad)
		builder_info_bytes(l->out.b, v->type == RUNTIME ? "runtime" : "program", text, n);
	return true;
}

static struct eventlog_points *
points_of(struct eventlog *l, uint16_t type, uint32_t cap, enum track_kind kind, const char *name)
{
	uint32_t i;

	if (idmap_add(&l->points_of, (uint64_t)type << 32 | cap, l->points.n, &i)) {
		track_id t = builder_track(l->out.b, name, strlen(name), kind);
		*vec_push(&l->points) = (struct eventlog_points){
			type, cap, t, builder_points(l->out.b, t, false)};
	}
	return &l->points.at[i];
}

static bool
take_mark(struct eventlog *l, struct eventlog_event *v)
{
	enum { MARKER = 58 };
	const char *track = v->type == MARKER ? "markers" : "messages";
	struct text_cell text = rest_text(v);
	name_id name = builder_name(l->out.b, text.at, (size_t)(text.end - text.at));
	struct eventlog_points *p =
		points_of(l, v->type, EVENTLOG_NO_CAP, TRACK_MARKS, track);

	builder_track_value(l->out.b, p->track, name, name);
	return builder_point(l->out.b, p->series, v->time_ns, name, v->offset, l->out.e);
}

static bool
take_counter(struct eventlog *l, struct eventlog_event *v)
{
	static const struct {
		uint16_t type;
		const char *name;
	} counters[] = {
		{EVENTLOG_ALLOCATED, "heap allocated"},
		{50, "heap size"},
		{51, "heap live"},
		{91, "heap blocks"},
	};
	const char *name = "";

	cursor_u32(&v->payload);
	uint64_t value = cursor_u64(&v->payload);
	if (v->payload.bad || value > INT64_MAX)
		return malformed(l);
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		if (counters[i].type == v->type)
			name = counters[i].name;
	uint32_t cap = v->type == EVENTLOG_ALLOCATED ? v->cap : EVENTLOG_NO_CAP;
	struct eventlog_points *p = points_of(l, v->type, cap, TRACK_COUNTER, name);
	return builder_point(l->out.b, p->series, v->time_ns, (int64_t)value, v->offset, l->out.e);
}

/* ---- the profiler ---- */

static bool
take_cost_centre(struct eventlog *l, struct eventlog_event *v)
{
	uint32_t id = cursor_u32(&v->payload);
	size_t label_len, module_len, place_len;
	const char *label = cursor_text(&v->payload, &label_len);
	const char *module = cursor_text(&v->payload, &module_len);
	const char *place = cursor_text(&v->payload, &place_len);

	if (v->payload.bad)
		return malformed(l);
	idmap_put(&l->frame_of, id, ghc_frame(&l->out, label, label_len, module, module_len, place,
					      place_len));
	return true;
}

/* Reads a depth and as many cost centres. Returns STACK_EMPTY if there are none. */
static stack_id
cost_centres(struct eventlog *l, struct eventlog_event *v)
{
	unsigned depth = cursor_u8(&v->payload);

	if (cursor_left(&v->payload) < depth * 4u) {
		v->payload.bad = true;
		return STACK_EMPTY;
	}
	for (unsigned i = 0; i < depth; i++) {
		uint32_t frame = idmap_get(&l->frame_of, cursor_u32(&v->payload));
		if (frame == IDMAP_NONE)
			frame = builder_frame(l->out.b, builder_function_unknown(l->out.b),
					      line_unknown());
		builder_next_frame(l->out.b, frame);
	}
	return depth ? builder_next_leaf_first(l->out.b) : STACK_EMPTY;
}

static bool
take_prof_begin(struct eventlog *l, struct eventlog_event *v)
{
	uint64_t ns = cursor_u64(&v->payload);

	if (v->payload.bad || ns > INT64_MAX)
		return malformed(l);
	l->tick_ns = (int64_t)ns;
	return true;
}

static bool
take_prof_sample(struct eventlog *l, struct eventlog_event *v)
{
	struct eventlog_cap *c = eventlog_cap(l, cursor_u32(&v->payload));

	cursor_u64(&v->payload);
	stack_id stack = cost_centres(l, v);
	if (v->payload.bad)
		return malformed(l);
	if (!c->profile) {
		metric_id metric[2] = {
			builder_metric(l->out.b, "samples", UNIT_SAMPLES, ROLE_EVENTS),
			builder_metric(l->out.b, "time", UNIT_NS, ROLE_VALUE),
		};
		track_id t = builder_trackf(l->out.b, TRACK_THREAD, "cap %" PRId64 " (profile)",
					    c->number);
		builder_default_metric(l->out.b, metric[1]);
		c->profile = builder_samples(l->out.b, t, metric, 2);
		l->has_samples = true;
	}
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(l->out.b, 1);
	return builder_sample(l->out.b, c->profile, v->time_ns, stack, &l->tick_ns, v->offset,
			      l->out.e);
}

/* ---- the heap ---- */

static bool
take_heap_begin(struct eventlog *l, struct eventlog_event *v)
{
	if (!l->has_heap) {
		l->out.track = builder_track(l->out.b, "heap", 4, TRACK_THREAD);
		ghc_bands_begin(&l->heap, &l->out);
		l->has_heap = true;
	}
	if (l->heap.inside && !ghc_bands_sample_end(&l->heap))
		return false;
	ghc_bands_sample(&l->heap, v->time_ns, v->offset);
	return true;
}

static bool
take_band(struct eventlog *l, struct eventlog_event *v)
{
	enum { BY_TEXT = 164 };
	stack_id stack;

	cursor_u8(&v->payload);
	uint64_t bytes = cursor_u64(&v->payload);
	if (v->type == BY_TEXT) {
		struct text_cell text = rest_text(v);
		stack = ghc_band_stack(&l->out, text.at, text.end);
	} else {
		stack = cost_centres(l, v);
	}
	if (v->payload.bad || bytes > INT64_MAX || !l->heap.inside)
		return malformed(l);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(l->out.b, 1);
	return ghc_band_add(&l->heap, stack, (int64_t)bytes, v->offset);
}

static bool
take_heap_end(struct eventlog *l, struct eventlog_event *v UNUSED)
{
	return !l->heap.inside || ghc_bands_sample_end(&l->heap);
}

eventlog_take *
eventlog_taker(uint16_t type)
{
	static const struct {
		uint16_t type;
		eventlog_take *take;
	} takers[] = {
		{1, take_run},          {2, take_stop},
		{8, take_wakeup},       {9, take_gc},
		{10, take_gc},          {19, take_mark},
		{29, take_fact},        {30, take_fact},
		{44, take_label},       {EVENTLOG_ALLOCATED, take_counter},
		{50, take_counter},     {51, take_counter},
		{58, take_mark},        {91, take_counter},
		{161, take_cost_centre}, {162, take_heap_begin},
		{163, take_band},       {164, take_band},
		{165, take_heap_end},   {166, take_heap_begin},
		{167, take_prof_sample},     {168, take_prof_begin},
	};

	for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
		if (takers[i].type == type)
			return takers[i].take;
	return NULL;
}
