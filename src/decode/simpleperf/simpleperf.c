/* The output of Android's `simpleperf report-sample --protobuf` (AOSP, cmd_report_sample.proto):
 *
 *	SIMPLEPERF, u16 version 1, then u32 length and a Record, until a length of 0
 *
 * Frames of samples are numbers of a file and of a symbol in it; files and threads follow after all
 * samples. So a file is read twice: first for names, then for samples.
 *
 * In a recording with --trace-offcpu, a sample of sched:sched_switch is a thread that goes to
 * sleep, and sleeps until its next sample. So such a sample waits for the next one of its
 * thread. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/perf_unit.h"
#include "src/decode/common/proto_dump.h"
#include "src/decode/simpleperf/simpleperf_inside.h"

#define MAGIC "SIMPLEPERF"
#define MAGIC_LEN 10u
#define EVENTS_MAX 1024u
#define FRAMES_MAX 65536u /* of one sample */

/* ---- records ---- */

static bool
simpleperf_begin(struct input *in, struct err *e)
{
	if (!input_need(in, MAGIC_LEN + 2) || memcmp(input_at(in), MAGIC, MAGIC_LEN))
		return err_refuse(e, "not a report of simpleperf: it does not begin with %s",
				  MAGIC);
	unsigned version = bytes_u16(input_at(in) + MAGIC_LEN, false);
	if (version != 1)
		return err_refuse(e, "version %u of simpleperf's report: 1 is read", version);
	input_skip(in, MAGIC_LEN + 2);
	return true;
}

/* Reads the next record's message, valid until the next call; returns false at the end, and at
 * damage. */
static bool
next(struct simpleperf *s, struct proto_field *out)
{
	input_skip(s->reader.in, s->reader.len);
	s->reader.len = 0;
	s->reader.at = input_offset(s->reader.in);
	if (s->reader.ended || input_stopped(s->reader.in) ||
	    (!input_have(s->reader.in) && !input_more(s->reader.in)))
		return false;
	if (!input_need(s->reader.in, 4))
		return err_damage(s->e, s->reader.at, "a truncated record");
	uint32_t len = bytes_u32(input_at(s->reader.in), false);
	s->reader.ended = !len;
	if (s->reader.ended)
		return false;
	if (len >= INPUT_WINDOW_MAX || !input_need(s->reader.in, 4 + (size_t)len))
		return err_damage(s->e, s->reader.at, "a truncated record");
	s->reader.len = 4 + (uint64_t)len;
	*out = (struct proto_field){
		.type = PROTO_BYTES, .at = input_at(s->reader.in) + 4, .len = len};
	return true;
}

static bool
switch_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f UNUSED)
{
	struct simpleperf *s = r->context;

	s->counts.switches += !s->reader.has_names;
	return true;
}

static const struct proto_row lost_rows[] = {
	[1] = {"sample_count", FIELD_UNREAD(PROTO_VARINT)},
	[2] = {"lost_count", FIELD_UINT(struct simpleperf, counts.lost)},
};
static const struct proto_table lost_table = PROTO_TABLE("LostSituation", lost_rows);

/* ---- second reading: samples ---- */

struct sp_frame {
	uint64_t address, file;
	int64_t symbol;
};

static const struct proto_row entry_rows[] = {
	[1] = {"vaddr_in_file", FIELD_UINT(struct sp_frame, address)},
	[2] = {"file_id", FIELD_UINT(struct sp_frame, file)},
	[3] = {"symbol_id", FIELD_INT32(struct sp_frame, symbol)},
	[4] = {"execution_type", FIELD_UNREAD(PROTO_VARINT)},
};
static const struct proto_table entry_table = PROTO_TABLE("CallChainEntry", entry_rows);

static frame_id
unknown_frame(struct simpleperf *s)
{
	s->counts.unknown++;
	return builder_frame(s->b, builder_function_unknown(s->b), line_unknown());
}

static frame_id
simpleperf_frame_of(struct simpleperf *s, const struct sp_frame *x)
{
	uint64_t key = x->file << 32 | (uint64_t)x->symbol;
	uint32_t known = x->symbol >= 0 ? idmap_get(&s->frame_of, key) : IDMAP_NONE;
	uint32_t file = idmap_get(&s->file_of, x->file);
	struct function f = {0};

	if (known != IDMAP_NONE)
		return known;
	if (file == IDMAP_NONE || x->file > UINT32_MAX || x->symbol > INT32_MAX ||
	    (x->symbol >= 0 && (size_t)x->symbol >= s->file.at[file].n))
		return unknown_frame(s);
	if (x->symbol >= 0)
		f.name = s->symbol.at[s->file.at[file].first + (size_t)x->symbol];
	if (f.name == NAME_EMPTY)
		f.name = builder_namef(s->b, "0x%" PRIx64, x->address);
	struct name name = builder_name_get(s->b, f.name);
	f.module = s->file.at[file].module;
	f.kind = (uint8_t)(s->file.at[file].system ? KIND_SYSTEM : kind_of_name(name.at, name.len));
	frame_id frame = builder_frame_of(s->b, f, 0);
	if (x->symbol >= 0)
		idmap_put(&s->frame_of, key, frame);
	return frame;
}

