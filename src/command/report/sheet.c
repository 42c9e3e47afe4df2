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
 * needs their widths.  CSV and JSON are printed cell by cell; only a text table stores its
 * cells. */

/* ---- sorting ---- */

enum key_kind { KEY_NUMBER, KEY_REAL, KEY_WORDS, KEY_EMPTY };

/* A row's sort key, computed once because a sort reads it many times. */
struct sort_key {
	uint8_t kind; /* enum key_kind */
	uint32_t len;
	uint32_t row;
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
	struct row *sorted = mem_alloc(rows->n, sizeof *sorted);
	for (uint32_t i = 0; i < rows->n; i++) {
		key[i] = sheet_key_of(c, l, &rows->at[i], &sort.words);
		key[i].row = i;
	}
	qsort_r(key, rows->n, sizeof *key, sheet_compare_rows, &sort);
	for (uint32_t i = 0; i < rows->n; i++)
		sorted[i] = rows->at[key[i].row];
	free(rows->at);
	rows->at = sorted;
	rows->cap = rows->n;
	free(key);
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
	for (size_t r = 0; r < s->n; r++) {
		for (size_t i = 0; i < s->columns->all.n; i++) {
			buf_reset(&cell);
			column_plain(s->columns->all.at[i].column, s->look, &s->row[r], &cell);
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
sheet_json_cell(const struct sheet *s, size_t column, size_t row, struct buf *cell, FILE *out)
{
	buf_reset(cell);
	enum cell_kind kind = column_plain(s->columns->all.at[column].column, s->look,
					   &s->row[row], cell);
	if (kind == CELL_WORDS)
		json_string(out, buf_str(cell), cell->len);
	else
		fputs(kind == CELL_EMPTY ? "null" : buf_str(cell), out);
}

void
sheet_write_ndjson(const struct sheet *s, FILE *out)
{
	struct buf cell = BUF_INIT;

	for (size_t r = 0; r < s->n; r++) {
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
	for (size_t r = 0; r < s->n; r++) {
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
		column_text(c, l, r, out);
		return;
	case COLUMN_SHARE:
		column_text(c, l, r, out);
		if (out->len == before)
			buf_adds(out, "0.00");
		return;
	case COLUMN_WORDS:
	case COLUMN_PLAIN:
	case COLUMN_COUNT:
		column_plain(c, l, r, out);
		return;
	}
}

/* The cells of a table, row after row, the headings first. */
struct sheet_printed {
	struct buf text;
	VEC(size_t) end; /* of each cell */
	size_t *width;   /* of each column; 0: omitted */
	size_t last;     /* column */
};

static void
print_end(struct sheet_printed *p, size_t column, size_t begin)
{
	size_t width = sheet_width(p->text.at + begin, p->text.len - begin);

	*vec_push(&p->end) = p->text.len;
	p->width[column] = width > p->width[column] ? width : p->width[column];
}

static void
print_all(const struct sheet *s, struct sheet_printed *p)
{
	size_t n = s->columns->all.n;

	p->width = mem_zalloc(n + 1, sizeof *p->width);
	for (size_t i = 0; i < n; i++) {
		size_t begin = p->text.len;
		buf_add(&p->text, s->columns->all.at[i].heading,
			s->columns->all.at[i].heading_len);
		print_end(p, i, begin);
	}
	bool *used = mem_zalloc(n + 1, sizeof *used);
	for (size_t r = 0; r < s->n; r++)
		for (size_t i = 0; i < n; i++) {
			size_t begin = p->text.len;
			print_cell(s->columns->all.at[i].column, s->look, &s->row[r], &p->text);
			used[i] |= p->text.len > begin;
			print_end(p, i, begin);
		}
	for (size_t i = 0; i < n; i++) {
		const struct listed_column *c = &s->columns->all.at[i];
		if (c->column->sparse && !c->asked && !used[i])
			p->width[i] = 0;
		else
			p->last = i;
	}
	free(used);
}

/* Writes row r; `cuts`: texts end where their column does. Blanks are written before the next text,
 * so none are at the end of the line. */
static void
print_row(const struct sheet *s, const struct sheet_printed *p, size_t r, bool cuts, FILE *out)
{
	size_t n = s->columns->all.n, due = 0;

	for (size_t i = 0; i < n && i <= p->last; i++) {
		size_t cell = r * n + i, begin = cell ? p->end.at[cell - 1] : 0;
		size_t len = p->end.at[cell] - begin, width = p->width[i];
		const char *text = buf_str(&p->text) + begin;
		bool left = s->columns->all.at[i].column->left;
		if (!width)
			continue;
		size_t own = sheet_width(text, len);
		size_t fill = own < width ? width - own : 0;
		due += left ? 0 : fill;
		if (len)
			fprintf(out, "%*s", (int)due, "");
		if (len)
			due = 0;
		if (own > width && cuts) {
			fwrite(text, 1, cut_at(text, len, width - 1), out);
			fputs(ELLIPSIS, out);
		} else {
			fwrite(text, 1, len, out);
		}
		due += (left ? fill : 0) + 2;
	}
}

void
sheet_write_text(const struct sheet *s, FILE *out)
{
	struct sheet_printed p = {.text = BUF_INIT};
	size_t n = s->columns->all.n;

	print_all(s, &p);
	bool cuts = s->fits && sheet_fit(out, p.width, p.last + 1);
	for (size_t i = 0; i < n && !cuts; i++)
		if (s->columns->all.at[i].column->left && p.width[i] > ALIGNED_MAX)
			p.width[i] = ALIGNED_MAX;
	for (size_t r = 0; r <= s->n; r++) {
		bool grey = s->greys && r &&
			    look_sure(s->look, &s->row[r - 1], s->row[r - 1].node) == SURE_NO;
		fputs(grey ? "\033[2m" : "", out);
		print_row(s, &p, r, cuts, out);
		fputs(grey ? "\033[m\n" : "\n", out);
	}
	buf_release(&p.text);
	vec_release(&p.end);
	free(p.width);
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
	for (size_t r = 0; r < s->n; r++) {
		for (size_t i = 0; i < n; i++) {
			buf_reset(&cell);
			column_plain(s->columns->all.at[i].column, s->look, &s->row[r], &cell);
			fputs("| ", out);
			sheet_md_text(out, buf_str(&cell), cell.len);
			fputc(' ', out);
		}
		fputs("|\n", out);
	}
	buf_release(&cell);
}
