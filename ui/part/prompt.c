/* prompt.c - see prompt.h.
 *
 * The keys are those of readline.  Editing works on whole characters with their combining marks.
 * Text wider than the line scrolls so that the cursor stays visible.
 *
 * readline itself was rejected: it owns the terminal, and a script has none. */
#include "ui/part/prompt.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/keys.h"
#include "ui/screen/text.h"

#define HISTORY_MAX 200

void
prompt_history_release(struct prompt_history *h)
{
	for (size_t i = 0; i < h->lines.n; i++)
		free(h->lines.at[i]);
	vec_release(&h->lines);
}

static void
prompt_remember(struct prompt_history *h, const char *text)
{
	if (!h || !*text)
		return;
	if (h->lines.n && !strcmp(h->lines.at[h->lines.n - 1], text))
		return;
	if (h->lines.n == HISTORY_MAX) {
		free(h->lines.at[0]);
		memmove(h->lines.at, h->lines.at + 1,
			(HISTORY_MAX - 1) * sizeof *h->lines.at);
		h->lines.n--;
	}
	*vec_push(&h->lines) = mem_dup(text, strlen(text));
}

void
prompt_init(struct prompt *p)
{
	*p = (struct prompt){0};
}

void
prompt_release(struct prompt *p)
{
	buf_release(&p->label);
	buf_release(&p->text);
	buf_release(&p->note);
	prompt_list_clear(p);
	vec_release(&p->list);
}

void
prompt_list_clear(struct prompt *p)
{
	for (size_t i = 0; i < p->list.n; i++) {
		free(p->list.at[i].text);
		free(p->list.at[i].key);
		free(p->list.at[i].note);
	}
	p->list.n = 0;
	p->chosen = SIZE_MAX;
}

static char *
copy_of(const char *text)
{
	return text ? mem_dup(text, strlen(text)) : NULL;
}

void
prompt_list_add(struct prompt *p, const char *text, const char *key, const char *note)
{
	*vec_push(&p->list) =
		(struct prompt_row){copy_of(text), copy_of(key), copy_of(note)};
}

void
prompt_suggest(struct prompt *p)
{
	p->suggested = p->text.len > 0;
}

void
prompt_relabel(struct prompt *p, const char *label)
{
	buf_reset(&p->label);
	buf_adds(&p->label, label);
}

static void
prompt_changed(struct prompt *p)
{
	buf_reset(&p->note);
	prompt_list_clear(p);
	p->fault = false;
	if (p->hooks->changed)
		p->hooks->changed(p->ctx, p, buf_str(&p->text));
}

static void
set_text(struct prompt *p, const char *text)
{
	buf_reset(&p->text);
	buf_adds(&p->text, text);
	p->at = p->text.len;
}

void
prompt_open(struct prompt *p, const char *label, const char *text,
	    const struct prompt_hooks *hooks, void *ctx, struct prompt_history *history)
{
	p->open = true;
	p->suggested = p->choosing = false;
	p->hooks = hooks;
	p->ctx = ctx;
	p->history = history;
	p->recalled = history ? history->lines.n : 0;
	buf_reset(&p->label);
	buf_adds(&p->label, label);
	set_text(p, text);
	prompt_changed(p);
}

void
prompt_note(struct prompt *p, bool fault, const char *fmt, ...)
{
	va_list ap;
	buf_reset(&p->note);
	p->fault = fault;
	va_start(ap, fmt);
	buf_addv(&p->note, fmt, ap);
	va_end(ap);
}

/* Replaces the bytes [from, to) and puts the cursor after the new text. */
static void
splice(struct prompt *p, size_t from, size_t to, const char *text, size_t len)
{
	struct buf rest = BUF_INIT;
	buf_add(&rest, buf_str(&p->text) + to, p->text.len - to);
	if (p->text.at) {
		p->text.len = from;
		p->text.at[from] = '\0';
	}
	buf_add(&p->text, text, len);
	p->at = p->text.len;
	buf_add(&p->text, buf_str(&rest), rest.len);
	buf_release(&rest);
	prompt_changed(p);
}

/* Typing another text removes the proposal. */
static void
drop_suggestion(struct prompt *p)
{
	if (p->suggested)
		set_text(p, "");
	p->suggested = false;
}

static void
prompt_type(struct prompt *p, const char *text)
{
	drop_suggestion(p);
	splice(p, p->at, p->at, text, strlen(text));
}

void
prompt_replace(struct prompt *p, const char *text)
{
	set_text(p, text);
	p->suggested = false;
	prompt_changed(p);
}

static void
close_prompt(struct prompt *p)
{
	p->open = false;
	if (p->hooks->cancelled)
		p->hooks->cancelled(p->ctx);
}

