#include "src/command/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/resume.h"
#include "src/command/say.h"

/* `pnav report`: a view fills a sheet, the sheet is sorted, cut and written.  Views know no
 * formats, formats know no views, except where people read text: there a view may lay out
 * its sheet in its own way. */

static const struct report_view *const views[] = {
	&view_functions, &view_tree,   &view_callers, &view_lines,
	&view_calls,     &view_tracks, &view_values,  &view_info,
};

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };
static const char *const format_names[] = {"text", "csv", "json"};

struct report_options {
	const struct report_view *view;
	enum format format;
	const char *sort; /* column, perhaps with a leading '-' */
	size_t limit;
};

static bool
set_view(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct report_options *own = o->own;

	(void)row;
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		if (!strcmp(views[i]->name, value)) {
			own->view = views[i];
			return true;
		}
	return err_usage(e, "--view takes functions, tree, callers, lines, calls, tracks, values "
			    "or info, not '%s'", value);
}

static bool
set_format(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct report_options *own = o->own;

	(void)row;
	for (unsigned i = 0; i < sizeof format_names / sizeof *format_names; i++)
		if (!strcmp(format_names[i], value)) {
			own->format = (enum format)i;
			return true;
		}
	return err_usage(e, "--format takes text, csv or json, not '%s'", value);
}

static bool
set_sort(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	(void)e;
	((struct report_options *)o->own)->sort = value;
	return true;
}

static bool
set_limit(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	long long n;

	if (!option_number(row->name, value, &n, e))
		return false;
	((struct report_options *)o->own)->limit = (size_t)n;
	return true;
}

const struct option_row report_rows[] = {
	{"view", 0, "VIEW", false, false, "functions, tree, callers, lines, calls, tracks, ...",
	 set_view},
	{"format", 0, "FORMAT", false, false, "text, csv or json", set_format},
	{"sort", 0, "COLUMN", false, false, "order by a column; -COLUMN turns the order", set_sort},
	{"limit", 0, "N", false, false, "at most N rows", set_limit},
	BASE_ROWS,
	SESSION_ROW,
	{0},
};

/* The column that --sort names: its index, -1 when none is asked for, -2 on bad usage. */
static int
sort_column(const struct report_options *own, bool *reverse, struct err *e)
{
	const char *name = own->sort;
	struct buf known = BUF_INIT;

	if (!name)
		return -1;
	*reverse = *name == '-';
	name += *reverse;
	for (unsigned i = 0; i < own->view->n_columns; i++) {
		if (!strcmp(own->view->columns[i].name, name)) {
			buf_release(&known);
			return (int)i;
		}
		buf_addf(&known, "%s%s", i ? ", " : "", own->view->columns[i].name);
	}
	err_usage(e, "--sort: no column '%s': there is %s", name, buf_str(&known));
	buf_release(&known);
	return -2;
}

static void
write_json(const struct report *r, const struct sheet *s, size_t limit)
{
	struct sheet info;
	struct report again = *r;

	fputs("{\"profile\": {", stdout);
	sheet_init(&info, view_info.columns, view_info.n_columns);
	view_info.fill(&again, &info);
	for (size_t i = 0; i < sheet_rows(&info); i++) {
		const struct cell *key = sheet_cell(&info, i, 0);
		size_t first = i;
		for (size_t k = 0; k < i; k++) {
			const struct cell *other = sheet_cell(&info, k, 0);
			if (other->len == key->len &&
			    !memcmp(info.text.at + other->as.at, info.text.at + key->as.at, key->len)) {
				first = k;
				break;
			}
		}
		if (first == i)
			info_write_json(&info, i, stdout);
	}
	sheet_release(&info);
	fputs("},\n ", stdout);
	sheet_write_json(s, stdout, limit);
	fputs("}\n", stdout);
}

static void
write_sheet(const struct report_options *own, struct report *r, const struct sheet *s)
{
	switch (own->format) {
	case FORMAT_TEXT:
		if (own->view->text)
			own->view->text(r, s, own->limit, stdout);
		else
			sheet_write_text(s, stdout, own->limit);
		return;
	case FORMAT_CSV:
		sheet_write_csv(s, stdout, own->limit);
		return;
	case FORMAT_JSON:
		write_json(r, s, own->limit);
		return;
	}
}

