/* pack.c - `pnav pack`: export as a packed profile, by the name under which users look for it. */
#include "src/command/command.h"

static int
pack_run(const struct command *self, int argc, char **argv)
{
	return export_files(self, argc, argv, "pnav");
}

const struct command command_pack = {
	.name = "pack",
	.synopsis = "-o OUT.pnav [OPTION...] FILE...",
	.summary = "write everything, or the selected part, as one small file to hand on",
	.examples = "pnav pack -o run.pnav perf.data\0"
		    "pnav pack --from 50% --track main -o late.pnav perf.data\0",
	.options = export_rows + 1, /* without --format */
	.takes = TAKES_PROFILE | TAKES_ENCODERS | TAKES_SIDES,
	.run = pack_run,
};
