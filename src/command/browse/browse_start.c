/* The page is a menu that fills the screen: a menu can be searched by typing and has a mouse.  It
 * has a loop of its own, since the application needs a profile. */
#include "src/command/browse/browse_start.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "src/command/store_list.h"
#include "src/store/storeurl.h"
#include "ui/screen/canvas.h"
#include "ui/screen/keycode.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define NAME_COLS_MIN 12
#define NAME_COLS_MAX 40
#define DETAIL_ROWS 4 /* below the menu: a rule, hosts, labels, keys */
#define DETAIL_FROM 14 /* a lower screen has the keys alone */

/* ---- rows ---- */

static const struct held_service *
start_service(const struct browse_start *s, size_t row)
{
	return &s->held.service.at[s->rows.at[row].service];
}

/* Returns the label of a row; NULL: the row is the service. */
static const struct held_label *
start_label(const struct browse_start *s, size_t row)
{
	size_t i = s->rows.at[row].label;

	return i == SIZE_MAX ? NULL : &start_service(s, row)->labels.at[i];
}

/* An address cannot name every label: see pnav-store(7), label=. */
static bool
is_in_address(const struct held_label *l)
{
	return l->key.len && l->value.len && buf_str(&l->key)[0] != '!' &&
	       !strchr(buf_str(&l->key), ':') && buf_str(&l->value)[0] != '~';
}

static void
make_rows(struct browse_start *s)
{
	for (size_t i = 0; i < s->held.service.n; i++) {
		const struct held_service *x = &s->held.service.at[i];
		*vec_push(&s->rows) = (struct start_row){i, SIZE_MAX};
		for (size_t k = 0; k < x->labels.n; k++)
			if (is_in_address(&x->labels.at[k]))
				*vec_push(&s->rows) = (struct start_row){i, k};
	}
}

/* Writes "shop", or "  version=2" below it. */
static void
write_row_name(const struct browse_start *s, size_t row, struct buf *out)
{
	const struct held_label *l = start_label(s, row);
	const struct buf *name = &start_service(s, row)->name;

	buf_adds(out, l ? "  " : name->len ? "" : "[no name]");
	if (l) {
		escape_shown(out, buf_str(&l->key), l->key.len, false);
		buf_addc(out, '=');
		name = &l->value;
	}
	escape_shown(out, buf_str(name), name->len, false);
}

/* Appends text right-aligned in `cols` columns. */
static void
add_right(struct buf *out, const struct buf *text, int cols)
{
	for (int n = text_cols(buf_str(text)); n < cols; n++)
		buf_addc(out, ' ');
	buf_adds(out, buf_str(text));
}

static void
add_number(struct buf *out, uint64_t v, enum unit unit, int cols)
{
	struct metric m = {.unit = (uint8_t)unit};
	struct buf text = BUF_INIT;

	if (v || unit != UNIT_BYTES)
		human_value(&text, v > INT64_MAX ? INT64_MAX : (int64_t)v, &m);
	add_right(out, &text, cols);
	buf_release(&text);
}

/* The columns beside the name.  Narrow screens lose the end. */
#define NUMBER_COLS (2 + 7 + 10 + 11 + 12 + 2 + 20)
static const char start_head[] = "hosts  profiles    samples        size  until (UTC)";

static void
write_start_row(const struct browse_start *s, size_t row, int name_cols, struct buf *out)
{
	const struct held_service *x = start_service(s, row);
	const struct held_label *l = start_label(s, row);
	struct buf name = BUF_INIT, shown = BUF_INIT;

	buf_adds(out, row == s->base ? "v " : "  ");
	write_row_name(s, row, &name);
	shorten_middle(buf_str(&name), name_cols, &shown);
	buf_adds(out, buf_str(&shown));
	for (int n = text_cols(buf_str(&shown)); n < name_cols; n++)
		buf_addc(out, ' ');
	add_number(out, l ? l->hosts : x->n_hosts, UNIT_COUNT, 7);
	add_number(out, l ? l->profiles : x->profiles, UNIT_COUNT, 10);
	add_number(out, l ? l->samples : x->samples, UNIT_COUNT, 11);
	add_number(out, l ? 0 : x->bytes, UNIT_BYTES, 12);
	buf_adds(out, "  ");
	store_list_time(out, l ? l->to : x->to);
	buf_release(&name);
	buf_release(&shown);
}

/* ---- keys ---- */

