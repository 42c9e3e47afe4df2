/* mcp.c - `pnav mcp`: a server of the Model Context Protocol on standard input and output, for
 * programs that read profiles, such as agents.
 *
 * A message is a line of JSON.  The server answers one request after the other, on one thread;
 * profiles load on theirs.  Standard output has replies alone; nothing here prints a message in
 * another way.
 *
 * The protocol is small: initialize, ping, tools/list, tools/call, and two notifications.  A
 * library for it would bring its own event loop and a JSON library; src/input/ has a reader that
 * keeps ids as they came. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/escape.h"
#include "src/command/command.h"
#include "src/command/mcp/mcp_inside.h"
#include "src/command/open.h"
#include "src/command/say.h"
#include "src/encode/json_text.h"

/* Supported versions of the protocol, the newest first. */
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

static const char instructions[] =
	"pnav reads profiles of programs. Begin with `answers`; then `report` with words of the "
	"command line shows any view. Numbers are in base units (ns, bytes, samples), which the "
	"first line of a result names. `manual` explains options and views.";

struct mcp_options {
	VEC(const char *) allowed; /* folders */
};

/* The replies to one line. */
struct replies {
	struct mcp_server *server;
	FILE *out;
	unsigned n;
	bool list;
};

/* ---- replies ---- */

/* Begins a reply. A request whose id is unknown has the id null. */
static void
reply_begin(struct replies *r, struct mcp_span id)
{
	fputs(r->n++ && r->list ? "," : "", r->out);
	fputs("{\"jsonrpc\":\"2.0\",\"id\":", r->out);
	if (id.at)
		fwrite(id.at, 1, id.len, r->out);
	else
		fputs("null", r->out);
	fputc(',', r->out);
}

static void
reply_error(struct replies *r, struct mcp_span id, enum mcp_code code, const char *text)
{
	reply_begin(r, id);
	fprintf(r->out, "\"error\":{\"code\":%d,\"message\":", (int)code);
	json_string(r->out, text, strlen(text));
	fputs("}}", r->out);
}

static void
reply_initialize(struct replies *r, const struct mcp_message *m)
{
	struct buf wanted = BUF_INIT;
	const char *version = versions[0];

	mcp_member(m->params, "protocolVersion", &wanted);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (!strcmp(versions[i], buf_str(&wanted)))
			version = versions[i];
	if (!wanted.len) {
		reply_error(r, m->id, MCP_BAD_PARAMS, "protocolVersion is missing");
	} else {
		reply_begin(r, m->id);
		fprintf(r->out,
			"\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
			"\"serverInfo\":{\"name\":\"pnav\",\"version\":\"%s\"},"
			"\"instructions\":",
			version, PACKAGE_VERSION);
		json_string(r->out, instructions, strlen(instructions));
		fputs("}}", r->out);
	}
	buf_release(&wanted);
}

/* Shortens a text to the limit, at the end of a line if there is one. */
static void
clip(struct buf *text, size_t limit)
{
	size_t all = text->len, keep = limit > 120 ? limit - 120 : 0;

	if (all <= limit)
		return;
	const char *line = memrchr(text->at, '\n', keep);
	if (line)
		keep = (size_t)(line - text->at) + 1;
	while (keep && ((unsigned char)text->at[keep] & 0xC0) == 0x80)
		keep--;
	text->len = keep;
	buf_addf(text, "\ncut: %zu of %zu bytes; for all ask with limit: %zu\n", keep, all, all);
}

/* Writes a result: its text with the notes below, or apart if the text is JSON. */
static void
reply_result(struct replies *r, struct mcp_span id, struct mcp_result *result, size_t limit,
	     bool error)
{
	bool json = result->text.len && *result->text.at == '{';

	if (!json) {
		buf_add(&result->text, buf_str(&result->note), result->note.len);
		clip(&result->text, limit);
	}
	reply_begin(r, id);
	fputs("\"result\":{\"content\":[{\"type\":\"text\",\"text\":", r->out);
	json_string(r->out, buf_str(&result->text), result->text.len);
	if (json && result->note.len) {
		fputs("},{\"type\":\"text\",\"text\":", r->out);
		json_string(r->out, buf_str(&result->note), result->note.len);
	}
	fprintf(r->out, "}],\"isError\":%s}}", error ? "true" : "false");
}

