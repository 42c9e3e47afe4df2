/* app_edit.c - `e`: opens the user's editor at the line of the selection.
 *
 * The view names the line (its cursor), otherwise it is the definition of the selected function.
 * The editor owns the terminal while it runs, and the profile continues to load. Afterwards pnav
 * redraws the screen, and the source view reads its file again.  Without a terminal pnav reports
 * the command instead. */
#include <stdlib.h>

#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/editor.h"
#include "ui/view/source/source_files.h"

static bool
place_of_function(struct app *a, struct buf *path, uint32_t *line)
{
	const struct profile *p = a->scene.p;
	struct buf recorded = BUF_INIT;
	if (a->nav.key == KEY_NONE || a->nav.function == UINT32_MAX) {
		app_say(a, "select a function first");
		return false;
	}
	struct function fn = profile_function(p, a->nav.function);
	profile_show_name(p, fn.file, &recorded);
	bool found = source_find(&a->sources, buf_str(&recorded), path);
	*line = fn.line;
	if (fn.file == NAME_EMPTY)
		app_say(a, "the profile does not name the file of this");
	else if (!found)
		app_fault(a, "%s is not found: --source-dir FROM=TO says where it is",
			  buf_str(&recorded));
	buf_release(&recorded);
	return found;
}

static const char *
users_editor(void)
{
	const char *visual = getenv("VISUAL");
	return visual && *visual ? visual : getenv("EDITOR");
}

struct editing {
	const struct editor *editor;
	int status;
};

static void
run_editor(struct app *a, void *ctx)
{
	struct editing *x = ctx;
	x->status = a->screen->ops->run(a->screen, x->editor->argv);
}

static void
edit(struct app *a)
{
	struct buf path = BUF_INIT;
	struct editor editor;
	uint32_t line = 0;
	const struct view_ops *view = a->open.view;
	void *state = app_view_ready(a);
	bool there = view->source_location && view->source_location(state, &a->scene, &path, &line);
	if (there && !path.len)
		app_fault(a,
			  "the file is not found: --source-dir FROM=TO says where it is");
	if (there ? !path.len : !place_of_function(a, &path, &line)) {
		buf_release(&path);
		return;
	}
	editor_init(&editor, users_editor(), buf_str(&path), line);
	if (!a->screen->ops->run) {
		app_say(a, "no terminal to run %s", buf_str(&editor.shown));
	} else {
		struct editing x = {.editor = &editor};
		app_meanwhile(a, run_editor, &x);
		if (x.status)
			app_fault(a, "%s ended with status %d", buf_str(&editor.shown),
				  x.status);
		a->scene.edits++;
	}
	editor_release(&editor);
	buf_release(&path);
}

const struct app_action app_edit_actions[] = {
	{ACTION_EDIT, edit},
	{ACTION_NONE, NULL},
};
