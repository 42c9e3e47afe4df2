/* report_programs.c - reports that print no messages: for SQL, for exports, and for programs that
 * ask in words (`pnav mcp`).
 *
 * Words come from strangers.  They may be any option of a report and of the lens, except those that
 * read a file or decide what `pnav report` does besides printing a view. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/profile/human.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/report/report.h"
#include "src/encode/encoder.h"

static bool
make_rows(struct report *r, const struct report_view *view, struct lens *l,
	  const struct lens *base)
{
	report_fit_lens(view, l);
	r->lens = l;
	if (view->folds) {
		r->fold = base ? fold_new() : fold_beside(r->made, r->profile, l);
		r->fold->pace = r->pace;
		if (!fold_update(r->fold, r->profile, l, base, r->err))
			return false;
		r->fold->pace = NULL;
	}
	look_init(&r->look, r->profile, r->fold);
	r->look.programs = true;
	return true;
}

static bool
fill_rows(struct report *r, const struct report_view *view)
{
	if (pace_gives_up(r->pace) || !view->fill(r) || pace_gives_up(r->pace))
		return false;
	report_arrange(r, view);
	return true;
}

bool
report_make(struct report *r, const struct report_view *view, struct lens *l, bool replays)
{
	if (!make_rows(r, view, l, NULL))
		return false;
	if (replays)
		report_find_times(r);
	return fill_rows(r, view);
}

bool
report_sheet(const struct encode_job *job, const char *view, const char *format, struct err *e)
{
	struct report_options own = {
		.view = report_view_named(view),
		.format = !strcmp(format, "json")	  ? FORMAT_JSON
			  : !strcmp(format, "ndjson") ? FORMAT_NDJSON
						      : FORMAT_CSV,
		.limit = UINT64_MAX,
		.out = job->out,
	};
	struct column_list list = {0};
	struct lens lens;
	struct report r = {
		.profile = job->profile,
		.loaded = job->profile,
		.changes = job->profile->comparison == COMPARE_FILES,
		.made = job->fold,
		.plain = job->plain,
		.err = e,
		.functions = {.by = BY_FUNCTION},
		.limit = UINT64_MAX,
	};

	if (!own.view)
		return err_usage(e, "--view: there is no view '%s'", view);
	lens_copy(&lens, job->lens);
	bool good = report_make(&r, own.view, &lens, false) &&
		    report_list_columns(&own, &r, &list);
	if (good)
		report_write_sheet(&own, &r, &list);
	column_list_release(&list);
	report_release(&r);
	lens_release(&lens);
	return good;
}

/* ---- in words ---- */

static void
look_for_files(void *ctx, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)ctx |= !row || row->is_file || row->asks_servers;
}

bool
report_words_name_files(int argc, char **argv, const struct option_row *own)
{
	bool names = false;

	options_scan(argc, argv, own, TAKES_PROFILE | TAKES_SIDES, lens_rows, look_for_files,
		     &names);
	return names;
}

void
report_source_release(struct report_source *s)
{
	fold_free(s->plain);
	fold_free(s->last);
	for (unsigned i = 0; i < 2; i++)
		if (s->derived[i])
			derived_free(s->derived[i]);
	vec_release(&s->files);
	commandline_release(&s->line);
}

/* One question in words. */
struct asked {
	struct report_source *source;
	const struct report_asks *asks;
	struct report_options own;
	struct options options;
	struct lens lens;
	struct report r;
	struct column_list list;
	struct buf *out, *note;
	struct err *e;
	VEC(char *) argv;
};

static void
look_for_others(void *ctx, const struct option_row *row, const char *value)
{
	static const char *const others[] = {"session", "guide", "fail-if", "unsure", "help"};

	(void)value;
	for (size_t i = 0; row && i < sizeof others / sizeof *others; i++)
		if (!strcmp(row->name, others[i]))
			*(const char **)ctx = row->name;
}

