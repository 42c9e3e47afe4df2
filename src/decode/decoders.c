/* The formats that can be read, and how one is chosen.
 *
 * Every decoder examines the first bytes and returns how sure it is.  The surest one wins;
 * among equals, the first in DECODERS.  So DECODERS begins with formats that have a magic
 * number and ends with those that accept nearly any text.  A file name alone decides nothing:
 * profiles get renamed, and many programs use `.MAP` and `.prof`.  But a matching name may make
 * a decoder surer, as `.bin` does for text1, since the bytes of such a file say little.
 *
 * A pipe may deliver its first bytes slowly.  The decoders get what has arrived within a
 * moment; pnav waits for more only if none of them recognises it.
 *
 * A new format is one file and one line of DECODERS. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/proto_dump.h"
#include "src/decode/common/words.h"
#include "src/decode/hints.h"

/* ---- suggestions for unknown files ---- */

/* The suggestion relies on facts only: a file is text, JSON or neither, and it has a name.
 * Formats of the same kind are near.  A format whose name occurs in the file's name or
 * beginning is nearer.  Among formats of text, those that accept nearly any text, the last ones
 * in DECODERS, are the nearest. */

#define NEAREST 5u
#define SHOWN_BYTES 40u
#define BINARY_BYTES 8u
#define LOOKED_AT 4096u

/* Returns true if an object or an array begins here: `{"`, `[1,`, `[true`, but not `[section]`, nor
 * the time of a line of a log. */
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
	if (!array || !is_digit(*at))
		return array && strchr("{[-", *at);
	while (at < end && (is_digit(*at) || memchr(".eE+-", *at, 5)))
		at++;
	at = skip_blanks(at, end);
	const char *behind = at < end && *at == ']' ? skip_blanks(at + 1, end) : at;
	return behind == end || strchr(behind > at ? "\r\n" : ",\r\n", *behind);
}

static bool
made_of_json(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	while (at < end && (is_blank(*at) || *at == '\n' || *at == '\r'))
		at++;
	return at < end && (*at == '{' || *at == '[') && begins_json(at, end);
}

