/* columns.c - see columns.h.
 *
 * Self %, Disp % and User % are profile(1)'s three percentages: of everything, of what is
 * displayed, and of the user's own functions.  A column that the profile cannot fill is
 * not shown; where the screen is narrow, columns go in the order of `drop`. */
#include "ui/part/columns.h"

#include <string.h>

#include "model/human.h"
#include "ui/part/compare.h"
#include "ui/part/show.h"

static bool
has_calls(const struct scene *s)
{
	return s->fold->now.calls != NULL && !s->fold->compares;
}

static bool
compares(const struct scene *s)
{
	return s->fold->compares;
}

static bool
alone(const struct scene *s)
{
	return !s->fold->compares;
}

static bool
has_functions(const struct scene *s)
{
	return s->fold->tree->by == BY_FUNCTION || s->fold->tree->by == BY_LINE;
}

static bool
has_users(const struct scene *s)
{
	return has_functions(s) && alone(s);
}

/* Stops at the first that has one; where none has, this is a scan of the functions. */
static bool
has_modules(const struct scene *s)
{
	for (uint32_t i = 0; has_functions(s) && i < s->p->frames.n_functions; i++)
		if (s->p->frames.function[i].module != NAME_EMPTY)
			return true;
	return false;
}

static bool
has_files(const struct scene *s)
{
	for (uint32_t i = 0; has_functions(s) && i < s->p->frames.n_functions; i++)
		if (s->p->frames.function[i].file != NAME_EMPTY)
			return true;
	return false;
}

static void
percent(int64_t part, int64_t whole, struct buf *out)
{
	if (whole)
		buf_addf(out, "%.2f", 100.0 * (double)part / (double)whole);
}

static int64_t
self_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return r->self;
}

static int64_t
total_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return r->total;
}

static int64_t
user_number(const struct scene *s, const struct row *r)
{
	return show_kind(s, r->key) == KIND_USER ? r->self : -1;
}

static int64_t
calls_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return r->calls;
}

static int64_t
average_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return r->calls > 0 ? r->total / r->calls : -1;
}

static void
self_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	  struct buf *out)
{
	(void)b;
	show_value(s, r->self, out);
}

static void
self_share(const struct scene *s, const struct column_bases *b, const struct row *r,
	   struct buf *out)
{
	(void)b;
	percent(r->self, s->fold->now.everything, out);
}

static void
shown_share(const struct scene *s, const struct column_bases *b, const struct row *r,
	    struct buf *out)
{
	(void)s;
	percent(r->self, b->shown, out);
}

static void
user_share(const struct scene *s, const struct column_bases *b, const struct row *r,
	   struct buf *out)
{
	if (show_kind(s, r->key) == KIND_USER)
		percent(r->self, b->user, out);
}

static void
total_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	   struct buf *out)
{
	(void)b;
	show_value(s, r->total, out);
}

static void
total_share(const struct scene *s, const struct column_bases *b, const struct row *r,
	    struct buf *out)
{
	(void)b;
	percent(r->total, s->fold->now.everything, out);
}

/* Changes are sorted by size, whatever their direction. */
static int64_t
size_of(int64_t change)
{
	return change < 0 ? -change : change;
}

static int64_t
change_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return size_of(r->self - r->base_self);
}

static int64_t
total_change_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return size_of(r->total - r->base_total);
}

static int64_t
base_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return r->base_self;
}

static int64_t
total_base_number(const struct scene *s, const struct row *r)
{
	(void)s;
	return r->base_total;
}

static void
changed(const struct scene *s, int64_t now, int64_t base, struct buf *out)
{
	buf_adds(out, now > base ? "▲ " : now < base ? "▼ " : "");
	compare_change(s, now, base, out);
}

static void
change_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	    struct buf *out)
{
	(void)b;
	changed(s, r->self, r->base_self, out);
}

static void
change_share(const struct scene *s, const struct column_bases *b, const struct row *r,
	     struct buf *out)
{
	(void)s;
	(void)b;
	compare_share(r->self, r->base_self, out);
}

static void
base_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	  struct buf *out)
{
	(void)b;
	show_value(s, r->base_self, out);
}

static void
total_change_text(const struct scene *s, const struct column_bases *b, const struct row *r,
		  struct buf *out)
{
	(void)b;
	changed(s, r->total, r->base_total, out);
}

static void
total_change_share(const struct scene *s, const struct column_bases *b, const struct row *r,
		   struct buf *out)
{
	(void)s;
	(void)b;
	compare_share(r->total, r->base_total, out);
}

static void
total_base_text(const struct scene *s, const struct column_bases *b, const struct row *r,
		struct buf *out)
{
	(void)b;
	show_value(s, r->base_total, out);
}

