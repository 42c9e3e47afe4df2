/* xml_dump.c - see xml_dump.h. expat passes text in pieces that depend on the windows of the input,
 * so the pieces are joined to lines first. */
#include "src/decode/common/xml_dump.h"

#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/words.h"
#include "src/input/xml.h"

#define LINE_BYTES 4096u /* of text: longer lines are several records */

struct xml_listing {
	struct dump *d;
	struct buf line, record, scratch;
	uint64_t offset; /* of the line */
	bool good;       /* the output accepts more */
};

static bool
listing_flush(struct xml_listing *l)
{
	const char *at = buf_str(&l->line), *end = at + l->line.len;

	if (skip_blanks(at, end) < end)
		l->good = l->good && dump_record(l->d, l->offset, "%s",
						 dump_bytes(l->d, &l->scratch, at, l->line.len));
	buf_reset(&l->line);
	return l->good;
}

static void
listing_text(struct xml_reader *x, void *state, const char *at, size_t len)
{
	struct xml_listing *l = state;
	const char *from = at;

	while (len) {
		const char *stop = memchr(at, '\n', len);
		size_t more = stop ? (size_t)(stop - at) : len;
		if (!l->line.len)
			l->offset = x->offset + (uint64_t)(at - from);
		if (more > LINE_BYTES - l->line.len)
			more = LINE_BYTES - l->line.len;
		buf_add(&l->line, at, more);
		bool ended = more < len && at[more] == '\n';
		if (ended || l->line.len == LINE_BYTES)
			listing_flush(l);
		at += more + ended;
		len -= more + ended;
	}
}

static bool
listing_begin(struct xml_reader *x, void *state, const char *tag, const char *const *attribute)
{
	struct xml_listing *l = state;

	listing_flush(l);
	buf_reset(&l->record);
	buf_addf(&l->record, "<%s", tag);
	for (; *attribute; attribute += 2)
		buf_addf(&l->record, " %s=%s", attribute[0],
			 dump_bytes(l->d, &l->scratch, attribute[1], strlen(attribute[1])));
	l->good = l->good && dump_record(l->d, x->offset, "%s>", buf_str(&l->record));
	return l->good;
}

static bool
listing_end(struct xml_reader *x, void *state, const char *tag)
{
	struct xml_listing *l = state;

	listing_flush(l);
	l->good = l->good && dump_record(l->d, x->offset, "</%s>", tag);
	return l->good;
}

bool
xml_dump(struct input *in, struct dump *d, struct err *e)
{
	static const struct xml_calls calls = {listing_begin, listing_end, listing_text};
	struct xml_listing l = {.d = d, .good = true};

	if (!xml_is_available())
		return lines_dump(in, d, e);
	bool good = xml_read(in, &calls, &l, e);
	good = listing_flush(&l) && good;
	buf_release_all(&l.line, &l.record, &l.scratch);
	return good;
}
