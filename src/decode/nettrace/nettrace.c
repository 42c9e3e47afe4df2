/* nettrace: traces of .NET (dotnet-trace, dotnet-monitor) and of one-collect, versions 4 to 6.
 *
 *	blocks of   kinds of events (metadata)   stacks of addresses   threads   labels
 *	                     ▲                          ▲                 ▲         ▲
 *	blocks of events ────┴──────────────────────────┴─────────────────┴─────────┘ by id
 *
 * nettrace_read.c draws the bytes. Ids of stacks and labels hold until the next sequence point. The
 * names of methods are events, too, most of them at the end of the file. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/base/sum.h"
#include "src/decode/nettrace/nettrace_inside.h"
#include "src/input/hash.h"
#include "src/input/isodate.h"

#define SECOND UINT64_C(1000000000)
#define LATER 40u /* percent of the progress for samples, after reading */

/* ---- events ---- */

static bool
take_metadata(void *ctx, const struct nettrace_metadata *row)
{
	struct nettrace *d = ctx;
	struct nettrace_type type = {
		.provider = builder_name(d->b, row->provider.at, row->provider.len),
		.name = builder_name(d->b, row->name.at, row->name.len),
		.event = row->event,
		.no_process = row->no_process,
	};
	uint64_t key[] = {type.provider, type.name, type.event, type.no_process};
	uint32_t at;

	if (idmap_add(&d->types.same, hash64(key, sizeof key), d->types.at.n, &at)) {
		nettrace_type_bind(d, &type);
		*vec_push(&d->types.at) = type;
	}
	idmap_put(&d->types.of, row->id, at);
	return true;
}

/* Counts the events of a thread that the file lacks before this number. */
static void
count_lost(struct nettrace *d, uint32_t thread, uint32_t before)
{
	int32_t lost = (int32_t)(before - d->threads.at.at[thread].sequence);

	d->facts.lost += lost > 0 ? (uint32_t)lost : 0;
}

static bool
take_event(void *ctx, const struct nettrace_event *ev)
{
	struct nettrace *d = ctx;
	int64_t ticks = (int64_t)ev->ticks;
	uint32_t at = idmap_get(&d->types.of, ev->metadata);

	if (ev->fresh) {
		d->threads.capture = nettrace_thread_at(d, ev->capture);
		count_lost(d, d->threads.capture, ev->sequence - 1);
	}
	d->threads.at.at[d->threads.capture].sequence = ev->sequence;
	d->first_ticks = ticks < d->first_ticks ? ticks : d->first_ticks;
	d->last_ticks = ticks > d->last_ticks ? ticks : d->last_ticks;
	d->offset = ev->offset;
	if (at == IDMAP_NONE) {
		d->facts.unknown_types++;
		return true;
	}
	d->types.current = at;
	d->types.at.at[at].n++;
	return !d->types.at.at[at].take || d->types.at.at[at].take(d, ev);
}

static bool
take_sequence(void *ctx, uint64_t offset UNUSED, uint64_t thread, uint32_t number)
{
	struct nettrace *d = ctx;
	uint32_t at = idmap_get(&d->threads.of, thread);

	if (at == IDMAP_NONE)
		return true;
	count_lost(d, at, number);
	if ((int32_t)(number - d->threads.at.at[at].sequence) > 0)
		d->threads.at.at[at].sequence = number;
	return true;
}

static bool
take_sequence_point(struct nettrace *d, const struct nettrace_block *block)
{
	uint32_t flags;

	if (!nettrace_sequence(&d->file, block, &flags, take_sequence, d))
		return false;
	if (block->kind == NETTRACE_REMOVED)
		return true;
	idmap_release_all(&d->stack_ids.of, &d->label_ids.of);
	if (flags & 1)
		idmap_release(&d->threads.of);
	if (flags & 2)
		idmap_release(&d->types.of);
	d->threads.last_at = NETTRACE_NONE;
	return true;
}

