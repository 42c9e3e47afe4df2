#include "src/encode/html_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/answer/answers.h"
#include "model/base/escape.h"
#include "model/base/sum.h"
#include "model/lens/words.h"
#include "model/profile/human.h"
#include "model/table/facts.h"
#include "src/encode/json_text.h"

/* The part of a page that needs no script: a header, a table of the functions with the columns of a
 * report, and the facts of the profile.  Names are written as a screen shows them. */

#define FACTS_MOST 60u
#define FACT_BYTES 400u
#define TABLE_BYTES 40000u /* of names and files: from here on they are cut */
#define NAME_BYTES 100u

static const char columns_of_page[] =
	"function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,"
	"delta_total,sure";

void
html_write_name(const struct page *x, FILE *out, name_id id)
{
	struct buf text = BUF_INIT;

	shown_name(&x->shown, id, &text);
	json_string(out, buf_str(&text), text.len);
	buf_release(&text);
}

void
html_text(struct buf *out, const struct buf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		char c = text->at[i];
		if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			buf_addf(out, "&#%d;", c);
		else
			buf_addc(out, (unsigned char)c < 0x20 || c == 0x7f ? ' ' : c);
	}
}

/* Writes text of the program, or of a command line, escaped. */
static void
html_write_text(FILE *out, const char *text)
{
	struct buf plain = BUF_INIT, marked = BUF_INIT;

	buf_adds(&plain, text);
	html_text(&marked, &plain);
	fputs(buf_str(&marked), out);
	buf_release(&plain);
	buf_release(&marked);
}

/* ---- metrics ---- */

static void
write_about(FILE *out, const char *what, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "<dt>%s</dt><dd>", what);
	html_write_text(out, text);
	fputs("</dd>\n", out);
}

static void
html_write_range(const struct page *x, FILE *out)
{
	enum unit axis = x->p->n_groups ? (enum unit)x->p->group[0].axis : UNIT_NS;
	struct buf text = BUF_INIT;

	if (!x->shown.has_time && x->fold->whole)
		return;
	int64_t from = x->fold->whole ? 0 : x->fold->from;
	human_time(&text, from, axis);
	buf_adds(&text, " to ");
	human_time(&text, sum_clipped(from, shown_length(&x->shown)), axis);
	write_about(out, "Range", buf_str(&text));
	buf_release(&text);
}

static void
write_total(const struct page *x, FILE *out)
{
	const struct fold *f = x->fold;
	struct buf text = BUF_INIT;

	if (!x->look.metric)
		return;
	human_value(&text, f->now.total[NODE_ROOT], x->look.metric);
	if (f->now.total[NODE_ROOT] != f->now.everything) {
		buf_adds(&text, " of ");
		human_value(&text, f->now.everything, x->look.metric);
	}
	if (f->compares) {
		buf_adds(&text, ", compared with ");
		human_value(&text, f->base.total[NODE_ROOT], x->look.metric);
	}
	write_about(out, "Total", buf_str(&text));
	buf_release(&text);
}

static void
html_write_header(const struct page *x, FILE *out)
{
	struct buf title = BUF_INIT, text = BUF_INIT;

	shown_title(&x->shown, "pnav", &title);
	fputs("<header>\n<h1>", out);
	html_write_text(out, buf_str(&title));
	fputs("</h1>\n<dl id=\"about\">\n", out);
	if (x->look.metric)
		profile_show_name(x->p, x->look.metric->name, &text);
	write_about(out, "Metric", buf_str(&text));
	write_total(x, out);
	html_write_range(x, out);
	buf_reset(&text);
	lens_write_options(x->job->lens, &text);
	write_about(out, "Lens", buf_str(&text));
	write_about(out, "Command", x->job->command ? x->job->command : "");
	fputs("</dl>\n</header>\n<main id=\"page\">\n", out);
	buf_release(&title);
	buf_release(&text);
}

/* ---- the table ---- */

/* Cuts at a character, with an ellipsis. */
static void
cut_text(struct buf *text, size_t most)
{
	size_t len = most;

	if (text->len <= most)
		return;
	while (len && ((unsigned char)text->at[len] & 0xc0) == 0x80)
		len--;
	text->len = len;
	text->at[len] = '\0';
	buf_adds(text, "\xe2\x80\xa6");
}

static void
add_cell(const struct page *x, const struct table_column *c, const struct row *row, size_t most,
	 struct buf *out)
{
	struct buf plain = BUF_INIT, shown = BUF_INIT;
	struct look look = x->look;

	look.programs = false;
	if (c->number && c->unit != COLUMN_WORDS && !c->left) {
		if (column_plain(c, &x->look, row, &plain) == CELL_EMPTY) {
			buf_adds(out, "<td>");
		} else {
			column_text(c, &look, row, &shown);
			buf_addf(out, "<td data-n=\"%s\">", buf_str(&plain));
			html_text(out, &shown);
		}
	} else {
		column_plain(c, &x->look, row, &plain);
		escape_shown(&shown, buf_str(&plain), plain.len, false);
		cut_text(&shown, most);
		buf_adds(out, c->left ? "<td class=\"w\">" : "<td>");
		html_text(out, &shown);
	}
	buf_adds(out, "</td>");
	buf_release(&plain);
	buf_release(&shown);
}

