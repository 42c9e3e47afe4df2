/* The kernel's events come in bundles, one for each processor.  Running threads become a track
 * for each processor; slices and counters that programs write through the kernel's trace marker
 * (atrace) become their tracks. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/input/decimal.h"
#include "src/input/hash.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types switch_types = {
	.numbers = PROTO_BITS(2, 4) | PROTO_BITS(6, 7),
	.bytes = PROTO_BIT(1) | PROTO_BIT(5),
};
static const struct proto_types print_types = {.bytes = PROTO_BIT(2)};
static const struct proto_types cpu_types = {.numbers = PROTO_BITS(1, 2)};
static const struct proto_types event_types = {
	.numbers = PROTO_BITS(1, 2),
	.bytes = PROTO_BITS(3, 4) | PROTO_BIT(11) | PROTO_BIT(13),
};
static const struct proto_types compact_types = {
	.lists = PROTO_BITS(1, 4) | PROTO_BIT(6),
	.bytes = PROTO_BIT(5),
};
static const struct proto_types bundle_types = {
	.numbers = PROTO_BIT(1),
	.bytes = PROTO_BIT(2) | PROTO_BIT(4),
};

enum { EVENT_PRINT = 3, EVENT_SWITCH = 4, EVENT_FREQUENCY = 11, EVENT_IDLE = 13 };

static struct pf_core *
core_of(struct perfetto *d, uint64_t cpu)
{
	uint32_t i = idmap_get(&d->cores.core_of, cpu);

	if (i == IDMAP_NONE) {
		i = (uint32_t)d->cores.core.n;
		idmap_put(&d->cores.core_of, cpu, i);
		*vec_push(&d->cores.core) = (struct pf_core){
			.cpu = (int64_t)cpu,
			.track = pf_track_named(d, PF_CORE, -1, (int64_t)cpu, NAME_EMPTY)};
		pf_track_made(d, d->cores.core.at[i].track);
	}
	return &d->cores.core.at[i];
}

static void
runs(struct perfetto *d, uint64_t cpu, int64_t time, int64_t tid, name_id comm)
{
	struct pf_core *c = core_of(d, cpu);

	*vec_push(&c->run) = (struct pf_switch){time, c->run.n, tid, comm};
	if (tid > 0 && comm != NAME_EMPTY &&
	    idmap_get(&d->tracks.thread_name, (uint64_t)tid) == IDMAP_NONE)
		idmap_put(&d->tracks.thread_name, (uint64_t)tid, comm);
	pf_reach(d, PF_NONE, time);
}

static void
sched_switch(struct perfetto *d, uint64_t cpu, int64_t time, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	int64_t next = 0, before = 0;
	name_id comm = NAME_EMPTY, was = NAME_EMPTY;

	while (pf_next(d, &p, &switch_types, &f)) {
		was = f.number == 1 ? pf_text(d, &f) : was;
		before = f.number == 2 ? (int64_t)(int32_t)f.value : before;
		comm = f.number == 5 ? pf_text(d, &f) : comm;
		next = f.number == 6 ? (int64_t)(int32_t)f.value : next;
	}
	if (d->wrong)
		return;
	if (before > 0 && was != NAME_EMPTY &&
	    idmap_get(&d->tracks.thread_name, (uint64_t)before) == IDMAP_NONE)
		idmap_put(&d->tracks.thread_name, (uint64_t)before, was);
	runs(d, cpu, time, next, comm);
}

/* ---- marks of programs ---- */

/* Returns the next part of `B|1234|name`, up to a bar. */
static bool
part(const char **at, const char *end, const char **word, size_t *len)
{
	if (*at > end)
		return false;
	const char *bar = *at < end ? memchr(*at, '|', (size_t)(end - *at)) : NULL;
	*word = *at;
	*len = (size_t)((bar ? bar : end) - *at);
	*at = bar ? bar + 1 : end + 1;
	return true;
}

