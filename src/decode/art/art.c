/* Method traces of Android's runtime (ART): Debug.startMethodTracing(), am profile, the CPU
 * profiler of Android Studio.
 *
 *	*version
 *	3
 *	clock=dual
 *	*threads
 *	21491	main
 *	*methods
 *	0x1468	java.lang.Class	isArray	()Z	Class.java
 *	*end
 *	SLOW, header, then a record an entry or exit: thread, method and action, time
 *
 * Only the exit of a method shows that it ran before the recording began.  Only the last method
 * shows which names are overloaded, and the streamed form names its clock at its end. So a
 * trace is read twice: first for the names, and for the methods that run when a thread appears;
 * then for the calls. Those methods are assumed to have run since the thread's first event,
 * below all others. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/decode/common/calls.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/words.h"
#include "src/input/cursor.h"

/* ---- records ---- */

/* The form that is written at the end of a trace is text up to the line `*end`, then records.
 * The streamed form consists of records: names precede their first use, and the text comes
 * last.  Numbers are little-endian. */

enum art_kind {
	ART_LINE,    /* text: a line before the records */
	ART_HEADER,  /* r's description of the records is complete */
	ART_CALL,    /* tid, method, action, us */
	ART_METHOD,  /* text: a line of the methods section */
	ART_THREAD,  /* tid, text: its name */
	ART_SUMMARY, /* text: the lines at which the other form begins; the last event */
};

enum art_action { ART_ENTER, ART_EXIT, ART_UNROLL };

struct art_event {
	enum art_kind kind;
	uint64_t offset;
	unsigned tid;
	uint32_t method;
	unsigned action;   /* enum art_action */
	uint32_t us[2];    /* of the record's clocks, one or both; since the start */
	const char *at;    /* text, valid until the next call */
	size_t len;
};

struct art_reader {
	struct input *in;
	struct err *e;
	bool streaming; /* names are among the records */
	bool records;   /* the header was read */
	bool ended;     /* ... and the end, if the form has one */
	unsigned version, record_size, clocks;
	uint64_t start_us;
};

#define MAGIC_LEN 4u
#define HEADER_LEAST 16u
#define STREAMED 0xF0u /* of a version's bits */
#define RECORD_MAX 64u

enum { PACKET_METHOD = 1, PACKET_THREAD, PACKET_SUMMARY };

/* Starts at the beginning of the input. */
static void
art_read_begin(struct art_reader *r, struct input *in, struct err *e)
{
	*r = (struct art_reader){.in = in, .e = e};
	r->streaming = input_need(in, MAGIC_LEN) && !memcmp(input_at(in), "SLOW", MAGIC_LEN);
}

static bool
damage(struct art_reader *r, const char *what)
{
	return err_damage(r->e, input_offset(r->in), "%s", what);
}

/* Reads a line of the text; sets *last at the line before the records. */
static bool
take_line(struct art_reader *r, struct art_event *out, bool *last)
{
	bool ended;

	out->kind = ART_LINE;
	out->at = input_line(r->in, &out->len, &ended);
	if (!out->at || !ended)
		return err_damage(r->e, out->offset, "the text before the records is truncated");
	*last = out->len == 4 && !memcmp(out->at, "*end", 4);
	return true;
}

static bool
take_header(struct art_reader *r, struct art_event *out)
{
	static const unsigned sizes[] = {0, 9, 10, 10};
	const uint8_t *at;
	unsigned size;

	out->kind = ART_HEADER;
	if (!input_need(r->in, HEADER_LEAST + 2))
		return damage(r, "the header of the records is truncated");
	at = input_at(r->in);
	if (memcmp(at, "SLOW", MAGIC_LEN))
		return damage(r, "no header of records after the text");
	r->version = bytes_u16(at + 4, false);
	if (r->streaming && !(r->version & STREAMED))
		return err_refuse(r->e,
				  "a method trace without its names; put its key file before it "
				  "(cat FILE.key FILE.data)");
	r->version ^= r->streaming ? STREAMED : 0;
	if (r->version < 1 || r->version > 3)
		return err_refuse(r->e, "version %u of Android's method traces: 1 to 3 are read",
				  r->version);
	size = bytes_u16(at + 6, false);
	r->start_us = bytes_u64(at + 8, false);
	r->record_size = r->version == 3 ? bytes_u16(at + HEADER_LEAST, false) : sizes[r->version];
	if (size < HEADER_LEAST + (r->version == 3 ? 2 : 0) || r->record_size < sizes[r->version] ||
	    r->record_size > RECORD_MAX)
		return damage(r, "a header with impossible sizes");
	r->clocks = r->record_size >= 14 ? 2 : 1;
	r->records = true;
	return input_discard(r->in, size) || damage(r, "the header of the records is truncated");
}

