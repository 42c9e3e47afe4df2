/* mcp_schema.c - the result of tools/list: names, descriptions, and arguments as JSON Schema. */
#include <string.h>

#include "src/command/mcp/mcp_inside.h"
#include "src/encode/json_text.h"

static void
member(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\":", key);
	json_string(out, text, strlen(text));
}

static void
write_tool(const struct mcp_tool *t, FILE *out)
{
	bool first = true;

	fputc('{', out);
	member(out, "name", t->name);
	fputc(',', out);
	member(out, "description", t->about);
	fputs(",\"inputSchema\":{\"type\":\"object\",\"properties\":{", out);
	for (unsigned i = 0; i < MCP_ARGUMENT_COUNT; i++) {
		const char *about, *name = mcp_argument((enum mcp_argument)i, &about);
		if (!(t->takes & 1u << i))
			continue;
		fprintf(out, "%s\"%s\":{\"type\":\"string\",", first ? "" : ",", name);
		member(out, "description", about);
		fputc('}', out);
		first = false;
	}
	if (t->takes & MCP_TAKES_WORDS) {
		fputs(first ? "" : ",", out);
		fputs("\"words\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},", out);
		member(out, "description", "options of pnav report, one word an item, without "
					   "files: --view, --include, --from, --limit, ...");
		fputc('}', out);
		first = false;
	}
	fputs(first ? "" : ",", out);
	fputs("\"limit\":{\"type\":\"integer\",", out);
	member(out, "description", "most bytes of the result; default 8192");
	fputs("}},\"required\":[", out);
	first = true;
	for (unsigned i = 0; i < MCP_ARGUMENT_COUNT; i++)
		if (t->needs & 1u << i) {
			fprintf(out, "%s\"%s\"", first ? "" : ",",
				mcp_argument((enum mcp_argument)i, NULL));
			first = false;
		}
	fputs("],\"additionalProperties\":false},"
	      "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}", out);
}

void
mcp_schema_write(FILE *out)
{
	fputs("{\"tools\":[", out);
	for (size_t i = 0; i < mcp_n_tools; i++) {
		fputs(i ? "," : "", out);
		write_tool(&mcp_tools[i], out);
	}
	fputs("]}", out);
}
