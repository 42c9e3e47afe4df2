/* perf.data: the output of `perf record`, a file or a pipe.
 *
 * perfdata_file.c splits bytes into records; this file handles the records, and perfdata_samples.c
 * the samples. Records with a time wait until their turn (perfdata_order.c), since the file has the
 * buffers of several CPUs one after the other; other records apply immediately. perfdata_tasks.c
 * keeps maps and processes; perfdata_frames.c resolves addresses.
 *
 * Tracks, metrics and names are those that perfscript.c reads from `perf script`, so that both ways
 * of reading a file agree: track `comm tid`; the metric `samples`, and one for each event in its
 * period (clocks in ns); a sample without any frame is `[unknown]`.
 *
 * A sample's record is checked when it is read and used when its turn comes: damage is reported at
 * its offset, and everything before it is used.
 *
 * Rejected: trusting the size in the header (a growing file has none, a truncated one lies).
 *
 * Invariants: a record's `size` is at least its header and completely in memory; track indexes of
 * threads are reset whenever their name changes. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/perf/perfdata_dump.h"
#include "src/decode/perf/perfdata_features.h"
#include "src/decode/perf/perfdata_inside.h"

/* ---- directories ---- */

/* The files of a directory, merged.
 *
 * Each file has the contents of one buffer of the kernel, in the order of time and without
 * rounds.  The records of all files must be handled in the order of time, because a thread that
 * moves to another CPU has its mappings in one file and its samples in another.  So the next
 * record always comes from the file whose position has the earliest time.
 *
 * Rejected: one file after the other into the queue (a long recording does not fit in it, and
 * late records would have lost their mappings). */

#define FEATURE_DIR_FORMAT 24u
#define FEATURE_COMMAND 253u /* of pnav */
#define PARTS_MAX 65536u

struct perfdata_part {
	struct perfdata_file file;
	uint64_t time; /* of its last record */
	bool ended;
};

struct parts {
	VEC(struct perfdata_part) at;
};

/* Returns true if the file, whose header was read, has others beside it. */
static bool
perfdata_has_parts(struct perfdata_file *head)
{
	struct perfdata_section s;
	return perfdata_feature(head, FEATURE_DIR_FORMAT, &s) && s.size;
}

static void
open_parts(struct parts *p, const struct perfdata_file *head, struct err *e)
{
	char number[16];
	for (unsigned i = 0; i < PARTS_MAX; i++) {
		snprintf(number, sizeof number, "%u", i);
		struct input *in = input_open_beside(head->in, number, true);
		if (!in)
			return;
		perfdata_open_part(&vec_push(&p->at)->file, in, head, e);
	}
}

static void
close_parts(struct parts *p)
{
	for (size_t i = 0; i < p->at.n; i++) {
		perfdata_close(&p->at.at[i].file);
		input_close(p->at.at[i].file.in);
	}
	vec_release(&p->at);
}

/* Returns the file whose position has the earliest time; NULL at the end of all.  There are few
 * files, one a CPU. */
static struct perfdata_part *
next_part(struct parts *p)
{
	struct perfdata_part *next = NULL;
	for (size_t i = 0; i < p->at.n; i++)
		if (!p->at.at[i].ended && (!next || p->at.at[i].time < next->time))
			next = &p->at.at[i];
	return next;
}

/* Handles one record, or several if it is compressed. */
static void
read_part(struct parts *p, struct perfdata_part *part, perfdata_take *take, void *arg,
	  uint64_t *newest, struct err *e)
{
	bool first = !err_is_set(e);
	*newest = 0;
	if (!perfdata_step(&part->file, take, arg, &part->ended)) {
		struct err whole = {0};
		part->ended = true;
		err_damage(&whole, e->offset, "in data.%zu: %s", (size_t)(part - p->at.at),
			   e->text);
		if (first && err_is_set(e))
			*e = whole;
	}
	part->time = *newest > part->time ? *newest : part->time;
}

/* Passes the records of all files beside `head`, merged by time except for single records; `take`
 * stores the time of the last record that has one in `newest`. A damaged file ends at the damage,
 * the others continue; *e reports the first damage. */
