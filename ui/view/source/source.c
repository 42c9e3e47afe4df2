/* source.c - the file of the selected function, with the cost of each line.
 *
 * The numbers come from a separate fold by line, which is never inverted.  It uses the same range,
 * filters, tracks and metric as all views, so it agrees with `report --view lines`.  A line's total
 * counts a stack once, however often the line occurs in it (model/fold/linecost.h). A frame with an
 * unknown line counts for the line of its function's definition, which is then marked with •.
 *
 * The file itself is read a screen at a time (source_files.h).  If it is not found, the view lists
 * the lines with a cost, which the profile knows.
 *
 * The cursor is a line number.  When the selected function changes, it goes to that function: to
 * its line with the largest total, else to its definition.  The selection follows the cursor: it
 * becomes the costliest function of that line. */
#include "ui/view/source/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/lens/match.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define SIDE_COLS 8

static void *
source_create(void)
{
	struct source_panes *v = mem_zalloc(1, sizeof *v);
	v->folds = v->made_folds = UINT64_MAX;
	v->function = UINT32_MAX;
	v->key = v->picked = KEY_NONE;
	source_tree_init(&v->tree);
	source_code_init(&v->code);
	return v;
}

static void
source_destroy(void *view)
{
	struct source_panes *v = view;
	source_drop_rows(v);
	work_free(v->work);
	fold_free(v->fold);
	source_file_close(v->text);
	linecosts_release(&v->costs);
	source_tree_release(&v->tree);
	source_code_release(&v->code);
	vec_release(&v->rows);
	vec_release(&v->hits);
	buf_release(&v->path);
	buf_release(&v->why);
	free(v);
}

/* ---- which file, and where in it ---- */

static name_id
file_of_selection(const struct source_panes *v, const struct scene *s)
{
	if (s->fold->tree->by == BY_FILE && v->picked != KEY_NONE)
		return v->picked;
	return v->function == UINT32_MAX ? NAME_EMPTY
					 : profile_function(s->p, v->function).file;
}

static void
open_text(struct source_panes *v, const struct scene *s)
{
	struct buf recorded = BUF_INIT;
	source_file_close(v->text);
	v->text = NULL;
	v->language = NULL;
	v->syntax.known = false;
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
	if (v->text)
		v->language = language_of(buf_str(&v->path));
	buf_release(&recorded);
}

/* Returns the selected function's line with the largest total, else its definition. */
static uint32_t
line_of_selection(const struct source_panes *v, const struct scene *s)
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
		v->function == UINT32_MAX ? 0 : profile_function(s->p, v->function).line;
	return line ? line : v->costs.all.n ? v->costs.all.at[0].line : 1;
}

static void
go_line(struct source_panes *v, uint32_t line)
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

static void
pick(struct source_panes *v, const struct scene *s)
{
	key_id hottest = s->nav->key == KEY_NONE && !s->nav->away
				 ? fold_hottest(s->fold)
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
	struct source_panes *v = view;
	bool refolded = v->folds != s->folds;
	bool moved = v->key != s->nav->key || (v->moves != s->nav->moves && !refolded) ||
		     v->picked == KEY_NONE;
	bool edited = v->edits != s->edits;
	name_id file = v->file;
	if (moved)
		pick(v, s);
	source_code_leave(&v->code, v->function);
	v->folds = s->folds;
	v->moves = s->nav->moves;
	v->key = s->nav->key;
	v->edits = s->edits;
	v->scroll.h = a.h > 1 ? a.h - 1 : 1;
	if (v->file != file || edited || (!v->text && !v->why.len))
		open_text(v, s);
	if (v->file != file || edited)
		v->searches = 0;
	if (v->file != file)
		v->left = 0;
	v->moved |= moved;
	if (!source_make_costs(v, s)) {
		source_drop_rows(v);
		return;
	}
	go_line(v, v->moved ? line_of_selection(v, s) : v->at);
	source_fill_rows(v, v->moved);
	if (v->listing)
		source_tree_arrange(&v->tree,
				    (v->moved || v->to_file) && v->costs.all.n
					    ? v->costs.all.at[0].key
					    : KEY_NONE,
				    v->scroll.h);
	if (v->code.shown)
		source_code_arrange(&v->code, s, a);
	v->to_file = v->moved = false;
}

/* ---- actions ---- */

