/* theme.c - see theme.h.
 *
 * The list of inks in the header is the theme: one row says how an ink looks everywhere,
 * so that a new ink cannot be forgotten for the terminals with few colours.  Foreground
 * text keeps the terminal's own colour, which is readable on light and dark alike; where
 * a background is set, so is the foreground.
 *
 * Colours above 15 are those of the xterm cube, which all terminals with 256 colours
 * share; the first sixteen differ from one to the next and are not used there. */
#include "ui/screen/theme.h"

#include <ctype.h>

#define PLAIN 0
#define BOLD STYLE_BOLD
#define DIM STYLE_DIM
#define UNDER STYLE_UNDERLINE
#define REV STYLE_REVERSE

struct look {
	struct style many, sixteen, eight;
	uint8_t mono;
};

static const struct look looks[INK_COUNT] = {
#define INK_LOOK(name, f256, b256, a256, f16, b16, a16, f8, b8, a8, mono)                \
	[INK_##name] = {{f256, b256, a256}, {f16, b16, a16}, {f8, b8, a8}, mono},
	INKS(INK_LOOK)
#undef INK_LOOK
};

struct style
theme_style(const struct theme *t, enum ink ink, int colours)
{
	const struct look *l = &looks[ink];
	if (t && t->set[ink] && colours && t->style[ink].fg < colours &&
	    t->style[ink].bg < colours)
		return t->style[ink];
	if (colours >= 256)
		return l->many;
	if (colours >= 16)
		return l->sixteen;
	if (colours >= 8)
		return l->eight;
	return (struct style){-1, -1, l->mono};
}

/* "HEADER_NAME" is written "header-name". */
static bool
is_called(const char *ink, const char *name)
{
	for (; *ink; ink++, name++)
		if (*name != (*ink == '_' ? '-' : tolower((unsigned char)*ink)))
			return false;
	return !*name;
}

bool
theme_ink(const char *name, enum ink *out)
{
	static const char *const names[INK_COUNT] = {
#define INK_NAME(id, ...) [INK_##id] = #id,
		INKS(INK_NAME)
#undef INK_NAME
	};
	for (int i = 0; i < INK_COUNT; i++)
		if (is_called(names[i], name)) {
			*out = (enum ink)i;
			return true;
		}
	return false;
}

enum ink
theme_heat(int64_t part, int64_t whole)
{
	double share = whole > 0 ? (double)part / (double)whole : 0;
	return share >= 0.10 ? INK_HOT : share >= 0.01 ? INK_WARM : INK_COOL;
}
