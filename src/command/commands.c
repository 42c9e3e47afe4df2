#include "src/command/command.h"

#include <stdio.h>
#include <string.h>

#include "model/match.h"
#include "src/command/say.h"

const struct command *const commands[] = {
	&command_browse,
	&command_report,
	&command_export,
	&command_diff,
	&command_dump,
	&command_record,
	&command_profile,
	&command_formats,
	NULL,
};

const struct command *
command_named(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void
command_help(const struct command *self)
{
	printf("usage: pnav %s %s\n%s\n", self->name, self->synopsis, self->summary);
	options_help(stdout, "Options", self->rows);
	if (!self->no_lens) {
		options_help(stdout, "The lens: what of the profile is looked at", lens_rows);
		options_help(stdout, "How formats are read", format_rows);
		printf("\nPATTERN is [!][");
		for (int i = 0; i < SUBJECT_COUNT; i++)
			printf("%s%s:", i ? "|" : "", subject_name((enum subject)i));
		printf("]RE or =TEXT; see pnav(1).\n");
	}
}

bool
command_options(const struct command *self, struct options *o, int argc, char **argv,
		int *status)
{
	struct err e;

	err_init(&e);
	*status = STATUS_DONE;
	if (!options_read(o, argc, argv, self->rows, !self->no_lens, &e)) {
		*status = say_usage(self, &e);
		return false;
	}
	if (o->help) {
		command_help(self);
		return false;
	}
	return true;
}
