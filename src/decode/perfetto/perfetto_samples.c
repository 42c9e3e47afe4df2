/* Samples of four kinds, and heaps.  They are kept until everything was read, because the names
 * of their frames may follow them: 32 bytes each, and 8 a value. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/input/hash.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types perf_types = {
	.numbers = PROTO_BITS(1, 4) | PROTO_BIT(6) | PROTO_BIT(16),
	.lists = PROTO_BIT(7),
};
static const struct proto_types stack_types = {
	.numbers = PROTO_BIT(2) | PROTO_BIT(6) | PROTO_BITS(10, 11),
	.lists = PROTO_BITS(13, 14),
	.bytes = PROTO_BIT(1) | PROTO_BIT(5) | PROTO_BIT(9) | PROTO_BIT(12),
};
static const struct proto_types task_types = {.numbers = PROTO_BITS(2, 3)};
static const struct proto_types streaming_types = {.lists = PROTO_BITS(1, 2)};
static const struct proto_types heap_sample_types = {
	.numbers = PROTO_BITS(1, 3) | PROTO_BITS(5, 6) | PROTO_BIT(8),
};
static const struct proto_types dump_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(9),
	.bytes = PROTO_BIT(2) | PROTO_BIT(11),
};
static const struct proto_types heap_types = {.bytes = PROTO_BITS(1, 5)};

/* ---- sets of metrics ---- */

static uint32_t
set_of(struct perfetto *d, const struct pf_set *want)
{
	for (uint32_t i = 0; i < d->samples.set.n; i++)
		if (d->samples.set.at[i].n == want->n &&
		    !memcmp(d->samples.set.at[i].metric, want->metric,
			    want->n * sizeof *want->metric))
			return i;
	*vec_push(&d->samples.set) = *want;
	return (uint32_t)d->samples.set.n - 1;
}

