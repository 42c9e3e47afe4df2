/* term.c - see term.h.
 *
 * ncurses computes the difference between two screens and knows the terminals.  pnav uses nothing
 * else of it: no windows, no mouse layer, no signal handlers.
 *
 * - Keys are read in raw mode, so ^C, ^Z and ^S are ordinary keys, and the program stops or ends in
 * one way only.  Signals set a flag and write a byte to a pipe that the read waits on: a signal may
 * arrive on the decoder's thread, and a signal between a test and a wait must not be lost.
 * - A crash must leave a usable terminal.  pnav prepares the bytes to write at the start, since a
 * signal handler may call write() and tcsetattr(), but not ncurses.
 *
 * The browser's only state at file scope is here, because signal handlers have no other access to
 * it. */
#include "ui/screen/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
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

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "ui/screen/clipboard.h"
#include "ui/screen/keycode.h"
#include "ui/screen/term_input.h"
#include "ui/screen/term_kind.h"
#include "ui/screen/term_name.h"
#include "ui/screen/term_probe.h"

#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1003h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1003l\033[?1002l\033[?1000l"
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define SYNC_ON "\033[?2026h"
#define SYNC_OFF "\033[?2026l"
#define SYNC_ROWS 4 /* smaller changes arrive at once anyway */

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
	const char *name; /* of the description in use */
	struct buf note;
	struct term_input input;
	bool has_mouse, mouse_on, modern;
	struct canvas shown;
	int cursor; /* state of curs_set() */
	int pair[INK_COUNT];
	attr_t attr[INK_COUNT];
	struct theme theme;
	int at_most; /* the limit for colours */
	int colours; /* in use */
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
		on_crash(sig); /* the second request: do not wait for anything */
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

/* Handles the other signals that would end the program, unless they are ignored or handled
 * already. */
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
term_say(struct terminal *t, const char *text)
{
	fputs(text, t->out);
	fflush(t->out);
}

static void
modes_on(struct terminal *t)
{
	if (t->modern)
		term_say(t, PASTE_ON);
	if (t->mouse_on)
		term_say(t, MOUSE_ON);
}

static void
modes_off(struct terminal *t)
{
	term_input_settle(&t->input, tty);
	if (t->mouse_on)
		term_say(t, MOUSE_OFF);
	if (t->modern)
		term_say(t, PASTE_OFF);
}

/* Adds a capability, without its $<padding>, to the bytes that a crash writes. */
static void
term_remember(const char *capability)
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

static void
prepare_restore(struct terminal *t)
{
	restore_len = 0;
	if (t->modern)
		term_remember(SYNC_OFF PASTE_OFF);
	if (t->has_mouse)
		term_remember(MOUSE_OFF);
	term_remember(term_capability("sgr0"));
	term_remember(term_capability("rmkx"));
	term_remember(term_capability("cnorm"));
	term_remember(term_capability("rmcup"));
}

/* ---- painting ---- */

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
		attr_t attr = t->attr[cell->ink];
		int pair = t->pair[cell->ink];
		if (cell->lower || cell->shade) {
			struct style s;
			uint32_t instead = canvas_look(cell, &t->theme, t->colours, &s);
			int got = t->colours ? alloc_pair(s.fg, s.bg) : 0;
			pair = got > 0 ? got : pair;
			attr = term_attributes(&s);
			text[0] = instead ? (wchar_t)instead : text[0];
		}
		cchar_t cc;
		if (setcchar(&cc, text, attr, (short)pair, NULL) != OK)
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
	int changed = 0;
	for (int y = 0; y < c->h; y++) {
		size_t row = (size_t)y * (size_t)c->w;
		if (!anew && !memcmp(&t->shown.cell[row], &c->cell[row], row_bytes))
			continue;
		memcpy(&t->shown.cell[row], &c->cell[row], row_bytes);
		paint_row(t, c, y);
		changed++;
	}
	int cursor = c->cursor_y >= 0;
	if (cursor != t->cursor) {
		curs_set(cursor);
		t->cursor = cursor;
	}
	/* an invisible cursor may stay where the last change left it */
	leaveok(stdscr, !cursor);
	if (cursor)
		move(c->cursor_y, c->cursor_x);
	bool syncs = t->input.syncs && changed >= SYNC_ROWS;
	if (syncs)
		term_say(t, SYNC_ON);
	refresh();
	if (syncs)
		term_say(t, SYNC_OFF);
	t->input.shown = true;
}

