/* term_input.c - see term_input.h.
 *
 * pnav decodes the mouse and pasted text itself: ncurses' layer follows the terminal's description,
 * which under tmux and screen names the old protocol that ends at column 223.  The introducers are
 * defined as keys, and the rest is read as characters.
 *
 * pnav cannot measure the speed of the line directly: output waits for seconds in the buffers of
 * the kernel and of ssh, and the picture of a key waits behind it.  But a terminal that answers a
 * query has received everything sent before the query. */
#include "ui/screen/term_input.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/screen/clock.h"
#include "ui/screen/keycode.h"
#include "ui/screen/text.h"

#define NO_BUTTON 3
#define CODE_MOUSE (KEY_MAX + 1)
#define CODE_PASTE (KEY_MAX + 2)
#define CODE_PASTE_END (KEY_MAX + 3)
#define CODE_REPORT (KEY_MAX + 4)
#define CODE_GROUND (KEY_MAX + 5)
#define DOUBLE_CLICK_MS 400
#define PASTE_MAX 65536u
#define ASK_SYNC "\033[?2026$p" /* DECRQM */
#define ASK_GROUND "\033]11;?\033\\"
#define ASK_LAST "\033[c" /* DA1: any terminal that answers queries answers this one */
#define LOST_MS 5000      /* stop waiting for an answer after this time */
#define SETTLE_MS 1000
#define ANSWER_MS 20 /* how long the first picture waits for the background colour */

/* A terminal sends arrows in two forms, by a mode (DECCKM) that may differ from terminfo's
 * description, and in a third one with modifiers.  pnav accepts all of them. */
static void
define_arrows(void)
{
	static const struct {
		char end;
		int code, shifted;
	} arrows[] = {
		{'A', KEY_UP, KEY_UP},       {'B', KEY_DOWN, KEY_DOWN},
		{'C', KEY_RIGHT, KEY_SRIGHT}, {'D', KEY_LEFT, KEY_SLEFT},
		{'H', KEY_HOME, KEY_HOME},   {'F', KEY_END, KEY_END},
	};
	for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++) {
		char form[24];
		snprintf(form, sizeof form, "\033[%c", arrows[i].end);
		define_key(form, arrows[i].code);
		snprintf(form, sizeof form, "\033O%c", arrows[i].end);
		define_key(form, arrows[i].code);
		for (unsigned m = 2; m <= 8; m++) { /* 1 plus: 1 shift, 2 alt, 4 control */
			snprintf(form, sizeof form, "\033[1;%u%c", m, arrows[i].end);
			define_key(form,
				   (m - 1) & 1 ? arrows[i].shifted : arrows[i].code);
		}
	}
}

