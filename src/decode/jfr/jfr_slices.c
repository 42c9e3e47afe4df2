/* Slices of the JVM itself, beside the threads: collections and their pauses, operations of the VM
 * thread and the safepoints before them, compilations. Failures of collections are marks.
 *
 *	GC                  |GC G1New            |        |GC Pause|
 *	                      |GC Pause        |          GCPhasePause in GarbageCollection
 *	                         |Evacuate|               GCPhasePauseLevel1 in GCPhasePause
 *	GC (concurrent)     |GC G1Old                         |
 *	                      |Concurrent Mark Cycle     |
 *	VM operations     |safepoint|G1CollectForAllocation|
 *
 * A phase begins and ends in the phase around it, so times nest them. A collection that mostly runs
 * beside the threads is on a track of its own, since others begin while it runs. Phases of single
 * workers (GCPhaseParallel) are only counted, and so are the events of one kind of collection
 * (YoungGarbageCollection), which repeat GarbageCollection.
 *
 * Of equal times, the first slice is the outer one. So phases wait until all collections are
 * there. */
#include "src/decode/jfr/jfr_inside.h"

#include <string.h>

#define CONCURRENT "GC (concurrent)"

static uint32_t
track_aside(struct jfr *d, name_id name)
{
	struct cast_track like = {
		.process = CAST_NONE,
		.thread = CAST_NONE,
		.kind = TRACK_TASK,
		.name = name,
		.aside = true,
		.own = {.start = CAST_NO_TIME, .end = CAST_NO_TIME},
	};

	return cast_track(&d->cast, like);
}

static bool
slice_add(struct jfr *d, uint32_t type, name_id track, frame_id frame, labels_id labels)
{
	int64_t start = jfr_time_of(d, jfr_got(&d->event, ATOM_startTime));

	cast_slice(&d->cast, track_aside(d, track), start, jfr_end_of(d, type) - start, frame,
		   labels);
	return true;
}

/* A slice with a name of its own on a track with a constant name. */
static bool
slice_named(struct jfr *d, uint32_t type, const char *track, name_id name, labels_id labels)
{
	if (name == NAME_EMPTY)
		name = builder_name(d->b, "[unknown]", 9);
	return slice_add(d, type, builder_name(d->b, track, strlen(track)),
			 builder_frame_named(d->b, name), labels);
}

static bool
phase(struct jfr *d, uint32_t type, const char *track)
{
	int64_t start = jfr_time_of(d, jfr_got(&d->event, ATOM_startTime));
	name_id name = jfr_word(d, jfr_got(&d->event, ATOM_name));

	if (name == NAME_EMPTY)
		name = builder_name(d->b, "[unknown]", 9);
	*vec_push(&d->phase) = (struct jfr_phase){
		.start = start,
		.length = jfr_end_of(d, type) - start,
		.track = track_aside(d, builder_name(d->b, track, strlen(track))),
		.frame = builder_frame_named(d->b, name),
	};
	return true;
}

static bool
collection(struct jfr *d, uint32_t type)
{
	struct name name = builder_name_get(d->b, jfr_word(d, jfr_got(&d->event, ATOM_name)));
	name_id cause = jfr_text(d, jfr_got(&d->event, ATOM_cause), ATOM_cause);
	label_id reason = builder_label_text(d->b, builder_name(d->b, "reason", 6), cause);
	int64_t ns = jfr_span_of(d, type, ATOM_duration);
	bool beside = jfr_got(&d->event, ATOM_sumOfPauses) &&
		      jfr_span_of(d, type, ATOM_sumOfPauses) < ns / 2;

	return slice_named(d, type, beside ? CONCURRENT : "GC",
			   builder_namef(d->b, "GC %.*s", (int)name.len, name.at),
			   cause == NAME_EMPTY ? LABELS_NONE : builder_labels(d->b, &reason, 1));
}

/* A compilation, as its method, on a track beside its thread. */
static bool
compilation(struct jfr *d, uint32_t type)
{
	uint32_t thread = jfr_thread(d, jfr_got(&d->event, ATOM_eventThread));
	struct name name = builder_name_get(d->b, d->cast.track.at[thread].name);
	stack_id stack = jfr_stack_of_method(d, STACK_EMPTY, jfr_got(&d->event, ATOM_method));
	frame_id frame;

	if (stack == STACK_EMPTY || stack == STACK_NONE)
		return true;
	builder_stack_parent(d->b, stack, &frame);
	return slice_add(d, type,
			 builder_namef(d->b, "%.*s (compilations)", (int)name.len, name.at), frame,
			 LABELS_NONE);
}

/* A mark with the name of the event. */
static bool
failure(struct jfr *d, uint32_t type, uint64_t offset)
{
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE};
	struct name name = builder_name_get(d->b, d->chunk.type.at[type].name);
	const char *dot = memrchr(name.at, '.', name.len);
	size_t skip = dot ? (size_t)(dot + 1 - name.at) : 0;
	struct series *points;

	like.name = builder_name(d->b, name.at + skip, name.len - skip);
	points = cast_points(&d->cast, cast_marks(&d->cast, like), false, false);
	return builder_point(d->b, points, jfr_time_of(d, jfr_got(&d->event, ATOM_startTime)), 0,
			     offset, d->err);
}

bool
jfr_slice(struct jfr *d, uint32_t type, enum jfr_event event, uint64_t offset)
{
	if (event == EVENT_COLLECTION)
		return collection(d, type);
	if (event == EVENT_PHASE)
		return phase(d, type, "GC");
	if (event == EVENT_CONCURRENT)
		return phase(d, type, CONCURRENT);
	if (event == EVENT_SAFEPOINT)
		return slice_named(d, type, "VM operations", builder_name(d->b, "safepoint", 9),
				   LABELS_NONE);
	if (event == EVENT_OPERATION)
		return slice_named(d, type, "VM operations",
				   jfr_text(d, jfr_got(&d->event, ATOM_operation), ATOM_type),
				   LABELS_NONE);
	return event == EVENT_COMPILATION ? compilation(d, type) : failure(d, type, offset);
}

bool
jfr_slices_write(struct jfr *d)
{
	for (size_t i = 0; i < d->phase.n; i++) {
		const struct jfr_phase *p = &d->phase.at[i];

		cast_slice(&d->cast, p->track, p->start, p->length, p->frame, LABELS_NONE);
	}
	if (!cast_asyncs(&d->cast))
		return true;
	d->async = builder_metric(d->b, "async", UNIT_NS, ROLE_TIME);
	return cast_write(&d->cast, METRIC_NONE, d->async, true, d->chunk.offset, d->err);
}
