/* MOJO, Austin's binary form: "MOJ", the version, then events.  A sample is the event `stack`
 * and the events up to the next one: references to frames, garbage collection, idleness, time
 * and memory.  Each process numbers its frames and texts; those before the first stack are for
 * all processes that do not define their own.
 *
 *	"MOJ" version  event ...
 *	event: kind u8, then its numbers n and texts s:
 *	 1 metadata key s, value s              7 garbage collection
 *	 2 stack pid n, interpreter n, thread s 8 idle
 *	 3 frame key n, file n, function n,     9 time n, us
 *	   line n, its end n, columns n n      10 memory n, bytes
 *	 4 invalid frame                       11 text key n, s
 *	 5 frame by its key n                  12 text by its key n
 *	 6 frame of the kernel s               13 repeat
 *
 * Version 1 has no interpreter and no columns, 2 no interpreter.  A repeat (version 4) means
 * that the sample begins with the frames of the thread's previous sample, up to the innermost
 * one that is not native, followed by its own frames.
 *
 * A number is 6 bits, a sign and a bit for "more" in its first byte, then groups of 7.  Texts
 * end with a NUL.  A frame may precede its texts, so it is resolved when a sample uses it. */
#include "src/decode/austin/austin.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/slice.h"
#include "src/input/cursor.h"

#define KEY_MASK 0x7FFFFFFu
#define UNKNOWN_TEXT 1 /* the number of "<unknown>", which no event defines */
#define EVENT_MAX (1u << 20)

enum { MOJO_METADATA = 1, MOJO_STACK, MOJO_FRAME, MOJO_INVALID, MOJO_FRAME_REF, MOJO_KERNEL,
       MOJO_GC, MOJO_IDLE, MOJO_TIME, MOJO_MEMORY, MOJO_STRING, MOJO_STRING_REF, MOJO_REPEAT,
       MOJO_EVENTS };

/* An event: its numbers and texts, each in their order. */
struct mojo_event {
	unsigned kind;
	uint64_t offset;
	int64_t number[7];
	unsigned n_numbers;
	struct text_slice text[2];
};

struct mojo_reader {
	struct input *in;
	struct err *e;
	int64_t version;
};

struct mojo_frame {
	int64_t pid;
	int64_t file, scope; /* numbers of texts */
	int64_t line;
	frame_id frame; /* valid when known */
	bool known, native;
};

/* A frame of the current sample, before it is made. */
struct mojo_ref {
	enum { REF_FRAME, REF_INVALID, REF_KERNEL } kind;
	union {
		int64_t number; /* of a frame */
		name_id name;   /* in the kernel */
	};
};

/* The previous sample of a thread, to which a repeat refers. */
struct mojo_thread {
	VEC(frame_id) frame;
};

struct mojo {
	struct austin *a;
	struct mojo_reader r;
	VEC(struct mojo_frame) frame;
	VEC(name_id) text;
	struct idmap frame_of, text_of; /* process and number -> index */
	VEC(struct mojo_ref) refs; /* of the current sample */
	VEC(struct mojo_thread) before;
	struct idmap before_of; /* process and thread -> its index */
	struct austin_sample sample;
	VEC(char) thread;
	int64_t pid;
	bool open, gc, repeats;
	bool timed, sized; /* the sample has its time, its memory */
};

/* ---- events ---- */

static int64_t
mojo_number(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);
	uint64_t n = p ? *p & 0x3F : 0;
	bool negative = p && *p & 0x40;

	for (unsigned shift = 6; p && *p & 0x80; shift += 7) {
		p = cursor_bytes(c, 1);
		if (p && shift > 55) {
			c->bad = true; /* more than 62 bits */
			return 0;
		}
		n |= p ? (uint64_t)(*p & 0x7F) << shift : 0;
	}
	return c->bad ? 0 : negative ? -(int64_t)n : (int64_t)n;
}

/* Returns the arguments after the first byte of each event: a number `n`, a text `s`; older
 * versions omit some. */
static const char *
layout(unsigned kind, int64_t version)
{
	static const char *const of[MOJO_EVENTS] = {
		[MOJO_METADATA] = "ss", [MOJO_STACK] = "nns",     [MOJO_FRAME] = "nnnnnnn",
		[MOJO_INVALID] = "",    [MOJO_FRAME_REF] = "n",   [MOJO_KERNEL] = "s",
		[MOJO_GC] = "",         [MOJO_IDLE] = "",         [MOJO_TIME] = "n",
		[MOJO_MEMORY] = "n",    [MOJO_STRING] = "ns",     [MOJO_STRING_REF] = "n",
		[MOJO_REPEAT] = "",
	};

	if (kind == MOJO_STACK && version < 3)
		return "ns";
	if (kind == MOJO_FRAME && version < 2)
		return "nnnn";
	return kind < MOJO_EVENTS ? of[kind] : NULL;
}

