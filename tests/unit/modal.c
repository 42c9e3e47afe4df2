/* modal.c - the stack of prompts, menus and pagers in front of the view (ui/part/modal.h):
 * which one gets input, the order of drawing, and modals that close or open another in their
 * own hook. */
#include "ui/part/modal.h"

#include <check.h>

#include "tests/lib/unit.h"

struct card {
	bool open;
	uint32_t key;      /* the last one */
	int drawn;         /* when, counted from 1; 0: not */
	int texts, clicks; /* how many */
	struct card *opens; /* pushed by the next key, which closes this one */
};

static struct modals stack;
static int drawings;

static bool
is_open(const void *self)
{
	return ((const struct card *)self)->open;
}

static void
draw(const void *self, struct canvas *c)
{
	(void)c;
	((struct card *)(uintptr_t)self)->drawn = ++drawings;
}

static void text(void *self, const char *text);
static void key(void *self, uint32_t key);
static void mouse(void *self, const struct event_in *e, const struct canvas *c);

static const struct modal_ops line = {
	.is_open = is_open, .draw = draw, .key = key, .text = text};
static const struct modal_ops box = {
	.is_open = is_open, .draw = draw, .key = key, .mouse = mouse};
static const struct modal_ops page = {
	.covers = true, .is_open = is_open, .draw = draw, .key = key};

static void
key(void *self, uint32_t key)
{
	struct card *card = self;
	card->key = key;
	if (!card->opens)
		return;
	card->open = false;
	card->opens->open = true;
	modals_push(&stack, &box, card->opens);
	card->opens = NULL;
}

static void
text(void *self, const char *text)
{
	(void)text;
	((struct card *)self)->texts++;
}

static void
mouse(void *self, const struct event_in *e, const struct canvas *c)
{
	(void)e;
	(void)c;
	((struct card *)self)->clicks++;
}

static void
begin(void)
{
	stack = (struct modals){0};
	drawings = 0;
}

START_TEST(test_empty)
{
	struct event_in click = {.kind = EVENT_CLICK};
	ck_assert_ptr_null(modals_top(&stack));
	ck_assert(!modals_key(&stack, 'x'));
	ck_assert(!modals_text(&stack, "x"));
	ck_assert(!modals_mouse(&stack, &click, NULL));
	ck_assert(!modals_cover(&stack));
	modals_draw(&stack, NULL);
}
END_TEST

START_TEST(test_topmost_alone)
{
	struct card manual = {.open = true}, search = {.open = true};
	modals_push(&stack, &page, &manual);
	modals_push(&stack, &line, &search);
	ck_assert(modals_key(&stack, 'x'));
	ck_assert_uint_eq(search.key, 'x');
	ck_assert_uint_eq(manual.key, 0);
	ck_assert(modals_text(&stack, "pasted"));
	ck_assert_int_eq(search.texts, 1);
	/* closed: the one below is the topmost, and wants a text key by key */
	search.open = false;
	ck_assert(!modals_text(&stack, "pasted"));
	ck_assert(modals_key(&stack, 'y'));
	ck_assert_uint_eq(manual.key, 'y');
	ck_assert_uint_eq(search.key, 'x');
}
END_TEST

START_TEST(test_mouse_stays_in_front)
{
	struct card menu = {.open = true}, prompt = {.open = true};
	struct event_in click = {.kind = EVENT_CLICK};
	modals_push(&stack, &box, &menu);
	ck_assert(modals_mouse(&stack, &click, NULL));
	modals_push(&stack, &line, &prompt);
	/* has no meaning for a prompt, and must not reach the modal below */
	ck_assert(modals_mouse(&stack, &click, NULL));
	ck_assert_int_eq(menu.clicks, 1);
}
END_TEST

START_TEST(test_drawn_from_below)
{
	struct card menu = {.open = true}, manual = {.open = true}, search = {.open = true};
	modals_push(&stack, &box, &menu);
	ck_assert(!modals_cover(&stack));
	modals_push(&stack, &page, &manual);
	modals_push(&stack, &line, &search);
	ck_assert(modals_cover(&stack));
	modals_draw(&stack, NULL);
	ck_assert_int_eq(menu.drawn, 0); /* covered by the page */
	ck_assert_int_eq(manual.drawn, 1);
	ck_assert_int_eq(search.drawn, 2);
	manual.open = false;
	ck_assert(!modals_cover(&stack));
	modals_draw(&stack, NULL);
	ck_assert_int_eq(menu.drawn, 3);
	ck_assert_int_eq(search.drawn, 4);
}
END_TEST

START_TEST(test_one_opens_another)
{
	struct card menu = {0}, prompt = {.open = true, .opens = &menu};
	modals_push(&stack, &line, &prompt);
	modals_key(&stack, 'x');
	ck_assert_ptr_eq(modals_top(&stack)->self, &menu);
	/* and itself again, as the prompt of a command asks for a pattern */
	menu.opens = &menu;
	modals_key(&stack, 'y');
	ck_assert_ptr_eq(modals_top(&stack)->self, &menu);
	ck_assert_uint_eq(stack.n, 1);
}
END_TEST

START_TEST(test_never_fills)
{
	struct card a = {.open = true}, b = {.open = true};
	for (int i = 0; i < 10 * MODALS_MAX; i++) {
		modals_push(&stack, &box, &a);
		modals_push(&stack, &line, &b);
	}
	ck_assert_uint_eq(stack.n, 2);
	ck_assert_ptr_eq(modals_top(&stack)->self, &b);
}
END_TEST

UNIT(modal)
{
	Suite *suite = suite_create("modal");
	TCase *t = tcase_create("modal");
	tcase_add_checked_fixture(t, begin, NULL);
	tcase_add_test(t, test_empty);
	tcase_add_test(t, test_topmost_alone);
	tcase_add_test(t, test_mouse_stays_in_front);
	tcase_add_test(t, test_drawn_from_below);
	tcase_add_test(t, test_one_opens_another);
	tcase_add_test(t, test_never_fills);
	suite_add_tcase(suite, t);
	return suite;
}
