/* resume.c - see resume.h.
 *
 * A session acts as if its options replaced the option that names it.  So one rule covers
 * everything: later words of the command line override it.  Files are an exception: operands
 * may be anywhere, and any of them replaces those of the session.
 *
 * The session, not the options, owns the texts that o->format points to; both live as long as
 * the command.
 *
 * A profile from a pipe is gone.  Its session stores "-" for it, and resuming needs another
 * pipe or a file name. */
#include "src/command/browse/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/profile/human.h"
#include "src/encode/encoder.h"
#include "ui/app/session.h"

/* If the session's file is not in its old place, looks beside the session. */
static void
find_beside(char **file, const char *session)
{
	const char *slash = strrchr(session, '/');
	struct buf beside = BUF_INIT;
	buf_add(&beside, session, slash ? (size_t)(slash + 1 - session) : 0);
	buf_adds(&beside, base_name(*file));
	if (access(*file, F_OK) && !access(buf_str(&beside), F_OK)) {
		free(*file);
		*file = mem_dup(buf_str(&beside), beside.len);
	}
	buf_release(&beside);
}

static bool
is_file_option(const char *name)
{
	struct option_table formats = {0};
	option_table_add_formats(&formats);
	const struct option_row *row = option_table_find(&formats, name);
	return row && row->is_file;
}

/* True if the option of this name sends parts of a profile to servers. */
static bool
asks_servers(const char *name)
{
	struct option_table formats = {0};
	option_table_add_formats(&formats);
	const struct option_row *row = option_table_find(&formats, name);
	return row && row->asks_servers;
}

/* A session may come from a stranger, so the user has to allow queries to servers.  pnav asks only
 * on a terminal; elsewhere the answer is no. */
static bool
allowed(const char *session, const char *option)
{
	struct buf shown = BUF_INIT;
	char answer[16] = "";
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
		escape_shown(&shown, session, strlen(session), false);
		fprintf(stderr,
			"pnav: %s has --%s, which sends build ids of the profile to servers. "
			"Allow it? [y/N] ",
			buf_str(&shown), option);
		fflush(stderr);
		if (!fgets(answer, sizeof answer, stdin))
			answer[0] = '\0';
		buf_release(&shown);
	}
	return *answer == 'y' || *answer == 'Y';
}

/* Checks option and value of a format by setting them in temporary options. */
static bool
check_option(void *ctx, const char *name, const char *value, struct err *e)
{
	struct options trial;
	(void)ctx;
	if (asks_servers(name))
		return true; /* resume_take() sets it if the user allows it */
	options_init(&trial, NULL);
	bool good = options_set_format(&trial, name, value, e);
	options_release(&trial);
	return good;
}

/* Sets an option that queries servers, unless the command line has it already. */
static void
take_asking(struct options *o, struct session *s, const char *path,
	    const struct session_option *x)
{
	struct buf why = BUF_INIT;
	struct err e;
	err_init(&e);
	if (given_value(&o->format.given, x->name))
		return;
	escape_shown(&why, path, strlen(path), false);
	if (!allowed(path, x->name))
		buf_addf(&why, ": --%s is left out: give it on the command line to allow it",
			 x->name);
	else if (!options_set_format(o, x->name, x->value, &e))
		buf_addf(&why, ": %s", e.text);
	else
		buf_reset(&why);
	if (why.len)
		faults_add(&s->faults, buf_str(&why));
	buf_release(&why);
}

static void
resume_take(struct options *o, struct session *s, const char *path)
{
	struct err none;
	err_init(&none); /* they were checked when they were read */
	for (size_t i = 0; i < s->files.n; i++)
		find_beside(&s->files.at[i], path);
	for (size_t i = 0; i < s->options.n; i++) {
		struct session_option *x = &s->options.at[i];
		if (is_file_option(x->name))
			find_beside(&x->value, path);
		if (asks_servers(x->name))
			take_asking(o, s, path, x);
		else
			options_set_format(o, x->name, x->value, &none);
	}
	lens_release(&o->lens);
	lens_copy(&o->lens, &s->lens);
	o->resumes = true;
	o->n_base = s->n_base ? s->n_base : 1;
	o->normalize |= s->normalize;
	o->independent |= s->independent;
	if (!s->comparing)
		return;
	lens_release(&o->base);
	lens_copy(&o->base, &s->base);
	o->compares = o->base_tracks = true;
}