static bool
event_parse(struct cursor *c, const char *form, struct mojo_event *out)
{
	unsigned texts = 0;

	for (; *form; form++) {
		if (*form == 'n') {
			out->number[out->n_numbers++] = mojo_number(c);
			continue;
		}
		struct text_slice *t = &out->text[texts++];
		if (!c->bad && !(t->at = cursor_cstring(c, &t->len)))
			c->bad = c->torn = true;
	}
	return !c->bad;
}

static bool
mojo_begin(struct mojo_reader *r)
{
	struct cursor c;

	if (!input_need(r->in, 4) || memcmp(input_at(r->in), "MOJ", 3))
		return err_refuse(r->e, "not a MOJO file: it does not begin with MOJ");
	c = cursor_over(input_at(r->in) + 3, input_have(r->in) - 3);
	r->version = mojo_number(&c);
	if (c.bad || r->version < 1 || r->version > 4)
		return err_refuse(r->e, "version %" PRId64 " of MOJO: 1 to 4 are read", r->version);
	input_skip(r->in, (size_t)(c.at - input_at(r->in)));
	return true;
}

/* Reads the next event, whose texts are valid until the next call; false at the end. */
static bool
mojo_next(struct mojo_reader *r, struct mojo_event *out)
{
	*out = (struct mojo_event){.offset = input_offset(r->in)};
	if (!input_have(r->in) && !input_more(r->in))
		return false;
	out->kind = *input_at(r->in);
	const char *form = layout(out->kind, r->version);
	if (!form)
		return err_damage(r->e, out->offset, "an event of the unknown kind %u",
				  out->kind);
	for (;;) {
		struct cursor c = cursor_over(input_at(r->in) + 1, input_have(r->in) - 1);
		out->n_numbers = 0;
		if (event_parse(&c, form, out)) {
			input_skip(r->in, (size_t)(c.at - input_at(r->in)));
			return true;
		}
		if (!c.torn || input_have(r->in) > EVENT_MAX)
			return err_damage(r->e, out->offset, "a malformed event");
		if (!input_more(r->in))
			return input_stopped(r->in)
				       ? false
				       : err_damage(r->e, out->offset, "a truncated event");
	}
}

/* ---- frames and texts ---- */

/* Returns a key for a number of a process, such that the keys of two processes never collide. */
static uint64_t
austin_mojo_key_of(int64_t pid, int64_t number)
{
	return (uint64_t)pid * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)number;
}

/* Returns the index for a number of this process; if there is none, for the same number before the
 * first stack. */
static uint32_t
index_of(const struct idmap *map, int64_t pid, int64_t number)
{
	uint32_t i = idmap_get(map, austin_mojo_key_of(pid, number));

	return i != IDMAP_NONE || !pid ? i : idmap_get(map, austin_mojo_key_of(0, number));
}

static void
put_frame(struct mojo *m, const struct mojo_event *ev)
{
	idmap_put(&m->frame_of, austin_mojo_key_of(m->pid, ev->number[0]), (uint32_t)m->frame.n);
	*vec_push(&m->frame) = (struct mojo_frame){
		.pid = m->pid,
		.file = ev->number[1] & KEY_MASK,
		.scope = ev->number[2] & KEY_MASK,
		.line = ev->number[3],
	};
}

/* Returns false if the text is not defined yet. */
static bool
austin_mojo_text_of(const struct mojo *m, int64_t pid, int64_t number, struct name *out)
{
	uint32_t i = index_of(&m->text_of, pid ? pid : m->pid, number);

	*out = (struct name){.at = ""};
	if (i != IDMAP_NONE)
		*out = builder_name_get(m->a->b, m->text.at[i]);
	else if (number == UNKNOWN_TEXT)
		*out = (struct name){.at = "<unknown>", .len = 9};
	return i != IDMAP_NONE || number <= UNKNOWN_TEXT;
}

/* Files of Python code end in .py, or are `<string>`, `<frozen os>`. */
static bool
is_native(struct name file)
{
	return !(file.len >= 3 && !memcmp(file.at + file.len - 3, ".py", 3)) &&
	       !(file.len >= 2 && file.at[0] == '<' && file.at[file.len - 1] == '>');
}

