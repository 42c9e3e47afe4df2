#include "src/command/report/report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/compare/compare.h"
#include "model/derive/derived.h"
#include "model/profile/human.h"
#include "src/command/browse/resume.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/report/report_guide.h"
#include "src/command/report/sheet.h"
#include "src/command/say.h"

/* `pnav report`: a view provides rows and names columns; the rows are sorted, cut and written.
 * Views know no formats, and formats know no views. */

/* ---- columns ---- */

/* Adds the columns that a list of the view names; those of comparisons only on request. */
static void
add_listed(struct column_list *list, const struct report_view *view, const char *names,
	   bool compares)
{
	size_t kept = list->all.n, len;

	const char *bad = column_list_read(list, names, view->rows, &len);
	assert(!bad);
	(void)bad;
	for (size_t i = kept; i < list->all.n; i++)
		if (compares || !(list->all.at[i].column->compared ||
				  list->all.at[i].column->bars))
			list->all.at[kept++] = list->all.at[i];
	list->all.n = kept;
}

static bool
no_column(const char *option, const struct report_view *view, const char *name, size_t len,
	  struct err *e)
{
	struct buf known = BUF_INIT;

	for (unsigned i = 0; i < n_table_columns; i++)
		if (table_columns[i].rows & view->rows)
			buf_addf(&known, "%s%s", known.len ? ", " : "", table_columns[i].name);
	err_usage(e, "%s: no column '%.*s': choose from %s", option, (int)len, name,
		  buf_str(&known));
	buf_release(&known);
	return false;
}

bool
report_find_sort(const struct report_options *own, struct report *r)
{
	const char *name = own->sort;

	if (!name)
		return true;
	r->reverse = *name == '-';
	name += r->reverse;
	r->sort = column_find(name, strlen(name), own->view->rows);
	return r->sort || no_column("--sort", own->view, name, strlen(name), r->err);
}

/* Marks the columns from `usual` on as requested; the view's own stay in their place. */
static void
mark_asked(struct column_list *list, size_t usual)
{
	size_t n = usual, k;
	for (size_t i = usual; i < list->all.n; i++) {
		struct listed_column *asked = &list->all.at[i];
		asked->asked = true;
		for (k = 0; k < usual && list->all.at[k].column != asked->column; k++)
			continue;
		list->all.at[k < usual ? k : n++] = *asked;
	}
	list->all.n = n;
}

bool
report_list_columns(const struct report_options *own, const struct report *r,
		    struct column_list *list)
{
	const struct report_view *view = own->view;
	const char *names = view->columns, *asked = own->columns;
	bool compares = r->look.compares;

	if (own->format == FORMAT_MD && view->document)
		names = view->document;
	if (own->format == FORMAT_TEXT && view->text)
		names = compares && view->changes ? view->changes : view->text;
	if (!asked || *asked == '+')
		add_listed(list, view, names, compares);
	if (!asked)
		return true;
	size_t usual = list->all.n, len;
	const char *bad = column_list_read(list, asked + (*asked == '+'), view->rows, &len);
	mark_asked(list, usual);
	return !bad || no_column("--columns", view, bad, len, r->err);
}

void
report_find_times(struct report *r)
{
	const struct fold *f = r->fold;

	if (!f)
		return;
	struct slice slice = {f->metric, f->whole, f->from, f->to, f->tracks};
	r->look.calls = r->times = calltimes_new(r->profile, &slice);
	while (!calltimes_run(r->times, pace_piece(r->pace, UINT32_MAX)) && pace_portion(r->pace))
		;
}

void
report_find_extras(struct report *r, const struct column_list *list)
{
	bool whole = !r->fold || r->fold->whole, bars = r->sort && r->sort->bars;
	bool replays = r->sort && column_replays(r->sort, whole);
	for (size_t i = 0; i < list->all.n; i++) {
		replays |= column_replays(list->all.at[i].column, whole);
		bars |= list->all.at[i].column->bars;
	}
	if (replays)
		report_find_times(r);
	if (bars && r->fold)
		fold_find_bars(r->fold, r->profile);
}

/* ---- writing ---- */

/* Adds how many tracks are left out because they were recorded beside the command. */
static void
add_outside(const struct report *r, struct buf *out)
{
	const struct profile *p = r->profile;
	uint32_t outside = lens_has_tracks(r->lens) ? 0 : profile_tracks_outside(p);

	if (!outside)
		return;
	buf_adds(out, "; ");
	human_count(out, p->n_tracks - outside);
	buf_adds(out, " of ");
	human_count(out, p->n_tracks);
	buf_adds(out, " tracks: the others ran beside the command (--track . includes them)");
	if (p->comparison != COMPARE_FILES)
		return;
	uint32_t base = 0;
	for (track_id t = 0; t < p->n_tracks; t++)
		base += profile_is_base(p, t) && profile_is_outside(p, t);
	if (!base || base == outside)
		buf_addf(out, ", and only the %s file says which these are", base ? "old" : "new");
}

