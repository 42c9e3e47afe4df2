/* MOJO, Austin's binary form: "MOJ", the version, then events.  A sample is the event `stack`
 * and what follows it up to the next: frames by reference, garbage collection, idleness, time and
 * memory.  Frames and texts are numbered a process.
 *
 * A number is 6 bits, a sign and a bit for "more" in its first byte, then groups of 7.  Texts
 * end with a NUL.  A frame may be told before its texts are: what it is is looked up when a
 * sample has it. */
#include "src/decode/austin/austin.h"

#include <inttypes.h>
#include <string.h>

#include "model/buf.h"
#include "src/input/cursor.h"

#define KEY_MASK 0x7FFFFFFu
#define UNKNOWN_TEXT 1 /* the number of "<unknown>", which nobody tells */
#define EVENT_MAX (1u << 20)

enum { MOJO_METADATA = 1, MOJO_STACK, MOJO_FRAME, MOJO_INVALID, MOJO_FRAME_REF, MOJO_KERNEL,
       MOJO_GC, MOJO_IDLE, MOJO_TIME, MOJO_MEMORY, MOJO_STRING, MOJO_STRING_REF, MOJO_EVENTS };

struct mojo_text {
	const char *at;
	size_t len;
};

/* An event: its numbers and texts in their order. */
struct mojo_event {
	unsigned kind;
	uint64_t offset;
	int64_t number[7];
	unsigned n_numbers;
	struct mojo_text text[2];
};

struct mojo_reader {
	struct input *in;
	struct err *e;
	int64_t version;
};

struct mojo_frame {
	uint64_t file, scope; /* keys of texts */
	int64_t line;
	frame_id frame; /* valid when known */
	bool known;
};

/* A frame of a sample. */
struct mojo_ref {
	enum { REF_KEY, REF_KERNEL, REF_INVALID } kind;
	uint64_t key; /* REF_KEY: of a frame, any number */
	name_id name; /* REF_KERNEL */
};

