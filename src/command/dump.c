#include <stdio.h>

#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/say.h"
#include "src/decode/decoder.h"
#include "src/input/input.h"

/* `pnav dump`: prints the records of a file without building a profile, so that a doubtful number
 * can be traced to its bytes. */

static int
dump_file(const char *file, const struct options *o)
{
	struct dump dump = {.out = stdout};
	struct err e;
	int status = STATUS_DONE;

	err_init(&e);
	struct input *in = input_open_with(file, &o->format, &e);
	const struct decoder *d = in ? decoder_of(in, &e) : NULL;
	if (d)
		decoder_dump(d, in, &dump, &e);
	if (in && input_fault(in) && !err_is_set(&e))
		e = *input_fault(in);
	input_close(in);
	if (err_is_set(&e)) {
		fflush(stdout); /* print the records before the message about the next one */
		status = say_error(file, &e);
	}
	return status;
}

static int
dump_run(const struct command *self, int argc, char **argv)
{
	struct options o;
	int status;

	options_init(&o, NULL);
	if (command_options(self, &o, argc, argv, &status)) {
		const char *file = open_operand(self, &o, &status);
		if (file)
			status = dump_file(file, &o);
	}
	options_release(&o);
	return status;
}

const struct command command_dump = {
	.name = "dump",
	.synopsis = "FILE",
	.summary = "print every record of a file, raw, with its byte offset",
	.examples = "pnav dump perf.data | less\0",
	.takes = TAKES_FORMATS,
	.run = dump_run,
};