struct sample_message {
	int64_t time, tid, count;
	uint64_t event;
};

/* Reads an entry; a malformed one becomes a frame with the part before the fault. */
static bool
entry_take(struct rows_proto *r, void *sample UNUSED, const struct proto_field *f)
{
	struct simpleperf *s = r->context;
	struct sp_frame x = {0};

	sp_message_read(s, &entry_table, f, &x);
	if (s->frame.n < FRAMES_MAX)
		*vec_push(&s->frame) = simpleperf_frame_of(s, &x);
	return true;
}

static const struct proto_row sample_rows[] = {
	[1] = {"time", FIELD_INT(struct sample_message, time)},
	[2] = {"thread_id", FIELD_INT(struct sample_message, tid)},
	[3] = {"callchain", FIELD_EACH(PROTO_BYTES, entry_take),
	       .inner = &entry_table},
	[4] = {"event_count", FIELD_INT(struct sample_message, count)},
	[5] = {"event_type_id", FIELD_UINT(struct sample_message, event)},
};
static const struct proto_table sample_table = PROTO_TABLE("Sample", sample_rows);

static void
simpleperf_thread_begin(struct simpleperf *s, struct sp_thread *t)
{
	uint32_t track = cast_thread(&s->cast, CAST_NONE, t->tid);

	s->cast.track.at[track].name = t->name;
	s->cast.track.at[track].prefix = PREFIX_NEVER;
	t->track = cast_made(&s->cast, track);
	cast_under(&s->cast, track, t->pid);
	t->begun = true;
}

static struct series *
simpleperf_series_of(struct simpleperf *s, struct sp_thread *t, uint64_t event)
{
	struct sp_event *v = &s->event.at[event];
	metric_id metric[3] = {s->samples, v->metric, s->offcpu_metric};

	if (v->metric == METRIC_NONE) {
		struct name name = builder_name_get(s->b, v->name);
		v->metric = metric[1] = builder_metric(s->b, name.at, perf_unit(name.at, name.len),
						       ROLE_VALUE);
	}
	while (t->series.n <= event)
		*vec_push(&t->series) = NULL;
	if (!t->series.at[event]) {
		bool waits = s->offcpu && v->is_switch;
		t->series.at[event] = builder_samples(s->b, t->track, metric, waits ? 3 : 2);
		if (waits) /* a record is counted when it comes, its sample follows later */
			builder_derived(t->series.at[event]);
	}
	return t->series.at[event];
}

/* Names an event without a name; a truncated file lacks the names. */
static void
nameless_event(struct simpleperf *s)
{
	name_id name = builder_namef(s->b, "event %zu", s->event.n);

	*vec_push(&s->event) = (struct sp_event){.name = name, .metric = METRIC_NONE};
}

/* Ends the pending sample, which lasts until this time. */
static bool
wake(struct simpleperf *s, struct sp_thread *t, int64_t time)
{
	if (!t->waits)
		return true;
	t->waits = false;
	t->values[1] = time > t->time ? time - t->time : 0;
	return builder_sample(s->b, simpleperf_series_of(s, t, t->event), t->time, t->stack,
			      t->values, t->offset, s->e);
}

static bool
simpleperf_sample_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct simpleperf *s = r->context;
	struct sample_message m = {0};
	uint64_t offset = s->reader.at, wrong = s->reader.n_wrong;

	s->counts.samples += !s->reader.has_names;
	if (!s->reader.has_names)
		return true;
	s->frame.n = 0;
	bool good = sp_message_read(s, &sample_table, f, &m);
	if (s->reader.n_wrong != wrong)
		return err_damage(s->e, offset, "%s", s->reader.wrong.text);
	if (good && (m.time < 0 || m.count < 0 || m.event >= EVENTS_MAX)) {
		s->counts.malformed++;
		good = false;
	}
	if (!good)
		return true;
	while (s->event.n <= m.event)
		nameless_event(s);
	uint32_t i = sp_thread_of(s, m.tid);
	struct sp_thread *t = &s->thread.at[i];
	if (!t->begun)
		simpleperf_thread_begin(s, t);
	if (!wake(s, t, m.time))
		return false;
	stack_id stack = s->frame.n ? builder_stack_leaf_first(s->b, s->frame.at, s->frame.n)
				    : builder_stack_missing(s->b, 1);
	if (!s->offcpu || !s->event.at[m.event].is_switch)
		return builder_sample(s->b, simpleperf_series_of(s, t, m.event), m.time, stack,
				      &m.count, offset, s->e);
	builder_track_event(s->b, t->track);
	t->waits = true;
	t->event = m.event;
	t->time = m.time;
	t->values[0] = m.count;
	t->stack = stack;
	t->offset = offset;
	return true;
}

