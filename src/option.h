/* option.h - an option of the command line is a row of a table.
 *
 * Commands, decoders and encoders bring their own rows; options.c makes getopt's tables
 * and the help of them.  What a row takes goes where `at` says, so most rows need no
 * function:
 *
 *	{"limit", "N", "at most N rows", .kind = OPTION_NUMBER,
 *	 .at = offsetof(struct report_options, limit)},
 *
 * Options of formats have no place of their own: who reads or writes the format asks for
 * them by name (input_option(), encode_option()). */
#ifndef PNAV_SRC_OPTION_H
#define PNAV_SRC_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/base/err.h"

enum option_kind {
	OPTION_FLAG,   /* takes nothing; a bool, which becomes true */
	OPTION_TEXT,   /* a const char *, which stays argv's */
	OPTION_NUMBER, /* a whole number from 0 up: a uint64_t */
	OPTION_CHOICE, /* one of `choices`: an enum, the index among them */
};

struct options;

struct option_row {
	const char *name;  /* "metric"; NULL ends a table */
	const char *value; /* "NAME" as the help has it, or NULL when it takes none */
	const char *help;  /* a line */
	enum option_kind kind;
	char letter;   /* of the short form, or 0 */
	bool optional; /* --name or --name=VALUE */
	bool repeats;  /* may be given more than once */
	bool is_file;  /* the value is a file that is read: never written over, and looked
			* for beside a session that has moved */
	bool asks_servers; /* a session switches it on only where the user allows it */
	bool common;   /* `at` is in struct options, not in the command's own structure */
	size_t at;
	const char *const *choices; /* ended by NULL */
	/* May refuse a value, with usage in *e, before it is stored; or NULL. */
	bool (*check)(const struct option_row *row, const char *value, struct err *e);
	/* Instead of kind and at; value is NULL when there is none; usage in *e. */
	bool (*set)(struct options *o, const struct option_row *row, const char *value,
		    struct err *e);
};

/* An option of a format as it was given: it belongs to the view like the lens. */
struct option_given {
	const char *name;
	const char *value; /* NULL when it takes none */
};

struct given {
	struct option_given *at; /* one an option (model/base/vec.h) */
	size_t n, cap;
};

/* The value of an option: NULL when it was not given, "" when it takes none. */
static inline const char *
given_value(const struct given *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->at[i].name, name))
			return g->at[i].value ? g->at[i].value : "";
	return NULL;
}

#endif
