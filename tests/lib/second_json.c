#include "tests/lib/second_json.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

/* The tests choose the depth, so this may recurse. */
static void
write_value(json_t *v, struct buf *out)
{
	const char *key;
	json_t *member;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		buf_adds(out, "{ ");
		json_object_foreach(v, key, member)
		{
			buf_addf(out, "\"%s\" ", key);
			write_value(member, out);
		}
		buf_adds(out, "} ");
		return;
	case JSON_ARRAY:
		buf_adds(out, "[ ");
		json_array_foreach(v, i, member)
			write_value(member, out);
		buf_adds(out, "] ");
		return;
	case JSON_STRING:
		buf_addf(out, "\"%s\" ", json_string_value(v));
		return;
	case JSON_INTEGER:
	case JSON_REAL:
		buf_addf(out, "%.17g ", json_number_value(v));
		return;
	case JSON_TRUE:
		buf_adds(out, "true ");
		return;
	case JSON_FALSE:
		buf_adds(out, "false ");
		return;
	case JSON_NULL:
		buf_adds(out, "null ");
		return;
	}
}

bool
second_json_is_there(void)
{
	return true;
}

bool
second_json(const char *text, size_t len, struct buf *out)
{
	json_t *v = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);

	if (!v)
		return false;
	write_value(v, out);
	json_decref(v);
	return true;
}
#else
bool
second_json_is_there(void)
{
	return false;
}

bool
second_json(const char *text, size_t len, struct buf *out)
{
	(void)text;
	(void)len;
	(void)out;
	return false;
}
#endif
