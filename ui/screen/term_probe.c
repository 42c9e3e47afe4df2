/* term_probe.c - see term_probe.h.
 *
 * The query for the terminal's kind (DA1) follows that for the cursor: nearly every terminal
 * answers it, so one that does not report its cursor costs no second either. */
#include "ui/screen/term_probe.h"

#include <curses.h>
#include <langinfo.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "ui/screen/clock.h"
#include "ui/screen/term_kind.h"

#define PROBE "\r\303\244\033[6n\033[c"
#define CLEAN "\r\033[K"
#define ANSWER_MS 1000
#define BYTES_MAX 4096u

/* Takes a reply `ESC [ PARAMETERS END` out of the bytes. Returns its last parameter; -1 if the
 * bytes hold no such reply. */
static int
take_reply(struct buf *in, char end)
{
	for (size_t i = 0; i + 2 < in->len; i++) {
		size_t at = i + 2;
		int last = 0;
		if (memcmp(in->at + i, "\033[", 2))
			continue;
		for (; at < in->len && in->at[at] >= '0' && in->at[at] <= '?'; at++)
			last = in->at[at] < ':' ? (last * 10 + in->at[at] - '0') % 10000 : 0;
		if (at == in->len || in->at[at] != end)
			continue;
		memmove(in->at + i, in->at + at + 1, in->len - at - 1);
		in->len -= at + 1 - i;
		return last;
	}
	return -1;
}

/* Writes a character of two bytes at the start of the line and asks where the cursor is: in the
 * second column the terminal shows UTF-8. Waits at most a second. */
static bool
shows_utf8(int from, FILE *out, struct buf *early)
{
	struct termios before, quiet;
	int64_t until = clock_ms() + ANSWER_MS;
	int column = -1, ready = 1;
	char part[256];

	if (tcgetattr(from, &before) < 0)
		return false;
	quiet = before;
	quiet.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
	quiet.c_cc[VMIN] = 1;
	quiet.c_cc[VTIME] = 0;
	tcsetattr(from, TCSANOW, &quiet);
	fputs(PROBE, out);
	fflush(out);
	while (ready > 0 && take_reply(early, 'c') < 0 && early->len < BYTES_MAX) {
		struct pollfd p = {.fd = from, .events = POLLIN};
		int64_t left_ms = until - clock_ms();
		ready = left_ms > 0 ? poll(&p, 1, (int)left_ms) : 0;
		ssize_t n = ready > 0 && p.revents & POLLIN ? read(from, part, sizeof part) : 0;
		if (n <= 0)
			break;
		buf_add(early, part, (size_t)n);
	}
	column = take_reply(early, 'R');
	fputs(CLEAN, out);
	fflush(out);
	tcsetattr(from, TCSANOW, &before);
	return column == 2;
}

bool
term_must_be_ascii(bool (*widen)(void), const char *name, int from, FILE *out,
		   struct buf *early)
{
	if (!strcmp(nl_langinfo(CODESET), "UTF-8"))
		return false;
	if (!widen || !(term_speaks_xterm(name) || !strncmp(name, "linux", 5)))
		return true;
	return !shows_utf8(from, out, early) || !widen();
}

void
term_type_again(struct buf *early)
{
	while (early->len)
		ungetch((unsigned char)early->at[--early->len]);
	buf_release(early);
}
