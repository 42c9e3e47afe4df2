/* mcp_message.c - JSON-RPC messages (section 4 of its specification), and the arguments of tools.
 *
 * A line is checked strictly once; after that the tolerant reader of src/input/ cannot find a
 * fault.  An id is kept as the bytes that came and never decoded: a client may use numbers that no
 * integer holds, and compares what it gets back with what it sent. */
#include <string.h>

#include "model/base/utf8.h"
#include "src/command/mcp/mcp_inside.h"
#include "src/input/json.h"
#include "src/input/json_strict.h"

bool
mcp_span_is(struct mcp_span a, struct mcp_span b)
{
	return a.at && b.at && a.len == b.len && !memcmp(a.at, b.at, a.len);
}

enum mcp_code
mcp_check(const char *line, size_t len, struct buf *why)
{
	size_t where;

	if (!utf8_is_valid(line, len))
		buf_adds(why, "the message is not UTF-8");
	else if (!json_strict(line, len, &where))
		buf_addf(why, "the message is no JSON document: at byte %zu", where);
	return why->len ? MCP_NOT_JSON : MCP_OK;
}

/* A reader over a checked text. */
struct span_reader {
	struct input *in;
	struct json json;
	const char *base;
};

static void
span_open(struct span_reader *r, struct mcp_span s)
{
	r->in = input_open_bytes(s.at, s.len, "message");
	json_init(&r->json, r->in);
	r->base = s.at;
}

static void
span_close(struct span_reader *r)
{
	input_close(r->in);
}

/* Steps over the value that begins with t, and returns it. */
static struct mcp_span
span_of(struct span_reader *r, const struct json_token *t)
{
	const char *begin = r->base + t->offset;

	json_skip(&r->json, t);
	return (struct mcp_span){begin, (size_t)(r->base + json_offset(&r->json) - begin)};
}

static bool
is_id(const struct json_token *t)
{
	return t->kind == JSON_STRING || t->kind == JSON_NUMBER || t->kind == JSON_NULL;
}

/* Reads the members of a message, after its {. */
static enum mcp_code
read_message(struct span_reader *r, struct mcp_message *m)
{
	struct json_token key, t;
	bool version = false, good = true, method = false;

	while (json_next(&r->json, &key) && key.kind == JSON_KEY) {
		/* the key's bytes do not outlive the next token */
		bool is_version = json_is(&key, "jsonrpc"), is_id_key = json_is(&key, "id");
		bool is_method = json_is(&key, "method"), is_params = json_is(&key, "params");
		m->answers |= json_is(&key, "result") || json_is(&key, "error");
		if (!json_next(&r->json, &t))
			break;
		if (is_version)
			version = t.kind == JSON_STRING && json_is(&t, "2.0");
		method |= is_method && t.kind == JSON_STRING;
		if (is_method && t.kind == JSON_STRING) {
			buf_reset(&m->method);
			json_text(&r->json, &t, &m->method);
		}
		bool ids = is_id(&t), object = t.kind == JSON_OBJECT;
		struct mcp_span value = span_of(r, &t);
		if (is_id_key && ids)
			m->id = value;
		if (is_params && object)
			m->params = value;
		good &= !(is_id_key && !ids) && !(is_params && !object);
	}
	m->answers &= !method;
	return version && good && (method || m->answers) ? MCP_OK : MCP_NOT_REQUEST;
}

static void
split_one(struct span_reader *r, const struct json_token *t,
	  void (*found)(void *ctx, enum mcp_code code, const struct mcp_message *m), void *ctx)
{
	struct mcp_message m = {.method = BUF_INIT};
	enum mcp_code code = MCP_NOT_REQUEST;

	if (t->kind == JSON_OBJECT)
		code = read_message(r, &m);
	else
		json_skip(&r->json, t);
	found(ctx, code, &m);
	buf_release(&m.method);
}

bool
mcp_split(const char *line, size_t len,
	  void (*found)(void *ctx, enum mcp_code code, const struct mcp_message *m), void *ctx)
{
	struct span_reader r;
	struct json_token t;
	unsigned n = 0;

	span_open(&r, (struct mcp_span){line, len});
	json_next(&r.json, &t);
	bool list = t.kind == JSON_ARRAY;
	if (!list)
		split_one(&r, &t, found, ctx);
	for (; list && json_next(&r.json, &t) && t.kind != JSON_ARRAY_END; n++)
		split_one(&r, &t, found, ctx);
	span_close(&r);
	if (list && !n) {
		struct mcp_message none = {.method = BUF_INIT};
		found(ctx, MCP_NOT_REQUEST, &none);
	}
	return list && n;
}

struct mcp_span
mcp_member(struct mcp_span object, const char *key, struct buf *text)
{
	struct mcp_span value = {NULL, 0};
	struct span_reader r;
	struct json_token k, t;

	if (!object.at)
		return value;
	span_open(&r, object);
	json_next(&r.json, &t);
	while (json_next(&r.json, &k) && k.kind == JSON_KEY) {
		bool wanted = json_is(&k, key);
		if (!json_next(&r.json, &t))
			break;
		if (wanted && text) {
			buf_reset(text);
			if (t.kind == JSON_STRING)
				json_text(&r.json, &t, text);
		}
		struct mcp_span at = span_of(&r, &t);
		value = wanted ? at : value;
	}
	span_close(&r);
	return value;
}

