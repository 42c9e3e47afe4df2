/* menu.c - see menu.h.
 *
 * The box is as large as its items need and the screen allows, in the middle of the
 * screen.  The first line shown follows from the cursor and the height alone, so drawing
 * changes nothing and a resize needs no care. */
#include "ui/part/menu.h"

#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "ui/part/grid.h"
#include "ui/part/keys.h"
#include "ui/screen/text.h"

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
	m->items.n = 0;
}

void
menu_release(struct menu *m)
{
	menu_clear(m);
	vec_release(&m->items);
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
	buf_reset(&m->title);
	buf_adds(&m->title, title);
	buf_reset(&m->foot);
}

/* Labels may be names that come from sessions. */
static char *
shown(const char *text)
{
	struct buf out = BUF_INIT;
	human_shown(&out, text, strlen(text), false);
	char *copy = mem_dup(buf_str(&out), out.len);
	buf_release(&out);
	return copy;
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
	return i;
}

void
menu_note(struct menu *m, size_t i, const char *note)
{
	free(m->items.at[i].note);
	m->items.at[i].note = mem_dup(note, strlen(note));
}

static void
choose(struct menu *m, size_t i)
{
	if (i >= m->items.n)
		return;
	m->at = i;
	m->open = false;
	m->hooks->chosen(m->ctx, m, m->items.at[i].id);
}

static void
step(struct menu *m, int64_t by)
{
	m->at = (size_t)scroll_clip((int64_t)m->at + by, (int64_t)m->items.n);
}

void
menu_key(struct menu *m, uint32_t key)
{
	if (m->hooks->key && m->hooks->key(m->ctx, m, key))
		return;
	for (size_t i = 0; i < m->items.n; i++)
		if (m->items.at[i].key && m->items.at[i].key == key) {
			choose(m, i);
			return;
		}
	switch (key) {
	case KEYCODE_ENTER:
	case '\n':
		choose(m, m->at);
		break;
	case KEYCODE_ESC:
	case KEYCODE_CTRL('C'):
	case 'q':
		m->open = false;
		if (m->hooks->cancelled)
			m->hooks->cancelled(m->ctx, m);
		break;
	case KEYCODE_UP:
	case 'k':
		step(m, -1);
		break;
	case KEYCODE_DOWN:
	case 'j':
		step(m, 1);
		break;
	case KEYCODE_PAGE_UP:
	case KEYCODE_CTRL('U'):
		step(m, -10);
		break;
	case KEYCODE_PAGE_DOWN:
	case KEYCODE_CTRL('D'):
		step(m, 10);
		break;
	case KEYCODE_HOME:
	case 'g':
		m->at = 0;
		break;
	case KEYCODE_END:
	case 'G':
		step(m, (int64_t)m->items.n);
		break;
	default:
		break;
	}
}

static int
imax(int a, int b)
{
	return a > b ? a : b;
}

/* The columns that keys and check marks take before the labels. */
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
	int w = imax(text_cols(buf_str(&m->title)) + 2, text_cols(buf_str(&m->foot)));
	int lead = lead_cols(m);
	for (size_t i = 0; i < m->items.n; i++) {
		const struct menu_item *it = &m->items.at[i];
		int note = it->note ? text_cols(it->note) + 2 : 0;
		w = imax(w, lead + text_cols(it->label) + note);
	}
	int h = (int)(m->items.n > 1000 ? 1000 : m->items.n) + (m->foot.len ? 2 : 0);
	w = w + 4 > c->w ? c->w : w + 4;
	h = h + 2 > c->h - 2 ? c->h - 2 : h + 2;
	return (struct area){(c->h - h) / 2, (c->w - w) / 2, h, w};
}

static size_t
first_shown(const struct menu *m, int rows)
{
	if (rows < 1 || m->at < (size_t)rows)
		return 0;
	return m->at - (size_t)rows + 1;
}

void
menu_click(struct menu *m, const struct canvas *c, int y, int x, bool twice)
{
	struct area box = box_of(m, c);
	int rows = box.h - 2 - (m->foot.len ? 2 : 0);
	int row = y - box.y - 1;
	if (x < box.x || x >= box.x + box.w || y < box.y || y >= box.y + box.h) {
		m->open = false;
		if (m->hooks->cancelled)
			m->hooks->cancelled(m->ctx, m);
		return;
	}
	size_t i = first_shown(m, rows) + (size_t)imax(row, 0);
	if (row < 0 || row >= rows || i >= m->items.n)
		return;
	if (twice)
		choose(m, i);
	else
		m->at = i;
}

static void
draw_item(const struct menu_item *it, struct canvas *c, struct area row, int lead,
	  bool here)
{
	enum ink ink = here ? INK_MENU_HERE : INK_MENU;
	int x = row.x, right = row.x + row.w;
	canvas_fill(c, row, ink, ' ');
	if (here)
		canvas_char(c, row.y, row.x - 1, INK_MENU_HERE, 0x25B8);
	if (it->key) {
		struct buf key = BUF_INIT;
		key_write(it->key, &key);
		canvas_text(c, row.y, x, 3, here ? ink : INK_MENU_KEY, buf_str(&key));
		buf_release(&key);
	}
	if (it->check != CHECK_NONE)
		canvas_text(c, row.y, x + lead - 4, 4, ink,
			    it->check == CHECK_ON ? "[x]" : "[ ]");
	int note = it->note ? text_cols(it->note) : 0;
	canvas_fit(c, row.y, x + lead, right - x - lead - (note ? note + 1 : 0), ink,
		   it->label);
	if (note)
		canvas_text(c, row.y, right - note, note, here ? ink : INK_MENU_DIM,
			    it->note);
}

void
menu_draw(const struct menu *m, struct canvas *c)
{
	struct area box = box_of(m, c);
	struct area in = canvas_box(c, box, buf_str(&m->title));
	int rows = in.h - (m->foot.len ? 2 : 0), lead = lead_cols(m);
	size_t top = first_shown(m, rows);
	for (int i = 0; i < rows && top + (size_t)i < m->items.n; i++) {
		size_t at = top + (size_t)i;
		struct area row = {in.y + i, in.x, 1, in.w};
		draw_item(&m->items.at[at], c, row, lead, at == m->at);
	}
	if (top > 0)
		canvas_char(c, box.y, box.x + box.w - 2, INK_BORDER, 0x25B4);
	if (top + (size_t)imax(rows, 0) < m->items.n)
		canvas_char(c, box.y + box.h - 1, box.x + box.w - 2, INK_BORDER, 0x25BE);
	if (m->foot.len)
		canvas_fit(c, in.y + in.h - 1, in.x, in.w, INK_MENU_DIM,
			   buf_str(&m->foot));
}

/* ---- as a modal ---- */

#define WHEEL_ROWS 3

static bool
modal_is_open(const void *self)
{
	return ((const struct menu *)self)->open;
}

static void
modal_draw(const void *self, struct canvas *c)
{
	menu_draw(self, c);
}

static void
modal_key(void *self, uint32_t key)
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
	.is_open = modal_is_open,
	.draw = modal_draw,
	.key = modal_key,
	.mouse = modal_mouse,
};