static void
calls_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	   struct buf *out)
{
	(void)s;
	(void)b;
	if (r->calls >= 0)
		human_count(out, r->calls);
}

static void
average_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	     struct buf *out)
{
	(void)b;
	if (r->calls > 0)
		show_value(s, r->total / r->calls, out);
}

static void
kind_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	  struct buf *out)
{
	(void)b;
	buf_adds(out, kind_name(show_kind(s, r->key)));
}

static void
name_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	  struct buf *out)
{
	(void)b;
	if (search_hits_key(s->search, r->key))
		buf_addc(out, '*');
	show_key(s, r->key, out);
}

static void
module_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	    struct buf *out)
{
	(void)b;
	show_module(s, r->key, out);
}

static void
place_text(const struct scene *s, const struct column_bases *b, const struct row *r,
	   struct buf *out)
{
	(void)b;
	show_place(s, r->key, out);
}

const struct table_column table_columns[] = {
	[COLUMN_SELF] = {"self", "self", 10, false, false, 0,
			 "spent in the function itself", NULL, self_text, self_number},
	{"base", "base", 10, false, false, 0, "self in the base of the comparison",
	 compares, base_text, base_number},
	[COLUMN_CHANGE] = {"change", "change", 12, false, false, 0, "self less that of the base", compares,
	 change_text, change_number, TONE_CHANGE_SELF},
	{"change%", "of base", 8, false, false, 0, "the change, of the base's self", compares,
	 change_share, change_number, TONE_CHANGE_SELF},
	{"self%", "Self%", 6, false, false, 0, "self, of everything: profile(1)'s Total",
	 alone, self_share, self_number},
	{"disp", "Disp%", 6, false, false, 4,
	 "self, of what is displayed: profile(1)'s Disp", alone, shown_share, self_number},
	{"user", "User%", 6, false, false, 5,
	 "self, of all user functions: profile(1)'s User", has_users, user_share,
	 user_number},
	{"total", "total", 10, false, false, 8,
	 "with all that it called, recursion counted once", NULL, total_text,
	 total_number},
	{"total-base", "base", 10, false, false, 4, "total in the base", compares,
	 total_base_text, total_base_number},
	{"total-change", "change", 12, false, false, 7, "total less that of the base",
	 compares, total_change_text, total_change_number, TONE_CHANGE_TOTAL},
	{"total-change%", "of base", 8, false, false, 5, "the change, of the base's total",
	 compares, total_change_share, total_change_number, TONE_CHANGE_TOTAL},
	{"total%", "Total%", 6, false, false, 7, "total, of everything", alone,
	 total_share, total_number},
	{"calls", "calls", 10, false, false, 6, "how often it was called", has_calls,
	 calls_text, calls_number, TONE_PLAIN},
	{"average", "average", 9, false, false, 3, "total a call", has_calls,
	 average_text, average_number, TONE_PLAIN},
	{"kind", "kind", 9, true, false, 1, "user, intrinsic or system", has_functions,
	 kind_text, NULL},
	{"function", "function", 0, true, false, 0, "its name; * marks a search hit",
	 NULL, name_text, NULL},
	{"module", "module", 18, true, true, 2, "the program or library", has_modules,
	 module_text, NULL},
	{"file", "file", 28, true, true, 2, "where it is defined", has_files, place_text,
	 NULL},
};
const unsigned n_table_columns = sizeof table_columns / sizeof *table_columns;

static int
compare_texts(const struct table_column *c, const struct scene *s, const struct row *a,
	      const struct row *b)
{
	static const struct column_bases none = {0};
	struct buf x = BUF_INIT, y = BUF_INIT;
	if (c->text == name_text)
		return fold_compare_keys(s->fold->tree, s->p, a->key, b->key, false);
	c->text(s, &none, a, &x);
	c->text(s, &none, b, &y);
	/* Rows that have nothing here come last. */
	int order =
		!x.len != !y.len ? (!x.len ? 1 : -1) : strcmp(buf_str(&x), buf_str(&y));
	buf_release(&x);
	buf_release(&y);
	return order;
}

int
column_compare(const struct table_column *c, const struct scene *s, const struct row *a,
	       const struct row *b)
{
	int order = 0;
	if (c->number) {
		int64_t x = c->number(s, a), y = c->number(s, b);
		order = x > y ? -1 : x < y ? 1 : 0;
	} else {
		order = compare_texts(c, s, a, b);
	}
	if (!order && a->self != b->self)
		order = a->self > b->self ? -1 : 1;
	return order ? order
		     : fold_compare_keys(s->fold->tree, s->p, a->key, b->key, false);
}
