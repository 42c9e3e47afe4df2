/* app_name.c - a card of the selection: its whole name, place and numbers, on any screen. */
#include <string.h>

#include "model/profile/human.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
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

/* Writes "self 40  40.0 %". */
static void
add_number(const struct app *a, const char *word, int64_t value, struct buf *out)
{
	buf_addf(out, "%s ", word);
	show_value(&a->scene, value, out);
	buf_adds(out, "  ");
	human_share(out, value, a->look.fold->now.everything);
	buf_addc(out, '\n');
}

/* Its numbers as in the table of functions. */
static void
add_numbers(const struct app *a, struct buf *out)
{
	struct row row = {.calls = -1};
	if (a->nav.key == KEY_NONE)
		return;
	show_row(&a->scene, a->nav.key, &row);
	buf_addc(out, '\n');
	add_number(a, "self", row.self, out);
	add_number(a, "total", row.total, out);
	if (row.calls >= 0) {
		buf_adds(out, "calls ");
		human_count(out, row.calls);
		buf_addc(out, '\n');
	}
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
	add_numbers(a, &out);
	if (a->open.view->card) {
		buf_addc(&out, '\n');
		a->open.view->card(app_view_ready(a), &a->scene, &out);
	}
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
