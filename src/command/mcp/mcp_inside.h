/* mcp_inside.h - shared by the files of `pnav mcp`; no other file includes it.
 *
 * mcp_wire.c     lines in and out, and requests that are cancelled meanwhile
 * mcp_message.c  a line as messages, and the arguments of a tool
 * mcp_files.c    the profiles that are open
 * mcp_manual.c   the manual's pages as text
 * mcp_memo.c     results that are kept
 * mcp_tools.c    the tools
 * mcp_schema.c   the list of the tools
 * mcp.c          the command: methods and replies
 *
 * A file calls only files above it. */
#ifndef PNAV_SRC_COMMAND_MCP_INSIDE_H
#define PNAV_SRC_COMMAND_MCP_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/pace.h"
#include "model/base/vec.h"
#include "src/command/report/report.h"
#include "src/load.h"
#include "src/options.h"

/* ---- mcp_message.c ---- */

/* Codes of JSON-RPC 2.0 (section 5.1). */
enum mcp_code {
	MCP_OK = 0,
	MCP_NOT_JSON = -32700,
	MCP_NOT_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_BAD_PARAMS = -32602,
};

/* A piece of a line: raw JSON. */
struct mcp_span {
	const char *at; /* NULL: there is none */
	size_t len;
};

struct mcp_message {
	struct mcp_span id;     /* exactly as it came */
	struct mcp_span params; /* an object */
	struct buf method;
	bool answers; /* it is a reply, not a request */
};

/* Checks a line. Returns a code, with the reason in *why. */
enum mcp_code mcp_check(const char *line, size_t len, struct buf *why);
/* Splits a checked line into its messages: calls found() for each; the spans point into the line.
 * `code` is MCP_NOT_REQUEST for what is none. Returns true if the line is a list of messages. */
bool mcp_split(const char *line, size_t len,
	       void (*found)(void *ctx, enum mcp_code code, const struct mcp_message *m),
	       void *ctx);
/* Returns the member of an object; its text for a string, if `text` is not NULL. */
struct mcp_span mcp_member(struct mcp_span object, const char *key, struct buf *text);
bool mcp_span_is(struct mcp_span a, struct mcp_span b);

/* The arguments of tools: each has a bit, a place, and a line for the reader. */
#define MCP_ARGUMENTS(X)                                                                   \
	X(path, "the file to open")                                                        \
	X(file, "which open profile, by its path or name; default: the last one opened")   \
	X(thread, "the thread that waits: its name or a pattern")                          \
	X(from, "begin of the range: a time with a unit (1.5s), or 25%")                   \
	X(to, "end of the range")                                                          \
	X(query, "SELECT ...; the tables: SELECT name, sql FROM sqlite_schema")            \
	X(old, "the open profile to compare with")                                         \
	X(new, "the open profile to be compared")                                          \
	X(section, "a page or a section, such as pnav-sql or PATTERNS")                    \
	X(search, "text to look for in all pages")

enum mcp_argument {
#define MCP_ARGUMENT_ENUM(name, about) MCP_##name,
	MCP_ARGUMENTS(MCP_ARGUMENT_ENUM)
#undef MCP_ARGUMENT_ENUM
		MCP_ARGUMENT_COUNT
};
#define MCP_TAKES(name) (1u << MCP_##name)
#define MCP_TAKES_WORDS (1u << MCP_ARGUMENT_COUNT) /* `words`: options of `pnav report` */
/* Every tool takes `limit`, in bytes. */
#define MCP_LIMIT 8192u
#define MCP_LIMIT_LEAST 512u
#define MCP_LIMIT_MOST (64u << 20)

struct mcp_args {
	char *text[MCP_ARGUMENT_COUNT]; /* NULL: not given */
	VEC(char *) words;
	size_t limit; /* bytes */
};

/* Returns the name of an argument; `about` may be NULL. */
const char *mcp_argument(enum mcp_argument i, const char **about);
/* Parses the arguments of a tool. Returns false with the reason in *why. */
bool mcp_args_read(struct mcp_args *out, struct mcp_span object, unsigned takes, unsigned needs,
		   struct buf *why);
void mcp_args_release(struct mcp_args *a);

/* ---- mcp_wire.c ---- */

#define MCP_MESSAGE_MOST (16u << 20)

struct mcp_wire {
	int in;
	FILE *out;
	struct pace pace; /* of the request that runs: cancels it */
	struct buf text;  /* received bytes; those from `at` on are not taken yet */
	size_t at;
	size_t scanned;   /* up to here there is no cancellation to find */
	size_t searched;  /* up to here there is no end of a line */
	bool skips;       /* inside a message that is too long */
	unsigned refused; /* number of such messages, not reported yet */
	bool ended;       /* the input */
	int64_t ended_ms, began_ms; /* when the input ended; when the request began */
	int64_t looked_ms;
	struct buf id;    /* of the request that runs; empty: none does */
	bool cancelled;   /* ... and it was cancelled by the client */
	bool idle;        /* no request runs: work in advance stops when bytes arrive */
	VEC(char *) others; /* ids of requests that were cancelled before they began */
};

