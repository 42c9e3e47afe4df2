#include "src/command/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/lens/subject.h"
#include "src/command/say.h"

const struct command *const commands[] = {
#define COMMAND_ROW(name) &command_##name,
	COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
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
count_operands(void *ctx, const struct option_row *row, const char *value)
{
	(void)value;
	*(int *)ctx += !row;
}

/* True if argv[1..n) consists of options of the command, or of `more`, and their values. */
static bool
are_options(const struct command *c, const struct option_row *more, int n, char **argv)
{
	int operands = 0;

	if (!c->options && !c->takes) { /* it parses its own flags */
		for (int i = 1; i < n; i++)
			operands += argv[i][0] != '-';
		return !operands;
	}
	return options_scan(n, argv, c->options, c->takes, more, count_operands, &operands) &&
	       !operands;
}

/* Handles `pnav --theme dark diff OLD NEW`.  After options that only the browser has, a word is a
 * command unless a file has its name; the command then reports the option that it lacks. */
const struct command *
command_take(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const struct command *c = command_named(argv[i]);
		if (!c || (i > 1 && !are_options(c, NULL, i, argv) &&
			   (!are_options(c, browse_rows, i, argv) || !access(argv[i], F_OK))))
			continue;
		char *name = argv[i];
		memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof *argv);
		argv[1] = name;
		return c;
	}
	return NULL;
}

static void
print_help(const struct command *self)
{
	struct option_table own = {0}, lens = {0}, formats = {0};
	unsigned n = 0;

	printf("usage: pnav %s %s\n%s\n", self->name, self->synopsis, self->summary);
	option_table_add(&own, self->options);
	if (self->takes & TAKES_SIDES)
		option_table_add(&own, side_rows);
	if (self->takes & TAKES_ENCODERS)
		option_table_add_encoders(&own);
	options_help(stdout, "Options", &own);
	if (self->takes & TAKES_LENS)
		option_table_add(&lens, lens_rows);
	for (unsigned i = 0; i < lens.n; i++) /* except options that the command defines itself */
		if (!option_table_find(&own, lens.row[i]->name))
			lens.row[n++] = lens.row[i];
	lens.n = n;
	options_help(stdout, "The lens: the selected part of the profile", &lens);
	if (self->takes & TAKES_FORMATS)
		option_table_add_formats(&formats);
	options_help(stdout, "How formats are read", &formats);
	for (const char *at = self->examples; at && *at; at += strlen(at) + 1)
		printf("%s  %s\n", at == self->examples ? "\nExamples:\n" : "", at);
	if (!(self->takes & TAKES_LENS))
		return;
	printf("\nPATTERN is [!][");
	for (int i = 0; i < SUBJECT_COUNT; i++)
		printf("%s%s:", i ? "|" : "", subject_name((enum subject)i));
	printf("]RE or =TEXT; see pnav(1).\n");
}

bool
command_options(const struct command *self, struct options *o, int argc, char **argv,
		int *status)
{
	struct err e;

	err_init(&e);
	*status = STATUS_DONE;
	if (!options_read(o, argc, argv, self->options, self->takes, &e)) {
		*status = say_usage(self, &e);
		return false;
	}
	if (o->help) {
		print_help(self);
		return false;
	}
	return true;
}
