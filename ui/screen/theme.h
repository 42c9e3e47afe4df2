/* theme.h - inks, and their looks on terminals of 256, 16, 8 and no colours.
 *
 * Code that draws states the meaning of a cell, never a colour. A character repeats all that an ink
 * expresses (the selected box has brackets, a search hit a star, the sorted column an arrow), so
 * that colours carry no information of their own. */
#ifndef PNAV_UI_SCREEN_THEME_H
#define PNAV_UI_SCREEN_THEME_H

#include <stdbool.h>
#include <stdint.h>

enum style_attr {
	STYLE_BOLD = 1,
	STYLE_DIM = 2,
	STYLE_UNDERLINE = 4,
	STYLE_REVERSE = 8,
};

/* clang-format off */
/* ink, then foreground, background and attributes for 256, 16 and 8 colours, then the
 * attributes without colours.  -1 is the terminal's own colour.  (The short names of the
 * attributes are those of theme.c.) */
#define INKS(X)                                                                            \
	X(TEXT,         -1, -1, PLAIN,  -1, -1, PLAIN,  -1, -1, PLAIN,  PLAIN)             \
	X(DIM,         245, -1, PLAIN,   8, -1, PLAIN,  -1, -1, DIM,    PLAIN)             \
	X(STRONG,       -1, -1, BOLD,   -1, -1, BOLD,   -1, -1, BOLD,   BOLD)              \
	X(HEADER,      252, 24, PLAIN,  15,  4, PLAIN,   7,  4, PLAIN,  REV)               \
	X(HEADER_NAME, 231, 24, BOLD,   15,  4, BOLD,    7,  4, BOLD,   REV | BOLD)        \
	X(RANGE,       179, -1, PLAIN,   3, -1, PLAIN,   3, -1, PLAIN,  PLAIN)             \
	X(FILTER,      110, -1, PLAIN,   6, -1, PLAIN,   6, -1, PLAIN,  PLAIN)             \
	X(RULE,        240, -1, PLAIN,   8, -1, PLAIN,  -1, -1, DIM,    PLAIN)             \
	X(TAB,         250, -1, PLAIN,   7, -1, PLAIN,  -1, -1, PLAIN,  PLAIN)             \
	X(TAB_HERE,    231, 24, BOLD,   15,  4, BOLD,    7,  4, BOLD,   REV | BOLD)        \
	X(KEY,         215, -1, BOLD,   11, -1, BOLD,    3, -1, BOLD,   BOLD)              \
	X(MESSAGE,      16, 179, PLAIN,  0,  3, PLAIN,   0,  3, PLAIN,  REV)               \
	X(ERROR,       231, 124, BOLD,  15,  1, BOLD,    7,  1, BOLD,   REV | BOLD)        \
	X(PROMPT,       -1, -1, BOLD,   -1, -1, BOLD,   -1, -1, BOLD,   BOLD)              \
	X(BORDER,      110, 235, PLAIN, 14, -1, PLAIN,   6, -1, PLAIN,  PLAIN)             \
	X(MENU,        252, 235, PLAIN,  7, -1, PLAIN,  -1, -1, PLAIN,  PLAIN)             \
	X(MENU_TITLE,  231, 235, BOLD,  15, -1, BOLD,   -1, -1, BOLD,   BOLD)              \
	X(MENU_KEY,    215, 235, BOLD,  11, -1, BOLD,    3, -1, BOLD,   BOLD)              \
	X(MENU_DIM,    246, 235, PLAIN,  8, -1, PLAIN,  -1, -1, DIM,    PLAIN)             \
	X(MENU_HERE,    16, 179, BOLD,   0,  3, PLAIN,   0,  3, PLAIN,  REV)               \
	X(MENU_UNDER,  252, 235, UNDER,  7, -1, UNDER,  -1, -1, UNDER,  UNDER)             \
	X(HEAD,        250, 237, PLAIN,  7, -1, UNDER,  -1, -1, UNDER,  UNDER)             \
	X(HEAD_SORTED, 215, 237, BOLD,  11, -1, BOLD | UNDER, 3, -1, BOLD | UNDER,         \
	  BOLD | UNDER)                                                                    \
	X(HERE,         16, 179, PLAIN,  0,  3, PLAIN,   0,  3, PLAIN,  REV)               \
	X(HIT,         213, -1, BOLD,   13, -1, BOLD,    5, -1, BOLD,   BOLD | UNDER)      \
	X(HOT,         203, -1, BOLD,    9, -1, BOLD,    1, -1, BOLD,   BOLD)              \
	X(WARM,        215, -1, PLAIN,  11, -1, PLAIN,   3, -1, PLAIN,  PLAIN)             \
	X(COOL,         -1, -1, PLAIN,  -1, -1, PLAIN,  -1, -1, PLAIN,  PLAIN)             \
	X(BAR,         173, -1, PLAIN,   3, -1, PLAIN,   3, -1, PLAIN,  PLAIN)             \
	X(LINK,        110, -1, PLAIN,   6, -1, PLAIN,   6, -1, PLAIN,  PLAIN)             \
	X(USER_1,       16, 180, PLAIN,  0,  3, PLAIN,   0,  3, PLAIN,  REV)               \
	X(USER_2,       16, 179, PLAIN,  0, 11, PLAIN,   0,  3, PLAIN,  REV)               \
	X(USER_3,       16, 181, PLAIN,  0,  3, PLAIN,   0,  3, PLAIN,  REV)               \
	X(USER_4,       16, 187, PLAIN,  0, 11, PLAIN,   0,  3, PLAIN,  REV)               \
	X(INTRINSIC_1,  16, 150, PLAIN,  0,  2, PLAIN,   0,  2, PLAIN,  REV)               \
	X(INTRINSIC_2,  16, 108, PLAIN,  0, 10, PLAIN,   0,  2, PLAIN,  REV)               \
	X(SYSTEM_1,     16, 110, PLAIN,  0,  6, PLAIN,   0,  6, PLAIN,  REV)               \
	X(SYSTEM_2,     16, 74, PLAIN,   0, 14, PLAIN,   0,  6, PLAIN,  REV)               \
	X(HUE_1,        16, 179, PLAIN,  0,  3, PLAIN,   0,  3, PLAIN,  REV)               \
	X(HUE_2,        16, 74, PLAIN,   0, 12, PLAIN,   0,  6, PLAIN,  REV)               \
	X(HUE_3,        16, 114, PLAIN,  0,  2, PLAIN,   0,  2, PLAIN,  REV)               \
	X(HUE_4,        16, 174, PLAIN,  0,  9, PLAIN,   7,  1, PLAIN,  REV)               \
	X(HUE_5,        16, 80, PLAIN,   0,  6, PLAIN,   7,  5, PLAIN,  REV)               \
	X(HUE_6,        16, 187, PLAIN,  0, 11, PLAIN,   0,  7, PLAIN,  REV)               \
	X(HUE_REST,     16, 248, PLAIN, 15,  8, PLAIN,  -1, -1, DIM,    REV)               \
	X(GREW,        203, -1, BOLD,    9, -1, BOLD,    1, -1, BOLD,   BOLD)              \
	X(SHRANK,       79, -1, PLAIN,  10, -1, PLAIN,   2, -1, PLAIN,  PLAIN)             \
	X(GREW_1,       16, 203, PLAIN,  0,  9, PLAIN,   7,  1, PLAIN,  REV)               \
	X(GREW_2,       16, 203, PLAIN, 15,  1, PLAIN,   7,  1, BOLD,   REV)               \
	X(SHRANK_1,     16, 79, PLAIN,  0, 10, PLAIN,   0,  2, PLAIN,  REV)               \
	X(SHRANK_2,     16, 79, PLAIN,   0,  2, PLAIN,   0,  2, PLAIN,  REV)               \
	X(SAME,         16, 250, PLAIN,  0,  7, PLAIN,   0,  7, PLAIN,  REV)               \
	X(PATH,        255, 240, PLAIN,  0,  7, PLAIN,   7,  4, PLAIN,  REV)               \
	X(REST,        253, 239, PLAIN, 15,  8, PLAIN,  -1, -1, DIM,    DIM)               \
	X(BOX_HIT,      16, 177, BOLD,  15,  5, BOLD,    7,  5, BOLD,   REV | UNDER)       \
	X(BOX_HERE,     16, 231, BOLD,   0, 15, PLAIN,   0,  7, PLAIN,  BOLD | UNDER)      \
	X(SCRUB,       109, -1, PLAIN,   6, -1, PLAIN,   6, -1, PLAIN,  PLAIN)             \
	X(SCRUB_IN,    215, -1, PLAIN,  11, -1, PLAIN,   3, -1, BOLD,   BOLD)              \
	X(SCRUB_EDGE,  231, -1, BOLD,   15, -1, BOLD,    7, -1, BOLD,   BOLD)              \
	X(SCRUB_HERE,   16, 215, BOLD,   0, 11, PLAIN,   0,  3, PLAIN,  REV)               \
	X(COUNTER,     109, -1, PLAIN,   6, -1, PLAIN,   6, -1, PLAIN,  PLAIN)             \
	X(COUNTER_TOP,  66, -1, PLAIN,   8, -1, PLAIN,   4, -1, PLAIN,  DIM)               \
	X(COUNTER_BOTH, 109, 23, PLAIN, 14,  8, PLAIN,   6,  4, PLAIN,  PLAIN)             \
	X(COUNTER_ZERO, 16, 109, PLAIN,  0,  6, PLAIN,   0,  6, PLAIN,  REV)               \
	X(STATE_RUNNING, 114, -1, PLAIN, 10, -1, PLAIN,  2, -1, PLAIN,  PLAIN)             \
	X(STATE_RUNNABLE, 215, -1, PLAIN, 11, -1, PLAIN, 3, -1, PLAIN,  PLAIN)             \
	X(STATE_WAITING, 247, -1, PLAIN, 8, -1, PLAIN,  -1, -1, DIM,    PLAIN)             \
	X(STATE_IO,    203, -1, PLAIN,   9, -1, PLAIN,   1, -1, PLAIN,  PLAIN)             \
	X(PROGRESS,    114, -1, PLAIN,  10, -1, PLAIN,   2, -1, PLAIN,  PLAIN)             \
	X(CODE_COMMENT, 245, -1, PLAIN,  8, -1, PLAIN,  -1, -1, DIM,    DIM)               \
	X(CODE_TEXT,   108, -1, PLAIN,   2, -1, PLAIN,   2, -1, PLAIN,  PLAIN)             \
	X(CODE_KEYWORD, 110, -1, PLAIN,  6, -1, PLAIN,   6, -1, PLAIN,  PLAIN)
