#include "src/decode/nearest.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* The suggestion relies on facts only: a file is text, JSON or neither, and it has a name.
 * Formats of the same kind are near.  A format whose name occurs in the file's name or
 * beginning is nearer.  Among formats of text, those that accept nearly any text, the last ones
 * in DECODERS, are the nearest. */

#define NEAREST 5u
#define SHOWN_BYTES 40u
#define BINARY_BYTES 8u
#define LOOKED_AT 4096u

/* Returns true if an object or an array begins here: `{"`, `[1`, `[true`, but not `[section]`. */
static bool
begins_json(const char *at, const char *end)
{
	static const char *const words[] = {"true", "false", "null"};
	bool array = *at++ == '[';

	while (at < end && strchr(" \t\r\n", *at))
		at++;
	if (at == end || *at == '"' || *at == (array ? ']' : '}'))
		return true;
	for (size_t i = 0; array && i < sizeof words / sizeof *words; i++)
		if ((size_t)(end - at) >= strlen(words[i]) &&
		    !memcmp(at, words[i], strlen(words[i])))
			return true;
	return array && (strchr("{[-", *at) || is_digit(*at));
}

static unsigned
made_of(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	for (size_t i = 0; at + i < end && i < LOOKED_AT; i++)
		if (!at[i] || ((unsigned char)at[i] < ' ' && !strchr("\t\n\r\f\033\b", at[i])))
			return MADE_BINARY;
	while (at < end && (is_blank(*at) || *at == '\n' || *at == '\r'))
		at++;
	if (at == end || (*at != '{' && *at != '['))
		return MADE_TEXT;
	return begins_json(at, end) ? MADE_JSON : MADE_TEXT;
}

/* Returns the first line that is not blank. */
static bool
first_line(struct head head, const char **at, const char **end)
{
	const char *next = NULL;
	bool found = head_line_filled(head, &next, at, end);

	if (found)
		*at = skip_blanks(*at, *end);
	return found;
}

/* Returns the first key of an object, or of the first object of an array. */
static bool
first_key(struct head head, const char **at, const char **end)
{
	const char *head_end = (const char *)head.at + head.len;

	*at = head.len ? memchr(head.at, '"', head.len) : NULL;
	if (!*at)
		return false;
	(*at)++;
	*end = memchr(*at, '"', (size_t)(head_end - *at));
	return *end != NULL;
}

static void
nearest_describe(struct head head, unsigned made, struct buf *out)
{
	const char *at, *end;

	if (made == MADE_BINARY) {
		buf_adds(out, "bytes that begin");
		for (size_t i = 0; i < head.len && i < BINARY_BYTES; i++)
			buf_addf(out, " %02x", head.at[i]);
		return;
	}
	bool key = made == MADE_JSON && first_key(head, &at, &end);
	if (!key && !first_line(head, &at, &end)) {
		buf_adds(out, "blanks alone");
		return;
	}
	buf_addf(out, "%s that begins \"", made == MADE_JSON ? "JSON" : "text");
	size_t shown = (size_t)(end - at) < SHOWN_BYTES ? (size_t)(end - at) : SHOWN_BYTES;
	while (shown < (size_t)(end - at) && is_utf8_tail(at[shown]))
		shown++; /* no half of a character */
	buf_add(out, at, shown);
	buf_adds(out, shown < (size_t)(end - at) ? "...\"" : "\"");
}

/* Returns true if the name or the beginning of the file contains the format's name. */
static bool
is_named(struct head head, const char *format)
{
	size_t len = strlen(format), end = head.len < LOOKED_AT ? head.len : LOOKED_AT;

	return strcasestr(head.name, format) || (len > 3 && memmem(head.at, end, format, len));
}

static unsigned
nearness(struct head head, const struct decoder *d, unsigned made)
{
	return (d->made_of & made ? 1u : 0u) + (is_named(head, d->name) ? 2u : 0u);
}

static void
name_nearest(struct head head, unsigned made, struct buf *out)
{
	size_t n = 0, named = 0;

	while (decoders[n])
		n++;
	for (unsigned near = 3; near; near--)
		for (size_t i = 0; i < n && named < NEAREST; i++) {
			const struct decoder *d = decoders[made == MADE_TEXT ? n - 1 - i : i];
			if (nearness(head, d, made) == near)
				buf_addf(out, "%s%s", named++ ? ", " : "", d->name);
		}
}

void
nearest_refuse(struct head head, struct err *e)
{
	struct buf what = BUF_INIT, nearest = BUF_INIT;
	unsigned made = made_of(head);

	nearest_describe(head, made, &what);
	name_nearest(head, made, &nearest);
	err_refuse(e, "not a format that pnav reads: %s; the nearest are %s (pnav formats lists "
		      "all)",
		   buf_str(&what), buf_str(&nearest));
	buf_release_all(&what, &nearest);
}
