/* answers_show.c - the view that shows an answer: for a command line, and for the browser.
 *
 * It is the lens as asked, narrowed by the answer to what it is about, and a view of `pnav report`.
 * A user who runs the command finds the numbers of the sentence. */
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/base/mem.h"
#include "model/lens/commandline.h"
#include "model/lens/words.h"

void
answers_show_init(const struct answers_work *w, struct answers_item *out)
{
	const struct lens *asked = w->regroup ? &w->lens : w->asks->lens;
	struct answers_shown *s = &out->shown;

	*s = (struct answers_shown){.compares = w->asks->kept != NULL,
				    .view = out->row->view,
				    .function = KEY_NONE};
	lens_copy(&s->lens, asked);
	lens_copy(&s->base, w->asks->kept ? w->asks->kept : asked);
}

void
answers_show_release(struct answers_shown *s)
{
	lens_release(&s->lens);
	lens_release(&s->base);
	buf_release(&s->words);
}

void
answers_show_view(struct answers_item *out, const char *view)
{
	out->shown.view = view;
}

void
answers_show_range(const struct answers_work *w, struct answers_item *out, int64_t from,
		   int64_t to)
{
	out->shown.lens.from = answers_moment(w, from);
	out->shown.lens.to = answers_moment(w, to);
	out->shown.compares = false;
	out->shown.ranges = true;
}

/* Returns true if the answer may compare: neither ranges nor files are compared yet. */
static bool
may_compare(const struct answers_work *w)
{
	return !w->asks->kept && !w->p->comparison;
}

void
answers_show_from(const struct answers_work *w, struct answers_item *out, int64_t from,
		  bool compares)
{
	out->shown.lens.from = answers_moment(w, from);
	if (!compares || !may_compare(w))
		return;
	out->shown.base.to = out->shown.lens.from;
	out->shown.compares = true;
}

void
answers_show_metric(const struct answers_work *w, struct answers_item *out, metric_id m)
{
	struct buf name = BUF_INIT;

	profile_write_name(w->p, w->p->metric[m].name, &name);
	lens_set_metric(&out->shown.lens, buf_str(&name));
	buf_release(&name);
}

static void
show_entry(struct lens *l, enum verb verb, const char *pattern)
{
	struct err e;

	err_init(&e);
	lens_add(l, verb, pattern, strlen(pattern), &e);
}

void
answers_show_entry(struct answers_item *out, enum verb verb, const char *pattern)
{
	show_entry(&out->shown.lens, verb, pattern);
}

static void
show_named(const struct answers_work *w, struct lens *l, enum verb verb, enum subject subject,
	   name_id name)
{
	struct name n = names_get(&w->p->names, name);
	struct buf pattern = BUF_INIT;

	pattern_exact(&pattern, subject, n.at, n.len);
	show_entry(l, verb, buf_str(&pattern));
	buf_release(&pattern);
}

/* Removes the entries that name tracks: one more would add its tracks to theirs. */
static void
drop_tracks(struct lens *l)
{
	for (size_t i = l->entries.n; i-- > 0;)
		if (l->entries.at[i].verb == VERB_TRACK)
			lens_remove(l, i);
}

void
answers_show_named(const struct answers_work *w, struct answers_item *out, enum verb verb,
		   name_id name)
{
	if (verb == VERB_TRACK)
		drop_tracks(&out->shown.lens);
	show_named(w, &out->shown.lens, verb, SUBJECT_FN, name);
}

void
answers_show_leaf(const struct answers_work *w, struct answers_item *out, enum subject subject,
		  name_id name)
{
	show_named(w, &out->shown.lens, VERB_INCLUDE_SELF, subject, name);
}

void
answers_show_beside(const struct answers_work *w, struct answers_item *out, name_id name)
{
	if (!may_compare(w))
		return;
	drop_tracks(&out->shown.base);
	show_named(w, &out->shown.base, VERB_TRACK, SUBJECT_FN, name);
	out->shown.compares = true;
}

int64_t
answers_show_total(const struct answers_work *w, const struct answers_item *out)
{
	struct fold *f = fold_new();
	int64_t total = 0;
	struct err e;

	err_init(&e);
	f->pace = w->pace;
	if (fold_update(f, w->p, &out->shown.lens, NULL, &e))
		total = f->now.total[NODE_ROOT];
	fold_free(f);
	return total;
}

void
answers_show_option(struct answers_item *out, const char *word, const char *value)
{
	words_option(&out->shown.words, word, value);
}

/* Fills *out with the files that the profile names, for callers that have no command line. */
static void
own_files(const struct profile *p, struct commandline *out)
{
	bool files = p->comparison == COMPARE_FILES;
	uint32_t n = p->n_groups;
	struct buf *name = mem_zalloc(n + 1, sizeof *name);
	const char **file = mem_zalloc(n + 1, sizeof *file);

	for (uint32_t i = 0; i < n; i++) {
		profile_write_name(p, p->group[i].name, &name[i]);
		file[i] = buf_str(&name[i]);
	}
	out->verb = files ? "diff" : "report";
	commandline_files(out, file, n, files ? p->n_base : 0);
	for (uint32_t i = 0; i < n; i++)
		buf_release(&name[i]);
	free_all(name, file);
}

void
answers_write_command(const struct answers_work *w, struct answers_item *out)
{
	const struct answers_shown *s = &out->shown;
	const struct commandline *line = w->asks->line;
	struct commandline own = {0};
	const char *words = s->words.len ? buf_str(&s->words) : NULL;
	struct buf usual = BUF_INIT;

	if (!line)
		own_files(w->p, &own);
	if (!words && out->row->words && s->view == out->row->view) {
		buf_addf(&usual, " %s", out->row->words);
		words = buf_str(&usual);
	}
	commandline_write(line ? line : &own, &s->lens, s->compares ? &s->base : NULL, s->view,
			  words, &out->command);
	buf_release(&usual);
	commandline_release(&own);
}