/* clang-format on */

/* Inks of filled boxes that also have a sparse form: their background becomes the colour of the
 * characters, on the terminal's background, so that dots look like less of it. */
#define SPARSE_INKS(X)                                                                     \
	X(USER_1) X(USER_2) X(USER_3) X(USER_4) X(INTRINSIC_1) X(INTRINSIC_2) X(SYSTEM_1)  \
	X(SYSTEM_2) X(BOX_HIT) X(BOX_HERE) X(HUE_1) X(HUE_2) X(HUE_3) X(HUE_4) X(HUE_5)    \
	X(HUE_6) X(HUE_REST)

enum ink {
#define INK_ENUM(name, ...) INK_##name,
	INKS(INK_ENUM)
#undef INK_ENUM
#define INK_ENUM(name) INK_SPARSE_##name,
	SPARSE_INKS(INK_ENUM)
#undef INK_ENUM
		INK_COUNT
};

struct style {
	int16_t fg, bg; /* colour numbers, -1: the terminal's own */
	uint8_t attr;   /* enum style_attr */
};

/* The terminal's background. */
enum ground { GROUND_ASK, GROUND_DARK, GROUND_LIGHT };

/* The looks that the user chose. All others are as listed above, or, on a light background and for
 * colour-blind users, as in the lists of theme.c. */
