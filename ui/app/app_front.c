/* app_front.c - prompts, menus and pagers in front of the view: one prompt, one menu and one
 * pager, on one stack (ui/part/modal.h).
 *
 * All of them open through this file, so every open one receives input. */
#include "ui/app/app_front.h"

/* ---- prompt and menu ---- */

void
app_prompt(struct app *a, const char *label, const char *text,
	   const struct prompt_hooks *hooks, enum asked kind)
{
	prompt_open(&a->front.prompt, label, text, hooks, a, &a->front.history[kind]);
	modals_push(&a->front.stack, &prompt_modal, &a->front.prompt);
}

struct menu *
app_menu(struct app *a, const char *title, const struct menu_hooks *hooks)
{
	menu_open(&a->front.menu, title, hooks, a);
	modals_push(&a->front.stack, &menu_modal, &a->front.menu);
	return &a->front.menu;
}

/* ---- the pager ---- */

/* The manual and the help search for text, not for patterns. */
static bool
pager_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	if (!*text || pager_find(&a->front.pager, text, 1))
		return true;
	prompt_note(p, true, "not found: %s", text);
	return false;
}

static const struct prompt_hooks search_hooks = {.done = pager_done};

static void
ask_in_pager(void *ctx)
{
	app_prompt(ctx, "/", "", &search_hooks, ASKED_SEARCH);
}

static void
quit(void *ctx)
{
	((struct app *)ctx)->quit = true;
}

static void
app_front_chosen(void *ctx, size_t i)
{
	struct app *a = ctx;
	if (a->front.chosen)
		a->front.chosen(a, i);
}

static const struct pager_hooks pager_hooks = {
	.ask = ask_in_pager,
	.quit = quit,
	.chosen = app_front_chosen,
};

struct pager *
app_pager(struct app *a, const char *title, const char *text, size_t len)
{
	pager_open(&a->front.pager, title, text, len);
	pager_arrange(&a->front.pager, &a->canvas);
	modals_push(&a->front.stack, &pager_modal, &a->front.pager);
	return &a->front.pager;
}

/* ---- begin and end ---- */

void
app_front_init(struct app *a)
{
	prompt_init(&a->front.prompt);
	menu_init(&a->front.menu);
	pager_init(&a->front.pager);
	a->front.pager.hooks = &pager_hooks;
	a->front.pager.ctx = a;
}

void
app_front_release(struct app *a)
{
	for (size_t i = 0; i < ASKED_KINDS; i++)
		prompt_history_release(&a->front.history[i]);
	prompt_release(&a->front.prompt);
	menu_release(&a->front.menu);
	pager_release(&a->front.pager);
}