/* ---- arguments ---- */

static const struct {
	const char *name, *about;
} arguments[] = {
#define MCP_ARGUMENT_ROW(name, about) {#name, about},
	MCP_ARGUMENTS(MCP_ARGUMENT_ROW)
#undef MCP_ARGUMENT_ROW
};

const char *
mcp_argument(enum mcp_argument i, const char **about)
{
	if (about)
		*about = arguments[i].about;
	return arguments[i].name;
}

/* Copies a text for C; false if it has a NUL. */
static bool
take_text(const struct buf *text, char **out)
{
	if (memchr(buf_str(text), '\0', text->len))
		return false;
	free(*out);
	*out = mem_dup(buf_str(text), text->len);
	return true;
}

/* Reads a string, or a number as it was written. */
static bool
read_text(struct span_reader *r, const struct json_token *t, char **out)
{
	struct buf text = BUF_INIT;
	bool good = t->kind == JSON_STRING || t->kind == JSON_NUMBER;

	if (t->kind == JSON_STRING)
		json_text(&r->json, t, &text);
	else if (good)
		buf_add(&text, t->at, t->len);
	good = good && take_text(&text, out);
	buf_release(&text);
	return good;
}

static bool
read_words(struct span_reader *r, const struct json_token *begin, struct mcp_args *a)
{
	struct json_token t;
	bool good = begin->kind == JSON_ARRAY;

	while (good && json_next(&r->json, &t) && t.kind != JSON_ARRAY_END) {
		*vec_push(&a->words) = NULL;
		good = t.kind == JSON_STRING && read_text(r, &t, &a->words.at[a->words.n - 1]);
	}
	if (!good)
		a->words.n -= a->words.n && !a->words.at[a->words.n - 1];
	return good;
}

static bool
mcp_read_limit(const struct json_token *t, size_t *limit)
{
	size_t v = 0;

	if (t->kind != JSON_NUMBER || !t->len)
		return false;
	for (size_t i = 0; i < t->len; i++) {
		if (t->at[i] < '0' || t->at[i] > '9')
			return false;
		v = v > MCP_LIMIT_MOST ? v : 10 * v + (size_t)(t->at[i] - '0');
	}
	*limit = v < MCP_LIMIT_LEAST ? MCP_LIMIT_LEAST : v > MCP_LIMIT_MOST ? MCP_LIMIT_MOST : v;
	return true;
}

/* Reads the value of one argument. */
static bool
read_argument(struct span_reader *r, const struct buf *key, const struct json_token *t,
	      unsigned takes, struct mcp_args *out, struct buf *why)
{
	const char *name = buf_str(key);
	bool good;

	if (!strcmp(name, "limit")) {
		good = mcp_read_limit(t, &out->limit);
		if (!good)
			buf_adds(why, "limit takes a number of bytes");
		return good;
	}
	if (takes & MCP_TAKES_WORDS && !strcmp(name, "words")) {
		good = read_words(r, t, out);
		if (!good)
			buf_adds(why, "words takes a list of strings, as [\"--view\", \"tree\"]");
		return good;
	}
	for (unsigned i = 0; i < MCP_ARGUMENT_COUNT; i++)
		if (takes & 1u << i && !strcmp(name, arguments[i].name)) {
			good = read_text(r, t, &out->text[i]);
			if (!good)
				buf_addf(why, "%s takes a text", arguments[i].name);
			return good;
		}
	buf_addf(why, "there is no argument '%.60s'", name);
	return false;
}

bool
mcp_args_read(struct mcp_args *out, struct mcp_span object, unsigned takes, unsigned needs,
	      struct buf *why)
{
	struct span_reader r;
	struct json_token k, t;
	struct buf key = BUF_INIT;
	bool good = true;

	*out = (struct mcp_args){.limit = MCP_LIMIT};
	if (object.at) {
		span_open(&r, object);
		json_next(&r.json, &t);
		while (good && json_next(&r.json, &k) && k.kind == JSON_KEY) {
			buf_reset(&key);
			json_text(&r.json, &k, &key);
			good = json_next(&r.json, &t) &&
			       read_argument(&r, &key, &t, takes, out, why);
		}
		span_close(&r);
	}
	for (unsigned i = 0; good && i < MCP_ARGUMENT_COUNT; i++)
		if (needs & 1u << i && !out->text[i]) {
			buf_addf(why, "the argument %s is missing", arguments[i].name);
			good = false;
		}
	buf_release(&key);
	return good;
}

void
mcp_args_release(struct mcp_args *a)
{
	for (unsigned i = 0; i < MCP_ARGUMENT_COUNT; i++)
		free(a->text[i]);
	for (size_t i = 0; i < a->words.n; i++)
		free(a->words.at[i]);
	vec_release(&a->words);
}