static frame_id
austin_mojo_frame_of(struct mojo *m, int64_t number, bool *native)
{
	uint32_t i = index_of(&m->frame_of, m->pid, number);
	struct mojo_frame *f = i == IDMAP_NONE ? NULL : &m->frame.at[i];
	struct name file, scope;

	*native = false;
	if (!f || (!f->known && (!austin_mojo_text_of(m, f->pid, f->file, &file) ||
				 !austin_mojo_text_of(m, f->pid, f->scope, &scope)))) {
		m->a->unknown++;
		return builder_frame(m->a->b, builder_function_unknown(m->a->b), line_unknown());
	}
	if (!f->known) {
		f->native = is_native(file);
		f->frame = austin_frame(m->a, file.at, file.len, scope.at, scope.len, f->line);
		f->known = true;
	}
	*native = f->native;
	return f->frame;
}

/* ---- samples ---- */

static struct mojo_thread *
thread_of(struct mojo *m)
{
	name_id name = builder_name(m->a->b, m->thread.n ? m->thread.at : "", m->thread.n);
	uint64_t key = austin_mojo_key_of(m->pid, name);
	uint32_t i;

	if (idmap_add(&m->before_of, key, m->before.n, &i))
		*vec_push(&m->before) = (struct mojo_thread){0};
	return &m->before.at[i];
}

/* Makes the frames of the sample, and remembers those that a later one repeats. */
static void
austin_make_frames(struct mojo *m)
{
	struct austin *a = m->a;
	struct mojo_thread *t = m->r.version > 3 ? thread_of(m) : NULL;
	size_t python;
	bool native;

	a->frame.n = 0;
	for (size_t i = 0; t && m->repeats && i < t->frame.n; i++)
		*vec_push(&a->frame) = t->frame.at[i];
	python = a->frame.n;
	for (size_t i = 0; i < m->refs.n; i++) {
		const struct mojo_ref *r = &m->refs.at[i];
		struct name name = {.at = ""};
		switch (r->kind) {
		case REF_FRAME:
			*vec_push(&a->frame) = austin_mojo_frame_of(m, r->number, &native);
			if (!native)
				python = a->frame.n;
			break;
		case REF_INVALID:
			*vec_push(&a->frame) = austin_frame(a, "", 0, "INVALID", 7, 0);
			break;
		case REF_KERNEL:
			name = builder_name_get(a->b, r->name);
			*vec_push(&a->frame) =
				austin_frame(a, "kernel", 6, name.at, name.len, 0);
			break;
		}
	}
	if (t) {
		t->frame.n = 0;
		for (size_t i = 0; i < python; i++)
			*vec_push(&t->frame) = a->frame.at[i];
	}
	if (m->gc)
		*vec_push(&a->frame) = austin_gc(a);
}

/* Returns true if the current sample is complete. */
static bool
is_whole(const struct mojo *m)
{
	switch (m->a->mode) {
	case AUSTIN_FULL:
		return m->timed && m->sized;
	case AUSTIN_MEMORY:
		return m->sized;
	case AUSTIN_TIME:
		return m->timed;
	case AUSTIN_UNKNOWN:
		break;
	}
	return m->timed || m->sized;
}

/* Writes the current sample, if there is one. */
static bool
austin_mojo_finish(struct mojo *m)
{
	if (!m->open)
		return true;
	m->open = false;
	austin_make_frames(m);
	m->sample.thread = m->thread.n ? m->thread.at : "";
	m->sample.thread_len = m->thread.n;
	if (m->a->frame.n > STACK_DEPTH_MAX)
		return err_damage(m->a->e, m->sample.offset, "a stack too deep");
	return austin_add(m->a, &m->sample);
}

/* The same at the end of the file, or before damage: only a complete sample counts. */
static bool
finish_last(struct mojo *m)
{
	struct err *e = m->a->e, later = {0};

	if (!m->open)
		return !err_is_set(e);
	if (!is_whole(m))
		return !err_is_set(e) && (input_stopped(m->r.in) ||
					  err_damage(e, m->sample.offset, "a truncated sample"));
	m->a->e = err_is_set(e) ? &later : e;
	austin_mojo_finish(m);
	m->a->e = e;
	return !err_is_set(e);
}

static bool
open_sample(struct mojo *m, const struct mojo_event *ev)
{
	if (!austin_mojo_finish(m))
		return false;
	if (ev->number[0] < 0 || ev->number[0] > INT32_MAX)
		return err_damage(m->a->e, ev->offset, "an impossible process id");
	m->pid = ev->number[0];
	m->sample = (struct austin_sample){.pid = m->pid, .offset = ev->offset};
	m->thread.n = 0;
	for (size_t i = 0; i < ev->text[0].len; i++)
		*vec_push(&m->thread) = ev->text[0].at[i];
	m->refs.n = 0;
	m->gc = m->repeats = m->timed = m->sized = false;
	m->open = true;
	return true;
}