/* Writes the heading of a text report: metric and range. */
static void
text_heading(const struct report *r, bool tree, FILE *out)
{
	const struct fold *f = r->fold;
	const struct profile *p = r->profile;
	const struct metric *m = r->look.metric;
	int64_t now = f->now.total[NODE_ROOT];
	struct buf text = BUF_INIT;

	profile_show_name(p, m->name, &text);
	buf_addf(&text, " (%s): ", unit_name((enum unit)m->unit));
	compare_value(m, fold_sides(f, NODE_ROOT).now, &text);
	if (now != f->now.everything) {
		buf_adds(&text, " shown of ");
		human_value(&text, f->now.everything, m);
		if (now >= 0 && now < f->now.everything) {
			buf_adds(&text, " (");
			human_share(&text, now, f->now.everything);
			buf_addc(&text, ')');
		}
	}
	if (f->compares) {
		buf_adds(&text, ", compared with ");
		compare_value(m, fold_sides(f, NODE_ROOT).base, &text);
		buf_adds(&text, " (");
		compare_both(m, fold_sides(f, NODE_ROOT), &text);
		buf_adds(&text, "); % of each row's base");
	}
	add_outside(r, &text);
	buf_adds(&text, f->estimated && tree ? "; " FOLD_ESTIMATED : "");
	if (!p->complete)
		buf_addf(&text, "; incomplete: %s", p->why ? p->why : "");
	fprintf(out, "%s\n", buf_str(&text));
	buf_release(&text);
	report_write_changes(r, out);
	fputc('\n', out);
}

/* Writes the caption of a table for a document: metric and range, and the command that shows it. */
static void
md_heading(const struct report *r, const struct report_options *own)
{
	struct buf command = BUF_INIT;
	char *heading = NULL;
	size_t len = 0;
	FILE *plain = r->fold ? open_memstream(&heading, &len) : NULL;

	if (plain) {
		text_heading(r, own->view->tree, plain);
		fclose(plain);
		for (size_t from = 0, n; from < len; from += n + 1) {
			const char *end = memchr(heading + from, '\n', len - from);
			n = end ? (size_t)(end - heading) - from : len - from;
			if (from && n)
				fputs("; ", own->out);
			sheet_md_text(own->out, heading + from, n);
		}
	}
	free(heading);
	if (r->line) {
		report_write_line(r, own, &command);
		fputs(r->fold ? "; <code>" : "<code>", own->out);
		sheet_md_text(own->out, buf_str(&command), command.len);
		fputs("</code>", own->out);
	}
	fputs("\n\n", own->out);
	buf_release(&command);
}

/* Rows that may be chance are grey on a terminal. */
static bool
greys(const struct report *r, FILE *out)
{
	const char *term = getenv("TERM");

	return r->look.compares && isatty(fileno(out)) && !getenv("NO_COLOR") && term &&
	       strcmp(term, "dumb") != 0;
}

void
report_write_sheet(const struct report_options *own, const struct report *r,
	    const struct column_list *list)
{
	const struct report_view *view = own->view;
	struct sheet s = {&r->look, list, &r->rows, .fits = view == &view_tracks};

	if (view->below && !own->columns)
		s.below = column_find(view->below, strlen(view->below), view->rows);
	s.greys = own->format == FORMAT_TEXT && greys(r, own->out);
	switch (own->format) {
	case FORMAT_TEXT:
		if (r->fold)
			text_heading(r, own->view->tree, own->out);
		sheet_write_text(&s, own->out);
		return;
	case FORMAT_CSV:
		sheet_write_csv(&s, own->out);
		return;
	case FORMAT_NDJSON:
		sheet_write_ndjson(&s, own->out);
		return;
	case FORMAT_MD:
		md_heading(r, own);
		sheet_write_md(&s, own->out);
		if (own->view != &view_marks)
			report_write_md_marks(r, own->out);
		return;
	case FORMAT_JSON:
		fputs("{\"profile\": {", own->out);
		info_write_json(r->loaded, r->plain, own->out);
		fputs("},\n", own->out);
		report_write_json_view(r, own, own->out);
		fputc(' ', own->out);
		sheet_write_json(&s, own->out);
		fputs("}\n", own->out);
		return;
	}
}

void
report_arrange(struct report *r, const struct report_view *view)
{
	if (r->sort && !view->tree)
		rows_sort(&r->rows, r->sort, &r->look, r->reverse);
	for (uint32_t i = 0; r->fold && view->rows & ROWS_STACKS && i < r->rows.n; i++) {
		struct row row = rows_get(&r->rows, i);
		r->look.shown += i < r->limit ? row.self : 0;
		r->look.user += look_is_user(&r->look, &row) ? row.self : 0;
	}
	r->look.user += r->rest.user;
	r->rows_total = r->rows.n + r->rest.rows;
	if (r->rows.n > r->limit)
		r->rows.n = (uint32_t)r->limit;
}