static bool
take_trace(struct nettrace *d, const struct nettrace_block *block)
{
	const uint16_t *t = d->trace.utc;

	if (!nettrace_trace_read(&d->file, block, &d->trace))
		return false;
	d->process = cast_process(&d->cast, nettrace_id(d->trace.pid));
	d->tick_ns = SECOND % d->trace.frequency ? 0 : (int64_t)(SECOND / d->trace.frequency);
	builder_info(d->b, "version", "%u, %u bits", d->file.version, d->file.pointer * 8);
	builder_info(d->b, "date", "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", t[0], t[1], t[3], t[4],
		     t[5], t[6], t[7]);
	return true;
}

/* Tells the builder the time of day at the first event. The trace states it at trace.ticks. */
static void
tell_clock(const struct nettrace *d)
{
	const uint16_t *t = d->trace.utc;
	char text[48];
	int64_t day;

	snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", t[0], t[1], t[3], t[4],
		 t[5], t[6], t[7]);
	if (d->trace.ticks <= INT64_MAX && isodate_read(text, &day))
		builder_clock(d->b,
			      difference_clipped(day, nettrace_ns(d, (int64_t)d->trace.ticks)));
}

static bool
take_block(void *ctx, const struct nettrace_block *block)
{
	struct nettrace *d = ctx;

	d->offset = block->offset;
	if (d->trace.frequency == 0 && block->kind != NETTRACE_TRACE && block->kind != NETTRACE_END)
		return err_damage(d->file.e, block->offset,
				  "a block before the description of the recording");
	switch (block->kind) {
	case NETTRACE_END:
		d->facts.ended = true;
		return true;
	case NETTRACE_TRACE:
		return d->trace.frequency || take_trace(d, block);
	case NETTRACE_EVENTS:
		return nettrace_events(&d->file, block, take_event, d);
	case NETTRACE_METADATA:
		return nettrace_metadata_read(&d->file, block, take_metadata, d);
	case NETTRACE_STACKS:
		return nettrace_stacks(&d->file, block, nettrace_stack_take, d);
	case NETTRACE_SEQUENCE:
	case NETTRACE_REMOVED:
		return take_sequence_point(d, block);
	case NETTRACE_THREADS:
		return nettrace_threads_read(&d->file, block, nettrace_thread_take, d);
	case NETTRACE_LABELS:
		return nettrace_labels_read(&d->file, block, nettrace_label_take, d);
	case NETTRACE_KINDS:
		break;
	}
	return true;
}

/* ---- the profile ---- */

static void
info_name(struct nettrace *d, const char *key, name_id name)
{
	struct name n = builder_name_get(d->b, name);

	if (n.len)
		builder_info_bytes(d->b, key, n.at, n.len);
}

static void
report_types(struct nettrace *d)
{
	for (size_t i = 0; i < d->types.at.n; i++) {
		const struct nettrace_type *t = &d->types.at.at[i];
		struct name provider = builder_name_get(d->b, t->provider);
		struct name name = builder_name_get(d->b, t->name);
		if (!t->n)
			continue;
		builder_unshown(d->b, t->n); /* matters only if none of them is shown */
		buf_reset(&d->text);
		buf_addf(&d->text, "%" PRIu64 " ", t->n);
		buf_add(&d->text, provider.at, provider.len);
		if (name.len) {
			buf_addc(&d->text, '/');
			buf_add(&d->text, name.at, name.len);
		} else {
			buf_addf(&d->text, "/%" PRIu64, t->event);
		}
		builder_info_bytes(d->b, "events", buf_str(&d->text), d->text.len);
	}
}

