/* theme.c - see theme.h.
 *
 * The list of inks in the header is the theme: one row gives an ink for every kind of terminal, so
 * a new ink also has a form for few colours.  Plain text keeps the terminal's own colour, which is
 * readable on light and dark backgrounds; an ink that sets a background also sets the foreground.
 *
 * Colours above 15 are those of the xterm cube, which all terminals with 256 colours share. The
 * first sixteen differ between terminals and are not used there. */
#include "ui/screen/theme.h"

#include <ctype.h>
#include <string.h>

#define CUBE_FIRST 16 /* the first colour of the xterm cube, and of its greys */
#define GREY_FIRST 232
#define BLACK 16
#define WHITE 231
#define BRIGHT 110 /* of 255: a lighter background needs black letters */
#define LUMA_WEIGHT 2
#define GROUND_DARKNESS 16 /* of a dark terminal's background, which is seldom quite black */
#define FAINTEST 2 /* eighths of the colour in the faintest shade, which must be visible */

#define TWIN 5 /* eighths: the shade that tells the second of two functions of one colour */

#define PLAIN 0
#define BOLD STYLE_BOLD
#define DIM STYLE_DIM
#define UNDER STYLE_UNDERLINE
#define REV STYLE_REVERSE

struct theme_look {
	struct style many, sixteen, eight;
	uint8_t mono;
};

