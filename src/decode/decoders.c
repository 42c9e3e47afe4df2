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
#include <strings.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/proto_dump.h"
#include "src/decode/common/words.h"
#include "src/decode/hints.h"
#include "src/decode/nearest.h"
#include "src/input/input.h"

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
decoder_dump(const struct decoder *d, struct input *in, struct dump *out, struct err *e)
{
	if (d->dump)
		return d->dump(in, out, e);
	if (d->schema)
		return proto_dump_input(in, out, d->schema, e);
	if (!(d->made_of & MADE_JSON))
		return lines_dump(in, out, e);
	if (d->made_of & MADE_TEXT && !strchr("{[", input_first(in)))
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
	else if (head.len >= 2 &&
		 (!memcmp(head.at, "\xFF\xFE", 2) || !memcmp(head.at, "\xFE\xFF", 2)))
		err_refuse(e, "text in UTF-16, which no supported format uses; "
			      "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
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
		struct err refusal;
		err_init(&refusal);
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
