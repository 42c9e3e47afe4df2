/* command [-n RUNS] FIGURE BUDGET-MS -- COMMAND...: time and peak memory.
 *
 * Measures from outside: the start of pnav, a whole report, and other programs that do the same
 * work.  The output goes to /dev/null.  The first run is not counted: it loads the program's
 * pages. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/timing.h"

#define RUNS_MAX 99

static bool
run(char **argv, double *ms, double *peak_mb)
{
	struct rusage usage;
	int status;
	int64_t start = timing_now_ns();
	pid_t pid = vfork();

	if (pid < 0)
		return false;
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	while (wait4(pid, &status, 0, &usage) < 0) {
		if (errno != EINTR)
			return false;
	}
	*ms = (double)(timing_now_ns() - start) / 1e6;
	*peak_mb = (double)usage.ru_maxrss * 1024 / 1e6;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int
main(int argc, char **argv)
{
	double ms[RUNS_MAX], peak_mb = 0;
	char figure[160], budget[32] = "";
	unsigned runs = 7;
	int c, kept = -1;

	while ((c = getopt(argc, argv, "+n:")) != -1) {
		if (c != 'n')
			return 2;
		runs = (unsigned)strtoul(optarg, NULL, 10);
	}
	argv += optind;
	if (argc - optind < 4 || strcmp(argv[2], "--") != 0 || runs < 1 ||
	    runs > RUNS_MAX) {
		fprintf(stderr,
			"usage: command [-n RUNS] FIGURE BUDGET-MS -- COMMAND...\n");
		return 2;
	}
	/* The command's output must not mix with the figures. */
	kept = dup(STDOUT_FILENO);
	int null = open("/dev/null", O_RDWR);
	if (kept < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return 1;
	fcntl(kept, F_SETFD, FD_CLOEXEC);
	double warm;
	bool good = run(argv + 3, &warm, &peak_mb);
	for (unsigned i = 0; good && i < runs; i++)
		good = run(argv + 3, &ms[i], &peak_mb);
	dup2(kept, STDOUT_FILENO);
	if (!good) {
		fprintf(stderr, "command: %s: failed\n", argv[3]);
		return 1;
	}
	if (*argv[1])
		snprintf(budget, sizeof budget, "<=%s", argv[1]);
	timing_print(argv[0], timing_median(ms, runs), "ms", budget, 0, NULL);
	snprintf(figure, sizeof figure, "%s: peak memory", argv[0]);
	timing_print(figure, peak_mb, "MB", "", 0, NULL);
	return 0;
}
