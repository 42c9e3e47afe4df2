#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/base/escape.h"
#include "model/base/nearest.h"
#include "model/derive/derived.h"
#include "src/command/browse/resume.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/progress.h"
#include "src/command/report/report.h"
#include "src/command/say.h"
#include "src/encode/encoder.h"
#include "src/outfile.h"

struct export_options {
	const struct encoder *encoder;
	const char *out;    /* NULL or "-": stdout */
	struct buf command; /* the command line */
};

static const char *
encoder_name(size_t i)
{
	return encoders[i] ? encoders[i]->name : NULL;
}

static bool
set_format(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct export_options *own = o->own;

	(void)row;
	own->encoder = encoder_named(value);
	return own->encoder || nearest_error(e, "no format ", value, " to write", encoder_name);
}

const struct option_row export_rows[] = {
	{"format", "FORMAT", "the format to write; else by the ending of OUT", .set = set_format},
	{"output", "OUT", "write to this file instead of standard output", .letter = 'o',
	 .kind = OPTION_TEXT, .at = offsetof(struct export_options, out)},
	SESSION_ROW,
	{0},
};

/* Input files are never overwritten: neither profiles nor files that options name. */
static bool
open_output(const struct export_options *own, const struct options *o, struct outfile *out,
	    struct err *e)
{
	VEC(const char *) reads = VEC_INIT;

	for (size_t i = 0; i < o->files.n; i++)
		*vec_push(&reads) = o->files.at[i];
	for (size_t i = 0; i < o->read.n; i++)
		*vec_push(&reads) = o->read.at[i];
	struct outfile_how how = {.reads = reads.at, .n_reads = reads.n};
	bool good = outfile_open(out, own->out, &how, e);
	vec_release(&reads);
	return good;
}

struct export_writing {
	const struct encoder *encoder;
	struct encode_job job;
	const char *path; /* NULL: standard output */
	bool good;
	struct err e;
};

static void
export_write_all(void *ctx)
{
	struct export_writing *w = ctx;

	w->good = encode(w->encoder, &w->job, w->path, &w->e);
}

static int
export_profile(const struct export_options *own, const struct options *o, const char *file,
	       const struct profile *p, struct fold *plain, int status)
{
	bool to_file = own->out && strcmp(own->out, "-") != 0;
	struct progress progress;
	struct export_writing w = {
		.encoder = own->encoder,
		.path = to_file ? own->out : NULL,
		.job =
			{
				.profile = p,
				.lens = &o->lens,
				.options = o->written,
				.out = stdout,
				.sheet = report_sheet,
				.title = file,
				.command = own->command.at,
				.warn = progress_warn,
				.ctx = file,
				.events = &progress.events,
			},
	};
	struct fold *f = fold_beside(plain, p, &o->lens);
	struct outfile out;

	err_init(&w.e);
	/* reports unsuitable options before a file is created */
	if (!open_fold(f, file, p, &o->lens, NULL, &status)) {
		fold_free(f);
		return status;
	}
	w.job.fold = f;
	w.job.plain = plain;
	if (to_file && !open_output(own, o, &out, &w.e)) {
		fold_free(f);
		return say_plain(&w.e);
	}
	if (to_file)
		w.job.out = out.stream;
	struct encode_note *notes = resume_notes(resume_marks(o), &w.job.n_notes);
	w.job.notes = notes;
	progress_init(&progress, file, "writing", p);
	progress_call(&progress, export_write_all, &w);
	resume_notes_free(notes, w.job.n_notes);
	fold_free(f);
	if (!w.good)
		status = say_error(file, &w.e);
	if (to_file && !outfile_close(&out, w.good, &w.e) && w.good)
		status = say_plain(&w.e);
	return status;
}

/* Checks that there is a format and that the format options belong to it. */
static bool
export_fits(const struct export_options *own, const struct options *o, struct err *e)
{
	struct option_table its = {0};

	if (!own->encoder)
		return err_usage(e, "export needs --format, or -o with a name that ends in one's "
				    "ending, such as .html");
	if (own->encoder->binary && !own->out && isatty(STDOUT_FILENO))
		return err_usage(
			e,
			"%s is not written to a terminal: use -o FILE, or -o - to force it",
			own->encoder->name);
	option_table_add(&its, own->encoder->options);
	for (size_t i = 0; i < o->written.n; i++)
		if (!option_table_find(&its, o->written.at[i].name))
			return err_usage(e, "--%s: %s has no such option", o->written.at[i].name,
					 own->encoder->name);
	return true;
}

/* Takes the files of a session. A comparison needs both sides on the command line. */
static bool
session_fits(struct options *o, struct err *e)
{
	bool compares = false;

	if (!resume_files(o, &compares, e))
		return false;
	if (compares || o->compares)
		return err_usage(e, "the session compares: export needs --old FILE... "
				    "--new FILE...");
	return true;
}

int
export_files(const struct command *self, int argc, char **argv, const char *format)
{
	struct export_options own = {.encoder = format ? encoder_named(format) : NULL};
	struct options o;
	struct err e;
	int status;

	err_init(&e);
	buf_addf(&own.command, "pnav " PACKAGE_VERSION ": pnav %s", self->name);
	for (int i = 1; i < argc; i++) {
		buf_addc(&own.command, ' ');
		escape_shell_word(&own.command, argv[i]);
	}
	options_init(&o, &own);
	o.session = resume_new();
	if (command_options(self, &o, argc, argv, &status)) {
		if (!own.encoder && own.out)
			own.encoder = encoder_of_file(own.out);
		if (!export_fits(&own, &o, &e) || !session_fits(&o, &e)) {
			status = say_usage(self, &e);
		} else {
			struct fold *plain = NULL;
			struct profile *p = open_operands(self, &o, &status)
						    ? open_profile(&o, o.old.n, &plain, &status)
						    : NULL;
			struct derived *derived = derived_new();
			const struct profile *shown =
				p ? derived_look(derived, p, &o.lens, false, NULL, &e) : NULL;
			if (derived_warning(derived))
				say_warning(open_title(&o), "%s", derived_warning(derived));
			if (shown)
				status = export_profile(&own, &o, open_title(&o), shown, plain,
							status);
			else if (p)
				status = say_error(open_title(&o), &e);
			fold_free(plain);
			if (open_frees())
				derived_free(derived);
			open_release(p);
		}
	}
	resume_free(o.session);
	options_release(&o);
	buf_release(&own.command);
	return status;
}

static int
export_run(const struct command *self, int argc, char **argv)
{
	return export_files(self, argc, argv, NULL);
}

const struct command command_export = {
	.name = "export",
	.synopsis = "[--format FORMAT] [-o OUT] [OPTION...] FILE... | --old FILE... --new FILE...",
	.summary = "write the selected part in another profile format",
	.examples = "pnav export --format pprof -o perf.pb.gz perf.data\0"
		    "pnav export --format chrome --from 50% -o late.json perf.data\0"
		    "pnav export --format folded perf.data | flamegraph.pl >perf.svg\0",
	.options = export_rows,
	.takes = TAKES_PROFILE | TAKES_ENCODERS | TAKES_SIDES,
	.run = export_run,
};
