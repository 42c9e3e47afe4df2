/* term_input.c - see term_input.h.
 *
 * Mouse and pasted text are decoded here: ncurses' own layer follows the terminal's
 * description, which under tmux and screen names the old protocol that ends at column
 * 223.  The introducers are defined as keys; the rest is read as characters. */
#include "ui/screen/term_input.h"

#include "ui/screen/clock.h"
#include "ui/screen/keycode.h"
#include "ui/screen/text.h"

#define CODE_MOUSE (KEY_MAX + 1)
#define CODE_PASTE (KEY_MAX + 2)
#define CODE_PASTE_END (KEY_MAX + 3)
#define DOUBLE_CLICK_MS 400
#define PASTE_MAX 65536u

void
term_input_begin(struct term_input *in, bool modern)
{
	in->keys = newpad(1, 1);
	keypad(in->keys, TRUE);
	nodelay(in->keys, TRUE);
	if (modern) {
		define_key("\033[<", CODE_MOUSE);
		define_key("\033[200~", CODE_PASTE);
		define_key("\033[201~", CODE_PASTE_END);
	}
}

void
term_input_end(struct term_input *in)
{
	if (in->keys)
		delwin(in->keys);
	buf_release(&in->text);
}

static const struct {
	int code;
	uint32_t key;
} curses_keys[] = {
	{KEY_UP, KEYCODE_UP},
	{KEY_DOWN, KEYCODE_DOWN},
	{KEY_LEFT, KEYCODE_LEFT},
	{KEY_RIGHT, KEYCODE_RIGHT},
	{KEY_SLEFT, KEYCODE_SHIFT_LEFT},
	{KEY_SRIGHT, KEYCODE_SHIFT_RIGHT},
	{KEY_BTAB, KEYCODE_SHIFT_TAB},
	{KEY_HOME, KEYCODE_HOME},
	{KEY_END, KEYCODE_END},
	{KEY_PPAGE, KEYCODE_PAGE_UP},
	{KEY_NPAGE, KEYCODE_PAGE_DOWN},
	{KEY_IC, KEYCODE_INSERT},
	{KEY_DC, KEYCODE_DELETE},
	{KEY_BACKSPACE, KEYCODE_BACKSPACE},
	{KEY_ENTER, KEYCODE_ENTER},
};

/* Three numbers and a letter: "0;12;7M" is the left button pressed at column 12, row 7. */
static struct event_in
read_mouse(struct term_input *in)
{
	int field[3] = {0}, n = 0;
	wint_t ch = 0;
	wtimeout(in->keys, 50);
	for (int i = 0; i < 24; i++) {
		if (wget_wch(in->keys, &ch) != OK)
			break;
		if (ch >= '0' && ch <= '9' && field[n] < 100000)
			field[n] = field[n] * 10 + (int)(ch - '0');
		else if (ch == ';' && n < 2)
			n++;
		else
			break;
	}
	wtimeout(in->keys, 0);
	struct event_in e = {.kind = EVENT_NONE, .x = field[1] - 1, .y = field[2] - 1};
	if (n != 2 || ch != 'M')
		return e;
	int button = field[0] & 3;
	if (field[0] & 64) {
		e.kind = EVENT_WHEEL;
		e.key = button == 0 ? KEYCODE_UP : KEYCODE_DOWN;
	} else if (field[0] & 32) {
		e.kind = EVENT_DRAG;
	} else if (button == 0) {
		int64_t now = clock_ms();
		e.kind = EVENT_CLICK;
		e.twice = now - in->click_ms < DOUBLE_CLICK_MS && in->click_y == e.y &&
			  in->click_x == e.x;
		in->click_ms = e.twice ? 0 : now;
		in->click_y = e.y;
		in->click_x = e.x;
	}
	return e;
}

static struct event_in
read_paste(struct term_input *in)
{
	buf_reset(&in->text);
	wtimeout(in->keys, 500);
	for (;;) {
		wint_t ch;
		int got = wget_wch(in->keys, &ch);
		if (got == ERR || (got == KEY_CODE_YES && ch == CODE_PASTE_END))
			break;
		if (got == OK && in->text.len < PASTE_MAX)
			text_add(&in->text, ch < 0x20 ? ' ' : (uint32_t)ch);
	}
	wtimeout(in->keys, 0);
	return (struct event_in){.kind = EVENT_TEXT, .text = buf_str(&in->text)};
}

struct event_in
term_input_ready(struct term_input *in)
{
	wint_t ch;
	int got = wget_wch(in->keys, &ch);
	struct event_in e = {.kind = EVENT_NONE};
	if (got == ERR)
		return e;
	in->silent = 0;
	if (got == KEY_CODE_YES && ch == CODE_MOUSE)
		return read_mouse(in);
	if (got == KEY_CODE_YES && ch == CODE_PASTE)
		return read_paste(in);
	if (got == OK) {
		e.kind = EVENT_KEY;
		e.key = ch;
		return e;
	}
	if (ch >= KEY_F(1) && ch <= KEY_F(12)) {
		e.kind = EVENT_KEY;
		e.key = KEYCODE_F1 + (uint32_t)(ch - KEY_F(1));
		return e;
	}
	for (size_t i = 0; i < sizeof curses_keys / sizeof *curses_keys; i++)
		if ((wint_t)curses_keys[i].code == ch) {
			e.kind = EVENT_KEY;
			e.key = curses_keys[i].key;
		}
	return e;
}
