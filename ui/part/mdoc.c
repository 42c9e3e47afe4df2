/* mdoc.c - see mdoc.h.
 *
 * This file formats the small part of mdoc(7) that our own pages use: sections, paragraphs, lists,
 * displays and the macros inside a line.  mandoc does all of this better and is preferred.  But
 * servers and containers often have neither man nor mandoc, and the browser should show its manual
 * everywhere.
 *
 * Three alternatives were rejected.  A page formatted at build time needs mandoc to build, and does
 * not follow the width of the screen.  A page without its marks hides the keys and options that
 * readers look for.  Help written a second time soon contradicts the manual. So this file reads the
 * markup, and any screen that shows parts of the manual can use it.
 *
 * A line of text or the arguments of a macro become words, and words fill lines. An unknown macro
 * loses its name and keeps its words, so no text of a page is lost. */
#include "ui/part/mdoc.h"

#include <stdbool.h>
#include <string.h>

#include "ui/part/pager.h"
#include "ui/screen/text.h"

#define STEP 4 /* indentation of a list or a display */
#define DEPTH_MAX 8

struct mdoc {
	struct buf *out;
	int cols;         /* of the screen */
	int indent;       /* of the current paragraph */
	int used;         /* columns of the line so far; 0: it is empty */
	struct buf chunk; /* words without a break between them, not in the line yet */
	int chunk_cols;
	bool literal;         /* lines are not filled */
	bool tight;           /* the next word joins the previous one */
	bool spaced;          /* .Sm */
	bool synopsis;        /* each name begins a line */
	bool tags[DEPTH_MAX]; /* [depth] the list has tags, not bullets */
	int depth;
	bool blank; /* the last line was empty */
};

/* ---- lines ---- */

static void
begin_line(struct mdoc *m)
{
	for (int i = 0; i < m->indent; i++)
		buf_addc(m->out, ' ');
	m->used = m->indent;
}

/* Puts the chunk into this line, or into the next if it does not fit. */
static void
place_chunk(struct mdoc *m)
{
	if (!m->chunk.len)
		return;
	if (m->used && m->used + 1 + m->chunk_cols > m->cols) {
		buf_addc(m->out, '\n');
		m->used = 0;
	}
	if (m->used)
		buf_addc(m->out, ' ');
	m->used += m->used ? 1 : 0;
	if (!m->used)
		begin_line(m);
	buf_add(m->out, m->chunk.at, m->chunk.len);
	m->used += m->chunk_cols;
	buf_reset(&m->chunk);
	m->chunk_cols = 0;
}

static void
end_line(struct mdoc *m)
{
	place_chunk(m);
	if (m->used) {
		buf_addc(m->out, '\n');
		m->blank = false;
	}
	m->used = 0;
}

static void
blank_line(struct mdoc *m)
{
	end_line(m);
	if (!m->blank)
		buf_addc(m->out, '\n');
	m->blank = true;
}

static void
mdoc_add_word(struct mdoc *m, const char *word, char mark)
{
	if (!*word)
		return;
	if (!m->tight)
		place_chunk(m);
	if (mark)
		buf_addc(&m->chunk, mark);
	buf_adds(&m->chunk, word);
	if (mark)
		buf_addc(&m->chunk, PAGER_PLAIN);
	m->chunk_cols += text_cols(word);
	m->tight = !m->spaced;
}

static bool
mdoc_is_one_of(const char *word, size_t len, const char *chars)
{
	return len == 1 && strchr(chars, *word);
}

/* Closing punctuation joins the previous word, opening punctuation the next one. */
static void
mdoc_add_text(struct mdoc *m, const char *raw, size_t len, const char *word, char mark)
{
	bool closes = mdoc_is_one_of(raw, len, ".,:;)]?!"), opens = mdoc_is_one_of(raw, len, "([");
	if (closes)
		m->tight = true;
	mdoc_add_word(m, word, closes || opens ? 0 : mark);
	if (opens)
		m->tight = true;
}

/* ---- words ---- */

/* Resolves the escapes of a word: \e \- \& \(aq \(dq and "\ ". */
static void
unescape(const char *from, size_t len, struct buf *out)
{
	static const struct {
		const char *name, *text;
	} escapes[] = {
		{"\\(aq", "'"}, {"\\(dq", "\""}, {"\\(bu", "•"}, {"\\e", "\\"},
		{"\\-", "-"},   {"\\&", ""},     {"\\ ", " "},
	};
	for (size_t at = 0; at < len;) {
		size_t i = 0, n = sizeof escapes / sizeof *escapes;
		while (i < n && (strlen(escapes[i].name) > len - at ||
				 strncmp(from + at, escapes[i].name,
					 strlen(escapes[i].name))))
			i++;
		if (i < n) {
			buf_adds(out, escapes[i].text);
			at += strlen(escapes[i].name);
		} else {
			buf_addc(out, from[at++]);
		}
	}
}