struct mojo {
	struct austin *a;
	struct mojo_reader r;
	VEC(struct mojo_frame) frame;
	VEC(name_id) text;
	struct idmap frame_of, text_of; /* process and number -> index */
	VEC(struct mojo_ref) refs; /* of the sample at hand */
	struct austin_sample sample;
	VEC(char) thread;
	int64_t pid;
	bool open, gc;
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

/* What stands behind the first byte of each event: a number `n`, a text `s`; of some less in
 * older versions. */
static const char *
layout(unsigned kind, int64_t version)
{
	static const char *const of[MOJO_EVENTS] = {
		[MOJO_METADATA] = "ss", [MOJO_STACK] = "nns",     [MOJO_FRAME] = "nnnnnnn",
		[MOJO_INVALID] = "",    [MOJO_FRAME_REF] = "n",   [MOJO_KERNEL] = "s",
		[MOJO_GC] = "",         [MOJO_IDLE] = "",         [MOJO_TIME] = "n",
		[MOJO_MEMORY] = "n",    [MOJO_STRING] = "ns",     [MOJO_STRING_REF] = "n",
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
		struct mojo_text *t = &out->text[texts++];
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
		return err_refuse(r->e, "no MOJO file: it does not begin with MOJ");
	c = cursor_over(input_at(r->in) + 3, input_have(r->in) - 3);
	r->version = mojo_number(&c);
	if (c.bad || r->version < 1 || r->version > 3)
		return err_refuse(r->e, "version %" PRId64 " of MOJO: 1 to 3 are read", r->version);
	input_skip(r->in, (size_t)(c.at - input_at(r->in)));
	return true;
}

/* The next event, whose texts are valid until the next call; false at the end. */
static bool
mojo_next(struct mojo_reader *r, struct mojo_event *out)
{
	*out = (struct mojo_event){.offset = input_offset(r->in)};
	if (!input_have(r->in) && !input_more(r->in))
		return false;
	out->kind = *input_at(r->in);
	const char *form = layout(out->kind, r->version);
	if (!form)
		return err_damage(r->e, out->offset, "an event of kind %u, which there is not",
				  out->kind);
	for (;;) {
		struct cursor c = cursor_over(input_at(r->in) + 1, input_have(r->in) - 1);
		out->n_numbers = 0;
		if (event_parse(&c, form, out)) {
			input_skip(r->in, (size_t)(c.at - input_at(r->in)));
			return true;
		}
		if (!c.torn || input_have(r->in) > EVENT_MAX)
			return err_damage(r->e, out->offset, "an event that is malformed");
		if (!input_more(r->in))
			return input_stopped(r->in)
				       ? false
				       : err_damage(r->e, out->offset, "an event that is cut");
	}
}

/* ---- frames and texts ---- */

static uint64_t
key_of(const struct mojo *m, int64_t number)
{
	return (uint64_t)m->pid << 27 | ((uint64_t)number & KEY_MASK);
}

static void
put_text(struct mojo *m, const struct mojo_event *ev)
{
	idmap_put(&m->text_of, key_of(m, ev->number[0]), (uint32_t)m->text.n);
	*vec_push(&m->text) = builder_name(m->a->b, ev->text[0].at, ev->text[0].len);
}

static void
put_frame(struct mojo *m, const struct mojo_event *ev)
{
	idmap_put(&m->frame_of, key_of(m, ev->number[0]), (uint32_t)m->frame.n);
	*vec_push(&m->frame) = (struct mojo_frame){
		.file = key_of(m, ev->number[1]),
		.scope = key_of(m, ev->number[2]),
		.line = ev->number[3],
	};
}

/* False where nothing has told it yet. */
static bool
text_of(const struct mojo *m, uint64_t key, struct name *out)
{
	uint32_t i = idmap_get(&m->text_of, key);

	*out = (struct name){.at = ""};
	if (i != IDMAP_NONE)
		*out = builder_name_get(m->a->b, m->text.at[i]);
	else if ((key & KEY_MASK) == UNKNOWN_TEXT)
		*out = (struct name){.at = "<unknown>", .len = 9};
	return i != IDMAP_NONE || (key & KEY_MASK) <= UNKNOWN_TEXT;
}

static frame_id
frame_of(struct mojo *m, uint64_t key)
{
	uint32_t i = idmap_get(&m->frame_of, key);
	struct name file, scope;

	if (i != IDMAP_NONE && m->frame.at[i].known)
		return m->frame.at[i].frame;
	if (i == IDMAP_NONE || !text_of(m, m->frame.at[i].file, &file) ||
	    !text_of(m, m->frame.at[i].scope, &scope)) {
		m->a->unknown++;
		return builder_frame(m->a->b, builder_function_unknown(m->a->b), line_unknown());
	}
	struct mojo_frame *f = &m->frame.at[i];
	f->known = true;
	f->frame = austin_frame(m->a, file.at, file.len, scope.at, scope.len, f->line);
	return f->frame;
}

/* ---- samples ---- */

static frame_id
make_frame(struct mojo *m, struct mojo_ref ref)
{
	if (ref.kind == REF_INVALID)
		return austin_frame(m->a, "", 0, "INVALID", 7, 0);
	if (ref.kind == REF_KEY)
		return frame_of(m, ref.key);
	struct name name = builder_name_get(m->a->b, ref.name);
	return austin_frame(m->a, "kernel", 6, name.at, name.len, 0);
}

/* The sample is whole. */
static bool
finish(struct mojo *m)
{
	if (!m->open)
		return true;
	m->open = false;
	m->a->frame.n = 0;
	for (size_t i = 0; i < m->refs.n; i++)
		*vec_push(&m->a->frame) = make_frame(m, m->refs.at[i]);
	if (m->gc)
		*vec_push(&m->a->frame) = austin_gc(m->a);
	m->sample.thread = m->thread.n ? m->thread.at : "";
	m->sample.thread_len = m->thread.n;
	return austin_add(m->a, &m->sample);
}

static bool
open_sample(struct mojo *m, const struct mojo_event *ev)
{
	if (!finish(m))
		return false;
	if (ev->number[0] < 0 || ev->number[0] > INT32_MAX)
		return err_damage(m->a->e, ev->offset, "a process with a number that cannot be");
	m->pid = ev->number[0];
	m->sample = (struct austin_sample){.pid = m->pid, .offset = ev->offset};
	m->thread.n = 0;
	for (size_t i = 0; i < ev->text[0].len; i++)
		*vec_push(&m->thread) = ev->text[0].at[i];
	m->refs.n = 0;
	m->gc = false;
	m->open = true;
	return true;
}

static bool
take(struct mojo *m, const struct mojo_event *ev)
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
		put_text(m, ev);
		return true;
	case MOJO_STRING_REF:
		return true;
	default:
		break;
	}
	if (!m->open)
		return err_damage(m->a->e, ev->offset, "a part of a sample outside of all");
	if (ev->kind == MOJO_TIME)
		m->sample.us = ev->number[0];
	else if (ev->kind == MOJO_MEMORY)
		m->sample.bytes = ev->number[0];
	else if (ev->kind == MOJO_GC)
		m->gc = true;
	else if (ev->kind == MOJO_IDLE)
		m->sample.idle = true;
	else if (ev->kind == MOJO_INVALID)
		*vec_push(&m->refs) = (struct mojo_ref){.kind = REF_INVALID};
	else if (ev->kind == MOJO_KERNEL)
		*vec_push(&m->refs) = (struct mojo_ref){
			.kind = REF_KERNEL,
			.name = builder_name(m->a->b, ev->text[0].at, ev->text[0].len)};
	else
		*vec_push(&m->refs) = (struct mojo_ref){.key = key_of(m, ev->number[0])};
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
		good = take(&m, &ev);
	good = good && !err_is_set(a->e);
	if (good)
		good = finish(&m); /* of a file that is cut the last sample is not whole */
	vec_release(&m.frame);
	vec_release(&m.text);
	idmap_release(&m.frame_of);
	idmap_release(&m.text_of);
	vec_release(&m.refs);
	vec_release(&m.thread);
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
		[MOJO_STRING_REF] = "string_ref",
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
	buf_release(&line);
	buf_release(&quoted);
	return good && !err_is_set(e);
}