static bool
print(struct perfetto *d, int64_t tid, int64_t time, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f, text = {0};
	const char *word[4] = {"", "", "", ""};
	size_t len[4] = {0};
	unsigned n = 0;
	int64_t pid = -1, value;

	while (pf_next(d, &p, &print_types, &f))
		if (f.number == 2 && f.type == PROTO_BYTES)
			text = f;
	if (!text.len)
		return true;
	const char *at = (const char *)text.at, *end = at + text.len;
	while (end > at && (end[-1] == '\n' || !end[-1]))
		end--;
	while (n < 4 && part(&at, end, &word[n], &len[n]))
		n++;
	if (len[0] != 1 || !strchr("BECSF", word[0][0])) {
		d->counts.ftrace_events[EVENT_PRINT]++;
		return true;
	}
	if (!len[1] || !decimal_scaled(word[1], len[1], 0, &pid) || pid < 0 || pid > INT32_MAX)
		pid = -1;
	if (pid >= 0 && idmap_get(&d->tracks.thread_pid, (uint64_t)tid) == IDMAP_NONE)
		idmap_put(&d->tracks.thread_pid, (uint64_t)tid, (uint32_t)pid);
	name_id name = len[2] ? builder_name(d->b, word[2], len[2])
			      : builder_name(d->b, "(unnamed)", 9);
	uint64_t key[] = {(uint64_t)pid, name, len[3] ? hash64(word[3], len[3]) : 0};
	switch (word[0][0]) {
	case 'B':
		pf_slice_begin(d, pf_track_thread(d, pid, tid), time, pf_frame_named(d, name),
			       LABELS_NONE);
		return true;
	case 'E':
		pf_slice_end(d, pf_track_thread(d, pid, tid), time);
		return true;
	case 'S':
		pf_async_begin(d, hash64(key, sizeof key), pid, NAME_EMPTY, name, time,
			       pf_frame_named(d, name), LABELS_NONE);
		return true;
	case 'F':
		pf_async_end(d, hash64(key, sizeof key), time);
		return true;
	default:
		if (!len[3] || !decimal_scaled(word[3], len[3], 0, &value))
			return true;
		return pf_point(d, pf_track_named(d, PF_COUNTER, pid, 0, name), time, true, value,
				0);
	}
}

/* ---- counters of processors ---- */

static bool
cpu_counter(struct perfetto *d, const char *what, int64_t time, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	char name[48];
	int64_t state = 0;
	uint32_t cpu = 0;

	while (pf_next(d, &p, &cpu_types, &f)) {
		state = f.number == 1 ? (int64_t)(int32_t)f.value : state;
		cpu = f.number == 2 ? (uint32_t)f.value : cpu;
	}
	if (d->wrong)
		return false;
	int n = snprintf(name, sizeof name, "%s %" PRIu32, what, cpu);
	return pf_point(d,
			pf_track_named(d, PF_COUNTER, -1, 0, builder_name(d->b, name, (size_t)n)),
			time, true, state, 0);
}

/* ---- a bundle ---- */

static bool
event(struct perfetto *d, uint64_t cpu, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f, what = {0};
	uint64_t stamp = 0;
	int64_t tid = -1;

	while (pf_next(d, &p, &event_types, &f)) {
		stamp = f.number == 1 ? f.value : stamp;
		tid = f.number == 2 ? (int64_t)(uint32_t)f.value : tid;
		if (f.type == PROTO_BYTES && f.number > 2)
			what = f;
	}
	if (d->wrong)
		return false;
	int64_t time = pf_time(d, CLOCK_BOOT, stamp);
	pf_reach(d, PF_NONE, time);
	switch (what.number) {
	case 0:
		return true;
	case EVENT_SWITCH:
		sched_switch(d, cpu, time, what);
		return true;
	case EVENT_PRINT:
		return print(d, tid, time, what);
	case EVENT_FREQUENCY:
		return cpu_counter(d, "cpu_frequency", time, what);
	case EVENT_IDLE:
		return cpu_counter(d, "cpu_idle", time, what);
	default:
		if (what.number < 1024)
			d->counts.ftrace_events[what.number]++;
		else
			d->counts.ftrace_more++;
		return true;
	}
}

/* Reads switches in columns: differences of times, the next threads, and indexes of their
 * names. */