static bool
term_keeps_up(struct screen *s)
{
	struct terminal *t = (struct terminal *)s;
	return term_input_keeps_up(&t->input, t->out);
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

/* Adopts the background that the terminal reported, unless the user chose one; returns true if the
 * colours have changed. */
static bool
follow_ground(struct terminal *t)
{
	if (t->theme.ground != GROUND_ASK || t->input.light < 0)
		return false;
	t->theme.ground = t->input.light ? GROUND_LIGHT : GROUND_DARK;
	if (t->theme.ground == GROUND_DARK)
		return false;
	t->colours = term_prepare_inks(&t->theme, t->at_most, t->pair, t->attr);
	return true;
}

static void
follow_size(struct terminal *t)
{
	struct winsize ws;
	if (ioctl(tty, TIOCGWINSZ, &ws) == 0 && ws.ws_row && ws.ws_col)
		resizeterm(ws.ws_row, ws.ws_col);
	term_redraw(&t->screen);
}

/* Restores the modes and the whole picture after another program has used the terminal. */
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
give_back(struct terminal *t)
{
	modes_off(t);
	endwin();
	ours = 0;
	term_say(t, term_last_words());
	catch (SIGTSTP, SIG_DFL, 0);
}

static void
term_suspend(struct screen *s)
{
	struct terminal *t = (struct terminal *)s;
	give_back(t);
	/* stops the whole group, and the program that feeds our pipe with it */
	kill(0, SIGTSTP);
	catch (SIGTSTP, on_signal, SA_RESTART);
	wants_stop = 0;
	take_again(t);
}

/* The program restores the terminal modes itself; if it did not, they are restored here.  ^Z stops
 * both processes and fg continues both, since they share a process group and SIGTSTP has its
 * default action meanwhile. */
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
	give_back(t);
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

/* Waits for input; returns false when the terminal is gone. */
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
	/* A terminal whose other end is closed may stay readable forever without data. */
	return !(p[0].revents & POLLIN) || ++t->input.silent < 100;
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
			if (goes_on) { /* it was stopped by SIGSTOP */
				endwin();
				take_again(t);
			}
			wants_resize = 0;
			follow_size(t);
			return (struct event_in){
				.kind = EVENT_RESIZE, .w = COLS, .h = LINES};
		}
		struct event_in e = term_input_ready(&t->input);
		if (follow_ground(t))
			wants_resize = 1; /* redraw everything */
		if (e.kind != EVENT_NONE || tries || timeout_ms == 0)
			return e;
		if (!wait_for_input(t, wants_resize ? 0 : timeout_ms))
			return (struct event_in){.kind = EVENT_END};
	}
	return (struct event_in){.kind = EVENT_NONE};
}

static bool
term_copy(struct screen *s, const char *text, size_t len)
{
	struct terminal *t = (struct terminal *)s;
	struct buf out = BUF_INIT;
	if (!t->modern)
		return false;
	clipboard_write(&out, text, len);
	term_say(t, buf_str(&out));
	buf_release(&out);
	return true;
}

static void
term_mouse(struct screen *s, bool on)
{
	struct terminal *t = (struct terminal *)s;
	on = on && t->has_mouse;
	if (on != t->mouse_on)
		term_say(t, on ? MOUSE_ON : MOUSE_OFF);
	t->mouse_on = on;
}

/* ---- opening and closing ---- */

static void
term_close(struct screen *s)
{
	struct terminal *t = (struct terminal *)s;
	give_back(t);
	term_input_end(&t->input);
	delscreen(t->scr);
	if (t->own_file)
		fclose(t->out);
	canvas_release(&t->shown);
	buf_release(&t->note);
	close(wake[0]);
	close(wake[1]);
	wake[0] = wake[1] = tty = -1;
	free(t);
}

static const struct screen_ops term_ops = {
	.size = term_size,
	.show = term_show,
	.keeps_up = term_keeps_up,
	.read = term_read,
	.suspend = term_suspend,
	.run = term_run,
	.redraw = term_redraw,
	.copy = term_copy,
	.mouse = term_mouse,
	.close = term_close,
};

static bool
open_files(struct terminal *t, struct err *e)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
		t->in = stdin;
		t->out = stdout;
	} else {
		t->in = t->out = fopen("/dev/tty", "r+");
		if (!t->in)
			return err_usage(e, "there is no terminal; use pnav report, or --snapshot");
		t->own_file = true;
	}
	tty = fileno(t->in);
	t->name = term_name(fileno(t->out), e);
	if (!t->name && t->own_file)
		fclose(t->out);
	return t->name != NULL;
}

static void
term_begin(struct terminal *t, const struct term_options *o)
{
	raw();
	noecho();
	nonl();
	set_escdelay(25);
	idlok(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	curs_set(0);
	keypad(stdscr, TRUE);
	t->modern = term_speaks_xterm(t->name);
	t->has_mouse = t->modern;
	t->mouse_on = t->modern && o->mouse;
	term_input_begin(&t->input, t->modern);
	if (o->theme)
		t->theme = *o->theme;
	t->at_most = o->colours;
	t->colours = term_prepare_inks(&t->theme, t->at_most, t->pair, t->attr);
	prepare_restore(t);
	ended_by = wants_resize = wants_stop = goes_on = 0;
	ours = 1;
	catch_signals(); /* from here on pnav restores the terminal at any exit */
	refresh();
	modes_on(t);
	t->input.syncs = t->modern && term_capability("Sync");
	if (t->modern)
		term_input_ask(&t->input, tty, t->out,
			       t->theme.ground == GROUND_ASK && t->at_most && has_colors());
	follow_ground(t);
	/* a terminal that does not know a query may have printed it */
	clearok(curscr, TRUE);
}

struct screen *
term_new(const struct term_options *o, struct err *e)
{
	struct terminal *t = mem_zalloc(1, sizeof *t);
	struct buf early = BUF_INIT;
	t->screen.ops = &term_ops;
	if (getenv("TMUX"))
		t->screen.copy_note = "tmux passes it on with: set -g set-clipboard on";
	if (!open_files(t, e)) {
		free(t);
		return NULL;
	}
	tcgetattr(tty, &cooked);
	t->screen.ascii = o->ascii || term_must_be_ascii(o->widen, t->name, tty, t->out, &early);
	t->scr = term_open_named(t->name, t->out, t->in);
	term_type_again(&early);
	if (!t->scr || pipe2(wake, O_NONBLOCK | O_CLOEXEC) < 0) {
		if (t->scr)
			endwin();
		free(t);
		err_usage(e, "the terminal cannot be used");
		return NULL;
	}
	t->screen.note = term_name_note(t->name, &t->note);
	term_begin(t, o);
	return &t->screen;
}
