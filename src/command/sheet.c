#include "src/command/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "model/human.h"
#include "model/mem.h"

/* All rows are collected before the first is written, because a sort needs them all and a
 * text table needs its widths.  A cell is 16 bytes and texts share one buffer, so a tree of a
 * million nodes is some 150 MB: the price of one code for three formats. */

void
sheet_init(struct sheet *s, const struct sheet_column *columns, unsigned n)
{
	*s = (struct sheet){.column = columns, .n_columns = n};
}

void
sheet_release(struct sheet *s)
{
	vec_release(&s->cells);
	vec_release(&s->order);
	buf_release(&s->text);
}

static struct cell *
next_cell(struct sheet *s, enum cell_kind kind)
{
	if (s->cells.n % s->n_columns == 0) {
		uint32_t row = (uint32_t)s->order.n;
		*vec_push(&s->order) = row;
	}
	struct cell *c = vec_push(&s->cells);
	*c = (struct cell){.kind = (uint8_t)kind};
	return c;
}

void
sheet_empty(struct sheet *s)
{
	next_cell(s, CELL_EMPTY);
}

void
sheet_number(struct sheet *s, int64_t v, unsigned decimals)
{
	struct cell *c = next_cell(s, CELL_NUMBER);

	c->as.number = v;
	c->decimals = (uint8_t)decimals;
}

void
sheet_real(struct sheet *s, double v)
{
	next_cell(s, CELL_DOUBLE)->as.real = v;
}

void
sheet_bytes(struct sheet *s, const char *at, size_t len)
{
	struct cell *c = next_cell(s, CELL_TEXT);

	c->as.at = s->text.len;
	c->len = (uint32_t)len;
	buf_add(&s->text, at, len);
}

void
sheet_text(struct sheet *s, const char *text)
{
	sheet_bytes(s, text, strlen(text));
}

void
sheet_add_name(const struct sheet *s, const struct profile *p, name_id id, struct buf *out)
{
	if (s->shown)
		profile_show_name(p, id, out);
	else
		profile_write_name(p, id, out);
}

void
sheet_name(struct sheet *s, const struct profile *p, name_id id)
{
	if (id == NAME_EMPTY) {
		sheet_empty(s);
		return;
	}
	struct cell *c = next_cell(s, CELL_TEXT);
	c->as.at = s->text.len;
	sheet_add_name(s, p, id, &s->text);
	c->len = (uint32_t)(s->text.len - c->as.at);
}

size_t
sheet_rows(const struct sheet *s)
{
	return s->order.n;
}

const struct cell *
sheet_cell(const struct sheet *s, size_t row, unsigned column)
{
	return &s->cells.at[(size_t)s->order.at[row] * s->n_columns + column];
}

void
sheet_copy(struct sheet *to, const struct sheet *from, size_t row, unsigned column)
{
	const struct cell *c = sheet_cell(from, row, column);

	switch ((enum cell_kind)c->kind) {
	case CELL_EMPTY:
		sheet_empty(to);
		return;
	case CELL_NUMBER:
		sheet_number(to, c->as.number, c->decimals);
		return;
	case CELL_DOUBLE:
		sheet_real(to, c->as.real);
		return;
	case CELL_TEXT:
		sheet_bytes(to, from->text.at + c->as.at, c->len);
		return;
	}
}

int
sheet_find(const struct sheet *s, const char *column)
{
	for (unsigned i = 0; i < s->n_columns; i++)
		if (!strcmp(s->column[i].name, column))
			return (int)i;
	return -1;
}

/* ---- sorting ---- */

struct sort {
	const struct sheet *s;
	unsigned column;
	bool reverse;
};

static double
cell_value(const struct cell *c)
{
	return c->kind == CELL_DOUBLE ? c->as.real : (double)c->as.number;
}

