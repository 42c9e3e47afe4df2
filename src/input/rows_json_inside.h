/* rows_json_inside.h - stores strings, numbers, true, false and null; only for rows_json.c. */
#ifndef PNAV_SRC_INPUT_ROWS_JSON_INSIDE_H
#define PNAV_SRC_INPUT_ROWS_JSON_INSIDE_H

#include "src/input/rows_json.h"
#include "src/input/rows_json_seen.h"

/* Converts a plain number times 10^scale; returns false if decimal.h has to do it. */
static inline bool
plain_scaled(const struct json_value *v, int scale, int64_t *out)
{
	int64_t n = (int64_t)v->digits;

	if (v->places != scale && !json_scaled(v->digits, v->places - scale, &n))
		return false;
	*out = v->negative ? -n : n;
	return true;
}

static inline int
scale_of(const struct rows_json *r, const struct json_row *row)
{
	return row->scale == ROW_SCALE ? r->scale : row->scale;
}

/* Returns the id of a text, which mostly equals the previous one. */
static inline uint32_t
name_of(struct rows_json *r, struct seen_node *x, const struct json_token *t)
{
	if (x->changes >= SEEN_CHANGES || t->escaped)
		return json_row_name(r, t);
	if (t->len == x->text_len && !memcmp(t->at, x->text, t->len) && x->name) {
		x->changes = 0;
		return x->name;
	}
	x->changes++;
	uint32_t name = json_row_name(r, t);
	if (t->len <= SEEN_TEXT) {
		memcpy(x->text, t->at, t->len);
		x->text_len = (uint8_t)t->len;
		x->name = name;
	}
	return name;
}

/* Returns the position of a text without escapes among words, from 1 on; 0 if it is none of
 * them. */
static inline uint8_t
plain_word(const struct json_token *t, const char *const *words)
{
	for (unsigned i = 0; words[i]; i++) {
		const char *word = words[i];
		size_t k = 0;
		while (k < t->len && word[k] == t->at[k])
			k++;
		if (k == t->len && !word[k])
			return (uint8_t)(i + 1);
	}
	return 0;
}

static inline bool
word_of(struct rows_json *r, const struct json_token *t, const char *const *words, uint8_t *out)
{
	struct json_token plain = *t;

	if (t->kind != JSON_STRING)
		return false;
	if (t->escaped) {
		buf_reset(&r->text);
		json_text(&r->j, t, &r->text);
		plain.at = buf_str(&r->text);
		plain.len = r->text.len;
	}
	*out = plain_word(&plain, words);
	return true;
}

/* Returns the text of a string or number, without JSON's quotes and escapes. */
static inline bool
fact_take(struct rows_json *r, const struct json_row *row, const struct json_token *t)
{
	if (t->kind == JSON_STRING) {
		buf_reset(&r->text);
		json_text(&r->j, t, &r->text);
		r->fact(r->b, row->by.title, buf_str(&r->text), r->text.len);
	} else if (t->kind == JSON_NUMBER) {
		r->fact(r->b, row->by.title, t->at, t->len);
	}
	return t->kind == JSON_STRING || t->kind == JSON_NUMBER;
}

static inline void *
place_of(const struct json_row *row, void *object)
{
	return row->at ? (char *)object + row->at : object;
}

static inline bool
inside_read(struct rows_json *r, const struct json_row *row, void *to, const struct json_token *t)
{
	r->row = row;
	return row->by.inside(r, to, t);
}

/* Stores a value that is neither an object nor an array; *had: it is of the row's kind. */
static inline bool
scalar_take(struct rows_json *r, const struct json_row *row, struct seen_node *x, void *object,
	    const struct json_value *v, bool *had)
{
	const struct json_token *t = &v->t;
	void *to = place_of(row, object);

	*had = false;
	switch ((enum json_row_kind)row->kind) {
	case JSON_ROW_NUMBER:
		*had = json_value_scaled(v, scale_of(r, row), row->loose, to);
		return *had || !row->by.take || row->by.take(r, to, v);
	case JSON_ROW_NAME:
		*had = t->kind == JSON_STRING || (row->loose && t->kind == JSON_NUMBER);
		if (*had)
			*(uint32_t *)to = name_of(r, x, t);
		return true;
	case JSON_ROW_TEXT:
		*had = t->kind == JSON_STRING;
		if (*had) {
			buf_reset(to);
			json_text(&r->j, t, to);
		}
		return true;
	case JSON_ROW_WORD:
		*had = word_of(r, t, row->by.words, to);
		return true;
	case JSON_ROW_TRUTH:
		*had = t->kind == JSON_TRUE || t->kind == JSON_FALSE;
		if (*had)
			*(bool *)to = t->kind == JSON_TRUE;
		return true;
	case JSON_ROW_DIGITS:
		*had = t->kind == JSON_NUMBER && t->len <= sizeof((struct json_digits *)to)->at;
		if (*had) {
			memcpy(to, t->at, t->len);
			((struct json_digits *)to)->len = (uint8_t)t->len;
		}
		return true;
	case JSON_ROW_VALUE:
	case JSON_ROW_SHORT:
		*had = row->kind == JSON_ROW_VALUE;
		return row->by.take(r, to, v);
	case JSON_ROW_FACT:
		*had = fact_take(r, row, t);
		return true;
	case JSON_ROW_FACT_NUMBER:
		*had = fact_take(r, row, t) && json_value_scaled(v, row->scale, false, to);
		return true;
	case JSON_ROW_INSIDE:
		*had = true;
		return inside_read(r, row, to, t);
	case JSON_ROW_SKIPPED:
	case JSON_ROW_OBJECT:
	case JSON_ROW_ELEMENT:
	case JSON_ROW_LIST:
	case JSON_ROW_COLUMN:
	case JSON_ROW_NUMBERS:
	case JSON_ROW_EACH:
		break;
	}
	return true;
}

#endif