/* ---- methods ---- */

static void
run_tool(struct replies *r, struct mcp_span id, const struct mcp_tool *tool,
	 const struct mcp_args *args)
{
	struct mcp_server *s = r->server;
	struct mcp_result result = {.text = BUF_INIT};
	struct err e;

	err_init(&e);
	bool good = tool->run(s, args, &result, &e);
	bool stopped = mcp_wire_stops(&s->wire) || s->wire.pace.over;
	if (!good && !err_is_set(&e) && stopped)
		err_usage(&e, "cancelled: the input has ended");
	if (!good && !err_is_set(&e))
		err_usage(&e, "no result");
	if (!good) {
		buf_reset(&result.text);
		buf_reset(&result.note);
		if (e.has_offset)
			buf_addf(&result.text, "at byte %llu: ", (unsigned long long)e.offset);
		escape_bytes(&result.text, e.text, strlen(e.text), false);
	}
	/* a client does not expect a reply to what it has cancelled */
	if (!s->wire.cancelled)
		reply_result(r, id, &result, args->limit, !good);
	buf_release(&result.text);
	buf_release(&result.note);
}

static void
call_tool(struct replies *r, const struct mcp_message *m)
{
	struct buf name = BUF_INIT, why = BUF_INIT;
	struct mcp_args args = {.limit = 0};

	mcp_member(m->params, "name", &name);
	const struct mcp_tool *tool = mcp_tool_named(buf_str(&name));
	struct mcp_span given = mcp_member(m->params, "arguments", NULL);
	if (!tool)
		buf_addf(&why, "there is no tool '%.60s'", buf_str(&name));
	else if (given.at && *given.at != '{')
		buf_adds(&why, "arguments is no object");
	else if (mcp_args_read(&args, given, tool->takes, tool->needs, &why) &&
		 mcp_wire_begin(&r->server->wire, m->id)) {
		run_tool(r, m->id, tool, &args);
		mcp_wire_end(&r->server->wire);
		r->server->asked = true;
	}
	if (why.len) {
		struct buf shown = BUF_INIT;
		escape_bytes(&shown, why.at, why.len, false);
		reply_error(r, m->id, MCP_BAD_PARAMS, buf_str(&shown));
		buf_release(&shown);
	}
	mcp_args_release(&args);
	buf_release(&name);
	buf_release(&why);
}

/* Handles a message without an id. */
static void
take_notification(struct replies *r, const struct mcp_message *m)
{
	if (!strcmp(buf_str(&m->method), "notifications/cancelled"))
		mcp_wire_forget(&r->server->wire, mcp_member(m->params, "requestId", NULL));
}

static void
take_message(void *ctx, enum mcp_code code, const struct mcp_message *m)
{
	struct replies *r = ctx;
	const char *method = buf_str(&m->method);

	if (code != MCP_OK) {
		reply_error(r, m->id, code, "no request of JSON-RPC 2.0");
	} else if (m->answers) {
		return; /* the server asks nothing */
	} else if (!m->id.at) {
		take_notification(r, m);
	} else if (!strcmp(method, "tools/call")) {
		call_tool(r, m);
	} else if (!strcmp(method, "initialize")) {
		reply_initialize(r, m);
	} else if (!strcmp(method, "ping")) {
		reply_begin(r, m->id);
		fputs("\"result\":{}}", r->out);
	} else if (!strcmp(method, "tools/list")) {
		reply_begin(r, m->id);
		fputs("\"result\":", r->out);
		mcp_schema_write(r->out);
		fputc('}', r->out);
	} else {
		reply_error(r, m->id, MCP_NO_METHOD, "there is no such method");
	}
}

/* ---- lines ---- */