static void
on_chosen(void *ctx, struct menu *m, int id)
{
	struct browse_start *s = ctx;

	(void)m;
	s->chosen = (size_t)id;
}

static void
on_mark(struct browse_start *s, struct menu *m)
{
	size_t row = m->at;

	if (s->base == row) {
		s->base = SIZE_MAX;
	} else if (s->base == SIZE_MAX) {
		s->base = row;
	} else {
		s->chosen = row;
		s->compares = true;
		m->open = false;
	}
}

/* Letters begin a search, except these while there is none; ^V also works during a search. */
static bool
on_key(void *ctx, struct menu *m, uint32_t key)
{
	struct browse_start *s = ctx;
	bool letters = !m->typing && !m->sought.len;

	buf_reset(&s->note);
	if (key == KEYCODE_CTRL('V') || (key == 'v' && letters)) {
		if (menu_listed(m))
			on_mark(s, m);
		return true;
	}
	if (key == 'q' && letters) {
		m->open = false;
		return true;
	}
	return false;
}

static void
on_write(void *ctx, const struct menu *m, const struct menu_item *it, struct buf *label,
	 struct buf *note)
{
	const struct browse_start *s = ctx;

	(void)note;
	write_start_row(s, (size_t)it->id, (int)m->whole, label);
}

static const struct menu_hooks start_hooks = {
	.chosen = on_chosen, .key = on_key, .write = on_write};

/* ---- the screen ---- */

static void
open_menu(struct browse_start *s)
{
	size_t at = s->menu.at < s->rows.n ? s->menu.at : 0;
	int cols = NAME_COLS_MIN;
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < s->rows.n; i++) {
		buf_reset(&text);
		write_row_name(s, i, &text);
		int n = text_cols(buf_str(&text));
		cols = n > cols ? n : cols;
	}
	cols = cols > NAME_COLS_MAX ? NAME_COLS_MAX : cols;
	buf_reset(&text);
	buf_adds(&text, " service"); /* a title begins a column later than the rows */
	for (int n = text_cols(buf_str(&text)); n < cols + 3; n++)
		buf_addc(&text, ' ');
	buf_adds(&text, start_head);
	menu_open(&s->menu, buf_str(&text), &start_hooks, s);
	s->menu.searches = true;
	s->menu.whole = cols;
	for (size_t i = 0; i < s->rows.n; i++)
		menu_add_late(&s->menu, (int)i, cols + NUMBER_COLS, 0);
	s->menu.at = at;
	buf_release(&text);
}

static void
draw_details(const struct browse_start *s, struct canvas *c, int y)
{
	const struct held_service *x = start_service(s, s->menu.at);
	struct buf text = BUF_INIT, shown = BUF_INIT;

	canvas_fill(c, (struct area){y, 0, 1, c->w}, INK_RULE, 0x2500);
	buf_adds(&text, "hosts   ");
	escape_shown(&text, buf_str(&x->hosts), x->hosts.len, false);
	canvas_fit(c, y + 1, 1, c->w - 2, INK_TEXT, buf_str(&text));
	buf_reset(&text);
	held_labels_text(x, &text);
	buf_adds(&shown, "labels  ");
	escape_shown(&shown, buf_str(&text), text.len, false);
	canvas_fit(c, y + 2, 1, c->w - 2, INK_TEXT, buf_str(&shown));
	buf_release(&text);
	buf_release(&shown);
}

static void
draw_page(struct browse_start *s, struct canvas *c)
{
	struct buf head = BUF_INIT;

	canvas_clear(c);
	s->menu.below = c->h < DETAIL_FROM ? 1 : DETAIL_ROWS;
	menu_modal.arrange(&s->menu, c);
	menu_modal.draw(&s->menu, c);
	buf_adds(&head, " pnav  ");
	escape_shown(&head, s->address, strlen(s->address), false);
	buf_addf(&head, "  %zu service%s", s->held.service.n, s->held.service.n == 1 ? "" : "s");
	if (s->held.bytes) {
		buf_adds(&head, ", ");
		add_number(&head, s->held.bytes, UNIT_BYTES, 0);
	}
	canvas_fit(c, 0, 0, c->w, INK_HEADER, buf_str(&head));
	buf_release(&head);
	if (s->menu.below == DETAIL_ROWS)
		draw_details(s, c, c->h - DETAIL_ROWS);
	if (s->note.len)
		canvas_fit(c, c->h - 1, 0, c->w, INK_ERROR, buf_str(&s->note));
	else
		canvas_fit(c, c->h - 1, 0, c->w, INK_TEXT,
			   s->base == SIZE_MAX
				   ? " Enter last hour  / or type: search  v compare with ...  "
				     "q quit"
				   : " v compare with this row  / or type: search  Enter last "
				     "hour  q quit");
}