static const struct proto_row record_rows[] = {
	[1] = {"sample", FIELD_EACH(PROTO_BYTES, simpleperf_sample_take), .inner = &sample_table},
	[2] = {"lost", FIELD_HERE(&lost_table)},
	[3] = {"file", FIELD_EACH(PROTO_BYTES, sp_file_take), .inner = &sp_file_table},
	[4] = {"thread", FIELD_EACH(PROTO_BYTES, sp_thread_take), .inner = &sp_thread_table},
	[5] = {"meta_info", FIELD_EACH(PROTO_BYTES, sp_meta_take), .inner = &sp_meta_table},
	[6] = {"context_switch", FIELD_EACH(PROTO_BYTES, switch_take)},
};
static const struct proto_table record_table = PROTO_TABLE("Record", record_rows);

static void
read_names(struct simpleperf *s)
{
	struct proto_field record;
	struct err ignored = {0}, *e = s->e; /* the second reading reports it */

	s->e = &ignored;
	while (next(s, &record))
		sp_message_read(s, &record_table, &record, s);
	s->e = e;
	s->reader.ended = false;
	s->reader.has_names = true;
}

static bool
simpleperf_read_samples(struct simpleperf *s)
{
	struct proto_field record;

	while (!err_is_set(s->e) && next(s, &record))
		if (!rows_proto_read(&s->reader.r, &record_table, &record, s))
			s->reader.r.fault = NULL; /* the first reading has noted it */
	if (!err_is_set(s->e) && s->reader.n_wrong)
		*s->e = s->reader.wrong;
	return !err_is_set(s->e);
}

/* ---- the decoder ---- */

static void
simpleperf_declare(struct simpleperf *s)
{
	s->samples = builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	if (!s->event.n)
		nameless_event(s);
	struct name first = builder_name_get(s->b, s->event.at[0].name);
	s->event.at[0].metric = builder_metric(s->b, first.at, perf_unit(first.at, first.len),
					       ROLE_VALUE);
	builder_default_metric(s->b, s->event.at[0].metric);
	if (s->offcpu)
		s->offcpu_metric = builder_metric(s->b, "offcpu", UNIT_NS, ROLE_VALUE);
}

static void
simpleperf_report(struct simpleperf *s)
{
	builder_info(s->b, "samples", "%" PRIu64, s->counts.samples);
	builder_info(s->b, "context switches", "%" PRIu64, s->counts.switches);
	builder_info(s->b, "files", "%zu", s->file.n);
	builder_info(s->b, "threads", "%" PRIu64, s->counts.threads);
	builder_info(s->b, "lost samples", "%" PRIu64, s->counts.lost);
	builder_warn_count(s->b, s->counts.malformed, "message is malformed, skipped",
			   "messages are malformed, skipped");
	builder_warn_count(s->b, s->counts.unknown,
			   "frame refers to a missing file or symbol: [unknown]",
			   "frames refer to missing files or symbols: [unknown]");
	if (!s->reader.ended && !err_is_set(s->e))
		err_damage(s->e, input_offset(s->reader.in), "the end of the report is missing");
}

static void
simpleperf_release(struct simpleperf *s)
{
	for (size_t i = 0; i < s->thread.n; i++)
		vec_release(&s->thread.at[i].series);
	vec_release_all(&s->file, &s->symbol, &s->event, &s->thread, &s->frame);
	idmap_release_all(&s->file_of, &s->thread_of, &s->frame_of);
	cast_release(&s->cast);
}

static bool
simpleperf_decode(struct input *in, struct builder *b, struct err *e)
{
	struct simpleperf s = {.reader.in = in, .b = b, .e = e, .cast = {.b = b}};
	bool good;

	s.reader.r = (struct rows_proto){.context = &s, .name = builder_name, .b = b};
	input_keep(in);
	input_passes(in, 2);
	if (!simpleperf_begin(in, e))
		return false;
	read_names(&s);
	simpleperf_declare(&s);
	s.reader.len = 0;
	good = input_seek(in, MAGIC_LEN + 2) || err_damage(e, 0, "the input cannot be read twice");
	good = good && simpleperf_read_samples(&s);
	for (size_t i = 0; i < s.thread.n; i++)
		good = wake(&s, &s.thread.at[i], s.thread.at[i].time) && good;
	s.e = e;
	simpleperf_report(&s);
	simpleperf_release(&s);
	return good && !err_is_set(e);
}

static bool
simpleperf_dump(struct input *in, struct dump *d, struct err *e)
{
	struct simpleperf s = {.reader.in = in, .e = e};
	struct buf line = BUF_INIT;
	struct proto_field record;
	bool good = simpleperf_begin(in, e);

	while (good && next(&s, &record)) {
		buf_reset(&line);
		proto_dump_fields(d, proto_inside(&record), &record_table, &line);
		good = dump_record(d, s.reader.at, "%s", buf_str(&line) + (line.len > 0));
	}
	buf_release(&line);
	return good && !err_is_set(e);
}

const struct decoder decoder_simpleperf = {
	.name = "simpleperf",
	.title = "simpleperf report-sample --protobuf, of Android",
	.made_of = MADE_BINARY,
	.mangled = true,
	DECODER_MAGIC(MAGIC),
	.decode = simpleperf_decode,
	.dump = simpleperf_dump,
};
