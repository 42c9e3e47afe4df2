#include "src/decode/chrome/chrome_inside.h"

#include "src/decode/decoder.h"

/* The raw listing: a line per event with its members, those of `args` with their own names; values
 * larger than a word are printed as {...} or [...]. */

/* Adds `KEY=VALUE` for each member of an event that is not an object. */
static void
dump_member(struct dump *d, struct json *j, const struct json_token *t, struct buf *out)
{
	struct buf text = BUF_INIT, quoted = BUF_INIT;

	if (t->kind == JSON_STRING) {
		json_text(j, t, &text);
		buf_adds(out, dump_bytes(d, &quoted, buf_str(&text), text.len));
	} else if (t->kind == JSON_OBJECT || t->kind == JSON_ARRAY) {
		buf_adds(out, t->kind == JSON_OBJECT ? "{...}" : "[...]");
	} else {
		buf_add(out, t->at, t->len);
	}
	buf_release_all(&text, &quoted);
}

/* Adds the members of an object to one line: ` KEY=VALUE`, those of `args` as `
 * args.KEY=VALUE`. */
static bool
dump_members(struct dump *d, struct json *j, struct buf *out)
{
	struct json_token t;
	struct buf quoted = BUF_INIT;
	unsigned depth = 0;
	bool good = true;

	while (good && json_next(j, &t)) {
		if (t.kind == JSON_OBJECT_END && !depth--)
			break;
		if (t.kind != JSON_KEY)
			continue;
		bool args = !depth && json_is(&t, "args");
		if (!args)
			buf_addf(out, " %s%s=", depth ? "args." : "",
				 dump_bytes(d, &quoted, t.at, t.len));
		good = json_next(j, &t);
		if (good && args && t.kind == JSON_OBJECT) {
			depth++;
			continue;
		}
		if (good) {
			dump_member(d, j, &t, out);
			good = json_skip(j, &t);
		}
	}
	buf_release(&quoted);
	return good && !j->failed;
}

static bool
dump_events(struct dump *d, struct json *j, const char *kind)
{
	struct json_token t;
	struct buf line = BUF_INIT;
	bool good = true;

	while (good && json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		uint64_t offset = t.offset;
		if (t.kind != JSON_OBJECT) {
			good = json_skip(j, &t);
			continue;
		}
		buf_reset(&line);
		good = dump_members(d, j, &line) &&
		       dump_record(d, offset, "%s%s", kind, buf_str(&line));
	}
	buf_release(&line);
	return good && !j->failed;
}

static bool
dump_object(struct dump *d, struct json *j)
{
	struct json_token t;
	struct buf line = BUF_INIT, quoted = BUF_INIT;
	bool good = true;

	while (good && json_next(j, &t) && t.kind == JSON_KEY) {
		uint64_t offset = t.offset;
		bool events = json_is(&t, "traceEvents"), samples = json_is(&t, "samples");
		buf_reset(&line);
		buf_adds(&line, dump_bytes(d, &quoted, t.at, t.len));
		if (!json_next(j, &t))
			break;
		if ((events || samples) && t.kind == JSON_ARRAY) {
			good = dump_events(d, j, events ? "event" : "sample");
			continue;
		}
		buf_addc(&line, '=');
		dump_member(d, j, &t, &line);
		good = json_skip(j, &t) && dump_record(d, offset, "member %s", buf_str(&line));
	}
	buf_release_all(&line, &quoted);
	return good && !j->failed;
}

bool
chrome_dump(struct input *in, struct dump *d, struct err *err)
{
	struct json j;
	struct json_token t;

	json_init(&j, in);
	if (!json_next(&j, &t))
		return json_damage(&j, j.where, err);
	bool good = t.kind == JSON_ARRAY ? dump_events(d, &j, "event") : dump_object(d, &j);
	if (j.failed && !(t.kind == JSON_ARRAY && j.cut && j.depth == 1))
		return json_damage(&j, j.where, err);
	return good || j.failed;
}
