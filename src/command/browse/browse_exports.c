/* browse_exports.c - provides the encoders to the application. */
#include "src/command/browse/browse_exports.h"

#include <stdio.h>

#include "model/derive/derived.h"
#include "src/command/browse/resume.h"
#include "src/command/report/report.h"
#include "src/encode/encoder.h"
#include "src/outfile.h"

static const char *
export_name(size_t i)
{
	return encoders[i]->name;
}

static const char *
export_title(size_t i)
{
	return encoders[i]->title;
}

/* Existing files are never overwritten: the browser cannot ask. */
static const struct outfile_how how_saved = {.fresh = true};

static bool
export_write(void *ctx, size_t i, const struct lens *l, const struct marks *marks,
	     const char *path, struct err *e)
{
	struct outfile out;
	if (!outfile_open(&out, path, &how_saved, e))
		return false;
	struct derived *derived = derived_new();
	struct encode_job job = {
		.profile = derived_look(derived, ctx, l, false, NULL, e),
		.lens = l,
		.out = out.stream,
		.sheet = report_sheet,
	};
	struct encode_note *notes = resume_notes(marks, &job.n_notes);
	job.notes = notes;
	bool good = outfile_close(&out, job.profile && encode(encoders[i], &job, path, e), e);
	resume_notes_free(notes, job.n_notes);
	derived_free(derived);
	return good;
}

static bool
save_text(const char *path, const char *text, size_t len, struct err *e)
{
	struct outfile out;
	if (!outfile_open(&out, path, &how_saved, e))
		return false;
	fwrite(text, 1, len, out.stream);
	return outfile_close(&out, true, e);
}

struct app_exports
browse_exports(struct profile *p)
{
	struct app_exports x = {
		.ctx = p,
		.name = export_name,
		.title = export_title,
		.write = export_write,
		.save = save_text,
	};
	while (encoders[x.n])
		x.n++;
	return x;
}
