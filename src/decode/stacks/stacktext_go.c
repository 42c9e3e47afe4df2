#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* Go: a panic, or goroutines of /debug/pprof/goroutine?debug=2. A frame has two lines, the call
 * and its place. */

/* Recognises `goroutine 12 [chan receive, 5 minutes]:`; *open is the position after the
 * bracket. */
static bool
is_goroutine(const char *at, const char *end, const char **open)
{
	const char *c = at + 10;

	if (!begins_with(at, end, "goroutine ") || c == end || !is_digit(*c))
		return false;
	c = digits_end(c, end);
	if (!(c = text_find(c, end, " [")) || !text_find(c, end, "]:"))
		return false;
	*open = c + 2;
	return true;
}

static int
go_probe(const struct stacktext_grammar *g UNUSED, struct head head)
{
	const char *next = NULL, *at, *end, *open;

	while (head_line(head, &next, &at, &end))
		if (is_goroutine(at, end, &open))
			return 95;
	return 0;
}

/* Adds the call in `held`; a call without a place is ignored. */
static void
go_frame(struct stacktext *s, const char *file, size_t file_len, uint32_t line)
{
	const char *at = buf_str(&s->held), *end = at + s->held.len, *in;

	if (begins_with(at, end, "created by ")) {
		at += 11;
		if ((in = text_find(at, end, " in goroutine ")) != NULL)
			end = in;
	} else {
		end = stacktext_call_end(at, end);
	}
	if (at < end)
		stacktext_frame(s, at, (size_t)(end - at), file, file_len, NULL, 0, line,
				go_is_runtime(at, (size_t)(end - at), file, file_len)
					? KIND_SYSTEM
					: KIND_USER);
	buf_reset(&s->held);
}

static bool
go_end(struct stacktext *s)
{
	return stacktext_thread(s);
}

static bool
go_line(struct stacktext *s, const char *at, const char *end)
{
	const char *open, *file_end;
	uint32_t line;

	if (is_goroutine(at, end, &open)) {
		if (!go_end(s))
			return false;
		const char *stop = text_find(open, end, "]:"), *comma;
		if ((comma = text_find(open, stop, ",")) != NULL)
			stop = comma;
		stacktext_label(s, "state", open, (size_t)(stop - open));
		s->state = 1;
		s->begun = s->offset;
		return true;
	}
	if (!s->state)
		return true;
	if (at == end)
		return go_end(s);
	if (*at == '\t') { /* the place of the call in the previous line */
		const char *stop = text_find(at, end, " +0x");
		at++;
		if (stacktext_file_line(at, stop ? stop : end, &file_end, &line))
			go_frame(s, at, (size_t)(file_end - at), line);
		return true;
	}
	buf_reset(&s->held);
	buf_add(&s->held, at, (size_t)(end - at));
	return true;
}

const struct stacktext_grammar stacktext_go = {
	.probe = go_probe, .line = go_line, .end = go_end};
