/* Dumps JSON token by token, not by the format's schema: damage in such a file is mostly damage
 * of the JSON. */
#include "src/decode/common/json_dump.h"

#include "model/base/buf.h"

bool
json_dump_tokens(struct json *j, struct dump *out, struct err *e)
{
	static const char *const words[] = {[JSON_TRUE] = "true", [JSON_FALSE] = "false",
					    [JSON_NULL] = "null"};
	struct buf key = BUF_INIT, scratch = BUF_INIT;
	struct json_token t;
	bool good = true;

	while (good && json_next(j, &t)) {
		if (t.kind == JSON_KEY) {
			buf_reset(&key);
			buf_addf(&key, "%s ", dump_bytes(out, &scratch, t.at, t.len));
			continue;
		}
		if (t.kind == JSON_STRING || t.kind == JSON_NUMBER)
			good = dump_record(out, t.offset, "%s%s", buf_str(&key),
					   dump_bytes(out, &scratch, t.at, t.len));
		else if (t.kind >= JSON_TRUE)
			good = dump_record(out, t.offset, "%s%s", buf_str(&key), words[t.kind]);
		else if (t.kind == JSON_OBJECT || t.kind == JSON_ARRAY)
			good = dump_record(out, t.offset, "%s%s", buf_str(&key),
					   t.kind == JSON_OBJECT ? "{" : "[");
		buf_reset(&key);
	}
	buf_release_all(&key, &scratch);
	return j->failed ? json_damage(j, j->where, e) : good;
}

bool
json_dump(struct input *in, struct dump *out, struct err *e)
{
	struct json j;

	json_init(&j, in);
	return json_dump_tokens(&j, out, e);
}
