/* session.c - see session.h.
 *
 * Each line holds one fact, if possible in the words of the command line.  So users can read,
 * compare and edit a session, and a wrong line affects nothing else.  A report refuses a session
 * with a wrong line that decides the numbers, since the numbers would be wrong.  Paths of the tree
 * have one line a frame.  A value that would not survive a line as it is has the form $'...', as in
 * shells (settings.h).
 *
 *	# pnav session
 *	file /home/me/checkout.bsprof
 *	option bsprof-time-unit us
 *	view flame
 *	from 2310000000ns
 *	base 0ns 1000000000ns
 *	entry ~hide ^std::
 *	select main
 *	select render
 *	state functions total reversed
 *	mark 2310000000ns 5004000000ns the slow frame
 *	mark-select main
 *
 * Invariant: session_read() reads everything that session_write() writes, without an error. */
#include "ui/app/session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/lens/words.h"
#include "ui/view/view.h"

static const char first_line[] = "# pnav session";

void
session_init(struct session *s)
{
	*s = (struct session){0};
	lens_init(&s->lens);
	lens_init(&s->base);
}

void
session_release(struct session *s)
{
	for (size_t i = 0; i < s->files.n; i++)
		free(s->files.at[i]);
	for (size_t i = 0; i < s->options.n; i++) {
		free(s->options.at[i].name);
		free(s->options.at[i].value);
	}
	for (size_t i = 0; i < s->states.n; i++) {
		free(s->states.at[i].view);
		free(s->states.at[i].text);
	}
	vec_release(&s->files);
	vec_release(&s->options);
	vec_release(&s->states);
	free(s->view);
	free(s->search);
	lens_release(&s->lens);
	lens_release(&s->base);
	place_release(&s->selected);
	place_release(&s->zoom);
	marks_release(&s->marks);
	faults_release(&s->faults);
}

static char *
copy_text(const char *text)
{
	return mem_dup(text, strlen(text));
}

void
session_add_file(struct session *s, const char *path)
{
	*vec_push(&s->files) = copy_text(path);
}

void
session_add_option(struct session *s, const char *name, const char *value)
{
	*vec_push(&s->options) =
		(struct session_option){copy_text(name), value ? copy_text(value) : NULL};
}

void
session_add_state(struct session *s, const char *view, const char *text)
{
	*vec_push(&s->states) = (struct session_state){copy_text(view), copy_text(text)};
}

/* ---- reading ---- */

static bool
set_file(void *ctx, const char *value, struct err *e)
{
	if (!*value)
		return err_usage(e, "which file?");
	session_add_file(ctx, value);
	return true;
}

/* Reads NAME, or NAME VALUE. */
static bool
set_option(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	struct buf name = BUF_INIT;
	if (!settings_word(&value, &name)) {
		buf_release(&name);
		return err_usage(e, "which option?");
	}
	session_add_option(s, buf_str(&name), *value ? value : NULL);
	buf_release(&name);
	struct session_option *o = &s->options.at[s->options.n - 1];
	if (!s->check || s->check(s->ctx, o->name, o->value, e))
		return true;
	free(o->name);
	free(o->value);
	s->options.n--;
	return false;
}

/* Sets a flag; its word takes no value. */
static bool
set_switch(bool *on, const char *word, const char *value, struct err *e)
{
	if (*value)
		return err_usage(e, "%s takes no value", word);
	*on = true;
	return true;
}

static bool
set_compare(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*value && (*end || !n || n >= UINT32_MAX))
		return err_usage(e, "compare takes how many files are the base, not '%s'", value);
	s->compares = true;
	s->n_base = (uint32_t)n;
	return true;
}

static bool
set_normalize(void *ctx, const char *value, struct err *e)
{
	return set_switch(&((struct session *)ctx)->normalize, "normalize", value, e);
}

static bool
set_independent(void *ctx, const char *value, struct err *e)
{
	return set_switch(&((struct session *)ctx)->independent, "assume-independent", value, e);
}

static bool
session_set_view(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	if (!view_named(value))
		return err_usage(e, "no such view: '%s'", value);
	free(s->view);
	s->view = copy_text(value);
	return true;
}

static bool
set_search(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	struct pattern *p = pattern_new(value, strlen(value), e);
	if (!p)
		return false;
	pattern_unref(p);
	free(s->search);
	s->search = copy_text(value);
	return true;
}

static bool
set_selected(void *ctx, const char *value, struct err *e)
{
	(void)e;
	place_add(&((struct session *)ctx)->selected, value);
	return true;
}

static bool
set_zoom(void *ctx, const char *value, struct err *e)
{
	(void)e;
	place_add(&((struct session *)ctx)->zoom, value);
	return true;
}

static bool
set_state(void *ctx, const char *value, struct err *e)
{
	struct buf view = BUF_INIT;
	bool good = settings_word(&value, &view);
	if (good)
		session_add_state(ctx, buf_str(&view), value);
	buf_release(&view);
	return good || err_usage(e, "a state needs the name of a view");
}

static bool
set_sure_only(void *ctx, const char *value, struct err *e)
{
	return set_switch(&((struct session *)ctx)->sure_only, "only-sure", value, e);
}

static bool
set_chains(void *ctx, const char *value, struct err *e)
{
	return set_switch(&((struct session *)ctx)->chains, "chains", value, e);
}

static bool
session_set_colour_by(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	if (!hue_read(value, &s->colour_by, e))
		return false;
	s->coloured = true;
	return true;
}

