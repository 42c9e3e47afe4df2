/* source.c - the file of the selected function, with what each line costs.
 *
 * The numbers come from a fold of its own, by line and never turned over: the same range,
 * filters, tracks and metric as everywhere, so they agree with `report --view lines`.  A
 * line's total counts a stack once, however often the line is on it (model/linecost.h).  A
 * frame whose line is not known counts for the line of its function's definition, which
 * then has a • before it.
 *
 * The file itself is read a screen at a time (source_files.h).  Where it is not found the
 * view is the list of its lines that cost something, which is what the profile knows.
 *
 * The cursor is a line number.  It goes to the selected function when that changes - to its
 * line with the largest total, else to its definition - and else stays.  Where the cursor
 * goes, the selection goes with it: to what costs the most in that line. */
#include "ui/view/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/match.h"
#include "model/mem.h"
#include "ui/screen/shorten.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define FIND_LINES 2000000u

static void *
source_create(void)
{
	struct source *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	v->function = UINT32_MAX;
	v->key = v->picked = KEY_NONE;
	return v;
}

static void
drop_rows(struct source *v)
{
	for (size_t i = 0; i < v->rows.n; i++)
		free(v->rows.at[i].text);
	v->rows.n = 0;
}

static void
source_destroy(void *view)
{
	struct source *v = view;
	drop_rows(v);
	fold_free(v->fold);
	source_file_close(v->text);
	linecosts_release(&v->costs);
	vec_release(&v->rows);
	buf_release(&v->path);
	buf_release(&v->why);
	free(v);
}

/* ---- what the lines cost ---- */

static bool
fold_lines(struct source *v, const struct scene *s)
{
	struct lens l;
	struct err e;
	if (!v->fold)
		v->fold = fold_new();
	err_init(&e);
	lens_copy(&l, s->lens);
	l.invert = false;
	l.by = BY_LINE;
	v->fold->only_track = s->fold->only_track;
	bool done = fold_update(v->fold, s->p, &l, NULL, &e);
	lens_release(&l);
	return done;
}

/* ---- which file, and where in it ---- */

static name_id
file_of_selection(const struct source *v, const struct scene *s)
{
	if (s->fold->tree->by == BY_FILE && v->picked != KEY_NONE)
		return v->picked;
	return v->function == UINT32_MAX ? NAME_EMPTY
					 : profile_function(s->p, v->function)->file;
}

static void
open_text(struct source *v, const struct scene *s)
{
	struct buf recorded = BUF_INIT;
	source_file_close(v->text);
	v->text = NULL;
	buf_reset(&v->path);
	buf_reset(&v->why);
	struct name name = names_get(&s->p->names, v->file);
	buf_add(&recorded, name.at, name.len);
	if (v->file == NAME_EMPTY || memchr(name.at, '\0', name.len))
		buf_adds(&v->why, "is not known");
	else if (!source_find(s->sources, buf_str(&recorded), &v->path))
		buf_adds(&v->why, "is not found: --source-dir FROM=TO says where it is");
	else
		v->text = source_file_open(buf_str(&v->path), &v->why);
	buf_release(&recorded);
}

/* The selected function's line with the largest total, else its definition. */
static uint32_t
line_of_selection(const struct source *v, const struct scene *s)
{
	const struct linecost *best = NULL;
	for (size_t i = 0; i < v->costs.all.n; i++) {
		const struct linecost *c = &v->costs.all.at[i];
		bool own = v->function == UINT32_MAX ||
			   projection_key_function(v->fold->tree, s->p, c->key) ==
				   v->function;
		if (own && !c->whole && (!best || c->total > best->total))
			best = c;
	}
	if (best)
		return best->line;
	uint32_t line =
		v->function == UINT32_MAX ? 0 : profile_function(s->p, v->function)->line;
	return line ? line : v->costs.all.n ? v->costs.all.at[0].line : 1;
}

static void
go_line(struct source *v, uint32_t line)
{
	line = line ? line : 1;
	if (!v->text) {
		size_t i = linecosts_from(&v->costs, line);
		line = i < v->costs.all.n ? v->costs.all.at[i].line
		       : v->costs.all.n   ? v->costs.all.at[v->costs.all.n - 1].line
				      : 1;
	} else if (!source_file_has(v->text, line)) {
		line = source_file_last(v->text);
	}
	v->at = line ? line : 1;
}

/* ---- the rows of the screen ---- */

/* Rows count lines of the file, or of the costs where there is no file. */
static uint32_t
row_of_line(const struct source *v, uint32_t line)
{
	return v->text ? line - 1 : (uint32_t)linecosts_from(&v->costs, line);
}