static void
add_rows(const struct page *x, const struct column_list *list, size_t most, struct buf *out)
{
	for (uint32_t i = 0; i < x->rows.n && i < HTML_ROWS; i++) {
		struct row row = rows_get(&x->rows, i);
		buf_adds(out, "<tr>");
		for (size_t k = 0; k < list->all.n; k++)
			if (x->fold->compares || !list->all.at[k].column->compared)
				add_cell(x, list->all.at[k].column, &row, most, out);
		buf_adds(out, "</tr>\n");
	}
}

static void
write_table(const struct page *x, FILE *out)
{
	struct column_list list = {0};
	struct buf rows = BUF_INIT;
	size_t len;

	column_list_read(&list, columns_of_page, ROWS_FOLD, &len);
	add_rows(x, &list, SIZE_MAX, &rows);
	if (rows.len > TABLE_BYTES) {
		buf_reset(&rows);
		add_rows(x, &list, NAME_BYTES, &rows);
	}
	fputs("<section id=\"list\">\n<h2>Functions</h2>\n<p id=\"rows\">", out);
	if (x->rows.n > HTML_ROWS)
		fprintf(out, "The %u of %u functions with most self.", HTML_ROWS, x->rows.n);
	else
		fprintf(out, "%u functions.", x->rows.n);
	fputs("</p>\n<table id=\"functions\">\n<thead><tr>", out);
	for (size_t k = 0; k < list.all.n; k++)
		if (x->fold->compares || !list.all.at[k].column->compared)
			fprintf(out, "<th scope=\"col\"%s>%s</th>",
				list.all.at[k].column->left ? " class=\"w\"" : "",
				list.all.at[k].column->name);
	fputs("</tr></thead>\n<tbody>\n", out);
	fwrite(buf_str(&rows), 1, rows.len, out);
	fputs("</tbody>\n</table>\n</section>\n", out);
	column_list_release(&list);
	buf_release(&rows);
}

/* ---- facts ---- */

static void
write_fact(const struct page *x, const struct fact *fact, FILE *out)
{
	const struct table_column *c = column_find("value", 5, ROWS_FACTS);
	struct row row = {.of.fact = fact};
	struct buf text = BUF_INIT;

	column_text(c, &x->look, &row, &text);
	cut_text(&text, FACT_BYTES);
	fprintf(out, "<tr%s><th scope=\"row\">", fact->bad ? " class=\"bad\"" : "");
	html_write_text(out, fact->key);
	fputs("</th><td>", out);
	html_write_text(out, buf_str(&text));
	fputs("</td></tr>\n", out);
	buf_release(&text);
}

static void
html_write_info(const struct page *x, FILE *out)
{
	struct facts f = {0};
	unsigned n = 0;
	bool bad = false;

	facts_make(&f, x->p, x->job->plain, NULL, NULL, false);
	for (size_t i = 0; i < f.all.n; i++)
		bad |= f.all.at[i].bad && !f.all.at[i].aside;
	fprintf(out, "<details id=\"info\"%s><summary>Information</summary>\n<table>\n",
		bad ? " open" : "");
	for (size_t i = 0; i < f.all.n && n < FACTS_MOST; i++) {
		if (f.all.at[i].aside)
			continue;
		write_fact(x, &f.all.at[i], out);
		n++;
	}
	fputs("</table>\n</details>\n", out);
	facts_release(&f);
}

/* ---- answers ---- */

#define ANSWERS_MOST 40u

/* Writes the answers to the questions of the manual, the most notable first. */
static void
write_answers(const struct page *x, FILE *out)
{
	struct answers all = {0};
	unsigned n = 0;

	if (x->fold->compares)
		return; /* they are about one run */
	answers_make(&all, &(struct answers_asks){.p = x->p, .lens = x->job->lens,
						  .pace = x->job->pace});
	for (size_t i = 0; i < all.list.n && n < ANSWERS_MOST; i++) {
		const struct answers_item *a = &all.list.at[i];
		if (!a->text.len || !strncmp(a->text.at, "no answer", 9))
			continue; /* the profile lacks what it needs */
		if (!n++)
			fputs("<details id=\"answers\" open><summary>Answers</summary>\n<dl>\n",
			      out);
		fprintf(out, "<dt%s>", a->notable ? " class=\"bad\"" : "");
		html_write_text(out, a->row->question);
		fputs("</dt><dd>", out);
		html_write_text(out, buf_str(&a->text));
		fputs("</dd>\n", out);
	}
	if (n)
		fputs("</dl>\n</details>\n", out);
	answers_release(&all);
}

void
html_markup(struct page *x, FILE *out)
{
	html_write_header(x, out);
	write_table(x, out);
	write_answers(x, out);
	html_write_info(x, out);
	fputs("<noscript><p>Without JavaScript the page shows this table alone.</p></noscript>\n"
	      "</main>\n",
	      out);
}
