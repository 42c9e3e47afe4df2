/* The formats that can be read, and how one is chosen.
 *
 * Every decoder looks at the first bytes and says how sure it is; the surest wins, and
 * of equals the one that comes first in DECODERS.  So the order is from formats with a magic
 * to those that nearly any text might be.  Names of files decide nothing alone: profiles
 * get renamed, and `.MAP` and `.prof` are everybody's.  A decoder may be surer of what it
 * sees for a name that fits, as text1 is of a `.bin`, whose bytes say little.
 *
 * A pipe may have little to give at first and much to say later: what has come within a
 * moment is tried, and only when no decoder knows it is more waited for.
 *
 * A new format is one file and one line of DECODERS. */
#include "src/decode/decoder.h"

#include <string.h>
#include <strings.h>

#include "model/buf.h"
#include "model/chars.h"
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

static const struct decoder *
refuse_with(const struct hint *hint, struct err *e)
{
	err_refuse(e, "%s, which pnav does not read; %s", hint->what, hint->way);
	return NULL;
}

const struct decoder *
decoder_for(struct head head, struct err *e)
{
	const struct decoder *best = NULL;
	const struct hint *hint = hint_for(head, true);
	int sure = 0;
	if (hint)
		return refuse_with(hint, e);
	for (size_t i = 0; decoders[i]; i++) {
		int n = decoders[i]->probe(head);
		if (n > sure) {
			sure = n;
			best = decoders[i];
		}
	}
	if (best)
		return best;
	hint = hint_for(head, false);
	if (hint)
		return refuse_with(hint, e);
	if (head.len >= 2 &&
	    (!memcmp(head.at, "\xFF\xFE", 2) || !memcmp(head.at, "\xFE\xFF", 2))) {
		err_refuse(e, "text in UTF-16, which no format here is written in; "
			      "convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
		return NULL;
	}
	nearest_refuse(head, e);
	return NULL;
}

/* The one that --input names: nothing is probed, but nothing is no profile either. */
static const struct decoder *
decoder_asked_for(struct input *in, struct err *e)
{
	if (input_have(in) || input_more(in))
		return decoder_named(input_options(in)->decoder);
	err_refuse(e, EMPTY);
	return NULL;
}

const struct decoder *
decoder_of(struct input *in, struct err *e)
{
	if (input_options(in)->decoder)
		return decoder_asked_for(in, e);
	struct buf name = BUF_INIT;
	const struct decoder *found = NULL;
	const char *base = base_name(input_name(in));
	buf_add(&name, base, input_bare_len(base));
	bool full = input_need_soon(in, PROBE_BYTES, PATIENCE_MS);
	for (;;) {
		struct err refusal;
		size_t have = input_have(in);
		err_init(&refusal);
		struct head head = {
			.at = input_at(in),
			.len = full ? PROBE_BYTES : have,
			.whole = !full,
			.name = buf_str(&name),
		};
		if (have)
			found = decoder_for(head, &refusal);
		else
			err_refuse(&refusal, EMPTY);
		if (found || full || !input_more(in)) {
			if (!found)
				*e = refusal;
			break;
		}
		full = input_need(in, PROBE_BYTES);
	}
	buf_release(&name);
	return found;
}