static void
compact(struct perfetto *d, uint64_t cpu, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	VEC(name_id) comm = VEC_INIT;
	VEC(uint64_t) column[3] = {VEC_INIT, VEC_INIT, VEC_INIT};
	static const uint8_t which[] = {[1] = 1, [3] = 2, [6] = 3};
	uint64_t stamp = 0, v;

	while (pf_next(d, &p, &compact_types, &f)) {
		unsigned c = f.number < sizeof which ? which[f.number] : 0;
		if (f.number == 5)
			*vec_push(&comm) = pf_text(d, &f);
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		while (c && proto_number(&n, &v))
			*vec_push(&column[c - 1]) = v;
	}
	for (size_t i = 0; i < column[0].n && i < column[1].n && !d->wrong; i++) {
		uint64_t name = i < column[2].n ? column[2].at[i] : UINT64_MAX;
		stamp += column[0].at[i];
		runs(d, cpu, pf_time(d, CLOCK_BOOT, stamp), (int64_t)(int32_t)column[1].at[i],
		     name < comm.n ? comm.at[name] : NAME_EMPTY);
	}
	vec_release(&comm);
	for (unsigned i = 0; i < 3; i++)
		vec_release(&column[i]);
}

bool
pf_ftrace(struct perfetto *d, struct proto_field bundle)
{
	struct proto p = proto_inside(&bundle);
	struct proto_field f;
	uint64_t cpu = 0;
	bool good = true;

	while (pf_next(d, &p, &bundle_types, &f))
		cpu = f.number == 1 && f.type == PROTO_VARINT ? f.value & UINT32_MAX : cpu;
	for (p = proto_inside(&bundle); good && proto_next(&p, &f);) {
		if (f.number == 2 && f.type == PROTO_BYTES)
			good = event(d, cpu, f);
		else if (f.number == 4 && f.type == PROTO_BYTES)
			compact(d, cpu, f);
	}
	return good;
}

/* ---- running threads ---- */

static int
perfetto_by_time(const void *a, const void *b)
{
	const struct pf_switch *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static stack_id
thread_stack(struct perfetto *d, const struct pf_switch *s)
{
	if (s->tid <= 0)
		return STACK_EMPTY;
	uint32_t known = idmap_get(&d->tracks.thread_name, (uint64_t)s->tid);
	name_id name = s->comm != NAME_EMPTY ? s->comm : known == IDMAP_NONE ? NAME_EMPTY : known;
	buf_reset(&d->text);
	cast_owner_text(&d->text, d->b, name, s->tid, "thread");
	function_id f = builder_function_named(d->b, buf_str(&d->text), d->text.len);
	return builder_child(d->b, STACK_EMPTY, builder_frame(d->b, f, line_unknown()));
}

bool
pf_cores_write(struct perfetto *d)
{
	bool good = true;

	for (size_t i = 0; good && i < d->cores.core.n; i++) {
		struct pf_core *c = &d->cores.core.at[i];
		track_id track = pf_track_made(d, c->track);
		struct series *steps = builder_turns(d->b, track, d->is.cpu);
		qsort(c->run.at, c->run.n, sizeof *c->run.at, perfetto_by_time);
		for (size_t k = 0; good && k < c->run.n; k++) {
			builder_track_event(d->b, track);
			good = builder_step(d->b, steps, c->run.at[k].time,
					    thread_stack(d, &c->run.at[k]), 0, 0, d->err);
		}
		if (good)
			good = builder_step(d->b, steps, d->latest, STACK_EMPTY, 0, 0, d->err);
	}
	return good;
}

void
pf_ftrace_report(struct perfetto *d)
{
	static const char *const names[] = {
		[3] = "print",		  [12] = "cpu_frequency_limits",
		[14] = "clock_enable",	  [15] = "clock_disable",
		[16] = "clock_set_rate",  [17] = "sched_wakeup",
		[18] = "sched_blocked_reason", [19] = "sched_cpu_hotplug",
		[20] = "sched_waking",	  [36] = "irq_handler_entry",
		[37] = "irq_handler_exit",
	};

	for (uint32_t i = 0; i < 1024; i++) {
		const char *name = i < sizeof names / sizeof *names ? names[i] : NULL;
		if (!d->counts.ftrace_events[i])
			continue;
		if (name)
			builder_info(d->b, "ftrace events", "%s: %" PRIu64 ", not shown", name,
				     d->counts.ftrace_events[i]);
		else
			builder_info(d->b, "ftrace events", "field %" PRIu32 ": %" PRIu64
				     ", not shown", i, d->counts.ftrace_events[i]);
	}
	if (d->counts.ftrace_more)
		builder_info(d->b, "ftrace events", "others: %" PRIu64 ", not shown",
			     d->counts.ftrace_more);
}
