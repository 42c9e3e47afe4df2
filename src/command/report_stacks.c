#include "src/command/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"

/* The views that are folds: functions, lines, tree, callers. */

static unsigned
decimals(const struct report *r)
{
	return r->profile->metric[r->fold->metric].decimals;
}

static void
cell_count(struct sheet *s, int64_t count)
{
	if (count < 0)
		sheet_empty(s);
	else
		sheet_number(s, count, 0);
}

static void
cell_line(struct sheet *s, struct line line)
{
	struct buf text = BUF_INIT;

	if (line.form == LINE_PLAIN)
		sheet_number(s, line.number, 0);
	else if (line.form == LINE_UNKNOWN)
		sheet_empty(s);
	else {
		human_line(&text, line);
		sheet_bytes(s, buf_str(&text), text.len);
	}
	buf_release(&text);
}

/* function, file, line, module of a key, and its kind where there is a column for it. */
static void
cells_of_key(struct report *r, struct sheet *s, key_id key, bool with_kind)
{
	const struct projection *t = r->fold->tree;
	const struct profile *p = r->profile;
	function_id id = projection_key_function(t, p, key);

	if (id == UINT32_MAX) { /* a file or a module stands for the frame */
		sheet_name(s, p, key);
		sheet_name(s, p, t->by == BY_FILE ? key : NAME_EMPTY);
		sheet_empty(s);
		sheet_name(s, p, t->by == BY_MODULE ? key : NAME_EMPTY);
		if (with_kind)
			sheet_empty(s);
		return;
	}
	const struct function *f = &p->frames.function[id];
	sheet_name(s, p, f->name);
	sheet_name(s, p, f->file);
	if (t->by == BY_LINE)
		cell_line(s, projection_key_line(t, p, key));
	else
		cell_line(s, f->line ? line_plain(f->line) : line_unknown());
	sheet_name(s, p, f->module);
	if (with_kind)
		sheet_text(s, kind_name((enum kind)f->kind));
}

struct row_order {
	const struct report *r;
	bool by_file; /* lines: self, file, line, function */
};

static int
compare_rows(const void *a, const void *b, void *context)
{
	const struct row_order *o = context;
	const struct row *x = a, *y = b;

	if (o->r->changes && o->r->fold->compares) {
		int64_t dx = llabs(x->self - x->base_self), dy = llabs(y->self - y->base_self);
		if (dx != dy)
			return dx > dy ? -1 : 1;
	}
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return fold_compare_keys(o->r->fold->tree, o->r->profile, x->key, y->key, o->by_file);
}

static struct rows
sorted_rows(struct report *r, bool by_file)
{
	struct rows rows = {0};
	struct row_order order = {r, by_file};

	fold_rows(r->fold, r->profile, &rows);
	if (rows.n > 1)
		qsort_r(rows.at, rows.n, sizeof *rows.at, compare_rows, &order);
	return rows;
}

static void
cells_of_base(struct report *r, struct sheet *s, const struct row *row)
{
	if (!r->fold->compares)
		return;
	sheet_number(s, row->base_self, decimals(r));
	sheet_number(s, row->base_total, decimals(r));
	sheet_number(s, row->self - row->base_self, decimals(r));
	sheet_number(s, row->total - row->base_total, decimals(r));
}

/* The columns that only a comparison has. */
#define BASE_COLUMNS                                                                       \
	{"base_self", true, false}, {"base_total", true, false},                           \
	{"delta_self", true, false}, {"delta_total", true, false}
#define N_BASE_COLUMNS 4

/* ---- functions ---- */

static const struct sheet_column functions_columns[] = {
	{"function", false, false}, {"file", false, true},   {"line", true, true},
	{"module", false, true},    {"kind", false, false},  {"calls", true, true},
	{"self", true, false},      {"total", true, false},  BASE_COLUMNS,
};

static bool
functions_fill(struct report *r, struct sheet *s)
{
	struct rows rows = sorted_rows(r, false);

	for (uint32_t i = 0; i < rows.n; i++) {
		const struct row *row = &rows.at[i];
		cells_of_key(r, s, row->key, true);
		cell_count(s, row->calls);
		sheet_number(s, row->self, decimals(r));
		sheet_number(s, row->total, decimals(r));
		cells_of_base(r, s, row);
	}
	rows_release(&rows);
	return true;
}