struct theme {
	enum ground ground; /* GROUND_ASK is dark until the terminal has answered */
	bool colour_blind;  /* comparisons in orange and blue */
	struct style style[INK_COUNT];
	bool set[INK_COUNT];
};

/* Returns the look of an ink with this number of colours (0: none); t may be NULL. A colour that
 * the terminal lacks leaves the ink as listed, as does a terminal without colours. */
struct style theme_style(const struct theme *t, enum ink ink, int colours);
/* Gets the look of a cell whose upper and lower parts have the backgrounds of two inks
 * (canvas_two()). Two of the same colour differ in their shade. Returns false if they look the same
 * nevertheless; the style is then that of `ink`. */
bool theme_two(const struct theme *t, enum ink ink, enum ink lower, int colours,
	       struct style *out);
/* Gets the look of an ink at `eighths` of its colour: its background mixed with that of the
 * terminal (from the faintest visible shade, 1, to all of it, 8), and letters that are readable on
 * it. Returns false without 256 colours, and for inks without a background of the
 * cube: *out is then theme_style(). */
bool theme_shade(const struct theme *t, enum ink ink, unsigned eighths, int colours,
		 struct style *out);
/* Sets ground and colour_blind from "auto", "dark", "light", "colour-blind", "colour-blind-dark" or
 * "colour-blind-light". Returns false for other names. */
bool theme_named(const char *name, struct theme *t);
/* Returns the sparse form of an ink; the ink itself if it has none. */
enum ink theme_sparse(enum ink ink);
/* Finds the ink with this name, "header-name". Returns false if there is none. Sparse forms have no
 * names: they follow their inks. */
bool theme_ink(const char *name, enum ink *out);
/* Returns the ink of a number by its share of the whole: HOT from 10 %, WARM from 1 %. */
enum ink theme_heat(int64_t part, int64_t whole);

#endif
