#include "model/table/columns_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/calls/calllist.h"
#include "model/compare/compare.h"
#include "model/profile/human.h"

/* Finds, prints and compares columns. No code here depends on a specific column. */

const struct table_column *
column_find(const char *name, size_t len, unsigned rows)
{
	for (unsigned i = 0; i < n_table_columns; i++) {
		const struct table_column *c = &table_columns[i];
		const char *alias = c->alias ? c->alias : c->name;
		if (!(c->rows & rows))
			continue;
		if ((strlen(c->name) == len && !memcmp(c->name, name, len)) ||
		    (strlen(alias) == len && !memcmp(alias, name, len)))
			return c;
	}
	return NULL;
}

unsigned
column_bit(const struct table_column *c)
{
	assert(c->rows & ROWS_FOLD && c - table_columns < 64);
	return (unsigned)(c - table_columns);
}

bool
column_is_there(const struct table_column *c, const struct look *l)
{
	bool bars = l->compares || (l->fold && l->fold->changes.single);
	return (!c->compared || l->compares) && (!c->bars || bars) && (!c->there || c->there(l));
}

enum cell_kind
column_plain(const struct table_column *c, const struct look *l, const struct row *r,
	     struct buf *out)
{
	struct value v = {0};
	size_t before = out->len;

	if (c->number && c->unit != COLUMN_WORDS)
		v = c->number(l, r);
	switch ((enum value_kind)v.kind) {
	case VALUE_WHOLE:
		human_plain(out, v.whole, v.decimals);
		return CELL_NUMBER;
	case VALUE_REAL:
		human_real(out, v.real);
		return isfinite(v.real) ? CELL_NUMBER : CELL_WORDS;
	case VALUE_NONE:
		break;
	}
	if (c->plain)
		c->plain(l, r, out);
	return out->len > before ? CELL_WORDS : CELL_EMPTY;
}

void
look_time(const struct look *l, int64_t v, struct buf *out)
{
	if (l->one_axis)
		human_time(out, v, l->axis);
	else
		human_plain(out, v, 0);
}

static void
print_value(const struct look *l, int64_t v, struct buf *out)
{
	if (l->metric)
		human_value(out, v, l->metric);
	else
		human_count(out, v);
}

/* Prints a number in its unit. */
static void
print_number(const struct table_column *c, const struct look *l, int64_t v, struct buf *out)
{
	switch (c->unit) {
	case COLUMN_COUNT:
		human_count(out, v);
		return;
	case COLUMN_VALUE:
		print_value(l, v, out);
		return;
	case COLUMN_CHANGE:
		if (l->compares)
			compare_amount(l->metric, (double)v, out);
		else
			print_value(l, v, out);
		return;
	case COLUMN_TIME:
		look_time(l, v, out);
		return;
	case COLUMN_WORDS:
	case COLUMN_PLAIN:
	case COLUMN_SHARE:
		human_plain(out, v, 0);
		return;
	}
}

void
column_text(const struct table_column *c, const struct look *l, const struct row *r,
	    struct buf *out)
{
	struct value v = {0};

	if (c->text) {
		c->text(l, r, out);
		return;
	}
	if (c->number && c->unit != COLUMN_WORDS)
		v = c->number(l, r);
	if (v.kind == VALUE_WHOLE)
		print_number(c, l, v.whole, out);
	else
		column_plain(c, l, r, out);
}

/* Returns the number as displayed, that of a change without its direction; 0 if that is a whole
 * number. */
static double
shown_order(const struct table_column *c, const struct look *l, const struct row *r)
{
	double shown = c->order && l->compares ? c->order(l, r) : 0;

	return c->changes ? fabs(shown) : shown;
}

