/* What `simpleperf report-sample --protobuf` of Android writes (AOSP, cmd_report_sample.proto):
 *
 *	SIMPLEPERF, u16 version 1, then u32 length and a Record, until a length of 0
 *
 * Samples have their frames as numbers of a file and of a symbol in it; files and threads stand
 * behind all samples.  So a file is read twice: first for names, then for samples.
 *
 * Recorded with --trace-offcpu, a sample of sched:sched_switch is a thread that goes to sleep;
 * it sleeps until its next sample.  So of each thread such a sample waits for the next one. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/perf_unit.h"
#include "src/decode/common/processes.h"
#include "src/decode/common/proto_dump.h"

#define MAGIC "SIMPLEPERF"
#define MAGIC_LEN 10u
#define SWITCH "sched:sched_switch"
#define EVENTS_MAX 1024u
#define FRAMES_MAX 65536u /* of one sample */

enum record { RECORD_SAMPLE = 1, RECORD_LOST, RECORD_FILE, RECORD_THREAD, RECORD_META,
	      RECORD_SWITCH, RECORDS };

struct sp_file {
	name_id module;
	bool system;
	size_t first, n; /* its symbols */
};

struct sp_event {
	name_id name;
	metric_id metric;
	bool is_switch;
};

struct sp_thread {
	int64_t tid, pid;
	name_id name;
	track_id track;
	bool begun;
	VEC(struct series *) series; /* [event] */
	/* the one that goes to sleep */
	bool waits;
	uint64_t event;
	int64_t time, values[2];
	stack_id stack;
	uint64_t offset;
};

struct simpleperf {
	struct input *in;
	struct builder *b;
	struct err *e;
	uint64_t record_len; /* of the one that was given out, still in the window */
	uint64_t record_at;  /* its offset */
	uint64_t wrong, wrong_at; /* fields of another wire type; the record of the first */
	bool ended, offcpu;
	VEC(struct sp_file) file;
	VEC(name_id) symbol;
	VEC(struct sp_event) event;
	VEC(struct sp_thread) thread;
	VEC(frame_id) frame;
	struct idmap file_of, thread_of, frame_of;
	struct processes processes;
	metric_id samples, offcpu_metric;
	uint64_t malformed, unknown, counted[RECORDS], lost;
};

/* How cmd_report_sample.proto has the fields of what is read here. */
static const struct proto_types record_types = {.bytes = PROTO_BITS(1, RECORDS - 1)};
static const struct proto_types sample_types = {.numbers = PROTO_BITS(1, 2) | PROTO_BITS(4, 5),
						.bytes = PROTO_BIT(3)};
static const struct proto_types chain_types = {.numbers = PROTO_BITS(1, 3)};
static const struct proto_types lost_types = {.numbers = PROTO_BITS(1, 2)};
static const struct proto_types file_types = {.numbers = PROTO_BIT(1), .bytes = PROTO_BITS(2, 3)};
static const struct proto_types thread_types = {.numbers = PROTO_BITS(1, 2),
						.bytes = PROTO_BIT(3)};
static const struct proto_types meta_types = {.numbers = PROTO_BIT(6), .bytes = PROTO_BITS(1, 5)};

static int
simpleperf_probe(struct head head)
{
	return head.len >= MAGIC_LEN && !memcmp(head.at, MAGIC, MAGIC_LEN) ? 100 : 0;
}

/* ---- records ---- */

static bool
begin(struct input *in, struct err *e)
{
	if (!input_need(in, MAGIC_LEN + 2) || memcmp(input_at(in), MAGIC, MAGIC_LEN))
		return err_refuse(e, "no report of simpleperf: it does not begin with %s", MAGIC);
	unsigned version = bytes_u16(input_at(in) + MAGIC_LEN, false);
	if (version != 1)
		return err_refuse(e, "version %u of simpleperf's report: 1 is read", version);
	input_skip(in, MAGIC_LEN + 2);
	return true;
}

