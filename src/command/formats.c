#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "src/command/command.h"
#include "src/command/say.h"
#include "src/decode/decoder.h"
#include "src/encode/encoder.h"
#include "src/encode/json_text.h"
#include "src/input/input.h"

/* `pnav formats`: prints the capabilities of this build, for users, scripts and bug reports. */

struct formats_options {
	enum { FORMATS_TEXT, FORMATS_JSON } format;
};

static const struct option_row formats_rows[] = {
	{"format", "FORMAT", "text or json", .kind = OPTION_CHOICE,
	 .choices = (const char *const[]){"text", "json", NULL},
	 .at = offsetof(struct formats_options, format)},
	{0},
};

/* The libraries of this build, in the order of HACKING.md; all after xxhash are optional. */
static const char *const libraries[] = {
	"ncurses", "pcre2", "zlib", "xxhash",
#ifdef HAVE_ISAL
	"isal",
#endif
#ifdef HAVE_LIBZSTD
	"zstd",
#endif
#ifdef HAVE_LIBLZMA
	"lzma",
#endif
#ifdef HAVE_LIBLZ4
	"lz4",
#endif
#ifdef HAVE_EXPAT
	"expat",
#endif
#ifdef HAVE_LIBCURL
	"curl",
#endif
#ifdef HAVE_SQLITE
	"sqlite",
#endif
#ifdef HAVE_LIBDW
	"elfutils",
#endif
#ifdef HAVE_CAPSTONE
	"capstone",
#endif
#ifdef HAVE_LIBIBERTY
	"libiberty",
#endif
	NULL,
};

static const char *
library(size_t i)
{
	return libraries[i];
}

static void
formats_write_text(void)
{
	for (size_t i = 0; decoders[i]; i++)
		printf("read   %-12s %s\n", decoders[i]->name, decoders[i]->title);
	for (size_t i = 0; encoders[i]; i++)
		printf("write  %-12s %s\n", encoders[i]->name, encoders[i]->title);
}

static void
write_format(size_t i, const char *name, const char *title)
{
	printf("%s\n    {\"name\": ", i ? "," : "");
	json_string(stdout, name, strlen(name));
	printf(", \"title\": ");
	json_string(stdout, title, strlen(title));
	putchar('}');
}

static void
formats_write_names(const char *key, const char *(*name)(size_t i))
{
	printf(",\n  \"%s\": [", key);
	for (size_t i = 0; name(i); i++) {
		printf("%s", i ? ", " : "");
		json_string(stdout, name(i), strlen(name(i)));
	}
	putchar(']');
}

static void
write_json(void)
{
	printf("{\n  \"read\": [");
	for (size_t i = 0; decoders[i]; i++)
		write_format(i, decoders[i]->name, decoders[i]->title);
	printf("\n  ],\n  \"write\": [");
	for (size_t i = 0; encoders[i]; i++)
		write_format(i, encoders[i]->name, encoders[i]->title);
	printf("\n  ]");
	formats_write_names("compression", input_compression);
	formats_write_names("libraries", library);
	printf("\n}\n");
}

static int
formats_run(const struct command *self, int argc, char **argv)
{
	struct formats_options own = {0};
	struct options o;
	int status;

	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status)) {
		if (own.format == FORMATS_JSON)
			write_json();
		else
			formats_write_text();
	}
	options_release(&o);
	return status;
}

const struct command command_formats = {
	.name = "formats",
	.synopsis = "[--format text|json]",
	.summary = "list the formats that can be read and written",
	.examples = "pnav formats\0"
		    "pnav formats --format json\0",
	.options = formats_rows,
	.run = formats_run,
};
