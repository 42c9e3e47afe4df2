#include "src/input/proto.h"

/* A tag is number << 3 | type. Types 3 and 4 open and close a group of fields, which is skipped. A
 * counter tracks the nesting, so that no file causes recursion. */

enum { GROUP_OPENS = 3, GROUP_CLOSES = 4, HEAD_MAX = 20 };

static bool
malformed(struct cursor *c)
{
	c->bad = true;
	return false;
}

/* Reads one field; brackets of groups count as fields. */
static bool
take_field(struct cursor *c, struct proto_field *out)
{
	uint64_t tag = cursor_varint(c);

	*out = (struct proto_field){.number = (uint32_t)(tag >> 3), .type = tag & 7};
	if (c->bad || !out->number || tag >> 3 > 0x1FFFFFFF)
		return malformed(c);
	switch (out->type) {
	case PROTO_VARINT:
		out->value = cursor_varint(c);
		break;
	case PROTO_FIXED64:
		out->value = cursor_u64(c);
		break;
	case PROTO_FIXED32:
		out->value = cursor_u32(c);
		break;
	case PROTO_BYTES:
		out->len = (size_t)cursor_varint(c);
		out->at = cursor_bytes(c, out->len);
		break;
	case GROUP_OPENS:
	case GROUP_CLOSES:
		break;
	default:
		return malformed(c);
	}
	return !c->bad;
}

bool
proto_next_any(struct proto *p, struct proto_field *out)
{
	uint32_t groups = 0;

	while (cursor_left(&p->c) && !p->c.bad) {
		if (!take_field(&p->c, out))
			return false;
		if (out->type == GROUP_OPENS) {
			groups++;
		} else if (out->type == GROUP_CLOSES) {
			if (!groups--)
				return malformed(&p->c);
		} else if (!groups) {
			return true;
		}
	}
	if (groups)
		p->c.bad = p->c.torn = true;
	return false;
}

/* ---- a message that is an input ---- */

static bool
not_whole(struct input *in, uint64_t offset, struct err *e)
{
	const struct err *fault = input_fault(in);

	if (fault && err_is_set(fault))
		return false; /* load.c reports it */
	return err_damage(e, offset, "the file ends within a field");
}

/* Reads what precedes the bytes of the field at the window: its tag, and the length. */
static bool
head_of(struct input *in, struct cursor *c, uint64_t *tag, uint64_t *len)
{
	input_need(in, HEAD_MAX);
	*c = cursor_over(input_at(in), input_have(in));
	*tag = cursor_varint(c);
	*len = 0;
	if (!c->bad && (*tag & 7) == PROTO_BYTES)
		*len = cursor_varint(c);
	return !c->bad;
}

/* Reads one field of any kind; brackets of groups count as fields. */
static bool
input_field(struct input *in, struct proto_field *out, uint64_t offset, struct err *e)
{
	struct cursor c;
	uint64_t tag, len;

	if (!head_of(in, &c, &tag, &len))
		return c.torn ? not_whole(in, offset, e)
			      : err_damage(e, offset, "a malformed field");
	size_t head = (size_t)(c.at - c.start);
	if (len > INPUT_WINDOW_MAX - HEAD_MAX)
		return err_damage(e, offset, "a field of %llu bytes", (unsigned long long)len);
	if (len && !input_need(in, head + (size_t)len))
		return not_whole(in, offset, e);
	struct proto p = proto_over(input_at(in), input_have(in));
	if (!take_field(&p.c, out))
		return p.c.torn ? not_whole(in, offset, e)
				: err_damage(e, offset, "a malformed field");
	/* the window stays until the next call, which begins after the field */
	input_skip(in, (size_t)(p.c.at - p.c.start));
	return true;
}

/* The slow path: the window does not contain the whole field, or it is of an unusual kind. */
static bool
next_any(struct input *in, struct proto_field *out, uint64_t *offset, struct err *e)
{
	uint64_t groups = 0, from = 0;

	while (input_need(in, 1)) {
		*offset = groups ? from : input_offset(in);
		if (!input_field(in, out, *offset, e))
			return false;
		if (out->type == GROUP_OPENS && !groups++)
			from = *offset;
		else if (out->type == GROUP_CLOSES && !groups--)
			return err_damage(e, *offset, "a malformed field");
		else if (out->type != GROUP_OPENS && out->type != GROUP_CLOSES && !groups)
			return true;
	}
	return groups && not_whole(in, from, e);
}

bool
proto_next_of_input(struct input *in, struct proto_field *out, uint64_t *offset, struct err *e)
{
	size_t have;
	const uint8_t *at = input_window(in, &have, offset);
	struct cursor c = cursor_over(at, have);

	if (have < HEAD_MAX || !proto_take_plain(&c, out))
		return next_any(in, out, offset, e);
	input_skip(in, (size_t)(c.at - at));
	return true;
}
