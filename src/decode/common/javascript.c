#include "src/decode/common/javascript.h"

#include <inttypes.h>

#include "model/base/buf.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

/* One list covers the internal functions of V8 and of JavaScriptCore. */

name_id
js_anonymous(struct builder *b, name_id url, int64_t line, int64_t column)
{
	struct name path = builder_name_get(b, url);
	struct buf text = BUF_INIT;
	size_t from = path.len;

	while (from && path.at[from - 1] != '/')
		from--;
	buf_adds(&text, "(anonymous");
	if (path.len) {
		buf_addc(&text, ' ');
		buf_add(&text, path.at + from, path.len - from);
		if (line > 0)
			buf_addf(&text, ":%" PRId64, line);
		if (line > 0 && column > 0)
			buf_addf(&text, ":%" PRId64, column);
	}
	buf_addc(&text, ')');
	name_id name = builder_name(b, buf_str(&text), text.len);
	buf_release(&text);
	return name;
}

enum kind
js_kind(struct name function, struct name url)
{
	static const char *const names[] = {"(root)", "(program)", "(garbage collector)"};
	static const char *const urls[] = {"node:", "native ", "extensions::", "v8/"};

	if (name_is(function, "(idle)"))
		return KIND_IDLE;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name_is(function, names[i]))
			return KIND_SYSTEM;
	for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
		if (name_begins(url, urls[i]))
			return KIND_SYSTEM;
	return KIND_USER;
}

int64_t
json_integer(const struct json_token *t)
{
	int64_t n;

	return t->kind == JSON_NUMBER && decimal_scaled(t->at, t->len, 0, &n) ? n : 0;
}
