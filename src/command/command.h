/* command.h - a command, `pnav WORD`: one file, and a line of COMMANDS below.
 *
 * Only this folder prints or chooses an exit status (pnav(1), "EXIT STATUS"). */
#ifndef PNAV_SRC_COMMAND_COMMAND_H
#define PNAV_SRC_COMMAND_COMMAND_H

#include "src/options.h"

enum status {
	STATUS_DONE = 0,
	STATUS_UNREADABLE = 1, /* no profile */
	STATUS_USAGE = 2,
	STATUS_DAMAGED = 3, /* done with the readable part */
	STATUS_OVER = 4,    /* done, also with a readable part, and --fail-if holds */
};

struct command {
	const char *name;
	const char *synopsis; /* the text after `pnav NAME ` */
	const char *summary;  /* one line */
	const char *examples; /* command lines, each ended by a NUL, the last by two */
	const struct option_row *options; /* its own, or NULL */
	unsigned takes; /* the accepted shared options: TAKES_ */
	/* argv[0] is the command's name. Returns an enum status. */
	int (*run)(const struct command *self, int argc, char **argv);
};

/* The first is the default command. */
#define COMMANDS(X)                                                                        \
	X(browse)                                                                          \
	X(report)                                                                          \
	X(export)                                                                          \
	X(pack)                                                                            \
	X(diff)                                                                            \
	X(sql)                                                                             \
	X(mcp)                                                                             \
	X(store)                                                                           \
	X(dump)                                                                            \
	X(symbols)                                                                         \
	X(record)                                                                          \
	X(stacks)                                                                          \
	X(top)                                                                             \
	X(embed)                                                                           \
	X(profile)                                                                         \
	X(formats)                                                                         \
	X(manual)                                                                          \
	X(help)

#define COMMAND_DECLARED(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARED)
#undef COMMAND_DECLARED

/* The same as a table, which ends with NULL. */
extern const struct command *const commands[];
const struct command *command_named(const char *name);
/* Finds the command in argv: the first word, or a word after options of the command, which is then
 * moved to argv[1]. Returns NULL if there is none; the default command then runs. */
const struct command *command_take(int argc, char **argv);

/* Prints an overview of pnav and its commands. Returns a status. */
int command_overview(void);
/* Prints pnav's licence, and the notices of the libraries inside a static executable. Returns a
 * status. */
int command_licences(void);
/* If `word` is no command and no file, but resembles a command: reports that on stderr and returns
 * true. */
bool command_misspelt(const char *word);
/* Parses the options of a command. Returns false with *status set if nothing is left to do: the
 * help was printed, or the usage is wrong. */
bool command_options(const struct command *self, struct options *o, int argc, char **argv,
		     int *status);

/* Runs `pnav report`, or with `compare` the report of `pnav diff`; self is the command. */
int report_files(const struct command *self, int argc, char **argv, bool compare);
/* The same for a profile that another command has made: `words`, which end with NULL, are that
 * command's own, and repeat it. */
int report_made(const struct command *self, int argc, char **argv, char *const *words);
/* Runs `pnav export` in a format; NULL: as the options say. self is the command. The first of
 * export_rows is --format. */
int export_files(const struct command *self, int argc, char **argv, const char *format);
extern const struct option_row export_rows[];
extern const struct option_row report_rows[];
extern const struct option_row browse_rows[];

#endif
