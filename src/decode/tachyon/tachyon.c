/* Profiles of Python's own sampling profiler, `python -m profiling.sampling run --binary`, of
 * Python 3.15 and newer (CPython's InternalDocs/profiling_binary_format.md), in either byte order:
 *
 *	 0 "TACH" as a u32, version u32       28 samples u32      or     28 samples u64
 *	 8 version of Python u8 u8 u8, u8     32 threads u32             36 threads u32
 *	12 start u64 us, interval u64 us      36 strings at u64          40 strings at u64
 *	                                      44 frames at u64           48 frames at u64
 *	                                      52 compression u32         56 compression u32
 *	64 samples, a zstd stream if the compression is 1                60 mode, features u32
 *	strings: length varint, bytes
 *	frames:  file, function varint; line, lines after it, column, columns after it zigzag;
 *	         opcode u8
 *	[duration s, samples a second double; failed, missed percent double, 8 bytes, "TACHSTAT",
 *	 version u32, size u32]
 *	strings u32, frames u32, size of the file u64, 16 bytes
 *
 * Two forms of the head have the same version: only in one of them the tables lie in the file.
 * A sample says what changed in the stack of its thread; frames are leaf first:
 *
 *	thread u64, interpreter u32, kind u8, then
 *	0 repeat  n varint, n times: us since the thread's previous sample varint, status u8
 *	1 full    us varint, status u8, n varint, n frames varint
 *	2 suffix  us varint, status u8, frames that stay at the root varint, n varint, n frames
 *	3 pop     us varint, status u8, frames that go at the leaf varint, n varint, n frames
 *
 * The first time of a thread counts from the start.  A sample counts the interval, as in the
 * profiler's own reports. */
#include "src/decode/tachyon/tachyon.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/words.h"

#define STARTER "_sync_coordinator.py"
#define FRAME_OMITTED UINT32_MAX
#define DUMP_MAX 64u /* numbers of a sample */

/* Bits of a sample's status. */
enum { HAS_GIL = 1, ON_CPU = 2, UNKNOWN = 4, WANTS_GIL = 8, HAS_EXCEPTION = 16, IS_MAIN = 32,
       STATUSES = 64 };

struct tachyon_thread {
	uint64_t id;
	uint32_t interpreter;
	int64_t time_ns;
	struct series *series; /* NULL: no sample yet */
	stack_id stack;
	VEC(frame_id) frame; /* of its last stack, root first */
	VEC(stack_id) each;  /* [frame] the stack that ends there */
};

struct tachyon {
	struct builder *b;
	struct err *e;
	struct tachyon_reader r;
	VEC(frame_id) frame; /* the table */
	struct idmap thread_of; /* a hash of thread and interpreter -> index */
	VEC(struct tachyon_thread) thread;
	metric_id time, samples;
	labels_id labels[STATUSES]; /* 0: not made yet; there is at least one label */
	VEC(uint32_t) pushed; /* frames of a sample */
	uint64_t missing;     /* references to frames that the table has not */
};

/* ---- tables ---- */

/* Frames of the interpreter have no file, or `~`. The profiler's own frames, which start the
 * program, are omitted, as in its reports. */
static frame_id
tachyon_frame_of(struct builder *b, name_id file, name_id function, int64_t line)
{
	struct name path = builder_name_get(b, file), name = builder_name_get(b, function);

	if (path.len >= strlen(STARTER) &&
	    !memcmp(path.at + path.len - strlen(STARTER), STARTER, strlen(STARTER)))
		return FRAME_OMITTED;
	bool own = path.len <= 1 && name.len > 1 && name.at[0] == '<';
	struct function f = {.name = function, .file = own ? NAME_EMPTY : file,
			     .kind = own ? KIND_SYSTEM : KIND_USER};

	return builder_frame_of(b, f, line > 0 && line <= UINT32_MAX ? line : 0);
}

