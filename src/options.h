/* options.h - parses the command line by tables.
 *
 * An option is a row (option.h): its name, its value, a line of help, and a destination. The help
 * texts come from the same rows. A command has rows of its own, and declares which shared rows it
 * accepts: those of the lens, of input formats, of output formats. */
#ifndef PNAV_SRC_OPTIONS_H
#define PNAV_SRC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/lens/lens.h"
#include "src/input/input.h"
#include "src/option.h"

struct session;

/* Values of the shared rows. */
struct options {
	struct lens lens;
	struct format_options format; /* for reading */
	struct given written;         /* for writing */
	struct lens base; /* the base of a comparison: its range and tracks (lens_base()) */
	bool compares;    /* there is a base */
	bool base_tracks; /* the base has tracks of its own, perhaps all */
	bool normalize;   /* comparisons are of shares */
	bool independent; /* samples without time are considered independent */
	VEC(const char *) old, new; /* files of each side, from argv; o->files then has both */
	uint32_t n_base;  /* number of o->files that are the base of a comparison of files */
	struct session *session; /* destination of --session, for commands that have it */
	bool resumes;            /* --session was given */
	VEC(const char *) files; /* operands, from argv */
	VEC(const char *) read;  /* files named by options: filters, maps */
	bool help;
	void *own; /* the command's own structure, for its rows */
};

/* Which shared rows a command accepts. */
enum options_taken {
	TAKES_LENS = 1,
	TAKES_FORMATS = 2,
	TAKES_PROFILE = TAKES_LENS | TAKES_FORMATS,
	TAKES_ENCODERS = 4,
	TAKES_SIDES = 8, /* several files a side: --old, --new */
	TAKES_QUERY = 16, /* the first operand is a query, also beside --old and --new */
};

extern const struct option_row lens_rows[];
extern const struct option_row side_rows[];

/* The rows of several tables, each name once, since two formats may share an option. */
#define OPTIONS_MAX 128
struct option_table {
	const struct option_row *row[OPTIONS_MAX];
	unsigned n;
};
void option_table_add(struct option_table *t, const struct option_row *rows);
void option_table_add_formats(struct option_table *t);
void option_table_add_encoders(struct option_table *t);
/* Returns NULL if there is no row of that name. */
const struct option_row *option_table_find(const struct option_table *t, const char *name);

/* Rows of commands that can compare ranges. */
#define BASE_ROWS                                                                          \
	{"base-from", "T", "compare with the range that begins at T", .set = option_base}, \
	{"base-to", "T", "compare with the range that ends before T", .set = option_base}, \
	{"base-track", "PATTERN",                                                          \
	 "compare with tracks that match; default: those of --track", .repeats = true,    \
	 .set = option_base},                                                              \
	{"normalize", .help = "compare shares: scale the base to the same total",         \
	 .common = true, .at = offsetof(struct options, normalize)},                       \
	{"assume-independent",                                                             \
	 .help = "assume that samples without time are independent",  \
	 .common = true, .at = offsetof(struct options, independent)}
bool option_base(struct options *o, const struct option_row *row, const char *value,
		 struct err *e);

void options_init(struct options *o, void *own);
void options_release(struct options *o);
/* Parses argv[1..]; operands go to o->files. `own` may be NULL; `taken` is a set of enum
 * options_taken. Returns false with usage in *e. */
bool options_read(struct options *o, int argc, char **argv, const struct option_row *own,
		  unsigned taken, struct err *e);
/* Passes the rows that argv[1..] gives, parsed as by options_read() (abbreviated, with -x, with
 * =VALUE), to a callback and stores nothing, for callers that must know an option before the
 * parsing. It uses the rows of `own`, the shared ones in `taken` (enum options_taken), and those of
 * `more` with other names. Operands come last, with row NULL. Returns false at an unknown option,
 * and stops there. */
bool options_scan(int argc, char **argv, const struct option_row *own, unsigned taken,
		  const struct option_row *more,
		  void (*seen)(void *ctx, const struct option_row *row, const char *value),
		  void *ctx);
/* Sets an option of the formats by name; usage in *e if there is none. `value` must live as long as
 * the options. */
bool options_set_format(struct options *o, const char *name, const char *value,
			struct err *e);
/* Prints one line a row. */
void options_help(FILE *out, const char *title, const struct option_table *t);

/* Parses a whole number >= 0; usage in *e otherwise. */
bool option_number(const char *name, const char *text, long long *out, struct err *e);
/* Parses a duration in ns, >= 0: "90" (seconds), "1.5s", "5min"; usage in *e otherwise. */
bool option_length(const char *name, const char *text, int64_t *ns, struct err *e);
/* Sets how long a server may be silent while a profile is read; 0: no limit. */
void options_set_silence(struct options *o, int64_t ns);
/* Returns false with usage in *e, which does not show it, if an operand is a URL that contains a
 * password. options_read() calls it; for callers with operands from elsewhere. */
bool options_hold_no_password(const struct options *o, struct err *e);

#endif
