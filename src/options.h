/* options.h - the command line, read from tables.
 *
 * An option is a row (option.h): its name, what it takes, a line of help, and where that
 * goes.  Help texts come from the same rows.  A command has rows of its own, and says which
 * of the shared ones it takes: those of the lens, of the formats that are read, of those
 * that are written. */
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

/* What the shared rows fill. */
struct options {
	struct lens lens;
	struct format_options format; /* of what is read */
	struct given written;         /* of what is written */
	struct lens base; /* what is compared with: its range and tracks (lens_base()) */
	bool compares;    /* there is one */
	bool base_tracks; /* it has its own tracks, perhaps all */
	bool normalize;   /* comparisons are of shares */
	bool independent; /* samples without time are taken for independent */
	VEC(const char *) old, new; /* files of each side, of argv; then o->files are both */
	uint32_t n_base;  /* so many of o->files are the base of a comparison of files */
	struct session *session; /* where --session goes, of commands that have it */
	bool resumes;            /* it was given */
	VEC(const char *) files; /* operands, of argv */
	VEC(const char *) read;  /* files that options name: filters, maps */
	bool help;
	void *own; /* the command's own structure, for its rows */
};

/* Which shared rows a command takes. */
enum options_taken {
	TAKES_LENS = 1,
	TAKES_FORMATS = 2,
	TAKES_PROFILE = TAKES_LENS | TAKES_FORMATS,
	TAKES_ENCODERS = 4,
	TAKES_SIDES = 8, /* several files a side: --old, --new */
};

extern const struct option_row lens_rows[];
extern const struct option_row side_rows[];

/* Rows of several tables, each name once: two formats may share an option. */
#define OPTIONS_MAX 128
struct option_table {
	const struct option_row *row[OPTIONS_MAX];
	unsigned n;
};
void option_table_add(struct option_table *t, const struct option_row *rows);
void option_table_add_formats(struct option_table *t);
void option_table_add_encoders(struct option_table *t);
/* NULL when there is none of that name. */
const struct option_row *option_table_find(const struct option_table *t, const char *name);

/* Rows for commands that can compare ranges. */
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
/* Reads argv[1..]; operands go to o->files.  `own` may be NULL; `taken` is of enum
 * options_taken.  False with usage in *e. */
bool options_read(struct options *o, int argc, char **argv, const struct option_row *own,
		  unsigned taken, struct err *e);
/* Tells which rows of argv[1..] are given, as options_read() would read them (abbreviated,
 * with -x, with =VALUE), and sets nothing: for who must know before what reads them.  Rows
 * are those of `own`, those that are `taken` (enum options_taken), and of `more` where those have
 * none of that name; the operands come
 * last, with row NULL.  False at what is no option; then the rest is not told. */
bool options_scan(int argc, char **argv, const struct option_row *own, unsigned taken,
		  const struct option_row *more,
		  void (*seen)(void *ctx, const struct option_row *row, const char *value),
		  void *ctx);
/* Sets an option of the formats by its name; usage in *e when there is no such.  `value`
 * must stay as long as the options. */
bool options_set_format(struct options *o, const char *name, const char *value,
			struct err *e);
/* One line a row. */
void options_help(FILE *out, const char *title, const struct option_table *t);

/* A whole number from 0 up; usage in *e otherwise. */
bool option_number(const char *name, const char *text, long long *out, struct err *e);
/* A length of time in ns, from 0 up: "90" (seconds), "1.5s", "5min"; usage in *e otherwise. */
bool option_length(const char *name, const char *text, int64_t *ns, struct err *e);
/* How long a server may be silent while a profile is read; 0: for ever. */
void options_set_silence(struct options *o, int64_t ns);
/* False with usage in *e, which does not show it, when an operand is an address with a
 * password in it.  options_read() asks; for who takes operands from elsewhere. */
bool options_hold_no_password(const struct options *o, struct err *e);

#endif