static bool
austin_mojo_take(struct mojo *m, const struct mojo_event *ev)
{
	switch (ev->kind) {
	case MOJO_METADATA:
		austin_metadata(m->a, ev->text[0].at, ev->text[0].len, ev->text[1].at,
				ev->text[1].len);
		return true;
	case MOJO_STACK:
		return open_sample(m, ev);
	case MOJO_FRAME:
		put_frame(m, ev);
		return true;
	case MOJO_STRING:
		idmap_put(&m->text_of, austin_mojo_key_of(m->pid, ev->number[0] & KEY_MASK),
			  (uint32_t)m->text.n);
		*vec_push(&m->text) = builder_name(m->a->b, ev->text[0].at, ev->text[0].len);
		return true;
	case MOJO_STRING_REF:
		return true;
	default:
		break;
	}
	if (!m->open)
		return err_damage(m->a->e, ev->offset, "a part of a sample outside of any sample");
	if (ev->kind == MOJO_TIME) {
		m->sample.us = ev->number[0];
		m->timed = true;
	} else if (ev->kind == MOJO_MEMORY) {
		m->sample.bytes = ev->number[0];
		m->sized = true;
	} else if (ev->kind == MOJO_GC) {
		m->gc = true;
	} else if (ev->kind == MOJO_IDLE) {
		m->sample.idle = true;
	} else if (ev->kind == MOJO_REPEAT) {
		m->repeats = true;
	} else if (ev->kind == MOJO_INVALID) {
		*vec_push(&m->refs) = (struct mojo_ref){.kind = REF_INVALID};
	} else if (ev->kind == MOJO_KERNEL) {
		*vec_push(&m->refs) = (struct mojo_ref){
			.kind = REF_KERNEL,
			.name = builder_name(m->a->b, ev->text[0].at, ev->text[0].len)};
	} else {
		*vec_push(&m->refs) =
			(struct mojo_ref){.kind = REF_FRAME, .number = ev->number[0]};
	}
	return m->refs.n <= STACK_DEPTH_MAX || err_damage(m->a->e, ev->offset, "a stack too deep");
}

bool
austin_read_mojo(struct austin *a)
{
	struct mojo m = {.a = a, .r = {.in = a->in, .e = a->e}};
	struct mojo_event ev;
	bool good = mojo_begin(&m.r);

	if (good)
		builder_info(a->b, "MOJO", "%" PRId64, m.r.version);
	while (good && mojo_next(&m.r, &ev))
		good = austin_mojo_take(&m, &ev);
	good = finish_last(&m) && good;
	vec_release_all(&m.frame, &m.text, &m.refs);
	idmap_release_all(&m.frame_of, &m.text_of);
	for (size_t i = 0; i < m.before.n; i++)
		vec_release(&m.before.at[i].frame);
	vec_release_all(&m.before, &m.thread);
	idmap_release(&m.before_of);
	return good;
}

bool
austin_dump_mojo(struct input *in, struct dump *d, struct err *e)
{
	static const char *const names[MOJO_EVENTS] = {
		[MOJO_METADATA] = "metadata", [MOJO_STACK] = "stack",   [MOJO_FRAME] = "frame",
		[MOJO_INVALID] = "invalid",   [MOJO_FRAME_REF] = "ref", [MOJO_KERNEL] = "kernel",
		[MOJO_GC] = "gc",             [MOJO_IDLE] = "idle",     [MOJO_TIME] = "time",
		[MOJO_MEMORY] = "memory",     [MOJO_STRING] = "string",
		[MOJO_STRING_REF] = "string_ref", [MOJO_REPEAT] = "repeat",
	};
	struct mojo_reader r = {.in = in, .e = e};
	struct buf line = BUF_INIT, quoted = BUF_INIT;
	struct mojo_event ev;
	bool good = mojo_begin(&r);

	while (good && mojo_next(&r, &ev)) {
		buf_reset(&line);
		for (unsigned i = 0; i < ev.n_numbers; i++)
			buf_addf(&line, " %" PRId64, ev.number[i]);
		for (unsigned i = 0; i < 2; i++)
			if (ev.text[i].at)
				buf_addf(&line, " %s",
					 dump_bytes(d, &quoted, ev.text[i].at, ev.text[i].len));
		good = dump_record(d, ev.offset, "%s%s", names[ev.kind], buf_str(&line));
	}
	buf_release_all(&line, &quoted);
	return good && !err_is_set(e);
}
