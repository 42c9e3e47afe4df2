/* perfetto: traces of Perfetto (google/perfetto, protos/perfetto/trace): of Android, Chrome, Linux'
 * traced, and programs with its SDK.
 *
 * A file is packets, field 1 repeated. The files beside this one list the packets that they read.
 * All others are counted and listed by name, so that a missing display is not mistaken for missing
 * data. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/perfetto/perfetto_inside.h"

enum { SURE = 90, PACKETS_TRIED = 3 };

/* ---- the probe ---- */

/* A packet of processes or threads, which begin with their number: traces may begin with it. */
static bool
is_process_tree(const struct proto_field *f)
{
	struct proto p = proto_inside(f), q;
	struct proto_field task, id;

	if (!proto_next(&p, &task) || task.number > 2)
		return false;
	q = proto_inside(&task);
	return proto_next(&q, &id) && id.number == 1 && id.type == PROTO_VARINT;
}

/* A bundle of the kernel's events, which has its processor, a number, somewhere. */
static bool
is_ftrace(const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	bool cpu = false;

	while (proto_next(&p, &in)) {
		if (in.number == 1 && in.type != PROTO_VARINT)
			return false;
		cpu |= in.number == 1;
	}
	return cpu;
}

/* Returns true for a packet that has only these fields, including one that no other format has. */
static bool
is_packet(const struct proto_field *packet, bool *known)
{
	static const uint16_t typical[] = {1,  6,  8,  10, 11, 33, 36, 37, 45,
					   47, 50, 58, 60, 61, 64, 82, 89, 133};
	struct proto p = proto_inside(packet);
	struct proto_field f;

	while (proto_next(&p, &f)) {
		if (f.number > 3000)
			return false;
		if (f.number == PACKET_FTRACE && !is_ftrace(&f))
			return false;
		*known |= f.number == PACKET_PROCESS_TREE && is_process_tree(&f);
		for (size_t i = 0; i < sizeof typical / sizeof *typical; i++)
			*known |= f.number == typical[i];
		if ((f.number == PACKET_TIME || f.number == PACKET_SEQUENCE ||
		     f.number == PACKET_FLAGS) && f.type != PROTO_VARINT)
			return false;
		if ((f.number == PACKET_EVENT || f.number == PACKET_CLOCKS ||
		     f.number == PACKET_FTRACE || f.number == PACKET_TRACK) &&
		    f.type != PROTO_BYTES)
			return false;
	}
	return !p.c.bad;
}

static int
packets_probe(struct head head)
{
	struct proto p = proto_over(head.at, head.len);
	struct proto_field f;
	unsigned n = 0, typical = 0;

	while (proto_next(&p, &f)) {
		bool known = false;
		if (f.number != 1 || f.type != PROTO_BYTES)
			return 0;
		if (n < PACKETS_TRIED && !is_packet(&f, &known))
			return 0;
		typical += known;
		n++;
	}
	/* a packet may be larger than the head */
	if (!n && p.c.torn && !head.whole && head.len > 8 && head.at[0] == 0x0A) {
		struct cursor c = cursor_over(head.at + 1, head.len - 1);
		uint64_t len = cursor_varint(&c), tag = cursor_varint(&c);
		bool fits = tag == (8 << 3) || tag == (10 << 3) || tag == (1 << 3 | 2) ||
			    tag == (50u << 3 | 2);
		return !c.bad && len > head.len && fits ? SURE : 0;
	}
	if (p.c.bad && !p.c.torn)
		return 0;
	return n && typical >= (n < PACKETS_TRIED ? n : PACKETS_TRIED) ? SURE : 0;
}

static int
perfetto_probe(struct head head)
{
	int sure = packets_probe(head);

	return !sure && head_drop_zeros(&head) ? packets_probe(head) : sure;
}

/* ---- the end ---- */

static void
metrics_declare(struct perfetto *d)
{
	bool threads = cast_slices(&d->cast), others = cast_asyncs(&d->cast);
	struct pf_metrics *is = &d->is;

	if (threads)
		is->time = builder_time(d->b, "time");
	if (d->cores.core.n)
		is->cpu = builder_metric(d->b, "cpu", UNIT_NS, ROLE_TIME);
	if (others)
		is->async = builder_time(d->b, "async");
	if (!threads && !d->cores.core.n && !others && !d->samples.sample.n && !d->samples.peak.n)
		is->time = builder_metric(d->b, "time", UNIT_NS, ROLE_TIME);
	if (d->samples.peak.n)
		is->peak = builder_metric(d->b, "peak", UNIT_BYTES, ROLE_VALUE);
	const metric_id order[] = {is->time, is->cpu, is->samples, is->live, is->peak, is->async};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (order[i] != METRIC_NONE) {
			builder_default_metric(d->b, order[i]);
			break;
		}
}

