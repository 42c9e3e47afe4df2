/* The form that is written at the end of a trace is text up to the line `*end`, then records.
 * The streamed form consists of records: names precede their first use, and the text comes
 * last.  Numbers are little-endian. */
#include "src/decode/art/art_read.h"

#include <string.h>

#include "src/input/cursor.h"

#define MAGIC_LEN 4u
#define HEADER_LEAST 16u
#define STREAMED 0xF0u /* of a version's bits */
#define RECORD_MAX 64u

enum { PACKET_METHOD = 1, PACKET_THREAD, PACKET_SUMMARY };

void
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
	input_skip(r->in, r->record_size);
	return true;
}

bool
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