bool
resume_session(struct options *o, const struct option_row *row, const char *value,
	       struct err *e)
{
	struct buf text = BUF_INIT;
	(void)row;
	o->session->check = check_option;
	bool good = settings_load(value, &text, e) &&
		    session_read(o->session, value, buf_str(&text), text.len, e);
	buf_release(&text);
	if (good)
		resume_take(o, o->session, value);
	return good;
}

bool
resume_files(struct options *o, bool *compare, struct err *e)
{
	const struct session *s = o->session;
	if (o->files.n || !o->resumes)
		return true;
	*compare |= s->compares;
	for (size_t i = 0; i < s->files.n; i++) {
		const char *file = s->files.at[i];
		if (!strcmp(file, "-") && isatty(STDIN_FILENO))
			return err_usage(
				e,
				"the session read standard input, which is not stored: name "
				"the FILE, or pipe it in again");
		*vec_push(&o->files) = file;
	}
	return options_hold_no_password(o, e);
}

const char *
resume_view(const struct options *o)
{
	return o->session->view;
}

/* ---- marks ---- */

const struct marks *
resume_marks(const struct options *o)
{
	return &o->session->marks;
}

/* Appends the frame of a mark, `main > parse`. */
static void
write_frame(const struct mark *m, struct buf *out)
{
	for (size_t i = 0; i < m->place.names.n; i++) {
		buf_adds(out, i ? " > " : "");
		buf_adds(out, m->place.names.at[i]);
	}
}

/* Appends a moment for people. */
static void
resume_write_moment(struct moment m, struct buf *out)
{
	if (m.kind == MOMENT_NS) {
		buf_adds(out, m.back ? "-" : "");
		human_time(out, m.value, UNIT_NS);
	} else if (m.kind == MOMENT_PERCENT) {
		buf_addf(out, "%s%g%%", m.back ? "-" : "", (double)m.value / 1e7);
	} else {
		moment_write(out, m);
	}
}

/* Appends the range of a mark, `2.310 s to 5.004 s`, and its frame. */
static void
write_where(const struct mark *m, struct buf *out)
{
	if (m->from.kind != MOMENT_OPEN || m->to.kind != MOMENT_OPEN) {
		if (m->from.kind == MOMENT_OPEN)
			buf_adds(out, "begin");
		else
			resume_write_moment(m->from, out);
		buf_adds(out, " to ");
		if (m->to.kind == MOMENT_OPEN)
			buf_adds(out, "end");
		else
			resume_write_moment(m->to, out);
	}
	buf_adds(out, out->len && m->place.names.n ? ", " : "");
	write_frame(m, out);
}

struct encode_note *
resume_notes(const struct marks *m, size_t *n)
{
	struct encode_note *notes = mem_zalloc(m->list.n + 1, sizeof *notes);

	for (size_t i = 0; i < m->list.n; i++) {
		const struct mark *mark = &m->list.at[i];
		struct buf where = BUF_INIT, frame = BUF_INIT;
		write_where(mark, &where);
		write_frame(mark, &frame);
		notes[i] = (struct encode_note){
			.name = mem_dup(mark->name, strlen(mark->name)),
			.where = mem_dup(buf_str(&where), where.len),
			.frame = mem_dup(buf_str(&frame), frame.len),
			.from = mark->from,
			.to = mark->to,
		};
		buf_release(&where);
		buf_release(&frame);
	}
	*n = m->list.n;
	return notes;
}

void
resume_notes_free(struct encode_note *notes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((char *)(uintptr_t)notes[i].name);
		free((char *)(uintptr_t)notes[i].where);
		free((char *)(uintptr_t)notes[i].frame);
	}
	free(notes);
}

struct session *
resume_new(void)
{
	struct session *s = mem_alloc(1, sizeof *s);
	session_init(s);
	s->strict = true;
	return s;
}

void
resume_free(struct session *s)
{
	resume_say_faults(&s->faults);
	session_release(s);
	free(s);
}

void
resume_say_faults(const struct faults *f)
{
	for (size_t i = 0; i < f->lines.n; i++)
		fprintf(stderr, "pnav: %s\n", f->lines.at[i]);
	if (f->more)
		fprintf(stderr, "pnav: and %zu more lines like these\n", f->more);
}
