#include "src/command/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/fold/outweigh.h"
#include "model/fold/timeless.h"
#include "model/profile/human.h"
#include "src/command/progress.h"
#include "src/command/say.h"
#include "src/input/clock.h"
#include "src/load.h"
#include "src/store/read.h"

const char *
open_operand(const struct command *self, const struct options *o, int *status)
{
	struct err e;

	err_init(&e);
	if (o->files.n == 1)
		return o->files.at[0];
	if (o->files.n > 1)
		err_usage(&e, "one FILE at a time, not '%s' and '%s'", o->files.at[0],
			  o->files.at[1]);
	else if (!isatty(STDIN_FILENO))
		return "-";
	else
		err_usage(&e, "which FILE?");
	*status = say_usage(self, &e);
	return NULL;
}

bool
open_operands(const struct command *self, struct options *o, int *status)
{
	struct err e;

	err_init(&e);
	if (o->files.n)
		return true;
	if (!isatty(STDIN_FILENO)) {
		*vec_push(&o->files) = "-";
		return true;
	}
	err_usage(&e, "which FILE?");
	*status = say_usage(self, &e);
	return false;
}

const char *
open_title(const struct options *o)
{
	return o->files.n == 1 ? o->files.at[0] : "all files";
}

/* Returns the first file that is on display, for messages about the profile. */
static const char *
first_shown(struct load *load, const struct options *o)
{
	for (size_t i = 0; i < o->files.n; i++)
		if (load_file_error(load, i).class != ERR_REFUSED)
			return o->files.at[i];
	return o->files.at[0];
}

/* Says that a packed profile was made of a damaged file. */
static int
say_packed_damage(const char *file, const struct profile *p)
{
	struct err e;

	err_init(&e);
	err_damage(&e, 0, "packed from a damaged file: %s", p->damage.text);
	e.has_offset = false;
	return say_error(file, &e);
}

int
open_errors(struct load *load, const struct options *o, bool compare, const struct profile *p)
{
	int status = STATUS_DONE;
	bool refused = load_refused(load);

	if (!refused) /* a warning concerns the profile on display */
		say_warnings(first_shown(load, o), p);
	for (size_t i = 0; i < o->files.n; i++) {
		struct err e = load_file_error(load, i);
		if (!err_is_set(&e))
			continue;
		status = say_error(o->files.at[i], &e);
		refused |= compare && status != STATUS_DAMAGED;
	}
	if (status == STATUS_DONE && err_is_set(&p->damage))
		status = say_packed_damage(first_shown(load, o), p);
	/* part of the requested input is missing */
	if (o->files.n > 1 && status != STATUS_DONE)
		status = refused ? STATUS_UNREADABLE : STATUS_DAMAGED;
	return status;
}

bool
open_explains(const struct options *o, int *status)
{
	struct buf out = BUF_INIT;
	struct err e;
	bool any = false;

	if (!o->format.explain)
		return false;
	err_init(&e);
	for (size_t i = 0; i < o->files.n && !err_is_set(&e); i++) {
		if (!store_url_is(o->files.at[i]))
			continue;
		buf_addf(&out, "%s", any ? "\n" : "");
		any = true;
		if (!store_explain(o->files.at[i], clock_day_ns(), &out, &e))
			*status = say_error(o->files.at[i], &e);
	}
	if (!any) {
		err_usage(&e, "--explain needs the address of a store, clickhouse://...");
		*status = say_plain(&e);
	}
	if (!err_is_set(&e)) {
		fwrite(buf_str(&out), 1, out.len, stdout);
		*status = STATUS_DONE;
	}
	buf_release(&out);
	return true;
}

/* Freeing a big profile piece by piece takes a third of a second at the end of the process; the
 * kernel does it at once.  Only leak checkers need it freed. */
bool
open_frees(void)
{
#if defined __SANITIZE_ADDRESS__
	return true;
#elif defined __has_feature
	return __has_feature(address_sanitizer);
#else
	return false;
#endif
}

void
open_release(struct profile *p)
{
	if (open_frees())
		profile_free(p);
}

struct profile *
open_profile(const struct options *o, bool compare, struct fold **plain, int *status)
{
	*plain = NULL;
	if (open_explains(o, status))
		return NULL;
	struct profile *p = profile_new();
	bool tty = isatty(STDERR_FILENO), shown = false;

	if (compare)
		profile_compare_files(p, o->n_base);
	p->normalize = o->normalize;
	p->independent = o->independent;
	struct load *load = load_start_files(p, o->files.at, o->files.n, &o->format);
	while (!load_wait(load, tty ? PROGRESS_MS : -1)) {
		struct load_state s = load_state(load);
		progress_load(open_title(o), &s);
		shown = true;
	}
	if (shown)
		progress_clear();
	*status = open_errors(load, o, compare, p);
	if (*status != STATUS_UNREADABLE && *status != STATUS_USAGE)
		*plain = say_nameless(first_shown(load, o), p);
	load_free(load);
	if (*status == STATUS_UNREADABLE || *status == STATUS_USAGE) {
		profile_free(p);
		return NULL;
	}
	return p;
}

