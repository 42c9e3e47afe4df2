/* eventlog: the event log of GHC's runtime (+RTS -l, with -p and -h).
 *
 *	"hdrb" "hetb"                          big-endian
 *	   "etb\0" u16 type  i16 size of its payload, -1: variable
 *	           u32 length, name            u32 length, more   "ete\0"
 *	   ...
 *	"hete" "hdre" "datb"
 *	   u16 type  u64 ns  [u16 size]  payload
 *	   ...
 *	   u16 0xFFFF
 *
 * The sizes come from the header, so events of unknown types are skipped. Events lie in blocks of
 * one capability each, a core of the runtime; a block begins with an event that has its size and
 * the capability. Blocks of different capabilities are not in order of time. Hence the turns of
 * capabilities and the states of threads are collected and written at the end, when the names of
 * threads are known, too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/decode/ghcprof/eventlog.h"

#define EVENTLOG_BLOCK 18u /* the event that begins a block */
#define NAME_MAX_BYTES 4096u
#define EVENT_MAX_BYTES (2u + 8u + 2u + UINT16_MAX)
#define TAG_BYTES 4u

/* ---- the header ---- */

/* Steps over a tag; false if the input does not have it here. */
static bool
tag_take(struct input *in, const char *tag)
{
	if (!input_need(in, TAG_BYTES) || memcmp(input_at(in), tag, TAG_BYTES) != 0)
		return false;
	input_skip(in, TAG_BYTES);
	return true;
}

static bool
type_dump(struct eventlog *l, uint16_t number, uint64_t offset)
{
	const struct eventlog_type *type = &l->type.at[number];
	struct buf text = BUF_INIT;
	bool good = dump_record(l->dump, offset, "type %u size %d %s", number, type->size,
				dump_bytes(l->dump, &text, type->name, strlen(type->name)));

	buf_release(&text);
	return good;
}

/* Reads a type after its tag. */
static bool
type_read(struct eventlog *l, struct input *in)
{
	if (!input_need(in, 8))
		return false;
	const uint8_t *p = input_at(in);
	uint64_t offset = input_offset(in) - TAG_BYTES;
	uint16_t number = bytes_u16(p, true);
	while (l->type.n <= number)
		*vec_push(&l->type) = (struct eventlog_type){0};
	struct eventlog_type *type = &l->type.at[number];
	type->declared = true;
	type->size = (int16_t)bytes_u16(p + 2, true);
	type->take = eventlog_taker(number);
	uint32_t len = bytes_u32(p + 4, true), shown = len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES;
	input_skip(in, 8);
	if (!input_need(in, shown))
		return false;
	free(type->name);
	type->name = mem_alloc(shown + 1u, 1);
	memcpy(type->name, input_at(in), shown);
	type->name[shown] = '\0';
	if (l->dump && !type_dump(l, number, offset))
		return false;
	if (!input_discard(in, len) || !input_need(in, 4))
		return false;
	uint32_t more = bytes_u32(input_at(in), true);
	input_skip(in, 4);
	return input_discard(in, more) && tag_take(in, "ete\0");
}

static bool
eventlog_header(struct eventlog *l, struct input *in)
{
	bool good = tag_take(in, "hdrb") && tag_take(in, "hetb");

	while (good && tag_take(in, "etb\0"))
		good = type_read(l, in);
	return (good && tag_take(in, "hete") && tag_take(in, "hdre") && tag_take(in, "datb")) ||
	       err_damage(l->out.e, input_offset(in), "the header is truncated or malformed");
}

/* ---- events ---- */

struct eventlog_blocks {
	struct eventlog *l;
	uint64_t block_end; /* the events before it are of `cap` */
	uint32_t cap;
	bool ended;
};

/* Begins a block: u32 size from its own first byte, u64 time of its end, u16 capability. */
static void
block_begin(struct eventlog_blocks *v, struct eventlog_event *e)
{
	uint32_t size = cursor_u32(&e->payload);

	cursor_u64(&e->payload);
	v->cap = cursor_u16(&e->payload);
	v->block_end = e->offset + size;
	if (e->payload.bad) {
		v->block_end = 0;
		v->l->malformed++;
	}
}

/* Returns the length of an event and of its head; 0 if it is truncated. */
static size_t
event_len(const struct eventlog_type *type, const uint8_t *at, size_t have, size_t *head)
{
	enum { HEAD = 10, SIZE = 2 };

	*head = HEAD + (type->size < 0 ? SIZE : 0);
	if (have < *head)
		return 0;
	size_t size = type->size < 0 ? bytes_u16(at + HEAD, true) : (size_t)type->size;
	return have - *head >= size ? *head + size : 0;
}