static bool
fill_row(struct source *v, uint32_t row, struct shown_line *out)
{
	struct buf text = BUF_INIT;
	bool there;
	if (v->text) {
		*out = (struct shown_line){row + 1, linecosts_at(&v->costs, row + 1), NULL};
		there = source_file_line(v->text, row + 1, &text);
	} else {
		there = row < v->costs.all.n;
		if (there)
			*out = (struct shown_line){v->costs.all.at[row].line, row, NULL};
	}
	if (there)
		out->text = mem_dup(buf_str(&text), text.len);
	buf_release(&text);
	return there;
}

/* How many rows there are, when they end within `most`; else more than that. */
static uint32_t
rows_within(struct source *v, uint32_t most)
{
	if (!v->text)
		return (uint32_t)v->costs.all.n;
	return source_file_has(v->text, most + 1) ? most + 1 : source_file_last(v->text);
}

static void
fill_rows(struct source *v, bool center)
{
	struct scroll *at = &v->scroll;
	at->at = row_of_line(v, v->at);
	if (center)
		at->top = at->at > at->h / 3 ? at->at - at->h / 3 : 0;
	/* the file is read no further than the screen may reach */
	int64_t far = at->at > at->top ? at->at : at->top;
	scroll_fit(at, rows_within(v, (uint32_t)(far + at->h)));
	drop_rows(v);
	for (int i = 0; i < at->h; i++) {
		struct shown_line l;
		if (!fill_row(v, (uint32_t)at->top + (uint32_t)i, &l))
			break;
		*vec_push(&v->rows) = l;
	}
}

static void
pick(struct source *v, const struct scene *s)
{
	key_id hottest = s->nav->key == KEY_NONE && !s->nav->away
				 ? nav_hottest(s->fold, s->p)
				 : KEY_NONE;
	if (hottest != KEY_NONE)
		nav_propose(s->nav, s->fold, s->p, hottest);
	v->picked = s->nav->key;
	v->function = s->nav->function;
	v->file = file_of_selection(v, s);
}

static void
source_arrange(void *view, struct scene *s, struct area a)
{
	struct source *v = view;
	bool refolded = v->folds != s->folds;
	bool moved = v->key != s->nav->key || (v->moves != s->nav->moves && !refolded) ||
		     v->picked == KEY_NONE;
	bool edited = v->edits != s->edits;
	name_id file = v->file;
	if (moved)
		pick(v, s);
	v->folds = s->folds;
	v->moves = s->nav->moves;
	v->key = s->nav->key;
	v->edits = s->edits;
	v->scroll.h = a.h > 1 ? a.h - 1 : 1;
	if (refolded && !fold_lines(v, s))
		return;
	if (v->file != file || edited || (!v->text && !v->why.len))
		open_text(v, s);
	if (refolded || v->file != file)
		linecosts_make(&v->costs, v->fold, s->p, v->file);
	if (moved)
		go_line(v, line_of_selection(v, s));
	else
		go_line(v, v->at);
	fill_rows(v, moved);
}

/* ---- actions ---- */

static void
step(struct source *v, int64_t by)
{
	int64_t row = row_of_line(v, v->at) + by;
	if (!v->text)
		row = scroll_clip(row, (int64_t)v->costs.all.n);
	else if (row >= UINT32_MAX)
		row = UINT32_MAX - 1;
	if (v->text)
		go_line(v, row < 0 ? 1 : (uint32_t)row + 1);
	else if (v->costs.all.n)
		v->at = v->costs.all.at[row].line;
}

/* What costs the most in this line is the selection; a line that costs nothing changes
 * nothing.  False when it is such a line. */
static bool
select_line(struct source *v, struct scene *s)
{
	size_t slot = linecosts_at(&v->costs, v->at);
	if (slot == LINECOST_NONE)
		return false;
	key_id key = v->costs.all.at[slot].key;
	function_id f = projection_key_function(v->fold->tree, s->p, key);
	const struct granularity_row *row = &granularity_rows[s->fold->tree->by];
	if (row->key_of)
		key = row->key_of(profile_function(s->p, f), f);
	nav_select_key(s->nav, s->fold, s->p, key);
	v->picked = v->key = s->nav->key;
	v->function = f;
	v->moves = s->nav->moves;
	return true;
}

/* To the next line that costs something. */
static void
step_cost(struct source *v, int dir)
{
	size_t i = linecosts_from(&v->costs, dir > 0 ? v->at + 1 : v->at);
	if (dir > 0 ? i < v->costs.all.n : i > 0)
		go_line(v, v->costs.all.at[dir > 0 ? i : i - 1].line);
}

static void
go_hottest(struct source *v)
{
	const struct linecost *best = NULL;
	for (size_t i = 0; i < v->costs.all.n; i++)
		if (!best || v->costs.all.at[i].self > best->self ||
		    (v->costs.all.at[i].self == best->self &&
		     v->costs.all.at[i].total > best->total))
			best = &v->costs.all.at[i];
	if (best)
		go_line(v, best->line);
}

