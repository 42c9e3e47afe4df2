/* pager.c - see pager.h.
 *
 * A text is split into lines once, and a line is drawn from its marks.  The search uses the lines
 * without marks, and ignores case unless the pattern has upper-case letters, as everywhere in pnav.
 * Calling less(1) was rejected: the help must also work in a script, and on a terminal while a pipe
 * feeds pnav. */
#include "ui/part/pager.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/grid.h"
#include "ui/part/keys.h"
#include "ui/screen/text.h"

void
pager_init(struct pager *p)
{
	*p = (struct pager){.rows = 1};
}

static void
drop_lines(struct pager *p)
{
	for (size_t i = 0; i < p->lines.n; i++)
		free(p->lines.at[i]);
	p->lines.n = 0;
}

void
pager_release(struct pager *p)
{
	drop_lines(p);
	vec_release(&p->lines);
	buf_release(&p->title);
	buf_release(&p->sought);
}

void
pager_open(struct pager *p, const char *title, const char *text, size_t len)
{
	drop_lines(p);
	buf_reset(&p->title);
	buf_adds(&p->title, title);
	buf_reset(&p->sought);
	p->open = true;
	p->top = p->n_choices = p->choice = 0;
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;
		*vec_push(&p->lines) = mem_dup(text, line);
		text += line + (end ? 1 : 0);
		len -= line + (end ? 1 : 0);
	}
}

static size_t
last_top(const struct pager *p)
{
	size_t rows = (size_t)p->rows;
	return p->lines.n > rows ? p->lines.n - rows : 0;
}

void
pager_arrange(struct pager *p, const struct canvas *c)
{
	p->rows = c->h > 3 ? c->h - 2 : 1;
}

/* Returns the first visible line.  `top` itself keeps its value on a higher screen, so a resize and
 * back changes nothing. */
static size_t
first_line(const struct pager *p)
{
	return p->top < last_top(p) ? p->top : last_top(p);
}

static void
pager_scroll(struct pager *p, int by)
{
	p->top = (size_t)scroll_clip((int64_t)first_line(p) + by, (int64_t)last_top(p) + 1);
}

/* Returns the line of the choice that Enter takes; SIZE_MAX if none is visible. */
static size_t
choice_seen(const struct pager *p)
{
	size_t line = p->choices + p->choice, top = first_line(p);
	return p->n_choices && line >= top && line < top + (size_t)p->rows ? line : SIZE_MAX;
}

/* Goes to the next or previous choice; beyond them the text scrolls. */
static void
choice_or_scroll(struct pager *p, int by)
{
	bool ends = by < 0 ? !p->choice : p->choice + 1 >= p->n_choices;
	bool moves = choice_seen(p) != SIZE_MAX && !ends;
	if (moves)
		p->choice = by < 0 ? p->choice - 1 : p->choice + 1;
	if (!moves || choice_seen(p) == SIZE_MAX)
		pager_scroll(p, by);
}

static void
choose_or_scroll(struct pager *p)
{
	if (p->hooks && p->hooks->chosen && choice_seen(p) != SIZE_MAX) {
		p->open = false;
		p->hooks->chosen(p->ctx, p->choice);
	} else {
		pager_scroll(p, 1);
	}
}

