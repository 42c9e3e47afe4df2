/* term.c - see term.h.
 *
 * ncurses keeps the difference between the screen that is and the one that should be, and
 * knows the terminals; nothing else of it is used: no windows, no mouse layer, no own
 * signal handlers.
 *
 * - Keys come in raw mode: ^C, ^Z and ^S are keys like others, and there is one way in
 *   which the program stops or ends.  Signals set a flag and write a byte to a pipe that
 *   the read waits on, because they may arrive on the decoder's thread, and because a
 *   signal between a test and a wait must not be lost.
 * - Mouse and pasted text are decoded here: ncurses' own layer follows the terminal's
 *   description, which under tmux and screen names the old protocol that ends at column
 *   223.  The introducers are defined as keys; the rest is read as characters.
 * - A crash must leave a usable terminal: what to write is worked out at the start, since
 *   a signal handler may call write() and tcsetattr(), but not ncurses.
 *
 * File-scope state lives here and nowhere else in the browser: signal handlers have no
 * other way to it. */
#include "ui/screen/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "model/buf.h"
#include "model/mem.h"
#include "ui/screen/clock.h"
#include "ui/screen/keycode.h"
#include "ui/screen/text.h"

#define CODE_MOUSE (KEY_MAX + 1)
#define CODE_PASTE (KEY_MAX + 2)
#define CODE_PASTE_END (KEY_MAX + 3)

#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define DOUBLE_CLICK_MS 400
#define PASTE_MAX 65536u

static volatile sig_atomic_t ours, ended_by, wants_resize, wants_stop, goes_on;
static int wake[2] = {-1, -1};
static int tty = -1;
static struct termios cooked;
static char restore[512];
static size_t restore_len;
static char crash_stack[65536];

struct terminal {
	struct screen screen;
	SCREEN *scr;
	FILE *in, *out;
	bool own_file;
	WINDOW *keys; /* a pad: reading from it never refreshes the screen */
	bool has_mouse, mouse_on, modern;
	struct canvas shown;
	int cursor; /* curs_set() state */
	int pair[INK_COUNT];
	attr_t attr[INK_COUNT];
	struct buf text;
	int click_y, click_x;
	int64_t click_ms;
	unsigned silent; /* reads in a row that gave nothing although there was input */
};

/* ---- signals ---- */

