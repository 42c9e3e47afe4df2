#include "src/input/json_inside.h"

#include <assert.h>

#include "src/input/slabs.h"

static_assert(SLABS_NO_NUMBER == JSON_NO_NUMBER, "columns of both have the same gaps");

/* A slab of JSON is read where its place is: the tokenizer's window goes to the slab's text, and
 * returns once its value has ended. So columns, rows and leaps know nothing of slabs. */

void
json_slab_leave(struct json *j)
{
	const struct slab_level *l = &j->slabs->level[--j->slab_levels];

	j->in = l->in;
	j->at = l->at;
	j->end = l->end;
	j->offset = l->offset;
	j->leave = l->leave;
	json_value_done(j);
}

bool
json_slab_enter(struct json *j, uint32_t which)
{
	struct slabs *s = j->slabs;
	struct slab_level *l = &s->level[j->slab_levels];
	uint64_t offset;
	size_t n;

	/* the last token of a slab that ended here may have been in use until now */
	if (l->own)
		input_close(l->own);
	buf_release(&l->text);
	l->own = NULL;
	if (!slabs_text(s, which, &l->text))
		return false;
	buf_addc(&l->text, '\n'); /* a number may be the whole text */
	l->own = input_open_bytes_at(buf_str(&l->text), l->text.len, "slab",
				     s->slab.at[which].start);
	l->slab = which;
	l->in = j->in;
	l->at = j->at;
	l->end = j->end;
	l->offset = j->offset;
	l->leave = j->leave;
	j->slab_levels++;
	j->leave = j->depth + 1;
	j->in = l->own;
	j->at = input_window(l->own, &n, &offset);
	j->end = j->at + n;
	j->offset = offset + n;
	j->wants = WANTS_VALUE;
	return true;
}

static const uint8_t *
after_blanks_and(const uint8_t *at, const uint8_t *end, const char *word)
{
	size_t n = strlen(word);

	at = json_over_blanks(at, end);
	return (size_t)(end - at) >= n && !memcmp(at, word, n) ? at + n : NULL;
}

bool
json_slab_place(struct json *j, uint32_t *which)
{
	const uint8_t *end = j->end, *at = after_blanks_and(j->at + 1, end, "\"$s\"");
	uint64_t v = 0;

	at = at ? after_blanks_and(at, end, ":") : NULL;
	if (!at)
		return false;
	const uint8_t *digits = at = json_over_blanks(at, end);
	for (; at < end && *at >= '0' && *at <= '9' && v <= UINT32_MAX; at++)
		v = v * 10 + (*at - '0');
	if (at == digits || v > UINT32_MAX || !(at = after_blanks_and(at, end, "}")))
		return false;
	j->at = at;
	*which = (uint32_t)v;
	return true;
}