/* Finds the next word of a macro's line, raw; quotes keep blanks together. */
static bool
mdoc_next_word(const char **at, const char *end, const char **word, size_t *len)
{
	while (*at < end && **at == ' ')
		++*at;
	if (*at == end)
		return false;
	char close = **at == '"' ? '"' : ' ';
	*word = *at + (close == '"');
	const char *stop = memchr(*word, close, (size_t)(end - *word));
	if (!stop)
		stop = end;
	*len = (size_t)(stop - *word);
	*at = stop < end && close == '"' ? stop + 1 : stop;
	return true;
}

/* ---- macros inside a line ---- */

enum inside { PLAIN, BOLD, UNDER, NAME, FLAG, CROSS, NO_SPACE, OPEN, CLOSE, WRAP };

static const struct macro {
	char name[4];
	enum inside kind;
	const char *begin, *end;
} macros[] = {
	{"Cm", BOLD, "", ""},   {"Sy", BOLD, "", ""},     {"Ic", BOLD, "", ""},
	{"Fn", BOLD, "", ""},   {"Ar", UNDER, "", ""},    {"Em", UNDER, "", ""},
	{"Pa", UNDER, "", ""},  {"Sx", UNDER, "", ""},    {"Ev", PLAIN, "", ""},
	{"Li", PLAIN, "", ""},  {"Nm", NAME, "", ""},     {"Fl", FLAG, "-", ""},
	{"Xr", CROSS, "", ""},  {"Ns", NO_SPACE, "", ""}, {"Op", WRAP, "[", "]"},
	{"Pq", WRAP, "(", ")"}, {"Bq", WRAP, "[", "]"},   {"Ql", WRAP, "'", "'"},
	{"Sq", WRAP, "'", "'"}, {"Dq", WRAP, "\"", "\""}, {"Oo", OPEN, "[", ""},
	{"Po", OPEN, "(", ""},  {"Oc", CLOSE, "]", ""},   {"Pc", CLOSE, ")", ""},
	{"No", PLAIN, "", ""},
};

static const struct macro *
macro_named(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
		if (strlen(macros[i].name) == len && !memcmp(macros[i].name, word, len))
			return &macros[i];
	return NULL;
}

static char
mdoc_mark_of(enum inside kind)
{
	return kind == BOLD || kind == NAME || kind == FLAG ? PAGER_BOLD
	       : kind == UNDER || kind == CROSS             ? PAGER_UNDER
							    : 0;
}

/* Writes a macro's own text, before its words. */
static void
begin_macro(struct mdoc *m, const struct macro *x, const char *rest, const char *end)
{
	const char *word, *at = rest;
	size_t len;
	if (x->kind == CLOSE || x->kind == NO_SPACE)
		m->tight = true;
	mdoc_add_word(m, x->begin, mdoc_mark_of(x->kind));
	if (x->kind == OPEN || x->kind == WRAP || x->kind == FLAG)
		m->tight = true;
	bool alone = !mdoc_next_word(&at, end, &word, &len) || macro_named(word, len) ||
		     mdoc_is_one_of(word, len, ".,:;)");
	if (x->kind == NAME && alone)
		mdoc_add_word(m, "pnav", PAGER_BOLD);
	if (!strcmp(x->name, "Ar") && alone)
		mdoc_add_word(m, "file ...", PAGER_UNDER);
}

/* True if only punctuation remains up to the end. */
static bool
only_closes(const char *at, const char *end)
{
	const char *word;
	size_t len;
	while (mdoc_next_word(&at, end, &word, &len))
		if (!mdoc_is_one_of(word, len, ".,:;)]?!"))
			return false;
	return true;
}

static void
close_wraps(struct mdoc *m, struct buf *wraps)
{
	while (wraps->len) {
		char close[2] = {wraps->at[--wraps->len], '\0'};
		m->tight = true;
		mdoc_add_word(m, close, 0);
	}
}

static void
add_inline(struct mdoc *m, const char *at, const char *end)
{
	const struct macro *now = NULL;
	struct buf text = BUF_INIT, wraps = BUF_INIT;
	const char *word;
	size_t len, n = 0;
	for (const char *from = at; mdoc_next_word(&at, end, &word, &len); from = at) {
		const struct macro *x = macro_named(word, len);
		if (only_closes(from, end))
			close_wraps(m, &wraps);
		if (x) {
			begin_macro(m, x, at, end);
			if (x->kind == WRAP)
				buf_adds(&wraps, x->end);
			now = x;
			n = 0;
			continue;
		}
		buf_reset(&text);
		unescape(word, len, &text);
		if (now && now->kind == CROSS && n == 1) {
			/* the section of a page: "pnav-filter(5)" */
			struct buf section = BUF_INIT;
			buf_addf(&section, "(%s)", buf_str(&text));
			m->tight = true;
			mdoc_add_word(m, buf_str(&section), 0);
			buf_release(&section);
		} else {
			mdoc_add_text(m, word, len, buf_str(&text),
				      now ? mdoc_mark_of(now->kind) : 0);
		}
		n++;
	}
	close_wraps(m, &wraps);
	buf_release(&text);
	buf_release(&wraps);
}