/* The next record's message, valid until the next call; false at the end, and at damage. */
static bool
next(struct simpleperf *s, struct proto *out, uint64_t *offset)
{
	input_skip(s->in, s->record_len);
	s->record_len = 0;
	*offset = s->record_at = input_offset(s->in);
	if (s->ended || input_stopped(s->in) || (!input_have(s->in) && !input_more(s->in)))
		return false;
	if (!input_need(s->in, 4))
		return err_damage(s->e, *offset, "a record that is cut");
	uint32_t len = bytes_u32(input_at(s->in), false);
	s->ended = !len;
	if (s->ended)
		return false;
	if (len >= INPUT_WINDOW_MAX || !input_need(s->in, 4 + (size_t)len))
		return err_damage(s->e, *offset, "a record that is cut");
	s->record_len = 4 + (uint64_t)len;
	*out = proto_over(input_at(s->in) + 4, len);
	return true;
}

/* proto_next() of a message with such fields: one that is written otherwise ends the message, and
 * is damage when all that is good is read. */
static bool
field_next(struct simpleperf *s, struct proto *p, const struct proto_types *t,
	   struct proto_field *out)
{
	if (!proto_next(p, out))
		return false;
	if (proto_fits(out, t))
		return true;
	if (!s->wrong++)
		s->wrong_at = s->record_at;
	p->c.bad = true;
	return false;
}

static bool
wrong_type(struct simpleperf *s, uint64_t offset)
{
	return err_damage(s->e, offset, "a record with a field that is malformed");
}

/* The one field that a record is. */
static bool
unwrap(struct simpleperf *s, struct proto record, struct proto_field *out)
{
	return field_next(s, &record, &record_types, out) &&
	       out->type == PROTO_BYTES && out->number < RECORDS;
}

/* ---- first reading: names ---- */

static name_id
name_of(struct simpleperf *s, const struct proto_field *f)
{
	return f->type == PROTO_BYTES && f->len ? builder_name(s->b, f->at, f->len) : NAME_EMPTY;
}

/* The last part of a path; "[kernel.kallsyms]" has no parts. */
static name_id
module_of(struct simpleperf *s, const struct proto_field *path)
{
	const char *at = (const char *)path->at;
	const char *slash = path->len && *at != '[' ? memrchr(at, '/', path->len) : NULL;
	size_t skip = slash && (size_t)(slash - at) + 1 < path->len ? (size_t)(slash - at) + 1 : 0;

	return path->len ? builder_name(s->b, at + skip, path->len - skip) : NAME_EMPTY;
}

static void
file_record(struct simpleperf *s, struct proto p)
{
	struct sp_file file = {.first = s->symbol.n};
	struct proto_field f;
	uint64_t id = 0;

	while (field_next(s, &p, &file_types, &f)) {
		if (f.number == 1) {
			id = f.value;
		} else if (f.number == 2 && f.type == PROTO_BYTES) {
			file.module = module_of(s, &f);
			file.system = f.len && memmem(f.at, f.len, "[kernel.kallsyms]", 17);
		} else if (f.number == 3) {
			*vec_push(&s->symbol) = name_of(s, &f);
			file.n++;
		}
	}
	s->malformed += p.c.bad;
	if (p.c.bad || idmap_get(&s->file_of, id) != IDMAP_NONE)
		return;
	idmap_put(&s->file_of, id, (uint32_t)s->file.n);
	*vec_push(&s->file) = file;
}

static uint32_t
thread_of(struct simpleperf *s, int64_t tid)
{
	uint32_t i = idmap_get(&s->thread_of, (uint64_t)tid);

	if (i != IDMAP_NONE)
		return i;
	i = (uint32_t)s->thread.n;
	idmap_put(&s->thread_of, (uint64_t)tid, i);
	*vec_push(&s->thread) = (struct sp_thread){.tid = tid};
	return i;
}