static bool
packet_cut(struct art_reader *r)
{
	return input_stopped(r->in) ? false : damage(r, "a truncated record");
}

/* Reads the packet after a thread of 0: names, or the end. */
static bool
take_packet(struct art_reader *r, struct art_event *out)
{
	static const unsigned heads[] = {0, 5, 7, 7};
	const uint8_t *at;
	uint64_t len;
	unsigned kind;

	if (!input_need(r->in, 3))
		return packet_cut(r);
	kind = input_at(r->in)[2];
	if (kind < PACKET_METHOD || kind > PACKET_SUMMARY)
		return damage(r, "a packet of an unknown kind");
	if (!input_need(r->in, heads[kind]))
		return packet_cut(r);
	at = input_at(r->in) + 3;
	out->tid = kind == PACKET_THREAD ? bytes_u16(at, false) : 0;
	len = kind == PACKET_SUMMARY ? bytes_u32(at, false)
				     : bytes_u16(at + (kind == PACKET_THREAD ? 2 : 0), false);
	out->kind = kind == PACKET_METHOD ? ART_METHOD : kind == PACKET_THREAD ? ART_THREAD
									      : ART_SUMMARY;
	if (!input_need(r->in, (size_t)(heads[kind] + len)))
		return packet_cut(r);
	out->at = (const char *)input_at(r->in) + heads[kind];
	out->len = (size_t)len;
	input_skip(r->in, (size_t)(heads[kind] + len));
	r->ended = kind == PACKET_SUMMARY;
	return true;
}

static bool
is_zeros(const uint8_t *at, size_t n)
{
	while (n && !at[n - 1])
		n--;
	return !n;
}

static bool
take_call(struct art_reader *r, struct art_event *out)
{
	const uint8_t *at;
	uint32_t method;

	out->kind = ART_CALL;
	if (!input_need(r->in, r->record_size))
		return packet_cut(r);
	at = input_at(r->in);
	out->tid = r->version == 1 ? at[0] : bytes_u16(at, false);
	at += r->version == 1 ? 1 : 2;
	method = bytes_u32(at, false);
	out->action = method & 3;
	out->method = method & ~3u;
	out->us[0] = bytes_u32(at + 4, false);
	out->us[1] = r->clocks > 1 ? bytes_u32(at + 8, false) : 0;
	if (out->action > ART_UNROLL)
		return damage(r, "an unknown action");
	if (is_zeros(input_at(r->in), r->record_size))
		return damage(r, "a record of zeros"); /* behind the end */
	input_skip(r->in, r->record_size);
	return true;
}

/* Returns false at the end, and at a fault, with *e set. */
static bool
art_read_next(struct art_reader *r, struct art_event *out)
{
	bool last = false;

	*out = (struct art_event){.offset = input_offset(r->in)};
	if (!r->streaming && !r->records && !r->ended) {
		if (!take_line(r, out, &last))
			return false;
		r->ended = last;
		return true;
	}
	if (!r->records) {
		r->ended = false;
		return take_header(r, out);
	}
	if (r->ended || (!input_have(r->in) && !input_more(r->in)))
		return false;
	if (r->streaming && input_need(r->in, 2) && !bytes_u16(input_at(r->in), false))
		return take_packet(r, out);
	return take_call(r, out);
}

#define CLOCK_TEXT_MAX 32u

enum section { SECTION_NONE, SECTION_VERSION, SECTION_THREADS, SECTION_METHODS };

struct art_method {
	name_id name, signature, file; /* name: with its class */
	uint32_t line;
	bool overloaded, made;
	frame_id frame;
};

struct art_thread {
	unsigned tid;
	name_id name;
	struct calls calls;   /* opened with its first event; keys are indexes of methods */
	VEC(uint32_t) before; /* methods that ran when the recording began, innermost first */
};