/* "+1.2 s": what there is now less what there was. */
static void
change_text(const struct report *r, int64_t now, int64_t base, struct buf *out)
{
	if (now > base)
		buf_addc(out, '+');
	human_value(out, now - base, &r->profile->metric[r->fold->metric]);
}

/* "+12.5%" of what there was; "new" and "gone" where that says nothing. */
static void
change_share(int64_t now, int64_t base, struct buf *out)
{
	if (now == base)
		return;
	if (!base)
		buf_adds(out, "new");
	else if (!now)
		buf_adds(out, "gone");
	else
		buf_addf(out, "%+.1f%%", 100.0 * ((double)now - (double)base) / fabs((double)base));
}

/* The heading of text reports: what is measured, over what. */
static void
text_heading(const struct report *r, FILE *out)
{
	const struct fold *f = r->fold;
	const struct profile *p = r->profile;
	const struct metric *m = &p->metric[f->metric];
	struct buf text = BUF_INIT;

	profile_show_name(p, m->name, &text);
	buf_adds(&text, " (");
	buf_adds(&text, unit_name((enum unit)m->unit));
	buf_adds(&text, "): ");
	human_value(&text, f->now.total[NODE_ROOT], m);
	if (f->now.total[NODE_ROOT] != f->now.everything) {
		buf_adds(&text, " shown of ");
		human_value(&text, f->now.everything, m);
	}
	if (f->compares) {
		buf_adds(&text, ", compared with ");
		human_value(&text, f->base.total[NODE_ROOT], m);
		buf_adds(&text, " (");
		change_text(r, f->now.total[NODE_ROOT], f->base.total[NODE_ROOT], &text);
		if (f->now.total[NODE_ROOT] != f->base.total[NODE_ROOT])
			buf_addc(&text, ' ');
		change_share(f->now.total[NODE_ROOT], f->base.total[NODE_ROOT], &text);
		buf_adds(&text, "); % of each row's base");
	}
	if (!p->complete)
		buf_addf(&text, "; incomplete: %s", p->why ? p->why : "");
	fprintf(out, "%s\n\n", buf_str(&text));
	buf_release(&text);
}

/* profile(1)'s percentages: of everything, of what is displayed, of user functions.  Two
 * decimals, 0.00 for User where the function is none. */
static void
cell_percent(struct sheet *s, int64_t part, int64_t whole)
{
	char text[32];

	snprintf(text, sizeof text, "%.2f", whole ? 100.0 * (double)part / (double)whole : 0.0);
	sheet_text(s, text);
}

static bool
is_user(const struct sheet *s, size_t row, unsigned kind)
{
	const struct cell *c = sheet_cell(s, row, kind);

	return c->kind == CELL_TEXT && c->len == 4 && !memcmp(s->text.at + c->as.at, "user", 4);
}

/* Numbers as people read them, where nobody's program does. */
static void
human_cell(const struct report *r, struct sheet *to, const struct sheet *from, size_t row,
	   unsigned column)
{
	struct buf text = BUF_INIT;

	human_value(&text, sheet_cell(from, row, column)->as.number,
		    &r->profile->metric[r->fold->metric]);
	sheet_bytes(to, buf_str(&text), text.len);
	buf_release(&text);
}

static const struct sheet_column functions_text_columns[] = {
	{"self", true, false},  {"total", true, false},    {"calls", true, true},
	{"Total", true, false}, {"Disp", true, false},     {"User", true, false},
	{"kind", false, false}, {"function", false, false}, {"line", true, true},
	{"file", false, true},  {"module", false, true},
};

static void
cell_change(const struct report *r, struct sheet *to, int64_t now, int64_t base)
{
	struct buf text = BUF_INIT;

	change_text(r, now, base, &text);
	sheet_bytes(to, buf_str(&text), text.len);
	buf_reset(&text);
	change_share(now, base, &text);
	sheet_bytes(to, buf_str(&text), text.len);
	buf_release(&text);
}

enum { FUNCTION, FILE_NAME, LINE, MODULE, KIND, CALLS, SELF, TOTAL, BASE_SELF, BASE_TOTAL };

