/* The slow side of lines.h: moving the window.
 *
 * Within a window lines are found by one memchr() each, in the header, so that it is
 * inlined into the decoder's loop.  Here the bytes given out are skipped and more are
 * asked for.  `seen` keeps a line of many megabytes from being searched again from its
 * start with every refill.
 *
 * A line that is longer than LINE_MAX_BYTES is given out in pieces marked `cut`: no format
 * has such lines, and memory must not follow a file without any line end. */
#include "src/input/lines.h"

static void
window(struct lines *l)
{
	l->at = (const char *)input_at(l->in);
	l->end = l->at + input_have(l->in);
	l->offset = input_offset(l->in);
}

void
lines_init(struct lines *l, struct input *in)
{
	*l = (struct lines){.in = in};
	if (!input_offset(in))
		input_skip_bom(in);
	window(l);
}

bool
lines_more(struct lines *l)
{
	if ((size_t)(l->end - l->at) >= LINE_MAX_BYTES)
		return false;
	input_skip(l->in, (size_t)(l->offset - input_offset(l->in)));
	bool more = input_more(l->in);
	window(l);
	return more;
}

bool
lines_rest(struct lines *l, struct text_line *out)
{
	if (l->at == l->end)
		return false;
	bool too_long = (size_t)(l->end - l->at) >= LINE_MAX_BYTES;
	*out = (struct text_line){
		.at = l->at,
		.len = (size_t)(l->end - l->at),
		.offset = l->offset,
		.cut = too_long || l->inside,
	};
	if (!l->inside)
		l->number++;
	l->inside = too_long;
	if (!too_long && out->at[out->len - 1] == '\r')
		out->len--;
	l->offset += (uint64_t)(l->end - l->at);
	l->at = l->end;
	l->seen = 0;
	return true;
}
