/* info.c - what the file says of itself, what was assumed, what was damaged.
 *
 * A list of lines under headings, made anew when the profile has grown.  It scrolls and
 * has no selection of its own; the selected function stays what it is. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/vec.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

struct fact {
	char *key, *value; /* value NULL: key is a heading */
	bool bad;
};

struct facts_view {
	VEC(struct fact) facts;
	uint64_t folds;
	bool done;
	size_t top;
	int h;
};

static void *
info_create(void)
{
	struct facts_view *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	return v;
}

static void
drop(struct facts_view *v)
{
	for (size_t i = 0; i < v->facts.n; i++) {
		free(v->facts.at[i].key);
		free(v->facts.at[i].value);
	}
	v->facts.n = 0;
}

static void
info_destroy(void *view)
{
	struct facts_view *v = view;
	drop(v);
	vec_release(&v->facts);
	free(v);
}

/* ---- the lines ---- */

static void
heading(struct facts_view *v, const char *text)
{
	*vec_push(&v->facts) = (struct fact){mem_dup(text, strlen(text)), NULL, false};
}

/* Takes over what is in *value, and empties it. */
static void
fact(struct facts_view *v, const char *key, struct buf *value, bool bad)
{
	*vec_push(&v->facts) = (struct fact){
		mem_dup(key, strlen(key)),
		mem_dup(buf_str(value), value->len),
		bad,
	};
	buf_reset(value);
}

static void
count(struct facts_view *v, const char *key, uint64_t n, struct buf *b)
{
	human_count(b, (int64_t)n);
	fact(v, key, b, false);
}

static void
list_files(struct facts_view *v, const struct scene *s, struct buf *b)
{
	for (uint32_t i = 0; i < s->p->n_groups; i++) {
		const struct group *g = &s->p->group[i];
		profile_show_name(s->p, g->name, b);
		fact(v, "file", b, false);
		profile_show_name(s->p, g->format, b);
		if (i == 0 && s->facts->title)
			buf_addf(b, ": %s", s->facts->title);
		fact(v, "format", b, false);
		if (g->has_time) {
			human_time(b, g->end - g->start, (enum unit)g->axis);
			if (g->axis != UNIT_NS)
				buf_addf(b, " %s", unit_name((enum unit)g->axis));
			fact(v, "duration", b, false);
		}
	}
}

static void
list_metrics(struct facts_view *v, const struct scene *s, struct buf *b)
{
	for (uint32_t i = 0; i < s->p->n_metrics; i++) {
		if (!profile_metric_shown(s->p, (metric_id)i))
			continue;
		if (b->len)
			buf_adds(b, ", ");
		profile_show_name(s->p, s->p->metric[i].name, b);
		buf_addf(b, " (%s)", unit_name((enum unit)s->p->metric[i].unit));
	}
	fact(v, "metrics", b, false);
}

static void
list_loading(struct facts_view *v, const struct scene *s, struct buf *b)
{
	const struct profile *p = s->p;
	if (!s->facts->done)
		buf_adds(b, "not yet: loading");
	else if (p->complete)
		buf_adds(b, "yes");
	else
		buf_addf(b, "no: %s", p->why ? p->why : "stopped");
	fact(v, "complete", b, s->facts->done && !p->complete);
	if (err_is_set(&p->damage)) {
		if (p->n_groups > 1) {
			profile_show_name(p, p->group[p->damage_group].name, b);
			buf_adds(b, ": ");
		}
		if (p->damage.has_offset)
			buf_addf(b,
				 "at byte %llu: ", (unsigned long long)p->damage.offset);
		buf_adds(b, p->damage.text);
		fact(v, "damage", b, true);
	}
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		buf_adds(b, p->warning[i].text);
		if (p->warning[i].count > 1)
			buf_addf(b, " (%llu times)",
				 (unsigned long long)p->warning[i].count);
		fact(v, "warning", b, true);
	}
	/* Figures that differ from run to run would make snapshots useless. */
	if (s->facts->bytes && s->facts->elapsed_ns > 0) {
		double seconds = (double)s->facts->elapsed_ns / 1e9;
		buf_addf(b, "%.1f MB in %.3f s, %.0f MB/s", (double)s->facts->bytes / 1e6,
			 seconds, (double)s->facts->bytes / 1e6 / seconds);
		fact(v, "loading", b, false);
	}
}

/* What one file says of itself; of several, each under its name. */
static void
list_words(struct facts_view *v, const struct scene *s, uint32_t group, struct buf *b)
{
	const struct profile *p = s->p;
	bool headed = false;
	for (uint32_t i = 0; i < p->n_info; i++) {
		struct buf key = BUF_INIT;
		if (p->info[i].group != group)
			continue;
		if (!headed && p->n_groups > 1) {
			buf_adds(b, "What ");
			profile_show_name(p, p->group[group].name, b);
			buf_adds(b, " says");
			heading(v, buf_str(b));
			buf_reset(b);
		} else if (!headed) {
			heading(v, "What the file says");
		}
		headed = true;
		profile_show_name(p, p->info[i].key, &key);
		profile_show_name(p, p->info[i].value, b);
		fact(v, buf_str(&key), b, false);
		buf_release(&key);
	}
}

