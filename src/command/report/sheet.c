#include "src/command/report/sheet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/encode/json_text.h"

/* All rows exist before the first is written, because a sort needs all of them and a text table
 * needs their widths.  No format stores cells: a text table formats them twice, first for the
 * widths. */

/* ---- sorting ---- */

enum key_kind { KEY_NUMBER, KEY_REAL, KEY_WORDS, KEY_EMPTY };

/* A row's sort key, computed once because a sort reads it many times. */
struct sort_key {
	uint8_t kind; /* enum key_kind */
	uint32_t len;
	uint32_t row;
	double shown; /* of KEY_NUMBER: the number as a comparison displays it, or 0 */
	union {
		int64_t number;
		double real;
		size_t at; /* offset in the words */
	} as;
};

struct sort {
	struct buf words;
	bool reverse;
};

static struct sort_key
sheet_key_of(const struct table_column *c, const struct look *l, const struct row *r,
	     struct buf *words)
{
	struct sort_key key = {.kind = KEY_EMPTY};
	struct value v = {0};

	if (c->number && !c->left)
		v = c->number(l, r);
	switch ((enum value_kind)v.kind) {
	case VALUE_WHOLE:
		key.kind = KEY_NUMBER;
		key.as.number = v.whole;
		key.shown = c->order && l->compares ? c->order(l, r) : 0;
		return key;
	case VALUE_REAL:
		key.kind = KEY_REAL;
		key.as.real = v.real;
		return key;
	case VALUE_NONE:
		break;
	}
	key.as.at = words->len;
	column_plain(c, l, r, words);
	key.len = (uint32_t)(words->len - key.as.at);
	key.kind = key.len ? KEY_WORDS : KEY_EMPTY;
	return key;
}

static double
key_real(const struct sort_key *k)
{
	return k->kind == KEY_REAL ? k->as.real : (double)k->as.number;
}

/* Sorts numbers first, the largest first; then words; then empty cells. */
static int
compare_keys(const struct buf *words, const struct sort_key *a, const struct sort_key *b)
{
	if (a->kind == KEY_EMPTY || b->kind == KEY_EMPTY)
		return (a->kind == KEY_EMPTY) - (b->kind == KEY_EMPTY);
	if (a->kind == KEY_WORDS && b->kind == KEY_WORDS) {
		int order = memcmp(words->at + a->as.at, words->at + b->as.at,
				   a->len < b->len ? a->len : b->len);
		return order ? order : a->len < b->len ? -1 : a->len > b->len;
	}
	if (a->kind == KEY_WORDS || b->kind == KEY_WORDS)
		return (a->kind == KEY_WORDS) - (b->kind == KEY_WORDS);
	if (a->kind == KEY_NUMBER && b->kind == KEY_NUMBER && a->shown != b->shown)
		return a->shown > b->shown ? -1 : 1;
	if (a->kind == KEY_NUMBER && b->kind == KEY_NUMBER)
		return a->as.number > b->as.number ? -1 : a->as.number < b->as.number;
	return key_real(a) > key_real(b) ? -1 : key_real(a) < key_real(b);
}

int
rows_compare(const struct table_column *c, const struct look *l, const struct row *a,
	     const struct row *b)
{
	struct buf words = BUF_INIT;
	struct sort_key x = sheet_key_of(c, l, a, &words), y = sheet_key_of(c, l, b, &words);
	int order = compare_keys(&words, &x, &y);

	buf_release(&words);
	return order;
}

static int
sheet_compare_rows(const void *a, const void *b, void *context)
{
	const struct sort *sort = context;
	const struct sort_key *x = a, *y = b;
	int order = compare_keys(&sort->words, x, y);

	if (order)
		return sort->reverse ? -order : order;
	return x->row < y->row ? -1 : x->row > y->row;
}