static void
perfetto_report(struct perfetto *d)
{
	builder_info(d->b, "packets", "%" PRIu64, d->counts.packets);
	builder_info_count(d->b, "clock snapshots", d->counts.snapshots, "");
	pf_tell_clock(d);
	for (uint32_t i = 0; i < 256; i++) {
		const char *name = pf_packet_name(i);
		if (d->counts.counted[i] && name)
			builder_info(d->b, "packets not shown", "%s: %" PRIu64, name,
				     d->counts.counted[i]);
		else if (d->counts.counted[i])
			builder_info(d->b, "packets not shown", "field %" PRIu32 ": %" PRIu64, i,
				     d->counts.counted[i]);
	}
	if (d->counts.counted_more)
		builder_info(d->b, "packets not shown", "others: %" PRIu64, d->counts.counted_more);
	pf_ftrace_report(d);
	builder_info_count(d->b, "events not shown", d->counts.deeper, " of other phases");
	builder_info_count(d->b, "samples skipped", d->counts.skipped_samples, "");
	builder_info_count(d->b, "truncated stacks", d->counts.unwind_errors, "");
	builder_warn_count(d->b, d->counts.needs_state,
			   "packet needs what was lost before it, left out",
			   "packets need what was lost before them, left out");
}

static void
tracks_release(struct perfetto *d)
{
	for (size_t i = 0; i < d->tracks.track.n; i++)
		vec_release(&d->tracks.track.at[i].series);
	for (size_t i = 0; i < d->cores.core.n; i++)
		vec_release(&d->cores.core.at[i].run);
	for (size_t i = 0; i < d->sequence.n; i++) {
		for (unsigned k = 0; k < PF_KINDS; k++)
			idmap_release(&d->sequence.at[i].of[k]);
		idmap_release(&d->sequence.at[i].sums);
	}
}

static void
perfetto_release(struct perfetto *d)
{
	struct idmap *maps[] = {&d->sequence_of,	 &d->clocks.clock_of,
				&d->names.function_of,	 &d->names.labels_of,
				&d->tracks.track_of,
				&d->tracks.thread_pid,	 &d->tracks.thread_name,
				&d->tracks.named,
				&d->samples.perf_last,	 &d->cores.core_of};

	tracks_release(d);
	pf_sched_release(d);
	flows_release(&d->tracks.flows);
	cast_release(&d->cast);
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		idmap_release(maps[i]);
	text_cache_release(&d->names.symbol_of);
	text_cache_release(&d->names.whole_name_of);
	symbols_free(d->names.symbols);
	text_cache_release(&d->tracks.track_keyed);
	text_cache_release(&d->samples.heap_of);
	vec_release_all(&d->sequence, &d->clocks.clock, &d->names.name, &d->names.source,
			&d->names.mapping, &d->names.frame, &d->names.stack_frame, &d->names.stack,
			&d->names.task, &d->names.descriptor, &d->names.line, &d->names.symbol,
			&d->tracks.track, &d->sum, &d->samples.sample, &d->samples.value,
			&d->samples.set, &d->samples.metric, &d->cores.core, &d->samples.heap,
			&d->samples.peak);
	buf_release(&d->text);
}

/* Shows a preview of the slices. Errors are left to the end, which reports them. */
static void
perfetto_show(void *context)
{
	struct perfetto *d = context;
	struct err e = {0};

	pf_tracks_cast(d);
	if (!cast_slices(&d->cast) && !cast_asyncs(&d->cast))
		return;
	metrics_declare(d);
	pf_singles_reach(d);
	cast_write(&d->cast, d->is.time, d->is.async, false, 0, &e);
	cast_rename(&d->cast);
}

#define LATER 30 /* percent of the time, spent on slices after reading */

static bool
perfetto_decode(struct input *in, struct builder *b, struct err *e)
{
	struct perfetto *d = mem_zalloc(1, sizeof *d);
	struct err second = {0};

	d->in = in;
	d->b = b;
	d->err = e;
	d->cast = (struct cast){.in = in, .b = b, .lone = true, .labelled = true};
	d->cores.sched.of.b = b;
	d->clocks.primary = CLOCK_BOOT;
	d->latest = INT64_MIN;
	d->is = (struct pf_metrics){METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE,
				    METRIC_NONE, METRIC_NONE, METRIC_NONE, METRIC_NONE,
				    METRIC_NONE, METRIC_NONE};
	input_later(in, LATER);
	input_when_idle(in, perfetto_show, d);
	bool good = rows_proto_input(&(struct rows_proto){.b = b}, in, &pf_trace_table, d, e);
	input_when_idle(in, NULL, NULL);
	d->p = (struct pf_packet){0};
	if (!good)
		d->err = &second;
	pf_tracks_cast(d);
	metrics_declare(d);
	flows_bind(&d->tracks.flows, &d->cast);
	pf_singles_reach(d);
	good = cast_write(&d->cast, d->is.time, d->is.async, true, 0, d->err) &&
	       pf_cores_write(d) && pf_samples_write(d) && good;
	cast_rename(&d->cast);
	pf_sched_write(d);
	flows_write(&d->tracks.flows, &d->cast);
	perfetto_report(d);
	perfetto_release(d);
	free(d);
	return good;
}

const struct decoder decoder_perfetto = {
	.name = "perfetto",
	.title = "Perfetto's traces: Android, Chrome, traced, the SDK",
	.made_of = MADE_BINARY,
	.mangled = true,
	.probe = perfetto_probe,
	.decode = perfetto_decode,
	.schema = &pf_trace_table,
};
