/* The slow side of lines.h: moving the window.
 *
 * Within a window lines are found by one memchr() each, in the header, so that it is
 * inlined into the decoder's loop.  Here the bytes given out are skipped and more are
 * asked for.  `seen` keeps a line of many megabytes from being searched again from its
 * start with every refill.
 *
 * A line that fills the largest window is given out in pieces marked `cut`: no format
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
	window(l);
}

bool
lines_more(struct lines *l)
{
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
	bool whole_window = (size_t)(l->end - l->at) >= INPUT_WINDOW_MAX;
	*out = (struct text_line){
		.at = l->at,
		.len = (size_t)(l->end - l->at),
		.offset = l->offset,
		.cut = whole_window || l->inside,
	};
	if (!l->inside)
		l->number++;
	l->inside = whole_window;
	if (!whole_window && out->at[out->len - 1] == '\r')
		out->len--;
	l->offset += (uint64_t)(l->end - l->at);
	l->at = l->end;
	l->seen = 0;
	return true;
}
