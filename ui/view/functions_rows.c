/* functions_rows.c - the rows of the table of functions, and their order.
 *
 * With millions of functions, making them takes longer than a key may.  So they are made beside the
 * displayed ones (ui/part/work.h) and then replace them. */
#include "ui/view/functions.h"

unsigned
functions_first_column(bool compares)
{
	return (unsigned)((compares ? column_find("delta_self", 10, ROWS_FOLD)
				    : column_find("self", 4, ROWS_FOLD)) -
			  table_columns);
}

struct look
functions_look(const struct functions_state *v, const struct scene *s)
{
	struct look look;
	look_init(&look, s->p, s->fold);
	look.shown = v->shown;
	look.user = v->user;
	look.calls = v->times;
	return look;
}

/* Disp% equals Self% as long as everything is displayed. */
static bool
equals_self(const struct functions_columns *t, const struct table_column *col)
{
	return col == column_find("disp", 4, ROWS_FOLD) && !t->s->facts->columns &&
	       t->look->shown == t->s->fold->now.everything;
}

bool
functions_has_column(const void *of, unsigned c)
{
	const struct functions_columns *t = of;
	const struct table_column *col = &table_columns[c];
	if (!col->title || !(col->rows & ROWS_FOLD))
		return false;
	if (t->s->facts->columns && !t->look->compares &&
	    !(t->s->facts->columns >> column_bit(col) & 1))
		return false;
	return column_is_there(col, t->look) && !equals_self(t, col);
}

static void
drop_others(struct rows *rows, struct pattern *only, const struct scene *s, struct pace *pace)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rows->n && pace_on(pace, 1); i++)
		if (search_key_matches(only, s->fold->tree, s->p, rows->key[i]))
			rows->key[n++] = rows->key[i];
	rows->n = n;
}

static bool
is_zero(const struct rows *rows, uint32_t i)
{
	struct row r = rows_get(rows, i);
	struct sides self = r.exact_self, total = r.exact_total;
	return self.now == 0 && total.now == 0 && self.base == 0 && total.base == 0 &&
	       r.calls <= 0 && r.lines <= 0;
}

/* Drops functions whose numbers are all 0, unless that is true of all functions. */
static void
drop_zeros(struct rows *rows, struct pace *pace)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rows->n && pace_on(pace, 1); i++)
		n += !is_zero(rows, i);
	if (!n || n == rows->n)
		return;
	n = 0;
	for (uint32_t i = 0; i < rows->n && pace_on(pace, 1); i++)
		if (!is_zero(rows, i))
			rows->key[n++] = rows->key[i];
	rows->n = n;
}

static void
drop_unsure(struct made *m, const struct fold *f, struct pace *pace)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->rows.n && pace_on(pace, 1); i++) {
		struct row r = rows_get(&m->rows, i);
		if (!row_is_chance(f, &r))
			m->rows.key[n++] = r.key;
	}
	m->unsure = m->rows.n - n;
	m->rows.n = n;
}

static void
functions_rows_refill(struct functions_state *v, struct made *m, const struct scene *s,
		      struct pace *pace)
{
	fold_rows_paced(s->fold, &m->rows, pace);
	drop_zeros(&m->rows, pace);
	struct look look = functions_look(v, s);
	m->shown = m->user = 0;
	for (uint32_t i = 0; i < m->rows.n && pace_on(pace, 1); i++) {
		struct row r = rows_get(&m->rows, i);
		m->shown += r.self;
		m->user += look_is_user(&look, &r) ? r.self : 0;
	}
	if (v->only)
		drop_others(&m->rows, v->only, s, pace);
	m->unsure = 0;
	if (s->sure_only && s->fold->compares)
		drop_unsure(m, s->fold, pace);
	if (s->fold->compares && !v->compares && v->order.column == functions_first_column(false))
		v->order.column = functions_first_column(true);
	v->compares = s->fold->compares;
	look.shown = m->shown;
	look.user = m->user;
	if (!functions_has_column(&(struct functions_columns){s, &look}, v->order.column))
		v->order.column = functions_first_column(false);
}