void
term_input_begin(struct term_input *in, bool modern)
{
	in->light = -1;
	in->keys = newpad(1, 1);
	keypad(in->keys, TRUE);
	nodelay(in->keys, TRUE);
	define_arrows();
	if (modern) {
		define_key("\033[?", CODE_REPORT);
		define_key("\033]11;", CODE_GROUND);
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
	vec_release(&in->early);
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

/* Reads three numbers and a letter: "0;12;7M" is the left button pressed at column 12, row 7. */
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
		e.ctrl = field[0] & 16;
		e.key = button == 0 ? KEYCODE_UP : KEYCODE_DOWN;
	} else if (field[0] & 32) {
		e.kind = button == NO_BUTTON ? EVENT_HOVER : EVENT_DRAG;
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
	while (in->text.len && in->text.at[in->text.len - 1] == ' ')
		in->text.at[--in->text.len] = '\0'; /* remove the last line's end */
	return (struct event_in){.kind = EVENT_PASTE, .text = buf_str(&in->text)};
}

/* Reads the terminal's answers to our queries: "2026;2$y" means that it knows synchronized updates
 * (DECRPM: 1 is set, 2 reset), "62;22c" ends its answers (DA1). */
static void
read_report(struct term_input *in)
{
	char text[32] = "";
	wint_t ch = 0;
	int n = 0;
	wtimeout(in->keys, 50);
	while (wget_wch(in->keys, &ch) == OK && ch >= 0x20 && ch < 0x40)
		if (n < (int)sizeof text - 1)
			text[n++] = (char)ch;
	wtimeout(in->keys, 0);
	if (ch == 'y' && (!strcmp(text, "2026;1$") || !strcmp(text, "2026;2$")))
		in->syncs = true;
	if (ch == 'c')
		in->answered = true;
	if (ch == 'c' && in->asked_ms) {
		in->rest_ms = clock_ms() * 2 - in->asked_ms;
		in->asked_ms = 0;
	}
}

/* Reads "rgb:ffff/ffff/dddd", which BEL or ST ends.  The background is light if its luma (ITU-R
 * BT.601) is nearer to white than to black. */
static void
read_ground(struct term_input *in)
{
	char text[40] = "";
	unsigned r, g, b;
	wint_t ch = 0;
	int n = 0, digits = 0;
	wtimeout(in->keys, 50);
	while (wget_wch(in->keys, &ch) == OK && ch >= 0x20 && ch < 0x7F)
		if (n < (int)sizeof text - 1)
			text[n++] = (char)ch;
	if (ch == KEYCODE_ESC)
		wget_wch(in->keys, &ch); /* the second half of ST */
	wtimeout(in->keys, 0);
	if (sscanf(text, "rgb:%4x%n/%4x/%4x", &r, &digits, &g, &b) != 3)
		return;
	unsigned most = (1u << 4 * (digits - 4)) - 1;
	in->light = (299 * r + 587 * g + 114 * b) / 1000 > most / 2;
}

static struct event_in
read_one(struct term_input *in)
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
	if (got == KEY_CODE_YES && ch == CODE_GROUND) {
		read_ground(in);
		return read_one(in);
	}
	if (got == KEY_CODE_YES && ch == CODE_REPORT) {
		read_report(in);
		return read_one(in);
	}
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

struct event_in
term_input_ready(struct term_input *in)
{
	if (!in->early.n)
		return read_one(in);
	struct event_in e = in->early.at[0];
	in->early.n--;
	memmove(in->early.at, in->early.at + 1, in->early.n * sizeof e);
	return e;
}

/* Keeps the keys typed meanwhile.  A late answer is also understood and repaints the picture: a
 * terminal nearby answers at once, and a distant one does not justify a late first picture.
 * The wait consists of many short ones, so that on a busy machine the terminal runs as often.
 * A second paste ends the wait, because its text is only borrowed and cannot be kept after
 * another. */
void
term_input_ask(struct term_input *in, int from, FILE *out, bool ground)
{
	if (!in->syncs)
		fputs(ASK_SYNC, out);
	if (ground)
		fputs(ASK_GROUND, out);
	fputs(ASK_LAST, out);
	fflush(out);
	if (!ground)
		return;
	for (int waited_ms = 0; waited_ms < ANSWER_MS;) {
		struct pollfd p = {.fd = from, .events = POLLIN};
		int ready = poll(&p, 1, 1);
		if (ready < 0 || (ready > 0 && !(p.revents & POLLIN)))
			return;
		waited_ms++;
		struct event_in e;
		while ((e = read_one(in)).kind != EVENT_NONE) {
			*vec_push(&in->early) = e;
			if (e.kind == EVENT_PASTE)
				return;
		}
		if (in->answered)
			return;
	}
}

bool
term_input_keeps_up(struct term_input *in, FILE *out)
{
	int64_t now = clock_ms();
	if (!in->answered)
		return true;
	if (in->asked_ms && now - in->asked_ms < LOST_MS)
		return false;
	in->asked_ms = 0;
	if (!in->shown)
		return now >= in->rest_ms;
	in->shown = false;
	in->asked_ms = now;
	fputs(ASK_LAST, out);
	fflush(out);
	return false;
}

void
term_input_settle(struct term_input *in, int from)
{
	int64_t until = clock_ms() + SETTLE_MS;
	for (int64_t now; in->asked_ms && (now = clock_ms()) < until;) {
		struct pollfd p = {.fd = from, .events = POLLIN};
		if (poll(&p, 1, (int)(until - now)) <= 0 || !(p.revents & POLLIN))
			return;
		read_one(in);
	}
}
