/* menu.c - see menu.h.
 *
 * The box is as large as its items need and the screen allows, in the middle of the screen. The
 * first visible line follows from the cursor and the height, so drawing changes nothing and a
 * resize needs no code.
 *
 * A menu may have tens of thousands of items, one for each track.  Their widths are measured once,
 * a search keeps only the numbers of its matches, and texts are written when they become visible:
 * writing all of them took longer than a frame. */
#include "ui/part/menu.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/profile/human.h"
#include "ui/part/grid.h"
#include "ui/part/keys.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

#define NOTE_LEAST 6 /* a shorter note says nothing */

void
menu_init(struct menu *m)
{
	*m = (struct menu){0};
}

void
menu_clear(struct menu *m)
{
	for (size_t i = 0; i < m->items.n; i++) {
		free(m->items.at[i].label);
		free(m->items.at[i].note);
	}
	m->items.n = m->listed.n = 0;
	m->width = 0;
	m->marking = false;
}

void
menu_release(struct menu *m)
{
	menu_clear(m);
	vec_release(&m->items);
	vec_release(&m->listed);
	buf_release(&m->sought);
	buf_release(&m->title);
	buf_release(&m->foot);
}

void
menu_open(struct menu *m, const char *title, const struct menu_hooks *hooks, void *ctx)
{
	menu_clear(m);
	m->open = true;
	m->hooks = hooks;
	m->ctx = ctx;
	m->at = 0;
	m->searches = m->typing = m->checks = m->touched = false;
	buf_reset(&m->sought);
	buf_reset(&m->title);
	buf_adds(&m->title, title);
	buf_reset(&m->foot);
}

/* Labels may be names from sessions, so controls are made visible. */
static char *
shown(const char *text)
{
	struct buf out = BUF_INIT;
	escape_shown(&out, text, strlen(text), false);
	char *copy = mem_dup(buf_str(&out), out.len);
	buf_release(&out);
	return copy;
}

static int
imax(int a, int b)
{
	return a > b ? a : b;
}

/* Returns the columns that an item needs besides keys and check marks. */
static int
item_cols(const struct menu_item *it)
{
	return it->cols + (it->note || it->note_cols ? it->note_cols + 2 : 0);
}

struct menu_item *
menu_add(struct menu *m, int id, uint32_t key, const char *label, const char *note)
{
	struct menu_item *i = vec_push(&m->items);
	*i = (struct menu_item){
		.label = shown(label),
		.note = note ? shown(note) : NULL,
		.key = key,
		.id = id,
	};
	i->cols = text_cols(i->label);
	i->note_cols = i->note ? text_cols(i->note) : 0;
	m->width = imax(m->width, item_cols(i));
	return i;
}

struct menu_item *
menu_add_late(struct menu *m, int id, int cols, int note_cols)
{
	struct menu_item *i = vec_push(&m->items);
	*i = (struct menu_item){.cols = cols, .note_cols = note_cols, .id = id};
	m->width = imax(m->width, item_cols(i));
	return i;
}

/* Writes label and note, also of items whose text is not stored. */
static void
write_item(const struct menu *m, const struct menu_item *it, struct buf *label,
	   struct buf *note)
{
	buf_reset(label);
	buf_reset(note);
	if (!it->label) {
		m->hooks->write(m->ctx, m, it, label, note);
		return;
	}
	buf_adds(label, it->label);
	if (it->note)
		buf_adds(note, it->note);
}

void
menu_note(struct menu *m, size_t i, const char *note)
{
	struct menu_item *it = &m->items.at[i];
	free(it->note);
	it->note = mem_dup(note, strlen(note));
	it->note_cols = text_cols(note);
	m->width = imax(m->width, item_cols(it));
}

/* ---- the listed items ---- */

size_t
menu_listed(const struct menu *m)
{
	return m->sought.len ? m->listed.n : m->items.n;
}

size_t
menu_listed_at(const struct menu *m, size_t i)
{
	return m->sought.len ? m->listed.at[i] : i;
}