static void
sorting_of(struct functions_sorting *is, const struct look *look, const struct rows *rows,
	   const struct grid_order *order)
{
	is->look = *look;
	is->of = (struct grid_sorting){order, &is->look, rows};
	is->by = grid_sorting_by(&is->of);
}

void
functions_sorting(struct functions_sorting *is, const struct functions_state *v,
		  const struct scene *s)
{
	struct look look = functions_look(v, s);
	/* the times are incomplete and give no order yet */
	look.calls = v->timed ? v->times : NULL;
	sorting_of(is, &look, &v->rows, &v->sorted_by);
}

/* Sorts the positions needed soon: the first screen, the one around the selection, and the last
 * one. */
static void
sort_ahead(struct made *m, const struct rows *rows, const struct functions_state *v,
	   const struct order_by *by)
{
	uint32_t h = (uint32_t)v->scroll.h, at = 0;
	for (uint32_t i = 0; i < rows->n && pace_on(by->pace, 1); i++)
		if (rows->key[i] == v->scene->nav->key) {
			at = order_place(&m->sorted, i, by);
			break;
		}
	for (uint32_t i = 0; i < rows->n && i <= h && pace_on(by->pace, 1); i++)
		order_at(&m->sorted, i, by);
	for (uint32_t i = at > h ? at - h : 0; i < rows->n && i <= at + h; i++) {
		if (!pace_on(by->pace, 1))
			return;
		order_at(&m->sorted, i, by);
	}
	for (uint32_t i = rows->n > h ? rows->n - h : 0; i < rows->n && pace_on(by->pace, 1); i++)
		order_at(&m->sorted, i, by);
}

static void
functions_make_rows(void *ctx, struct pace *pace)
{
	struct functions_state *v = ctx;
	struct made *m = &v->next;
	const struct rows *rows = m->refills ? &m->rows : &v->rows;
	struct look look;
	struct functions_sorting is;
	if (m->refills)
		functions_rows_refill(v, m, v->scene, pace);
	if (pace_gives_up(pace))
		return;
	look = functions_look(v, v->scene);
	look.shown = m->refills ? m->shown : v->shown;
	look.user = m->refills ? m->user : v->user;
	look.calls = v->timed ? v->times : NULL;
	sorting_of(&is, &look, rows, &v->order);
	is.by.pace = pace;
	order_begin(&m->sorted, rows->n, &is.by);
	if (!pace_gives_up(pace))
		sort_ahead(m, rows, v, &is.by);
	m->done = !pace_gives_up(pace);
}

void
functions_take_rows(struct functions_state *v)
{
	struct made *m = &v->next;
	struct order sorted = v->sorted;
	v->made++;
	v->sorted = m->sorted;
	m->sorted = sorted;
	v->sorted_by = v->order;
	if (!m->refills)
		return;
	struct rows rows = v->rows;
	v->rows = m->rows;
	m->rows = rows;
	v->shown = m->shown;
	v->user = m->user;
	v->unsure = m->unsure;
	m->refills = false;
}

void
functions_begin_rows(struct functions_state *v, struct scene *s, bool anew)
{
	if (!v->work)
		v->work = work_new(s->works);
	v->scene = s;
	work_drop(v->work);
	v->next.refills |= anew; /* the dropped work is still needed */
	v->next.done = false;
	/* drop rows whose keys have changed their meaning */
	if (anew && (v->by != s->fold->tree->by || v->of != s->p->names.serial)) {
		v->rows.n = 0;
		v->made++;
		order_release(&v->sorted);
	}
	v->by = s->fold->tree->by;
	v->of = s->p->names.serial;
	v->unsorted = false;
	v->folds = s->folds;
	work_begin(v->work, functions_make_rows, v);
	v->makes = true;
}

