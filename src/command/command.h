/* command.h - what `pnav WORD` does: one file, and a line of COMMANDS below.
 *
 * Nothing but this folder prints or chooses an exit code (pnav(1), "EXIT STATUS"). */
#ifndef PNAV_SRC_COMMAND_COMMAND_H
#define PNAV_SRC_COMMAND_COMMAND_H

#include "src/options.h"

enum status {
	STATUS_DONE = 0,
	STATUS_UNREADABLE = 1, /* no profile at all */
	STATUS_USAGE = 2,
	STATUS_DAMAGED = 3, /* done, with what could be read */
	STATUS_OVER = 4,    /* done, and what --fail-if asks about is so */
};

struct command {
	const char *name;
	const char *synopsis; /* behind `pnav NAME ` */
	const char *summary;  /* one line */
	const char *examples; /* lines of a shell, each ended by a NUL, the last by two */
	const struct option_row *options; /* its own, or NULL */
	unsigned takes; /* which of the shared ones: TAKES_ */
	/* argv[0] is the command's name; gives an enum status. */
	int (*run)(const struct command *self, int argc, char **argv);
};

/* The first one is the default command. */
#define COMMANDS(X)                                                                        \
	X(browse)                                                                          \
	X(report)                                                                          \
	X(export)                                                                          \
	X(diff)                                                                            \
	X(sql)                                                                             \
	X(store)                                                                           \
	X(dump)                                                                            \
	X(symbols)                                                                         \
	X(record)                                                                          \
	X(embed)                                                                           \
	X(profile)                                                                         \
	X(formats)                                                                         \
	X(help)

#define COMMAND_DECLARED(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARED)
#undef COMMAND_DECLARED

/* The same as a table, ended by NULL. */
extern const struct command *const commands[];
const struct command *command_named(const char *name);
/* The command that argv names, which stands first, or behind options of its own: then it is moved
 * to argv[1].  NULL: none is named, the default command it is. */
const struct command *command_take(int argc, char **argv);

/* Prints what pnav is and its commands; gives a status. */
int command_overview(void);
/* Where `word`, which is no command, is no file either and nearly a command: says so on stderr,
 * and true. */
bool command_misspelt(const char *word);
/* Reads the options of a command.  False when there is nothing more to do: the help was
 * printed or the usage was wrong, *status tells. */
bool command_options(const struct command *self, struct options *o, int argc, char **argv,
		     int *status);

/* `pnav report`, or with `compare` the report of `pnav diff`, whose name self has. */
int report_files(const struct command *self, int argc, char **argv, bool compare);
extern const struct option_row report_rows[];
extern const struct option_row browse_rows[];

#endif