static unsigned
made_of(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	for (size_t i = 0; at + i < end && i < LOOKED_AT; i++)
		if (!at[i] || ((unsigned char)at[i] < ' ' && !strchr("\t\n\r\f\033\b", at[i])))
			return MADE_BINARY;
	return made_of_json(head) ? MADE_JSON : MADE_TEXT;
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

/* Refuses the file with a description of its first bytes and the nearest formats. */
static void
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

#define PATIENCE_MS 100
#define EMPTY "empty file: nothing was recorded, or nothing was written yet"

const struct decoder *const decoders[] = {
#define DECODER_ROW(name) &decoder_##name,
	DECODERS(DECODER_ROW)
#undef DECODER_ROW
	NULL,
};

const struct decoder *
decoder_named(const char *name)
{
	for (size_t i = 0; decoders[i]; i++)
		if (!strcmp(decoders[i]->name, name))
			return decoders[i];
	return NULL;
}

struct head
head_plain(const void *bytes, size_t len, const char *name)
{
	size_t n = len < PROBE_BYTES ? len : PROBE_BYTES, bom = bom_len(bytes, n);

	return (struct head){
		.at = (const uint8_t *)bytes + bom,
		.len = n - bom,
		.whole = len <= PROBE_BYTES,
		.name = name,
	};
}

struct head
head_of(const void *bytes, size_t len, const char *name, struct json_outline *o)
{
	struct head head = head_plain(bytes, len, name);
	struct input *in = input_open_bytes(head.at, head.len, name);

	json_outline_begin(o, in);
	while (json_outline_more(o))
		;
	input_close(in);
	head.json = o->is_json ? o : NULL;
	return head;
}

int
decoder_sure(const struct decoder *d, struct head head)
{
	if (head.json && !(d->made_of & MADE_JSON))
		return 0;
	if (d->magic && head.len >= d->magic_len && !memcmp(head.at, d->magic, d->magic_len))
		return 100;
	if (d->members && head_members(head, d->members))
		return d->sure ? d->sure : 90;
	return d->probe && (!head.json || d->made_of == MADE_JSON) ? d->probe(head) : 0;
}

bool
decoder_json(struct input *in)
{
	while (input_have(in) < LOOKED_AT && input_more(in))
		;
	return made_of_json(head_plain(input_at(in), input_have(in), ""));
}

bool
decoder_dump(const struct decoder *d, struct input *in, struct dump *out, struct err *e)
{
	if (d->dump)
		return d->dump(in, out, e);
	if (d->schema)
		return proto_dump_input(in, out, d->schema, e);
	if (!(d->made_of & MADE_JSON))
		return lines_dump(in, out, e);
	if (d->made_of & MADE_TEXT && !decoder_json(in))
		return lines_dump(in, out, e);
	return json_dump(in, out, e);
}

/* Returns the surest decoder, or NULL; then *hint describes the file if it is known. */
static const struct decoder *
decide(struct head head, const struct hint **hint)
{
	const struct decoder *best = NULL;
	int sure = 0;

	*hint = hint_for(head, true);
	if (*hint)
		return NULL;
	for (size_t i = 0; decoders[i]; i++) {
		int n = decoder_sure(decoders[i], head);
		if (n > sure) {
			sure = n;
			best = decoders[i];
		}
	}
	/* Otherwise a later member may belong to a format */
	if (!best && (head.whole || !head.json))
		*hint = hint_for(head, false);
	return best;
}

static const struct decoder *
refuse(struct head head, const struct hint *hint, struct err *e)
{
	if (hint)
		err_refuse(e, "%s, which pnav does not read; %s", hint->what, hint->way);
	else
		nearest_refuse(head, e);
	return NULL;
}

const struct decoder *
decoder_for(struct head head, struct err *e)
{
	const struct hint *hint;
	const struct decoder *d = decide(head, &hint);

	return d ? d : refuse(head, hint, e);
}

/* Decides by the later members of a JSON document whose beginning decided nothing.  The input
 * is at its beginning, before and after. */
static const struct decoder *
decide_later(struct input *in, struct head head, struct err *e)
{
	const struct decoder *d = NULL;
	const struct hint *hint = NULL;
	struct json_outline o;
	char *bytes = mem_dup((const char *)head.at, head.len); /* the window will move */

	head.at = (const uint8_t *)bytes;
	head.json = &o;
	input_keep(in);
	json_outline_begin(&o, in);
	while (!d && !hint && json_outline_more(&o))
		d = decide(head, &hint);
	head.whole = true;
	if (!d && !hint)
		d = decide(head, &hint);
	if (!d)
		refuse(head, hint, e);
	json_outline_release(&o);
	free(bytes);
	if (!input_seek(in, 0)) {
		err_refuse(e, "the input cannot be read twice");
		return NULL;
	}
	return d;
}

/* Returns the decoder that --input names.  It is not probed, but an empty input is refused. */
static const struct decoder *
decoder_asked_for(struct input *in, struct err *e)
{
	if (input_have(in) || input_more(in))
		return decoder_named(input_options(in)->decoder);
	err_refuse(e, EMPTY);
	return NULL;
}

/* Decides by the data that has arrived; sets *undecided if more data may decide. */
static const struct decoder *
decoder_so_far(struct input *in, bool full, bool *undecided, struct err *e)
{
	const char *base = base_name(input_name(in));
	const struct hint *hint = NULL;
	struct buf name = BUF_INIT;
	struct json_outline o;

	*undecided = true;
	if (!input_have(in)) {
		err_refuse(e, EMPTY);
		return NULL;
	}
	buf_add(&name, base, input_bare_len(base));
	struct head head = head_of(input_at(in), input_have(in), buf_str(&name), &o);
	head.whole = !full;
	const struct decoder *d = decide(head, &hint);
	*undecided = !d && !hint;
	if (*undecided && full && head.json)
		d = decide_later(in, head, e);
	else if (!d)
		refuse(head, hint, e);
	json_outline_release(&o);
	buf_release(&name);
	return d;
}

const struct decoder *
decoder_of(struct input *in, struct err *e)
{
	if (input_options(in)->decoder)
		return decoder_asked_for(in, e);
	bool full = input_need_soon(in, PROBE_BYTES, PATIENCE_MS), undecided;
	for (;;) {
		struct err refusal = {0};
		const struct decoder *d = decoder_so_far(in, full, &undecided, &refusal);
		if (d)
			return d;
		if (full || !input_more(in)) {
			*e = refusal;
			return NULL;
		}
		full = input_need(in, PROBE_BYTES);
	}
}
