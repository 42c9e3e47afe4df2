/* options.h - the command line, read from tables.
 *
 * An option is a row: its name, what it takes, a line of help, and the function that
 * stores it.  Help texts come from the same rows.  Every command has the rows of the lens
 * and of the formats; it adds its own. */
#ifndef PNAV_SRC_OPTIONS_H
#define PNAV_SRC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/err.h"
#include "model/lens.h"
#include "model/vec.h"
#include "src/input/input.h"

/* An option of the formats as it was given: it belongs to the view like the lens. */
struct option_given {
	const struct option_row *row;
	const char *value; /* NULL when it takes none */
};

struct session;

/* What the rows of the lens and the formats fill. */
struct options {
	struct lens lens;
	struct format_options format;
	VEC(struct option_given) given; /* one an option */
	struct lens base; /* what is compared with: its range and tracks (lens_base()) */
	bool compares;    /* there is one */
	bool base_tracks; /* it has its own tracks, perhaps all */
	struct session *session; /* where --session goes, of commands that have it */
	bool resumes;            /* it was given */
	VEC(const char *) files; /* operands, of argv */
	VEC(const char *) read;  /* files that options name: filters, maps */
	bool help;
	void *own; /* the command's own structure, for its rows */
};

struct option_row {
	const char *name; /* "metric"; NULL ends a table */
	char letter;      /* of the short form, or 0 */
	const char *value; /* "NAME", or NULL when it takes none */
	bool optional;    /* --name or --name=VALUE */
	bool repeats;     /* may be given more than once */
	const char *help;
	/* value is NULL when there is none; false with usage in *e */
	bool (*set)(struct options *o, const struct option_row *row, const char *value,
		    struct err *e);
};

extern const struct option_row lens_rows[];
extern const struct option_row format_rows[];

/* Rows for commands that can compare ranges. */
#define BASE_ROWS                                                                          \
	{"base-from", 0, "T", false, false, "compare with the range that begins at T",     \
	 option_base},                                                                     \
	{"base-to", 0, "T", false, false, "compare with the range that ends before T",     \
	 option_base},                                                                     \
	{"base-track", 0, "PATTERN", false, true,                                          \
	 "compare with tracks that match; without it, with --track's", option_base}
bool option_base(struct options *o, const struct option_row *row, const char *value,
		 struct err *e);

void options_init(struct options *o, void *own);
void options_release(struct options *o);
/* Reads argv[1..]; operands go to o->files.  `own` may be NULL; the rows of the lens and
 * of the formats count where `lens` is set.  False with usage in *e. */
bool options_read(struct options *o, int argc, char **argv, const struct option_row *own,
		  bool lens, struct err *e);
/* Tells which rows of argv[1..] are given, as options_read() would read them (abbreviated,
 * with -x, with =VALUE), and sets nothing: for who must know before what reads them.  Rows
 * are those of `own`, and of `more` where `own` has none of that name; the operands come
 * last, with row NULL.  False at what is no option; then the rest is not told. */
bool options_scan(int argc, char **argv, const struct option_row *own,
		  const struct option_row *more,
		  void (*seen)(void *ctx, const struct option_row *row, const char *value),
		  void *ctx);
/* Sets an option of the formats by its name; usage in *e when there is no such.  `value`
 * must stay as long as the options. */
bool options_set_format(struct options *o, const char *name, const char *value,
			struct err *e);
/* One line a row. */
void options_help(FILE *out, const char *title, const struct option_row *rows);

/* A whole number from 0 up; usage in *e otherwise. */
bool option_number(const char *name, const char *text, long long *out, struct err *e);

#endif
