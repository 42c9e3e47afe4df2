#include "model/lens/words.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/escape.h"

/* A part of a lens is a row: its word, a function that writes it and one that reads it. A form
 * decides how a word and its value are written and quoted. So a new part, or a byte that needs
 * care, is handled once for all forms.
 *
 * Only entries differ in more than their quotes: each is an option of its own, but a line `entry
 * VERB PATTERN`, since a line can say that it is off. */

typedef void put_word(struct buf *out, const char *word, const char *value);

struct words_part {
	const char *word; /* NULL: each entry has its own */
	void (*write)(const struct words_part *part, const struct lens *l, put_word *put,
		      struct buf *out);
	bool (*read)(struct lens *l, const char *value, struct err *e);
};

bool
granularity_read(const char *text, enum granularity *out, struct err *e)
{
	struct buf all = BUF_INIT;

	if (granularity_parse(text, out))
		return true;
	for (int i = 0; i < GRANULARITY_COUNT; i++)
		buf_addf(&all, "%s%s", !i ? "" : i + 1 < GRANULARITY_COUNT ? ", " : " or ",
			 granularity_rows[i].name);
	err_usage(e, "by %s, not '%s'", buf_str(&all), text);
	buf_release(&all);
	return false;
}

/* ---- entries ---- */

/* Parses [~]VERB PATTERN and appends the entry. With `exactly`, one blank precedes the pattern,
 * which may be empty; else blanks there are ignored. Sets *at to the position of the fault. */
static bool
entry_read(struct lens *l, const char *text, size_t len, bool exactly, size_t *at,
	   struct err *e)
{
	bool off = len && text[0] == '~';
	size_t i = off, start;
	enum verb verb;

	while (!exactly && i < len && is_blank(text[i]))
		i++;
	*at = start = i;
	while (i < len && !is_blank(text[i]))
		i++;
	if (!verb_parse(text + start, i - start, &verb))
		return err_usage(e, "unknown verb '%.*s'", (int)(i - start), text + start);
	i += i < len;
	while (!exactly && i < len && is_blank(text[i]))
		i++;
	*at = i;
	if (i == len && !exactly)
		return err_usage(e, "'%s' needs a pattern", verb_name(verb));
	if (!lens_add(l, verb, text + i, len - i, e))
		return false;
	l->entries.at[l->entries.n - 1].off = off;
	return true;
}

/* ---- the parts ---- */

static void
words_write_metric(const struct words_part *part, const struct lens *l, put_word *put,
		   struct buf *out)
{
	if (l->metric)
		put(out, part->word, l->metric);
}

static bool
read_metric(struct lens *l, const char *value, struct err *e)
{
	(void)e;
	lens_set_metric(l, value);
	return true;
}

static void
write_moment(const struct words_part *part, struct moment m, put_word *put, struct buf *out)
{
	struct buf value = BUF_INIT;

	moment_write(&value, m);
	if (m.kind != MOMENT_OPEN)
		put(out, part->word, buf_str(&value));
	buf_release(&value);
}

static void
write_from(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	write_moment(part, l->from, put, out);
}

static bool
read_from(struct lens *l, const char *value, struct err *e)
{
	return moment_parse(value, &l->from, e);
}

static void
write_to(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	write_moment(part, l->to, put, out);
}

static bool
read_to(struct lens *l, const char *value, struct err *e)
{
	return moment_parse(value, &l->to, e);
}

static void
write_by(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	if (l->by != BY_FUNCTION)
		put(out, part->word, granularity_name(l->by));
}

static bool
read_by(struct lens *l, const char *value, struct err *e)
{
	return granularity_read(value, &l->by, e);
}

static void
write_invert(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	if (l->invert)
		put(out, part->word, NULL);
}

static bool
read_invert(struct lens *l, const char *value, struct err *e)
{
	if (value && *value)
		return err_usage(e, "invert takes no value");
	l->invert = true;
	return true;
}

static void
write_why(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	if (l->why)
		put(out, part->word, pattern_text(l->why));
}

static bool
read_why(struct lens *l, const char *value, struct err *e)
{
	return lens_set_why(l, value, e);
}

static void
write_verbs(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	(void)part;
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		if (!e->off)
			put(out, verb_name(e->verb), pattern_text(e->pattern));
	}
}

static void
write_entries(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	struct buf value = BUF_INIT;

	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		buf_reset(&value);
		buf_addf(&value, "%s%s %s", e->off ? "~" : "", verb_name(e->verb),
			 pattern_text(e->pattern));
		put(out, part->word, buf_str(&value));
	}
	buf_release(&value);
}