/* Writes the replies to one line, as one line. */
static void
answer_line(struct mcp_server *s, const char *line, size_t len)
{
	char *text = NULL;
	size_t text_len = 0;
	struct buf why = BUF_INIT;
	struct replies r = {.server = s, .out = open_memstream(&text, &text_len)};

	if (!r.out)
		return;
	if (mcp_check(line, len, &why) != MCP_OK) {
		reply_error(&r, (struct mcp_span){NULL, 0}, MCP_NOT_JSON, buf_str(&why));
	} else {
		r.list = line[strspn(line, " \t\r")] == '[';
		r.list = mcp_split(line, len, take_message, &r);
	}
	fclose(r.out);
	if (r.n) {
		fputs(r.list ? "[" : "", s->wire.out);
		fwrite(text, 1, text_len, s->wire.out);
		fputs(r.list ? "]\n" : "\n", s->wire.out);
		fflush(s->wire.out);
	}
	free(text);
	buf_release(&why);
}

static void
report_long(struct mcp_server *s)
{
	struct replies r = {.server = s, .out = s->wire.out};

	for (; s->wire.refused; s->wire.refused--) {
		reply_error(&r, (struct mcp_span){NULL, 0}, MCP_NOT_REQUEST,
			    "the message is longer than 16 MB");
		fputc('\n', s->wire.out);
	}
	fflush(s->wire.out);
}

static void
serve(struct mcp_server *s)
{
	struct buf line = BUF_INIT;
	const char *at;
	size_t len;

	while (!ferror(s->wire.out)) {
		if (s->asked)
			mcp_prepare(s);
		at = mcp_wire_line(&s->wire, &len);
		if (s->wire.refused)
			report_long(s);
		if (!at && s->wire.ended && s->wire.at == s->wire.text.len)
			break;
		if (!at)
			continue;
		/* more bytes may arrive while it is answered, and move the others */
		buf_reset(&line);
		buf_add(&line, at, len);
		if (line.len && strspn(buf_str(&line), " \t\r") < line.len)
			answer_line(s, buf_str(&line), line.len);
	}
	buf_release(&line);
}

/* ---- the command ---- */

static bool
add_allowed(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct mcp_options *own = o->own;

	(void)row;
	(void)e;
	*vec_push(&own->allowed) = value;
	return true;
}

static const struct option_row mcp_rows[] = {
	{"allow", "DIR", "the tool open may load files below this folder", .repeats = true,
	 .set = add_allowed},
	{0},
};

static int
mcp_run(const struct command *self, int argc, char **argv)
{
	struct mcp_options own = {.allowed = VEC_INIT};
	struct options o;
	struct mcp_server s = {.files = NULL};
	struct err e;
	int status;

	err_init(&e);
	options_init(&o, &own);
	bool good = command_options(self, &o, argc, argv, &status);
	for (size_t i = 0; good && i < o.files.n; i++)
		if (!strcmp(o.files.at[i], "-"))
			good = err_usage(&e, "standard input has the requests, not a profile");
	if (good) {
		s.files = mcp_files_new(&o);
		for (size_t i = 0; good && i < own.allowed.n; i++)
			good = mcp_files_allow(s.files, own.allowed.at[i], &e);
	}
	if (good) {
		mcp_wire_init(&s.wire, STDIN_FILENO, stdout);
		serve(&s);
		mcp_wire_release(&s.wire);
		mcp_memo_release(&s.memo);
	}
	if (err_is_set(&e))
		status = say_usage(self, &e);
	if (s.files && (!good || open_frees()))
		mcp_files_free(s.files);
	options_release(&o);
	vec_release(&own.allowed);
	return status;
}

const struct command command_mcp = {
	.name = "mcp",
	.synopsis = "[--allow DIR]... [OPTION...] [FILE...]",
	.summary = "answer programs that speak the Model Context Protocol",
	.examples = "pnav mcp perf.data\0"
		    "pnav mcp --allow . perf.data\0",
	.options = mcp_rows,
	.takes = TAKES_FORMATS,
	.run = mcp_run,
};
