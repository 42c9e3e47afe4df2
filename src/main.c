/* main.c - finds the command and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/charset.h"
#include "src/command/command.h"
#include "src/command/say.h"

/* If the caller closed a standard stream, the next file opened (the profile, or the loader's event)
 * would take its place.  So the place is filled with a descriptor of the opposite direction, and
 * using it still fails. */
static void
fill_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

/* Run under these names the program is profile(1). */
static bool
is_profile(const char *argv0)
{
	const char *name = argv0 ? base_name(argv0) : "";

	return !strcmp(name, command_profile.name) || !strcmp(name, "pnav-profile");
}

/* Uses _exit(): buffered output is incomplete, and another thread may hold the locks that exit()
 * needs. */
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
	charset_begin();
	signal(SIGPIPE, SIG_IGN); /* a reader that has closed shows as a write error */
	signal(SIGXFSZ, SIG_IGN); /* a file over its size limit does as well */
	if (is_profile(argv[0]))
		return say_end(command_profile.run(&command_profile, argc, argv));
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return say_end(command_overview());
	if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("pnav %s\n", PACKAGE_VERSION);
		return say_end(STATUS_DONE);
	}
	if (argc == 2 && !strcmp(argv[1], "--licenses"))
		return say_end(command_licences());
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