static void
source_step(struct source_panes *v, int64_t by)
{
	int64_t row = source_row_of(v, v->at) + by;
	if (!v->text)
		row = scroll_clip(row, (int64_t)v->costs.all.n);
	else if (row >= UINT32_MAX)
		row = UINT32_MAX - 1;
	if (v->text)
		go_line(v, row < 0 ? 1 : (uint32_t)row + 1);
	else if (v->costs.all.n)
		v->at = v->costs.all.at[row].line;
}

/* Selects a key of the fold by line. */
static void
select_key(struct source_panes *v, struct scene *s, key_id key)
{
	function_id f = projection_key_function(v->fold->tree, s->p, key);
	const struct granularity_row *row = &granularity_rows[s->fold->tree->by];
	if (row->key_of) {
		struct function fn = profile_function(s->p, f);
		key = row->key_of(&fn, f);
	}
	nav_select_key(s->nav, s->fold, s->p, key);
	v->picked = v->key = s->nav->key;
	v->function = f;
	v->moves = s->nav->moves;
}

bool
source_select_line(struct source_panes *v, struct scene *s)
{
	size_t slot = linecosts_at(&v->costs, v->at);
	if (slot != LINECOST_NONE)
		select_key(v, s, v->costs.all.at[slot].key);
	return slot != LINECOST_NONE;
}

/* Moves to the next line with a cost. */
static void
step_cost(struct source_panes *v, int dir)
{
	size_t i = linecosts_from(&v->costs, dir > 0 ? v->at + 1 : v->at);
	if (dir > 0 ? i < v->costs.all.n : i > 0)
		go_line(v, v->costs.all.at[dir > 0 ? i : i - 1].line);
}

static void
go_hottest(struct source_panes *v)
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

/* Stops at the end of the longest line on the screen. */
static void
scroll_sideways(struct source_panes *v, int by)
{
	int widest = 0;
	for (size_t i = 0; v->text && i < v->rows.n; i++) {
		int cols = text_cols(v->rows.at[i].text);
		widest = cols > widest ? cols : widest;
	}
	if (by < 0 ? v->left > 0 : v->left + by < widest)
		v->left += by;
}