void
rows_sort(struct rows *rows, const struct table_column *c, const struct look *l, bool reverse)
{
	struct sort sort = {BUF_INIT, reverse};

	if (rows->n < 2)
		return;
	struct sort_key *key = mem_alloc(rows->n, sizeof *key);
	for (uint32_t i = 0; i < rows->n; i++) {
		struct row row = rows_get(rows, i);
		key[i] = sheet_key_of(c, l, &row, &sort.words);
		key[i].row = i;
	}
	qsort_r(key, rows->n, sizeof *key, sheet_compare_rows, &sort);
	struct rows before = *rows;
	rows->at = before.at ? mem_alloc(rows->n, sizeof *rows->at) : NULL;
	rows->key = before.at ? NULL : mem_alloc(rows->n, sizeof *rows->key);
	rows->cap = rows->n;
	for (uint32_t i = 0; i < rows->n; i++)
		if (before.at)
			rows->at[i] = before.at[key[i].row];
		else
			rows->key[i] = before.key[key[i].row];
	free_all(before.at, before.key, key);
	buf_release(&sort.words);
}

/* ---- for programs ---- */

/* RFC 4180: a field with a comma, a quote or a line end is quoted, with quotes doubled. */
void
sheet_csv_field(FILE *out, const char *at, size_t len)
{
	bool quote = false;

	for (size_t i = 0; i < len && !quote; i++)
		quote = strchr(",\"\r\n", at[i]) != NULL && at[i];
	if (!quote) {
		fwrite(at, 1, len, out);
		return;
	}
	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (at[i] == '"')
			fputc('"', out);
		fputc(at[i], out);
	}
	fputc('"', out);
}

void
sheet_write_csv(const struct sheet *s, FILE *out)
{
	struct buf cell = BUF_INIT;

	for (size_t i = 0; i < s->columns->all.n; i++)
		fprintf(out, "%s%s", i ? "," : "", s->columns->all.at[i].column->name);
	fputc('\n', out);
	for (uint32_t r = 0; r < s->rows->n; r++) {
		struct row row = rows_get(s->rows, r);
		for (size_t i = 0; i < s->columns->all.n; i++) {
			buf_reset(&cell);
			column_plain(s->columns->all.at[i].column, s->look, &row, &cell);
			if (i)
				fputc(',', out);
			sheet_csv_field(out, buf_str(&cell), cell.len);
		}
		fputc('\n', out);
	}
	buf_release(&cell);
}

/* Writes a cell as a value of JSON. */
static void
sheet_json_cell(const struct sheet *s, size_t column, uint32_t row, struct buf *cell, FILE *out)
{
	struct row r = rows_get(s->rows, row);

	buf_reset(cell);
	enum cell_kind kind = column_plain(s->columns->all.at[column].column, s->look,
					   &r, cell);
	if (kind == CELL_WORDS)
		json_string(out, buf_str(cell), cell->len);
	else
		fputs(kind == CELL_EMPTY ? "null" : buf_str(cell), out);
}

void
sheet_write_ndjson(const struct sheet *s, FILE *out)
{
	struct buf cell = BUF_INIT;

	for (uint32_t r = 0; r < s->rows->n; r++) {
		for (size_t i = 0; i < s->columns->all.n; i++) {
			fprintf(out, "%s\"%s\": ", i ? ", " : "{",
				s->columns->all.at[i].column->name);
			sheet_json_cell(s, i, r, &cell, out);
		}
		fputs("}\n", out);
	}
	buf_release(&cell);
}

void
sheet_write_json(const struct sheet *s, FILE *out)
{
	struct buf cell = BUF_INIT;

	fputs("\"columns\": [", out);
	for (size_t i = 0; i < s->columns->all.n; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : "", s->columns->all.at[i].column->name);
	fputs("],\n \"rows\": [", out);
	for (uint32_t r = 0; r < s->rows->n; r++) {
		fputs(r ? ",\n  [" : "\n  [", out);
		for (size_t i = 0; i < s->columns->all.n; i++) {
			if (i)
				fputs(", ", out);
			sheet_json_cell(s, i, r, &cell, out);
		}
		fputc(']', out);
	}
	fputs("\n ]", out);
	buf_release(&cell);
}

/* ---- for people ---- */

#define ELLIPSIS "\xe2\x80\xa6"
#define COLUMN_MIN 8u /* minimum width of a column */
#define ALIGNED_MAX 100u /* a column of words is aligned up to this width: one deep stack must not
			  * widen all rows */