void
report_release(struct report *r)
{
	rows_release(&r->rows);
	callstats_release(&r->calls);
	facts_release(&r->facts);
	labelsum_release(&r->labels);
	actorsum_release(&r->sums);
	threadlist_release(&r->threads);
	answers_release(&r->answers);
	vec_release(&r->points);
	vec_release(&r->marks);
	calltimes_free(r->times);
	calllist_free(r->slices);
	instructions_free(r->instructions);
	fold_free(r->fold);
}

/* Makes the fold of the view, with its base if ranges are compared. */
static bool
fold_of(struct report *r, const char *file, const struct options *o, int *status)
{
	struct lens base;

	if (!o->compares)
		return open_fold(r->fold, file, r->profile, r->lens, NULL, status);
	if (r->profile->comparison) {
		err_usage(r->err, "two tracks are already compared: a base range cannot be added");
		*status = say_error(file, r->err);
		return false;
	}
	lens_base(&o->base, r->lens, &base);
	bool good = open_fold(r->fold, file, r->profile, r->lens, &base, status);
	lens_release(&base);
	return good;
}

/* Reports which code is missing. */
static void
say_instructions(struct report *r, const char *file)
{
	struct buf why = BUF_INIT;

	while (r->instructions && instructions_say(r->instructions, &why)) {
		say_warning(file, "no instructions: %s", buf_str(&why));
		buf_reset(&why);
	}
	buf_release(&why);
}

static int
report_write(const struct report_options *own, struct report *r, const char *file,
	     const struct column_list *list, int status)
{
	report_find_extras(r, list);
	if ((own->fail_if && !report_fail_fits(r, own->fail_if)) || !own->view->fill(r))
		return say_error(file, r->err);
	report_find_changes(r);
	report_arrange(r, own->view);
	report_write_sheet(own, r, list);
	say_instructions(r, file);
	if (!own->fail_if || (status != STATUS_DONE && status != STATUS_DAMAGED))
		return status;
	return report_fails(r, own->fail_if, own->unsure) ? STATUS_OVER : status;
}

void
report_fit_lens(const struct report_view *view, struct lens *l)
{
	if (view->by_line)
		l->by = BY_LINE;
	l->merged = view->by_line;
	if (view->by_address)
		l->by = BY_ADDRESS;
	if (view->turned)
		l->invert = !l->invert;
}

/* Returns the profile that the lens shows, with what the view needs; NULL with usage in *e. */
static const struct profile *
derive(const struct report_view *view, struct derived *derived, const struct profile *p,
       const struct lens *l, const char *file, struct err *e)
{
	if (view->parallelism)
		derived_want_parallelism(derived);
	const struct profile *shown = derived_look(derived, p, l, false, NULL, e);
	if (derived_warning(derived))
		say_warning(file, "%s", derived_warning(derived));
	return shown;
}

/* Returns false with usage in *e if the view has no use for an option. */
static bool
options_fit(const struct report_options *own, bool changes, struct err *e)
{
	if (own->only && !own->view->calls &&
	    !(own->view->functions && !strcmp(own->only, "function")))
		return err_usage(e, "--%s is for --view slices%s", own->only,
				 strcmp(own->only, "function") ? "" : " or instructions");
	return !own->fail_if || changes || err_usage(e, "--fail-if is for comparisons");
}

static int
report_profile(const struct command *self, const struct report_options *own,
	       const struct profile *p, struct fold *plain, const struct options *o,
	       const struct commandline *line, int status)
{
	const struct report_view *view = own->view;
	const char *file = open_title(o);
	struct column_list list = {0};
	struct err e;
	struct lens lens;
	struct report r = {
		.profile = p,
		.loaded = p,
		.plain = plain,
		.how = &o->format,
		.lens = &lens,
		.asked = &o->lens,
		.line = line,
		.kept = o->compares ? &o->base : NULL,
		.changes = p->comparison == COMPARE_FILES || o->compares,
		.err = &e,
		.functions = {.by = BY_FUNCTION},
		.function = own->function, .over = own->over,
		.limit = own->limit,
		.notes = own->notes, .n_notes = own->n_notes,
	};
	struct derived *derived;
	bool good;

	err_init(&e);
	if (!options_fit(own, r.changes, &e) || !report_find_sort(own, &r))
		return say_usage(self, &e);
	lens_copy(&lens, &o->lens);
	derived = derived_new();
	r.profile = derive(view, derived, p, &lens, file, &e);
	report_fit_lens(view, &lens);
	good = r.profile || (status = say_error(file, &e), false);
	if (good && view->folds) {
		r.fold = fold_beside(r.kept ? NULL : plain, r.profile, &lens);
		if (r.fold != plain)
			report_fit_fold(&r, own);
		good = fold_of(&r, file, o, &status);
	} else if (good) {
		open_say_range(file, r.profile, &lens);
	}
	if (good) {
		look_init(&r.look, r.profile, r.fold);
		r.look.programs = own->format != FORMAT_TEXT &&
				  !(own->format == FORMAT_MD && view->document);
		if (!report_list_columns(own, &r, &list))
			status = say_usage(self, &e);
		else
			status = report_write(own, &r, file, &list, status);
	}
	column_list_release(&list);
	report_release(&r);
	lens_release(&lens);
	if (open_frees())
		derived_free(derived);
	return status;
}