/* Returns the place of an item in the list, or of the next one listed. */
static size_t
menu_place_of(const struct menu *m, size_t item)
{
	return bisect(i, menu_listed(m), menu_listed_at(m, i) < item);
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool
has_text(const char *label, const char *sought)
{
	for (; *label; label++) {
		size_t n = 0;
		while (sought[n] && lower(label[n]) == lower(sought[n]))
			n++;
		if (!sought[n])
			return true;
	}
	return !*sought;
}

/* Lists the matching items; the cursor stays, or goes to the next match. */
static void
list_anew(struct menu *m)
{
	m->listed.n = 0;
	m->marking = false;
	if (!m->sought.len)
		return;
	struct buf label = BUF_INIT, note = BUF_INIT;
	for (size_t i = 0; i < m->items.n; i++) {
		write_item(m, &m->items.at[i], &label, &note);
		if (has_text(buf_str(&label), buf_str(&m->sought)))
			*vec_push(&m->listed) = i;
	}
	buf_release(&label);
	buf_release(&note);
	if (!m->listed.n)
		return;
	size_t at = menu_place_of(m, m->at);
	m->at = m->listed.at[at < m->listed.n ? at : m->listed.n - 1];
}

void
menu_range(const struct menu *m, size_t *from, size_t *to)
{
	size_t at = menu_place_of(m, m->at), mark = m->marking ? menu_place_of(m, m->mark) : at;
	*from = at < mark ? at : mark;
	*to = menu_listed(m) ? (at < mark ? mark : at) + 1 : *from;
}

/* ---- where it is ---- */

/* Writes the title, the searched text, and the number of matches. */
static void
menu_write_title(const struct menu *m, struct buf *out)
{
	buf_adds(out, buf_str(&m->title));
	if (!m->typing && !m->sought.len)
		return;
	buf_adds(out, "  /");
	escape_shown(out, buf_str(&m->sought), m->sought.len, false);
	buf_adds(out, "_  ");
	human_count(out, (int64_t)menu_listed(m));
	buf_adds(out, " of ");
	human_count(out, (int64_t)m->items.n);
}

/* Returns the columns of keys and check marks before the labels. */
static int
lead_cols(const struct menu *m)
{
	int cols = 0;
	for (size_t i = 0; i < m->items.n; i++) {
		const struct menu_item *it = &m->items.at[i];
		cols = imax(cols, (it->key ? 3 : 0) + (it->check != CHECK_NONE ? 4 : 0));
	}
	return cols;
}

static struct area
box_of(const struct menu *m, const struct canvas *c)
{
	struct buf title = BUF_INIT;
	menu_write_title(m, &title);
	int w = imax(text_cols(buf_str(&title)) + 2, text_cols(buf_str(&m->foot)));
	buf_release(&title);
	w = imax(w, lead_cols(m) + m->width);
	int h = (int)(m->items.n > 1000 ? 1000 : m->items.n) + (m->foot.len ? 2 : 0);
	int room = c->h - m->below;
	w = w + 4 > c->w ? c->w : w + 4;
	h = h + 2 > room - 2 ? room - 2 : h + 2;
	return (struct area){(room - h) / 2, (c->w - w) / 2, h, w};
}

static int
rows_of(const struct menu *m, struct area box)
{
	return box.h - 2 - (m->foot.len ? 2 : 0);
}

static size_t
first_shown(const struct menu *m, int rows)
{
	size_t at = menu_place_of(m, m->at);
	if (rows < 1 || at < (size_t)rows)
		return 0;
	return at - (size_t)rows + 1;
}

/* ---- keys and clicks ---- */

static void
menu_choose(struct menu *m, size_t i)
{
	if (i >= m->items.n)
		return;
	m->at = i;
	m->open = false;
	m->hooks->chosen(m->ctx, m, m->items.at[i].id);
}

void
menu_step(struct menu *m, int64_t by)
{
	int64_t n = (int64_t)menu_listed(m);
	if (n)
		m->at = menu_listed_at(
			m, (size_t)scroll_clip((int64_t)menu_place_of(m, m->at) + by, n));
}

static void
drop_character(struct buf *text)
{
	while (text->len && is_utf8_tail(text->at[text->len - 1]))
		text->len--;
	text->len -= text->len > 0;
	if (text->at)
		text->at[text->len] = '\0';
}

/* Adds a printable character to the search.  A leading `/` only opens the search, and a blank never
 * begins one, since it switches items of lists with check marks. */
static bool
type(struct menu *m, uint32_t key)
{
	if (key < KEYCODE_SPACE || key >= KEYCODE_UP || (key == KEYCODE_SPACE && !m->sought.len))
		return false;
	if (key != '/' || m->sought.len || m->typing)
		text_add(&m->sought, key);
	m->typing = true;
	list_anew(m);
	return true;
}

/* Edits the searched text; returns false if there is none, or if the key does not edit. */
static bool
edit(struct menu *m, uint32_t key)
{
	if (!m->sought.len && !m->typing)
		return false;
	if (key == KEYCODE_ESC || key == KEYCODE_CTRL('C') || key == KEYCODE_CTRL('U'))
		buf_reset(&m->sought);
	else if (key == KEYCODE_BACKSPACE || key == KEYCODE_CTRL('H'))
		drop_character(&m->sought);
	else
		return false;
	m->typing = m->sought.len > 0;
	list_anew(m);
	return true;
}

/* Handles search and range; returns false for other keys. */
static bool
list_key(struct menu *m, uint32_t key)
{
	bool esc = key == KEYCODE_ESC || key == KEYCODE_CTRL('C');
	if (esc && m->marking)
		m->marking = false;
	else if (key == KEYCODE_CTRL('V') && menu_listed(m)) {
		m->marking = !m->marking;
		m->mark = m->at;
	} else {
		return edit(m, key) || type(m, key);
	}
	return true;
}

/* Fits the menu to the screen. */
static void
menu_arrange(struct menu *m, const struct canvas *c)
{
	struct area box = box_of(m, c);
	m->rows = imax(rows_of(m, box), 1);
}

static int
half_page(const struct menu *m)
{
	return m->rows > 1 ? m->rows / 2 : 1;
}

/* Moves the cursor; returns false for other keys. */
static bool
menu_move(struct menu *m, uint32_t key)
{
	int page = imax(m->rows, 1);
	switch (key) {
	case KEYCODE_UP:
		menu_step(m, -1);
		return true;
	case KEYCODE_DOWN:
		menu_step(m, 1);
		return true;
	case KEYCODE_PAGE_UP:
		menu_step(m, -page);
		return true;
	case KEYCODE_PAGE_DOWN:
		menu_step(m, page);
		return true;
	case KEYCODE_HOME:
		menu_step(m, -SCROLL_FAR);
		return true;
	case KEYCODE_END:
		menu_step(m, SCROLL_FAR);
		return true;
	default:
		return false;
	}
}

static void
cancel(struct menu *m)
{
	m->open = false;
	if (m->hooks->cancelled)
		m->hooks->cancelled(m->ctx, m);
}

/* Handles letters that choose an item and do not search. */
static bool
letter(struct menu *m, uint32_t key)
{
	for (size_t i = 0; i < m->items.n; i++)
		if (m->items.at[i].key && m->items.at[i].key == key) {
			menu_choose(m, i);
			return true;
		}
	switch (key) {
	case 'q':
		cancel(m);
		return true;
	case 'k':
	case 'j':
		menu_step(m, key == 'k' ? -1 : 1);
		return true;
	case 'g':
	case 'G':
		menu_step(m, key == 'g' ? -SCROLL_FAR : SCROLL_FAR);
		return true;
	default:
		return false;
	}
}

void
menu_key(struct menu *m, uint32_t key)
{
	bool blank = key == KEYCODE_SPACE && m->sought.len && !m->checks;
	if (!blank && m->hooks->key && m->hooks->key(m->ctx, m, key))
		return;
	if (m->searches ? list_key(m, key) : letter(m, key))
		return;
	switch (key) {
	case KEYCODE_ENTER:
	case '\n':
		if (menu_listed(m))
			menu_choose(m, m->at);
		break;
	case KEYCODE_ESC:
	case KEYCODE_CTRL('C'):
		cancel(m);
		break;
	case KEYCODE_CTRL('U'):
		menu_step(m, -half_page(m));
		break;
	case KEYCODE_CTRL('D'):
		menu_step(m, half_page(m));
		break;
	default:
		menu_move(m, key);
	}
}

static void
menu_click(struct menu *m, const struct canvas *c, int y, int x, bool twice)
{
	struct area box = box_of(m, c);
	int rows = rows_of(m, box), row = y - box.y - 1;
	if (x < box.x || x >= box.x + box.w || y < box.y || y >= box.y + box.h) {
		cancel(m);
		return;
	}
	size_t i = first_shown(m, rows) + (size_t)imax(row, 0);
	if (row < 0 || row >= rows || i >= menu_listed(m))
		return;
	m->at = menu_listed_at(m, i);
	if (twice)
		menu_choose(m, m->at);
}

/* Returns the columns of the note within a row.  In lists of similar items with check marks, the
 * note (a share) matters more than the end of the name; elsewhere the name has priority. */
static int
note_room(const struct menu_item *it, int label, int note, int room)
{
	int left = it->check == CHECK_NONE ? room - label - 1 : room / 2;
	return note <= left ? note : left < NOTE_LEAST ? 0 : left;
}

/* The end of a label that is cut goes to `below` while the cursor is on it. */
static void
draw_item(const struct menu *m, const struct menu_item *it, struct canvas *c, struct area row,
	  int lead, bool marked, struct area below)
{
	bool here = it == &m->items.at[m->at];
	struct buf label = BUF_INIT, text = BUF_INIT, shown = BUF_INIT;
	enum ink ink = here || marked ? INK_MENU_HERE : INK_MENU;
	int x = row.x, right = row.x + row.w;
	canvas_fill(c, row, ink, ' ');
	if (here || marked)
		canvas_char(c, row.y, row.x - 1, INK_MENU_HERE, here ? 0x25B8 : '+');
	if (it->key) {
		struct buf key = BUF_INIT;
		key_write(it->key, &key);
		canvas_text(c, row.y, x, 3, ink == INK_MENU ? INK_MENU_KEY : ink, buf_str(&key));
		buf_release(&key);
	}
	if (it->check != CHECK_NONE)
		canvas_text(c, row.y, x + lead - 4, 4, ink,
			    it->check == CHECK_ON	  ? "[x]"
			    : it->check == CHECK_SOME ? "[-]"
						      : "[ ]");
	write_item(m, it, &label, &text);
	int room = right - x - lead, note = note_room(it, text_cols(buf_str(&label)),
						      text_cols(buf_str(&text)), room);
	int cols = room - (note ? note + 1 : 0);
	if (it->check != CHECK_NONE) /* tracks begin with their purpose and end with their number */
		shorten_middle(buf_str(&label), cols, &shown);
	else
		buf_adds(&shown, buf_str(&label));
	canvas_fit(c, row.y, x + lead, cols, ink, buf_str(&shown));
	if (here)
		canvas_rest(c, below, INK_MENU, buf_str(&shown), cols);
	if (note)
		canvas_fit(c, row.y, right - note, note, ink == INK_MENU ? INK_MENU_DIM : ink,
			   buf_str(&text));
	buf_release(&label);
	buf_release(&text);
	buf_release(&shown);
}

static void
menu_draw(const struct menu *m, struct canvas *c)
{
	struct area box = box_of(m, c);
	struct buf title = BUF_INIT;
	menu_write_title(m, &title);
	struct area in = canvas_box(c, box, buf_str(&title));
	int rows = rows_of(m, box), lead = lead_cols(m), last = c->h - 2;
	struct area below = {box.y + box.h < last ? box.y + box.h : last, box.x, 1, box.w};
	size_t top = first_shown(m, rows), n = menu_listed(m), from, to;
	menu_range(m, &from, &to);
	for (int i = 0; i < rows && top + (size_t)i < n; i++) {
		size_t at = top + (size_t)i, item = menu_listed_at(m, at);
		struct area row = {in.y + i, in.x, 1, in.w};
		draw_item(m, &m->items.at[item], c, row, lead,
			  m->marking && at >= from && at < to, below);
	}
	if (top > 0)
		canvas_char(c, box.y, box.x + box.w - 2, INK_BORDER, 0x25B4);
	if (top + (size_t)imax(rows, 0) < n)
		canvas_char(c, box.y + box.h - 1, box.x + box.w - 2, INK_BORDER, 0x25BE);
	if (m->foot.len)
		canvas_fit(c, in.y + in.h - 1, in.x, in.w, INK_MENU_DIM,
			   buf_str(&m->foot));
	buf_release(&title);
}

/* ---- as a modal ---- */

#define WHEEL_ROWS 3

static bool
menu_modal_is_open(const void *self)
{
	return ((const struct menu *)self)->open;
}

static void
modal_arrange(void *self, const struct canvas *c)
{
	menu_arrange(self, c);
}

static void
menu_modal_draw(const void *self, struct canvas *c)
{
	menu_draw(self, c);
}

static void
menu_modal_key(void *self, uint32_t key)
{
	menu_key(self, key);
}

static void
modal_mouse(void *self, const struct event_in *e, const struct canvas *c)
{
	if (e->kind == EVENT_CLICK)
		menu_click(self, c, e->y, e->x, e->twice);
	for (int i = 0; e->kind == EVENT_WHEEL && i < WHEEL_ROWS; i++)
		menu_key(self, e->key);
}

const struct modal_ops menu_modal = {
	.is_open = menu_modal_is_open,
	.arrange = modal_arrange,
	.draw = menu_modal_draw,
	.key = menu_modal_key,
	.mouse = modal_mouse,
};