/* Returns the columns of the text on a screen; the number of bytes if the locale cannot decide. */
size_t
sheet_width(const char *text, size_t len)
{
	mbstate_t state = {0};
	size_t width = 0;

	while (len) {
		wchar_t c;
		size_t n = mbrtowc(&c, text, len, &state);
		if (n == 0 || n > len) {
			state = (mbstate_t){0};
			n = 1;
			width++;
		} else {
			int w = wcwidth(c);
			width += w > 0 ? (size_t)w : 0;
		}
		text += n;
		len -= n;
	}
	return width;
}

bool
sheet_fit(FILE *out, size_t *width, size_t n)
{
	struct winsize screen;
	size_t all = 0;

	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &screen) || !screen.ws_col)
		return false;
	for (size_t i = 0; i < n; i++)
		all += width[i] + (width[i] && i + 1 < n ? 2 : 0);
	while (all > screen.ws_col) {
		size_t widest = 0;
		for (size_t i = 0; i < n; i++)
			widest = width[i] > width[widest] ? i : widest;
		if (width[widest] <= COLUMN_MIN)
			return true;
		width[widest]--;
		all--;
	}
	return true;
}

/* Returns how many bytes of a text fit into `width` columns. */
static size_t
cut_at(const char *text, size_t len, size_t width)
{
	while (len && sheet_width(text, len) > width)
		do
			len--;
		while (len && ((unsigned char)text[len] & 0xC0) == 0x80);
	return len;
}

void
sheet_text_field(FILE *out, const char *text, size_t len, size_t width, bool right,
		 bool last)
{
	size_t own = sheet_width(text, len), fill = own < width ? width - own : 0;

	if (own > width && width) {
		fwrite(text, 1, cut_at(text, len, width - 1), out);
		fputs(ELLIPSIS, out);
		return;
	}
	if (right)
		fprintf(out, "%*s", (int)fill, "");
	fwrite(text, 1, len, out);
	if (!right && !last)
		fprintf(out, "%*s", (int)fill, "");
}

/* Writes amounts for readers, counts and lines as they are, and names separately from places.
 * profile(1) prints 0.00 where the total is zero. */
static void
print_cell(const struct table_column *c, const struct look *l, const struct row *r,
	   struct buf *out)
{
	size_t before = out->len;

	switch (c->unit) {
	case COLUMN_VALUE:
	case COLUMN_CHANGE:
	case COLUMN_TIME:
	case COLUMN_PLAIN:
		column_text(c, l, r, out);
		return;
	case COLUMN_SHARE:
		column_text(c, l, r, out);
		if (out->len == before)
			buf_adds(out, "0.00");
		return;
	case COLUMN_WORDS:
	case COLUMN_COUNT:
		column_plain(c, l, r, out);
		return;
	}
}