/* Notes a range that begins after the last event. */
static void
note_beyond(const struct profile *p, int64_t from, struct buf *out)
{
	enum unit axis = p->n_groups ? (enum unit)p->group[0].axis : UNIT_NS;

	buf_adds(out, "the range begins at ");
	human_time(out, from, axis);
	buf_adds(out, ", beyond the end of the run at ");
	human_time(out, lens_run(p), axis);
	buf_addc(out, '\n');
}

/* Notes a range that does not end after its beginning. */
static void
note_empty(const struct profile *p, int64_t from, int64_t to, const char *what, struct buf *out)
{
	enum unit axis = p->n_groups ? (enum unit)p->group[0].axis : UNIT_NS;

	buf_addf(out, "the %s is empty: ", what);
	human_time(out, from, axis);
	buf_adds(out, " is not before ");
	human_time(out, to, axis);
	buf_addc(out, '\n');
}

/* Notes files that count their axes in other units than the first one with times: a range of the
 * one means nothing for the other. */
static void
note_axes(const struct profile *p, struct buf *out)
{
	const struct group *first = NULL;

	for (uint32_t i = 0; i < p->n_groups; i++) {
		const struct group *g = &p->group[i];
		if (first && g->has_time && g->axis != first->axis) {
			profile_show_name(p, first->name, out);
			buf_addf(out, " counts %s and ", unit_name((enum unit)first->axis));
			profile_show_name(p, g->name, out);
			buf_addf(out, " %s: a range of times means nothing for both\n",
				 unit_name((enum unit)g->axis));
			return;
		}
		first = first || !g->has_time ? first : g;
	}
}

void
open_note_range(const struct profile *p, const struct lens *l, struct buf *out)
{
	int64_t from, to;
	struct err e;
	bool whole;

	err_init(&e);
	if (!lens_range(l, p, &from, &to, &whole, &e) || whole)
		return;
	if (from >= to)
		note_empty(p, from, to, "range", out);
	else if (from > lens_run(p))
		note_beyond(p, from, out);
}

void
open_notes(const struct fold *f, const struct profile *p, const struct lens *l, struct buf *out)
{
	open_note_range(p, l, out);
	if (f->compares && f->based && !f->base_whole && f->base_from >= f->base_to)
		note_empty(p, f->base_from, f->base_to, "range of the base", out);
	if (!f->whole)
		note_axes(p, out);
	if (timeless_range(f, p)) {
		timeless_say(f, p, out);
		buf_addc(out, '\n');
	}
	if (!l->metric && outweigh_say(p, out))
		buf_adds(out, ": --metric async shows it\n");
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *entry = &l->entries.at[i];
		if (projection_unmatched(f->tree, i) || lens_track_unmatched(l, i, p))
			buf_addf(out, "%s '%s' matches nothing\n", verb_name(entry->verb),
				 pattern_text(entry->pattern));
		if (pattern_gave_up(entry->pattern))
			buf_addf(out,
				 "%s '%s' took too long on %" PRIu64 " names, which count "
				 "as not matching\n",
				 verb_name(entry->verb), pattern_text(entry->pattern),
				 pattern_gave_up(entry->pattern));
	}
	if (f->tree->depth_cut)
		buf_addf(out,
			 "callers deeper than %" PRIu32
			 " levels are cut: too many to invert\n",
			 f->tree->depth_cut);
}

static void
say_notes(const char *file, const struct buf *notes)
{
	for (char *at = notes->at, *end; at && (end = strchr(at, '\n')); at = end + 1)
		say_warning(file, "%.*s", (int)(end - at), at);
}

bool
open_fold(struct fold *f, const char *file, const struct profile *p, const struct lens *l,
	  const struct lens *base, int *status)
{
	struct buf notes = BUF_INIT;
	struct err e;

	err_init(&e);
	if (!fold_update(f, p, l, base, &e)) {
		*status = say_error(file, &e);
		return false;
	}
	open_notes(f, p, l, &notes);
	say_notes(file, &notes);
	buf_release(&notes);
	return true;
}

void
open_say_range(const char *file, const struct profile *p, const struct lens *l)
{
	struct buf notes = BUF_INIT;

	open_note_range(p, l, &notes);
	say_notes(file, &notes);
	buf_release(&notes);
}
