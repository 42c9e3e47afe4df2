/* mcp_memo.c - results that are kept: clients often ask the same again, and the answers of a large
 * profile cost a pass over its events. */
#include <inttypes.h>
#include <string.h>

#include "src/command/mcp/mcp_inside.h"

void
mcp_memo_key(struct buf *key, const struct report_source *source, const struct report_asks *asks)
{
	/* no two profiles have the same serial, even one after the other */
	buf_addf(key, "%" PRIu64 " %zu", source->profile->names.serial, asks->most_bytes);
	for (size_t i = 0; i < asks->n; i++) {
		buf_addc(key, '\0');
		buf_adds(key, asks->words[i]);
	}
}

bool
mcp_memo_find(const struct mcp_memo *m, const struct buf *key, struct mcp_result *out)
{
	for (unsigned i = 0; i < MCP_MEMO_RESULTS; i++) {
		const struct buf *other = &m->of[i].key;
		if (!other->len || other->len != key->len || memcmp(other->at, key->at, key->len))
			continue;
		buf_add(&out->text, buf_str(&m->of[i].result.text), m->of[i].result.text.len);
		buf_add(&out->note, buf_str(&m->of[i].result.note), m->of[i].result.note.len);
		return true;
	}
	return false;
}

void
mcp_memo_keep(struct mcp_memo *m, const struct buf *key, const struct mcp_result *result)
{
	unsigned i = m->next;

	if (result->text.len > MCP_MEMO_BYTES)
		return;
	m->next = (m->next + 1) % MCP_MEMO_RESULTS;
	buf_reset(&m->of[i].key);
	buf_reset(&m->of[i].result.text);
	buf_reset(&m->of[i].result.note);
	buf_add(&m->of[i].key, key->at, key->len);
	buf_add(&m->of[i].result.text, buf_str(&result->text), result->text.len);
	buf_add(&m->of[i].result.note, buf_str(&result->note), result->note.len);
}

void
mcp_memo_release(struct mcp_memo *m)
{
	for (unsigned i = 0; i < MCP_MEMO_RESULTS; i++) {
		buf_release(&m->of[i].key);
		buf_release(&m->of[i].result.text);
		buf_release(&m->of[i].result.note);
	}
}
