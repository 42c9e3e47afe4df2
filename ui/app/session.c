/* session.c - see session.h.
 *
 * A line a fact, in the words of the command line where it has one, so that a session can
 * be read, compared and edited by hand, and so that a wrong line costs that line alone.
 * Paths of the tree are a line a frame.  A value may hold anything: a line that would not
 * come back as it is stands in $'...', as shells write it (settings.h).
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
 * Invariant: what session_write() writes, session_read() reads without a fault. */
#include "ui/app/session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "ui/app/app.h"

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

/* NAME, or NAME VALUE. */
static bool
set_option(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	struct buf name = BUF_INIT;
	if (!settings_word(&value, &name))
		return err_usage(e, "which option?");
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

static bool
set_compare(void *ctx, const char *value, struct err *e)
{
	(void)value;
	(void)e;
	((struct session *)ctx)->compares = true;
	return true;
}

static bool
set_view(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	if (!app_has_view(value))
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
set_metric(void *ctx, const char *value, struct err *e)
{
	(void)e;
	lens_set_metric(&((struct session *)ctx)->lens, *value ? value : NULL);
	return true;
}

static bool
set_from(void *ctx, const char *value, struct err *e)
{
	return moment_parse(value, &((struct session *)ctx)->lens.from, e);
}

static bool
set_to(void *ctx, const char *value, struct err *e)
{
	return moment_parse(value, &((struct session *)ctx)->lens.to, e);
}

static bool
set_by(void *ctx, const char *value, struct err *e)
{
	if (granularity_parse(value, &((struct session *)ctx)->lens.by))
		return true;
	return err_usage(e, "by function, line, file or module, not '%s'", value);
}

static bool
set_invert(void *ctx, const char *value, struct err *e)
{
	(void)value;
	(void)e;
	((struct session *)ctx)->lens.invert = true;
	return true;
}

/* [~]VERB PATTERN, as in a filter specification. */
static bool
set_entry(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	bool off = *value == '~';
	enum verb verb;
	value += off;
	size_t len = strcspn(value, " \t");
	if (!verb_parse(value, len, &verb))
		return err_usage(e, "unknown verb '%.*s'", (int)len, value);
	value += len + (value[len] ? 1 : 0);
	if (!lens_add(&s->lens, verb, value, strlen(value), e))
		return false;
	s->lens.entries.at[s->lens.entries.n - 1].off = off;
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
	return good || err_usage(e, "the state of which view?");
}

static bool
read_moment(const char *text, struct moment *out, struct err *e)
{
	*out = (struct moment){.kind = MOMENT_OPEN};
	return !strcmp(text, "-") || moment_parse(text, out, e);
}

/* FROM TO; "-" where the range is open. */
static bool
set_base(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	struct buf word = BUF_INIT;
	struct moment from, to;
	bool good = settings_word(&value, &word) &&
		    read_moment(buf_str(&word), &from, e) &&
		    settings_word(&value, &word) && read_moment(buf_str(&word), &to, e) &&
		    !*value;
	buf_release(&word);
	if (!good)
		return err_usage(e, "what is compared with is FROM TO");
	s->comparing = true;
	s->base.from = from;
	s->base.to = to;
	return true;
}

static bool
set_base_track(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	if (!s->comparing)
		return err_usage(e, "there is no base above");
	return lens_add(&s->base, VERB_TRACK, value, strlen(value), e);
}

static bool
set_chains(void *ctx, const char *value, struct err *e)
{
	(void)value;
	(void)e;
	((struct session *)ctx)->chains = true;
	return true;
}

/* FROM TO NAME; "-" where the range is open. */
static bool
set_mark(void *ctx, const char *value, struct err *e)
{
	struct session *s = ctx;
	struct buf word = BUF_INIT;
	struct place none = {0};
	struct moment from, to;
	bool good = settings_word(&value, &word) &&
		    read_moment(buf_str(&word), &from, e) &&
		    settings_word(&value, &word) && read_moment(buf_str(&word), &to, e) &&
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

static const struct settings_row rows[] = {
	{"file", set_file},
	{"option", set_option},
	{"compare", set_compare},
	{"view", set_view},
	{"metric", set_metric},
	{"from", set_from},
	{"to", set_to},
	{"by", set_by},
	{"invert", set_invert},
	{"entry", set_entry},
	{"base", set_base},
	{"base-track", set_base_track},
	{"chains", set_chains},
	{"search", set_search},
	{"select", set_selected},
	{"zoom", set_zoom},
	{"state", set_state},
	{"mark", set_mark},
	{"mark-select", set_mark_place},
	{NULL, NULL},
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
	return true;
}

/* ---- writing ---- */

static void
write_moment(struct buf *out, struct moment m)
{
	switch (m.kind) {
	case MOMENT_OPEN:
		buf_addc(out, '-');
		break;
	case MOMENT_NS:
		buf_addf(out, "%" PRId64 "ns", m.value);
		break;
	case MOMENT_ORDINAL:
		buf_addf(out, "%" PRId64, m.value);
		break;
	case MOMENT_PERCENT:
		buf_addf(out, "%" PRId64 ".%07" PRId64 "%%", m.value / 10000000,
			 m.value % 10000000);
		break;
	}
}

/* A line, in the quotes that settings_read() takes off where it would not come back as it
 * is: with a line end or a control in it, or a blank that seems to be of the form. */
static void
write_whole(struct buf *out, const char *word, const char *value)
{
	struct buf line = BUF_INIT, shown = BUF_INIT;
	size_t len = strlen(value);
	buf_addf(&line, "%s%s%s", word, len ? " " : "", value);
	human_shown(&shown, buf_str(&line), line.len, false);
	bool outside = len && strchr(" \t", value[0]);
	if (shown.len != line.len || outside)
		human_quoted(out, buf_str(&line));
	else
		buf_add(out, line.at, line.len);
	buf_addc(out, '\n');
	buf_release(&line);
	buf_release(&shown);
}

/* The same with what stands before the last word of the value. */
__attribute__((format(printf, 3, 4))) static void
write_line(struct buf *out, const char *word, const char *fmt, ...)
{
	struct buf value = BUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	buf_addv(&value, fmt, ap);
	va_end(ap);
	write_whole(out, word, buf_str(&value));
	buf_release(&value);
}

static void
write_place(struct buf *out, const char *word, const struct place *p)
{
	for (size_t i = 0; i < p->names.n; i++)
		write_whole(out, word, p->names.at[i]);
}

static void
write_end(struct buf *out, const char *word, struct moment m)
{
	if (m.kind == MOMENT_OPEN)
		return;
	buf_addf(out, "%s ", word);
	write_moment(out, m);
	buf_addc(out, '\n');
}

static void
write_lens(const struct lens *l, struct buf *out)
{
	if (l->metric)
		write_whole(out, "metric", l->metric);
	write_end(out, "from", l->from);
	write_end(out, "to", l->to);
	if (l->by != BY_FUNCTION)
		write_whole(out, "by", granularity_name(l->by));
	if (l->invert)
		write_whole(out, "invert", "");
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		write_line(out, "entry", "%s%s %s", e->off ? "~" : "", verb_name(e->verb),
			   pattern_text(e->pattern));
	}
}

static void
write_base(const struct lens *base, struct buf *out)
{
	buf_adds(out, "base ");
	write_moment(out, base->from);
	buf_addc(out, ' ');
	write_moment(out, base->to);
	buf_addc(out, '\n');
	for (size_t i = 0; i < base->entries.n; i++) {
		const struct entry *e = &base->entries.at[i];
		if (e->verb == VERB_TRACK && !e->off)
			write_whole(out, "base-track", pattern_text(e->pattern));
	}
}

static void
write_mark(const struct mark *m, struct buf *out)
{
	struct buf range = BUF_INIT;
	write_moment(&range, m->from);
	buf_addc(&range, ' ');
	write_moment(&range, m->to);
	write_line(out, "mark", "%s %s", buf_str(&range), m->name);
	write_place(out, "mark-select", &m->place);
	buf_release(&range);
}

void
session_write(const struct session *s, struct buf *out)
{
	buf_addf(out, "%s\n", first_line);
	for (size_t i = 0; i < s->files.n; i++)
		write_whole(out, "file", s->files.at[i]);
	for (size_t i = 0; i < s->options.n; i++) {
		const struct session_option *o = &s->options.at[i];
		write_line(out, "option", "%s%s%s", o->name, o->value ? " " : "",
			   o->value ? o->value : "");
	}
	if (s->compares)
		write_whole(out, "compare", "");
	if (s->view)
		write_whole(out, "view", s->view);
	write_lens(&s->lens, out);
	if (s->comparing)
		write_base(&s->base, out);
	if (s->chains)
		write_whole(out, "chains", "");
	if (s->search)
		write_whole(out, "search", s->search);
	write_place(out, "select", &s->selected);
	write_place(out, "zoom", &s->zoom);
	for (size_t i = 0; i < s->states.n; i++)
		write_line(out, "state", "%s %s", s->states.at[i].view,
			   s->states.at[i].text);
	for (size_t i = 0; i < s->marks.list.n; i++)
		write_mark(&s->marks.list.at[i], out);
}