/* Performs the action; source_act() selects the line that it leads to. */
static enum reply
source_move(struct source_panes *v, enum action action)
{
	int64_t by = scroll_by(action, v->scroll.h);
	if (by) {
		source_step(v, by);
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
	case ACTION_LEFT:
	case ACTION_RIGHT:
		scroll_sideways(v, action == ACTION_RIGHT ? SIDE_COLS : -SIDE_COLS);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

/* ---- the files ---- */

/* The text is then that of the selection. */
static void
show_files(struct source_panes *v, bool files)
{
	v->listing = v->to_file = files;
	v->code.shown = CODE_NOT;
	v->for_rows = false;
	v->picked = files ? v->picked : KEY_NONE;
}

void
source_select_file(struct source_panes *v, struct scene *s)
{
	key_id key = source_tree_key(&v->tree);
	if (key != KEY_NONE)
		select_key(v, s, key);
}

static void
source_set_row_filter(void *view, struct pattern *p)
{
	struct source_panes *v = view;
	bool asked = v->for_rows || !v->listing;
	work_drop(v->work); /* the work may be using the pattern */
	if (asked)
		show_files(v, p != NULL);
	v->for_rows = asked && p;
	source_tree_narrow(&v->tree, p);
}

static struct pattern *
source_row_filter(const void *view)
{
	return ((const struct source_panes *)view)->tree.only;
}

static enum reply
act_on_files(struct source_panes *v, struct scene *s, enum action action)
{
	if (action == ACTION_ENTER && source_tree_is_file(&v->tree)) {
		source_select_file(v, s);
		show_files(v, false);
		return REPLY_DONE;
	}
	if (action == ACTION_CANCEL && v->tree.only) {
		source_set_row_filter(v, NULL);
		return REPLY_DONE;
	}
	if (action == ACTION_ENTER)
		action = ACTION_TOGGLE;
	enum branch_did did = branches_act(&v->tree.rows,
					   action == ACTION_HOTTEST ? ACTION_HOT : action);
	if (did == BRANCHES_MOVED)
		source_select_file(v, s);
	return did == BRANCHES_PASS ? REPLY_PASS : REPLY_DONE;
}

/* ---- instructions ---- */

/* Returning to the text goes to the line of the instruction. */
static void
show_code(struct source_panes *v, const struct scene *s)
{
	struct source_code *c = &v->code;
	bool there = c->shown && c->made && c->rows.n;
	const struct instruction *is = there ? source_code_here(c, s).is : NULL;
	const char *file = names_get(&s->p->names, v->file).at;
	if (v->listing)
		show_files(v, false);
	source_code_next(c, file, v->at);
	if (!c->shown && is && is->line && is->file && !strcmp(is->file, file))
		v->at = is->line;
}

static enum reply
act_on_code(struct source_panes *v, struct scene *s, enum action action)
{
	if (action == ACTION_CANCEL && !s->search->pattern) {
		v->code.shown = CODE_NOT;
		return REPLY_DONE;
	}
	return source_code_act(&v->code, s, v->function, action);
}

static enum reply
source_act(void *view, struct scene *s, enum action action)
{
	struct source_panes *v = view;
	uint32_t before = v->at;
	if (v->makes) /* actions of all views still work */
		return REPLY_PASS;
	if (action == ACTION_FILES) {
		show_files(v, !v->listing);
		return REPLY_DONE;
	}
	if (action == ACTION_CODE) {
		show_code(v, s);
		return REPLY_DONE;
	}
	if (v->listing)
		return act_on_files(v, s, action);
	if (v->code.shown)
		return act_on_code(v, s, action);
	if (action == ACTION_ENTER)
		return source_select_line(v, s) ? REPLY_STACKS : REPLY_DONE;
	enum reply reply = source_move(v, action);
	if (v->at != before)
		source_select_line(v, s);
	return reply;
}

static enum reply
source_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct source_panes *v = view;
	(void)x;
	if (v->makes)
		return REPLY_DONE;
	if (v->listing) {
		if (!branches_click(&v->tree.rows, y - 1))
			return REPLY_PASS;
		source_select_file(v, s);
		return twice ? act_on_files(v, s, ACTION_ENTER) : REPLY_DONE;
	}
	if (v->code.shown) {
		if (!source_code_click(&v->code, y))
			return REPLY_PASS;
		return twice ? act_on_code(v, s, ACTION_ENTER) : REPLY_DONE;
	}
	if (y < 1 || (size_t)(y - 1) >= v->rows.n)
		return REPLY_PASS;
	v->at = v->rows.at[y - 1].line;
	return source_select_line(v, s) && twice ? REPLY_STACKS : REPLY_DONE;
}

static void
source_hold_cursor(void *view, const struct scene *s, bool back)
{
	struct source_panes *v = view;
	if (v->listing && !v->makes)
		branches_hold(&v->tree.rows, back);
	if (!back) {
		v->held = (struct source_held){v->at, v->scroll.top, v->function};
		return;
	}
	v->at = v->held.at;
	v->scroll.top = v->held.top;
	v->function = v->held.function;
	v->picked = v->key = s->nav->key;
	v->moves = s->nav->moves;
}

/* Describes the numbers of the line. */
static bool
source_describe(const void *view, const struct scene *s, struct row *out)
{
	const struct source_panes *v = view;
	if (v->makes)
		return show_node(s, s->nav->node, out);
	size_t slot = linecosts_at(&v->costs, v->at);
	if (v->listing) {
		source_tree_describe(&v->tree, out);
		out->key = s->nav->key; /* keys of the fold by line mean nothing elsewhere */
		return true;
	}
	if (v->code.shown && v->code.made && v->code.rows.n) {
		int64_t self = source_code_here(&v->code, s).self;
		*out = (struct row){.key = s->nav->key, .calls = -1, .lines = -1,
				    .self = self, .total = self};
		return true;
	}
	if (!v->rows.n)
		return show_node(s, s->nav->node, out);
	*out = (struct row){.key = s->nav->key, .calls = -1, .lines = -1};
	if (slot == LINECOST_NONE)
		return true;
	out->self = v->costs.all.at[slot].self;
	out->total = v->costs.all.at[slot].total;
	return true;
}

/* Writes "sim.c:16 in cmp"; the function of a line without cost is unknown. */
static bool
source_caption(const void *view, const struct scene *s, struct buf *out, struct buf *name)
{
	const struct source_panes *v = view;
	if (v->makes)
		return false;
	struct buf file = BUF_INIT;
	size_t slot = linecosts_at(&v->costs, v->at);
	if (v->listing) {
		source_tree_where(&v->tree, s, name);
		return true;
	}
	if (v->code.shown)
		return source_code_where(&v->code, s, v->function, out, name);
	if (!v->rows.n)
		return false;
	profile_show_name(s->p, v->file, &file);
	const char *slash = strrchr(buf_str(&file), '/');
	buf_addf(out, "%s:%" PRIu32, slash && slash[1] ? slash + 1 : buf_str(&file), v->at);
	if (slot != LINECOST_NONE) {
		function_id f = projection_key_function(v->fold->tree, s->p,
							v->costs.all.at[slot].key);
		buf_adds(out, " in ");
		profile_show_name(s->p, s->p->frames.function.name[f], name);
	}
	buf_release(&file);
	return true;
}

/* Returns the place for the editor. */
static bool
source_cursor_location(const void *view, const struct scene *s, struct buf *path, uint32_t *line)
{
	const struct source_panes *v = view;
	struct buf recorded = BUF_INIT;
	if (v->listing) {
		if (!v->makes && source_tree_is_file(&v->tree)) {
			source_tree_where(&v->tree, s, &recorded);
			source_find(s->sources, buf_str(&recorded), path);
		}
		*line = 1;
		buf_release(&recorded);
		return true;
	}
	if (v->code.shown && v->code.made && v->code.rows.n) {
		const struct instruction *is = source_code_here(&v->code, s).is;
		*line = is->line;
		return is->file && source_find(s->sources, is->file, path);
	}
	buf_adds(path, v->text ? buf_str(&v->path) : "");
	*line = v->at;
	return v->text != NULL;
}

/* Writes "files", or the form of the instructions; nothing for the text. */
static void
source_save_state(const void *view, struct buf *out)
{
	const struct source_panes *v = view;

	if (v->listing)
		buf_adds(out, "files");
	else
		source_code_keep(&v->code, out);
}

static bool
source_restore_state(void *view, const char *words)
{
	struct source_panes *v = view;

	if (strcmp(words, "files") != 0)
		return source_code_recall(&v->code, words);
	show_files(v, true);
	return true;
}

/* Without lines there is no move between them. */
static bool
source_has_effect(const void *view, const struct scene *s, enum action action)
{
	const struct source_panes *v = view;
	if (v->listing)
		return action != ACTION_LINE_ON && action != ACTION_LINE_BACK;
	if (action == ACTION_CODE)
		return s->code && s->p->frames.address;
	if (v->code.shown)
		return action == ACTION_FILES || v->code.rows.n;
	if (action == ACTION_EDIT)
		return v->text != NULL;
	return v->rows.n || action == ACTION_FILES || action == ACTION_SEARCH ||
	       action == ACTION_TRANSFORM;
}

static const enum action source_keys[] = {
	ACTION_HOTTEST,   ACTION_ENTER, ACTION_CODE,   ACTION_FILES,     ACTION_LINE_ON,
	ACTION_LINE_BACK, ACTION_EDIT,  ACTION_SEARCH, ACTION_TRANSFORM, ACTION_NONE,
};

const struct view_ops source_view = {
	.name = "source",
	.digit = '6',
	.open = ACTION_VIEW_SOURCE,
	.scope = SCOPE_SOURCE,
	.about =
		"The file of the selected function, with the cost of its lines: total\n"
		"includes callees, self does not; % of everything in range.\n"
		"The bar at the margin is full from 10 %, half from 1 %.  A • marks the\n"
		"numbers of whole functions with unknown lines.\n"
		"Without the file the view lists its lines; --source-dir sets its place.\n"
		"/ searches the text.  o lists the files with their costs, folder by\n"
		"folder; Enter shows one, h and l close and open folders.\n"
		"a goes on to the instructions of the function, with self each, then to both;\n"
		"Enter follows a jump or a call, Backspace comes back.\n",
	.enter = "stacks",
	.keys = source_keys,
	.create = source_create,
	.destroy = source_destroy,
	.arrange = source_arrange,
	.draw = source_draw,
	.act = source_act,
	.has_effect = source_has_effect, .word = source_word,
	.click = source_click,
	.find = source_find_line,
	.set_row_filter = source_set_row_filter,
	.row_filter = source_row_filter,
	.search_position = source_search_position,
	.hold_cursor = source_hold_cursor,
	.describe = source_describe,
	.source_location = source_cursor_location,
	.save_state = source_save_state,
	.restore_state = source_restore_state,
	.caption = source_caption,
};