static bool
event_dump(struct eventlog *l, const struct eventlog_event *e)
{
	struct buf text = BUF_INIT, name = BUF_INIT;
	const char *of = l->type.at[e->type].name;
	int64_t cap = e->cap == EVENTLOG_NO_CAP ? -1 : (int64_t)e->cap;
	bool good = dump_record(l->dump, e->offset,
				"event %u time %" PRId64 " cap %" PRId64 " %s %s", e->type,
				e->time_ns, cap, dump_bytes(l->dump, &name, of, strlen(of)),
				dump_bytes(l->dump, &text, e->payload.at,
					   cursor_left(&e->payload)));
	buf_release_all(&text, &name);
	return good;
}

/* Passes an event on. Returns false with an error, or if a dump cannot be written. */
static bool
event_take(struct eventlog_blocks *v, struct eventlog_event *e)
{
	struct eventlog *l = v->l;
	struct eventlog_type *type = &l->type.at[e->type];

	if (l->dump && !event_dump(l, e))
		return false;
	if (e->type == EVENTLOG_BLOCK)
		block_begin(v, e);
	else if (!type->take)
		type->count++;
	else if (!l->dump)
		return type->take(l, e);
	return true;
}

/* Reads the event in the first bytes of the window. Returns its length, 0 with damage. */
static size_t
event_read(struct eventlog_blocks *v, const uint8_t *at, size_t have, uint64_t offset)
{
	struct eventlog *l = v->l;
	uint16_t number = have >= 2 ? bytes_u16(at, true) : EVENTLOG_END;
	const struct eventlog_type *type = number < l->type.n ? &l->type.at[number] : NULL;
	size_t head, len;

	if (have >= 2 && number == EVENTLOG_END) {
		v->ended = true;
		return 2;
	}
	if (have >= 2 && (!type || !type->declared)) {
		err_damage(l->out.e, offset, "an event of type %u, which the header lacks", number);
		return 0;
	}
	len = have >= 2 ? event_len(type, at, have, &head) : 0;
	if (!len) {
		err_damage(l->out.e, offset, "an event is truncated");
		return 0;
	}
	uint64_t time = bytes_u64(at + 2, true);
	if (time > INT64_MAX / 2) {
		err_damage(l->out.e, offset, "a time exceeds 2^62");
		return 0;
	}
	struct eventlog_event e = {
		.type = number,
		.cap = offset < v->block_end ? v->cap : EVENTLOG_NO_CAP,
		.time_ns = (int64_t)time,
		.payload = cursor_over(at + head, len - head),
		.offset = offset,
	};
	e.payload.big_endian = true;
	l->last_ns = e.time_ns > l->last_ns ? e.time_ns : l->last_ns;
	return event_take(v, &e) ? len : 0;
}

static bool
eventlog_events(struct eventlog *l, struct input *in)
{
	struct eventlog_blocks v = {.l = l, .cap = EVENTLOG_NO_CAP};

	while (!v.ended) {
		bool more = input_need(in, EVENT_MAX_BYTES);
		size_t have, used = 0;
		uint64_t offset;
		const uint8_t *at = input_window(in, &have, &offset);
		if (!have)
			return true;
		if (!more && input_stopped(in))
			return true;
		while (!v.ended && used < have && (!more || have - used >= EVENT_MAX_BYTES)) {
			size_t n = event_read(&v, at + used, have - used, offset + used);
			if (!n)
				return false;
			used += n;
		}
		input_skip(in, used);
	}
	return true;
}

static bool
eventlog_read(struct eventlog *l, struct input *in)
{
	return eventlog_header(l, in) && eventlog_events(l, in);
}

static void
eventlog_release(struct eventlog *l)
{
	for (size_t i = 0; i < l->cap.n; i++)
		timed_release(&l->cap.at[i].turn);
	for (size_t i = 0; i < l->type.n; i++)
		free(l->type.at[i].name);
	vec_release_all(&l->type, &l->cap, &l->points);
	idmap_release_all(&l->cap_of, &l->label_of, &l->stack_of, &l->frame_of, &l->points_of);
	sched_release(&l->sched);
}

static bool
eventlog_decode(struct input *in, struct builder *b, struct err *e)
{
	struct eventlog l = {.out = {.b = b, .e = e}, .sched = {.b = b}};
	struct err later = {0};

	bool good = eventlog_read(&l, in);
	if (good && l.heap.inside) /* GHC 8.2 did not write the ends of samples */
		good = ghc_bands_sample_end(&l.heap);
	l.out.e = good ? e : &later;
	good = eventlog_write(&l) && good;
	eventlog_release(&l);
	return good;
}

static bool
eventlog_dump(struct input *in, struct dump *d, struct err *e)
{
	struct eventlog l = {.out = {.e = e}, .dump = d};
	bool good = eventlog_read(&l, in);

	eventlog_release(&l);
	return good;
}

const struct decoder decoder_eventlog = {
	.name = "eventlog",
	.title = "GHC's event log: threads, collections, profiles",
	.made_of = MADE_BINARY,
	DECODER_MAGIC("hdrbhetb"),
	.decode = eventlog_decode,
	.dump = eventlog_dump,
};
