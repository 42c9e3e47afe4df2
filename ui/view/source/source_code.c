/* source_code.c - see source_code.h.
 *
 * The list of instructions (ui/part/code.h) is ordered by address.  The rows are that list, perhaps
 * with a line of source wherever it changes.  The compiler moves code, so a line may occur several
 * times.
 *
 * The cursor is on a row.  While the profile grows it keeps its address.  In another function it
 * goes to the hottest instruction of the previous line, else to the hottest of all. */
#include "ui/view/source/source_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/mem.h"
#include "ui/screen/text.h"

#define FILES_MAX 32u
#define SIDE_COLS 8

void
source_code_init(struct source_code *c)
{
	c->made_folds = UINT64_MAX;
	c->wanted = c->at = ADDRESS_NONE;
	c->visit_from = UINT32_MAX;
}

static void
drop_text(struct source_code *c)
{
	for (size_t i = 0; i < c->text.n; i++)
		free(c->text.at[i]);
	c->text.n = 0;
}

static void
drop_files(struct source_code *c)
{
	for (size_t i = 0; i < c->files.n; i++) {
		free(c->files.at[i].name);
		source_file_close(c->files.at[i].text);
	}
	c->files.n = 0;
}

static void
drop_steps(struct source_code *c)
{
	for (size_t i = 0; i < c->visits.n; i++)
		free(c->visits.at[i].name);
	c->visits.n = c->steps.n = 0;
	c->visit = 0;
}

void
source_code_release(struct source_code *c)
{
	drop_steps(c);
	vec_release(&c->visits);
	drop_text(c);
	drop_files(c);
	fold_free(c->fold);
	buf_release(&c->line_file);
	buf_release(&c->why);
	vec_release(&c->rows);
	vec_release(&c->files);
	vec_release(&c->text);
	vec_release(&c->steps);
}

/* ---- making ---- */

void
source_code_next(struct source_code *c, const char *file, uint32_t line)
{
	c->shown = (c->shown + 1) % CODE_SHOWN;
	if (c->shown != CODE_ALONE)
		return;
	buf_reset(&c->line_file);
	buf_adds(&c->line_file, file);
	c->line = line;
	c->placed = false;
	c->wanted = ADDRESS_NONE;
	drop_steps(c);
}

void
source_code_leave(struct source_code *c, function_id fn)
{
	if (fn != c->visit_from)
		c->visit = 0;
}

void
source_code_name(const struct source_code *c, const struct scene *s, function_id fn,
		 struct buf *out)
{
	const char *name = c->visit ? c->visits.at[c->visit - 1].name : NULL;

	if (name)
		escape_shown(out, name, strlen(name), false);
	else
		profile_show_name(s->p, s->p->frames.function.name[fn], out);
}

bool
source_code_is_stale(const struct source_code *c, const struct scene *s, function_id fn)
{
	return c->shown && s->code &&
	       (!c->made || c->made_folds != s->folds || c->made_function != fn ||
		c->made_visit != c->visit);
}

void
source_code_make(struct source_code *c, const struct scene *s, function_id fn, struct pace *pace)
{
	const struct code_source *code = s->code;
	bool same = c->made && c->made_function == fn && c->made_visit == c->visit;
	struct buf why = BUF_INIT;

	if (same && c->placed && (uint64_t)c->scroll.at < c->rows.n)
		c->wanted = source_code_here(c, s).is->address;
	c->placed &= same;
	c->made = false;
	c->rows_of = CODE_NOT;
	c->rows.n = 0;
	buf_reset(&c->why);
	uint64_t at = c->visit ? c->visits.at[c->visit - 1].address : ADDRESS_NONE;
	if (!code->make(code->ctx, c->fold, s->p, fn, at, pace))
		return;
	code->why(code->ctx, &why);
	escape_shown(&c->why, buf_str(&why), why.len, false);
	buf_release(&why);
	c->made = true;
	c->made_folds = s->folds;
	c->made_function = fn;
	c->made_visit = c->visit;
}

/* ---- rows ---- */

/* Returns the index of the file; adds and opens a new one. */
static uint32_t
source_code_file_of(struct source_code *c, const struct scene *s, const char *name)
{
	struct buf path = BUF_INIT, why = BUF_INIT;
	struct code_file new = {.text = NULL};

	for (uint32_t i = (uint32_t)c->files.n; i-- > 0;)
		if (!strcmp(c->files.at[i].name, name))
			return i;
	if (c->files.n < FILES_MAX && source_find(s->sources, name, &path))
		new.text = source_file_open(buf_str(&path), &why);
	new.name = mem_dup(name, strlen(name));
	*vec_push(&c->files) = new;
	buf_release(&path);
	buf_release(&why);
	return (uint32_t)c->files.n - 1;
}

