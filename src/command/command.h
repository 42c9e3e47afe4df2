/* command.h - what `pnav WORD` does: one file, one row in commands.c.
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
};

struct command {
	const char *name;
	const char *synopsis; /* behind `pnav NAME ` */
	const char *summary;  /* one line */
	const struct option_row *rows; /* its own options, or NULL */
	bool no_lens; /* takes neither lens nor format options */
	/* argv[0] is the command's name; gives an enum status. */
	int (*run)(const struct command *self, int argc, char **argv);
};

/* The table, ended by NULL; the first one is the default command. */
extern const struct command *const commands[];
const struct command *command_named(const char *name);

/* Reads the options of a command.  False when there is nothing more to do: the help was
 * printed or the usage was wrong, *status tells. */
bool command_options(const struct command *self, struct options *o, int argc, char **argv,
		     int *status);

/* `pnav report`, or with `compare` the report of `pnav diff`, whose name self has. */
int report_files(const struct command *self, int argc, char **argv, bool compare);
extern const struct option_row report_rows[];

extern const struct command command_browse;
extern const struct command command_report;
extern const struct command command_export;
extern const struct command command_diff;
extern const struct command command_dump;
extern const struct command command_formats;
extern const struct command command_profile;
extern const struct command command_record;

#endif
