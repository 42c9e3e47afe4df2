/* firefox_text.c - texts of the Firefox Profiler's form: the table of strings, names of tracks,
 * columns of one value. */
#include "src/encode/firefox_inside.h"

uint32_t
firefox_string(struct firefox_writer *x, const char *at, size_t len)
{
	return names_put(&x->strings, at, len);
}

uint32_t
firefox_name(struct firefox_writer *x, name_id id)
{
	struct buf text = BUF_INIT;

	shown_name(&x->shown, id, &text);
	uint32_t i = firefox_string(x, buf_str(&text), text.len);
	buf_release(&text);
	return i;
}

void
firefox_own_text(struct firefox_writer *x, track_id t,
		 void (*name)(const struct track_ids *ids, track_id t, struct buf *out))
{
	struct buf text = BUF_INIT;

	name(&x->ids, t, &text);
	json_string(x->out, buf_str(&text), text.len);
	buf_release(&text);
}

/* Writes ns as ms, or an ordinal unchanged. */

void
firefox_constants(struct firefox_writer *x, const char *head, const char *value, uint64_t n)
{
	fputs(head, x->out);
	for (uint64_t i = 0; i < n; i++)
		fprintf(x->out, "%s%s", i ? "," : "", value);
}
