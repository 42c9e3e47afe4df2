/* term_kind.c - see term_kind.h.
 *
 * Terminfo does not describe the modes that all descendants of xterm share, so pnav recognises such
 * terminals by their names. */
#include "ui/screen/term_kind.h"

#include <stdio.h>
#include <string.h>
#include <term.h>

const char *
term_capability(const char *name)
{
	char copy[16];
	snprintf(copy, sizeof copy, "%s", name);
	const char *s = tigetstr(copy);
	return s == (char *)-1 ? NULL : s;
}

const char *
term_last_words(void)
{
	static const char erase[] = "\r\033[K";
	const char *own = term_capability("el");
	bool same = own && !strncmp(own, erase + 1, sizeof erase - 2);
	return same && !term_capability("rmcup") ? erase : "";
}

bool
term_speaks_xterm(const char *name)
{
	static const char *const families[] = {
		"xterm",   "tmux", "screen", "rxvt",    "alacritty", "foot",  "kitty",
		"konsole", "vte",  "st-",    "wezterm", "gnome",     "putty", "iterm", "ghostty",
	};
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strncmp(name, families[i], strlen(families[i])))
			return true;
	return false;
}

attr_t
term_attributes(const struct style *s)
{
	attr_t a = A_NORMAL;
	a |= s->attr & STYLE_BOLD ? A_BOLD : 0;
	a |= s->attr & STYLE_DIM ? A_DIM : 0;
	a |= s->attr & STYLE_UNDERLINE ? A_UNDERLINE : 0;
	a |= s->attr & STYLE_REVERSE ? A_REVERSE : 0;
	return a;
}

int
term_prepare_inks(const struct theme *theme, int at_most, int *pair, attr_t *attr)
{
	int colours = 0;
	if (at_most != 0 && has_colors()) {
		start_color();
		use_default_colors();
		colours = at_most > 0 && at_most < COLORS ? at_most : COLORS;
	}
	for (int i = 0; i < INK_COUNT; i++) {
		struct style s = theme_style(theme, (enum ink)i, colours);
		attr[i] = term_attributes(&s);
		pair[i] = 0;
		if (s.fg >= 0 || s.bg >= 0) {
			int got = alloc_pair(s.fg, s.bg);
			pair[i] = got > 0 ? got : 0;
		}
	}
	return colours;
}