static metric_id
samples_metric(struct perfetto *d)
{
	if (d->is.samples == METRIC_NONE)
		d->is.samples = builder_metric(d->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	return d->is.samples;
}

static void
sample_add(struct perfetto *d, uint32_t track, int64_t time, uint32_t stack,
	   const struct pf_set *set, const int64_t *value)
{
	pf_track_made(d, track);
	pf_reach(d, track, time);
	*vec_push(&d->samples.sample) = (struct pf_sample){.time = time,
						   .offset = d->p.offset,
						   .track = track,
						   .stack = stack,
						   .set = set_of(d, set),
						   .value = (uint32_t)d->samples.value.n};
	for (unsigned i = 0; i < set->n; i++)
		*vec_push(&d->samples.value) = value[i];
}

/* ---- beside track events ---- */

bool
pf_sample_event(struct perfetto *d, uint32_t track, int64_t time, uint32_t stack, bool weighs,
		double weight)
{
	struct pf_set set = {.n = 1, .metric = {samples_metric(d)}};
	int64_t value[2] = {1, 0};

	if (weighs && weight > -9e18 && weight < 9e18) {
		if (d->is.weight == METRIC_NONE)
			d->is.weight = builder_metric(d->b, "weight", UNIT_COUNT, ROLE_VALUE);
		set.metric[set.n] = d->is.weight;
		value[set.n++] = (int64_t)round(weight);
	}
	sample_add(d, track, time, stack, &set, value);
	return true;
}

/* ---- those of traced_perf ---- */

static const char *const counters[] = {
	NULL,		"cpu-clock",	"page-faults",		 "task-clock",
	"context-switches", "cpu-migrations", "minor-faults",	 "major-faults",
	"alignment-faults", "emulation-faults", "cycles",		 "instructions",
	"cache-references", "cache-misses",	"branches",		 "branch-misses",
	"bus-cycles",	"stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};

uint32_t
pf_perf_metric(struct perfetto *d, struct proto_field data, bool timebase)
{
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;
	uint64_t counter = 0;
	struct pf_descriptor x = {.unit = UNIT_COUNT, .factor = 1};

	while (proto_next(&p, &f)) {
		if (f.number == (timebase ? 4 : 1) && f.type == PROTO_VARINT && f.value < 20)
			counter = f.value;
		if (f.number == (timebase ? 10 : 4) && f.type == PROTO_BYTES)
			x.name = pf_text(d, &f);
		if (f.number != (timebase ? 3 : 2) || f.type != PROTO_BYTES)
			continue;
		for (q = proto_inside(&f); proto_next(&q, &g);) /* a tracepoint */
			if (g.number == 1 && x.name == NAME_EMPTY)
				x.name = pf_text(d, &g);
	}
	if (counter == 1 || counter == 3)
		x.unit = UNIT_NS;
	if (x.name == NAME_EMPTY) {
		const char *name = counter ? counters[counter] : timebase ? "timebase" : "follower";
		x.name = builder_name(d->b, name, strlen(name));
	}
	for (uint32_t i = 0; i < d->samples.metric.n; i++)
		if (d->samples.metric.at[i].name == x.name)
			return i;
	*vec_push(&d->samples.metric) = x;
	return (uint32_t)d->samples.metric.n - 1;
}

/* Returns how much a processor's counter has grown since its last value. */
static int64_t
grown(struct perfetto *d, uint64_t cpu, uint32_t metric, int64_t count)
{
	uint64_t key = cpu << 16 | metric;
	uint32_t i = idmap_get(&d->samples.perf_last, key);

	if (i == IDMAP_NONE) {
		idmap_put(&d->samples.perf_last, key, (uint32_t)d->sum.n);
		*vec_push(&d->sum) = count;
		return 0;
	}
	int64_t by = (int64_t)((uint64_t)count - (uint64_t)d->sum.at[i]);
	d->sum.at[i] = count;
	return by < 0 ? 0 : by;
}

bool
pf_sample_perf(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	struct pf_set set = {.n = 1, .metric = {samples_metric(d)}};
	int64_t value[PF_VALUES_MAX] = {1}, pid = -1, tid = -1, count[PF_VALUES_MAX] = {0};
	const struct pf_defaults *x = &d->s->defaults;
	unsigned n = 1;
	uint64_t cpu = 0, stack = 0, v;
	bool skipped = false;

	while (pf_next(d, &p, &perf_types, &f)) {
		cpu = f.number == 1 ? f.value & 0xFFFF : cpu;
		pid = f.number == 2 ? (int64_t)(uint32_t)f.value : pid;
		tid = f.number == 3 ? (int64_t)(uint32_t)f.value : tid;
		stack = f.number == 4 ? f.value : stack;
		count[0] = f.number == 6 ? (int64_t)f.value : count[0];
		struct proto_numbers numbers = proto_numbers(&f, PROTO_VARINT);
		while (f.number == 7 && n < PF_VALUES_MAX && proto_number(&numbers, &v))
			count[n++] = (int64_t)v;
		d->counts.unwind_errors += f.number == 16 && f.value > 1;
		skipped |= f.number == 17 || f.number == 18;
	}
	if (d->wrong)
		return false;
	if (skipped) {
		d->counts.skipped_samples++;
		return true;
	}
	for (unsigned i = 0; i < x->n_perf && i < n && set.n < PF_VALUES_MAX; i++) {
		struct name name = builder_name_get(d->b, d->samples.metric.at[x->perf[i]].name);
		buf_reset(&d->text);
		buf_add(&d->text, name.at, name.len);
		set.metric[set.n] = builder_metric(d->b, buf_str(&d->text),
						   (enum unit)d->samples.metric.at[x->perf[i]].unit,
						   ROLE_VALUE);
		value[set.n++] = grown(d, cpu, x->perf[i], count[i]);
	}
	sample_add(d, pf_track_thread(d, pid, tid), d->p.time, pf_interned(d, PF_STACK, stack),
		   &set, value);
	return true;
}

/* ---- stack samples ---- */

struct stack_sample {
	struct pf_task task;
	uint32_t stack;
	unsigned n; /* descriptors: the primary one and followers */
	uint32_t descriptor[PF_VALUES_MAX];
	unsigned n_weights;
	uint64_t weight[PF_VALUES_MAX];
};

static void
task_of(struct perfetto *d, struct stack_sample *s, const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field g;
	uint32_t known;

	if (f->number == 2) {
		known = pf_interned(d, PF_TASK, f->value);
		s->task = known != PF_NONE ? d->names.task.at[known] : s->task;
		return;
	}
	while (pf_next(d, &p, &task_types, &g)) {
		s->task.pid = g.number == 2 ? (uint32_t)g.value : s->task.pid;
		s->task.tid = g.number == 3 ? (uint32_t)g.value : s->task.tid;
	}
}

static void
followers(struct perfetto *d, struct stack_sample *s, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t v;

	if (f->number == 12 && f->type == PROTO_BYTES) {
		if (s->n < PF_VALUES_MAX - 1)
			s->descriptor[s->n++] = pf_descriptor_read(d, *f);
		return;
	}
	while (f->number >= 13 && proto_number(&n, &v)) {
		if (f->number == 13 && s->n < PF_VALUES_MAX - 1)
			s->descriptor[s->n++] = pf_interned(d, PF_DESCRIPTOR, v);
		if (f->number == 14 && s->n_weights < PF_VALUES_MAX - 1)
			s->weight[s->n_weights++] = v;
	}
}

static void
stack_sample_read(struct perfetto *d, struct stack_sample *s, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;

	while (pf_next(d, &p, &stack_types, &f)) {
		if (f.number == 1 || f.number == 2)
			task_of(d, s, &f);
		if (f.number == 5 && f.type == PROTO_BYTES)
			s->stack = pf_stack_inline(d, f);
		if (f.number == 6)
			s->stack = pf_interned(d, PF_STACK, f.value);
		d->counts.unwind_errors += f.number == 7 || f.number == 8;
		if (f.number == 9 && f.type == PROTO_BYTES)
			s->descriptor[0] = pf_descriptor_read(d, f);
		if (f.number == 10)
			s->descriptor[0] = pf_interned(d, PF_DESCRIPTOR, f.value);
		if (f.number == 11)
			s->weight[0] = f.value;
		if (f.number >= 12 && f.number <= 14)
			followers(d, s, &f);
	}
}

bool
pf_sample_stack(struct perfetto *d, struct proto_field data)
{
	struct stack_sample s = {.stack = PF_NONE, .n = 1, .n_weights = 1};
	struct pf_set set = {.n = 1, .metric = {samples_metric(d)}};
	int64_t value[PF_VALUES_MAX] = {1};

	s.descriptor[0] = d->s->defaults.primary;
	stack_sample_read(d, &s, data);
	if (d->wrong)
		return false;
	for (unsigned i = 0; i < s.n && i < s.n_weights && set.n < PF_VALUES_MAX; i++) {
		if (s.descriptor[i] == PF_NONE)
			continue;
		const struct pf_descriptor *x = &d->names.descriptor.at[s.descriptor[i]];
		struct name name = builder_name_get(d->b, x->name);
		if (s.weight[i] > INT64_MAX ||
		    __builtin_mul_overflow((int64_t)s.weight[i], x->factor, &value[set.n]))
			value[set.n] = 0;
		buf_reset(&d->text);
		buf_add(&d->text, name.at, name.len);
		metric_id id = builder_metric(d->b, buf_str(&d->text), (enum unit)x->unit,
					      ROLE_VALUE);
		if (id != set.metric[0])
			set.metric[set.n++] = id;
		else
			value[0] = value[set.n];
	}
	sample_add(d,
		   pf_track_thread(d, s.task.pid ? (int64_t)s.task.pid : -1,
				   s.task.tid ? (int64_t)s.task.tid : (int64_t)s.task.pid),
		   d->p.time, s.stack, &set, value);
	return true;
}

/* ---- Chrome's sampler ---- */

bool
pf_sample_streaming(struct perfetto *d, struct proto_field data)
{
	struct pf_set set = {.n = 1, .metric = {samples_metric(d)}};
	uint32_t track = d->s->thread;
	struct proto p = proto_inside(&data);
	struct proto_field f;
	VEC(uint64_t) stack = VEC_INIT;
	VEC(int64_t) delta = VEC_INIT;
	int64_t time = d->p.has_time ? d->p.time : d->s->last_us * 1000, one = 1;
	uint64_t v;

	while (pf_next(d, &p, &streaming_types, &f)) {
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		while (f.number == 1 && proto_number(&n, &v))
			*vec_push(&stack) = v;
		while (f.number == 2 && proto_number(&n, &v))
			*vec_push(&delta) = (int64_t)v;
	}
	if (track == PF_NONE)
		track = d->s->defaults.has_track ? pf_track_uuid(d, d->s->defaults.track)
						 : pf_track_uuid(d, 0);
	for (size_t i = 0; i < stack.n && !d->wrong; i++) {
		int64_t us = i < delta.n ? delta.at[i] : 0;
		if (us < PF_TIME_MAX / 2000 && us > -PF_TIME_MAX / 2000 &&
		    time + us * 1000 < PF_TIME_MAX && time + us * 1000 > -PF_TIME_MAX)
			time += us * 1000;
		sample_add(d, track, time, pf_interned(d, PF_STACK, stack.at[i]), &set, &one);
	}
	if (!d->p.has_time)
		d->s->last_us = time / 1000;
	vec_release_all(&stack, &delta);
	return true;
}

/* ---- heaps ---- */

static int64_t
less(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static struct pf_heap *
heap_before(struct perfetto *d, uint32_t track, uint64_t callstack)
{
	uint64_t key[] = {track, d->p.sequence, callstack};
	struct hash128 hash = hash128(key, sizeof key);
	uint32_t *found = text_cache_find(&d->samples.heap_of, hash);

	if (*found)
		return &d->samples.heap.at[*found - 1];
	*vec_push(&d->samples.heap) = (struct pf_heap){0};
	text_cache_put(&d->samples.heap_of, found, hash, (uint32_t)d->samples.heap.n);
	return &d->samples.heap.at[d->samples.heap.n - 1];
}

static void
heap_metrics(struct perfetto *d)
{
	if (d->is.alloc != METRIC_NONE)
		return;
	d->is.alloc = builder_metric(d->b, "alloc", UNIT_BYTES, ROLE_VALUE);
	d->is.allocs = builder_metric(d->b, "allocs", UNIT_COUNT, ROLE_VALUE);
	d->is.live = builder_metric(d->b, "live", UNIT_BYTES, ROLE_VALUE);
	d->is.lives = builder_metric(d->b, "lives", UNIT_COUNT, ROLE_VALUE);
}

/* The values are cumulative: subtracts those of the previous dump. */
static void
heap_sample(struct perfetto *d, uint32_t track, int64_t time, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	struct pf_heap now = {0};
	uint64_t callstack = 0;
	int64_t most = 0;

	while (pf_next(d, &p, &heap_sample_types, &f)) {
		int64_t v = f.value > INT64_MAX / 4 ? 0 : (int64_t)f.value;
		callstack = f.number == 1 ? f.value : callstack;
		now.allocated = f.number == 2 ? v : now.allocated;
		now.freed = f.number == 3 ? v : now.freed;
		now.allocs = f.number == 5 ? v : now.allocs;
		now.frees = f.number == 6 ? v : now.frees;
		most = f.number == 8 ? v : most;
	}
	if (d->wrong)
		return;
	uint32_t stack = pf_interned(d, PF_STACK, callstack);
	bool live = !most || now.allocated || now.allocs; /* otherwise the dump has only the peak */
	if (live)
		heap_metrics(d);
	struct pf_set set = {.n = 4,
			     .metric = {d->is.alloc, d->is.allocs, d->is.live, d->is.lives}};
	struct pf_heap *before = heap_before(d, track, callstack);
	int64_t alloc = less(now.allocated, before->allocated);
	int64_t allocs = less(now.allocs, before->allocs);
	const int64_t value[] = {alloc, allocs, alloc - less(now.freed, before->freed),
				 allocs - less(now.frees, before->frees)};
	*before = now;
	if (most) {
		*vec_push(&d->samples.peak) = (struct pf_sample){.time = time,
							 .offset = d->p.offset,
							 .track = track,
							 .stack = stack,
							 .value = (uint32_t)d->samples.value.n};
		*vec_push(&d->samples.value) = most;
		pf_track_made(d, track);
	}
	if (live)
		sample_add(d, track, time, stack, &set, value);
	else
		builder_track_event(d->b, pf_track_made(d, track));
}

/* Reads tables of the first heap profiles, which are part of the packet. */
static void
heap_tables(struct perfetto *d, struct proto_field data)
{
	static const struct {
		uint32_t from, to; /* fields of ProfilePacket and InternedData */
	} passes[] = {{1, 5}, {1, 16}, {1, 17}, {4, 19}, {2, 6}, {3, 7}};
	struct proto_field f;

	for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
		struct proto p = proto_inside(&data);
		while (proto_next(&p, &f)) {
			if (f.number != passes[i].from || f.type != PROTO_BYTES)
				continue;
			f.number = passes[i].to;
			pf_intern_one(d, f);
		}
	}
}

static void
heap_dump(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	int64_t pid = -1, time = d->p.time;
	name_id name = NAME_EMPTY;

	while (pf_next(d, &p, &dump_types, &f)) {
		pid = f.number == 1 ? (int64_t)(uint32_t)f.value : pid;
		name = f.number == 11 ? pf_text(d, &f) : name;
		if (f.number == 9 && f.type == PROTO_VARINT && f.value)
			time = pf_time(d, CLOCK_MONOTONIC_COARSE, f.value);
	}
	uint32_t track = pf_track_named(d, PF_HEAP, pid, -1, name);
	for (p = proto_inside(&data); proto_next(&p, &f);)
		if (f.number == 2 && f.type == PROTO_BYTES)
			heap_sample(d, track, time, f);
}

bool
pf_heap(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;

	heap_tables(d, data);
	while (pf_next(d, &p, &heap_types, &f))
		if (f.number == 5 && f.type == PROTO_BYTES)
			heap_dump(d, f);
	return true;
}

/* ---- writing ---- */

static struct series *
perfetto_series_of(struct perfetto *d, uint32_t track, uint32_t set)
{
	track_id made = pf_track_made(d, track);
	struct pf_track *t = &d->tracks.track.at[track];

	for (size_t i = 0; i < t->series.n; i++)
		if (t->series.at[i].set == set)
			return t->series.at[i].series;
	struct series *s = set == PF_NONE
				   ? builder_totals(d->b, made, &d->is.peak, 1)
				   : builder_samples(d->b, made, d->samples.set.at[set].metric,
						     d->samples.set.at[set].n);
	*vec_push(&t->series) = (struct pf_series){set, s};
	return s;
}

/* Writes the live memory at its peak, from the last dump of each heap. */
static bool
peaks_write(struct perfetto *d)
{
	bool good = true;

	for (size_t i = 0; i < d->tracks.track.n; i++)
		d->tracks.track.at[i].peak = INT64_MIN;
	for (size_t i = 0; i < d->samples.peak.n; i++) {
		int64_t *last = &d->tracks.track.at[d->samples.peak.at[i].track].peak;
		*last = d->samples.peak.at[i].time > *last ? d->samples.peak.at[i].time : *last;
	}
	for (size_t i = 0; good && i < d->samples.peak.n; i++) {
		const struct pf_sample *s = &d->samples.peak.at[i];
		if (s->time == d->tracks.track.at[s->track].peak)
			good = builder_total(d->b, perfetto_series_of(d, s->track, PF_NONE),
					     pf_stack_bind(d, s->stack),
					     &d->samples.value.at[s->value], s->offset, d->err);
	}
	return good;
}

bool
pf_samples_write(struct perfetto *d)
{
	bool good = true;

	for (size_t i = 0; good && i < d->samples.sample.n; i++) {
		const struct pf_sample *s = &d->samples.sample.at[i];
		stack_id stack = pf_stack_bind(d, s->stack);
		if (stack == STACK_EMPTY)
			stack = builder_stack_missing(d->b, 1);
		good = builder_sample(d->b, perfetto_series_of(d, s->track, s->set), s->time, stack,
				      &d->samples.value.at[s->value], s->offset, d->err);
	}
	return good && peaks_write(d);
}
