/* app_save.c - files that the browser writes, and the two that it reads: filters and sessions.
 *
 * pnav never overwrites a file: the prompt reports an existing name and keeps the text for editing.
 * The program that starts the browser provides a callback that writes formats, because ui/ knows no
 * encoders; the browser passes only the lens.
 *
 * A session is restored after the file has loaded.  Before that, a place could be missing only
 * because it is not loaded yet. */
#include "ui/app/app_save.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/lens/words.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"
#include "ui/app/config.h"
#include "ui/screen/ansi.h"

#define SAVED_COLOURS 256

/* ---- sessions ---- */

static void
add_files(const struct app *a, struct session *s)
{
	char path[PATH_MAX];
	for (size_t i = 0; i < a->config->n_files; i++) {
		const char *file = a->config->files[i];
		/* a stream cannot be read twice, and resuming reports that */
		bool named = strcmp(file, "-") && realpath(file, path);
		session_add_file(s, named ? path : file);
	}
}

static void
add_options(const struct app *a, struct session *s)
{
	char path[PATH_MAX];
	for (size_t i = 0; i < a->config->n_options; i++) {
		const struct app_option *o = &a->config->options[i];
		bool named = o->is_file && realpath(o->value, path);
		session_add_option(s, o->name, named ? path : o->value);
	}
}

static void
add_states(const struct app *a, struct session *s)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++) {
		struct buf words = BUF_INIT;
		if (a->open.states[i] && views[i]->save_state)
			views[i]->save_state(a->open.states[i], &words);
		if (words.len)
			session_add_state(s, views[i]->name, buf_str(&words));
		buf_release(&words);
	}
}

void
app_keep(const struct app *a, struct session *s)
{
	s->view = mem_dup(a->open.view->name, strlen(a->open.view->name));
	lens_release(&s->lens);
	lens_release(&s->base);
	lens_copy(&s->lens, &a->look.now.lens);
	s->comparing = a->look.now.comparing;
	lens_copy(&s->base, &a->look.now.base);
	s->chains = a->scene.chains;
	s->sure_only = a->scene.sure_only;
	s->coloured = app_colour_by_said(a);
	s->colour_by = a->hues.by;
	if (a->search.pattern) {
		const char *text = pattern_text(a->search.pattern);
		s->search = mem_dup(text, strlen(text));
	}
	place_of(&a->scene, a->nav.node, &s->selected);
	place_of(&a->scene, a->nav.zoom, &s->zoom);
	add_states(a, s);
}

static void
write_session(const struct app *a, struct buf *out)
{
	struct session s;
	session_init(&s);
	add_files(a, &s);
	add_options(a, &s);
	s.compares = a->config->command != NULL;
	s.n_base = a->config->n_base;
	s.normalize = a->config->normalize;
	s.independent = a->config->independent;
	app_keep(a, &s);
	s.marks = a->marks;
	session_write(&s, out);
	s.marks = (struct marks){0}; /* the browser keeps owning them */
	session_release(&s);
}

static void
restore_states(struct app *a, const struct session *s)
{
	for (size_t k = 0; k < s->states.n; k++)
		for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
			if (views[i]->restore_state &&
			    !strcmp(views[i]->name, s->states.at[k].view))
				views[i]->restore_state(app_view_state(a, views[i]),
						 s->states.at[k].text);
}

void
app_restore(struct app *a)
{
	const struct session *s = a->config->session;
	struct err e;
	bool zoomed = true, selected = true;
	err_init(&e);
	a->load.restore_due = false;
	app_look_finish(a);
	restore_states(a, s);
	a->scene.chains = s->chains;
	app_sure_only(a, s->sure_only);
	if (s->coloured)
		hues_set(&a->hues, s->colour_by);
	for (size_t i = 0; i < s->marks.list.n; i++) {
		const struct mark *m = &s->marks.list.at[i];
		struct place place;
		place_copy(&place, &m->place);
		marks_put(&a->marks, m->name, m->from, m->to, &place);
	}
	if (s->search && !a->search.pattern)
		search_set(&a->search, pattern_new(s->search, strlen(s->search), &e));
	if (!a->nav.moves || a->nav.proposed) {
		node_id zoom = place_find(&a->scene, &s->zoom, &zoomed);
		node_id here = place_find(&a->scene, &s->selected, &selected);
		nav_zoom(&a->nav, a->look.fold, zoom);
		if (s->selected.names.n)
			nav_select(&a->nav, a->look.fold, a->scene.p, here);
	}
	if (s->faults.lines.n)
		app_fault(a, "%s%s", s->faults.lines.at[0],
			  s->faults.lines.n > 1 ? " (and more)" : "");
	else if (!zoomed || !selected)
		app_say(a, "the selection is not in this profile");
}

/* ---- files ---- */

static bool
read_spec(struct app *a, const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	struct lens l;
	lens_copy(&l, &a->look.now.lens);
	bool good = settings_load(path, &text, e) &&
		    lens_read_spec(&l, path, buf_str(&text), text.len, e);
	if (good)
		app_change(a, &l);
	else
		lens_release(&l);
	buf_release(&text);
	return good;
}

