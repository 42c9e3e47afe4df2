/* The kernel's events come in bundles, one for each processor.  Running threads become a track
 * for each processor; slices and counters that programs write through the kernel's trace marker
 * (atrace) become their tracks. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/ordered.h"
#include "src/input/decimal.h"
#include "src/input/hash.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types switch_types = {
	.numbers = PROTO_BITS(2, 4) | PROTO_BITS(6, 7),
	.bytes = PROTO_BIT(1) | PROTO_BIT(5),
};
static const struct proto_types woken_types = {.numbers = PROTO_BITS(2, 5), .bytes = PROTO_BIT(1)};
static const struct proto_types print_types = {.bytes = PROTO_BIT(2)};
static const struct proto_types cpu_types = {.numbers = PROTO_BITS(1, 2)};
static const struct proto_types event_types = {
	.numbers = PROTO_BITS(1, 2) | PROTO_BIT(5),
	.bytes = PROTO_BITS(3, 4) | PROTO_BIT(11) | PROTO_BIT(13) | PROTO_BIT(17) | PROTO_BIT(20),
};
static const struct proto_types compact_types = {
	.lists = PROTO_BITS(1, 4) | PROTO_BITS(6, 12),
	.bytes = PROTO_BIT(5),
};
static const struct proto_types bundle_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(3),
	.bytes = PROTO_BIT(2) | PROTO_BIT(4),
};

enum {
	EVENT_PRINT = 3,
	EVENT_SWITCH = 4,
	EVENT_FREQUENCY = 11,
	EVENT_IDLE = 13,
	EVENT_WAKEUP = 17,
	EVENT_WAKING = 20,
	EVENT_WAKEUP_NEW = 114,
};

static struct pf_core *
core_of(struct perfetto *d, uint64_t cpu)
{
	uint32_t i;

	if (idmap_add(&d->cores.core_of, cpu, d->cores.core.n, &i)) {
		*vec_push(&d->cores.core) = (struct pf_core){
			.track = pf_track_named(d, PF_CORE, -1, (int64_t)cpu, NAME_EMPTY)};
		pf_track_made(d, d->cores.core.at[i].track);
	}
	return &d->cores.core.at[i];
}

static void
runs(struct perfetto *d, uint64_t cpu, int64_t time, int64_t tid, name_id comm)
{
	struct pf_core *c = core_of(d, cpu);

	*vec_push(&c->run) = (struct pf_switch){time, c->run.n, tid};
	if (tid > 0 && comm != NAME_EMPTY &&
	    idmap_get(&d->tracks.thread_name, (uint64_t)tid) == IDMAP_NONE)
		idmap_put(&d->tracks.thread_name, (uint64_t)tid, comm);
	pf_reach(d, PF_NONE, time);
}

static void
switch_take(struct perfetto *d, uint64_t cpu, int64_t time, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	int64_t next = 0, before = 0;
	uint64_t state = 0;
	name_id comm = NAME_EMPTY, was = NAME_EMPTY;

	while (pf_next(d, &p, &switch_types, &f)) {
		was = f.number == 1 ? pf_text(d, &f) : was;
		before = f.number == 2 ? (int64_t)(int32_t)f.value : before;
		state = f.number == 4 ? f.value : state;
		comm = f.number == 5 ? pf_text(d, &f) : comm;
		next = f.number == 6 ? (int64_t)(int32_t)f.value : next;
	}
	if (d->wrong)
		return;
	if (before > 0 && was != NAME_EMPTY &&
	    idmap_get(&d->tracks.thread_name, (uint64_t)before) == IDMAP_NONE)
		idmap_put(&d->tracks.thread_name, (uint64_t)before, was);
	runs(d, cpu, time, next, comm);
	pf_sched_put(d, (struct pf_record){.time = time, .kind = PF_SWITCH, .on = before,
					   .tid = next, .state = state, .comm = comm,
					   .was = was});
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

/* Returns the text of a print; its length is 0 if there is none. */
static struct proto_field
perfetto_printed(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f, text = {0};

	while (pf_next(d, &p, &print_types, &f))
		if (f.number == 2 && f.type == PROTO_BYTES)
			text = f;
	return text;
}