static void
fill(struct facts_view *v, const struct scene *s)
{
	const struct profile *p = s->p;
	struct buf b = BUF_INIT;
	drop(v);
	heading(v, "The profile");
	list_files(v, s, &b);
	list_metrics(v, s, &b);
	count(v, "tracks", p->n_tracks, &b);
	count(v, "events", p->events, &b);
	count(v, "functions", p->frames.n_functions, &b);
	count(v, "frames", p->frames.n, &b);
	count(v, "stacks", p->stacks.n - 1, &b);
	heading(v, "Reading it");
	list_loading(v, s, &b);
	for (uint32_t g = 0; g < p->n_groups; g++)
		list_words(v, s, g, &b);
	buf_release(&b);
}

static void
info_arrange(void *view, struct scene *s, struct area a)
{
	struct facts_view *v = view;
	if (v->folds != s->folds || v->done != s->facts->done)
		fill(v, s);
	v->folds = s->folds;
	v->done = s->facts->done;
	v->h = a.h;
	size_t h = (size_t)(a.h > 0 ? a.h : 1);
	if (v->top + h > v->facts.n)
		v->top = v->facts.n > h ? v->facts.n - h : 0;
}

static void
info_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	const struct facts_view *v = view;
	int key_cols = 8;
	(void)s;
	for (size_t i = 0; i < v->facts.n; i++) {
		int cols = v->facts.at[i].value ? text_cols(v->facts.at[i].key) : 0;
		if (cols > key_cols && cols <= a.w / 3)
			key_cols = cols;
	}
	for (int y = 0; y < a.h && v->top + (size_t)y < v->facts.n; y++) {
		const struct fact *f = &v->facts.at[v->top + (size_t)y];
		if (!f->value) {
			canvas_fit(c, a.y + y, a.x + 1, a.w - 1, INK_STRONG, f->key);
			continue;
		}
		canvas_fit(c, a.y + y, a.x + 3, key_cols, INK_DIM, f->key);
		if (f->bad)
			canvas_char(c, a.y + y, a.x + 1, INK_HOT, '!');
		canvas_fit(c, a.y + y, a.x + key_cols + 5, a.w - key_cols - 5,
			   f->bad ? INK_HOT : INK_TEXT, f->value);
	}
}

static enum reply
info_act(void *view, struct scene *s, enum action action)
{
	struct facts_view *v = view;
	int64_t top = (int64_t)v->top;
	(void)s;
	switch (action) {
	case ACTION_DOWN:
		top++;
		break;
	case ACTION_UP:
		top--;
		break;
	case ACTION_HALF_DOWN:
		top += v->h / 2;
		break;
	case ACTION_HALF_UP:
		top -= v->h / 2;
		break;
	case ACTION_PAGE_DOWN:
		top += v->h;
		break;
	case ACTION_PAGE_UP:
		top -= v->h;
		break;
	case ACTION_FIRST:
		top = 0;
		break;
	case ACTION_LAST:
		top = (int64_t)v->facts.n;
		break;
	default:
		return REPLY_PASS;
	}
	v->top = (size_t)(top < 0 ? 0 : top); /* arrange() keeps it below the end */
	return REPLY_DONE;
}

static enum reply
info_click(void *view, struct scene *s, int y, int x, bool twice)
{
	(void)view;
	(void)s;
	(void)y;
	(void)x;
	(void)twice;
	return REPLY_PASS;
}

static bool
info_find(void *view, struct scene *s, int dir)
{
	(void)view;
	(void)s;
	(void)dir;
	return false;
}

static bool
info_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static const enum action info_keys[] = {
	ACTION_VIEW_FLAME, ACTION_VIEW_TREE, ACTION_VIEW_FUNCTIONS, ACTION_MANUAL,
	ACTION_HELP,       ACTION_BACK,      ACTION_NONE,
};

const struct view_ops info_view = {
	.name = "info",
	.digit = '8',
	.open = ACTION_VIEW_INFO,
	.scope = SCOPE_ANY,
	.about = "What the file says of itself, how much there is, what was assumed and\n"
		 "what could not be read.\n",
	.enter = "show",
	.keys = info_keys,
	.create = info_create,
	.destroy = info_destroy,
	.arrange = info_arrange,
	.draw = info_draw,
	.act = info_act,
	.click = info_click,
	.find = info_find,
	.describe = info_describe,
};
