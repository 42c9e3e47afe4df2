/* diff.c - `pnav diff OLD NEW`: one profile of two files, and the difference of the two.
 *
 * The files become two groups of one profile, so that everything that looks at a profile
 * looks at both: the fold has numbers for NEW and, as its base, for OLD.  Functions are
 * the same when module and name are, and the file where both files know it; addresses and
 * lines move from build to build and decide nothing (model/alike.h).
 *
 * It is the browser in a terminal and the report elsewhere, as for a single file, and the
 * report too where an option asks for what only a report has.  What is missing in one file
 * is no damage, but without one of the files there is nothing to compare: then nothing is
 * printed and the status is that of an unreadable file. */
#include "src/command/browse.h"

#include <stddef.h>
#include <string.h>

/* The same command with the options of the browser. */
static const struct command diff_browser = {
	.name = "diff",
	.synopsis = "[OPTION...] OLD NEW",
	.summary = "browse or report the difference of two profiles",
	.options = browse_rows,
	.takes = TAKES_PROFILE,
};

static void
want(void *ctx, const struct option_row *row, const char *value)
{
	static const char *const words[] = {"format", "sort", "limit", "help"};

	(void)value;
	for (size_t k = 0; row && k < sizeof words / sizeof *words; k++)
		*(bool *)ctx |= !strcmp(row->name, words[k]);
}

static bool
wants_report(int argc, char **argv)
{
	bool wants = false;

	options_scan(argc, argv, report_rows, browse_rows, want, &wants);
	return wants;
}

static int
diff_run(const struct command *self, int argc, char **argv)
{
	if (wants_report(argc, argv))
		return report_files(self, argc, argv, true);
	return browse_files(&diff_browser, argc, argv, true);
}

const struct command command_diff = {
	.name = "diff",
	.synopsis = "[OPTION...] OLD NEW",
	.summary = "browse or report the difference of two profiles",
	.options = report_rows,
	.takes = TAKES_PROFILE,
	.run = diff_run,
};
