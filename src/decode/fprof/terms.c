#include "src/decode/fprof/terms.h"

#include <string.h>

#include "model/base/chars.h"

/* A term ends with a dot outside of all brackets and quotes; a comment goes from a percent sign
 * to the end of its line.  Terms are collected line by line without their comments.  Nested
 * terms are not parsed, their brackets are only counted. */

struct scan {
	int depth;
	char quote;   /* ' or " that is open */
	bool escaped; /* the previous character was a backslash in quotes */
};

/* One character further. */
static void
scan_char(struct scan *s, char c)
{
	if (s->quote) {
		if (s->escaped)
			s->escaped = false;
		else if (c == '\\')
			s->escaped = true;
		else if (c == s->quote)
			s->quote = 0;
	} else if (c == '\'' || c == '"') {
		s->quote = c;
	} else if (c == '{' || c == '[' || c == '(') {
		s->depth++;
	} else if (c == '}' || c == ']' || c == ')') {
		s->depth--;
	}
}

void
terms_init(struct terms *t, struct input *in)
{
	*t = (struct terms){0};
	lines_init(&t->lines, in);
}

void
terms_release(struct terms *t)
{
	buf_release(&t->text);
}

/* Adds a line without its comment; returns true if the line ends the term. */
static bool
gather(struct terms *t, struct scan *s, const struct text_line *line)
{
	for (size_t i = 0; i < line->len; i++) {
		char c = line->at[i];
		if (!s->quote && c == '%')
			break;
		if (!s->quote && c == '.' && s->depth <= 0 && t->text.len)
			return true;
		if (!t->text.len && is_blank(c))
			continue;
		if (!t->text.len)
			t->offset = line->offset + i;
		scan_char(s, c);
		buf_addc(&t->text, c);
	}
	if (t->text.len)
		buf_addc(&t->text, ' ');
	return false;
}

/* Returns true if a line begins a term, `{[callers` or `[{process`; the lines inside a term are
 * indented. */
static bool
begins_term(const struct text_line *line)
{
	return line->len > 1 && ((line->at[0] == '{' && line->at[1] == '[') ||
				 (line->at[0] == '[' && line->at[1] == '{'));
}

static bool
next_line(struct terms *t, struct text_line *line)
{
	if (!t->holds)
		return lines_next(&t->lines, line);
	*line = t->held;
	t->holds = false;
	return true;
}

bool
terms_next(struct terms *t, struct term *out)
{
	struct scan s = {0};
	struct text_line line;

	buf_reset(&t->text);
	while (next_line(t, &line)) {
		t->holds = t->text.len && begins_term(&line);
		if (t->holds)
			t->held = line;
		else if (!gather(t, &s, &line))
			continue;
		*out = (struct term){buf_str(&t->text), buf_str(&t->text) + t->text.len};
		return true;
	}
	t->unended = t->text.len > 0;
	return false;
}

/* ---- inside a term ---- */

static void
skip_spaces(struct term *t)
{
	while (t->at < t->end && (is_blank(*t->at) || *t->at == '\n' || *t->at == '\r'))
		t->at++;
}

bool
term_take(struct term *t, char c)
{
	skip_spaces(t);
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

bool
term_skip(struct term *t, struct term *out)
{
	struct scan s = {0};
	const char *at;

	skip_spaces(t);
	for (at = t->at; at < t->end; at++) {
		if (!s.quote && !s.depth &&
		    (*at == ',' || *at == '}' || *at == ']' || *at == ')' || *at == '|'))
			break;
		scan_char(&s, *at);
	}
	*out = (struct term){t->at, at};
	t->at = at;
	while (out->end > out->at && is_blank(out->end[-1]))
		out->end--;
	return !s.quote && !s.depth && out->end > out->at;
}