static void
thread_record(struct simpleperf *s, struct proto p)
{
	struct proto_field f;
	int64_t tid = 0, pid = 0;
	name_id name = NAME_EMPTY;

	while (field_next(s, &p, &thread_types, &f)) {
		if (f.number == 1)
			tid = (int64_t)f.value;
		else if (f.number == 2)
			pid = (int64_t)f.value;
		else if (f.number == 3)
			name = name_of(s, &f);
	}
	s->malformed += p.c.bad;
	if (p.c.bad)
		return;
	uint32_t i = thread_of(s, tid);
	s->thread.at[i].pid = pid;
	s->thread.at[i].name = name;
}

static void
meta_record(struct simpleperf *s, struct proto p)
{
	static const char *const keys[] = {[2] = "package", [3] = "application",
					   [4] = "Android SDK", [5] = "Android build"};
	struct proto_field f;

	while (field_next(s, &p, &meta_types, &f)) {
		if (f.number == 1)
			*vec_push(&s->event) = (struct sp_event){
				.name = name_of(s, &f),
				.metric = METRIC_NONE,
				.is_switch = f.len == strlen(SWITCH) &&
					     !memcmp(f.at, SWITCH, f.len),
			};
		else if (f.number < 6 && f.type == PROTO_BYTES && f.len)
			builder_info_bytes(s->b, keys[f.number], f.at, f.len);
		else if (f.number == 6)
			s->offcpu = f.value != 0;
	}
	s->malformed += p.c.bad;
}

static void
learn(struct simpleperf *s)
{
	struct proto_field f;
	struct proto record;
	struct err ignored, *e = s->e; /* the second reading tells it */
	uint64_t offset;

	err_init(&ignored);
	s->e = &ignored;
	while (next(s, &record, &offset)) {
		bool known = unwrap(s, record, &f);
		s->malformed += !known;
		s->counted[known ? f.number : 0]++;
		if (!known)
			continue;
		if (f.number == RECORD_FILE)
			file_record(s, proto_inside(&f));
		else if (f.number == RECORD_THREAD)
			thread_record(s, proto_inside(&f));
		else if (f.number == RECORD_META && !s->event.n)
			meta_record(s, proto_inside(&f));
	}
	s->e = e;
	s->ended = false;
}

/* ---- second reading: samples ---- */

struct sp_frame {
	uint64_t address, file;
	int64_t symbol;
};

static frame_id
unknown_frame(struct simpleperf *s)
{
	s->unknown++;
	return builder_frame(s->b, builder_function_unknown(s->b), line_unknown());
}

static frame_id
frame_of(struct simpleperf *s, const struct sp_frame *x)
{
	uint64_t key = x->file << 32 | (uint64_t)x->symbol;
	uint32_t known = x->symbol >= 0 ? idmap_get(&s->frame_of, key) : IDMAP_NONE;
	uint32_t file = idmap_get(&s->file_of, x->file);
	struct function f = {0};
	char text[24];

	if (known != IDMAP_NONE)
		return known;
	if (file == IDMAP_NONE || x->file > UINT32_MAX || x->symbol > INT32_MAX ||
	    (x->symbol >= 0 && (size_t)x->symbol >= s->file.at[file].n))
		return unknown_frame(s);
	if (x->symbol >= 0)
		f.name = s->symbol.at[s->file.at[file].first + (size_t)x->symbol];
	if (f.name == NAME_EMPTY) {
		int n = snprintf(text, sizeof text, "0x%" PRIx64, x->address);
		f.name = builder_name(s->b, text, (size_t)n);
	}
	struct name name = builder_name_get(s->b, f.name);
	f.module = s->file.at[file].module;
	f.kind = (uint8_t)(s->file.at[file].system ? KIND_SYSTEM : kind_of_name(name.at, name.len));
	frame_id frame = builder_frame(s->b, builder_function(s->b, f), line_unknown());
	if (x->symbol >= 0)
		idmap_put(&s->frame_of, key, frame);
	return frame;
}

