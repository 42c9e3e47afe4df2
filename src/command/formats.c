#include <stdio.h>

#include "src/command/command.h"
#include "src/command/say.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"

static int
formats_run(const struct command *self, int argc, char **argv)
{
	struct options o;
	int status;

	options_init(&o, NULL);
	if (command_options(self, &o, argc, argv, &status)) {
		for (size_t i = 0; decoders[i]; i++)
			printf("read   %-12s %s\n", decoders[i]->name, decoders[i]->title);
		for (size_t i = 0; encoders[i]; i++)
			printf("write  %-12s %s\n", encoders[i]->name, encoders[i]->title);
	}
	options_release(&o);
	return status;
}

const struct command command_formats = {
	.name = "formats",
	.synopsis = "",
	.summary = "list the formats that can be read and written",
	.run = formats_run,
};