static void
source_make_rows(struct source_code *c, const struct scene *s)
{
	uint32_t line = 0, n = (uint32_t)s->code->count(s->code->ctx);
	const char *file = NULL;

	c->rows.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct instruction *is = s->code->at(s->code->ctx, i).is;
		if (c->shown == CODE_BETWEEN && is->file && is->line &&
		    (is->line != line || !file || strcmp(is->file, file) != 0)) {
			line = is->line;
			file = is->file;
			*vec_push(&c->rows) = (struct code_row){
				.instruction = i,
				.source = true,
				.file = source_code_file_of(c, s, file),
				.line = line,
			};
		}
		*vec_push(&c->rows) = (struct code_row){.instruction = i};
	}
	c->rows_of = c->shown;
}

/* Returns the hottest instruction, of one line if that is not 0. */
static int64_t
source_hottest(const struct source_code *c, const struct scene *s, const char *file, uint32_t line)
{
	int64_t best = CODE_NO_ROW, most = 0;

	for (size_t i = 0; i < c->rows.n; i++) {
		const struct code_row *row = &c->rows.at[i];
		struct code_hit x = source_code_hit_of(s, row);
		if (row->source || (line && (x.is->line != line || !x.is->file ||
					     strcmp(x.is->file, file) != 0)))
			continue;
		if (best == CODE_NO_ROW || x.self > most) {
			best = (int64_t)i;
			most = x.self;
		}
	}
	return best;
}

static void
source_place(struct source_code *c, const struct scene *s)
{
	int64_t at = CODE_NO_ROW;

	if (c->wanted != ADDRESS_NONE)
		at = source_code_row_from(c, s, c->wanted);
	else if (c->line)
		at = source_hottest(c, s, buf_str(&c->line_file), c->line);
	if (at == CODE_NO_ROW || at >= (int64_t)c->rows.n)
		at = source_hottest(c, s, "", 0);
	if (!c->placed)
		c->scroll.top = at - c->scroll.h / 3;
	c->scroll.at = at < 0 ? 0 : at;
	c->scroll.top = c->scroll.top < 0 ? 0 : c->scroll.top;
	c->wanted = ADDRESS_NONE;
	c->line = 0;
	c->placed = true;
}

static void
source_write_place(const char *file, uint32_t line, struct buf *out)
{
	const char *name = base_name(file);

	escape_shown(out, name, strlen(name), false);
	buf_addf(out, ":%" PRIu32, line);
}

/* Writes the text of a row. */
static void
write_row(const struct source_code *c, const struct scene *s, const struct code_row *row,
	  struct buf *out)
{
	const char *text = source_code_hit_of(s, row).is->text;

	if (row->source) {
		const struct code_file *f = &c->files.at[row->file];
		if (!f->text || !source_file_line(f->text, row->line, out))
			source_write_place(f->name, row->line, out);
	} else if (text) {
		escape_shown(out, text, strlen(text), false);
	}
}

static void
source_fill(struct source_code *c, const struct scene *s)
{
	struct buf text = BUF_INIT;

	drop_text(c);
	for (int64_t i = c->scroll.top; i < c->scroll.top + c->scroll.h; i++) {
		if (i >= (int64_t)c->rows.n)
			break;
		buf_reset(&text);
		write_row(c, s, &c->rows.at[i], &text);
		*vec_push(&c->text) = mem_dup(buf_str(&text), text.len);
	}
	buf_release(&text);
}

/* Returns the rows of the screen that the text takes, up to a third of it. */
static int
rows_of_words(const char *text, int w, int h)
{
	int rows = 0;

	for (; *text && rows < h / 3; rows++)
		text += text_wrap(text, w);
	return rows;
}

void
source_code_arrange(struct source_code *c, const struct scene *s, struct area a)
{
	uint64_t address = ADDRESS_NONE;

	if (!c->made)
		return;
	if (c->edits != s->edits)
		drop_files(c);
	if (c->rows_of != c->shown || c->edits != s->edits) {
		if (c->placed && (uint64_t)c->scroll.at < c->rows.n && c->wanted == ADDRESS_NONE)
			address = source_code_here(c, s).is->address;
		source_make_rows(c, s);
		c->wanted = address != ADDRESS_NONE ? address : c->wanted;
	}
	c->edits = s->edits;
	c->notes = rows_of_words(buf_str(&c->why), a.w, a.h);
	c->scroll.h = a.h - 1 - c->notes > 1 ? a.h - 1 - c->notes : 1;
	if (!c->placed || c->wanted != ADDRESS_NONE)
		source_place(c, s);
	scroll_fit(&c->scroll, (int64_t)c->rows.n);
	c->at = c->rows.n ? source_code_here(c, s).is->address : ADDRESS_NONE;
	source_fill(c, s);
}