static void
prompt_enter(struct prompt *p)
{
	char *text = mem_dup(buf_str(&p->text), p->text.len);
	struct prompt_history *history = p->history; /* done() may open the next prompt */
	p->open = false;
	if (p->hooks->done(p->ctx, p, text))
		prompt_remember(history, text);
	else
		p->open = true;
	free(text);
}

static void
recall(struct prompt *p, bool back)
{
	if (!p->history)
		return;
	size_t n = p->history->lines.n;
	if (back ? p->recalled == 0 : p->recalled >= n)
		return;
	p->recalled += back ? (size_t)-1 : 1;
	set_text(p, p->recalled < n ? p->history->lines.at[p->recalled] : "");
	prompt_changed(p);
}

static void
complete(struct prompt *p)
{
	if (!p->hooks->complete)
		return;
	struct buf out = BUF_INIT;
	VEC(struct prompt_row) had = VEC_INIT;
	prompt_list_clear(p);
	p->hooks->complete(p->ctx, p, buf_str(&p->text), &out);
	/* the list stays valid after the change */
	if (p->list.n) {
		had.at = p->list.at, had.n = p->list.n, had.cap = p->list.cap;
		p->list.at = NULL, p->list.n = p->list.cap = 0;
	}
	set_text(p, buf_str(&out));
	buf_release(&out);
	prompt_changed(p);
	if (had.n) {
		prompt_list_clear(p);
		vec_release(&p->list);
		p->list.at = had.at, p->list.n = had.n, p->list.cap = had.cap;
	}
}

static size_t
word_start(const struct prompt *p)
{
	const char *text = buf_str(&p->text);
	size_t at = p->at;
	while (at && text[at - 1] == ' ')
		at--;
	while (at && text[at - 1] != ' ')
		at--;
	return at;
}

/* ---- keys ---- */

static void
rub_out(struct prompt *p)
{
	if (!p->text.len)
		close_prompt(p);
	else if (p->at)
		splice(p, text_before(buf_str(&p->text), p->at), p->at, "", 0);
}

static void
delete_here(struct prompt *p)
{
	if (p->at < p->text.len)
		splice(p, p->at, text_after(buf_str(&p->text), p->text.len, p->at), "", 0);
}

static void
prompt_left(struct prompt *p)
{
	p->at = text_before(buf_str(&p->text), p->at);
}

static void
right(struct prompt *p)
{
	p->at = text_after(buf_str(&p->text), p->text.len, p->at);
}

static void
to_begin(struct prompt *p)
{
	p->at = 0;
}

static void
to_end(struct prompt *p)
{
	p->at = p->text.len;
}

static void
cut_before(struct prompt *p)
{
	splice(p, 0, p->at, "", 0);
}

static void
cut_behind(struct prompt *p)
{
	splice(p, p->at, p->text.len, "", 0);
}

static void
cut_word(struct prompt *p)
{
	splice(p, word_start(p), p->at, "", 0);
}

static void
recall_back(struct prompt *p)
{
	recall(p, true);
}

/* Moves down the list, and after its end to no choice; without a list, through the history. */
static void
arrow(struct prompt *p, bool up)
{
	size_t n = p->list.n;
	if (!p->choosing || !n || (up && p->chosen == SIZE_MAX)) {
		recall(p, up);
		return;
	}
	if (up)
		p->chosen = p->chosen ? p->chosen - 1 : SIZE_MAX;
	else
		p->chosen = p->chosen == SIZE_MAX ? 0
			    : p->chosen + 1 < n   ? p->chosen + 1
						  : p->chosen;
}

static void
arrow_up(struct prompt *p)
{
	arrow(p, true);
}

static void
arrow_down(struct prompt *p)
{
	arrow(p, false);
}

static void
recall_on(struct prompt *p)
{
	recall(p, false);
}

static const struct {
	uint32_t key;
	void (*act)(struct prompt *p);
} rows[] = {
	{KEYCODE_ENTER, prompt_enter},
	{'\n', prompt_enter},
	{KEYCODE_ESC, close_prompt},
	{KEYCODE_CTRL('C'), close_prompt},
	{KEYCODE_CTRL('G'), close_prompt},
	{KEYCODE_BACKSPACE, rub_out},
	{KEYCODE_CTRL('H'), rub_out},
	{KEYCODE_DELETE, delete_here},
	{KEYCODE_CTRL('D'), delete_here},
	{KEYCODE_LEFT, prompt_left},
	{KEYCODE_CTRL('B'), prompt_left},
	{KEYCODE_RIGHT, right},
	{KEYCODE_CTRL('F'), right},
	{KEYCODE_HOME, to_begin},
	{KEYCODE_CTRL('A'), to_begin},
	{KEYCODE_END, to_end},
	{KEYCODE_CTRL('E'), to_end},
	{KEYCODE_CTRL('U'), cut_before},
	{KEYCODE_CTRL('K'), cut_behind},
	{KEYCODE_CTRL('W'), cut_word},
	{KEYCODE_UP, arrow_up},
	{KEYCODE_CTRL('P'), recall_back},
	{KEYCODE_DOWN, arrow_down},
	{KEYCODE_CTRL('N'), recall_on},
	{KEYCODE_TAB, complete},
};