struct art {
	struct builder *b;
	struct err *e;
	struct art_reader r;
	enum section section;
	VEC(struct art_method) method; /* [0] is the unknown one */
	VEC(struct art_thread) thread;
	struct idmap method_of, thread_of; /* the file's numbers -> indexes */
	struct idmap first_of;             /* a name -> the first method of it */
	uint64_t threads_named, records, unknown, back;
	bool overflowed;
};

static int
art_probe(struct head head)
{
	if (head.len >= 10 && !memcmp(head.at, "*version\n", 9))
		return head.at[9] >= '0' && head.at[9] <= '9' ? 100 : 0;
	return head.len >= 6 && !memcmp(head.at, "SLOW", 4) && !head.at[5] ? 100 : 0;
}

/* ---- names ---- */

static uint32_t
thread_of(struct art *a, unsigned tid)
{
	uint32_t i;

	if (!idmap_add(&a->thread_of, tid, a->thread.n, &i))
		return i;
	*vec_push(&a->thread) = (struct art_thread){.tid = tid};
	return i;
}

/* `0xID CLASS METHOD SIGNATURE [FILE [LINE]]` */
static void
method_line(struct art *a, const char *at, const char *end)
{
	struct text_cell f[6];
	struct art_method m = {0};
	struct buf name = BUF_INIT;
	int64_t id, line;

	while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	unsigned n = cells_split(at, end, '\t', f, 6);
	if (n < 3 || !number_parse(f[0].at, f[0].end, &id) || id < 0 ||
	    idmap_get(&a->method_of, (uint64_t)id) != IDMAP_NONE)
		return;
	for (const char *c = f[1].at; c < f[1].end; c++)
		buf_addc(&name, *c == '/' ? '.' : *c);
	buf_addc(&name, '.');
	buf_add(&name, f[2].at, (size_t)(f[2].end - f[2].at));
	m.name = builder_name(a->b, buf_str(&name), name.len);
	buf_release(&name);
	if (n > 3)
		m.signature = builder_name(a->b, f[3].at, (size_t)(f[3].end - f[3].at));
	if (n > 4)
		m.file = builder_name(a->b, f[4].at, (size_t)(f[4].end - f[4].at));
	if (n > 5 && number_parse(f[5].at, f[5].end, &line) && line > 0 && line < UINT32_MAX)
		m.line = (uint32_t)line;
	uint32_t first = idmap_get(&a->first_of, m.name);
	if (first == IDMAP_NONE) {
		idmap_put(&a->first_of, m.name, (uint32_t)a->method.n);
	} else if (a->method.at[first].signature != m.signature) {
		a->method.at[first].overloaded = true;
		m.overloaded = true;
	}
	idmap_put(&a->method_of, (uint64_t)id, (uint32_t)a->method.n);
	*vec_push(&a->method) = m;
}

static void
art_thread_name(struct art *a, unsigned tid, const char *at, const char *end)
{
	uint32_t i = thread_of(a, tid);

	a->threads_named++;
	a->thread.at[i].name = builder_name(a->b, at, (size_t)(end - at));
}

/* `key=value` of the first section. */
static void
key_line(struct art *a, const char *at, const char *end)
{
	const char *equals = memchr(at, '=', (size_t)(end - at));
	struct buf key = BUF_INIT;

	if (!equals || equals - at > (ptrdiff_t)CLOCK_TEXT_MAX)
		return;
	buf_add(&key, at, (size_t)(equals - at));
	builder_info_bytes(a->b, buf_str(&key), equals + 1, (size_t)(end - equals) - 1);
	a->overflowed |= begins_with(at, end, "data-file-overflow=true");
	buf_release(&key);
}

static void
text_line(struct art *a, const char *at, const char *end)
{
	struct text_cell f[2];
	int64_t tid;

	if (at < end && *at == '*') {
		a->section = begins_with(at, end, "*version")   ? SECTION_VERSION
			     : begins_with(at, end, "*threads") ? SECTION_THREADS
			     : begins_with(at, end, "*methods") ? SECTION_METHODS
								: SECTION_NONE;
	} else if (a->section == SECTION_VERSION) {
		key_line(a, at, end);
	} else if (a->section == SECTION_METHODS) {
		method_line(a, at, end);
	} else if (a->section == SECTION_THREADS && cells_split(at, end, '\t', f, 2) == 2 &&
		   number_parse(f[0].at, f[0].end, &tid) && tid >= 0 && tid <= UINT32_MAX) {
		art_thread_name(a, (unsigned)tid, f[1].at, end);
	}
}