/* Parses the words. */
static bool
read_words(struct asked *x)
{
	const struct report_asks *a = x->asks;
	const char *other = NULL;
	char **words = mem_zalloc(a->n + 2, sizeof *words);
	int n = (int)a->n + 1;
	bool good;

	words[0] = mem_dup(x->source->compare ? "diff" : "report", x->source->compare ? 4 : 6);
	for (size_t i = 0; i < a->n; i++)
		words[i + 1] = mem_dup(a->words[i], strlen(a->words[i]));
	for (int i = 0; i < n; i++)
		*vec_push(&x->argv) = words[i];
	options_scan(n, words, report_rows, TAKES_LENS, NULL, look_for_others, &other);
	if (report_words_name_files(n, words, report_rows))
		good = err_usage(x->e, "words may not name files or servers");
	else if (other)
		good = err_usage(x->e, "--%s is only for the command line", other);
	else
		good = options_read(&x->options, n, words, report_rows, TAKES_LENS, x->e);
	free(words);
	if (!x->own.view)
		x->own.view = &view_functions;
	for (size_t i = 0; i < x->source->files.n; i++)
		*vec_push(&x->argv) = mem_dup(x->source->files.at[i],
					      strlen(x->source->files.at[i]));
	x->own.argc = (int)x->argv.n;
	x->own.argv = x->argv.at;
	return good;
}

static bool
check_words(struct asked *x)
{
	const struct report_view *view = x->own.view;
	const char *only = x->own.only;

	if (only && !view->calls && !(view->functions && !strcmp(only, "function")))
		return err_usage(x->e, "--%s is for --view slices%s", only,
				 strcmp(only, "function") ? "" : " or instructions");
	if (x->options.compares && x->source->profile->comparison)
		return err_usage(x->e, "two files are already compared: a base range cannot be "
				       "added");
	return report_find_sort(&x->own, &x->r);
}

static bool
find_rows(struct asked *x)
{
	struct report_source *s = x->source;
	struct lens base;
	bool good;

	lens_copy(&x->lens, &x->options.lens);
	struct derived **derived = &s->derived[x->own.view->parallelism];
	if (!*derived)
		*derived = derived_new();
	if (x->own.view->parallelism)
		derived_want_parallelism(*derived);
	x->r.profile = derived_look(*derived, s->profile, &x->lens, false, x->asks->pace, x->e);
	if (!x->r.profile)
		return false;
	x->r.kept = x->options.compares ? &x->options.base : NULL;
	if (x->r.kept)
		lens_base(x->r.kept, &x->lens, &base);
	good = make_rows(&x->r, x->own.view, &x->lens, x->r.kept ? &base : NULL);
	if (x->r.kept)
		lens_release(&base);
	if (!good)
		return false;
	x->r.look.programs = x->own.format == FORMAT_CSV || x->own.format == FORMAT_JSON ||
			     x->own.format == FORMAT_NDJSON ||
			     !x->own.view->document;
	if (!report_list_columns(&x->own, &x->r, &x->list))
		return false;
	report_find_extras(&x->r, &x->list);
	if (!fill_rows(&x->r, x->own.view))
		return false;
	report_find_changes(&x->r);
	if (x->r.fold)
		open_notes(x->r.fold, x->r.profile, &x->lens, x->note);
	else
		open_note_range(x->r.profile, &x->lens, x->note);
	return true;
}

/* Writes what the numbers are, and the command that prints them. */
static void
report_write_header(const struct asked *x, struct buf *out)
{
	const struct report *r = &x->r;
	const struct metric *m = r->fold ? r->look.metric : NULL;

	buf_adds(out, "# ");
	if (m) {
		profile_write_name(r->profile, m->name, out);
		buf_addf(out, " in %s: ", unit_name((enum unit)m->unit));
		human_plain(out, r->fold->now.total[NODE_ROOT], m->decimals);
		buf_adds(out, " shown of ");
		human_plain(out, r->fold->now.everything, m->decimals);
		if (r->fold->compares) {
			buf_adds(out, ", base ");
			human_plain(out, r->fold->base.total[NODE_ROOT], m->decimals);
		}
		buf_adds(out, "; ");
	}
	if (r->profile->n_groups && r->profile->group[0].has_time)
		buf_addf(out, "times in %s; ", unit_name(r->look.axis));
	buf_adds(out, "pnav");
	for (int i = 0; i < x->own.argc; i++) {
		buf_addc(out, ' ');
		escape_shell_word(out, x->own.argv[i]);
	}
	buf_addc(out, '\n');
	if (!r->profile->complete)
		buf_addf(out, "# incomplete: %s\n", r->profile->why ? r->profile->why : "");
}

