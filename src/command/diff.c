/* diff.c - `pnav diff OLD NEW`: one profile of two files, and the difference of the two.
 *
 * The files (a side may have several) become groups of one profile, so every part of pnav sees
 * both: the fold has numbers for NEW and, as its base, for OLD.  Two functions are the same if
 * module and name are equal, and the file if both sides know it.  Addresses and lines change with
 * each build and are ignored (model/compare/alike.h).
 *
 * On a terminal the command opens the browser, elsewhere it prints the report, like pnav with a
 * single file.  Options that only a report has also select the report.  Parts missing in one file
 * are no damage.  But if one of the files is missing, nothing is printed, and the status is that of
 * an unreadable file. */
#include "src/command/browse/browse.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* The same command with the options of the browser. */
static const struct command diff_browser = {
	.name = "diff",
	.synopsis = "[OPTION...] OLD NEW | --old FILE... --new FILE...",
	.summary = "browse or report the difference of two profiles",
	.options = browse_rows,
	.takes = TAKES_PROFILE | TAKES_SIDES,
};

static void
want(void *ctx, const struct option_row *row, const char *value)
{
	static const char *const words[] = {"format", "sort", "limit", "help", "fail-if"};

	(void)value;
	for (size_t k = 0; row && k < sizeof words / sizeof *words; k++)
		*(bool *)ctx |= !strcmp(row->name, words[k]);
}

static bool
wants_report(int argc, char **argv)
{
	bool wants = false;

	options_scan(argc, argv, report_rows, TAKES_PROFILE | TAKES_SIDES, browse_rows, want,
		     &wants);
	return wants;
}

/* Expands `--old a b` to `--old=a --old=b`, since an option takes one value. */
static char **
sides_expanded(int argc, char **argv)
{
	char **out = mem_zalloc((size_t)argc + 1, sizeof *out);
	const char *side = NULL;
	int n = 0;

	for (int i = 0; i < argc; i++) {
		struct buf word = BUF_INIT;
		if (i && (!strcmp(argv[i], "--old") || !strcmp(argv[i], "--new"))) {
			side = argv[i];
			continue;
		}
		if (argv[i][0] == '-' && argv[i][1])
			side = NULL;
		if (side)
			buf_addf(&word, "%s=", side);
		buf_adds(&word, argv[i]);
		out[n++] = mem_dup(buf_str(&word), word.len);
		buf_release(&word);
		for (bool rest = !strcmp(argv[i], "--"); rest && ++i < argc;)
			out[n++] = mem_dup(argv[i], strlen(argv[i]));
	}
	return out;
}

static int
diff_run(const struct command *self, int argc, char **argv)
{
	char **words = sides_expanded(argc, argv);
	int n = 0;

	while (words[n])
		n++;
	char **given = mem_copy(words, (size_t)n + 1, sizeof *words); /* getopt permutes them */
	int status = wants_report(n, words) ? report_files(self, n, words, true)
					    : browse_files(&diff_browser, n, words, true);
	for (int i = 0; i < n; i++)
		free(given[i]);
	free(given);
	free(words);
	return status;
}

const struct command command_diff = {
	.name = "diff",
	.synopsis = "[OPTION...] OLD NEW | --old FILE... --new FILE...",
	.summary = "browse or report the difference of two profiles",
	.examples = "pnav diff before.folded after.folded\0"
		    "pnav diff --fail-if 'total>5%' before.folded after.folded\0",
	.options = report_rows,
	.takes = TAKES_PROFILE | TAKES_SIDES,
	.run = diff_run,
};