static void
text_lines(struct art *a, const char *at, size_t len)
{
	const char *end = at + len, *nl;

	for (; at < end; at = nl + 1) {
		nl = memchr(at, '\n', (size_t)(end - at));
		nl = nl ? nl : end;
		text_line(a, at, nl);
	}
}

/* ---- first reading ---- */

static uint32_t
method_of(struct art *a, uint32_t id)
{
	uint32_t i = idmap_get(&a->method_of, id);

	return i == IDMAP_NONE ? 0 : i;
}

static void
learn_call(struct art *a, const struct art_event *ev)
{
	uint32_t method = method_of(a, ev->method), thread = thread_of(a, ev->tid);
	struct art_thread *t = &a->thread.at[thread];
	size_t below;

	if (ev->action == ART_ENTER) {
		*vec_push(&t->calls.open) = (struct call_open){.key = method};
		return;
	}
	below = calls_below(&t->calls, method);
	if (below == t->calls.open.n) { /* no call is open: the method ran before all of them */
		*vec_push(&t->before) = method;
		below = 0;
	}
	t->calls.open.n = below;
}

static void
art_learn(struct art *a, struct input *in)
{
	struct art_event ev;
	struct err ignored = {0}; /* the second reading reports it */

	art_read_begin(&a->r, in, &ignored);
	while (art_read_next(&a->r, &ev)) {
		if (ev.kind == ART_LINE)
			text_line(a, ev.at, ev.at + ev.len);
		else if (ev.kind == ART_SUMMARY)
			text_lines(a, ev.at, ev.len);
		else if (ev.kind == ART_METHOD)
			method_line(a, ev.at, ev.at + ev.len);
		else if (ev.kind == ART_THREAD)
			art_thread_name(a, ev.tid, ev.at, ev.at + ev.len);
		else if (ev.kind == ART_CALL)
			learn_call(a, &ev);
	}
	for (size_t i = 0; i < a->thread.n; i++)
		a->thread.at[i].calls.open.n = 0;
}

/* ---- second reading ---- */

static frame_id
art_frame_of(struct art *a, uint32_t method)
{
	struct art_method *m = &a->method.at[method];
	struct buf text = BUF_INIT;

	if (m->made)
		return m->frame;
	m->made = true;
	struct name name = builder_name_get(a->b, m->name);
	struct function f = {.file = m->file, .line = m->line};
	buf_add(&text, name.at, name.len);
	if (m->overloaded) {
		struct name signature = builder_name_get(a->b, m->signature);
		buf_add(&text, signature.at, signature.len);
	}
	f.name = builder_name(a->b, buf_str(&text), text.len);
	f.kind = KIND_USER;
	buf_release(&text);
	m->frame = builder_frame(a->b, method ? builder_function(a->b, f)
					      : builder_function_unknown(a->b), line_unknown());
	return m->frame;
}

static bool
art_thread_begin(struct art *a, struct art_thread *t, uint64_t offset)
{
	struct buf text = BUF_INIT;

	cast_owner_text(&text, a->b, t->name, t->tid, "thread");
	calls_begin(&t->calls, a->b,
		    builder_track(a->b, buf_str(&text), text.len, TRACK_THREAD));
	buf_release(&text);
	for (size_t i = t->before.n; i-- > 0;)
		calls_push(&t->calls, t->before.at[i], art_frame_of(a, t->before.at[i]));
	return calls_step(&t->calls, 0, offset, a->e);
}

/* Returns the time of a record: the wall-clock time if it has two. */
static bool
moment(struct art *a, const struct art_event *ev, int64_t *ns)
{
	uint64_t us;

	if (__builtin_add_overflow(a->r.start_us, ev->us[a->r.clocks - 1], &us) ||
	    us > INT64_MAX / 1000)
		return err_damage(a->e, ev->offset, "a time past 2^63");
	*ns = (int64_t)us * 1000;
	return true;
}