/* Writes the first `rows` rows to *out, which is empty. */
static bool
report_write_rows(struct asked *x, uint32_t rows, struct buf *out)
{
	char *text = NULL;
	size_t len = 0;

	x->own.out = open_memstream(&text, &len);
	if (!x->own.out)
		return err_usage(x->e, "out of memory");
	x->r.rows.n = rows;
	report_write_sheet(&x->own, &x->r, &x->list);
	fclose(x->own.out);
	buf_add(out, text, len);
	free(text);
	return true;
}

/* Writes as many rows as fit into the limit. */
static bool
write_fitting(struct asked *x)
{
	struct buf text = BUF_INIT;
	size_t header = x->out->len, most = x->asks->most_bytes, spare = 200;
	uint32_t all = x->r.rows.n, rows = all;

	most = most > header + x->note->len + spare ? most - header - x->note->len - spare : 1;
	if (rows > most / 2)
		rows = (uint32_t)(most / 2);
	bool good = report_write_rows(x, rows, &text);
	while (good && text.len > most && rows) {
		uint64_t fit = (uint64_t)rows * most / text.len;
		rows = fit < rows ? (uint32_t)fit : rows - 1;
		buf_reset(&text);
		good = report_write_rows(x, rows, &text);
	}
	buf_add(x->out, buf_str(&text), text.len);
	if (rows < x->r.rows_total)
		buf_addf(x->note,
			 "cut: %" PRIu32 " of %" PRIu32
			 " rows; for more ask with limit: BYTES%s, or "
			 "narrow the words (--include, --from, --to)\n",
			 rows, x->r.rows_total, rows < all ? "" : " and without --limit");
	buf_release(&text);
	return good;
}

/* Keeps the fold for the next report, unless it is a comparison of ranges or of a derived profile,
 * which may be gone by then. */
static void
keep_fold(struct asked *x)
{
	struct report_source *s = x->source;

	if (!x->r.fold || x->options.compares || x->r.profile != s->profile || !x->r.fold->tree)
		return;
	fold_free(s->last);
	s->last = x->r.fold;
	x->r.fold = NULL;
}

bool
report_ask(struct report_source *s, const struct report_asks *asks, struct buf *out,
	   struct buf *note, struct err *e)
{
	struct asked x = {
		.source = s,
		.asks = asks,
		.own = {.format = FORMAT_CSV, .limit = UINT64_MAX},
		.out = out,
		.note = note,
		.e = e,
	};

	options_init(&x.options, &x.own);
	lens_init(&x.lens);
	bool good = read_words(&x);
	x.r = (struct report){
		.profile = s->profile,
		.loaded = s->profile,
		.made = s->last,
		.plain = s->plain,
		.how = s->how,
		.asked = &x.options.lens,
		.line = &s->line,
		.changes = s->profile->comparison == COMPARE_FILES || x.options.compares,
		.err = e,
		.pace = asks->pace,
		.functions = {.by = BY_FUNCTION},
		.function = x.own.function,
		.over = x.own.over,
		.limit = x.own.limit,
	};
	good = good && check_words(&x) && find_rows(&x);
	/* the others have a view, and a caption */
	if (good && (x.own.format == FORMAT_CSV || x.own.format == FORMAT_TEXT))
		report_write_header(&x, out);
	good = good && write_fitting(&x);
	if (good)
		keep_fold(&x);
	column_list_release(&x.list);
	report_release(&x.r);
	lens_release(&x.lens);
	options_release(&x.options);
	pattern_unref(x.own.function);
	for (size_t i = 0; i < x.argv.n; i++)
		free(x.argv.at[i]);
	vec_release(&x.argv);
	return good;
}
