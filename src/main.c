/* main.c - finds the command and runs it. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/command/command.h"
#include "src/command/say.h"

/* A standard stream that the caller closed must not become the profile, or the loader's
 * event: its place is taken, the wrong way round, so that its use still fails. */
static void
fill_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

/* Under these names it is profile(1), a program of its own. */
static bool
is_profile(const char *argv0)
{
	const char *name = argv0 ? base_name(argv0) : "";

	return !strcmp(name, command_profile.name) || !strcmp(name, "pnav-profile");
}

/* _exit(): what waits to be written is half of something, and another thread may hold the
 * locks that exit() wants. */
static void
out_of_memory(size_t bytes)
{
	fprintf(stderr, "pnav: out of memory (%zu bytes wanted)\n", bytes);
	_exit(STATUS_UNREADABLE);
}

int
main(int argc, char **argv)
{
	const struct command *command;

	mem_on_exhaustion(out_of_memory);
	fill_standard_streams();
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN); /* a reader that went away shows as a write error */
	signal(SIGXFSZ, SIG_IGN); /* and so does a file that may not grow */
	if (is_profile(argv[0]))
		return say_end(command_profile.run(&command_profile, argc, argv));
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return say_end(command_overview());
	if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("pnav %s\n", PACKAGE_VERSION);
		return say_end(STATUS_DONE);
	}
	command = command_take(argc, argv);
	if (argc > 1 && !command && command_misspelt(argv[1]))
		return STATUS_USAGE;
	if (command) {
		argc--;
		argv++;
	} else {
		command = commands[0];
	}
	return say_end(command->run(command, argc, argv));
}
