/* rows_json_seen.h - the members seen in earlier objects of a table; only rows_json.c includes it.
 *
 * A trace is a million small objects with the same members in nearly the same order. The text
 * between two values, `,"ts":`, becomes a node of a graph, with links to the nodes that followed:
 *
 *	begin ──► {"ph":" ──► ,"ts": ──► ,"pid": ──► ,"tid":
 *	                                    └──────► ,"dur": ──► …
 *
 * The reader compares the bytes after a value with the nodes that may follow, eight bytes at a time
 * under a mask. If they are equal, the tokenizer would read the same member, and only the value
 * remains to be parsed. Other members cost one lookup at the first one that differs. */
#ifndef PNAV_SRC_INPUT_ROWS_JSON_SEEN_H
#define PNAV_SRC_INPUT_ROWS_JSON_SEEN_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "src/input/json_digits.h"
#include "src/input/json_inside.h"
#include "src/input/json_row.h"

#define SEEN_NODES 32u
#define SEEN_NEXT 3u
#define SEEN_WORDS 3u  /* of eight bytes, at most, before a value */
#define SEEN_TEXT 24u  /* bytes of a text that is remembered with its id */
#define SEEN_BYTES 96  /* more than a node, a number and the bytes read after them */
#define SEEN_LEARN 64u /* nodes that may be learnt, and one more for every 16 objects */
#define SEEN_CHANGES 32u
#define SEEN_NO_ROW 255u

struct seen_node {
	uint64_t word[SEEN_WORDS], mask[SEEN_WORDS];
	struct seen_node *next[SEEN_NEXT]; /* the last learnt first; NULL: none */
	const struct json_row *row;
	uint64_t bit; /* of the row, among those of the table; 0: it has none */
	int8_t scale; /* of short numbers; negative: the row takes no numbers */
	uint8_t len;
	bool quoted; /* its text ends with the quote of a string */
	/* the text before, where texts repeat */
	uint8_t changes, text_len;
	uint32_t name;
	char text[SEEN_TEXT];
};

struct json_seen {
	const struct json_row *rows;
	uint64_t must; /* bits of rows */
	uint8_t n, any; /* any: the row "*", or SEEN_NO_ROW */
	uint8_t len[ROWS_JSON_MAX];
	uint8_t n_nodes;
	uint32_t learnt, met;
	struct seen_node begin, lost; /* lost: a member that was not learnt */
	struct seen_node node[SEEN_NODES];
};

struct json_seen *seen_new(const struct json_row *rows);
/* Returns the row of a key; if it has none, that of "*", or SEEN_NO_ROW. */
unsigned seen_row(const struct json_seen *s, const struct json_token *key);
/* Learns the member whose key was read last, which followed node `before`; the value before it
 * ended at `from`. Returns its node, or &s->lost. */
struct seen_node *seen_learn(struct json_seen *s, struct seen_node *before, struct json *j,
			     uint64_t from, unsigned row);

static inline uint64_t
seen_differs(const struct seen_node *x, const uint8_t *at, unsigned i)
{
	uint64_t word;

	memcpy(&word, at + 8 * (size_t)i, sizeof word);
	return (word ^ x->word[i]) & x->mask[i];
}

/* Returns the node of the member at `at` if that member followed `before` in an earlier object,
 * else NULL. */
static inline struct seen_node *
seen_next(const struct seen_node *before, const uint8_t *at)
{
	static_assert(SEEN_WORDS == 3, "compared one by one: a loop costs twice as much");

	for (unsigned k = 0; k < SEEN_NEXT; k++) {
		struct seen_node *x = before->next[k];
		if (!x || !(seen_differs(x, at, 0) | seen_differs(x, at, 1) |
			    seen_differs(x, at, 2)))
			return x;
	}
	return NULL;
}

/* Parses the value at `at`, after a node's text, if it is a plain string or number. Returns its
 * end, or NULL. */
static inline const uint8_t *
seen_value(const struct json *j, const struct seen_node *x, const uint8_t *at,
	   struct json_value *v)
{
	const uint8_t *stop;
	int places;

	v->t.at = (const char *)at;
	v->t.escaped = false;
	if (x->quoted) {
		stop = scan_plain(at, j->end);
		if (stop == j->end || *stop != '"')
			return NULL;
		v->t.kind = JSON_STRING;
		v->plain = false;
		v->t.len = (size_t)(stop - at);
		return stop + 1;
	}
	v->negative = *at == '-';
	stop = json_plain_number(at + v->negative, &v->digits, &places);
	if (!stop || (*stop != ',' && *stop != '}' && *stop > ' '))
		return NULL;
	v->t.kind = JSON_NUMBER;
	v->plain = true;
	v->places = (uint8_t)places;
	v->t.len = (size_t)(stop - at);
	return stop;
}

#endif
