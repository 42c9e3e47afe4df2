#include "src/command/report/report.h"

#include <string.h>

#include "model/base/nearest.h"
#include "src/command/browse/resume.h"
#include "src/command/command.h"

/* `diff` and the browser read these rows, too: options_scan() uses them to find the command that a
 * line of options means. */

const struct report_view *const report_views[] = {
#define VIEW_ROW(name) &view_##name,
	REPORT_VIEWS(VIEW_ROW)
#undef VIEW_ROW
};
#define N_VIEWS (sizeof report_views / sizeof *report_views)
const size_t n_report_views = N_VIEWS;

static const char *const format_names[] = {"text", "csv", "json", "md", "ndjson", NULL};

bool
report_format_is(const char *name)
{
	size_t i = 0;

	while (format_names[i] && strcmp(format_names[i], name))
		i++;
	return format_names[i] != NULL;
}

const struct report_view *
report_view_named(const char *name)
{
	for (size_t i = 0; i < N_VIEWS; i++)
		if (!strcmp(report_views[i]->name, name))
			return report_views[i];
	return NULL;
}

static const char *
view_name(size_t i)
{
	return i < N_VIEWS ? report_views[i]->name : NULL;
}

static bool
set_view(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	const struct report_view **view = &((struct report_options *)o->own)->view;

	(void)row;
	return (*view = report_view_named(value)) ||
	       nearest_error(e, "--view: there is no view ", value, "", view_name);
}

static bool
check_columns(const struct option_row *row, const char *value, struct err *e)
{
	if (value[*value == '+'] && !strchr(value, '='))
		return true;
	return err_usage(e, "--%s takes names of columns, or +NAME,..., not '%s'", row->name,
			 value);
}

static bool
check_fail_if(const struct option_row *row, const char *value, struct err *e)
{
	(void)row;
	return report_fail_check(value, e);
}

static bool
set_function(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct report_options *own = o->own;

	own->only = row->name;
	pattern_unref(own->function);
	own->function = pattern_new(value, strlen(value), e);
	return own->function != NULL;
}

static bool
set_over(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct report_options *own = o->own;

	own->only = row->name;
	return moment_parse(value, &own->over, e);
}

static bool
set_guide(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct report_options *own = o->own;

	(void)row;
	(void)e;
	own->guides = true;
	own->guide = value;
	return true;
}

#define INTO(member) .at = offsetof(struct report_options, member)
const struct option_row report_rows[] = {
	{"view", "VIEW", "functions, tree, lines, calls, slices, tracks, ...", .set = set_view},
	{"format", "FORMAT", "text, csv, json, ndjson or md", .kind = OPTION_CHOICE,
	 .choices = format_names, INTO(format)},
	{"sort", "COLUMN", "sort by a column; -COLUMN reverses the order", .kind = OPTION_TEXT,
	 INTO(sort)},
	{"columns", "LIST", "these columns; +NAME,... adds to the usual ones",
	 .kind = OPTION_TEXT, .check = check_columns, INTO(columns)},
	{"limit", "N", "at most N rows", .kind = OPTION_NUMBER, INTO(limit)},
	{"function", "PATTERN", "slices, instructions: only functions that match",
	 .set = set_function},
	{"over", "T", "slices: only calls that last longer", .set = set_over},
	{"fail-if", "EXPR", "in a comparison: status 4 if a row grew more, as total>5%,new>1%",
	 .kind = OPTION_TEXT, .check = check_fail_if, INTO(fail_if)},
	{"unsure", .help = "let --fail-if also check changes that may be chance", INTO(unsure)},
	{"guide", "NAME", "questions of the manual that fit, with commands that answer them",
	 .optional = true, .set = set_guide},
	BASE_ROWS,
	SESSION_ROW,
	{0},
};
