/* sql_prompt.h - the prompt of `pnav sql -i`: reads queries and commands line by line. */
#ifndef PNAV_SRC_COMMAND_SQL_PROMPT_H
#define PNAV_SRC_COMMAND_SQL_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/err.h"

struct sql;

/* All members are borrowed until sql_prompt_run() returns. */
struct sql_prompt {
	/* Runs queries and prints their results. Returns false with the error in *e. */
	bool (*answer)(void *ctx, const char *text, struct err *e);
	/* Prints an error; the prompt continues. */
	void (*say)(void *ctx, const struct err *e);
	/* Returns true, once, if Ctrl-C was pressed. */
	bool (*interrupted)(void *ctx);
	void *ctx;
	struct sql *sql; /* for the names that Tab completes */
};

/* Reads standard input up to its end or .quit. On a terminal it has a prompt, and, if libedit is
 * installed, editing, completion and a history that is kept. Returns false if a query failed and
 * the input is no terminal. */
bool sql_prompt_run(const struct sql_prompt *p);

#endif