static int
compare_cells(const struct sheet *s, const struct cell *a, const struct cell *b, bool number)
{
	if (a->kind == CELL_EMPTY || b->kind == CELL_EMPTY) /* empty ones last */
		return (a->kind == CELL_EMPTY) - (b->kind == CELL_EMPTY);
	if (number && a->kind == CELL_NUMBER && b->kind == CELL_NUMBER)
		return a->as.number > b->as.number ? -1 : a->as.number < b->as.number;
	if (number && a->kind != CELL_TEXT && b->kind != CELL_TEXT)
		return cell_value(a) > cell_value(b) ? -1 : cell_value(a) < cell_value(b);
	if (a->kind != CELL_TEXT || b->kind != CELL_TEXT)
		return (a->kind == CELL_TEXT) - (b->kind == CELL_TEXT);
	int order = memcmp(s->text.at + a->as.at, s->text.at + b->as.at,
			   a->len < b->len ? a->len : b->len);
	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

static int
compare_rows(const void *a, const void *b, void *context)
{
	const struct sort *x = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct cell *cells = x->s->cells.at;
	int order = compare_cells(x->s, &cells[(size_t)i * x->s->n_columns + x->column],
				  &cells[(size_t)k * x->s->n_columns + x->column],
				  x->s->column[x->column].number);

	if (order)
		return x->reverse ? -order : order;
	return i < k ? -1 : i > k;
}

void
sheet_sort(struct sheet *s, unsigned column, bool reverse)
{
	struct sort x = {s, column, reverse};

	if (s->order.n > 1)
		qsort_r(s->order.at, s->order.n, sizeof *s->order.at, compare_rows, &x);
}

/* ---- cells as text ---- */

static void
add_cell(const struct sheet *s, const struct cell *c, struct buf *out)
{
	switch ((enum cell_kind)c->kind) {
	case CELL_EMPTY:
		return;
	case CELL_NUMBER:
		human_plain(out, c->as.number, c->decimals);
		return;
	case CELL_DOUBLE:
		human_real(out, c->as.real);
		return;
	case CELL_TEXT:
		buf_add(out, s->text.at + c->as.at, c->len);
		return;
	}
}

static size_t
rows_shown(const struct sheet *s, size_t limit)
{
	return s->order.n < limit ? s->order.n : limit;
}

/* RFC 4180: a field with a comma, a quote or a line end is quoted, quotes doubled. */
static void
csv_field(FILE *out, const char *at, size_t len)
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
sheet_write_csv(const struct sheet *s, FILE *out, size_t limit)
{
	struct buf cell = BUF_INIT;

	for (unsigned i = 0; i < s->n_columns; i++)
		fprintf(out, "%s%s", i ? "," : "", s->column[i].name);
	fputc('\n', out);
	for (size_t r = 0; r < rows_shown(s, limit); r++) {
		for (unsigned i = 0; i < s->n_columns; i++) {
			buf_reset(&cell);
			add_cell(s, sheet_cell(s, r, i), &cell);
			if (i)
				fputc(',', out);
			csv_field(out, buf_str(&cell), cell.len);
		}
		fputc('\n', out);
	}
	buf_release(&cell);
}

void
json_string(FILE *out, const char *at, size_t len)
{
	fputc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void
json_cell(const struct sheet *s, const struct cell *c, FILE *out, struct buf *scratch)
{
	buf_reset(scratch);
	add_cell(s, c, scratch);
	if (c->kind == CELL_EMPTY)
		fputs("null", out);
	else if (c->kind == CELL_TEXT || (c->kind == CELL_DOUBLE && !isfinite(c->as.real)))
		json_string(out, buf_str(scratch), scratch->len);
	else
		fputs(buf_str(scratch), out);
}

void
sheet_write_json(const struct sheet *s, FILE *out, size_t limit)
{
	struct buf scratch = BUF_INIT;

	fputs("\"columns\": [", out);
	for (unsigned i = 0; i < s->n_columns; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : "", s->column[i].name);
	fputs("],\n \"rows\": [", out);
	for (size_t r = 0; r < rows_shown(s, limit); r++) {
		fputs(r ? ",\n  [" : "\n  [", out);
		for (unsigned i = 0; i < s->n_columns; i++) {
			if (i)
				fputs(", ", out);
			json_cell(s, sheet_cell(s, r, i), out, &scratch);
		}
		fputc(']', out);
	}
	fputs("\n ]", out);
	buf_release(&scratch);
}

/* Columns that the text takes on a screen; bytes where the locale does not know. */
static size_t
text_width(const char *text, size_t len)
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

static void
text_field(FILE *out, const char *text, size_t len, size_t width, bool right, bool last)
{
	size_t own = text_width(text, len), fill = own < width ? width - own : 0;

	if (right)
		fprintf(out, "%*s", (int)fill, "");
	fwrite(text, 1, len, out);
	if (!right && !last)
		fprintf(out, "%*s", (int)fill, "");
}

void
sheet_write_text(const struct sheet *s, FILE *out, size_t limit)
{
	size_t *width = mem_zalloc(s->n_columns, sizeof *width), rows = rows_shown(s, limit);
	struct buf cell = BUF_INIT;
	unsigned last = 0;

	for (unsigned i = 0; i < s->n_columns; i++) {
		bool used = !s->column[i].hidden;
		for (size_t r = 0; r < rows; r++) {
			buf_reset(&cell);
			add_cell(s, sheet_cell(s, r, i), &cell);
			used |= cell.len > 0;
			size_t w = text_width(buf_str(&cell), cell.len);
			width[i] = w > width[i] ? w : width[i];
		}
		if (width[i] < strlen(s->column[i].name))
			width[i] = strlen(s->column[i].name);
		if (!used)
			width[i] = 0;
		last = used ? i : last;
	}
	for (size_t r = 0; r <= rows; r++) {
		for (unsigned i = 0; i <= last; i++) {
			if (!width[i])
				continue;
			buf_reset(&cell);
			if (r == 0)
				buf_adds(&cell, s->column[i].name);
			else
				add_cell(s, sheet_cell(s, r - 1, i), &cell);
			text_field(out, buf_str(&cell), cell.len, width[i], s->column[i].number,
				   i == last);
			if (i != last)
				fputs("  ", out);
		}
		fputc('\n', out);
	}
	buf_release(&cell);
	free(width);
}