static bool
read_frames(struct tachyon *t, struct cursor c, const name_id *string, size_t n_strings)
{
	for (uint32_t i = 0; i < t->r.head.n_frames; i++) {
		uint64_t at = t->r.head.frames_at + (uint64_t)(c.at - c.start);
		uint64_t file = cursor_varint(&c), function = cursor_varint(&c);
		int64_t line = cursor_zigzag(&c);
		for (int k = 0; k < 3; k++)
			cursor_varint(&c);
		cursor_u8(&c);
		if (c.bad || file >= n_strings || function >= n_strings)
			return err_damage(t->e, at,
					  c.bad ? "a truncated frame" : "a frame without its name");
		*vec_push(&t->frame) = tachyon_frame_of(t->b, string[file], string[function], line);
	}
	return true;
}

/* Reads both tables. After damage the frames before it can be used. */
static bool
read_tables(struct tachyon *t)
{
	const struct tachyon_head *h = &t->r.head;
	VEC(name_id) string = {0};
	struct cursor c = cursor_over(t->r.tables, t->r.tables_len);
	size_t to_frames = (size_t)(h->frames_at - h->strings_at);
	bool good = true;

	bool whole = h->n_strings != UINT32_MAX; /* else the file is truncated */
	for (uint32_t i = 0; good && i < h->n_strings; i++) {
		if (!whole && (size_t)(c.at - c.start) == to_frames)
			break;
		uint64_t len = cursor_varint(&c);
		const uint8_t *at = cursor_bytes(&c, len);
		if (c.bad || (size_t)(c.at - c.start) > to_frames)
			good = err_damage(t->e, h->strings_at + (uint64_t)(c.at - c.start),
					  "a truncated string");
		else
			*vec_push(&string) = builder_name(t->b, at, (size_t)len);
	}
	if (to_frames <= t->r.tables_len)
		good &= read_frames(t,
				    cursor_over(t->r.tables + to_frames,
						t->r.tables_len - to_frames),
				    string.at, string.n);
	vec_release(&string);
	return good;
}

/* ---- samples ---- */

static struct tachyon_thread *
tachyon_thread_of(struct tachyon *t, const struct tachyon_sample *s)
{
	uint64_t key = s->thread * UINT64_C(0x9E3779B97F4A7C15) + s->interpreter;
	uint32_t i;

	if (!idmap_add(&t->thread_of, key, t->thread.n, &i))
		return &t->thread.at[i];
	*vec_push(&t->thread) = (struct tachyon_thread){
		.id = s->thread, .interpreter = s->interpreter, .stack = STACK_EMPTY};
	return &t->thread.at[i];
}

static void
make_series(struct tachyon *t, struct tachyon_thread *h, unsigned status)
{
	metric_id metric[2] = {t->time, t->samples};
	const char *what = status & IS_MAIN ? "main thread" : "thread";
	track_id track =
		h->interpreter
			? builder_trackf(t->b, TRACK_THREAD, "interpreter %" PRIu32 " %s %" PRIu64,
					 h->interpreter, what, h->id)
			: builder_trackf(t->b, TRACK_THREAD, "%s %" PRIu64, what, h->id);

	h->series = builder_samples(t->b, track, metric, 2);
	builder_labelled(t->b, h->series);
	builder_sample_interval(h->series, t->r.head.interval_ns);
}

/* Returns the set of labels for a status. */
static labels_id
tachyon_labels_of(struct tachyon *t, unsigned status)
{
	static const struct {
		unsigned bit;
		const char *key, *value;
	} known[] = {
		{HAS_GIL, "gil", "held"},        {WANTS_GIL, "gil", "wanted"},
		{ON_CPU, "cpu", "on"},           {HAS_EXCEPTION, "exception", "yes"},
		{UNKNOWN, "status", "unknown"},
	};
	labels_id *set = &t->labels[status % STATUSES];
	label_id id[sizeof known / sizeof *known];
	size_t n = 0;

	for (size_t i = 0; !*set && i < sizeof known / sizeof *known; i++)
		if (status & known[i].bit)
			id[n++] = builder_label_text(
				t->b, builder_name(t->b, known[i].key, strlen(known[i].key)),
				builder_name(t->b, known[i].value, strlen(known[i].value)));
	if (n)
		*set = builder_labels(t->b, id, n);
	return *set;
}

