/* show.c - see show.h.
 *
 * One place decides the name of a frame and the base of a share, so flame, tree, table and the line
 * below agree.  The base is `everything`: the metric over the range and the tracks before any
 * filter, like profile(1)'s Total.  So a filter never makes a function look hotter than it is. */
#include "ui/part/show.h"

#include <string.h>

#include "model/base/sum.h"
#include "model/fold/keys.h"
#include "model/fold/nameless.h"
#include "model/compare/compare.h"
#include "model/profile/human.h"

void
show_key(const struct scene *s, key_id key, struct buf *out)
{
	key_name(s->fold->tree, s->p, key, out);
}

bool
show_nameless(const struct scene *s, key_id key, struct buf *module)
{
	struct function f;
	static const char kernel[] = "[kernel.";
	struct buf path = BUF_INIT;
	if (!key_function(s->fold->tree, s->p, key, &f) || f.module == NAME_EMPTY)
		return false;
	struct name name = names_get(&s->p->names, f.name);
	struct name of = names_get(&s->p->names, f.module);
	if (!nameless_name(name.at, name.len) || nameless_name(of.at, of.len))
		return false;
	profile_show_name(s->p, f.module, &path);
	const char *slash = strrchr(buf_str(&path), '/');
	if (!strncmp(buf_str(&path), kernel, sizeof kernel - 1))
		buf_adds(module, "[kernel]");
	else
		buf_adds(module, slash && slash[1] ? slash + 1 : buf_str(&path));
	buf_release(&path);
	return true;
}

void
show_frame(const struct scene *s, key_id key, struct buf *out)
{
	if (show_nameless(s, key, out))
		buf_addc(out, ' ');
	show_key(s, key, out);
}

void
show_place(const struct scene *s, key_id key, struct buf *out)
{
	key_place(s->fold->tree, s->p, key, out);
}

void
show_module(const struct scene *s, key_id key, struct buf *out)
{
	key_module(s->fold->tree, s->p, key, out);
}

void
show_exact(const struct scene *s, double exact, struct buf *out)
{
	compare_value(s->fold->metric == METRIC_NONE ? NULL : &s->p->metric[s->fold->metric],
		      exact, out);
}

void
show_value(const struct scene *s, int64_t v, struct buf *out)
{
	if (s->fold->metric != METRIC_NONE)
		human_value(out, v, &s->p->metric[s->fold->metric]);
	else
		human_count(out, v);
}

void
show_share(const struct scene *s, int64_t v, struct buf *out)
{
	int64_t whole = s->fold->now.everything;
	if (whole)
		buf_addf(out, "%.1f", human_percent(v, whole));
}

enum unit
show_axis(const struct scene *s)
{
	return s->p->n_groups ? (enum unit)s->p->group[0].axis : UNIT_NS;
}

void
show_time(const struct scene *s, int64_t t, struct buf *out)
{
	human_time(out, t, show_axis(s));
}

enum kind
show_kind(const struct scene *s, key_id key)
{
	return key_kind(s->fold->tree, s->p, key);
}

bool
show_has_times(const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_groups; i++)
		if (p->group[i].has_time)
			return true;
	return false;
}

const char *
show_no_times(const struct profile *p)
{
	return show_has_times(p) ? "all events at one moment" : "no timeline in this file";
}

void
show_range(const struct scene *s, int64_t *from, int64_t *to)
{
	int64_t end = sum_clipped(s->fold->run, 1); /* after the last event */
	*from = s->fold->whole || s->fold->from < 0 ? 0 : s->fold->from;
	*to = s->fold->whole || s->fold->to > end ? end : s->fold->to;
	if (*to < *from)
		*to = *from;
}

void
show_row(const struct scene *s, key_id key, struct row *out)
{
	*out = fold_row_of(s->fold, key);
}

bool
show_is_part(const struct scene *s, const struct row *row, struct row *own)
{
	if (row->key == KEY_NONE || row->node == NODE_ROOT || row->node >= s->fold->tree->n)
		return false;
	*own = fold_row_of(s->fold, row->key);
	return own->self != row->self || own->total != row->total;
}

bool
show_node(const struct scene *s, node_id node, struct row *out)
{
	*out = fold_node_row(s->fold, node);
	return true;
}

void
show_search_position(void *view, const struct scene *s, struct standing *out)
{
	(void)view;
	search_standing(s->search, s->outline, s->nav->node, out);
}

void
show_selection(struct scene *s)
{
	node_id shown = outline_above(s->outline, s->nav->node);
	if (!s->nav->away && shown != s->nav->node)
		nav_select(s->nav, s->fold, s->p, shown);
}

uint64_t
show_omitted_rows(const void *view, const struct scene *s)
{
	(void)view;
	return s->fold->changes.n_chance;
}

const char *
show_nothing_left(const struct scene *s)
{
	if (!outline_is_empty(s->outline) || !s->facts->done)
		return NULL;
	for (size_t i = 0; i < s->lens->entries.n; i++)
		if (!s->lens->entries.at[i].off)
			return "The filters leave nothing.  u takes the last one back, F lists "
			       "them.";
	return NULL;
}
