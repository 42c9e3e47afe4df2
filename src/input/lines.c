/* The slow path of lines.h: it moves the window.
 *
 * The header finds the lines of a window, by one memchr() each, so that the search is inlined into
 * the decoder's loop. This file skips the lines that were returned and refills. `seen` prevents
 * that a line of many megabytes is searched again from its start after every refill.
 *
 * A line longer than LINE_MAX_BYTES is returned in pieces marked `cut`: no format has such lines,
 * and memory must not grow with a file without line ends. */
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
	*input_lines(l->in) = l->number;
	bool more = input_more(l->in);
	l->number = *input_lines(l->in);
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