/* Finds the width of each column; 0: omitted. Returns the last column. */
static size_t
find_widths(const struct sheet *s, size_t *width)
{
	size_t n = s->columns->all.n, last = 0;
	bool *used = mem_zalloc(n + 1, sizeof *used);
	struct buf cell = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		width[i] = sheet_width(s->columns->all.at[i].heading,
				       s->columns->all.at[i].heading_len);
	for (uint32_t r = 0; r < s->rows->n; r++) {
		struct row row = rows_get(s->rows, r);
		for (size_t i = 0; i < n; i++) {
			buf_reset(&cell);
			print_cell(s->columns->all.at[i].column, s->look, &row, &cell);
			used[i] |= cell.len > 0;
			size_t w = sheet_width(cell.at, cell.len);
			width[i] = w > width[i] ? w : width[i];
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct listed_column *c = &s->columns->all.at[i];
		if (c->column->sparse && !c->asked && !used[i])
			width[i] = 0;
		else
			last = i;
	}
	buf_release(&cell);
	free(used);
	return last;
}

/* Writes a line; row NULL: the headings. `cuts`: texts end where their column does. Blanks are
 * written before the next text, so none are at the end of the line. */
static void
print_row(const struct sheet *s, const struct row *row, const size_t *widths, size_t last,
	  bool cuts, FILE *out)
{
	struct buf cell = BUF_INIT;
	size_t due = 0;

	for (size_t i = 0; i < s->columns->all.n && i <= last; i++) {
		const struct listed_column *c = &s->columns->all.at[i];
		size_t width = widths[i];
		if (!width)
			continue;
		buf_reset(&cell);
		if (row)
			print_cell(c->column, s->look, row, &cell);
		else
			buf_add(&cell, c->heading, c->heading_len);
		size_t own = sheet_width(cell.at, cell.len);
		size_t fill = own < width ? width - own : 0;
		due += c->column->left ? 0 : fill;
		if (cell.len)
			fprintf(out, "%*s", (int)due, "");
		if (cell.len)
			due = 0;
		if (own > width && cuts) {
			fwrite(cell.at, 1, cut_at(cell.at, cell.len, width - 1), out);
			fputs(ELLIPSIS, out);
		} else {
			fwrite(buf_str(&cell), 1, cell.len, out);
		}
		due += (c->column->left ? fill : 0) + 2;
	}
	buf_release(&cell);
}

static void
print_below(const struct sheet *s, const struct row *row, FILE *out)
{
	struct buf cell = BUF_INIT;

	column_plain(s->below, s->look, row, &cell);
	if (cell.len)
		fprintf(out, "    %s\n", buf_str(&cell));
	buf_release(&cell);
}

/* Cells are formatted twice: a million rows of text would need more memory than their profile. */
void
sheet_write_text(const struct sheet *s, FILE *out)
{
	size_t n = s->columns->all.n, *width = mem_zalloc(n + 1, sizeof *width);
	size_t last = find_widths(s, width);

	bool cuts = s->fits && sheet_fit(out, width, last + 1);
	for (size_t i = 0; i < n && !cuts; i++)
		if (s->columns->all.at[i].column->left && width[i] > ALIGNED_MAX)
			width[i] = ALIGNED_MAX;
	print_row(s, NULL, width, last, cuts, out);
	fputc('\n', out);
	for (uint32_t r = 0; r < s->rows->n; r++) {
		struct row row = rows_get(s->rows, r);
		bool grey = s->greys && look_sure(s->look, &row, row.node) == SURE_NO;
		fputs(grey ? "\033[2m" : "", out);
		print_row(s, &row, width, last, cuts, out);
		fputs(grey ? "\033[m\n" : "\n", out);
		if (s->below)
			print_below(s, &row, out);
	}
	free(width);
}

/* ---- for documents ---- */

static bool
is_word_byte(unsigned char c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Returns true if Markdown could read text[i] as a mark. An underscore between letters is none, and
 * neither is a backslash before one. */
static bool
marks(const char *text, size_t len, size_t i)
{
	unsigned char next = i + 1 < len ? (unsigned char)text[i + 1] : ' ';

	if (text[i] == '_')
		return !i || !is_word_byte((unsigned char)text[i - 1]) || !is_word_byte(next);
	if (text[i] == '\\')
		return i + 1 == len || (next > ' ' && !is_word_byte(next));
	return text[i] && strchr("`*[<|~&", text[i]);
}

void
sheet_md_text(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool control = (unsigned char)text[i] < ' ';
		if (!control && marks(text, len, i))
			fputc('\\', out);
		fputc(control ? ' ' : text[i], out);
	}
}

void
sheet_write_md(const struct sheet *s, FILE *out)
{
	size_t n = s->columns->all.n;
	struct buf cell = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		const struct listed_column *c = &s->columns->all.at[i];
		fputs("| ", out);
		sheet_md_text(out, c->heading, c->heading_len);
		fputc(' ', out);
	}
	fputs("|\n", out);
	for (size_t i = 0; i < n; i++)
		fputs(s->columns->all.at[i].column->left ? "| --- " : "| ---: ", out);
	fputs("|\n", out);
	for (uint32_t r = 0; r < s->rows->n; r++) {
		struct row row = rows_get(s->rows, r);
		for (size_t i = 0; i < n; i++) {
			buf_reset(&cell);
			column_plain(s->columns->all.at[i].column, s->look, &row, &cell);
			fputs("| ", out);
			sheet_md_text(out, buf_str(&cell), cell.len);
			fputc(' ', out);
		}
		fputs("|\n", out);
	}
	buf_release(&cell);
}
