/* rolls KEEP_MS N FOLDER OPTION...: records the system without an end, as `pnav top` does, and
 * writes the first N pipes to FOLDER/1, FOLDER/2, ...  The options are those of `pnav record`. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/command/passing.h"
#include "src/command/record/roll.h"

/* Copies a pipe to its end. */
static int
copy(int from, const char *folder, int number)
{
	char path[4096], part[65536];
	ssize_t n;

	snprintf(path, sizeof path, "%s/%d", folder, number);
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (to >= 0 && (n = read(from, part, sizeof part)) > 0)
		if (write(to, part, (size_t)n) != n)
			return 1;
	close(from);
	return to < 0 || close(to);
}

int
main(int argc, char **argv)
{
	int ends[2], bad = 0;

	if (argc < 4 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return 2;
	struct roll_how how = {ends[1], (uint64_t)atoi(argv[1]) * 1000000};
	int pipes = atoi(argv[2]);
	pid_t pid = fork();
	if (!pid) {
		close(ends[0]);
		argv[3] = strdup("record");
		_exit(roll_record(argc - 3, argv + 3, &how));
	}
	const char *folder = argv[3];
	close(ends[1]);
	for (int i = 1; i <= pipes && !bad; i++) {
		int fd = passing_receive(ends[0], 0);
		bad = fd < 0 || copy(fd, folder, i);
	}
	kill(pid, SIGTERM);
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return bad;
}
