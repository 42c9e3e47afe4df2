/* Converts events: samples with the metrics of their kind, points of counters. All others are
 * slices (jfr_slices.c), or counted by name. */
#include "src/decode/jfr/jfr_inside.h"

#include <string.h>

#include "src/decode/common/words.h"

/* ---- kinds ---- */

enum jfr_event
jfr_event_of(struct name type)
{
	static const struct {
		const char *name;
		enum jfr_event event;
	} known[] = {
		{"jdk.ExecutionSample", EVENT_EXECUTION},
		{"jdk.NativeMethodSample", EVENT_NATIVE},
		{"jdk.CPUTimeSample", EVENT_CPU_TIME},
		{"jdk.MethodTrace", EVENT_METHOD},
		{"profiler.WallClockSample", EVENT_WALL},
		{"jdk.ObjectAllocationInNewTLAB", EVENT_ALLOC_IN},
		{"jdk.ObjectAllocationOutsideTLAB", EVENT_ALLOC_OUT},
		{"jdk.ObjectAllocationSample", EVENT_ALLOC_SAMPLE},
		{"jdk.JavaMonitorEnter", EVENT_LOCK},
		{"jdk.JavaMonitorWait", EVENT_LOCK},
		{"jdk.ThreadPark", EVENT_LOCK},
		{"jdk.ThreadSleep", EVENT_LOCK},
		{"jdk.SocketRead", EVENT_IO},
		{"jdk.SocketWrite", EVENT_IO},
		{"jdk.FileRead", EVENT_IO},
		{"jdk.FileWrite", EVENT_IO},
		{"profiler.Malloc", EVENT_MALLOC},
		{"profiler.Free", EVENT_FREE},
		{"profiler.LiveObject", EVENT_LIVE},
		{"jdk.OldObjectSample", EVENT_OLD},
		{"jdk.CPULoad", EVENT_LOAD},
		{"jdk.GCHeapSummary", EVENT_HEAP},
		{"jdk.JavaExceptionThrow", EVENT_EXCEPTION},
		{"jdk.JavaErrorThrow", EVENT_ERROR},
		{"jdk.VirtualThreadPinned", EVENT_PINNED},
		{"jdk.GarbageCollection", EVENT_COLLECTION},
		{"jdk.GCPhasePause", EVENT_PHASE},
		{"jdk.GCPhasePauseLevel1", EVENT_PHASE},
		{"jdk.GCPhasePauseLevel2", EVENT_PHASE},
		{"jdk.GCPhasePauseLevel3", EVENT_PHASE},
		{"jdk.GCPhasePauseLevel4", EVENT_PHASE},
		{"jdk.GCPhaseConcurrent", EVENT_CONCURRENT},
		{"jdk.GCPhaseConcurrentLevel1", EVENT_CONCURRENT},
		{"jdk.GCPhaseConcurrentLevel2", EVENT_CONCURRENT},
		{"jdk.SafepointBegin", EVENT_SAFEPOINT},
		{"jdk.ExecuteVMOperation", EVENT_OPERATION},
		{"jdk.Compilation", EVENT_COMPILATION},
		{"jdk.EvacuationFailed", EVENT_FAILURE},
		{"jdk.PromotionFailed", EVENT_FAILURE},
		{"jdk.ConcurrentModeFailure", EVENT_FAILURE},
		{"jdk.ActiveSetting", EVENT_SETTING},
		{"datadog.ExecutionSample", EVENT_DATADOG_CPU},
		{"datadog.MethodSample", EVENT_DATADOG_WALL},
		{"datadog.ObjectSample", EVENT_DATADOG_ALLOC},
		{"datadog.DatadogProfilerConfig", EVENT_SETTING},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (name_is(type, known[i].name))
			return known[i].event;
	return EVENT_OTHER;
}

/* Series of a track: which metrics their samples have. */
enum {
	SET_CPU,
	SET_EXECUTION,
	SET_BOTH, /* of CPU and wall time */
	SET_NATIVE,
	SET_WALL,
	SET_ALLOC,
	SET_TLAB,
	SET_MALLOC,
	SET_LIVE,
	SET_LOCK,
	SET_IO,
	SET_TRACED,
	SET_EXCEPTION,
	SET_ERROR,
	SET_PINNED,
	SETS
};
_Static_assert(SETS <= 16, "jfr_track.series");

/* replaced: the metrics once the recording shows that it has a better estimate of the same. */
static const struct {
	unsigned n;
	uint8_t metric[JFR_VALUES], replaced[2];
} sets[] = {
	[SET_CPU] = {2, {METRIC_SAMPLES, METRIC_CPU}, {0}},
	[SET_EXECUTION] = {2, {METRIC_SAMPLES, METRIC_CPU}, {METRIC_EXECUTIONS, METRIC_EXECUTION}},
	[SET_BOTH] = {3, {METRIC_SAMPLES, METRIC_CPU, METRIC_WALL}, {0}},
	[SET_NATIVE] = {1, {METRIC_NATIVE}, {0}},
	[SET_WALL] = {2, {METRIC_SAMPLES, METRIC_WALL}, {0}},
	[SET_ALLOC] = {2, {METRIC_ALLOC, METRIC_ALLOCS}, {0}},
	[SET_TLAB] = {2, {METRIC_ALLOC, METRIC_ALLOCS}, {METRIC_ALLOC_TLAB, METRIC_ALLOCS_TLAB}},
	[SET_MALLOC] = {4, {METRIC_ALLOC, METRIC_ALLOCS, METRIC_LIVE, METRIC_LIVES}, {0}},
	[SET_LIVE] = {2, {METRIC_LIVE, METRIC_LIVES}, {0}},
	[SET_LOCK] = {1, {METRIC_LOCK}, {0}},
	[SET_IO] = {1, {METRIC_IO}, {0}},
	[SET_TRACED] = {1, {METRIC_TRACED}, {0}},
	[SET_EXCEPTION] = {1, {METRIC_EXCEPTIONS}, {0}},
	[SET_ERROR] = {1, {METRIC_ERRORS}, {0}},
	[SET_PINNED] = {1, {METRIC_PINNED}, {0}},
};

static metric_id
metric(struct jfr *d, enum jfr_metric which)
{
	static const struct {
		const char *name;
		enum unit unit;
	} names[] = {
		[METRIC_SAMPLES] = {"samples", UNIT_SAMPLES},
		[METRIC_CPU] = {"cpu", UNIT_NS},
		[METRIC_NATIVE] = {"native", UNIT_SAMPLES},
		[METRIC_WALL] = {"wall", UNIT_NS},
		[METRIC_ALLOC] = {"alloc", UNIT_BYTES},
		[METRIC_ALLOCS] = {"allocs", UNIT_COUNT},
		[METRIC_LOCK] = {"lock", UNIT_NS},
		[METRIC_IO] = {"io", UNIT_NS},
		[METRIC_LIVE] = {"live", UNIT_BYTES},
		[METRIC_LIVES] = {"lives", UNIT_COUNT},
		[METRIC_ALLOC_TLAB] = {"alloc-tlab", UNIT_BYTES},
		[METRIC_ALLOCS_TLAB] = {"allocs-tlab", UNIT_COUNT},
		[METRIC_EXECUTIONS] = {"executions", UNIT_SAMPLES},
		[METRIC_EXECUTION] = {"execution", UNIT_NS},
		[METRIC_TRACED] = {"traced", UNIT_NS},
		[METRIC_EXCEPTIONS] = {"exceptions", UNIT_COUNT},
		[METRIC_ERRORS] = {"errors", UNIT_COUNT},
		[METRIC_PINNED] = {"pinned", UNIT_NS},
	};

	if (d->metric[which] == METRIC_NONE)
		d->metric[which] = builder_metric(d->b, names[which].name, names[which].unit,
						  ROLE_VALUE);
	return d->metric[which];
}

void
jfr_metrics_default(struct jfr *d)
{
	static const uint8_t order[] = {METRIC_CPU,    METRIC_WALL, METRIC_SAMPLES,
					METRIC_ALLOC,   METRIC_LOCK, METRIC_LIVE,
					METRIC_NATIVE,  METRIC_IO,   METRIC_TRACED,
					METRIC_PINNED,  METRIC_EXCEPTIONS, METRIC_ERRORS};

	for (size_t i = 0; i < sizeof order; i++)
		if (d->metric[order[i]] != METRIC_NONE) {
			builder_default_metric(d->b, d->metric[order[i]]);
			return;
		}
	builder_default_metric(d->b, d->async != METRIC_NONE ? d->async
							     : metric(d, METRIC_SAMPLES));
}

/* ---- samples ---- */

static int64_t
jfr_number_of(const struct jfr *d, enum jfr_atom atom)
{
	const struct jfr_got *got = jfr_got(&d->event, atom);

	return got && (int64_t)got->number > 0 ? (int64_t)got->number : 0;
}

static labels_id
jfr_labels_of(struct jfr *d)
{
	static const enum jfr_atom classes[] = {ATOM_objectClass, ATOM_monitorClass,
						ATOM_parkedClass};
	label_id id[2];
	size_t n = 0;
	name_id state = jfr_word(d, jfr_got(&d->event, ATOM_state)), class = NAME_EMPTY;

	for (size_t i = 0; i < 3 && class == NAME_EMPTY; i++)
		class = jfr_class(d, jfr_got(&d->event, classes[i]));
	if (class == d->labels.class && state == d->labels.state)
		return d->labels.set;
	if (class != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, builder_name(d->b, "class", 5), class);
	if (state != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, builder_name(d->b, "state", 5), state);
	d->labels.class = class;
	d->labels.state = state;
	return d->labels.set = n ? builder_labels(d->b, id, n) : LABELS_NONE;
}

/* Gives a series other metrics from now on, since the recording has a better estimate of the same:
 * the two must not be added up. Allocations in TLABs and samples of allocations are both estimates
 * of the allocated bytes; samples of executions and of CPU time both of the CPU time. */
static void
replace_metrics(struct jfr *d, unsigned set)
{
	if (d->replaced >> set & 1)
		return;
	d->replaced |= (uint16_t)(1u << set);
	for (size_t i = 0; i < d->track.n; i++) {
		struct series *s = d->track.at[i].series[set];
		for (unsigned m = 0; s && m < sets[set].n; m++)
			builder_series_metric(d->b, s, metric(d, sets[set].metric[m]),
					      metric(d, sets[set].replaced[m]));
	}
}

static struct jfr_track *
track_at(struct jfr *d, uint32_t track)
{
	while (d->track.n <= track)
		*vec_push(&d->track) = (struct jfr_track){0};
	return &d->track.at[track];
}

static bool
sample_with(struct jfr *d, unsigned set, int64_t time, stack_id stack, labels_id labels,
	    const int64_t *value, uint64_t offset)
{
	const struct jfr_got *thread = jfr_got(&d->event, ATOM_sampledThread);
	metric_id of[JFR_VALUES];

	uint32_t track = jfr_thread(d, thread ? thread : jfr_got(&d->event, ATOM_eventThread));
	struct jfr_track *t = track_at(d, track);
	if (!t->series[set]) {
		for (unsigned i = 0; i < sets[set].n; i++)
			of[i] = metric(d, d->replaced >> set & 1 ? sets[set].replaced[i]
								 : sets[set].metric[i]);
		t->series[set] = builder_samples(d->b, cast_made(&d->cast, track), of,
						 sets[set].n);
		builder_labelled(d->b, t->series[set]);
		if (set == SET_CPU || set == SET_EXECUTION || set == SET_BOTH)
			builder_sample_interval(t->series[set], value[1]);
	}
	builder_next_labels(d->b, t->series[set], labels);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(d->b, 1);
	return builder_sample(d->b, t->series[set], time, stack, value, offset, d->err);
}

static bool
sample_of(struct jfr *d, unsigned set, const int64_t value[JFR_VALUES], uint64_t offset)
{
	return sample_with(d, set, jfr_time_of(d, jfr_got(&d->event, ATOM_startTime)),
			   jfr_stack(d, jfr_got(&d->event, ATOM_stackTrace)),
			   jfr_labels_of(d), value, offset);
}

static bool
jfr_sample(struct jfr *d, unsigned set, int64_t first, int64_t second, uint64_t offset)
{
	const int64_t value[JFR_VALUES] = {first, second, first, second};

	return sample_of(d, set, value, offset);
}

/* ---- samples of time ---- */

/* async-profiler's own intervals if none is given: 10 ms, and 50 ms if it also samples threads
 * that sleep. */
enum { CPU_INTERVAL = 10000000, WALL_INTERVAL = 50000000 };

static int64_t
interval_of_cpu(const struct jfr *d)
{
	return d->samplers.cpu_interval    ? d->samplers.cpu_interval
	       : d->samplers.event_is_wall ? WALL_INTERVAL
	       : d->samplers.period        ? d->samplers.period
					   : CPU_INTERVAL;
}

static int64_t
interval_of_wall(const struct jfr *d)
{
	return d->samplers.wall_interval ? d->samplers.wall_interval
	       : d->samplers.wall        ? WALL_INTERVAL
					 : interval_of_cpu(d);
}

/* jdk.ExecutionSample: CPU time, unless the thread sleeps, which async-profiler samples by the
 * wall clock.  A sampler of the wall clock also samples running threads.  Newer ones write
 * profiler.WallClockSample instead; then the events here come only from the other sampler. */
static bool
execution(struct jfr *d, uint64_t offset)
{
	struct name state = builder_name_get(d->b, jfr_word(d, jfr_got(&d->event, ATOM_state)));
	bool wall = (d->samplers.wall || d->samplers.event_is_wall) &&
		    !d->samplers.wall_apart;
	bool asleep = name_is(state, "STATE_SLEEPING");

	if (!asleep && !d->samplers.cpu_interval && !d->samplers.period)
		d->samplers.cpu_guess = interval_of_cpu(d);
	if ((asleep || wall) && !d->samplers.wall_interval && !d->samplers.cpu_interval)
		d->samplers.wall_guess = interval_of_wall(d);
	if (asleep)
		return jfr_sample(d, SET_WALL, 1, interval_of_wall(d), offset);
	const int64_t value[JFR_VALUES] = {1, interval_of_cpu(d), interval_of_wall(d)};
	return sample_of(d, wall ? SET_BOTH : SET_EXECUTION, value, offset);
}

/* One event for several samples, whose number is a field. */
static bool
several(struct jfr *d, unsigned set, enum jfr_atom number, int64_t interval, uint64_t offset)
{
	int64_t n = jfr_got(&d->event, number) ? jfr_number_of(d, number) : 1, ns;

	if (__builtin_mul_overflow(n, interval, &ns))
		return err_damage(d->err, offset, "a sample's time exceeds 2^63 ns");
	return jfr_sample(d, set, n, ns, offset);
}

/* profiler.WallClockSample, of consecutive samples of the same stack; datadog.MethodSample. */
static bool
wall_clock(struct jfr *d, enum jfr_atom number, uint64_t offset)
{
	if (!d->samplers.wall_interval)
		d->samplers.wall_guess = interval_of_wall(d);
	return several(d, SET_WALL, number, interval_of_wall(d), offset);
}

/* datadog.ExecutionSample: CPU time of its thread. */
static bool
datadog_cpu(struct jfr *d, uint64_t offset)
{
	replace_metrics(d, SET_EXECUTION);
	if (!d->samplers.cpu_interval && !d->samplers.period)
		d->samplers.cpu_guess = interval_of_cpu(d);
	return several(d, SET_CPU, ATOM_weight, interval_of_cpu(d), offset);
}

/* Returns the duration of a traced call without the traced calls in it. A thread writes its calls
 * in the order of their ends, so those in it have come before. */
static int64_t
without_inner(struct jfr_track *t, int64_t start, int64_t duration)
{
	int64_t own = duration;

	while (t->traced.n && t->traced.at[t->traced.n - 1].start >= start)
		own -= t->traced.at[--t->traced.n].duration;
	*vec_push(&t->traced) = (struct jfr_call){start, duration};
	return own < 0 ? 0 : own;
}

/* jdk.MethodTrace: a call of a method, below the stack of its caller. */
static bool
traced(struct jfr *d, uint32_t type, uint64_t offset)
{
	int64_t start = jfr_time_of(d, jfr_got(&d->event, ATOM_startTime));
	struct jfr_track *t = track_at(d, jfr_thread(d, jfr_got(&d->event, ATOM_eventThread)));
	const int64_t value[JFR_VALUES] = {
		without_inner(t, start, jfr_span_of(d, type, ATOM_duration))};
	stack_id stack = jfr_stack(d, jfr_got(&d->event, ATOM_stackTrace));

	return sample_with(d, SET_TRACED, start,
			   jfr_stack_of_method(d, stack, jfr_got(&d->event, ATOM_method)),
			   LABELS_NONE, value, offset);
}

/* ---- memory ---- */

/* datadog.ObjectSample: one object for `weight` of its size. */
static bool
datadog_alloc(struct jfr *d, uint64_t offset)
{
	const struct jfr_got *weight = jfr_got(&d->event, ATOM_weight);
	double n = weight ? weight->real : 1, bytes = n * (double)jfr_number_of(d, ATOM_size);

	if (!(n >= 0 && bytes < 0x1p62 && n < 0x1p62))
		return err_damage(d->err, offset, "a sample's size exceeds 2^62 bytes");
	replace_metrics(d, SET_TLAB);
	return jfr_sample(d, SET_ALLOC, (int64_t)(bytes + 0.5), (int64_t)(n + 0.5), offset);
}

static bool
allocated(struct jfr *d, uint64_t offset)
{
	const struct jfr_got *address = jfr_got(&d->event, ATOM_address);
	int64_t size = jfr_number_of(d, ATOM_size);

	if (address)
		live_blocks_alloc(&d->live, &(struct live_block){
			.address = address->number, .size = (uint64_t)size,
			.stack = jfr_stack(d, jfr_got(&d->event, ATOM_stackTrace))});
	return jfr_sample(d, SET_MALLOC, size, 1, offset);
}

/* An object that was not collected. */
static bool
live(struct jfr *d, uint32_t type, uint64_t offset)
{
	int64_t weight = jfr_number_of(d, ATOM_objectSize);

	weight = weight ? weight : jfr_number_of(d, ATOM_allocationSize);
	if (weight)
		return jfr_sample(d, SET_LIVE, weight, 1, offset);
	d->chunk.type.at[type].seen++;
	return true;
}

/* Subtracts a freed block from the stack that allocated it. */
static bool
freed(struct jfr *d, uint64_t offset)
{
	const struct jfr_got *address = jfr_got(&d->event, ATOM_address);
	struct live_block block;

	if (!address || !live_blocks_free(&d->live, address->number, &block)) {
		d->unmatched++;
		return true;
	}
	const int64_t value[JFR_VALUES] = {0, 0, -(int64_t)block.size, -1};
	return sample_with(d, SET_MALLOC,
			   jfr_time_of(d, jfr_got(&d->event, ATOM_startTime)),
			   block.stack, LABELS_NONE, value, offset);
}

/* ---- exceptions ---- */

/* The JDK writes an error also as an exception, so the two have metrics of their own. */
static bool
thrown(struct jfr *d, unsigned set, uint64_t offset)
{
	static const int64_t one = 1;
	name_id class = jfr_class(d, jfr_got(&d->event, ATOM_thrownClass));
	name_id message = jfr_text(d, jfr_got(&d->event, ATOM_message), ATOM_string);
	label_id id[2];
	size_t n = 0;

	if (class != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, builder_name(d->b, "type", 4), class);
	if (message != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, builder_name(d->b, "message", 7), message);
	return sample_with(d, set, jfr_time_of(d, jfr_got(&d->event, ATOM_startTime)),
			   jfr_stack(d, jfr_got(&d->event, ATOM_stackTrace)),
			   n ? builder_labels(d->b, id, n) : LABELS_NONE, &one, offset);
}

/* ---- counters ---- */

static struct series *
jfr_counter(struct jfr *d, const char *name, const char *unit)
{
	uint32_t track = cast_track(
		&d->cast,
		(struct cast_track){.process = CAST_NONE,
				    .thread = CAST_NONE,
				    .kind = TRACK_COUNTER,
				    .name = builder_name(d->b, name, strlen(name)),
				    .own.unit = builder_name(d->b, unit, strlen(unit))});

	return cast_points(&d->cast, track, !*unit, false);
}

static bool
load_point(struct jfr *d, const char *name, enum jfr_atom atom, uint64_t offset)
{
	const struct jfr_got *load = jfr_got(&d->event, atom);

	return !load || builder_point_double(d->b, jfr_counter(d, name, ""),
					     jfr_time_of(d, jfr_got(&d->event, ATOM_startTime)),
					     load->real, offset, d->err);
}

static bool
heap_point(struct jfr *d, uint64_t offset)
{
	return builder_point(d->b, jfr_counter(d, "heap.used", "bytes"),
			     jfr_time_of(d, jfr_got(&d->event, ATOM_startTime)),
			     jfr_number_of(d, ATOM_heapUsed), offset, d->err);
}

/* ---- an event ---- */

/* Handles an event, whose fields are in d->event. */
static bool
fields_take(struct jfr *d, uint32_t type, enum jfr_event event, uint64_t offset)
{
	switch (event) {
	case EVENT_EXECUTION:
		return execution(d, offset);
	case EVENT_METHOD:
		return traced(d, type, offset);
	case EVENT_CPU_TIME:
		replace_metrics(d, SET_EXECUTION);
		return jfr_sample(d, SET_CPU, 1, jfr_span_of(d, type, ATOM_samplingPeriod), offset);
	case EVENT_NATIVE:
		return jfr_sample(d, SET_NATIVE, 1, 0, offset);
	case EVENT_WALL:
	case EVENT_DATADOG_WALL:
		return wall_clock(d, event == EVENT_WALL ? ATOM_samples : ATOM_weight, offset);
	case EVENT_DATADOG_CPU:
		return datadog_cpu(d, offset);
	case EVENT_DATADOG_ALLOC:
		return datadog_alloc(d, offset);
	case EVENT_ALLOC_IN:
		return jfr_sample(d, SET_TLAB, jfr_number_of(d, ATOM_tlabSize), 1, offset);
	case EVENT_ALLOC_OUT:
		return jfr_sample(d, SET_TLAB, jfr_number_of(d, ATOM_allocationSize), 1, offset);
	case EVENT_ALLOC_SAMPLE:
		replace_metrics(d, SET_TLAB);
		return jfr_sample(d, SET_ALLOC, jfr_number_of(d, ATOM_weight), 1, offset);
	case EVENT_LOCK:
		return jfr_sample(d, SET_LOCK, jfr_span_of(d, type, ATOM_duration), 0, offset);
	case EVENT_IO:
		return jfr_sample(d, SET_IO, jfr_span_of(d, type, ATOM_duration), 0, offset);
	case EVENT_MALLOC:
		return allocated(d, offset);
	case EVENT_FREE:
		return freed(d, offset);
	case EVENT_LIVE:
	case EVENT_OLD:
		return live(d, type, offset);
	case EVENT_LOAD:
		return load_point(d, "cpu.machine", ATOM_machineTotal, offset) &&
		       load_point(d, "cpu.jvmUser", ATOM_jvmUser, offset);
	case EVENT_HEAP:
		return heap_point(d, offset);
	case EVENT_EXCEPTION:
	case EVENT_ERROR:
		return thrown(d, event == EVENT_ERROR ? SET_ERROR : SET_EXCEPTION, offset);
	case EVENT_PINNED:
		return jfr_sample(d, SET_PINNED, jfr_span_of(d, type, ATOM_duration), 0, offset);
	case EVENT_COLLECTION:
	case EVENT_PHASE:
	case EVENT_CONCURRENT:
	case EVENT_SAFEPOINT:
	case EVENT_OPERATION:
	case EVENT_COMPILATION:
	case EVENT_FAILURE:
		return jfr_slice(d, type, event, offset);
	case EVENT_OTHER:
	case EVENT_SETTING:
		break;
	}
	return true;
}

bool
jfr_event(struct jfr *d, uint32_t type, struct cursor c, uint64_t offset)
{
	enum jfr_event event = (enum jfr_event)d->chunk.type.at[type].event;

	if (event == EVENT_OTHER || event == EVENT_SETTING) {
		d->chunk.type.at[type].seen += event == EVENT_OTHER;
		return true;
	}
	jfr_fields(&d->chunk, type, &c, &d->event);
	if (c.bad) {
		builder_warn(d->b, "events that are shorter than their fields, left out");
		return true;
	}
	return fields_take(d, type, event, offset);
}