static bool
print(struct perfetto *d, int64_t tid, int64_t time, struct proto_field data)
{
	struct proto_field text = perfetto_printed(d, data);
	const char *word[4] = {"", "", "", ""};
	size_t len[4] = {0};
	unsigned n = 0;
	int64_t pid = -1, value;

	if (!text.len)
		return true;
	const char *at = (const char *)text.at, *end = at + text.len;
	while (end > at && (end[-1] == '\n' || !end[-1]))
		end--;
	while (n < 4 && part(&at, end, &word[n], &len[n]))
		n++;
	if (len[0] != 1 || !strchr("BECSFIN", word[0][0])) {
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
		d->cast.async.at.at[d->cast.async.at.n - 1].once = true;
		return true;
	case 'N': /* on a track of the name before */
		name = builder_name(d->b, word[3], len[3]);
		return pf_mark(d, pf_track_thread(d, pid, tid), time, name);
	case 'I':
		return pf_mark(d, pf_track_thread(d, pid, tid), time, name);
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

static void
woken_take(struct perfetto *d, struct pf_record r, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;

	while (pf_next(d, &p, &woken_types, &f)) {
		if (f.number == 1)
			r.comm = pf_text(d, &f);
		if (f.number == 2)
			r.tid = (int64_t)(int32_t)f.value;
	}
	if (!d->wrong)
		pf_sched_put(d, r);
}

static bool
is_wakeup(uint32_t number)
{
	return number == EVENT_WAKING || number == EVENT_WAKEUP || number == EVENT_WAKEUP_NEW;
}

static bool
event(struct perfetto *d, uint64_t cpu, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f, what = {0};
	uint64_t stamp = 0, flags = 0;
	int64_t tid = -1;

	while (pf_next(d, &p, &event_types, &f)) {
		flags = f.number == 5 ? f.value : flags;
		stamp = f.number == 1 ? f.value : stamp;
		tid = f.number == 2 ? (int64_t)(uint32_t)f.value : tid;
		if (f.type == PROTO_BYTES && f.number > 2)
			what = f;
	}
	if (d->wrong)
		return false;
	int64_t time = pf_time(d, CLOCK_BOOT, stamp);
	pf_reach(d, PF_NONE, time);
	struct pf_record r = {.time = time, .kind = PF_RUNS, .on = tid, .state = flags};
	if (tid >= 0 && what.number != EVENT_SWITCH && !is_wakeup(what.number))
		pf_sched_put(d, r);
	switch (what.number) {
	case 0:
		return true;
	case EVENT_SWITCH:
		switch_take(d, cpu, time, what);
		return true;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		r.kind = what.number == EVENT_WAKING   ? PF_WAKING
			 : what.number == EVENT_WAKEUP ? PF_WAKEUP
						       : PF_WAKEUP_NEW;
		woken_take(d, r, what);
		return !d->wrong;
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

/* The columns of compact_sched, by what they say; [field] 1 + the column. */
enum { SWITCH_TIME, SWITCH_STATE, SWITCH_NEXT, SWITCH_COMM, WAKING_TIME, WAKING_TID, WAKING_COMM,
       WAKING_FLAGS, COLUMNS };
static const uint8_t column_of[] = {
	[1] = 1 + SWITCH_TIME, [2] = 1 + SWITCH_STATE, [3] = 1 + SWITCH_NEXT,
	[6] = 1 + SWITCH_COMM, [7] = 1 + WAKING_TIME,  [8] = 1 + WAKING_TID,
	[11] = 1 + WAKING_COMM, [12] = 1 + WAKING_FLAGS,
};

struct compact {
	VEC(name_id) comm;
	VEC(uint64_t) column[COLUMNS];
};

/* Returns a value of a column; `none` behind its end. */
static uint64_t
compact_at(const struct compact *c, unsigned column, size_t i, uint64_t none)
{
	return i < c->column[column].n ? c->column[column].at[i] : none;
}

static name_id
compact_comm(const struct compact *c, unsigned column, size_t i)
{
	uint64_t name = compact_at(c, column, i, UINT64_MAX);

	return name < c->comm.n ? c->comm.at[name] : NAME_EMPTY;
}

static void
compact_wakings(struct perfetto *d, const struct compact *c)
{
	uint64_t stamp = 0;

	for (size_t i = 0; i < c->column[WAKING_TIME].n && i < c->column[WAKING_TID].n; i++) {
		stamp += c->column[WAKING_TIME].at[i];
		int64_t time = pf_time(d, CLOCK_BOOT, stamp);
		pf_reach(d, PF_NONE, time);
		pf_sched_put(d, (struct pf_record){
					.time = time, .kind = PF_WAKING, .on = -1,
					.tid = (int64_t)(int32_t)c->column[WAKING_TID].at[i],
					.state = compact_at(c, WAKING_FLAGS, i, 0),
					.comm = compact_comm(c, WAKING_COMM, i)});
	}
}

static void
compact_switches(struct perfetto *d, uint64_t cpu, const struct compact *c)
{
	uint64_t stamp = 0;

	for (size_t i = 0; i < c->column[SWITCH_TIME].n && i < c->column[SWITCH_NEXT].n; i++) {
		int64_t next = (int64_t)(int32_t)c->column[SWITCH_NEXT].at[i];
		name_id comm = compact_comm(c, SWITCH_COMM, i);
		stamp += c->column[SWITCH_TIME].at[i];
		int64_t time = pf_time(d, CLOCK_BOOT, stamp);
		runs(d, cpu, time, next, comm);
		pf_sched_put(d, (struct pf_record){.time = time, .kind = PF_SWITCH, .on = -1,
						   .tid = next, .comm = comm,
						   .state = compact_at(c, SWITCH_STATE, i, 0)});
	}
}

/* Switches and wake-ups in columns: times as differences, names by number. */
static void
compact(struct perfetto *d, uint64_t cpu, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct compact c = {.comm = VEC_INIT};
	struct proto_field f;
	uint64_t v;

	while (pf_next(d, &p, &compact_types, &f)) {
		unsigned column = f.number < sizeof column_of ? column_of[f.number] : 0;
		if (f.number == 5)
			*vec_push(&c.comm) = pf_text(d, &f);
		struct proto_numbers n = proto_numbers(&f, PROTO_VARINT);
		while (column && proto_number(&n, &v))
			*vec_push(&c.column[column - 1]) = v;
	}
	if (!d->wrong) {
		compact_wakings(d, &c); /* before a switch of the same moment */
		compact_switches(d, cpu, &c);
	}
	vec_release(&c.comm);
	for (unsigned i = 0; i < COLUMNS; i++)
		vec_release(&c.column[i]);
}

bool
pf_ftrace(struct perfetto *d, struct proto_field bundle)
{
	struct proto p = proto_inside(&bundle);
	struct proto_field f;
	uint64_t cpu = 0;
	bool good = true, lost = false;

	while (pf_next(d, &p, &bundle_types, &f)) {
		cpu = f.number == 1 && f.type == PROTO_VARINT ? f.value & UINT32_MAX : cpu;
		lost |= f.number == 3 && f.type == PROTO_VARINT && f.value;
	}
	for (p = proto_inside(&bundle); good && proto_next(&p, &f);) {
		if (f.number == 2 && f.type == PROTO_BYTES)
			good = event(d, cpu, f);
		else if (f.number == 4 && f.type == PROTO_BYTES)
			compact(d, cpu, f);
	}
	pf_sched_bundle(d, cpu, lost);
	return good;
}

/* ---- running threads ---- */

ORDERED_BY_TWO(perfetto_by_time, struct pf_switch, time, order)

static stack_id
thread_stack(struct perfetto *d, const struct pf_switch *s)
{
	if (s->tid <= 0)
		return STACK_EMPTY;
	name_id name = pf_comm_at(d, s->tid, s->time);
	buf_reset(&d->text);
	cast_owner_text(&d->text, d->b, name, s->tid, "thread");
	function_id f = builder_function_named(d->b, buf_str(&d->text), d->text.len);
	return builder_child(d->b, STACK_EMPTY, builder_frame(d->b, f, line_unknown()));
}

bool
pf_cores_write(struct perfetto *d)
{
	bool good = true;

	comms_settle(&d->cores.sched.of.comms);
	for (size_t i = 0; good && i < d->cores.core.n; i++) {
		struct pf_core *c = &d->cores.core.at[i];
		track_id track = pf_track_made(d, c->track);
		struct series *steps = builder_turns(d->b, track, d->is.cpu);
		vec_sort(&c->run, perfetto_by_time);
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
		[16] = "clock_set_rate",  [18] = "sched_blocked_reason", [19] = "sched_cpu_hotplug",
		[36] = "irq_handler_entry",
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
