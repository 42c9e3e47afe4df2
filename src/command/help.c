#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/base/nearest.h"
#include "src/command/command.h"
#include "src/command/say.h"
#include "src/inside.h"

/* `pnav help [COMMAND]`: prints what `pnav --help` and `pnav COMMAND --help` print. */

int
command_overview(void)
{
	printf("usage: pnav [COMMAND] [OPTION...] [FILE]\n\n"
	       "pnav is a browser for profiles: where did the time go?\n\nCommands:\n");
	for (size_t i = 0; commands[i]; i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
	printf("\nWithout a command, pnav browses FILE ('-': standard input); where standard\n"
	       "output is not a terminal, it prints the report.  pnav help COMMAND lists the\n"
	       "options of a command, pnav manual prints the manual; pnav --version tells the\n"
	       "version, pnav --licenses the licences.\n");
	return STATUS_DONE;
}

int
command_licences(void)
{
	struct buf text = BUF_INIT;

	if (inside_read("LICENSE", &text))
		buf_adds(&text, "\nLibraries that pnav loads have licences of their own.\n");
	if (inside_read("NOTICES", &text))
		buf_adds(&text, "\n");
	fwrite(text.at, 1, text.len, stdout);
	buf_release(&text);
	return STATUS_DONE;
}

static struct nearest
nearest_command(const char *word)
{
	struct nearest near = nearest_of(word);

	for (size_t i = 0; commands[i]; i++)
		nearest_try(&near, commands[i]->name);
	return near;
}

bool
command_misspelt(const char *word)
{
	/* a name with a dot or a slash is a file */
	if (word[0] == '-' || strpbrk(word, "./:") || !access(word, F_OK))
		return false;
	struct nearest near = nearest_command(word);
	if (near.found)
		fprintf(stderr, "pnav: '%s' is neither a command nor a file: did you mean '%s'?\n",
			word, near.found);
	return near.found;
}

static int
help_run(const struct command *self, int argc, char **argv)
{
	char *const asks[] = {argc > 1 ? argv[1] : NULL, (char[]){"--help"}, NULL};
	const struct command *of;
	struct options o;
	struct err e;
	int status;

	err_init(&e);
	options_init(&o, NULL);
	bool good = command_options(self, &o, argc, argv, &status);
	if (good && o.files.n > 1) {
		err_usage(&e, "help of one command at a time");
		status = say_usage(self, &e);
	} else if (good && !o.files.n) {
		status = command_overview();
	} else if (good && (of = command_named(o.files.at[0]))) {
		status = of->run(of, 2, (char **)(uintptr_t)asks);
	} else if (good) {
		struct nearest near = nearest_command(o.files.at[0]);
		struct buf meant = BUF_INIT;
		nearest_say(&near, &meant);
		err_usage(&e, "there is no command '%s'%s", o.files.at[0], buf_str(&meant));
		status = say_usage(self, &e);
		buf_release(&meant);
	}
	options_release(&o);
	return status;
}

const struct command command_help = {
	.name = "help",
	.synopsis = "[COMMAND]",
	.summary = "print the purpose of a command, its options and examples",
	.examples = "pnav help export\0",
	.run = help_run,
};