/* ---- actions ---- */

static bool
costs(const struct source_code *c, const struct scene *s, int64_t row)
{
	return !c->rows.at[row].source && source_code_hit_of(s, &c->rows.at[row]).self;
}

static void
step_cost(struct source_code *c, const struct scene *s, int dir)
{
	for (int64_t i = c->scroll.at + dir; i >= 0 && i < (int64_t)c->rows.n; i += dir)
		if (costs(c, s, i)) {
			c->scroll.at = i;
			return;
		}
}

static void
scroll_sideways(struct source_code *c, int by)
{
	int widest = 0;

	for (size_t i = 0; i < c->text.n; i++) {
		int cols = text_cols(c->text.at[i]);
		widest = cols > widest ? cols : widest;
	}
	if (by < 0 ? c->left > 0 : c->left + by < widest)
		c->left += by;
}

enum reply
source_code_act(struct source_code *c, struct scene *s, function_id fn, enum action action)
{
	int64_t by = scroll_by(action, c->scroll.h);

	if (!c->rows.n)
		return by ? REPLY_DONE : REPLY_PASS;
	if (by) {
		c->scroll.at = scroll_clip(c->scroll.at + by, (int64_t)c->rows.n);
		return REPLY_DONE;
	}
	switch ((int)action) {
	case ACTION_ENTER:
		return source_code_follow(c, s, fn);
	case ACTION_OUT:
		return source_code_step_back(c, s);
	case ACTION_LINE_ON:
	case ACTION_LINE_BACK:
		step_cost(c, s, action == ACTION_LINE_ON ? 1 : -1);
		return REPLY_DONE;
	case ACTION_HOTTEST:
		c->scroll.at = source_hottest(c, s, "", 0);
		return REPLY_DONE;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		scroll_sideways(c, action == ACTION_RIGHT ? SIDE_COLS : -SIDE_COLS);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

bool
source_code_click(struct source_code *c, int y)
{
	int64_t row = c->scroll.top + y - 1 - c->notes;

	if (y < 1 + c->notes || row >= (int64_t)c->rows.n)
		return false;
	c->scroll.at = row;
	return true;
}

/* ---- searching ---- */

bool
source_code_row_hits(const struct source_code *c, const struct scene *s, int64_t row)
{
	struct buf text = BUF_INIT;

	if (!s->search->pattern)
		return false;
	write_row(c, s, &c->rows.at[row], &text);
	bool hit = pattern_matches_bytes(s->search->pattern, buf_str(&text), text.len);
	buf_release(&text);
	return hit;
}

struct in {
	const struct source_code *c;
	const struct scene *s;
};

static bool
source_is_hit(const void *of, int64_t row)
{
	const struct in *in = of;

	return source_code_row_hits(in->c, in->s, row);
}

bool
source_code_find(struct source_code *c, const struct scene *s, int dir)
{
	const struct in in = {c, s};
	int64_t row = scroll_find(c->scroll.at, (int64_t)c->rows.n, dir, source_is_hit, &in);

	if (row >= 0)
		c->scroll.at = row;
	return row >= 0;
}

/* The count stops after this number of rows. */
#define COUNT_ROWS 20000u

void
source_code_hits(const struct source_code *c, const struct scene *s, struct standing *out)
{
	size_t n = c->rows.n < COUNT_ROWS ? c->rows.n : COUNT_ROWS;

	*out = (struct standing){.more = n < c->rows.n};
	for (size_t i = 0; i < n; i++)
		if (source_code_row_hits(c, s, (int64_t)i)) {
			out->all++;
			if ((int64_t)i <= c->scroll.at) {
				out->at = out->all;
				out->here = (int64_t)i == c->scroll.at;
			}
		}
}

bool
source_code_where(const struct source_code *c, const struct scene *s, function_id fn,
		  struct buf *out, struct buf *name)
{
	if (!c->made || !c->rows.n)
		return false;
	const struct instruction *is = source_code_here(c, s).is;
	buf_addf(out, "0x%" PRIx64, is->address);
	if (is->file && is->line) {
		buf_addc(out, ' ');
		source_write_place(is->file, is->line, out);
	}
	buf_adds(out, " in ");
	source_code_name(c, s, fn, name);
	return true;
}