static void
chain_entry(struct simpleperf *s, struct proto p)
{
	struct sp_frame x = {0};
	struct proto_field f;

	while (field_next(s, &p, &chain_types, &f)) {
		if (f.number == 1)
			x.address = f.value;
		else if (f.number == 2)
			x.file = f.value;
		else if (f.number == 3)
			x.symbol = (int32_t)(uint32_t)f.value;
	}
	s->malformed += p.c.bad;
	if (s->frame.n < FRAMES_MAX)
		*vec_push(&s->frame) = frame_of(s, &x);
}

static void
thread_begin(struct simpleperf *s, struct sp_thread *t)
{
	struct buf text = BUF_INIT;

	thread_text(&text, s->b, t->name, t->tid);
	t->track = builder_track(s->b, buf_str(&text), text.len, TRACK_THREAD);
	buf_release(&text);
	processes_put(&s->processes, s->b, t->pid, t->track);
	t->begun = true;
}

static struct series *
series_of(struct simpleperf *s, struct sp_thread *t, uint64_t event)
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
	if (!t->series.at[event])
		t->series.at[event] = builder_samples(s->b, t->track, metric,
						      s->offcpu && v->is_switch ? 3 : 2);
	return t->series.at[event];
}

/* One that the file does not name, as one that is cut need not. */
static void
nameless_event(struct simpleperf *s)
{
	char text[24];
	int n = snprintf(text, sizeof text, "event %zu", s->event.n);

	*vec_push(&s->event) = (struct sp_event){
		.name = builder_name(s->b, text, (size_t)n),
		.metric = METRIC_NONE,
	};
}

/* The one that waits lasts until this time. */
static bool
wake(struct simpleperf *s, struct sp_thread *t, int64_t time)
{
	if (!t->waits)
		return true;
	t->waits = false;
	t->values[1] = time > t->time ? time - t->time : 0;
	return builder_sample(s->b, series_of(s, t, t->event), t->time, t->stack, t->values,
			      t->offset, s->e);
}

static bool
sample(struct simpleperf *s, struct proto p, uint64_t offset)
{
	struct proto_field f;
	int64_t time = 0, tid = 0, count = 0;
	uint64_t event = 0, wrong = s->wrong;

	s->frame.n = 0;
	while (field_next(s, &p, &sample_types, &f)) {
		if (f.number == 1)
			time = (int64_t)f.value;
		else if (f.number == 2)
			tid = (int64_t)f.value;
		else if (f.number == 3 && f.type == PROTO_BYTES)
			chain_entry(s, proto_inside(&f));
		else if (f.number == 4)
			count = (int64_t)f.value;
		else if (f.number == 5)
			event = f.value;
	}
	if (s->wrong != wrong)
		return wrong_type(s, offset);
	if (p.c.bad || time < 0 || count < 0 || event >= EVENTS_MAX) {
		s->malformed++;
		return true;
	}
	while (s->event.n <= event)
		nameless_event(s);
	uint32_t i = thread_of(s, tid);
	struct sp_thread *t = &s->thread.at[i];
	if (!t->begun)
		thread_begin(s, t);
	builder_track_event(s->b, t->track);
	if (!wake(s, t, time))
		return false;
	stack_id stack = s->frame.n ? builder_stack_leaf_first(s->b, s->frame.at, s->frame.n)
				    : STACK_EMPTY;
	if (!s->offcpu || !s->event.at[event].is_switch)
		return builder_sample(s->b, series_of(s, t, event), time, stack, &count, offset,
				      s->e);
	t->waits = true;
	t->event = event;
	t->time = time;
	t->values[0] = count;
	t->stack = stack;
	t->offset = offset;
	return true;
}

static void
lost_record(struct simpleperf *s, struct proto p)
{
	struct proto_field f;

	while (field_next(s, &p, &lost_types, &f))
		if (f.number == 2)
			s->lost = f.value;
}

