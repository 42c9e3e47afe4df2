/* The text:
 *
 *	# austin: 3.4.0
 *	# mode: wall
 *	P38365;T0:38365;/srv/shop.py:<module>:12;/srv/shop.py:load:7;:GC: 57
 *
 * Frames are root first, followed by the values of the sample: microseconds, bytes, or
 * `time,idle,bytes`. Version 4 has four numbers after a name: first and last line, first and
 * last column. Version 1 wrote `F load (shop.py);L7`, or `load (shop.py:7)`. Most lines repeat
 * the frames of others, so each frame is parsed once. */
#include "src/decode/austin/austin.h"

#include <string.h>

#include "src/decode/common/odd_lines.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/common/words.h"

struct austin_text {
	struct austin *a;
	struct text_cache frames; /* text -> frame + 1 */
	uint64_t offset;
};

/* Parses the number after the last colon; sets *end to that colon. */
static bool
last_number(const char *at, const char **end, int64_t *out)
{
	const char *colon = memrchr(at, ':', (size_t)(*end - at));

	if (!colon || !number_parse(colon + 1, *end, out))
		return false;
	*end = colon;
	return true;
}

/* `name (file:line)`, `F name (file)` */
static bool
old_frame(struct austin_text *x, const char *at, const char *end, int64_t line, frame_id *out)
{
	const char *open, *file_end = end - 1;

	for (open = end; open > at + 1 && !(open[-1] == '(' && open[-2] == ' '); open--)
		;
	if (open <= at + 1 || file_end < open)
		return false;
	if (!line)
		last_number(open, &file_end, &line);
	at += begins_with(at, end, "F ") ? 2 : 0;
	if (at > open - 2)
		return false;
	*out = austin_frame(x->a, open, (size_t)(file_end - open), at, (size_t)(open - 2 - at),
			    line);
	return true;
}

/* `file:function:line`, `file:function:line:line_end:column:column_end`, `:GC:` */
static bool
frame_parse(struct austin_text *x, const char *at, const char *end, frame_id *out)
{
	const char *stop = end, *colon;
	int64_t number[4] = {0};
	unsigned n = 0;

	if (end > at && end[-1] == ')')
		return old_frame(x, at, end, 0, out);
	while (n < 4 && last_number(at, &stop, &number[n]))
		n++;
	/* The name of a function may be a number: only the last number is a line */
	if (n > 1 && n < 4) {
		stop = memrchr(at, ':', (size_t)(end - at));
		n = 1;
	}
	if (!n && stop > at && stop[-1] == ':')
		stop--;
	colon = stop > at ? memrchr(at, ':', (size_t)(stop - at)) : NULL;
	if (!colon)
		return false;
	*out = austin_frame(x->a, at, (size_t)(colon - at), colon + 1, (size_t)(stop - colon) - 1,
			    n ? number[n - 1] : 0);
	return true;
}

static bool
austin_text_add_frame(struct austin_text *x, const char *at, const char *end)
{
	struct hash128 hash = hash128(at, (size_t)(end - at));
	uint32_t *slot = text_cache_find(&x->frames, hash);
	frame_id frame;

	if (!*slot) {
		if (!frame_parse(x, at, end, &frame))
			return false;
		text_cache_put(&x->frames, slot, hash, frame + 1);
	} else {
		frame = *slot - 1;
	}
	*vec_push(&x->a->frame) = frame;
	return true;
}

/* `57`, or `57,1,-64` */
static bool
numbers(struct austin_text *x, const char *at, const char *end, struct austin_sample *s)
{
	const char *comma = memchr(at, ',', (size_t)(end - at));
	const char *second = comma ? memchr(comma + 1, ',', (size_t)(end - comma) - 1) : NULL;
	int64_t idle;

	if (x->a->mode == AUSTIN_UNKNOWN)
		x->a->mode = comma ? AUSTIN_FULL : AUSTIN_TIME;
	if (!comma)
		return number_parse(at, end, x->a->mode == AUSTIN_MEMORY ? &s->bytes : &s->us);
	if (!second || !number_parse(at, comma, &s->us) ||
	    !number_parse(comma + 1, second, &idle) || !number_parse(second + 1, end, &s->bytes))
		return false;
	s->idle = idle != 0;
	return true;
}

/* Parses `P38365;T0:38365`; returns where the frames begin, NULL for other text. */
static const char *
thread(const char *at, const char *end, struct austin_sample *s)
{
	const char *stop = memchr(at, ';', (size_t)(end - at)), *colon;

	if (*at != 'P' || !stop || !number_parse(at + 1, stop, &s->pid) || s->pid < 0 ||
	    s->pid > INT32_MAX || end - stop < 2 || stop[1] != 'T')
		return NULL;
	at = stop + 2;
	stop = memchr(at, ';', (size_t)(end - at));
	stop = stop ? stop : end;
	colon = memchr(at, ':', (size_t)(stop - at));
	s->thread = colon ? colon + 1 : at;
	s->thread_len = (size_t)(stop - s->thread);
	return stop < end ? stop + 1 : end;
}

/* Parses the line `;L7` behind a frame of version 1; returns its end, NULL for other text. */
static const char *
line_behind(const char *at, const char *end, int64_t *line)
{
	if (end - at < 2 || at[1] != 'L')
		return NULL;
	const char *stop = memchr(at + 1, ';', (size_t)(end - at) - 1);
	stop = stop ? stop : end;
	return number_parse(at + 2, stop, line) ? stop : NULL;
}

static bool
sample_line(struct austin_text *x, const char *at, const char *end)
{
	struct austin_sample s = {.offset = x->offset};
	const char *blank = memrchr(at, ' ', (size_t)(end - at)), *stop, *next;
	int64_t line;
	frame_id frame;

	if (!blank || !(at = thread(at, blank, &s)) || !numbers(x, blank + 1, end, &s))
		return false;
	x->a->frame.n = 0;
	for (; at < blank; at = stop < blank ? stop + 1 : blank) {
		stop = memchr(at, ';', (size_t)(blank - at));
		stop = stop ? stop : blank;
		next = begins_with(at, stop, "F ") ? line_behind(stop, blank, &line) : NULL;
		if (next) {
			if (!old_frame(x, at, stop, line, &frame))
				return false;
			*vec_push(&x->a->frame) = frame;
			stop = next;
		} else if (!austin_text_add_frame(x, at, stop)) {
			return false;
		}
	}
	return austin_add(x->a, &s);
}

static bool
austin_line(void *state, const char *at, const char *end)
{
	struct austin_text *x = state;
	const char *colon;

	if (at == end || *at != '#')
		return at == end || sample_line(x, at, end);
	if ((colon = text_find(at, end, ": ")))
		austin_metadata(x->a, at + 2, (size_t)(colon - at) - 2, colon + 2,
				(size_t)(end - colon) - 2);
	return true;
}

bool
austin_read_text(struct austin *a)
{
	struct austin_text x = {.a = a};

	bool good = text_lines(a->in, a->b, a->e, &x.offset, last_line_number, austin_line, &x);
	text_cache_release(&x.frames);
	return good;
}