static bool
call(struct art *a, const struct art_event *ev)
{
	uint32_t method = method_of(a, ev->method), thread = thread_of(a, ev->tid);
	struct art_thread *t = &a->thread.at[thread];
	int64_t ns = 0;

	a->records++;
	a->unknown += !method;
	if (!moment(a, ev, &ns))
		return false;
	a->back += !calls_now(&t->calls, ns);
	if (!t->calls.series && !art_thread_begin(a, t, ev->offset))
		return false;
	if (ev->action == ART_ENTER)
		return calls_enter(&t->calls, method, art_frame_of(a, method), ev->offset, a->e);
	return calls_leave(&t->calls, calls_below(&t->calls, method), ev->offset, a->e);
}

/* ---- the decoder ---- */

static void
art_release(struct art *a)
{
	for (size_t i = 0; i < a->thread.n; i++) {
		calls_release(&a->thread.at[i].calls);
		vec_release(&a->thread.at[i].before);
	}
	vec_release_all(&a->thread, &a->method);
	idmap_release_all(&a->method_of, &a->thread_of, &a->first_of);
}

static void
art_report(struct art *a, uint64_t offset)
{
	builder_info(a->b, "threads", "%" PRIu64, a->threads_named);
	builder_info(a->b, "methods", "%zu", a->method.n - 1);
	builder_info(a->b, "records", "%" PRIu64, a->records);
	builder_warn_count(a->b, a->unknown, "record is of an unlisted method: [unknown]",
			   "records are of unlisted methods: [unknown]");
	builder_warn_count(a->b, a->back, "time goes backwards: it counts as the one before",
			   "times go backwards: each counts as the one before");
	if (err_is_set(a->e))
		return;
	if (a->overflowed)
		err_damage(a->e, offset, "the recorder's memory was full");
	else if (a->r.streaming && !a->r.ended)
		err_damage(a->e, offset, "the end of the trace is missing");
}

static bool
art_decode(struct input *in, struct builder *b, struct err *e)
{
	struct art a = {.b = b, .e = e};
	struct art_event ev;
	bool good;

	*vec_push(&a.method) = (struct art_method){0};
	input_keep(in);
	input_passes(in, 2);
	art_learn(&a, in);
	good = input_seek(in, 0) || err_damage(e, 0, "the input cannot be read twice");
	builder_timeline(b);
	art_read_begin(&a.r, in, e);
	while (good && art_read_next(&a.r, &ev))
		good = ev.kind != ART_CALL || call(&a, &ev);
	good = good && !err_is_set(e);
	for (size_t i = 0; i < a.thread.n; i++)
		good = calls_end(&a.thread.at[i].calls, input_offset(in), a.e) && good;
	art_report(&a, input_offset(in));
	art_release(&a);
	return good && !err_is_set(e);
}

static bool
art_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const actions[] = {"enter", "exit", "unroll"};
	static const char *const texts[] = {[ART_LINE] = "line", [ART_METHOD] = "method",
					    [ART_SUMMARY] = "summary"};
	struct buf scratch = BUF_INIT;
	struct art_reader r;
	struct art_event ev;
	bool good = true;

	art_read_begin(&r, in, e);
	while (good && art_read_next(&r, &ev)) {
		if (ev.kind == ART_HEADER)
			good = dump_record(d, ev.offset, "header version=%u start=%" PRIu64
					   " record=%u", r.version, r.start_us, r.record_size);
		else if (ev.kind == ART_CALL && r.clocks > 1)
			good = dump_record(d, ev.offset, "%s tid=%u method=0x%x thread=%u wall=%u",
					   actions[ev.action], ev.tid, ev.method, ev.us[0],
					   ev.us[1]);
		else if (ev.kind == ART_CALL)
			good = dump_record(d, ev.offset, "%s tid=%u method=0x%x time=%u",
					   actions[ev.action], ev.tid, ev.method, ev.us[0]);
		else if (ev.kind == ART_THREAD)
			good = dump_record(d, ev.offset, "thread tid=%u %s", ev.tid,
					   dump_bytes(d, &scratch, ev.at, ev.len));
		else
			good = dump_record(d, ev.offset, "%s %s", texts[ev.kind],
					   dump_bytes(d, &scratch, ev.at, ev.len));
	}
	buf_release(&scratch);
	return good && !err_is_set(e);
}

const struct decoder decoder_art = {
	.name = "art",
	.title = "Android's method traces, versions 1 to 3, also streamed",
	.made_of = MADE_TEXT | MADE_BINARY,
	.probe = art_probe,
	.decode = art_decode,
	.dump = art_dump,
};