static bool
perfdata_walk_parts(const struct perfdata_file *head, perfdata_take *take, void *arg,
		    uint64_t *newest, struct err *e)
{
	struct parts p = {0};
	struct perfdata_part *part;
	open_parts(&p, head, e);
	if (!p.at.n)
		err_damage(e, 0, "the files data.0, data.1, ... are not beside it");
	for (size_t i = 0; i < p.at.n; i++)
		p.at.at[i].ended = !perfdata_begin(&p.at.at[i].file);
	while ((part = next_part(&p)))
		read_part(&p, part, take, arg, newest, e);
	close_parts(&p);
	return !err_is_set(e);
}

/* ---- tasks ---- */

/* CLOCK_MONOTONIC has the number 1. */
static bool
is_monotonic(const struct perfdata *p)
{
	const struct perfdata_attr *a = p->events.event.n ? &p->events.event.at[0].attr : NULL;

	return a && perfdata_flag(a, PERFDATA_USE_CLOCK) && a->clock == 1;
}

/* u32 pid, tid; u64 addr, len, pgoff; MMAP2: u32 maj, min, u64 ino, generation, or
 * instead of these u8 length of a build id, 3 unused, 20 bytes of it; u32 prot, flags;
 * path */
static bool
take_mmap(struct perfdata *p, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, p->file.big_endian);
	struct perfdata_mapping m = {.mode = rec->misc & PERFDATA_MODE,
				     .executable = !(rec->misc & PERFDATA_MMAP_DATA)};
	struct perfdata_map map = {0};
	uint32_t process;
	m.pid = cursor_u32(&r);
	cursor_u32(&r);
	map.start = cursor_u64(&r);
	uint64_t len = cursor_u64(&r);
	m.offset = map.offset = cursor_u64(&r);
	map.end = map.start + len < map.start ? UINT64_MAX : map.start + len;
	if (rec->type == PERFDATA_MMAP2) {
		const uint8_t *id = cursor_bytes(&r, 24);
		if (id)
			m.build_id_len = perfdata_event_build_id(&p->events, rec, id);
		m.build_id = m.build_id_len ? id + 4 : NULL;
		m.executable = cursor_u32(&r) & 4;
		cursor_u32(&r);
	}
	m.path = cursor_text(&r, &m.path_len);
	if (r.bad || perfdata_labels_owner(&p->labels, p->b, m.pid, m.path, m.path_len))
		return true;
	/* old kernels do not mark a mapping without a process as the kernel's */
	if (m.pid == UINT32_MAX && m.mode != PERFDATA_GUEST_KERNEL_MODE)
		m.mode = PERFDATA_KERNEL_MODE;
	if (m.mode == PERFDATA_KERNEL_MODE)
		process = p->frames.kernel;
	else if (m.mode == PERFDATA_GUEST_KERNEL_MODE)
		process = p->frames.guest_kernel;
	else
		process = perfdata_process(&p->tasks, m.pid);
	if (m.mode != PERFDATA_KERNEL_MODE && m.mode != PERFDATA_GUEST_KERNEL_MODE)
		perfdata_jitdump(&p->frames, &m, is_monotonic(p));
	map.executable = m.executable;
	map.module = perfdata_module(&p->frames, &m);
	if (p->frames.module.at[map.module].origin == PERFDATA_FROM_VDSO)
		map.offset = 0;
	perfdata_map(&p->tasks, process, map);
	return true;
}

/* u32 pid, tid; name */
static bool
take_comm(struct perfdata *p, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, p->file.big_endian);
	size_t len;
	uint32_t pid = cursor_u32(&r), tid = cursor_u32(&r);
	const char *name = cursor_text(&r, &len);
	if (r.bad)
		return true;
	uint32_t thread = perfdata_thread(&p->tasks, pid, tid);
	p->tasks.thread.at[thread].comm = builder_name(p->b, name, len);
	p->tasks.thread.at[thread].track = NO_TRACK;
	if (rec->misc & PERFDATA_COMM_EXEC)
		perfdata_exec(&p->tasks, pid);
	return true;
}

