/* option.h - an option of the command line is a row of a table.
 *
 * Commands, decoders and encoders define rows; options.c converts them to getopt's tables and to
 * help texts. The value is stored where `at` points, so most rows need no function:
 *
 *	{"limit", "N", "at most N rows", .kind = OPTION_NUMBER,
 *	 .at = offsetof(struct report_options, limit)},
 *
 * Options of formats are stored by name: the decoder or encoder gets them by input_option() or
 * encode_option(). */
#ifndef PNAV_SRC_OPTION_H
#define PNAV_SRC_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "model/base/err.h"

enum option_kind {
	OPTION_FLAG,   /* no value; sets a bool to true */
	OPTION_TEXT,   /* a const char *, which points into argv */
	OPTION_NUMBER, /* a whole number >= 0: a uint64_t */
	OPTION_CHOICE, /* one of `choices`: an enum, the index */
};

struct options;

struct option_row {
	const char *name;  /* "metric"; NULL ends a table */
	const char *value; /* "NAME" in the help, or NULL for no value */
	const char *help;  /* one line */
	enum option_kind kind;
	char letter;   /* the short form, or 0 */
	bool optional; /* --name or --name=VALUE */
	bool repeats;  /* may be given more than once */
	bool is_file;  /* the value is an input file: it is never overwritten, and is searched
		        * beside a session that has moved */
	bool asks_servers; /* a session sets it only if the user allows it */
	bool common;   /* `at` is in struct options, not in the command's own structure */
	size_t at;
	const char *const *choices; /* ends with NULL */
	/* Checks a value before it is stored; false with usage in *e. May be NULL. */
	bool (*check)(const struct option_row *row, const char *value, struct err *e);
	/* Replaces kind and at; value is NULL if there is none; usage in *e. */
	bool (*set)(struct options *o, const struct option_row *row, const char *value,
		    struct err *e);
};

/* An option of a format as it was given. Like the lens, it is part of the view. */
struct option_given {
	const char *name;
	const char *value; /* NULL if it takes none */
};

struct given {
	struct option_given *at; /* one per option (model/base/vec.h) */
	size_t n, cap;
};

/* Returns the value of an option; NULL if it was not given, "" if it takes no value. */
static inline const char *
given_value(const struct given *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->at[i].name, name))
			return g->at[i].value ? g->at[i].value : "";
	return NULL;
}

#endif
