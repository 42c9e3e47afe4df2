#include "src/input/json_outline.h"

#include <string.h>

/* The walk covers two depths: it keeps keys and skips values. A text that only begins with a
 * bracket (folded stacks of `[unknown];main`, `{closure};main`) is no document; the first tokens
 * show that. */

#define KEYS_MAX 512u  /* of a document; a table of functions may have a million */
#define BELOW_MAX 64u  /* of the keys in one value */
#define VALUE_MAX 256u /* bytes of a string that are kept */

/* Returns true if it begins with `{}`, `{"key":`, `[]`, `[{"key":` or `[[`. */
static bool
json_outline_begins(struct json_outline *o)
{
	struct json_token t;

	if (!json_next(&o->j, &t) || (t.kind != JSON_OBJECT && t.kind != JSON_ARRAY))
		return false;
	o->array = t.kind == JSON_ARRAY;
	return true;
}

void
json_outline_begin(struct json_outline *o, struct input *in)
{
	*o = (struct json_outline){.text = BUF_INIT};
	json_init(&o->j, in);
	o->is_json = json_outline_begins(o);
}

static struct json_outline_key *
put_key(struct json_outline *o, const struct json_token *t, uint32_t under)
{
	uint32_t i = (uint32_t)o->key.n, at = (uint32_t)o->text.len;

	json_text(&o->j, t, &o->text);
	struct json_outline_key *key = vec_push(&o->key);
	*key = (struct json_outline_key){
		.at = at,
		.len = (uint32_t)o->text.len - at,
		.under = under == UINT32_MAX ? i : under,
	};
	return key;
}

/* Reads the keys of the object opened last, and its end unless there are too many keys. */
static bool
keys_of(struct json_outline *o, uint32_t under)
{
	struct json_token t;

	for (uint32_t n = 0; n < BELOW_MAX && json_next(&o->j, &t); n++) {
		if (t.kind == JSON_OBJECT_END) {
			o->below--;
			return true;
		}
		put_key(o, &t, under);
		if (!json_next(&o->j, &t))
			return false;
		if ((t.kind == JSON_OBJECT || t.kind == JSON_ARRAY) && !json_leap(&o->j))
			return false;
	}
	return !o->j.failed;
}

/* Reads the keys in the value that *t begins: of an object, or of the first object of an array. */
static bool
look_into(struct json_outline *o, const struct json_token *t, uint32_t under)
{
	struct json_token first = *t;

	if (t->kind == JSON_ARRAY) {
		o->below++;
		if (!json_next(&o->j, &first))
			return false;
		if (first.kind == JSON_ARRAY_END) {
			o->below--;
			return true;
		}
		if (first.kind == JSON_ARRAY)
			o->below++;
	}
	if (first.kind != JSON_OBJECT)
		return true;
	o->below++;
	return keys_of(o, under);
}

static void
keep_value(struct json_outline *o, const struct json_token *t)
{
	struct json_outline_key *key = &o->key.at[o->key.n - 1];

	if (t->kind != JSON_STRING || t->len > VALUE_MAX)
		return;
	key->value = (uint32_t)o->text.len;
	json_text(&o->j, t, &o->text);
	key->value_len = (uint32_t)o->text.len - key->value;
}

/* Returns true if the first tokens are those of a document. */
static bool
ended(struct json_outline *o)
{
	if (!o->key.n && o->j.failed && !o->j.cut)
		o->is_json = false;
	return false;
}

/* Reads the first element of a document that is an array, or of the array that is this element. */
static bool
first_element(struct json_outline *o, struct json_token *t)
{
	struct json_token none = {.kind = JSON_KEY, .at = ""};

	if (t->kind == JSON_ARRAY) {
		o->is_json = json_next(&o->j, t) || o->j.cut;
		if (!o->is_json || t->kind != JSON_OBJECT)
			return false;
		o->below++;
		none.at = "[]";
		none.len = 2;
	} else if (t->kind != JSON_OBJECT) {
		o->is_json = t->kind == JSON_ARRAY_END;
		return false;
	}
	put_key(o, &none, UINT32_MAX);
	o->below++;
	bool good = keys_of(o, 0);
	if (o->key.n == 1 && o->j.failed && !o->j.cut)
		o->is_json = false;
	return good;
}

/* Returns true if the line ends after the document, or another document begins. A number there is
 * the weight of a folded stack whose name looks like an object. */
static bool
ends_line(const struct json *j)
{
	const uint8_t *at = j->at;

	while (at < j->end && (*at == ' ' || *at == '\t'))
		at++;
	return at == j->end || !*at || strchr("\r\n,{[]}", *at);
}

bool
json_outline_more(struct json_outline *o)
{
	struct json_token t;

	if (!o->is_json || o->key.n >= KEYS_MAX)
		return false;
	for (; o->below; o->below--)
		if (!json_leap(&o->j))
			return false;
	if (o->array && o->key.n)
		return false;
	if (!json_next(&o->j, &t))
		return ended(o);
	if (o->array)
		return first_element(o, &t);
	if (t.kind != JSON_KEY) {
		o->is_json = ends_line(&o->j);
		return false;
	}
	uint32_t under = (uint32_t)o->key.n;
	put_key(o, &t, UINT32_MAX);
	if (!json_next(&o->j, &t))
		return false;
	keep_value(o, &t);
	return look_into(o, &t, under);
}

static bool
json_is_name(const struct json_outline *o, const struct json_outline_key *key, const char *name,
	     size_t len)
{
	return (len == 1 && *name == '*') ||
	       (key->len == len && !memcmp(buf_str(&o->text) + key->at, name, len));
}

static bool
has_path(const struct json_outline *o, const char *path, size_t len)
{
	const char *slash = memchr(path, '/', len);
	size_t top = slash ? (size_t)(slash - path) : len;

	for (uint32_t i = 0; i < o->key.n; i++) {
		const struct json_outline_key *key = &o->key.at[i];
		if (!slash ? key->under == i && json_is_name(o, key, path, len)
			   : key->under != i && json_is_name(o, key, slash + 1, len - top - 1) &&
				     json_is_name(o, &o->key.at[key->under], path, top))
			return true;
	}
	return false;
}

bool
json_outline_has(const struct json_outline *o, const char *paths)
{
	bool all = true;

	for (size_t len; *paths; paths += len + (paths[len] != '\0')) {
		len = strcspn(paths, " |");
		all = all && has_path(o, paths, len);
		if (paths[len] == '|') {
			if (all)
				return true;
			all = true;
		}
	}
	return all;
}

bool
json_outline_says(const struct json_outline *o, const char *name, const char *part)
{
	for (uint32_t i = 0; i < o->key.n; i++) {
		const struct json_outline_key *key = &o->key.at[i];
		if (key->under == i && json_is_name(o, key, name, strlen(name)) &&
		    memmem(buf_str(&o->text) + key->value, key->value_len, part, strlen(part)))
			return true;
	}
	return false;
}

void
json_outline_release(struct json_outline *o)
{
	vec_release(&o->key);
	buf_release(&o->text);
}