/* u32 pid, ppid, tid, ptid; u64 time */
static bool
take_fork(struct perfdata *p, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, p->file.big_endian);
	uint32_t pid = cursor_u32(&r), ppid = cursor_u32(&r);
	uint32_t tid = cursor_u32(&r), ptid = cursor_u32(&r);
	if (r.bad)
		return true;
	if (rec->type == PERFDATA_EXIT)
		perfdata_exit(&p->tasks, pid, tid);
	else
		perfdata_fork(&p->tasks, pid, tid, ppid, ptid,
			      !(rec->misc & PERFDATA_FORK_EXEC));
	if (rec->type != PERFDATA_EXIT)
		perfdata_labels_fork(&p->labels, pid, ppid);
	return true;
}

/* u64 addr; u32 len; u16 type, flags (1: it goes away); name */
static bool
take_ksymbol(struct perfdata *p, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, p->file.big_endian);
	size_t len;
	struct perfdata_map map = {.start = cursor_u64(&r)};
	map.end = map.start + cursor_u32(&r);
	cursor_u16(&r);
	bool gone = cursor_u16(&r) & 1;
	const char *name = cursor_text(&r, &len);
	if (r.bad || gone || !len || map.end <= map.start)
		return true;
	map.module = perfdata_module_named(&p->frames, name, len);
	perfdata_map(&p->tasks, p->frames.kernel, map);
	return true;
}

/* LOST: u64 id, lost; LOST_SAMPLES: u64 lost */
static bool
take_lost(struct perfdata *p, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, p->file.big_endian);
	if (rec->type == PERFDATA_LOST)
		cursor_u64(&r);
	uint64_t lost = cursor_u64(&r);
	if (!r.bad && !__builtin_add_overflow(p->counts.lost, lost, &p->counts.lost) &&
	    lost)
		p->counts.lost_records++;
	return true;
}

static bool
take_cgroup(struct perfdata *p, const struct perfdata_record *rec)
{
	perfdata_labels_cgroup(&p->labels, p->b, rec, p->file.big_endian);
	return true;
}

static bool
take_throttle(struct perfdata *p, const struct perfdata_record *rec UNUSED)
{
	p->counts.throttled++;
	return true;
}

/* ---- records of perf ---- */

static bool
take_attr(struct perfdata *p, const struct perfdata_record *rec)
{
	return perfdata_event_record(&p->events, rec, p->file.big_endian, p->e);
}

static void
take_command(struct perfdata *p, bool whole)
{
	if (!whole)
		builder_warn(p->b, "the list of the command's processes is damaged: %s",
			     p->tasks.commanded ? "some may be missing" : "other programs count");
}

static bool
take_feature(struct perfdata *p, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, p->file.big_endian);

	if (rec->type != PERFDATA_BUILD_ID && cursor_u64(&r) == FEATURE_COMMAND)
		take_command(p, perfdata_command(&p->tasks, r));
	else
		perfdata_feature_record(rec, p->file.big_endian, p->b, &p->events, &p->frames);
	return true;
}

static void
find_command(struct perfdata *p)
{
	struct perfdata_bytes bytes = {0};
	struct perfdata_section s;

	if (perfdata_feature(&p->file, FEATURE_COMMAND, &s) && s.size)
		take_command(p, perfdata_section(&p->file, s, &bytes) &&
					perfdata_command(&p->tasks,
							 perfdata_over(bytes.v.at, bytes.v.n,
								       p->file.big_endian)));
	vec_release(&bytes.v);
}

static bool
take_update(struct perfdata *p, const struct perfdata_record *rec)
{
	perfdata_event_update(&p->events, p->b, rec, p->file.big_endian);
	return true;
}

/* The formats of tracepoints follow the record. */
static bool
take_formats(struct perfdata *p, const struct perfdata_record *rec)
{
	perfdata_fields_read(&p->events.fields, p->b, rec->at + rec->size, rec->behind);
	return true;
}

/* ---- all records ---- */

typedef bool taker(struct perfdata *p, const struct perfdata_record *rec);

