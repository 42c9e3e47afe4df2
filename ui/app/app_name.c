/* app_name.c - shows the whole name of the selection if no line has room for it. */
#include <string.h>

#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

/* Breaks the text into lines of at most `cols` columns. */
static void
wrap(const char *text, int cols, struct buf *out)
{
	while (*text) {
		size_t fits = text_fit(text, cols);
		fits = fits ? fits : text_after(text, strlen(text), 0);
		buf_add(out, text, fits);
		buf_addc(out, '\n');
		text += fits;
	}
}

/* The pager indents by two columns. */
static int
line_cols(const struct app *a)
{
	return a->canvas.w - 4;
}

static void
app_add_part(const struct app *a, const char *word, const struct buf *part, struct buf *out)
{
	struct buf line = BUF_INIT;
	if (part->len) {
		buf_addf(&line, "%s %s", word, buf_str(part));
		wrap(buf_str(&line), line_cols(a), out);
	}
	buf_release(&line);
}

static void
app_show_name(struct app *a)
{
	struct buf out = BUF_INIT, name = BUF_INIT, place = BUF_INIT, module = BUF_INIT;
	show_key(&a->scene, a->nav.key, &name);
	show_place(&a->scene, a->nav.key, &place);
	show_module(&a->scene, a->nav.key, &module);
	wrap(buf_str(&name), line_cols(a), &out);
	buf_addc(&out, '\n');
	app_add_part(a, "in", &place, &out);
	app_add_part(a, "of", &module, &out);
	app_pager(a, "the selection", buf_str(&out), out.len);
	buf_release(&out);
	buf_release(&name);
	buf_release(&place);
	buf_release(&module);
}

const struct app_action app_name_actions[] = {
	{ACTION_NAME, app_show_name},
	{ACTION_NONE, NULL},
};