void mcp_wire_init(struct mcp_wire *w, int in, FILE *out);
void mcp_wire_release(struct mcp_wire *w);
/* Waits for the next line; valid until the next call. NULL at the end of the input, and when
 * w->refused became true. */
const char *mcp_wire_line(struct mcp_wire *w, size_t *len);
/* Marks the begin of a request. Returns false if the client has cancelled it already. */
bool mcp_wire_begin(struct mcp_wire *w, struct mcp_span id);
void mcp_wire_end(struct mcp_wire *w);
/* Begins work in advance, if no bytes wait. Returns false if a request may be there. The work ends
 * with mcp_wire_end(). */
bool mcp_wire_idle(struct mcp_wire *w);
/* Forgets the id of a request that was cancelled before it began; false if there is none. */
bool mcp_wire_forget(struct mcp_wire *w, struct mcp_span id);
/* Reads the bytes that wait. Returns true if the request that runs should stop: it is cancelled, or
 * the input ended a second ago; work in advance: bytes are there. */
bool mcp_wire_stops(struct mcp_wire *w);

/* ---- mcp_files.c ---- */

struct mcp_files;

/* `options` is borrowed. Starts to load its files. */
struct mcp_files *mcp_files_new(const struct options *options);
void mcp_files_free(struct mcp_files *f);
/* Allows files under a folder. Usage in *e if there is none. */
bool mcp_files_allow(struct mcp_files *f, const char *dir, struct err *e);
/* Opens a file, unless it is open. Returns false with the reason in *e, and without if the request
 * should stop. */
bool mcp_files_open(struct mcp_files *f, struct mcp_wire *w, const char *path, struct err *e);
/* Returns a loaded profile: that of this name, or the one opened last if name is NULL. NULL as
 * above. */
struct report_source *mcp_files_find(struct mcp_files *f, struct mcp_wire *w, const char *name,
				     struct err *e);
/* Returns the comparison of two open profiles. NULL as above. */
struct report_source *mcp_files_compare(struct mcp_files *f, struct mcp_wire *w,
					const char *old, const char *new, struct err *e);
/* Appends a paragraph for each open profile, or for the one of `only`. */
bool mcp_files_list(struct mcp_files *f, struct mcp_wire *w, const struct report_source *only,
		    struct buf *out, struct err *e);

/* ---- mcp_manual.c ---- */

/* Appends a section or a page, what contains a text, or the list of the sections if both are
 * NULL. */
bool mcp_manual(const char *section, const char *search, struct buf *out, struct err *e);

/* ---- mcp_memo.c ---- */

/* The result of a tool. */
struct mcp_result {
	struct buf text;
	struct buf note; /* lines: what was cut, what has no effect */
};

/* Results of reports and queries: a profile does not change, so they hold. */
#define MCP_MEMO_RESULTS 32u
#define MCP_MEMO_BYTES (256u << 10) /* a larger one is not kept */
struct mcp_memo {
	struct {
		struct buf key;
		struct mcp_result result;
	} of[MCP_MEMO_RESULTS];
	unsigned next; /* the one that is replaced next */
};

/* Writes a name of a report: the profile, the words, the limit. */
void mcp_memo_key(struct buf *key, const struct report_source *source,
		  const struct report_asks *asks);
/* Appends the kept result; returns false if there is none. */
bool mcp_memo_find(const struct mcp_memo *m, const struct buf *key, struct mcp_result *out);
void mcp_memo_keep(struct mcp_memo *m, const struct buf *key, const struct mcp_result *result);
void mcp_memo_release(struct mcp_memo *m);

/* ---- mcp_tools.c ---- */

struct mcp_server {
	struct mcp_wire wire;
	struct mcp_files *files;
	struct mcp_memo memo;
	uint64_t prepared; /* serial of the profile whose answers were computed in advance */
	unsigned tries;    /* ... and how often that was begun */
	bool asked;        /* a tool was called */
};

struct mcp_tool {
	const char *name, *about;
	unsigned takes, needs; /* bits of arguments */
	/* Returns false with the reason in *e, and without if the request should stop. */
	bool (*run)(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out,
		    struct err *e);
};

/* Computes the answers of the profile opened last, until a request arrives. */
void mcp_prepare(struct mcp_server *s);

extern const struct mcp_tool mcp_tools[];
extern const size_t mcp_n_tools;
/* Returns the tool of this name; NULL if there is none. */
const struct mcp_tool *mcp_tool_named(const char *name);

/* ---- mcp_schema.c ---- */

/* Writes the result of tools/list. */
void mcp_schema_write(FILE *out);

#endif