/* The action itself; the line that it leads to is selected by source_act(). */
static enum reply
move(struct source *v, enum action action)
{
	int64_t by = scroll_by(action, v->scroll.h);
	if (by) {
		step(v, by);
		return REPLY_DONE;
	}
	switch ((int)action) {
	case ACTION_LINE_ON:
	case ACTION_LINE_BACK:
		step_cost(v, action == ACTION_LINE_ON ? 1 : -1);
		return REPLY_DONE;
	case ACTION_HOTTEST:
		go_hottest(v);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
source_act(void *view, struct scene *s, enum action action)
{
	struct source *v = view;
	uint32_t before = v->at;
	if (action == ACTION_ENTER)
		return select_line(v, s) ? REPLY_STACKS : REPLY_DONE;
	enum reply reply = move(v, action);
	if (v->at != before)
		select_line(v, s);
	return reply;
}

static enum reply
source_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct source *v = view;
	(void)x;
	if (y < 1 || (size_t)(y - 1) >= v->rows.n)
		return REPLY_PASS;
	v->at = v->rows.at[y - 1].line;
	return select_line(v, s) && twice ? REPLY_STACKS : REPLY_DONE;
}

/* The next line of the text that matches, going round at the ends. */
static bool
source_find_line(void *view, struct scene *s, int dir)
{
	struct source *v = view;
	uint32_t row = row_of_line(v, v->at), start = row;
	for (uint32_t i = 0; v->rows.n && i < FIND_LINES; i++) {
		struct shown_line l;
		row = dir > 0 ? row + 1 : row - 1;
		if (dir < 0 && row == UINT32_MAX)
			row = v->text ? source_file_last(v->text) - 1
				      : (uint32_t)v->costs.all.n - 1;
		if (!fill_row(v, row, &l)) {
			row = UINT32_MAX;
			if (dir < 0)
				break;
			continue;
		}
		bool hit = source_line_hits(v, s, &l);
		free(l.text);
		if (hit) {
			v->at = l.line;
			select_line(v, s);
			return true;
		}
		if (row == start)
			break;
	}
	return false;
}

/* The numbers of the line. */
static bool
source_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct source *v = view;
	size_t slot = linecosts_at(&v->costs, v->at);
	if (!v->rows.n)
		return show_node(s, s->nav->node, out);
	*out = (struct row){.key = s->nav->key, .calls = -1, .lines = -1};
	if (slot == LINECOST_NONE)
		return true;
	out->self = v->costs.all.at[slot].self;
	out->total = v->costs.all.at[slot].total;
	return true;
}

/* "sim.c:16 in cmp"; of a line that costs nothing nobody says what it is in. */
static bool
source_where(const void *view, const struct scene *s, struct buf *out)
{
	const struct source *v = view;
	struct buf file = BUF_INIT;
	size_t slot = linecosts_at(&v->costs, v->at);
	if (!v->rows.n)
		return false;
	profile_show_name(s->p, v->file, &file);
	const char *slash = strrchr(buf_str(&file), '/');
	buf_addf(out, "%s:%" PRIu32, slash && slash[1] ? slash + 1 : buf_str(&file), v->at);
	if (slot != LINECOST_NONE) {
		function_id f = projection_key_function(v->fold->tree, s->p,
							v->costs.all.at[slot].key);
		buf_adds(out, " in ");
		profile_show_name(s->p, profile_function(s->p, f)->name, out);
	}
	buf_release(&file);
	return true;
}

/* Where the editor is to go. */
static bool
source_place(const void *view, const struct scene *s, struct buf *path, uint32_t *line)
{
	const struct source *v = view;
	(void)s;
	if (!v->text)
		return false;
	buf_adds(path, buf_str(&v->path));
	*line = v->at;
	return true;
}

static const enum action source_keys[] = {
	ACTION_HOTTEST, ACTION_LINE_ON, ACTION_LINE_BACK, ACTION_EDIT,
	ACTION_ENTER,   ACTION_SEARCH,  ACTION_METRIC,    ACTION_FILTER,
	ACTION_HELP,    ACTION_BACK,    ACTION_NONE,
};

const struct view_ops source_view = {
	.name = "source",
	.digit = '6',
	.open = ACTION_VIEW_SOURCE,
	.scope = SCOPE_SOURCE,
	.about =
		"The file of the selected function, with what its lines cost: self in\n"
		"the line alone, total with all that it called; % of everything in range.\n"
		"The bar at the margin is full from 10 %, half from 1 %.  A • before a\n"
		"line: the numbers of whole functions, whose lines are not known.\n"
		"Without the file its lines are listed; --source-dir says where it is.\n"
		"/ searches the text.\n",
	.enter = "stacks",
	.keys = source_keys,
	.create = source_create,
	.destroy = source_destroy,
	.arrange = source_arrange,
	.draw = source_draw,
	.act = source_act,
	.click = source_click,
	.find = source_find_line,
	.describe = source_describe,
	.place = source_place,
	.where = source_where,
};