static bool
read_entry(struct lens *l, const char *value, struct err *e)
{
	size_t at;

	return entry_read(l, value, strlen(value), true, &at, e);
}

/* "0%" means the whole run. */
static bool
read_base_from(struct lens *l, const char *value, struct err *e)
{
	if (!moment_parse(value, &l->from, e))
		return false;
	if (!l->from.value && !l->from.back)
		l->from.kind = MOMENT_OPEN;
	return true;
}

static void
write_ends(const struct words_part *part, const struct lens *l, put_word *put, struct buf *out)
{
	struct buf value = BUF_INIT;

	moment_write(&value, l->from);
	buf_addc(&value, ' ');
	moment_write(&value, l->to);
	put(out, part->word, buf_str(&value));
	buf_release(&value);
}

static bool
read_ends(struct lens *l, const char *value, struct err *e)
{
	struct buf from = BUF_INIT;
	size_t len = strcspn(value, " \t");
	struct moment m[2];
	struct err why;

	err_init(&why);
	buf_add(&from, value, len);
	value += len + strspn(value + len, " \t");
	bool good = moment_read(buf_str(&from), &m[0], &why) &&
		    moment_read(value, &m[1], &why);
	buf_release(&from);
	if (!good)
		return err_usage(e, "a base is FROM TO");
	l->from = m[0];
	l->to = m[1];
	return true;
}

static void
words_write_tracks(const struct words_part *part, const struct lens *l, put_word *put,
		   struct buf *out)
{
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		if (e->verb == VERB_TRACK && !e->off)
			put(out, part->word, pattern_text(e->pattern));
	}
}

static bool
read_track(struct lens *l, const char *value, struct err *e)
{
	return lens_add(l, VERB_TRACK, value, strlen(value), e);
}

#define METRIC {"metric", words_write_metric, read_metric}
#define FROM {"from", write_from, read_from}
#define TO {"to", write_to, read_to}
#define BY {"by", write_by, read_by}
#define WHY {"why", write_why, read_why}
#define INVERT {"invert", write_invert, read_invert}
#define BASE_TRACK {"base-track", words_write_tracks, read_track}
#define END {NULL, NULL, NULL}

static const struct words_part options[] = {
	METRIC, WHY, FROM, TO, {NULL, write_verbs, NULL}, BY, INVERT, END,
};
static const struct words_part lines[] = {
	METRIC, WHY, FROM, TO, BY, INVERT, {"entry", write_entries, read_entry}, END,
};
static const struct words_part base_options[] = {
	{"base-from", write_from, read_base_from},
	{"base-to", write_to, read_to},
	BASE_TRACK,
	END,
};
static const struct words_part base_lines[] = {{"base", write_ends, read_ends}, BASE_TRACK, END};

static void
words_write_parts(const struct words_part *parts, const struct lens *l, put_word *put,
		  struct buf *out)
{
	for (; parts->write; parts++)
		parts->write(parts, l, put, out);
}

static const struct words_part *
part_named(const struct words_part *parts, const char *word)
{
	for (; parts->write; parts++)
		if (parts->word && !strcmp(parts->word, word))
			return parts;
	return NULL;
}

static bool
words_read_part(const struct words_part *parts, struct lens *l, const char *word, const char *value,
		struct err *e)
{
	const struct words_part *part = part_named(parts, word);

	return part ? part->read(l, value, e) : err_usage(e, "unknown word '%s'", word);
}

/* ---- options ---- */

void
words_option(struct buf *out, const char *word, const char *value)
{
	buf_addf(out, " --%s", word);
	if (!value)
		return;
	buf_addc(out, ' ');
	escape_shell_word(out, value);
}

void
lens_write_options(const struct lens *l, struct buf *out)
{
	words_write_parts(options, l, words_option, out);
}

bool
lens_read_option(struct lens *l, const char *word, const char *value, struct err *e)
{
	enum verb verb;

	if (verb_parse(word, strlen(word), &verb))
		return lens_add(l, verb, value, strlen(value), e);
	return words_read_part(options, l, word, value, e);
}

void
lens_write_base(const struct lens *kept, const struct lens *l, struct buf *out)
{
	size_t had = out->len;

	words_write_parts(base_options, kept, words_option, out);
	if (lens_has_tracks(l) && !lens_has_tracks(kept))
		words_option(out, "base-track", "^");
	if (out->len == had)
		words_option(out, "base-from", "0%"); /* the whole run */
}

bool
lens_read_base(struct lens *kept, const char *word, const char *value, struct err *e)
{
	/* lens_write_base() writes that for a base without tracks. */
	if (!strcmp(word, "base-track") && !strcmp(value, "^"))
		return true;
	return words_read_part(base_options, kept, word, value, e);
}