/* ---- whole lines ---- */

static bool
mdoc_is(const char *name, size_t len, const char *what)
{
	return strlen(what) == len && !memcmp(name, what, len);
}

static bool
mdoc_has(const char *at, const char *end, const char *word)
{
	return memmem(at, (size_t)(end - at), word, strlen(word)) != NULL;
}

static void
heading(struct mdoc *m, const char *at, const char *end, int indent)
{
	struct buf text = BUF_INIT;
	while (at < end && *at == ' ')
		at++;
	unescape(at, (size_t)(end - at), &text);
	blank_line(m);
	m->synopsis = !strcmp(buf_str(&text), "SYNOPSIS");
	m->indent = indent;
	mdoc_add_word(m, buf_str(&text), PAGER_BOLD);
	end_line(m);
	m->indent = STEP;
	m->depth = 0;
	buf_release(&text);
}

static void
item(struct mdoc *m, const char *at, const char *end)
{
	end_line(m);
	m->indent = STEP * m->depth;
	if (m->depth && !m->tags[m->depth - 1]) {
		mdoc_add_word(m, "•", 0);
		m->indent = STEP * (m->depth + 1);
		return;
	}
	add_inline(m, at, end);
	end_line(m);
	m->indent = STEP * (m->depth + 1);
}

static void
macro_line(struct mdoc *m, const char *at, const char *end)
{
	const char *name = at, *rest = at;
	size_t len;
	if (!mdoc_next_word(&rest, end, &name, &len) || mdoc_is(name, len, "\\\"") ||
	    mdoc_is(name, len, "Dd") || mdoc_is(name, len, "Dt") || mdoc_is(name, len, "Os"))
		return;
	if (mdoc_is(name, len, "Sh")) {
		heading(m, rest, end, 0);
	} else if (mdoc_is(name, len, "Ss")) {
		heading(m, rest, end, STEP / 2);
	} else if (mdoc_is(name, len, "Pp")) {
		blank_line(m);
	} else if (mdoc_is(name, len, "Bl")) {
		end_line(m);
		if (m->depth < DEPTH_MAX)
			m->tags[m->depth++] = mdoc_has(rest, end, "-tag");
	} else if (mdoc_is(name, len, "El")) {
		end_line(m);
		m->depth -= m->depth > 0;
		m->indent = STEP * (m->depth + 1);
	} else if (mdoc_is(name, len, "It")) {
		item(m, rest, end);
	} else if (mdoc_is(name, len, "Bd")) {
		blank_line(m);
		m->literal = true;
		m->indent += STEP;
	} else if (mdoc_is(name, len, "Ed")) {
		end_line(m);
		m->literal = false;
		m->indent -= STEP;
	} else if (mdoc_is(name, len, "D1") || mdoc_is(name, len, "Dl")) {
		blank_line(m);
		m->indent += STEP;
		add_inline(m, rest, end);
		end_line(m);
		m->indent -= STEP;
	} else if (mdoc_is(name, len, "Sm")) {
		m->spaced = mdoc_has(rest, end, "on");
		m->tight = !m->spaced;
	} else if (mdoc_is(name, len, "Nd")) {
		mdoc_add_word(m, "-", 0);
		add_inline(m, rest, end);
	} else {
		if (m->synopsis && mdoc_is(name, len, "Nm"))
			end_line(m);
		add_inline(m, macro_named(name, len) ? at : rest, end);
	}
}

static void
text_line(struct mdoc *m, const char *at, const char *end)
{
	struct buf text = BUF_INIT;
	if (m->literal) {
		unescape(at, (size_t)(end - at), &text);
		mdoc_add_word(m, text.len ? buf_str(&text) : " ", 0);
		end_line(m);
	} else {
		const char *stop;
		for (; at < end; at = stop + (stop < end)) {
			stop = memchr(at, ' ', (size_t)(end - at));
			stop = stop ? stop : end;
			buf_reset(&text);
			unescape(at, (size_t)(stop - at), &text);
			mdoc_add_word(m, buf_str(&text), 0);
		}
	}
	buf_release(&text);
}

void
mdoc_format(const char *text, size_t len, int cols, struct buf *out)
{
	struct mdoc m = {.out = out, .cols = cols, .indent = STEP, .spaced = true,
			 .blank = true};
	const char *at = text, *end = text + len;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		if (*at == '.')
			macro_line(&m, at + 1, stop);
		else
			text_line(&m, at, stop);
		at = stop + (stop < end);
	}
	end_line(&m);
	buf_release(&m.chunk);
}
