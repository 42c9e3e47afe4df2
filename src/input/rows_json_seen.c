#include "src/input/rows_json_seen.h"

#include "model/base/mem.h"

/* Policy: a member is learnt at each place where it was not known, and a full table is cleared. If
 * objects are of all kinds, learning costs as much as it saves; so a table may learn at most
 * SEEN_LEARN nodes, and one more for every 16 objects. */

struct json_seen *
seen_new(const struct json_row *rows)
{
	struct json_seen *s = mem_zalloc(1, sizeof *s);

	s->rows = rows;
	s->any = SEEN_NO_ROW;
	for (; rows[s->n].name; s->n++) {
		assert(s->n < ROWS_JSON_MAX);
		s->len[s->n] = (uint8_t)strlen(rows[s->n].name);
		s->must |= (uint64_t)(rows[s->n].must != NULL) << s->n;
		if (!strcmp(rows[s->n].name, "*"))
			s->any = s->n;
	}
	return s;
}

unsigned
seen_row(const struct json_seen *s, const struct json_token *key)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (i == s->any)
			continue;
		if (key->escaped ? json_is_escaped(key, s->rows[i].name)
				 : s->len[i] == key->len &&
					   !memcmp(s->rows[i].name, key->at, key->len))
			return i;
	}
	return s->any;
}

/* Returns the node of these bytes, an old one or a new one; &s->lost if there is no room. */
static struct seen_node *
rows_node_of(struct json_seen *s, const uint8_t *at, size_t len, unsigned row)
{
	static const struct json_row none = {.kind = JSON_ROW_SKIPPED};
	uint8_t bytes[8 * SEEN_WORDS] = {0};
	unsigned n = 0;

	if (len > sizeof bytes)
		return &s->lost;
	memcpy(bytes, at, len);
	while (n < s->n_nodes &&
	       (s->node[n].len != len || memcmp(s->node[n].word, bytes, sizeof bytes) != 0))
		n++;
	if (n < s->n_nodes)
		return &s->node[n];
	if (s->learnt > SEEN_LEARN + s->met / 16)
		return &s->lost;
	s->learnt++;
	if (n == SEEN_NODES) {
		memset(&s->begin, 0, sizeof s->begin);
		memset(s->node, 0, sizeof s->node);
		n = 0;
	}
	s->n_nodes = (uint8_t)(n + 1);
	struct seen_node *x = &s->node[n];
	memcpy(x->word, bytes, sizeof bytes);
	memset(x->mask, 0xFF, len);
	x->len = (uint8_t)len;
	x->row = row == SEEN_NO_ROW ? &none : &s->rows[row];
	x->bit = row == SEEN_NO_ROW ? 0 : UINT64_C(1) << row;
	x->quoted = at[len - 1] == '"';
	bool short_numbers = x->row->kind == JSON_ROW_NUMBER || x->row->kind == JSON_ROW_SHORT;
	x->scale = short_numbers && !x->quoted ? x->row->scale : -1;
	return x;
}

struct seen_node *
seen_learn(struct json_seen *s, struct seen_node *before, struct json *j, uint64_t from,
	   unsigned row)
{
	const uint8_t *value = json_over_blanks(j->at, j->end);
	size_t len = (size_t)(json_offset(j) - from);

	if (before == &s->lost || value == j->end || from < input_offset(j->in))
		return &s->lost;
	const uint8_t *at = j->at - len;
	struct seen_node *x = rows_node_of(s, at, (size_t)(value - at) + (*value == '"'), row);
	if (x == &s->lost || x == before->next[0])
		return x;
	memmove(before->next + 1, before->next, (SEEN_NEXT - 1) * sizeof(*before->next));
	before->next[0] = x;
	return x;
}