/* Changes the thread's stack: `stay` frames of it remain, and t->pushed, leaf first, follow. */
static bool
change_stack(struct tachyon *t, struct tachyon_thread *h, size_t stay, uint64_t offset)
{
	size_t n = t->pushed.n;

	if (stay + n > STACK_DEPTH_MAX)
		return err_damage(t->e, offset, "a stack of more than %u frames",
				  STACK_DEPTH_MAX);
	vec_reserve(&h->frame, stay + n);
	vec_reserve(&h->each, stay + n);
	for (size_t i = 0; i < n; i++) {
		uint32_t at = t->pushed.at[n - 1 - i];
		t->missing += at >= t->frame.n;
		h->frame.at[stay + i] =
			at < t->frame.n ? t->frame.at[at]
					: builder_frame(t->b, builder_function_unknown(t->b),
							line_unknown());
	}
	h->stack = stay ? h->each.at[stay - 1] : STACK_EMPTY;
	for (size_t i = stay, run; i < stay + n; i += run) {
		for (run = 0; i + run < stay + n && h->frame.at[i + run] != FRAME_OMITTED;)
			run++;
		if (run)
			h->stack = builder_path(t->b, h->stack, h->frame.at + i, run,
						h->each.at + i);
		else
			h->each.at[i + run++] = h->stack;
	}
	h->frame.n = h->each.n = stay + n;
	return true;
}

static bool
tachyon_add(struct tachyon *t, struct tachyon_thread *h, uint64_t us, unsigned status,
	    uint64_t offset)
{
	int64_t ns;

	if (us > INT64_MAX / 1000 ||
	    __builtin_add_overflow(h->time_ns, (int64_t)us * 1000, &ns))
		return err_damage(t->e, offset, "an impossible time");
	h->time_ns = ns;
	if (!h->series)
		make_series(t, h, status);
	builder_next_labels(t->b, h->series, tachyon_labels_of(t, status));
	stack_id stack = h->stack != STACK_EMPTY ? h->stack : builder_stack_missing(t->b, 1);
	return builder_sample(t->b, h->series, ns, stack, &t->r.head.interval_ns, offset, t->e);
}

/* Reads the frames that a sample adds. */
static bool
read_pushed(struct tachyon *t, uint64_t n, uint64_t offset)
{
	t->pushed.n = 0;
	if (n > STACK_DEPTH_MAX)
		return err_damage(t->e, offset, "a stack of more than %u frames",
				  STACK_DEPTH_MAX);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t frame = tachyon_varint(&t->r);
		*vec_push(&t->pushed) = frame < UINT32_MAX ? (uint32_t)frame : UINT32_MAX;
	}
	return tachyon_good(&t->r);
}

static bool
repeat(struct tachyon *t, struct tachyon_thread *h, uint64_t n, uint64_t offset)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t us = tachyon_varint(&t->r);
		unsigned status = tachyon_u8(&t->r);
		if (!tachyon_good(&t->r) || !tachyon_add(t, h, us, status, offset))
			return false;
	}
	return true;
}

static bool
tachyon_take(struct tachyon *t, const struct tachyon_sample *s)
{
	struct tachyon_thread *h = tachyon_thread_of(t, s);
	size_t depth = h->frame.n, stay = depth;

	if (s->kind == TACHYON_REPEAT)
		return repeat(t, h, s->n, s->offset);
	if (s->kind == TACHYON_FULL)
		stay = 0;
	else if (s->shared > depth && s->kind == TACHYON_SUFFIX)
		return err_damage(t->e, s->offset, "%" PRIu64 " of %zu frames stay", s->shared,
				  depth);
	else if (s->kind == TACHYON_SUFFIX)
		stay = (size_t)s->shared;
	else
		stay = s->shared < depth ? depth - (size_t)s->shared : 0;
	return read_pushed(t, s->n, s->offset) && change_stack(t, h, stay, s->offset) &&
	       tachyon_add(t, h, s->us, s->status, s->offset);
}

/* ---- the decoder ---- */