/* Returns false at the end of the input. */
static bool
start_event(struct browse_start *s, struct screen *screen, const struct canvas *c)
{
	struct event_in e = screen->ops->read(screen, -1);

	switch (e.kind) {
	case EVENT_KEY:
		if (e.key == KEYCODE_CTRL('Z') && screen->ops->suspend)
			screen->ops->suspend(screen);
		else if (e.key == KEYCODE_CTRL('L') && screen->ops->redraw)
			screen->ops->redraw(screen);
		else
			menu_modal.key(&s->menu, e.key);
		break;
	case EVENT_TEXT:
	case EVENT_PASTE:
		for (const char *at = e.text, *end = at + strlen(at); at < end;)
			menu_modal.key(&s->menu, text_next(&at, end));
		break;
	case EVENT_CLICK:
	case EVENT_WHEEL:
		menu_modal.mouse(&s->menu, &e, c);
		break;
	case EVENT_NONE:
	case EVENT_RESIZE:
	case EVENT_DRAG:
	case EVENT_HOVER:
		break;
	case EVENT_END:
		return false;
	}
	return true;
}

/* ---- the choice ---- */

/* Writes the address of a row's last hour. */
static void
write_address(const struct browse_start *s, size_t row, struct buf *out)
{
	const struct held_service *x = start_service(s, row);
	const struct held_label *l = start_label(s, row);
	int64_t from = l ? l->from : x->from, to = sum_clipped(l ? l->to : x->to, SECOND);
	struct buf url = BUF_INIT;

	to -= to % SECOND; /* whole seconds are easier to read */
	from = from > to - HOUR ? from - from % SECOND : to - HOUR;

	store_url_choose(s->address, buf_str(&x->name), l ? buf_str(&l->key) : NULL,
			 l ? buf_str(&l->value) : NULL, &url);
	buf_reset(out);
	store_url_narrow(buf_str(&url), from, to, NULL, out);
	buf_release(&url);
}

unsigned
browse_start_choose(struct browse_start *s, struct screen *screen)
{
	struct canvas c;
	bool goes = true;
	int w, h;

	screen->ops->size(screen, &w, &h);
	canvas_init(&c, w, h, screen->ascii);
	s->chosen = SIZE_MAX;
	s->compares = false;
	open_menu(s);
	do {
		screen->ops->size(screen, &w, &h);
		if (w != c.w || h != c.h)
			canvas_resize(&c, w, h);
		draw_page(s, &c);
		screen->ops->show(screen, &c);
		goes = start_event(s, screen, &c);
	} while (goes && s->menu.open);
	canvas_release(&c);
	if (!goes || s->chosen == SIZE_MAX)
		return 0;
	if (s->compares)
		write_address(s, s->base, &s->url[0]);
	write_address(s, s->chosen, &s->url[s->compares ? 1 : 0]);
	s->base = SIZE_MAX;
	return s->compares ? 2 : 1;
}

bool
browse_start_wants(const struct options *o)
{
	struct store_url url;
	struct err e;

	err_init(&e);
	if (o->files.n != 1 || !store_url_is(o->files.at[0]) ||
	    !store_url_read(&url, o->files.at[0], &e))
		return false;
	bool whole = !url.asks;
	store_url_release(&url);
	return whole;
}

bool
browse_start_read(struct browse_start *s, const char *address, struct err *e)
{
	struct store_url url;

	*s = (struct browse_start){.address = address, .base = SIZE_MAX};
	if (!store_url_read(&url, address, e))
		return false;
	bool good = store_list_read(&s->held, &url, address, e);
	store_url_release(&url);
	if (good && !s->held.service.n)
		good = err_refuse(e, "this store has no profiles");
	if (!good) {
		held_release(&s->held);
		return false;
	}
	menu_init(&s->menu);
	make_rows(s);
	return true;
}

void
browse_start_release(struct browse_start *s)
{
	held_release(&s->held);
	vec_release(&s->rows);
	menu_release(&s->menu);
	buf_release(&s->note);
	buf_release(&s->url[0]);
	buf_release(&s->url[1]);
}