/* Handles a record of any type when its turn comes. */
static bool
apply(void *arg, const struct perfdata_record *rec)
{
	static taker *const takers[] = {
		[PERFDATA_MMAP] = take_mmap,       [PERFDATA_MMAP2] = take_mmap,
		[PERFDATA_LOST] = take_lost,       [PERFDATA_LOST_SAMPLES] = take_lost,
		[PERFDATA_COMM] = take_comm,       [PERFDATA_FORK] = take_fork,
		[PERFDATA_EXIT] = take_fork,       [PERFDATA_SAMPLE] = perfdata_take_or_wait,
		[PERFDATA_KSYMBOL] = take_ksymbol, [PERFDATA_THROTTLE] = take_throttle,
		[PERFDATA_ATTR] = take_attr,       [PERFDATA_BUILD_ID] = take_feature,
		[PERFDATA_FEATURE] = take_feature, [PERFDATA_EVENT_UPDATE] = take_update,
		[PERFDATA_CGROUP] = take_cgroup,   [PERFDATA_TRACING_DATA] = take_formats,
		[PERFDATA_CALLCHAIN_DEFERRED] = perfdata_take_deferred,
		[PERFDATA_SWITCH] = perfdata_take_switch,
		[PERFDATA_SWITCH_CPU_WIDE] = perfdata_take_switch,
	};
	struct perfdata *p = arg;
	if (!rec)
		return perfdata_samples_end(p);
	if (rec->type >= sizeof takers / sizeof *takers || !takers[rec->type])
		return true;
	bool ok = rec->type == PERFDATA_SAMPLE || perfdata_samples_end(p);
	return takers[rec->type](p, rec) && ok;
}

/* Checks a sample and returns its time. */
static bool
sample_time(struct perfdata *p, const struct perfdata_record *rec, uint64_t *time,
	    bool *known)
{
	struct perfdata_sample s;
	uint32_t event = perfdata_event_of(&p->events, rec, p->file.big_endian);
	*known = event != UINT32_MAX;
	if (!p->events.event.n)
		return err_damage(p->e, rec->offset, "a sample before its event");
	if (!*known) {
		p->counts.unknown_ids++;
		return true;
	}
	if (!perfdata_sample(rec, &p->events.event.at[event].attr, p->file.big_endian,
			     &s))
		return err_damage(p->e, rec->offset,
				  "a sample is longer than its record");
	if (s.has_time && s.time > INT64_MAX && s.time != PERFDATA_NO_TIME)
		return err_damage(p->e, rec->offset, "a time exceeds 2^63");
	*time = s.has_time ? s.time : PERFDATA_NO_TIME;
	return true;
}

static bool
take(void *arg, const struct perfdata_record *rec)
{
	struct perfdata *p = arg;
	uint64_t time = PERFDATA_NO_TIME;
	p->counts.records++;
	if (rec->type == PERFDATA_FINISHED_ROUND)
		return p->parts || perfdata_order_round(&p->order, apply, p);
	if (!perfdata_type_name(rec->type))
		p->counts.unknown_types++;
	if (rec->type == PERFDATA_SAMPLE) {
		bool known;
		if (!sample_time(p, rec, &time, &known))
			return false;
		if (!known)
			return true;
	} else if (rec->type < PERFDATA_KERNEL_END) {
		struct perfdata_sample s;
		const struct perfdata_attr *a =
			perfdata_event_trailer(&p->events, rec, p->file.big_endian);
		if (a) {
			perfdata_trailer(rec, a, p->file.big_endian, &s);
			time = s.has_time ? s.time : PERFDATA_NO_TIME;
		}
	}
	if (!time || time == PERFDATA_NO_TIME)
		return apply(p, rec) && apply(p, NULL);
	p->order.queued = time;
	perfdata_order_add(&p->order, rec, time);
	if (perfdata_order_full(&p->order))
		return perfdata_order_half(&p->order, apply, p);
	return true;
}

/* ---- the decoder ---- */