/* The fold of the view, with its base where ranges are compared. */
static bool
fold_of(struct report *r, const struct options *o, int *status)
{
	struct lens base;

	if (!o->compares)
		return open_fold(r->fold, r->file, r->profile, r->lens, NULL, status);
	if (r->profile->comparison) {
		err_usage(r->err, "two tracks are compared already: no base range beside them");
		*status = say_error(r->file, r->err);
		return false;
	}
	lens_base(&o->base, r->lens, &base);
	bool good = open_fold(r->fold, r->file, r->profile, r->lens, &base, status);
	lens_release(&base);
	return good;
}

static int
report_profile(const struct command *self, const struct report_options *own,
	       const struct profile *p, const struct options *o, bool compare, int status)
{
	const struct report_view *view = own->view;
	struct err e;
	struct lens lens;
	const char *file = open_title(o);
	struct report r = {
		.file = file, .profile = p, .lens = &lens,
		.changes = compare || o->compares, .err = &e};
	struct sheet sheet;
	unsigned n = view->n_columns;
	bool good = true;

	err_init(&e);
	r.sort = sort_column(own, &r.reverse, &e);
	if (r.sort == -2)
		return say_usage(self, &e);
	lens_copy(&lens, &o->lens);
	if (view->by_line)
		lens.by = BY_LINE;
	if (view->turned)
		lens.invert = !lens.invert;
	if (view->folds) {
		r.fold = fold_new();
		good = fold_of(&r, o, &status);
	}
	if (good) {
		if (!r.fold || !r.fold->compares)
			n -= view->extra;
		sheet_init(&sheet, view->columns, n);
		sheet.shown = own->format == FORMAT_TEXT;
		good = view->fill(&r, &sheet);
		if (good && r.sort >= 0 && !view->tree && (unsigned)r.sort < n)
			sheet_sort(&sheet, (unsigned)r.sort, r.reverse);
		if (good)
			write_sheet(own, &r, &sheet);
		else
			status = say_error(file, &e);
		sheet_release(&sheet);
	}
	fold_free(r.fold);
	lens_release(&lens);
	return status;
}

static bool
two_files(const struct command *self, const struct options *o, int *status)
{
	struct err e;

	err_init(&e);
	if (o->files.n == 2 && !o->compares)
		return true;
	err_usage(&e, o->compares
			      ? "two files are compared already: no base range beside them"
			      : "two files to compare: OLD NEW");
	*status = say_usage(self, &e);
	return false;
}

/* What the session says where the command line does not: files, and the view if there is
 * a report of it. */
static bool
take_session(const struct command *self, struct report_options *own, struct options *o,
	     bool *compare, int *status)
{
	struct err e;
	const char *view = resume_view(o);

	err_init(&e);
	for (size_t i = 0; !own->view && view && i < sizeof views / sizeof *views; i++)
		if (!strcmp(views[i]->name, view))
			own->view = views[i];
	if (!own->view)
		own->view = &view_functions;
	if (resume_files(o, compare, &e))
		return true;
	*status = say_usage(self, &e);
	return false;
}

int
report_files(const struct command *self, int argc, char **argv, bool compare)
{
	struct report_options own = {.limit = SIZE_MAX};
	struct options o;
	int status;

	options_init(&o, &own);
	o.session = resume_new();
	if (command_options(self, &o, argc, argv, &status)) {
		bool good = take_session(self, &own, &o, &compare, &status) &&
			    (compare ? two_files(self, &o, &status)
				     : open_operands(self, &o, &status));
		struct profile *p = good ? open_profile(&o, compare, &status) : NULL;
		if (p)
			status = report_profile(self, &own, p, &o, compare, status);
		open_release(p);
	}
	resume_free(o.session);
	options_release(&o);
	return status;
}

static int
report_run(const struct command *self, int argc, char **argv)
{
	return report_files(self, argc, argv, false);
}

const struct command command_report = {
	.name = "report",
	.synopsis = "[OPTION...] FILE...",
	.summary = "print one view of a profile as text, CSV or JSON",
	.rows = report_rows,
	.run = report_run,
};
