#include "src/command/report/report.h"

#include <string.h>

#include "src/command/report/sheet.h"
#include "src/encode/encoder.h"

/* The marks of a session: the view, and the list below a table in Markdown. */

/* Resolves the range of a mark; without a time axis its ends stay unknown. */
static struct table_mark
marks_row(const struct report *r, const struct encode_note *note)
{
	struct table_mark m = {.words = note->name, .frame = note->frame};
	struct lens range = {.from = note->from, .to = note->to};
	struct err none;
	bool whole;

	err_init(&none);
	if (!lens_range(&range, r->profile, &m.from, &m.to, &whole, &none))
		return m;
	m.has_from = note->from.kind != MOMENT_OPEN;
	m.has_to = note->to.kind != MOMENT_OPEN;
	return m;
}

static bool
marks_fill(struct report *r)
{
	for (size_t i = 0; i < r->n_notes; i++)
		*vec_push(&r->marks) = marks_row(r, &r->notes[i]);
	for (size_t i = 0; i < r->marks.n; i++)
		rows_add(&r->rows)->of.mark = &r->marks.at[i];
	return true;
}

const struct report_view view_marks = {
	.name = "marks",
	.rows = ROWS_MARKS,
	.columns = "mark,from,to,frame",
	.fill = marks_fill,
};

void
report_write_md_marks(const struct report *r, FILE *out)
{
	fputs(r->n_notes ? "\n**Marks**\n\n" : "", out);
	for (size_t i = 0; i < r->n_notes; i++) {
		const struct encode_note *note = &r->notes[i];
		fputs("- ", out);
		sheet_md_text(out, note->name, strlen(note->name));
		if (*note->where) {
			fputs(": ", out);
			sheet_md_text(out, note->where, strlen(note->where));
		}
		fputc('\n', out);
	}
}