static void
say_what_was_assumed(struct perfdata *p)
{
	if (p->counts.lost)
		builder_warn(p->b,
			     "%" PRIu64
			     " records were lost while it was recorded, in %" PRIu64
			     " places",
			     p->counts.lost, p->counts.lost_records);
	builder_info_count(p->b, "throttled", p->counts.throttled, " times");
	builder_warn_count(p->b, p->counts.unknown_types,
			   "record of an unknown type is left out",
			   "records of unknown types are left out");
	builder_warn_count(p->b, p->counts.unknown_ids,
			   "sample of an unknown event is left out",
			   "samples of unknown events are left out");
	builder_warn_count(
		p->b, p->turns.deferred.missing,
		"sample has no callers in user space: the record with them is missing",
		"samples have no callers in user space: the records with them are missing");
	builder_warn_count(p->b, p->order.late, "record comes later than perf promises",
			   "records come later than perf promises");
	if (p->frames.unwinding.machine.assumed)
		builder_info(p->b, "assumed",
			     "the registers of this machine's architecture: the file does not "
			     "state its own");
	if (p->events.fields.full)
		builder_info(p->b, "assumed",
			     "a field of a tracepoint had too many values: later samples have no "
			     "label of it");
	if (p->tasks.commanded)
		builder_info(p->b, "other programs",
			     "were recorded beside the command; --track . includes them");
	perfdata_say_symbols(&p->frames);
	perfdata_say_unwound(&p->frames);
	if (unwinder_spent(p->frames.unwinding.unwinder) ||
	    symbols_dwarf_spent(p->frames.symbols))
		builder_info(p->b, "assumed",
			     "DWARF was read up to a limit; what came later "
			     "has no lines or no callers");
}

static void
perfdata_release(struct perfdata *p)
{
	for (size_t i = 0; i < p->track.n; i++)
		vec_release(&p->track.at[i].sampled);
	vec_release_all(&p->track, &p->waits.of);
	stack_queue_release(&p->turns.queue);
	perfdata_deferred_release(&p->turns.deferred);
	sched_release(&p->tasks.sched);
	perfdata_frames_release(&p->frames);
	perfdata_labels_release(&p->labels);
	cast_release(&p->cast);
	perfdata_tasks_release(&p->tasks);
	perfdata_order_release(&p->order);
	perfdata_events_release(&p->events);
	perfdata_close(&p->file);
}

static bool
perfdata_decode(struct input *in, struct builder *b, struct err *e)
{
	struct perfdata p = {
		.b = b, .e = e, .cast = {.b = b}, .preferred.event = UINT32_MAX,
		.nobodys_track = NO_TRACK, .tasks.sched = {.b = b, .turns = true}};
	bool ok = perfdata_open(&p.file, in, e);
	struct err late = {0}; /* features follow the records */
	perfdata_frames_init(&p.frames, in, b, &p.tasks);
	perfdata_samples_init(&p);
	p.order.big_endian = p.file.big_endian;
	p.samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	builder_default_metric(b, p.samples);
	if (ok && !p.file.pipe) {
		find_command(&p);
		ok = perfdata_events_read(&p.events, &p.file);
		if (ok)
			perfdata_features(&p.file, b, &p.events, &p.frames, &late);
	}
	p.parts = ok && perfdata_has_parts(&p.file);
	ok = ok && perfdata_walk(&p.file, take, &p);
	if (p.parts && !input_stopped(in))
		ok &= perfdata_walk_parts(&p.file, take, &p, &p.order.queued, e);
	/* Also after damage: the records that wait are good. */
	ok &= perfdata_order_all(&p.order, apply, &p);
	ok &= perfdata_deferred_end(&p);
	ok &= perfdata_waits_end(&p);
	perfdata_sched_end(&p);
	if (ok && err_is_set(&late) && !input_stopped(in)) {
		*e = late;
		ok = false;
	}
	say_what_was_assumed(&p);
	perfdata_release(&p);
	return ok;
}

static int
perfdata_probe(struct head head)
{
	return perfdata_is_magic(head.at, head.len) ? 100 : 0;
}

const struct decoder decoder_perfdata = {
	.name = "perfdata",
	.title = "perf.data of perf record, file or pipe",
	.manual = "perf.data",
	.made_of = MADE_BINARY,
	.mangled = true,
	.probe = perfdata_probe,
	.decode = perfdata_decode,
	.dump = perfdata_dump,
};