/* Returns false if the key has no meaning here. */
static bool
pager_key(struct pager *p, uint32_t key)
{
	switch (key) {
	case '/':
		if (p->hooks)
			p->hooks->ask(p->ctx);
		return p->hooks != NULL;
	case 'n':
	case 'N':
		pager_find(p, buf_str(&p->sought), key == 'n' ? 1 : -1);
		return true;
	case 'Q':
		if (p->hooks)
			p->hooks->quit(p->ctx);
		return p->hooks != NULL;
	case 'q':
	case KEYCODE_ESC:
	case KEYCODE_CTRL('C'):
		p->open = false;
		return true;
	case 'j':
	case KEYCODE_DOWN:
		choice_or_scroll(p, 1);
		return true;
	case KEYCODE_ENTER:
		choose_or_scroll(p);
		return true;
	case 'k':
	case KEYCODE_UP:
		choice_or_scroll(p, -1);
		return true;
	case ' ':
	case KEYCODE_PAGE_DOWN:
	case KEYCODE_CTRL('F'):
		pager_scroll(p, p->rows - 1);
		return true;
	case 'b':
	case KEYCODE_PAGE_UP:
	case KEYCODE_CTRL('B'):
		pager_scroll(p, 1 - p->rows);
		return true;
	case KEYCODE_CTRL('D'):
		pager_scroll(p, p->rows / 2);
		return true;
	case KEYCODE_CTRL('U'):
		pager_scroll(p, -(p->rows / 2));
		return true;
	case 'g':
	case KEYCODE_HOME:
		p->top = 0;
		return true;
	case 'G':
	case KEYCODE_END:
		p->top = last_top(p);
		return true;
	default:
		return false;
	}
}

static bool
is_mark(char c)
{
	return c == PAGER_BOLD || c == PAGER_UNDER || c == PAGER_PLAIN;
}

static void
without_marks(const char *line, struct buf *out)
{
	buf_reset(out);
	for (; *line; line++)
		if (!is_mark(*line))
			buf_addc(out, *line);
}

static bool
line_has(const char *line, const char *text)
{
	bool capitals = false;
	for (const char *s = text; *s; s++)
		capitals |= isupper((unsigned char)*s) != 0;
	struct buf plain = BUF_INIT;
	without_marks(line, &plain);
	bool has = (capitals ? strstr(buf_str(&plain), text)
			     : strcasestr(buf_str(&plain), text)) != NULL;
	buf_release(&plain);
	return has;
}

static bool
has_sought(const void *of, int64_t line)
{
	const struct pager *p = of;
	return line_has(p->lines.at[line], buf_str(&p->sought));
}

bool
pager_find(struct pager *p, const char *text, int dir)
{
	if (p->sought.at != text) {
		buf_reset(&p->sought);
		buf_adds(&p->sought, text);
	}
	if (!*buf_str(&p->sought))
		return false;
	int64_t at = scroll_find((int64_t)p->top, (int64_t)p->lines.n, dir, has_sought, p);
	if (at >= 0)
		p->top = (size_t)at;
	return at >= 0;
}

void
pager_heading(struct pager *p, const char *text)
{
	struct buf plain = BUF_INIT;
	bool found = false;
	for (size_t i = 0; i < p->lines.n && !found; i++) {
		without_marks(p->lines.at[i], &plain);
		const char *s = buf_str(&plain);
		while (*s == ' ')
			s++;
		found = p->lines.at[i][0] && strchr(p->lines.at[i], PAGER_BOLD) &&
			!strncasecmp(s, text, strlen(text));
		if (found)
			p->top = i;
	}
	buf_release(&plain);
}

void
pager_choices(struct pager *p, const char *heading, char *const *lines, size_t n)
{
	size_t at = p->top + 1, more = n + 2; /* the heading, and a blank line after it */
	struct buf text = BUF_INIT;
	at = at < p->lines.n ? at : p->lines.n;
	vec_reserve(&p->lines, p->lines.n + more);
	memmove(p->lines.at + at + more, p->lines.at + at,
		(p->lines.n - at) * sizeof *p->lines.at);
	p->lines.n += more;
	buf_addf(&text, "  %c%s%c", PAGER_BOLD, heading, PAGER_PLAIN);
	p->lines.at[at++] = mem_dup(buf_str(&text), text.len);
	p->choices = at;
	p->n_choices = n;
	for (size_t i = 0; i < n; i++)
		p->lines.at[at++] = mem_dup(lines[i], strlen(lines[i]));
	p->lines.at[at] = mem_dup("", 0);
	buf_release(&text);
}