/* ---- lines ---- */

void
words_line(struct buf *out, const char *word, const char *value)
{
	struct buf line = BUF_INIT, shown = BUF_INIT;
	bool blank = value && is_blank(*value);

	buf_adds(&line, word);
	if (value && *value)
		buf_addf(&line, " %s", value);
	escape_shown(&shown, buf_str(&line), line.len, false);
	if (shown.len != line.len || blank)
		escape_quoted(out, buf_str(&line));
	else
		buf_add(out, line.at, line.len);
	buf_addc(out, '\n');
	buf_release(&line);
	buf_release(&shown);
}

/* Returns the byte at *at and advances *at; -1 if there is no valid one. */
static int
unquoted_byte(const char **at)
{
	static const char letters[] = "abefnrtv", bytes[] = "\a\b\033\f\n\r\t\v";
	const char *s = *at;
	int value = 0, digits = 0;
	if (*s != '\\') {
		*at = s + 1;
		return (unsigned char)*s;
	}
	for (s++; digits < 3 && *s >= '0' && *s <= '7'; digits++)
		value = value * 8 + (*s++ - '0');
	if (!digits) {
		const char *letter = *s ? strchr(letters, *s) : NULL;
		value = letter ? bytes[letter - letters] : *s == '\'' || *s == '\\' ? *s : 0;
		s += *s != '\0';
	}
	*at = s;
	return value && value < 256 ? value : -1;
}

/* Removes the $'...' from the line; returns false if it is not complete. */
static bool
unquote(const char *line, struct buf *out)
{
	const char *at = line + 2;
	while (*at && *at != '\'') {
		int byte = unquoted_byte(&at);
		if (byte < 0)
			return false;
		buf_addc(out, (char)byte);
	}
	return !strcmp(at, "'");
}

bool
words_read_line(const char *line, struct buf *word, struct buf *value, struct err *e)
{
	bool quoted = !strncmp(line, "$'", 2);
	struct buf plain = BUF_INIT;

	buf_reset(word);
	buf_reset(value);
	if (quoted && !unquote(line, &plain)) {
		buf_release(&plain);
		return err_usage(e, "the quotes $'...' are not closed");
	}
	const char *from = quoted ? buf_str(&plain) : line;
	if (*from != '#') {
		from += strspn(from, " \t");
		size_t len = strcspn(from, " \t");
		buf_add(word, from, len);
		from += len;
		from += quoted ? *from != '\0' : strspn(from, " \t");
		buf_adds(value, from);
	}
	buf_release(&plain);
	return true;
}

void
lens_write_lines(const struct lens *l, struct buf *out)
{
	words_write_parts(lines, l, words_line, out);
}

void
lens_write_base_lines(const struct lens *kept, struct buf *out)
{
	words_write_parts(base_lines, kept, words_line, out);
}

bool
lens_has_base_line(const char *word)
{
	return part_named(base_lines, word) != NULL;
}

bool
lens_read_line(struct lens *l, const char *word, const char *value, struct err *e)
{
	return words_read_part(lines, l, word, value, e);
}

bool
lens_read_base_line(struct lens *kept, const char *word, const char *value, struct err *e)
{
	return words_read_part(base_lines, kept, word, value, e);
}

/* ---- specs ---- */

static bool
spec_line(struct lens *l, const char *file, size_t line, const char *text, size_t len,
	  struct err *e)
{
	struct err why;
	size_t before = 0, at;

	while (before < len && is_blank(text[before]))
		before++;
	if (before == len || text[0] == '#')
		return true;
	err_init(&why);
	if (entry_read(l, text + before, len - before, false, &at, &why))
		return true;
	return err_usage(e, "%s:%zu:%zu: %s", file, line, before + at + 1, why.text);
}

bool
lens_read_spec(struct lens *l, const char *file, const char *text, size_t len, struct err *e)
{
	size_t had = l->entries.n, line = 1;

	for (size_t at = bom_len(text, len); at < len; line++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;
		size_t shown = n && text[at + n - 1] == '\r' ? n - 1 : n;
		if (!spec_line(l, file, line, text + at, shown, e)) {
			while (l->entries.n > had)
				lens_remove(l, l->entries.n - 1);
			return false;
		}
		at += n + 1;
	}
	return true;
}

void
lens_write_spec(const struct lens *l, struct buf *out)
{
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		buf_addf(out, "%s%s ", e->off ? "~" : "", verb_name(e->verb));
		pattern_write(out, e->pattern);
		buf_addc(out, '\n');
	}
}