static const struct theme_look looks[INK_COUNT] = {
#define INK_LOOK(name, f256, b256, a256, f16, b16, a16, f8, b8, a8, mono)                \
	[INK_##name] = {{f256, b256, a256}, {f16, b16, a16}, {f8, b8, a8}, mono},
	INKS(INK_LOOK)
#undef INK_LOOK
};

/* The changes for a light background: colours on the terminal's own background, and the boxes of
 * menus and heads.  Standards only name the eight colours and do not define them; bright ones,
 * green, cyan and white are invisible on white. */
static const struct change {
	enum ink ink;
	struct style many, sixteen, eight;
} light[] = {
	{INK_DIM, {242, -1, PLAIN}, {8, -1, PLAIN}, {-1, -1, DIM}},
	{INK_RANGE, {94, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_FILTER, {25, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_RULE, {248, -1, PLAIN}, {8, -1, PLAIN}, {-1, -1, DIM}},
	{INK_TAB, {238, -1, PLAIN}, {0, -1, PLAIN}, {-1, -1, PLAIN}},
	{INK_KEY, {94, -1, BOLD}, {5, -1, BOLD}, {5, -1, BOLD}},
	{INK_BORDER, {25, 255, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_MENU, {235, 255, PLAIN}, {0, -1, PLAIN}, {-1, -1, PLAIN}},
	{INK_MENU_TITLE, {16, 255, BOLD}, {0, -1, BOLD}, {-1, -1, BOLD}},
	{INK_MENU_KEY, {94, 255, BOLD}, {5, -1, BOLD}, {5, -1, BOLD}},
	{INK_MENU_DIM, {241, 255, PLAIN}, {8, -1, PLAIN}, {-1, -1, DIM}},
	{INK_MENU_UNDER, {235, 255, UNDER}, {0, -1, UNDER}, {-1, -1, UNDER}},
	{INK_HEAD, {237, 254, PLAIN}, {0, -1, UNDER}, {-1, -1, UNDER}},
	{INK_HEAD_SORTED, {94, 254, BOLD}, {5, -1, BOLD | UNDER}, {5, -1, BOLD | UNDER}},
	{INK_HIT, {126, -1, BOLD}, {5, -1, BOLD}, {5, -1, BOLD}},
	{INK_HOT, {160, -1, BOLD}, {1, -1, BOLD}, {1, -1, BOLD}},
	{INK_WARM, {94, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_BAR, {130, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_LINK, {25, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_GREW, {160, -1, BOLD}, {1, -1, BOLD}, {1, -1, BOLD}},
	{INK_SHRANK, {22, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_PATH, {16, 250, PLAIN}, {0, 7, PLAIN}, {7, 4, PLAIN}},
	{INK_REST, {238, 252, PLAIN}, {0, 7, PLAIN}, {-1, -1, DIM}},
	{INK_BOX_HERE, {231, 16, BOLD}, {15, 0, BOLD}, {7, 0, BOLD}},
	{INK_SCRUB, {24, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_SCRUB_IN, {94, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, BOLD}},
	{INK_SCRUB_EDGE, {16, -1, BOLD}, {0, -1, BOLD}, {0, -1, BOLD}},
	{INK_COUNTER, {24, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_COUNTER_TOP, {66, -1, PLAIN}, {8, -1, PLAIN}, {4, -1, DIM}},
	{INK_COUNTER_BOTH, {24, 152, PLAIN}, {4, 7, PLAIN}, {4, 6, PLAIN}},
	{INK_COUNTER_ZERO, {231, 24, PLAIN}, {7, 4, PLAIN}, {7, 4, PLAIN}},
	{INK_PROGRESS, {22, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_STATE_RUNNING, {22, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_STATE_RUNNABLE, {94, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_STATE_WAITING, {242, -1, PLAIN}, {8, -1, PLAIN}, {-1, -1, DIM}},
	{INK_STATE_IO, {160, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_CODE_COMMENT, {242, -1, PLAIN}, {8, -1, PLAIN}, {-1, -1, DIM}},
	{INK_CODE_TEXT, {22, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_CODE_KEYWORD, {25, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_SPARSE_USER_1, {94, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_SPARSE_USER_2, {58, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_SPARSE_USER_3, {94, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_SPARSE_USER_4, {58, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_SPARSE_INTRINSIC_1, {22, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_SPARSE_INTRINSIC_2, {22, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_SPARSE_SYSTEM_1, {25, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_SPARSE_SYSTEM_2, {24, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_SPARSE_HUE_1, {94, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_SPARSE_HUE_2, {25, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_SPARSE_HUE_3, {22, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_SPARSE_HUE_4, {160, -1, PLAIN}, {1, -1, PLAIN}, {1, -1, PLAIN}},
	{INK_SPARSE_HUE_5, {23, -1, PLAIN}, {5, -1, PLAIN}, {5, -1, PLAIN}},
	{INK_SPARSE_HUE_6, {58, -1, PLAIN}, {0, -1, PLAIN}, {0, -1, PLAIN}},
	{INK_SPARSE_HUE_REST, {242, -1, PLAIN}, {8, -1, PLAIN}, {-1, -1, DIM}},
	{INK_SPARSE_BOX_HIT, {126, -1, BOLD}, {5, -1, BOLD}, {5, -1, BOLD}},
};

/* (Nearly) all eyes distinguish orange and blue, on either background. */
static const struct change pair_dark[] = {
	{INK_GREW, {215, -1, BOLD}, {11, -1, BOLD}, {3, -1, BOLD}},
	{INK_SHRANK, {75, -1, PLAIN}, {12, -1, PLAIN}, {6, -1, PLAIN}},
	{INK_GREW_1, {16, 208, PLAIN}, {0, 11, PLAIN}, {0, 3, PLAIN}},
	{INK_GREW_2, {16, 208, PLAIN}, {0, 3, PLAIN}, {0, 3, BOLD}},
	{INK_SHRANK_1, {16, 75, PLAIN}, {0, 14, PLAIN}, {7, 4, PLAIN}},
	{INK_SHRANK_2, {16, 75, PLAIN}, {15, 4, PLAIN}, {7, 4, BOLD}},
};
static const struct change pair_light[] = {
	{INK_GREW, {94, -1, BOLD}, {1, -1, BOLD}, {1, -1, BOLD}},
	{INK_SHRANK, {25, -1, PLAIN}, {4, -1, PLAIN}, {4, -1, PLAIN}},
	{INK_GREW_1, {16, 208, PLAIN}, {0, 11, PLAIN}, {0, 3, PLAIN}},
	{INK_GREW_2, {16, 208, PLAIN}, {0, 3, PLAIN}, {0, 3, BOLD}},
	{INK_SHRANK_1, {16, 75, PLAIN}, {0, 14, PLAIN}, {7, 4, PLAIN}},
	{INK_SHRANK_2, {16, 75, PLAIN}, {15, 4, PLAIN}, {7, 4, BOLD}},
};

static const struct change *
find_change(const struct change *list, size_t n, enum ink ink)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].ink == ink)
			return &list[i];
	return NULL;
}
#define FIND(list, ink) find_change(list, sizeof list / sizeof *list, ink)

static const struct change *
theme_changed(const struct theme *t, enum ink ink)
{
	bool is_light = t && t->ground == GROUND_LIGHT;
	const struct change *found = NULL;
	if (t && t->colour_blind)
		found = is_light ? FIND(pair_light, ink) : FIND(pair_dark, ink);
	return found || !is_light ? found : FIND(light, ink);
}

bool
theme_named(const char *name, struct theme *t)
{
	static const struct {
		const char *name;
		enum ground ground;
		bool colour_blind;
	} all[] = {
		{"auto", GROUND_ASK, false},
		{"dark", GROUND_DARK, false},
		{"light", GROUND_LIGHT, false},
		{"colour-blind", GROUND_ASK, true},
		{"colour-blind-dark", GROUND_DARK, true},
		{"colour-blind-light", GROUND_LIGHT, true},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name)) {
			t->ground = all[i].ground;
			t->colour_blind = all[i].colour_blind;
			return true;
		}
	return false;
}

/* The dense ink from which each sparse ink derives; 0 (TEXT) if the ink is not sparse. */
static const uint8_t dense[INK_COUNT] = {
#define INK_DENSE(name) [INK_SPARSE_##name] = INK_##name,
	SPARSE_INKS(INK_DENSE)
#undef INK_DENSE
};

enum ink
theme_sparse(enum ink ink)
{
	static const uint8_t sparse[INK_COUNT] = {
#define INK_SPARSE(name) [INK_##name] = INK_SPARSE_##name,
		SPARSE_INKS(INK_SPARSE)
#undef INK_SPARSE
	};
	return sparse[ink] ? (enum ink)sparse[ink] : ink;
}

static struct style
full_style(const struct theme *t, enum ink ink, int colours)
{
	const struct theme_look *l = &looks[ink];
	if (t && t->set[ink] && colours && t->style[ink].fg < colours &&
	    t->style[ink].bg < colours)
		return t->style[ink];
	const struct change *other = theme_changed(t, ink);
	if (colours >= 256)
		return other ? other->many : l->many;
	if (colours >= 16)
		return other ? other->sixteen : l->sixteen;
	if (colours >= 8)
		return other ? other->eight : l->eight;
	return (struct style){-1, -1, l->mono};
}

struct style
theme_style(const struct theme *t, enum ink ink, int colours)
{
	bool chosen = dense[ink] && t && t->set[dense[ink]];
	if (!dense[ink] || (colours && !chosen && theme_changed(t, ink)))
		return full_style(t, ink, colours);
	struct style s = full_style(t, (enum ink)dense[ink], colours);
	return (struct style){s.bg, -1, s.attr & (uint8_t)~STYLE_REVERSE};
}

/* ---- shades ---- */

struct rgb {
	int part[3];
};

static const int cube[] = {0, 95, 135, 175, 215, 255};

static struct rgb
rgb_of(int colour)
{
	int i = colour - CUBE_FIRST, grey = 8 + 10 * (colour - GREY_FIRST);
	if (colour >= GREY_FIRST)
		return (struct rgb){{grey, grey, grey}};
	return (struct rgb){{cube[i / 36], cube[i / 6 % 6], cube[i % 6]}};
}

/* How far b is from a.  Differences of hue count besides the lightness, since a module is known by
 * its hue; the parts alone would turn a pale gold into green. */
static int
colour_distance(struct rgb a, struct rgb b)
{
	int red = a.part[0] - b.part[0], green = a.part[1] - b.part[1],
	    blue = a.part[2] - b.part[2];
	int luma = (3 * red + 6 * green + blue) / 10;
	return LUMA_WEIGHT * luma * luma + (red - green) * (red - green) +
	       (green - blue) * (green - blue);
}

/* Chooses among the colours of the cube on both sides of each part, and the nearest grey. */
static int
nearest_colour(struct rgb c)
{
	int mean = (c.part[0] + c.part[1] + c.part[2]) / 3;
	int best = GREY_FIRST + (mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10);
	for (int sides = 0; sides < 8; sides++) {
		int colour = 0;
		for (int i = 0; i < 3; i++) {
			int step = 0;
			while (step < 4 && c.part[i] >= cube[step + 1])
				step++;
			colour = colour * 6 + step + (sides >> i & 1);
		}
		colour += CUBE_FIRST;
		if (colour_distance(rgb_of(colour), c) < colour_distance(rgb_of(best), c))
			best = colour;
	}
	return best;
}

/* Weighs the colours as the eye does. */
static bool
is_bright(struct rgb c)
{
	return c.part[0] * 3 + c.part[1] * 6 + c.part[2] > BRIGHT * 10;
}

bool
theme_shade(const struct theme *t, enum ink ink, unsigned eighths, int colours,
	    struct style *out)
{
	enum ink full = dense[ink] ? (enum ink)dense[ink] : ink;
	struct style s = theme_style(t, full, colours);
	int ground = t && t->ground == GROUND_LIGHT ? 255 : GROUND_DARKNESS;
	int part = FAINTEST * 8 + (8 - FAINTEST) * (int)eighths;
	if (colours < 256 || s.bg < CUBE_FIRST || eighths < 1) {
		*out = theme_style(t, ink, colours);
		return false;
	}
	struct rgb c = rgb_of(s.bg);
	for (int i = 0; i < 3 && eighths < 8; i++)
		c.part[i] = (c.part[i] * part + ground * (64 - part)) / 64;
	int bg = eighths < 8 ? nearest_colour(c) : s.bg;
	int fg = eighths < 8 ? is_bright(rgb_of(bg)) ? BLACK : WHITE : s.fg;
	*out = (struct style){(int16_t)fg, (int16_t)bg, s.attr};
	return true;
}

bool
theme_two(const struct theme *t, enum ink ink, enum ink lower, int colours, struct style *out)
{
	struct style upper = theme_style(t, ink, colours), under = theme_style(t, lower, colours);
	if (upper.bg == under.bg)
		theme_shade(t, lower, TWIN, colours, &under);
	bool differ = upper.bg != under.bg && under.bg >= 0;
	*out = differ ? (struct style){under.bg, upper.bg, 0} : upper;
	return differ;
}

/* True if `name` is the ink's name in lower case with dashes: "HEADER_NAME" is "header-name". */
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
		if (names[i] && is_called(names[i], name)) {
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