static void
pager_draw_line(struct canvas *c, int y, const char *line, bool hit)
{
	enum ink ink = INK_TEXT;
	int x = 2;
	struct buf run = BUF_INIT;
	for (const char *s = line;; s++) {
		if (*s && !is_mark(*s)) {
			buf_addc(&run, *s);
			continue;
		}
		int cols = text_cols(buf_str(&run)), room = c->w - x - 1;
		canvas_fit(c, y, x, cols < room ? cols : room, ink, buf_str(&run));
		x += cols < room ? cols : room;
		buf_reset(&run);
		if (!*s || cols > room)
			break;
		ink = *s == PAGER_BOLD    ? INK_STRONG
		      : *s == PAGER_UNDER ? INK_LINK
					  : INK_TEXT;
	}
	if (hit)
		canvas_char(c, y, 0, INK_HIT, 0x25B8);
	buf_release(&run);
}

static void
pager_draw(const struct pager *p, struct canvas *c)
{
	size_t top = first_line(p);
	canvas_fill(c, (struct area){0, 0, c->h, c->w}, INK_TEXT, ' ');
	canvas_fill(c, (struct area){0, 0, 1, c->w}, INK_HEADER, ' ');
	canvas_text(c, 0, 1, c->w - 2, INK_HEADER_NAME, buf_str(&p->title));
	for (int i = 0; i < p->rows && top + (size_t)i < p->lines.n; i++) {
		const char *line = p->lines.at[top + (size_t)i];
		const char *sought = buf_str(&p->sought);
		pager_draw_line(c, i + 1, line, *sought && line_has(line, sought));
		if (top + (size_t)i == choice_seen(p))
			canvas_char(c, i + 1, 0, INK_STRONG, '>');
	}
	struct buf foot = BUF_INIT;
	size_t end = top + (size_t)p->rows;
	buf_addf(&foot, "%sq back  / search  n N matches  Space b page  g G   %zu-%zu of %zu",
		 choice_seen(p) != SIZE_MAX ? "Enter plays it  " : "", top + 1,
		 end < p->lines.n ? end : p->lines.n, p->lines.n);
	canvas_fit(c, c->h - 1, 1, c->w - 2, INK_DIM, buf_str(&foot));
	buf_release(&foot);
}

void
pager_from_man(const char *text, size_t len, struct buf *out)
{
	const char *at = text, *end = text + len;
	char mode = PAGER_PLAIN;
	while (at < end) {
		const char *start = at;
		uint32_t ch = text_next(&at, end);
		char want = PAGER_PLAIN;
		/* "x\bx" is bold, "_\bx" underlined; both may be combined. */
		while (at < end && *at == '\b' && at + 1 < end) {
			const char *over = at + 1;
			uint32_t above = text_next(&over, end);
			want = ch == '_' && above != '_' ? PAGER_UNDER : PAGER_BOLD;
			start = at + 1;
			ch = above;
			at = over;
		}
		if (want != mode) {
			buf_addc(out, want);
			mode = want;
		}
		if (ch == '\n')
			mode = PAGER_PLAIN;
		buf_add(out, start, (size_t)(at - start));
	}
}

/* ---- as a modal ---- */

#define WHEEL_ROWS 3

static bool
pager_modal_is_open(const void *self)
{
	return ((const struct pager *)self)->open;
}

static void
modal_arrange(void *self, const struct canvas *c)
{
	pager_arrange(self, c);
}

static void
pager_modal_draw(const void *self, struct canvas *c)
{
	pager_draw(self, c);
}

static void
pager_modal_key(void *self, uint32_t key)
{
	pager_key(self, key);
}

static void
modal_mouse(void *self, const struct event_in *e, const struct canvas *c)
{
	(void)c;
	if (e->kind == EVENT_WHEEL)
		pager_scroll(self, e->key == KEYCODE_UP ? -WHEEL_ROWS : WHEEL_ROWS);
}

const struct modal_ops pager_modal = {
	.covers = true,
	.is_open = pager_modal_is_open,
	.arrange = modal_arrange,
	.draw = pager_modal_draw,
	.key = pager_modal_key,
	.mouse = modal_mouse,
};