static bool
read_samples(struct simpleperf *s)
{
	struct proto_field f;
	struct proto record;
	uint64_t offset;
	bool good = true;

	while (good && next(s, &record, &offset)) {
		if (!unwrap(s, record, &f))
			continue;
		if (f.number == RECORD_SAMPLE)
			good = sample(s, proto_inside(&f), offset);
		else if (f.number == RECORD_LOST)
			lost_record(s, proto_inside(&f));
	}
	if (good && s->wrong && !err_is_set(s->e))
		good = wrong_type(s, s->wrong_at);
	return good && !err_is_set(s->e);
}

/* ---- the whole ---- */

static void
declare(struct simpleperf *s)
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
say(struct simpleperf *s)
{
	builder_info(s->b, "samples", "%" PRIu64, s->counted[RECORD_SAMPLE]);
	builder_info(s->b, "context switches", "%" PRIu64, s->counted[RECORD_SWITCH]);
	builder_info(s->b, "files", "%zu", s->file.n);
	builder_info(s->b, "threads", "%" PRIu64, s->counted[RECORD_THREAD]);
	builder_info(s->b, "lost samples", "%" PRIu64, s->lost);
	if (s->malformed)
		builder_warn(s->b, "%" PRIu64 " messages are malformed, skipped", s->malformed);
	if (s->unknown)
		builder_warn(s->b, "%" PRIu64 " frames are of files or symbols that are not there: "
				   "[unknown]", s->unknown);
	if (!s->ended && !err_is_set(s->e))
		builder_incomplete(s->b, "the report has no end");
}

static void
release(struct simpleperf *s)
{
	for (size_t i = 0; i < s->thread.n; i++)
		vec_release(&s->thread.at[i].series);
	vec_release(&s->file);
	vec_release(&s->symbol);
	vec_release(&s->event);
	vec_release(&s->thread);
	vec_release(&s->frame);
	idmap_release(&s->file_of);
	idmap_release(&s->thread_of);
	idmap_release(&s->frame_of);
	processes_release(&s->processes);
}

static bool
simpleperf_decode(struct input *in, struct builder *b, struct err *e)
{
	struct simpleperf s = {.in = in, .b = b, .e = e};
	struct err none;
	bool good;

	input_keep(in);
	input_passes(in, 2);
	if (!begin(in, e))
		return false;
	learn(&s);
	declare(&s);
	s.record_len = 0;
	good = input_seek(in, MAGIC_LEN + 2) || err_damage(e, 0, "this cannot be read again");
	good = good && read_samples(&s);
	err_init(&none);
	s.e = good ? e : &none; /* what stands before damage is shown */
	for (size_t i = 0; i < s.thread.n; i++)
		good = wake(&s, &s.thread.at[i], s.thread.at[i].time) && good;
	s.e = e;
	say(&s);
	release(&s);
	return good;
}

static bool
simpleperf_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const names[RECORDS] = {"record", "sample", "lost", "file", "thread",
						   "meta", "switch"};
	struct simpleperf s = {.in = in, .e = e};
	struct buf line = BUF_INIT;
	struct proto record;
	struct proto_field f;
	uint64_t offset;
	bool good = begin(in, e);

	while (good && next(&s, &record, &offset)) {
		bool known = unwrap(&s, record, &f);
		buf_reset(&line);
		proto_dump_fields(d, known ? proto_inside(&f) : record, &line);
		good = dump_record(d, offset, "%s%s", names[known ? f.number : 0], buf_str(&line));
	}
	buf_release(&line);
	return good && !err_is_set(e);
}

const struct decoder decoder_simpleperf = {
	.name = "simpleperf",
	.title = "simpleperf report-sample --protobuf, of Android",
	.manual = "simpleperf",
	.made_of = MADE_BINARY,
	.mangled = true,
	.probe = simpleperf_probe,
	.decode = simpleperf_decode,
	.dump = simpleperf_dump,
};