void
term_emergency(void)
{
	if (!ours)
		return;
	ours = 0;
	size_t at = 0;
	while (at < restore_len) {
		ssize_t n = write(tty, restore + at, restore_len - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	tcsetattr(tty, TCSANOW, &cooked);
}

static void
on_crash(int sig)
{
	term_emergency();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void
on_signal(int sig)
{
	int saved = errno;
	if (sig == SIGWINCH)
		wants_resize = 1;
	else if (sig == SIGTSTP)
		wants_stop = 1;
	else if (sig == SIGCONT)
		goes_on = 1;
	else if (ended_by)
		on_crash(sig); /* asked a second time: do not wait for anything */
	else
		ended_by = sig;
	ssize_t n = write(wake[1], "", 1);
	(void)n;
	errno = saved;
}

static void catch (int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
	sigfillset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

/* What else would end the program, unless somebody ignores or uses it. */
static void
catch_others(void)
{
	static const int others[] = {SIGUSR1, SIGUSR2,   SIGALRM, SIGVTALRM, SIGPROF,
				     SIGXCPU, SIGSTKFLT, SIGIO,	  SIGPWR};
	struct sigaction now;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!sigaction(others[i], NULL, &now) && now.sa_handler == SIG_DFL)
			catch (others[i], on_signal, SA_RESTART);
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		if (!sigaction(sig, NULL, &now) && now.sa_handler == SIG_DFL)
			catch (sig, on_signal, SA_RESTART);
}

static void
catch_signals(void)
{
	static const int ends[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
	static const int crashes[] = {SIGSEGV, SIGBUS,	SIGFPE, SIGILL,
				      SIGABRT, SIGTRAP, SIGSYS};
	stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof crash_stack};
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		catch (ends[i], on_signal, SA_RESTART);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		catch (crashes[i], on_crash, SA_ONSTACK);
	catch_others();
	catch (SIGWINCH, on_signal, SA_RESTART);
	catch (SIGTSTP, on_signal, SA_RESTART);
	catch (SIGCONT, on_signal, SA_RESTART);
	catch (SIGPIPE, SIG_IGN, 0);
}

int
term_signal(void)
{
	return ended_by;
}

/* ---- modes beside ncurses ---- */

static void
say(struct terminal *t, const char *text)
{
	fputs(text, t->out);
	fflush(t->out);
}

static void
modes_on(struct terminal *t)
{
	if (t->modern)
		say(t, PASTE_ON);
	if (t->mouse_on)
		say(t, MOUSE_ON);
}

static void
modes_off(struct terminal *t)
{
	if (t->mouse_on)
		say(t, MOUSE_OFF);
	if (t->modern)
		say(t, PASTE_OFF);
}

/* Adds a capability to what a crash writes, without its $<padding>. */
static void
remember(const char *capability)
{
	if (!capability || capability == (const char *)-1)
		return;
	for (const char *s = capability; *s && restore_len < sizeof restore; s++) {
		const char *close = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;
		if (close)
			s = close;
		else
			restore[restore_len++] = *s;
	}
}

static const char *
capability(const char *name)
{
	char copy[16];
	snprintf(copy, sizeof copy, "%s", name);
	const char *s = tigetstr(copy);
	return s == (char *)-1 ? NULL : s;
}

static void
prepare_restore(struct terminal *t)
{
	restore_len = 0;
	if (t->modern)
		remember(PASTE_OFF);
	if (t->has_mouse)
		remember(MOUSE_OFF);
	remember(capability("sgr0"));
	remember(capability("rmkx"));
	remember(capability("cnorm"));
	remember(capability("rmcup"));
}

/* ---- painting ---- */

static void
prepare_inks(struct terminal *t, const struct theme *theme, int at_most)
{
	int colours = 0;
	if (at_most != 0 && has_colors()) {
		start_color();
		use_default_colors();
		colours = at_most > 0 && at_most < COLORS ? at_most : COLORS;
	}
	for (int i = 0; i < INK_COUNT; i++) {
		struct style s = theme_style(theme, (enum ink)i, colours);
		attr_t a = A_NORMAL;
		a |= s.attr & STYLE_BOLD ? A_BOLD : 0;
		a |= s.attr & STYLE_DIM ? A_DIM : 0;
		a |= s.attr & STYLE_UNDERLINE ? A_UNDERLINE : 0;
		a |= s.attr & STYLE_REVERSE ? A_REVERSE : 0;
		t->attr[i] = a;
		t->pair[i] = 0;
		if (s.fg >= 0 || s.bg >= 0) {
			int pair = alloc_pair(s.fg, s.bg);
			t->pair[i] = pair > 0 ? pair : 0;
		}
	}
}

static void
paint_row(struct terminal *t, const struct canvas *c, int y)
{
	for (int x = 0; x < c->w; x++) {
		const struct cell *cell = canvas_cell(c, y, x);
		if (!cell->cols)
			continue;
		wchar_t text[CELL_CHARS + 1] = {0};
		for (int i = 0; i < CELL_CHARS && cell->ch[i]; i++)
			text[i] = (wchar_t)cell->ch[i];
		cchar_t cc;
		if (setcchar(&cc, text, t->attr[cell->ink], (short)t->pair[cell->ink],
			     NULL) != OK)
			continue;
		mvadd_wch(y, x, &cc);
	}
}

static void
term_show(struct screen *s, const struct canvas *c)
{
	struct terminal *t = (struct terminal *)s;
	bool anew = !t->shown.cell || t->shown.w != c->w || t->shown.h != c->h;
	if (anew) {
		canvas_release(&t->shown);
		canvas_init(&t->shown, c->w, c->h, c->ascii);
	}
	size_t row_bytes = (size_t)c->w * sizeof *c->cell;
	for (int y = 0; y < c->h; y++) {
		size_t row = (size_t)y * (size_t)c->w;
		if (!anew && !memcmp(&t->shown.cell[row], &c->cell[row], row_bytes))
			continue;
		memcpy(&t->shown.cell[row], &c->cell[row], row_bytes);
		paint_row(t, c, y);
	}
	int cursor = c->cursor_y >= 0;
	if (cursor != t->cursor) {
		curs_set(cursor);
		t->cursor = cursor;
	}
	if (cursor)
		move(c->cursor_y, c->cursor_x);
	refresh();
}

static void
term_size(struct screen *s, int *w, int *h)
{
	(void)s;
	*w = COLS;
	*h = LINES;
}

static void
term_redraw(struct screen *s)
{
	struct terminal *t = (struct terminal *)s;
	canvas_release(&t->shown);
	t->shown.cell = NULL;
	clearok(stdscr, TRUE);
}

static void
follow_size(struct terminal *t)
{
	struct winsize ws;
	if (ioctl(tty, TIOCGWINSZ, &ws) == 0 && ws.ws_row && ws.ws_col)
		resizeterm(ws.ws_row, ws.ws_col);
	term_redraw(&t->screen);
}

/* The terminal has been somebody else's: its modes and its whole picture again. */
static void
take_again(struct terminal *t)
{
	ours = 1;
	goes_on = 0;
	follow_size(t);
	clearok(curscr, TRUE);
	refresh();
	modes_on(t);
	t->cursor = -1;
}

static void
term_suspend(struct screen *s)
{
	struct terminal *t = (struct terminal *)s;
	modes_off(t);
	endwin();
	ours = 0;
	catch (SIGTSTP, SIG_DFL, 0);
	/* The whole group, as the terminal would: what feeds us through a pipe too. */
	kill(0, SIGTSTP);
	catch (SIGTSTP, on_signal, SA_RESTART);
	wants_stop = 0;
	take_again(t);
}

/* What the program does with the terminal it undoes itself; when it did not, the modes are
 * set again here.  Stopped with ^Z both are, and both go on with fg: it is in our group,
 * and SIGTSTP does what it usually does meanwhile. */
static int
run_program(struct terminal *t, char *const *argv)
{
	pid_t child = fork();
	int status = 0;
	if (child == 0) {
		static const int usual[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
					    SIGTSTP, SIGPIPE, SIGXFSZ};
		for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
			catch (usual[i], SIG_DFL, 0);
		if (t->own_file) {
			dup2(tty, STDIN_FILENO);
			dup2(tty, STDOUT_FILENO);
		}
		execv(argv[0], argv);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	if (child < 0)
		return 127;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int
term_run(struct screen *s, char *const *argv)
{
	struct terminal *t = (struct terminal *)s;
	modes_off(t);
	endwin();
	ours = 0;
	catch (SIGTSTP, SIG_DFL, 0);
	catch (SIGINT, SIG_IGN, 0);
	catch (SIGQUIT, SIG_IGN, 0);
	int status = run_program(t, argv);
	catch (SIGTSTP, on_signal, SA_RESTART);
	catch (SIGINT, on_signal, SA_RESTART);
	catch (SIGQUIT, on_signal, SA_RESTART);
	take_again(t);
	return status;
}

/* ---- reading ---- */

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
read_mouse(struct terminal *t)
{
	int field[3] = {0}, n = 0;
	wint_t ch = 0;
	wtimeout(t->keys, 50);
	for (int i = 0; i < 24; i++) {
		if (wget_wch(t->keys, &ch) != OK)
			break;
		if (ch >= '0' && ch <= '9' && field[n] < 100000)
			field[n] = field[n] * 10 + (int)(ch - '0');
		else if (ch == ';' && n < 2)
			n++;
		else
			break;
	}
	wtimeout(t->keys, 0);
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
		e.twice = now - t->click_ms < DOUBLE_CLICK_MS && t->click_y == e.y &&
			  t->click_x == e.x;
		t->click_ms = e.twice ? 0 : now;
		t->click_y = e.y;
		t->click_x = e.x;
	}
	return e;
}

static struct event_in
read_paste(struct terminal *t)
{
	buf_reset(&t->text);
	wtimeout(t->keys, 500);
	for (;;) {
		wint_t ch;
		int got = wget_wch(t->keys, &ch);
		if (got == ERR || (got == KEY_CODE_YES && ch == CODE_PASTE_END))
			break;
		if (got == OK && t->text.len < PASTE_MAX)
			text_add(&t->text, ch < 0x20 ? ' ' : (uint32_t)ch);
	}
	wtimeout(t->keys, 0);
	return (struct event_in){.kind = EVENT_TEXT, .text = buf_str(&t->text)};
}

/* An event from what has arrived already; EVENT_NONE when nothing has. */
static struct event_in
read_ready(struct terminal *t)
{
	wint_t ch;
	int got = wget_wch(t->keys, &ch);
	struct event_in e = {.kind = EVENT_NONE};
	if (got == ERR)
		return e;
	t->silent = 0;
	if (got == KEY_CODE_YES && ch == CODE_MOUSE)
		return read_mouse(t);
	if (got == KEY_CODE_YES && ch == CODE_PASTE)
		return read_paste(t);
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

/* Waits until there is something; false when the terminal is gone. */
static bool
wait_for_input(struct terminal *t, int timeout_ms)
{
	struct pollfd p[2] = {{.fd = tty, .events = POLLIN},
			      {.fd = wake[0], .events = POLLIN}};
	if (poll(p, 2, timeout_ms) < 0)
		return errno == EINTR;
	if (p[1].revents) {
		char drop[64];
		while (read(wake[0], drop, sizeof drop) > 0)
			continue;
	}
	if (p[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return false;
	/* A terminal whose other end is closed may be readable for ever, with nothing. */
	return !(p[0].revents & POLLIN) || ++t->silent < 100;
}

static struct event_in
term_read(struct screen *s, int timeout_ms)
{
	struct terminal *t = (struct terminal *)s;
	for (int tries = 0; tries < 2; tries++) {
		if (ended_by)
			return (struct event_in){.kind = EVENT_END};
		if (wants_stop)
			return (struct event_in){.kind = EVENT_KEY,
						 .key = KEYCODE_CTRL('Z')};
		if (goes_on || wants_resize) {
			if (goes_on) { /* it was stopped without being asked: SIGSTOP */
				endwin();
				take_again(t);
			}
			wants_resize = 0;
			follow_size(t);
			return (struct event_in){
				.kind = EVENT_RESIZE, .w = COLS, .h = LINES};
		}
		struct event_in e = read_ready(t);
		if (e.kind != EVENT_NONE || tries || timeout_ms == 0)
			return e;
		if (!wait_for_input(t, timeout_ms))
			return (struct event_in){.kind = EVENT_END};
	}
	return (struct event_in){.kind = EVENT_NONE};
}

/* ---- the clipboard: OSC 52 ---- */

static bool
term_copy(struct screen *s, const char *text, size_t len)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct terminal *t = (struct terminal *)s;
	const unsigned char *b = (const unsigned char *)text;
	if (!t->modern)
		return false;
	struct buf out = BUF_INIT;
	buf_adds(&out, "\033]52;c;");
	for (size_t i = 0; i < len; i += 3) {
		uint32_t three = (uint32_t)b[i] << 16;
		three |= i + 1 < len ? (uint32_t)b[i + 1] << 8 : 0;
		three |= i + 2 < len ? b[i + 2] : 0;
		buf_addc(&out, digit[three >> 18]);
		buf_addc(&out, digit[three >> 12 & 63]);
		buf_addc(&out, i + 1 < len ? digit[three >> 6 & 63] : '=');
		buf_addc(&out, i + 2 < len ? digit[three & 63] : '=');
	}
	buf_addc(&out, '\a');
	say(t, buf_str(&out));
	buf_release(&out);
	return true;
}

static void
term_mouse(struct screen *s, bool on)
{
	struct terminal *t = (struct terminal *)s;
	on = on && t->has_mouse;
	if (on != t->mouse_on)
		say(t, on ? MOUSE_ON : MOUSE_OFF);
	t->mouse_on = on;
}

/* ---- opening and closing ---- */

static void
term_close(struct screen *s)
{
	struct terminal *t = (struct terminal *)s;
	modes_off(t);
	if (t->keys)
		delwin(t->keys);
	endwin();
	ours = 0;
	delscreen(t->scr);
	if (t->own_file)
		fclose(t->out);
	canvas_release(&t->shown);
	buf_release(&t->text);
	close(wake[0]);
	close(wake[1]);
	wake[0] = wake[1] = tty = -1;
	free(t);
}

static const struct screen_ops term_ops = {
	.size = term_size,
	.show = term_show,
	.read = term_read,
	.suspend = term_suspend,
	.run = term_run,
	.redraw = term_redraw,
	.copy = term_copy,
	.mouse = term_mouse,
	.close = term_close,
};

/* Is there a terminal, and is it one that a full screen can be drawn on? */
static bool
check_terminal(int fd, struct err *e)
{
	const char *name = getenv("TERM");
	if (!name || !*name)
		return err_usage(e, "TERM is not set: which kind of terminal is this? "
				    "(pnav report needs none)");
	int found = 0;
	if (setupterm(NULL, fd, &found) != OK)
		return err_usage(e,
				 "nothing is known about the terminal '%s'; set TERM, or "
				 "use pnav report",
				 name);
	bool moves = capability("cup") && capability("clear");
	del_curterm(cur_term);
	if (!moves)
		return err_usage(
			e, "the terminal '%s' cannot move its cursor; use pnav report",
			name);
	return true;
}

static bool
open_files(struct terminal *t, struct err *e)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
		t->in = stdin;
		t->out = stdout;
	} else {
		t->in = t->out = fopen("/dev/tty", "r+");
		if (!t->in)
			return err_usage(e, "there is no terminal; use pnav report, or "
					    "--snapshot");
		t->own_file = true;
	}
	tty = fileno(t->in);
	if (check_terminal(fileno(t->out), e))
		return true;
	if (t->own_file)
		fclose(t->out);
	return false;
}

static bool
speaks_xterm(const char *name)
{
	static const char *const families[] = {
		"xterm",   "tmux", "screen", "rxvt",    "alacritty", "foot",  "kitty",
		"konsole", "vte",  "st-",    "wezterm", "gnome",     "putty", "iterm",
	};
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strncmp(name, families[i], strlen(families[i])))
			return true;
	return false;
}

static void
begin(struct terminal *t, const struct term_options *o)
{
	raw();
	noecho();
	nonl();
	set_escdelay(25);
	idlok(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	curs_set(0);
	t->keys = newpad(1, 1);
	keypad(t->keys, TRUE);
	keypad(stdscr, TRUE);
	nodelay(t->keys, TRUE);
	t->modern = speaks_xterm(getenv("TERM"));
	t->has_mouse = t->modern;
	t->mouse_on = t->modern && o->mouse;
	if (t->modern) {
		define_key("\033[<", CODE_MOUSE);
		define_key("\033[200~", CODE_PASTE);
		define_key("\033[201~", CODE_PASTE_END);
	}
	prepare_inks(t, o->theme, o->colours);
	prepare_restore(t);
	refresh();
	modes_on(t);
}

struct screen *
term_new(const struct term_options *o, struct err *e)
{
	struct terminal *t = mem_zalloc(1, sizeof *t);
	t->screen.ops = &term_ops;
	t->screen.ascii = o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	if (getenv("TMUX"))
		t->screen.copy_note = "tmux passes it on with: set -g set-clipboard on";
	if (!open_files(t, e)) {
		free(t);
		return NULL;
	}
	tcgetattr(tty, &cooked);
	t->scr = newterm(NULL, t->out, t->in);
	if (!t->scr || pipe2(wake, O_NONBLOCK | O_CLOEXEC) < 0) {
		if (t->scr)
			endwin();
		free(t);
		err_usage(e, "the terminal cannot be used");
		return NULL;
	}
	ended_by = wants_resize = wants_stop = goes_on = 0;
	begin(t, o);
	ours = 1;
	catch_signals();
	return &t->screen;
}