/* Reads FROM TO NAME; "-" marks an open end of the range. */
static bool
set_mark(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	struct buf word = BUF_INIT;
	struct place none = {0};
	struct moment from, to;
	bool good = settings_word(&value, &word) &&
		    moment_read(buf_str(&word), &from, e) &&
		    settings_word(&value, &word) && moment_read(buf_str(&word), &to, e) &&
		    *value;
	if (good)
		marks_put(&s->marks, value, from, to, &none);
	buf_release(&word);
	return good || err_usage(e, "a mark is FROM TO NAME");
}

static bool
set_mark_place(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	if (!s->marks.list.n)
		return err_usage(e, "there is no mark above");
	place_add(&s->marks.list.at[s->marks.list.n - 1].place, value);
	return true;
}

static bool
set_part(struct session *s, const char *word, const char *value, struct err *e)
{
	if (!lens_has_base_line(word))
		return lens_read_line(&s->lens, word, value, e);
	if (strcmp(word, "base") && !s->comparing)
		return err_usage(e, "there is no base above");
	if (!lens_read_base_line(&s->base, word, value, e))
		return false;
	s->comparing = true;
	return true;
}

/* All other words are parts of the lens, or of the base of the comparison. */
static bool
set_lens(void *ctx, const char *line, struct err *e)
{
	char *word = mem_dup(line, strcspn(line, " "));
	bool good = set_part(ctx, word, line + strlen(word) + 1, e);
	free(word);
	return good;
}

static const struct settings_row rows[] = {
	{.word = "file", .set = set_file},
	{.word = "option", .set = set_option},
	{.word = "compare", .set = set_compare},
	{.word = "normalize", .set = set_normalize},
	{.word = "assume-independent", .set = set_independent},
	{.word = "view", .set = session_set_view, .view = true},
	{.word = "chains", .set = set_chains, .view = true},
	{.word = "only-sure", .set = set_sure_only, .view = true},
	{.word = "colour-by", .set = session_set_colour_by, .view = true},
	{.word = "search", .set = set_search, .view = true},
	{.word = "select", .set = set_selected, .view = true},
	{.word = "zoom", .set = set_zoom, .view = true},
	{.word = "state", .set = set_state, .view = true},
	{.word = "mark", .set = set_mark, .view = true},
	{.word = "mark-select", .set = set_mark_place, .view = true},
	{.set = set_lens},
};

bool
session_read(struct session *s, const char *file, const char *text, size_t len,
	     struct err *e)
{
	size_t head = sizeof first_line - 1;
	if (len < head || memcmp(text, first_line, head))
		return err_usage(e, "%s: no session: its first line is not '%s'", file,
				 first_line);
	settings_read(file, text, len, rows, s, &s->faults);
	if (!s->strict || !s->faults.grave)
		return true;
	err_usage(e, "%s", s->faults.grave);
	faults_release(&s->faults); /* the warning lists them */
	return false;
}

/* ---- writing ---- */

/* Writes a line whose value consists of words. */
__attribute__((format(printf, 3, 4))) static void
write_line(struct buf *out, const char *word, const char *fmt, ...)
{
	struct buf value = BUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	buf_addv(&value, fmt, ap);
	va_end(ap);
	words_line(out, word, buf_str(&value));
	buf_release(&value);
}

static void
session_write_place(struct buf *out, const char *word, const struct place *p)
{
	for (size_t i = 0; i < p->names.n; i++)
		words_line(out, word, p->names.at[i]);
}

static void
write_mark(const struct mark *m, struct buf *out)
{
	struct buf range = BUF_INIT;
	moment_write(&range, m->from);
	buf_addc(&range, ' ');
	moment_write(&range, m->to);
	write_line(out, "mark", "%s %s", buf_str(&range), m->name);
	session_write_place(out, "mark-select", &m->place);
	buf_release(&range);
}

void
session_write(const struct session *s, struct buf *out)
{
	buf_addf(out, "%s\n", first_line);
	for (size_t i = 0; i < s->files.n; i++)
		words_line(out, "file", s->files.at[i]);
	for (size_t i = 0; i < s->options.n; i++) {
		const struct session_option *o = &s->options.at[i];
		write_line(out, "option", "%s%s%s", o->name, o->value ? " " : "",
			   o->value ? o->value : "");
	}
	if (s->compares && s->n_base > 1)
		write_line(out, "compare", "%u", s->n_base);
	else if (s->compares)
		words_line(out, "compare", NULL);
	if (s->normalize)
		words_line(out, "normalize", NULL);
	if (s->independent)
		words_line(out, "assume-independent", NULL);
	if (s->view)
		words_line(out, "view", s->view);
	lens_write_lines(&s->lens, out);
	if (s->comparing)
		lens_write_base_lines(&s->base, out);
	if (s->chains)
		words_line(out, "chains", NULL);
	if (s->sure_only)
		words_line(out, "only-sure", NULL);
	if (s->coloured)
		words_line(out, "colour-by", hue_word(s->colour_by));
	if (s->search)
		words_line(out, "search", s->search);
	session_write_place(out, "select", &s->selected);
	session_write_place(out, "zoom", &s->zoom);
	for (size_t i = 0; i < s->states.n; i++)
		write_line(out, "state", "%s %s", s->states.at[i].view,
			   s->states.at[i].text);
	for (size_t i = 0; i < s->marks.list.n; i++)
		write_mark(&s->marks.list.at[i], out);
}