static const struct sheet_column changes_columns[] = {
	{"self change", true, false}, {"%", true, false},     {"self", true, false},
	{"base", true, false},        {"total change", true, false}, {"%", true, false},
	{"total", true, false},       {"base", true, false},  {"function", false, false},
	{"line", true, true},         {"file", false, true},  {"module", false, true},
};

static void
changes_text(struct report *r, const struct sheet *s, size_t rows, FILE *out)
{
	struct sheet text;

	sheet_init(&text, changes_columns, sizeof changes_columns / sizeof *changes_columns);
	for (size_t i = 0; i < rows; i++) {
		cell_change(r, &text, sheet_cell(s, i, SELF)->as.number,
			    sheet_cell(s, i, BASE_SELF)->as.number);
		human_cell(r, &text, s, i, SELF);
		human_cell(r, &text, s, i, BASE_SELF);
		cell_change(r, &text, sheet_cell(s, i, TOTAL)->as.number,
			    sheet_cell(s, i, BASE_TOTAL)->as.number);
		human_cell(r, &text, s, i, TOTAL);
		human_cell(r, &text, s, i, BASE_TOTAL);
		sheet_copy(&text, s, i, FUNCTION);
		sheet_copy(&text, s, i, LINE);
		sheet_copy(&text, s, i, FILE_NAME);
		sheet_copy(&text, s, i, MODULE);
	}
	text_heading(r, out);
	sheet_write_text(&text, out, SIZE_MAX);
	sheet_release(&text);
}

static void
functions_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	size_t rows = sheet_rows(s) < limit ? sheet_rows(s) : limit;
	int64_t shown = 0, user = 0;
	struct sheet text;

	if (r->fold->compares) {
		changes_text(r, s, rows, out);
		return;
	}
	for (size_t i = 0; i < sheet_rows(s); i++) {
		int64_t self = sheet_cell(s, i, SELF)->as.number;
		if (i < rows)
			shown += self;
		if (is_user(s, i, KIND))
			user += self;
	}
	sheet_init(&text, functions_text_columns,
		   sizeof functions_text_columns / sizeof *functions_text_columns);
	for (size_t i = 0; i < rows; i++) {
		int64_t self = sheet_cell(s, i, SELF)->as.number;
		human_cell(r, &text, s, i, SELF);
		human_cell(r, &text, s, i, TOTAL);
		sheet_copy(&text, s, i, CALLS);
		cell_percent(&text, self, r->fold->now.everything);
		cell_percent(&text, self, shown);
		cell_percent(&text, is_user(s, i, KIND) ? self : 0, user);
		sheet_copy(&text, s, i, KIND);
		sheet_copy(&text, s, i, FUNCTION);
		sheet_copy(&text, s, i, LINE);
		sheet_copy(&text, s, i, FILE_NAME);
		sheet_copy(&text, s, i, MODULE);
	}
	text_heading(r, out);
	sheet_write_text(&text, out, SIZE_MAX);
	sheet_release(&text);
}

const struct report_view view_functions = {
	.name = "functions",
	.columns = functions_columns,
	.n_columns = sizeof functions_columns / sizeof *functions_columns,
	.folds = true,
	.extra = N_BASE_COLUMNS,
	.fill = functions_fill,
	.text = functions_text,
};

/* ---- lines ---- */

static const struct sheet_column lines_columns[] = {
	{"file", false, true},  {"line", true, true},       {"function", false, false},
	{"calls", true, true},  {"self", true, false},      {"total", true, false},
	BASE_COLUMNS,
};

static bool
lines_fill(struct report *r, struct sheet *s)
{
	struct rows rows = sorted_rows(r, true);
	const struct projection *t = r->fold->tree;

	for (uint32_t i = 0; i < rows.n; i++) {
		const struct row *row = &rows.at[i];
		struct line line = projection_key_line(t, r->profile, row->key);
		const struct function *f =
			&r->profile->frames.function[projection_key_function(t, r->profile, row->key)];
		/* a frame without a line says something only by what it cost */
		if (line.form == LINE_UNKNOWN && !row->self && !row->total && !row->base_total)
			continue;
		sheet_name(s, r->profile, f->file);
		cell_line(s, line);
		sheet_name(s, r->profile, f->name);
		cell_count(s, line.form == LINE_UNKNOWN ? -1 : row->lines);
		sheet_number(s, row->self, decimals(r));
		sheet_number(s, row->total, decimals(r));
		cells_of_base(r, s, row);
	}
	rows_release(&rows);
	return true;
}

