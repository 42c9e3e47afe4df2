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
#include "src/decode/art/art_read.h"
#include "src/decode/common/calls.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/words.h"

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
	struct err ignored; /* the second reading reports it */

	err_init(&ignored);
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
art_report(struct art *a)
{
	builder_info(a->b, "threads", "%" PRIu64, a->threads_named);
	builder_info(a->b, "methods", "%zu", a->method.n - 1);
	builder_info(a->b, "records", "%" PRIu64, a->records);
	builder_warn_count(a->b, a->unknown, "records are of methods that are not listed: "
			   "[unknown]");
	builder_warn_count(a->b, a->back, "times go backwards: each counts as the one before");
	if (a->overflowed)
		builder_incomplete(a->b, "the recorder's memory was full");
	else if (a->r.streaming && !a->r.ended)
		builder_incomplete(a->b, "the end of the trace is missing");
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
	art_report(&a);
	art_release(&a);
	return good;
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
	.manual = "art",
	.made_of = MADE_TEXT | MADE_BINARY,
	.probe = art_probe,
	.decode = art_decode,
	.dump = art_dump,
};
