/* no_record.c - `pnav record`, `pnav stacks` and profile(1) of a build without the recorder. */
#include <stdio.h>
#include <string.h>

#include "src/command/command.h"
#include "src/command/say.h"

static int
no_record_refuse(const struct command *self, int argc, char **argv)
{
	struct err e;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf("usage: pnav %s %s\n%s\n", self->name, self->synopsis, self->summary);
		return STATUS_DONE;
	}
	err_init(&e);
	err_refuse(&e, "%s: this pnav was built without the recorder", self->name);
	return say_plain(&e);
}

#define SUMMARY "nothing: this pnav was built without the recorder"

const struct command command_record = {
	.name = "record", .synopsis = "...", .summary = SUMMARY, .run = no_record_refuse};

const struct command command_stacks = {
	.name = "stacks", .synopsis = "...", .summary = SUMMARY, .run = no_record_refuse};

const struct command command_top = {
	.name = "top", .synopsis = "...", .summary = SUMMARY, .run = no_record_refuse};

const struct command command_profile = {
	.name = "profile", .synopsis = "...", .summary = SUMMARY, .run = no_record_refuse};