static void
nettrace_report(struct nettrace *d)
{
	const struct nettrace_facts *f = &d->facts;

	for (size_t i = 0; i < d->threads.at.n; i++)
		d->facts.unfinished_locks += d->threads.at.at[i].waits;
	builder_info_count(d->b, "pid", d->trace.pid, "");
	builder_info_count(d->b, "cpus", d->trace.cpus, "");
	info_name(d, "command", f->command);
	info_name(d, "system", f->system);
	info_name(d, "architecture", f->machine);
	report_types(d);
	builder_info_count(d->b, "lost events", f->lost, "");
	builder_info_count(d->b, "methods", d->frames.n_methods, "");
	if (d->frames.frames)
		builder_info(d->b, "frames of samples", "%" PRIu64 ", %" PRIu64 " without a method",
			     d->frames.frames, d->frames.nameless);
	builder_info_count(d->b, "suspensions", f->other_suspensions, " not for the collector");
	builder_info_count(d->b, "waits for locks", f->unfinished_locks, " without an end");
	builder_warn_count(d->b, f->unknown_types,
			   "event of a kind that the file does not describe",
			   "events of kinds that the file does not describe");
	builder_warn_count(d->b, f->unknown_stacks,
			   "event whose stack the file lacks, shown as [unknown]",
			   "events whose stack the file lacks, shown as [unknown]");
	builder_warn_count(d->b, f->unknown_labels, "event whose labels the file lacks",
			   "events whose labels the file lacks");
	if (!f->ended && d->frames.nameless && !d->frames.mapping.n &&
	    !input_stopped(d->file.in))
		builder_warn(d->b, "no end tag: the names of methods, which .NET writes at the end "
				   "of a recording, are missing");
}

static struct nettrace *
nettrace_new(struct input *in, struct builder *b, struct err *e)
{
	struct nettrace *d = mem_alloc(1, sizeof *d);

	*d = (struct nettrace){
		.file = {.in = in, .e = e},
		.b = b,
		.cast = {.in = in, .b = b, .labelled = true},
		.process = CAST_NONE,
		.threads = {.last_at = NETTRACE_NONE},
		.first_ticks = INT64_MAX,
		.last_ticks = INT64_MIN,
	};
	nettrace_frames_init(&d->frames);
	return d;
}

static void
nettrace_free(struct nettrace *d)
{
	nettrace_rows_release(&d->rows);
	nettrace_frames_release(&d->frames);
	cast_release(&d->cast);
	vec_release_all(&d->types.at, &d->threads.at, &d->mark, &d->list);
	idmap_release_all(&d->types.of, &d->types.same, &d->threads.of, &d->threads.of_cast,
			  &d->stack_ids.of, &d->label_ids.of);
	buf_release(&d->text);
	free(d);
}

static bool
nettrace_decode(struct input *in, struct builder *b, struct err *e)
{
	struct nettrace *d = nettrace_new(in, b, e);
	struct err none;

	input_later(in, LATER);
	bool good = nettrace_magic(&d->file) && nettrace_blocks(&d->file, take_block, d);
	if (d->first_ticks <= d->last_ticks) {
		err_init(&none);
		struct err *late = good ? e : &none; /* everything before the damage is shown */
		nettrace_frames_ready(&d->frames);
		tell_clock(d);
		good = nettrace_rows_write(d, late) && good;
		good = nettrace_gc_write(d, late) && good;
		cast_rename(&d->cast);
		builder_run_end(b, 0);
		builder_run_end(b, nettrace_ns(d, d->last_ticks));
	}
	if (d->trace.frequency)
		nettrace_report(d);
	nettrace_free(d);
	return good;
}

static int
nettrace_probe(struct head head)
{
	static const char old[] = "\x14\0\0\0!FastSerialization.1";
	static const char plain[] = "Nettrace\0\0\0\0", serial[] = "Nettrace\x14\0\0\0";

	if (head.len >= sizeof old - 1 && !memcmp(head.at, old, sizeof old - 1))
		return 100;
	return head.len >= 12 && (!memcmp(head.at, plain, 12) || !memcmp(head.at, serial, 12))
		       ? 100
		       : 0;
}

const struct decoder decoder_nettrace = {
	.name = "nettrace",
	.title = "traces of .NET (dotnet-trace, EventPipe)",
	.made_of = MADE_BINARY,
	.probe = nettrace_probe,
	.decode = nettrace_decode,
	.dump = nettrace_dump,
};