static void
lines_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	size_t rows = sheet_rows(s) < limit ? sheet_rows(s) : limit;
	bool value[sizeof lines_columns / sizeof *lines_columns] = {false};
	static const char *const values[] = {"self", "total", "base_self", "base_total",
					   "delta_self", "delta_total"};
	struct sheet text;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		int column = sheet_find(s, values[i]);
		if (column >= 0)
			value[column] = true;
	}
	sheet_init(&text, s->column, s->n_columns);
	for (size_t i = 0; i < rows; i++)
		for (unsigned c = 0; c < s->n_columns; c++)
			if (value[c] && sheet_cell(s, i, c)->kind == CELL_NUMBER)
				human_cell(r, &text, s, i, c);
			else
				sheet_copy(&text, s, i, c);
	text_heading(r, out);
	sheet_write_text(&text, out, SIZE_MAX);
	sheet_release(&text);
}

const struct report_view view_lines = {
	.name = "lines",
	.columns = lines_columns,
	.n_columns = sizeof lines_columns / sizeof *lines_columns,
	.folds = true,
	.by_line = true,
	.extra = N_BASE_COLUMNS,
	.fill = lines_fill,
	.text = lines_text,
};

/* ---- tree, callers ---- */

static const struct sheet_column tree_columns[] = {
	{"depth", true, false}, {"function", false, false}, {"file", false, true},
	{"line", true, true},   {"module", false, true},    {"calls", true, true},
	{"self", true, false},  {"total", true, false},     BASE_COLUMNS,
};
enum { TREE_DEPTH, TREE_FUNCTION, TREE_FILE, TREE_LINE, TREE_MODULE, TREE_CALLS, TREE_SELF,
       TREE_TOTAL, TREE_BASE_SELF, TREE_BASE_TOTAL, TREE_DELTA_SELF, TREE_DELTA_TOTAL };

static int64_t
sibling_number(const struct report *r, node_id n)
{
	const struct fold_numbers *x = &r->fold->now, *base = &r->fold->base;

	switch (r->sort) {
	case TREE_SELF:
		return x->self[n];
	case TREE_CALLS:
		return x->calls ? x->calls[n] : 0;
	case TREE_BASE_SELF:
		return base->self[n];
	case TREE_BASE_TOTAL:
		return base->total[n];
	case TREE_DELTA_SELF:
		return x->self[n] - base->self[n];
	case TREE_DELTA_TOTAL:
		return x->total[n] - base->total[n];
	default:
		return x->total[n];
	}
}

static int
compare_siblings(const void *a, const void *b, void *context)
{
	const struct report *r = context;
	const struct projection *t = r->fold->tree;
	node_id x = *(const node_id *)a, y = *(const node_id *)b;
	int order = 0;

	if (r->sort >= TREE_CALLS && (r->sort <= TREE_TOTAL || r->fold->compares)) {
		int64_t vx = sibling_number(r, x), vy = sibling_number(r, y);
		order = vx > vy ? -1 : vx < vy;
	}
	if (!order)
		order = fold_compare_keys(t, r->profile, t->key[x], t->key[y],
					  r->sort == TREE_FILE);
	return r->reverse ? -order : order;
}

static void
tree_row(struct report *r, struct sheet *s, node_id n, int64_t depth)
{
	const struct fold *f = r->fold;

	sheet_number(s, depth, 0);
	cells_of_key(r, s, f->tree->key[n], false);
	cell_count(s, f->now.calls ? f->now.calls[n] : -1);
	sheet_number(s, f->now.self[n], decimals(r));
	sheet_number(s, f->now.total[n], decimals(r));
	if (f->compares)
		cells_of_base(r, s, &(struct row){
					    .self = f->now.self[n],
					    .total = f->now.total[n],
					    .base_self = f->base.self[n],
					    .base_total = f->base.total[n],
				    });
}

/* Preorder without recursion: a list of open siblings for each level, each used from its
 * end. */