static void
prompt_key(struct prompt *p, uint32_t key)
{
	if (p->hooks->key && p->hooks->key(p->ctx, p, key))
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].key == key) {
			p->suggested = false;
			rows[i].act(p);
			return;
		}
	if (key >= 0x20 && key < KEYCODE_UP) {
		struct buf one = BUF_INIT;
		text_add(&one, key);
		drop_suggestion(p);
		splice(p, p->at, p->at, buf_str(&one), one.len);
		buf_release(&one);
	}
}

#define LIST_ROWS 10

/* Draws at most a third of the screen's rows, the chosen one among them. */
static void
draw_list(const struct prompt *p, struct canvas *c, int bottom)
{
	int most = bottom / 2 < LIST_ROWS ? bottom / 2 : LIST_ROWS;
	int n = p->list.n < (size_t)most ? (int)p->list.n : most, text = 0, key = 0;
	size_t top = p->chosen != SIZE_MAX && p->chosen >= (size_t)n
			     ? p->chosen - (size_t)n + 1
			     : 0;
	for (size_t i = top; i < p->list.n && i < top + (size_t)n; i++) {
		const struct prompt_row *r = &p->list.at[i];
		int cols = text_cols(r->text), keys = r->key ? text_cols(r->key) : 0;
		text = cols > text ? cols : text;
		key = keys > key ? keys : key;
	}
	if (text > c->w / 2 && key)
		text = c->w / 2;
	for (int i = 0; i < n; i++) {
		const struct prompt_row *r = &p->list.at[top + (size_t)i];
		bool here = top + (size_t)i == p->chosen;
		enum ink ink = here ? INK_MENU_HERE : INK_MENU;
		int y = bottom - n + i, x = 2 + text + 2;
		canvas_fill(c, (struct area){y, 0, 1, c->w}, ink, ' ');
		if (here)
			canvas_char(c, y, 0, ink, 0x25B8);
		canvas_fit(c, y, 2, text < c->w - 3 ? text : c->w - 3, ink, r->text);
		if (r->key)
			canvas_text(c, y, x, c->w - x, here ? ink : INK_MENU_KEY, r->key);
		x += key ? key + 2 : 0;
		if (r->note && x < c->w - 1)
			canvas_fit(c, y, x, c->w - 1 - x, here ? ink : INK_MENU_DIM,
				   r->note);
	}
	if (top + (size_t)n < p->list.n)
		canvas_char(c, bottom - 1, c->w - 1, INK_MENU_DIM, 0x25BE);
}

/* Draws the prompt in row y, and its note, if any, in the row above. */
static void
prompt_draw(const struct prompt *p, struct canvas *c, int y)
{
	struct area line = {y, 0, 1, c->w};
	canvas_fill(c, line, INK_PROMPT, ' ');
	int x = canvas_text(c, y, 0, c->w / 2, INK_KEY, buf_str(&p->label));
	int room = c->w - x - 1;
	const char *text = buf_str(&p->text);
	/* Find the first visible character: the leftmost one that keeps the cursor visible. */
	char *head = mem_dup(text, p->at);
	size_t from = 0;
	while (text_cols(head + from) > room && from < p->at)
		from = text_after(head, p->at, from);
	int cursor = text_cols(head + from);
	free(head);
	canvas_text(c, y, x, room, p->suggested ? INK_DIM : INK_PROMPT, text + from);
	c->cursor_y = y;
	c->cursor_x = x + cursor;
	if (p->note.len && y > 0)
		canvas_fit(c, y - 1, 0, c->w, p->fault ? INK_ERROR : INK_DIM,
			   buf_str(&p->note));
	if (p->list.n && y > 2)
		draw_list(p, c, y - (p->note.len > 0));
}

/* ---- as a modal ---- */

static bool
prompt_modal_is_open(const void *self)
{
	return ((const struct prompt *)self)->open;
}

static void
prompt_modal_draw(const void *self, struct canvas *c)
{
	prompt_draw(self, c, c->h - 1);
}

static void
prompt_modal_key(void *self, uint32_t key)
{
	prompt_key(self, key);
}

static void
modal_text(void *self, const char *text)
{
	prompt_type(self, text);
}

const struct modal_ops prompt_modal = {
	.is_open = prompt_modal_is_open,
	.draw = prompt_modal_draw,
	.key = prompt_modal_key,
	.text = modal_text,
};