static void
tachyon_describe(struct tachyon *t)
{
	static const char *const mode[] = {"wall", "cpu", "gil", "all", "exception"};
	static const char *const feature[] = {"all threads", "native", "gc", "opcodes", "blocking"};
	const struct tachyon_head *h = &t->r.head;
	unsigned m = h->options & 7;
	struct buf text = BUF_INIT;

	builder_info(t->b, "python", "%u.%u.%u", h->python[0], h->python[1], h->python[2]);
	if (m && m <= sizeof mode / sizeof *mode)
		builder_info(t->b, "mode", "%s", mode[m - 1]);
	for (size_t i = 0; h->options & TACHYON_CONFIG && i < sizeof feature / sizeof *feature; i++)
		if (h->options >> (4 + i) & 1)
			buf_addf(&text, "%s%s", text.len ? ", " : "", feature[i]);
	if (text.len)
		builder_info(t->b, "recorded with", "%s", buf_str(&text));
	buf_release(&text);
	if (h->version > TACHYON_VERSION)
		builder_warn(t->b, "version %" PRIu32 " is newer than this pnav knows", h->version);
	if (!h->measured)
		return;
	builder_info(t->b, "sampled for", "%.3f s, %.1f times a second", h->duration_s, h->rate_hz);
	if (h->failed + h->missed >= 1)
		builder_warn(t->b,
			     "%.1f %% of the samples failed and %.1f %% were missed while it was "
			     "recorded",
			     h->failed, h->missed);
}

static bool
tachyon_decode(struct input *in, struct builder *b, struct err *e)
{
	struct tachyon t = {.b = b, .e = e};
	struct tachyon_sample s;
	bool good = tachyon_open(&t.r, in, e);

	if (good) {
		t.time = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
		t.samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
		builder_default_metric(b, t.time);
		tachyon_describe(&t);
		good = read_tables(&t);
		bool began = tachyon_begin(&t.r);
		while (began && tachyon_next(&t.r, &s))
			if (!tachyon_take(&t, &s)) {
				good = false;
				break;
			}
		good &= !err_is_set(e);
	}
	builder_warn_count(b, t.missing, "frame is not in the file's table",
			   "frames are not in the file's table");
	for (size_t i = 0; i < t.thread.n; i++)
		vec_release_all(&t.thread.at[i].frame, &t.thread.at[i].each);
	vec_release_all(&t.thread, &t.frame, &t.pushed);
	idmap_release(&t.thread_of);
	tachyon_close(&t.r);
	return good;
}

static bool
tachyon_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const kind[] = {"repeat", "full", "suffix", "pop"};
	struct tachyon_reader r = {0};
	struct tachyon_sample s;
	bool good = tachyon_open(&r, in, e) && tachyon_begin(&r);

	while (good && tachyon_next(&r, &s)) {
		struct buf line = BUF_INIT;
		buf_addf(&line, "%s thread %" PRIu64 " interpreter %" PRIu32, kind[s.kind],
			 s.thread, s.interpreter);
		if (s.kind != TACHYON_REPEAT)
			buf_addf(&line, " us %" PRIu64 " status 0x%x", s.us, s.status);
		if (s.kind == TACHYON_SUFFIX || s.kind == TACHYON_POP)
			buf_addf(&line, s.kind == TACHYON_POP ? " pop %" PRIu64 : " stay %" PRIu64,
				 s.shared);
		buf_addf(&line, " n %" PRIu64 ":", s.n);
		for (uint64_t i = 0; tachyon_good(&r) && i < s.n; i++) {
			uint64_t n = tachyon_varint(&r);
			unsigned status = s.kind == TACHYON_REPEAT ? tachyon_u8(&r) : 0;
			if (i == DUMP_MAX)
				buf_addf(&line, " ...");
			if (i >= DUMP_MAX)
				continue;
			buf_addf(&line, s.kind == TACHYON_REPEAT ? " %" PRIu64 "/0x%x"
								 : " %" PRIu64,
				 n, status);
		}
		good = dump_record(d, s.offset, "%s", buf_str(&line));
		buf_release(&line);
	}
	tachyon_close(&r);
	return good && !err_is_set(e);
}

static int
tachyon_probe(struct head head)
{
	return head.len >= 12 && (!memcmp(head.at, "HCAT", 4) || !memcmp(head.at, "TACH", 4)) ? 100
											     : 0;
}

const struct decoder decoder_tachyon = {
	.name = "tachyon",
	.title = "Python's sampling profiler (profiling.sampling --binary)",
	.made_of = MADE_BINARY,
	.probe = tachyon_probe,
	.decode = tachyon_decode,
	.dump = tachyon_dump,
};