/* Rows without a number come last; changes are compared by size, whatever their direction. */
static int
compare_numbers(const struct table_column *c, const struct look *l, const struct row *a,
		const struct row *b)
{
	struct value x = c->number(l, a), y = c->number(l, b);

	if (!x.kind || !y.kind)
		return !x.kind - !y.kind;
	double x_shown = shown_order(c, l, a), y_shown = shown_order(c, l, b);
	if (x_shown != y_shown)
		return x_shown > y_shown ? -1 : 1;
	if (c->changes) {
		x.whole = llabs(x.whole);
		y.whole = llabs(y.whole);
	}
	if (x.kind == VALUE_REAL || y.kind == VALUE_REAL) {
		double a_real = x.kind == VALUE_REAL ? x.real : (double)x.whole;
		double b_real = y.kind == VALUE_REAL ? y.real : (double)y.whole;
		return a_real > b_real ? -1 : a_real < b_real;
	}
	return x.whole > y.whole ? -1 : x.whole < y.whole;
}

static int
compare_words(const struct table_column *c, const struct look *l, const struct row *a,
	      const struct row *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	column_text(c, l, a, &x);
	column_text(c, l, b, &y);
	int order = !x.len != !y.len ? !x.len - !y.len : strcmp(buf_str(&x), buf_str(&y));
	buf_release(&x);
	buf_release(&y);
	return order;
}

/* Returns true for the column of the key's own name. */
static bool
columns_is_name(const struct table_column *c)
{
	return !c->number && !c->width && (c->rows & ROWS_STACKS);
}

int
column_compare(const struct table_column *c, const struct look *l, const struct row *a,
	       const struct row *b)
{
	int order;

	if (columns_is_name(c)) /* the final tie-breaker */
		return projection_compare_keys(l->tree, l->p, a->key, b->key, false);
	order = c->number ? compare_numbers(c, l, a, b) : compare_words(c, l, a, b);
	if (!l->tree)
		return order;
	if (!order && a->self != b->self)
		order = a->self > b->self ? -1 : 1;
	return order ? order : projection_compare_keys(l->tree, l->p, a->key, b->key, false);
}

/* Returns the first seven bytes of a name; a missing name is greater than all others. */
static int64_t
name_rank(const struct look *l, key_id key)
{
	function_id f = projection_key_function(l->tree, l->p, key);
	struct name name =
		names_get(&l->p->names, projection_key_name(l->tree, l->p, key));
	int64_t rank = 0;

	if (f != UINT32_MAX && profile_function(l->p, f).last)
		return INT64_MAX;
	for (uint32_t i = 0; i < 7; i++)
		rank = rank << 8 | (i < name.len ? (unsigned char)name.at[i] : 0);
	return rank;
}

/* Returns a number that is greater for a greater double: its bits, which are sign and magnitude. */
static int64_t
double_rank(double v)
{
	int64_t bits;

	v += 0.0; /* -0 is 0 */
	memcpy(&bits, &v, sizeof bits);
	return bits < 0 ? INT64_MIN - bits : bits;
}

int64_t
column_rank(const struct table_column *c, const struct look *l, const struct row *r)
{
	if (!c->number)
		return c->width ? 0 : name_rank(l, r->key);
	struct value v = c->number(l, r);
	if (v.kind && c->order && l->compares)
		return ~double_rank(shown_order(c, l, r));
	/* ~ reverses the order and maps every number */
	return !v.kind ? INT64_MAX : ~(int64_t)(c->changes ? llabs(v.whole) : v.whole);
}

int
column_compare_calls(const struct table_column *c, const struct look *l, const struct call *a,
		     const struct call *b)
{
	struct row x = call_row(l->tree, a), y = call_row(l->tree, b);

	if (c->number)
		return compare_numbers(c, l, &x, &y);
	if (!c->width && x.key == y.key)
		return 0;
	return compare_words(c, l, &x, &y);
}

const char *
column_list_read(struct column_list *list, const char *names, unsigned rows, size_t *len)
{
	while (*names) {
		size_t item = strcspn(names, ","), name = strcspn(names, ",=");
		const struct table_column *c = column_find(names, name, rows);
		if (!c) {
			*len = name;
			return names;
		}
		struct listed_column at = {c, c->name, strlen(c->name), false};
		if (names[name] == '=')
			at = (struct listed_column){c, names + name + 1, item - name - 1, false};
		*vec_push(&list->all) = at;
		names += item + (names[item] == ',');
	}
	return NULL;
}

void
column_list_release(struct column_list *list)
{
	vec_release(&list->all);
}
