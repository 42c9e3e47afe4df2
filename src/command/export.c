#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/say.h"
#include "src/encode/encoder.h"

struct export_options {
	const struct encoder *encoder;
	const char *out; /* NULL or "-": stdout */
	bool with_tracks;
};

static bool
set_format(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct export_options *own = o->own;
	struct buf known = BUF_INIT;

	(void)row;
	own->encoder = encoder_named(value);
	if (own->encoder)
		return true;
	for (size_t i = 0; encoders[i]; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", encoders[i]->name);
	err_usage(e, "no format '%s' to write: there is %s", value, buf_str(&known));
	buf_release(&known);
	return false;
}

static bool
set_out(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)e;
	((struct export_options *)o->own)->out = value;
	return true;
}

static bool
set_with_tracks(struct options *o, const struct option_row *row, const char *value,
		struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	((struct export_options *)o->own)->with_tracks = true;
	return true;
}

static const struct option_row export_rows[] = {
	{"format", 0, "FORMAT", false, false, "what to write; pnav formats lists them", set_format},
	{"output", 'o', "OUT", false, false, "write to this file instead of standard output",
	 set_out},
	{"with-tracks", 0, NULL, false, false, "folded: the track in front of each stack",
	 set_with_tracks},
	{0},
};

static void
warn(const void *file, const char *text)
{
	say_warning(file, "%s", text);
}

static int
export_profile(const struct export_options *own, const struct options *o, const char *file,
	       const struct profile *p, int status)
{
	bool to_file = own->out && strcmp(own->out, "-") != 0;
	struct encode_job job = {
		.profile = p,
		.lens = &o->lens,
		.with_tracks = own->with_tracks,
		.out = stdout,
		.warn = warn,
		.ctx = file,
	};
	struct fold *f = fold_new();
	struct err e;

	err_init(&e);
	/* says what does not fit before a file is made */
	if (!open_fold(f, file, p, &o->lens, NULL, &status)) {
		fold_free(f);
		return status;
	}
	fold_free(f);
	if (to_file && !(job.out = fopen(own->out, "w"))) {
		err_refuse(&e, "%s", strerror(errno));
		return say_error(own->out, &e);
	}
	if (!own->encoder->write(&job, &e))
		status = say_error(file, &e);
	if (to_file) {
		bool failed = ferror(job.out) != 0;
		if (fclose(job.out) != 0 || failed) {
			err_refuse(&e, "cannot write: %s", strerror(errno));
			status = say_error(own->out, &e);
		}
	}
	return status;
}

static int
export_run(const struct command *self, int argc, char **argv)
{
	struct export_options own = {0};
	struct options o;
	struct err e;
	int status;

	err_init(&e);
	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status)) {
		if (!own.encoder) {
			err_usage(&e, "export needs --format");
			status = say_usage(self, &e);
		} else {
			struct profile *p = open_operands(self, &o, &status)
						    ? open_profile(&o, false, &status)
						    : NULL;
			if (p)
				status = export_profile(&own, &o, open_title(&o), p, status);
			open_release(p);
		}
	}
	options_release(&o);
	return status;
}

const struct command command_export = {
	.name = "export",
	.synopsis = "--format FORMAT [-o OUT] [OPTION...] FILE...",
	.summary = "write what the lens shows in another profile format",
	.rows = export_rows,
	.run = export_run,
};