static bool
two_files(const struct command *self, const struct options *o, int *status)
{
	struct err e;

	err_init(&e);
	bool sides = o->old.n || o->n_base > 1;
	if ((o->files.n == 2 || (sides && o->files.n > o->n_base)) && !o->compares)
		return true;
	err_usage(&e, o->compares
			      ? "two files are already compared: a base range cannot be added"
			      : "two files to compare: OLD NEW; more with --old F... --new F...");
	*status = say_usage(self, &e);
	return false;
}

/* Takes from the session what the command line omits: files, and the view if a report has it. */
static bool
take_session(const struct command *self, struct report_options *own, struct options *o,
	     bool *compare, int *status)
{
	struct err e;
	const char *view = resume_view(o);

	err_init(&e);
	if (!own->view && view)
		own->view = report_view_named(view);
	if (resume_files(o, compare, &e))
		return true;
	*status = say_usage(self, &e);
	return false;
}

/* Returns true if the profile has points, and no event with a stack. */
static bool
has_points_alone(const struct profile *p)
{
	bool points = false;

	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			if (s->n && s->kind != SERIES_POINTS)
				return false;
			points |= s->n > 0;
		}
	return points;
}

/* Chooses the view that was not asked for: that of functions, or for people that of points in a
 * file that has nothing else. */
static void
choose_view(struct report_options *own, const struct profile *p, const char *file)
{
	bool people = own->format == FORMAT_TEXT || own->format == FORMAT_MD;

	if (own->view)
		return;
	own->view = &view_functions;
	if (p->comparison || own->sort || own->columns || own->only || own->fail_if ||
	    !has_points_alone(p))
		return;
	if (people)
		own->view = &view_values;
	say_warning(file, people ? "no function has a cost: this is --view values"
				 : "no function has a cost: --view values has the points");
}

/* `made`: as for report_made(); NULL: the files are those of the options. */
static int
report_read(const struct command *self, int argc, char **argv, bool compare, char *const *made)
{
	struct report_options own = {
		.limit = UINT64_MAX, .out = stdout, .argc = argc, .argv = argv, .made = made};
	struct encode_note *notes = NULL;
	struct options o;
	int status;

	options_init(&o, &own);
	o.session = resume_new();
	if (command_options(self, &o, argc, argv, &status)) {
		bool good = take_session(self, &own, &o, &compare, &status) &&
			    (compare ? two_files(self, &o, &status)
				     : open_operands(self, &o, &status));
		struct fold *plain = NULL;
		struct profile *p = good ? open_profile(&o, compare, &plain, &status) : NULL;
		own.notes = notes = resume_notes(resume_marks(&o), &own.n_notes);
		struct commandline line = {0};
		if (p) {
			choose_view(&own, p, open_title(&o));
			report_line_make(&o, o.files.at, made ? 0 : o.files.n,
					 compare ? o.n_base : 0, &line);
			report_line_made(made, &line);
		}
		if (p && own.guides)
			status = report_guide(self, p, &o, &line, own.guide, status);
		else if (p)
			status = report_profile(self, &own, p, plain, &o, &line, status);
		commandline_release(&line);
		fold_free(plain);
		open_release(p);
		resume_notes_free(notes, own.n_notes);
	}
	resume_free(o.session);
	options_release(&o);
	pattern_unref(own.function);
	return status;
}

int
report_files(const struct command *self, int argc, char **argv, bool compare)
{
	return report_read(self, argc, argv, compare, NULL);
}

int
report_made(const struct command *self, int argc, char **argv, char *const *words)
{
	return report_read(self, argc, argv, false, words);
}

static int
report_run(const struct command *self, int argc, char **argv)
{
	return report_files(self, argc, argv, false);
}

const struct command command_report = {
	.name = "report",
	.synopsis = "[OPTION...] FILE...",
	.summary = "print one view as text, CSV, JSON or Markdown",
	.examples = "pnav report --view tree --limit 20 perf.data\0",
	.options = report_rows,
	.takes = TAKES_PROFILE,
	.run = report_run,
};