/* Composes the text to write, if the browser writes it itself. */
static void
app_write_text(struct app *a, struct buf *out)
{
	const struct config *user = a->config->user;
	if (a->asked.file == FILE_SPEC) {
		lens_write_spec(&a->look.now.lens, out);
	} else if (a->asked.file == FILE_SESSION) {
		write_session(a, out);
	} else {
		app_arrange(a);
		app_draw(a, &a->canvas); /* as it looks without this prompt */
		if (a->asked.file == FILE_ANSI)
			ansi_write(&a->canvas, user ? &user->theme : NULL, SAVED_COLOURS,
				   out);
		else
			canvas_write(&a->canvas, out);
	}
}

static bool
reads_stream(const struct app *a)
{
	for (size_t i = 0; i < a->config->n_files; i++)
		if (!strcmp(a->config->files[i], "-"))
			return true;
	return false;
}

static bool
file_done(void *ctx, struct prompt *p, const char *path)
{
	struct app *a = ctx;
	const struct app_exports *x = a->config->exports;
	struct err e;
	bool good = true;
	err_init(&e);
	if (!*path)
		return true;
	if (a->asked.file == FILE_LOAD_SPEC) {
		good = read_spec(a, path, &e);
	} else {
		if (a->asked.file >= FILE_EXPORT) {
			good = x->write(x->ctx, (size_t)(a->asked.file - FILE_EXPORT),
					&a->look.now.lens, &a->marks, path, &e);
		} else {
			struct buf text = BUF_INIT;
			app_write_text(a, &text);
			good = x ? x->save(path, buf_str(&text), text.len, &e)
				 : err_usage(&e, "there is nothing to write here");
			buf_release(&text);
		}
		if (good)
			app_say(a, "written: %s%s", path,
				a->asked.file == FILE_SESSION && reads_stream(a)
					? "   (without the profile: it came from a pipe)"
					: "");
	}
	if (!good)
		prompt_note(p, true, "%s", e.text);
	return good;
}

static const struct prompt_hooks file_hooks = {.done = file_done};

/* Proposes a name: "checkout.bsprof" -> "checkout". */
static void
add_stem(const struct app *a, struct buf *out)
{
	const char *path = a->config->n_files ? a->config->files[0] : "-";
	const char *base = base_name(path);
	size_t len = *base == '.' ? strlen(base) : strcspn(base, ".");
	if (!strcmp(base, "-"))
		buf_adds(out, "stdin");
	else
		buf_add(out, base, len);
}

void
app_ask_file(struct app *a, int what)
{
	static const char *const labels[] = {
		[FILE_SCREEN] = "save the screen as: ",
		[FILE_ANSI] = "save the screen with its colours as: ",
		[FILE_SESSION] = "save the session as: ",
		[FILE_SPEC] = "save the filters as: ",
		[FILE_LOAD_SPEC] = "load filters from: ",
	};
	struct buf label = BUF_INIT, path = BUF_INIT;
	a->asked.file = what;
	if (what >= FILE_EXPORT) {
		const char *name = a->config->exports->name((size_t)(what - FILE_EXPORT));
		buf_addf(&label, "export as %s to: ", name);
		buf_adds(&path, "pnav-");
		add_stem(a, &path);
		buf_addf(&path, ".%s", name);
	} else {
		buf_adds(&label, labels[what]);
		if (what == FILE_SESSION)
			add_stem(a, &path);
		buf_adds(&path, what == FILE_SCREEN    ? "pnav-screen.txt"
				: what == FILE_ANSI    ? "pnav-screen.ansi"
				: what == FILE_SESSION ? ".pnav"
						       : "");
	}
	app_prompt(a, buf_str(&label), buf_str(&path), &file_hooks, ASKED_FILE);
	prompt_suggest(&a->front.prompt);
	buf_release(&label);
	buf_release(&path);
}

/* ---- the menu ---- */

static void
save_chosen(void *ctx, struct menu *m, int id)
{
	(void)m;
	app_ask_file(ctx, id);
}

static const struct menu_hooks save_hooks = {.chosen = save_chosen};

static void
menu_save(struct app *a)
{
	const struct app_exports *x = a->config->exports;
	struct menu *m = app_menu(a, "save", &save_hooks);
	menu_add(m, FILE_SCREEN, 't', "the screen as text", NULL);
	menu_add(m, FILE_ANSI, 'c', "the screen with its colours", "for less -R");
	menu_add(m, FILE_SESSION, 's', "the session", "for --session");
	menu_add(m, FILE_SPEC, 'f', "the filters", "for --filter-file");
	for (size_t i = 0; x && i < x->n; i++) {
		struct buf label = BUF_INIT;
		buf_addf(&label, "what is shown as %s", x->name(i));
		menu_add(m, FILE_EXPORT + (int)i, i < 9 ? '1' + (uint32_t)i : 0,
			 buf_str(&label), x->title(i));
		buf_release(&label);
	}
}

const struct app_action app_save_actions[] = {
	{ACTION_SAVE, menu_save},
	{ACTION_NONE, NULL},
};
