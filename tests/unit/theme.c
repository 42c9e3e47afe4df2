#include "ui/screen/theme.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/lib/unit.h"

/* The inks on dark and light backgrounds: each is legible by the contrast of WCAG 2 (relative
 * luminance), on backgrounds of common terminals. Of 256 colours the cube and the greys are
 * computed; the first 16 are those of xterm. */

struct rgb {
	double r, g, b;
};

static struct rgb
hex(unsigned n)
{
	return (struct rgb){(n >> 16) / 255.0, (n >> 8 & 255) / 255.0, (n & 255) / 255.0};
}

static struct rgb
colour(int n)
{
	static const unsigned sixteen[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00,
					   0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
					   0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
					   0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
	static const double level[] = {0, 95, 135, 175, 215, 255};
	if (n < 16)
		return hex(sixteen[n]);
	if (n >= 232) {
		double grey = (8 + 10 * (n - 232)) / 255.0;
		return (struct rgb){grey, grey, grey};
	}
	n -= 16;
	return (struct rgb){level[n / 36] / 255, level[n / 6 % 6] / 255, level[n % 6] / 255};
}

static double
linear(double c)
{
	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
luminance(struct rgb c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double
contrast(struct rgb a, struct rgb b)
{
	double x = luminance(a), y = luminance(b);
	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* Grounds that terminals come with: black, VS Code, Solarized, Gruvbox. */
static const unsigned dark[] = {0x000000, 0x1e1e1e, 0x002b36, 0x282828};
static const unsigned light[] = {0xffffff, 0xfdf6e3, 0xfbf1c7, 0xeeeeee};

static const char *const names[INK_COUNT] = {
#define INK_NAME(id, ...) [INK_##id] = #id,
	INKS(INK_NAME)
#undef INK_NAME
#define INK_NAME(id) [INK_SPARSE_##id] = "SPARSE_" #id,
	SPARSE_INKS(INK_NAME)
#undef INK_NAME
};

/* The required contrast of an ink: text 4.5 (WCAG 1.4.3), minor text and large bars 3 (1.4.11); a
 * rule is ornament. */
static double
needs(enum ink ink)
{
	switch ((int)ink) {
	case INK_RULE:
		return 1.3;
	case INK_DIM:
	case INK_MENU_DIM:
	case INK_SCRUB:
	case INK_BAR:
	case INK_COUNTER:
	case INK_COUNTER_TOP:
	case INK_COUNTER_BOTH:
	case INK_BORDER:
	case INK_CODE_COMMENT:
		return 3;
	default:
		return 4.5;
	}
}

static void
check_ground(struct theme *t, const unsigned *grounds, size_t n, int colours, double share)
{
	for (int i = 0; i < INK_COUNT; i++) {
		struct style s = theme_style(t, (enum ink)i, colours);
		ck_assert_msg(s.bg < 0 || s.fg >= 0, "%s: a ground without a colour", names[i]);
		ck_assert_int_lt(s.fg, colours);
		ck_assert_int_lt(s.bg, colours);
		for (size_t k = 0; s.fg >= 0 && k < n; k++) {
			struct rgb on = s.bg >= 0 ? colour(s.bg) : hex(grounds[k]);
			double has = contrast(colour(s.fg), on);
			ck_assert_msg(has >= needs((enum ink)i) * share,
				      "%s, %d colours, on %06x: %.2f", names[i], colours,
				      grounds[k], has);
		}
	}
}

static void
check_all(const char *name, const unsigned *grounds)
{
	struct theme t = {0};
	ck_assert(theme_named(name, &t));
	check_ground(&t, grounds, 4, 256, 1);
	/* The first colours depend on the terminal: here xterm's, on its own background. Red on
	 * black has a contrast of 3.6 there, so the test requires no more than 3 of text. */
	check_ground(&t, grounds, 1, 16, 2.0 / 3);
	check_ground(&t, grounds, 1, 8, 2.0 / 3);
}

START_TEST(test_contrast)
{
	check_all("dark", dark);
	check_all("auto", dark);
	check_all("colour-blind-dark", dark);
	check_all("light", light);
	check_all("colour-blind-light", light);
}
END_TEST

/* Unreadable inks are found. */
START_TEST(test_dark_on_light)
{
	struct theme t = {.ground = GROUND_DARK};
	struct style s = theme_style(&t, INK_KEY, 256);
	ck_assert_double_lt(contrast(colour(s.fg), hex(0xffffff)), 3);
	ck_assert_double_gt(contrast(hex(0x000000), hex(0xffffff)), 20.9);
	ck_assert_double_gt(contrast(colour(231), colour(16)), 20.9); /* both as WCAG says */
}
END_TEST

/* As an eye without red or green cones sees it (Vienot, Brettel, Mollon 1999). */
static struct rgb
seen(struct rgb c, bool no_red)
{
	double r = linear(c.r), g = linear(c.g), b = linear(c.b);
	struct rgb out;
	if (no_red)
		out = (struct rgb){0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g,
				   0.00401 * r - 0.00401 * g + b};
	else
		out = (struct rgb){0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g,
				   -0.02234 * r + 0.02234 * g + b};
	return out;
}

static double
lab_f(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* The chroma difference (CIE 1976 a*, b*) of two colours of linear light: their lightness,
 * which a shade of the same colour has as well, is left out. */
static double
apart(struct rgb x, struct rgb y)
{
	double ab[2][2];
	for (int i = 0; i < 2; i++) {
		struct rgb c = i ? y : x;
		double fx = lab_f((0.4124 * c.r + 0.3576 * c.g + 0.1805 * c.b) / 0.9505);
		double fy = lab_f(0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b);
		double fz = lab_f((0.0193 * c.r + 0.1192 * c.g + 0.9505 * c.b) / 1.089);
		ab[i][0] = 500 * (fx - fy);
		ab[i][1] = 200 * (fy - fz);
	}
	return hypot(ab[0][0] - ab[1][0], ab[0][1] - ab[1][1]);
}

static double
pair_apart(const struct theme *t, enum ink grew, enum ink shrank, bool grounds, bool no_red)
{
	struct style a = theme_style(t, grew, 256), b = theme_style(t, shrank, 256);
	return apart(seen(colour(grounds ? a.bg : a.fg), no_red),
		     seen(colour(grounds ? b.bg : b.fg), no_red));
}

static double
worst_apart(const char *name)
{
	struct theme t = {0};
	double worst = INFINITY;
	ck_assert(theme_named(name, &t));
	for (int no_red = 0; no_red < 2; no_red++) {
		worst = fmin(worst, pair_apart(&t, INK_GREW, INK_SHRANK, false, no_red));
		worst = fmin(worst, pair_apart(&t, INK_GREW_1, INK_SHRANK_1, true, no_red));
		worst = fmin(worst, pair_apart(&t, INK_GREW_2, INK_SHRANK_2, true, no_red));
	}
	return worst;
}

START_TEST(test_colour_blind)
{
	ck_assert_double_gt(worst_apart("colour-blind-dark"), 35);
	ck_assert_double_gt(worst_apart("colour-blind-light"), 35);
	ck_assert_double_lt(worst_apart("dark"), 35); /* red and green are not */
}
END_TEST

/* Nothing changes without colours, on either background; and the user's choice wins. */
START_TEST(test_plain)
{
	struct theme t = {.ground = GROUND_LIGHT, .colour_blind = true};
	for (int i = 0; i < INK_COUNT; i++) {
		struct style a = theme_style(NULL, (enum ink)i, 0);
		struct style b = theme_style(&t, (enum ink)i, 0);
		ck_assert(a.fg == -1 && a.bg == -1 && b.fg == -1 && b.bg == -1);
		ck_assert_uint_eq(a.attr, b.attr);
	}
	t.set[INK_KEY] = true;
	t.style[INK_KEY] = (struct style){5, -1, STYLE_DIM};
	ck_assert_int_eq(theme_style(&t, INK_KEY, 256).fg, 5);
	ck_assert(!theme_named("dusk", &t));
}
END_TEST

static double
differ(struct rgb a, struct rgb b)
{
	return fabs(a.r - b.r) + fabs(a.g - b.g) + fabs(a.b - b.b);
}

/* Each shade is about as far from the ground as the one before, or farther; 1 % and 49 % of a
 * colour (1 and 4) differ clearly, 7/8 and all of it hardly; letters are legible on each. */
static void
check_shades(const char *name, const unsigned *grounds)
{
	struct theme t = {0};
	ck_assert(theme_named(name, &t));
	for (enum ink ink = INK_USER_1; ink <= INK_HUE_REST; ink++) {
		double from[9] = {0};
		struct rgb at[9];
		for (unsigned i = 1; i <= 8; i++) {
			struct style s;
			ck_assert(theme_shade(&t, theme_sparse(ink), i, 256, &s));
			ck_assert_double_ge(contrast(colour(s.fg), colour(s.bg)), 4.5);
			at[i] = colour(s.bg);
			from[i] = contrast(at[i], hex(grounds[0]));
			ck_assert_msg(from[i] >= from[i - 1] * 0.9, "%s: %s, %u of 8", name,
				      names[ink], i);
		}
		ck_assert_msg(from[1] > 1.05 && differ(at[1], at[4]) > 0.15, "%s: %s", name,
			      names[ink]);
		ck_assert_double_lt(from[8] / from[7], 1.5);
	}
}

START_TEST(test_shades)
{
	static const int few[] = {0, 8, 16};
	struct style s, plain = theme_style(NULL, INK_SPARSE_HUE_1, 16);
	check_shades("dark", dark);
	check_shades("light", light);
	for (int i = 0; i < 3; i++)
		ck_assert(!theme_shade(NULL, INK_SPARSE_HUE_1, 4, few[i], &s));
	ck_assert(s.fg == plain.fg && s.bg == plain.bg);
	ck_assert(!theme_shade(NULL, INK_TEXT, 4, 256, &s));
}
END_TEST

UNIT(theme)
{
	Suite *suite = suite_create("theme");
	TCase *t = tcase_create("theme");
	tcase_add_test(t, test_contrast);
	tcase_add_test(t, test_dark_on_light);
	tcase_add_test(t, test_colour_blind);
	tcase_add_test(t, test_plain);
	tcase_add_test(t, test_shades);
	suite_add_tcase(suite, t);
	return suite;
}