static bool
tree_fill(struct report *r, struct sheet *s)
{
	VEC(node_id) pending = VEC_INIT;
	VEC(uint32_t) depth = VEC_INIT;
	node_id at = NODE_ROOT;
	uint32_t level = 0;

	for (;;) {
		uint32_t n = fold_children(r->fold, r->profile, at, NULL, 0);
		vec_reserve(&pending, pending.n + n + 1); /* of nothing too: it is pointed into */
		vec_reserve(&depth, pending.n + n + 1);
		node_id *children = pending.at + pending.n;
		fold_children(r->fold, r->profile, at, children, n);
		if (r->sort >= 0 && n > 1)
			qsort_r(children, n, sizeof *children, compare_siblings, r);
		for (uint32_t i = 0; i < n / 2; i++) { /* the last one is taken first */
			node_id swap = children[i];
			children[i] = children[n - 1 - i];
			children[n - 1 - i] = swap;
		}
		for (uint32_t i = 0; i < n; i++)
			depth.at[pending.n + i] = level;
		pending.n += n;
		if (!pending.n)
			break;
		at = pending.at[--pending.n];
		level = depth.at[pending.n] + 1;
		tree_row(r, s, at, (int64_t)level - 1);
	}
	vec_release(&pending);
	vec_release(&depth);
	return true;
}

static const struct sheet_column tree_text_columns[] = {
	{"total", true, false}, {"%", true, false},         {"self", true, false},
	{"calls", true, true},  {"function", false, false}, {"line", true, true},
	{"file", false, true},  {"module", false, true},
};
static const struct sheet_column tree_changes_columns[] = {
	{"total change", true, false}, {"%", true, false},    {"total", true, false},
	{"base", true, false},   {"function", false, false}, {"line", true, true},
	{"file", false, true},   {"module", false, true},
};

static void
tree_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	size_t rows = sheet_rows(s) < limit ? sheet_rows(s) : limit;
	struct buf name = BUF_INIT;
	struct sheet text;

	sheet_init(&text, r->fold->compares ? tree_changes_columns : tree_text_columns,
		   sizeof tree_text_columns / sizeof *tree_text_columns);
	for (size_t i = 0; i < rows; i++) {
		const struct cell *function = sheet_cell(s, i, TREE_FUNCTION);
		int64_t depth = sheet_cell(s, i, TREE_DEPTH)->as.number;
		if (r->fold->compares) {
			cell_change(r, &text, sheet_cell(s, i, TREE_TOTAL)->as.number,
				    sheet_cell(s, i, TREE_BASE_TOTAL)->as.number);
			human_cell(r, &text, s, i, TREE_TOTAL);
			human_cell(r, &text, s, i, TREE_BASE_TOTAL);
		} else {
			human_cell(r, &text, s, i, TREE_TOTAL);
			cell_percent(&text, sheet_cell(s, i, TREE_TOTAL)->as.number,
				     r->fold->now.everything);
			human_cell(r, &text, s, i, TREE_SELF);
			sheet_copy(&text, s, i, TREE_CALLS);
		}
		buf_reset(&name);
		/* deep recursion would fill lines with blanks: the depth is told instead */
		if (depth > 60)
			buf_addf(&name, "%*s[%lld] ", 60, "", (long long)depth);
		else
			buf_addf(&name, "%*s", (int)depth, "");
		if (function->kind == CELL_TEXT)
			buf_add(&name, s->text.at + function->as.at, function->len);
		sheet_bytes(&text, buf_str(&name), name.len);
		sheet_copy(&text, s, i, TREE_LINE);
		sheet_copy(&text, s, i, TREE_FILE);
		sheet_copy(&text, s, i, TREE_MODULE);
	}
	text_heading(r, out);
	sheet_write_text(&text, out, SIZE_MAX);
	sheet_release(&text);
	buf_release(&name);
}

const struct report_view view_tree = {
	.name = "tree",
	.columns = tree_columns,
	.n_columns = sizeof tree_columns / sizeof *tree_columns,
	.folds = true,
	.tree = true,
	.extra = N_BASE_COLUMNS,
	.fill = tree_fill,
	.text = tree_text,
};

const struct report_view view_callers = {
	.name = "callers",
	.columns = tree_columns,
	.n_columns = sizeof tree_columns / sizeof *tree_columns,
	.folds = true,
	.turned = true,
	.tree = true,
	.extra = N_BASE_COLUMNS,
	.fill = tree_fill,
	.text = tree_text,
};
